import { readFileSync } from 'node:fs'
import t from '../../run/file-test.ts'
import { amount, isLong } from '../../run/tier.ts'
import { makeCompoundFile } from '../../support/compound-file.ts'
import {
  makeDocx,
  makeEndlessPdf,
  makePdf,
  makePdfBomb,
  makePptx,
  makeXlsx,
} from '../../support/office-files.ts'
import { createHome, startServer } from '../../support/server.ts'
import { spawnService } from '../../support/service-process.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'
import { makeZip } from '../../support/zip.ts'
import { callsTo, createKnowledgeCalls, type TestFile } from './knowledge-calls.ts'

const server = await startServer(t)
const { create, request, settled, upload } = createKnowledgeCalls(server)

/** Uploads files to a new base; returns the text and the places of each by its path. */
const read = async (...files: TestFile[]) => {
  const id = await create('Formats')
  const { status, body } = await upload(id, files)
  if (status !== 202) throw new Error(JSON.stringify(body))
  const documents = await settled(id)
  const texts = Object.entries(documents).map(async ([path, document]) => {
    const { body } = await request('GET', `/${id}/documents/${document.id}/text`)
    return [path, { document, ...body }]
  })
  return Object.fromEntries(await Promise.all(texts))
}
const headings = ({ text, places }: { text: string; places: Record<string, number | string>[] }) =>
  places.map(({ start, end, heading, page }) => [
    heading ?? null,
    ...(page === undefined ? [] : [page]),
    text.slice(Number(start), Number(end)),
  ])

t.test('Office documents and PDF keep headings, tables, pages and slides', async (t) => {
  const files = await read(
    [
      'letter.docx',
      makeDocx([
        { heading: 'Travel', level: 1 },
        { text: 'Book early & cheap.' },
        { heading: 'Trains', level: 2 },
        {
          table: [
            ['City', 'Price'],
            ['Bonn', '12'],
            ['Köln', '14'],
          ],
        },
      ]),
    ],
    [
      'talk.pptx',
      makePptx([
        { title: 'Welcome', text: 'First point\nSecond point', notes: 'Speak slowly.' },
        {
          title: 'Numbers',
          text: 'See below',
          table: [
            ['Year', 'Sum'],
            ['2025', '7'],
          ],
        },
      ]),
    ],
    [
      'book.xlsx',
      makeXlsx({
        Staff: [
          ['Name', 'Since', 'Days'],
          ['Ada', new Date('2024-03-01'), 30.5],
        ],
        Empty: [],
      }),
    ],
    [
      'paper.pdf',
      makePdf([
        [
          ['On Trains', 20],
          [''],
          ['Trains are the best way to tra-'],
          ['vel between cities.'],
          [''],
          [''],
          ['A new thought.'],
        ],
        [['Prices', 15], ['Bonn costs twelve.']],
      ]),
    ],
  )
  t.strictSame(headings(files['letter.docx']), [
    ['Travel', 'Travel\n\nBook early & cheap.'],
    ['Travel › Trains', 'Trains\n\nCity: Bonn | Price: 12\nCity: Köln | Price: 14'],
  ])
  t.strictSame(headings(files['talk.pptx']), [
    ['Welcome', 1, 'Welcome\n\nFirst point\n\nSecond point\n\nSpeak slowly.'],
    ['Numbers', 2, 'Numbers\n\nSee below\n\nYear: 2025 | Sum: 7'],
  ])
  t.equal(files['talk.pptx'].document.pages, 2)
  t.strictSame(headings(files['book.xlsx']), [
    ['Staff', 'Staff\n\nName: Ada | Since: 2024-03-01 | Days: 30.5'],
  ])
  t.strictSame(headings(files['paper.pdf']), [
    ['On Trains', 1, 'On Trains\n\nTrains are the best way to travel between cities.\n\nA new thought.'],
    ['On Trains › Prices', 2, 'Prices\n\nBonn costs twelve.'],
  ])
  t.equal(files['paper.pdf'].document.pages, 2)
})

t.test('Texts keep their structure, whatever their charset', async (t) => {
  const files = await read(
    ['list.csv', 'Name;Note\nAda;"likes ""; and\nlines"\nBob;\n'],
    ['rows.json', '[{"name":"Ada","age":36},{"name":"Bob","age":null}]'],
    ['tree.json', '{"a":{"b":[1]}}'],
    ['old.txt', Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65])],
    ['gb.txt', Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0xa3, 0xac, 0xca, 0xc0, 0xbd, 0xe7])],
    ['wide.txt', Buffer.from('\ufeffWide text', 'utf16le')],
    [
      'main.ts',
      'import a from "a"\n\nfunction one() {\n  return 1\n}\n\nfunction two() {\n\n  return 2\n}\n',
    ],
    [
      'page.html',
      '<title>Shop</title><nav>Menu</nav><main><h1>Offers</h1><p>Red   <b>shoes</b></p><ul><li>One<li>Two</ul><table><tr><th>Size<th>Price<tr><td>42<td>9 €</table><pre>a\n  b</pre>' +
        `<p>${'More about shoes. '.repeat(12)}</p></main><script>evil()</script><p>Footer`,
    ],
    [
      'list.md',
      '# A\n\n1. *one*\n   - deep [link](http://x.org)\n2. two &amp; `three`\n\n> ## B\n> quoted\n',
    ],
  )
  const textOf = (path: string) => files[path].text
  t.equal(textOf('list.csv'), 'Name: Ada | Note: likes "; and lines\nName: Bob')
  t.equal(textOf('rows.json'), 'name: Ada | age: 36\nname: Bob')
  t.equal(textOf('tree.json'), '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}')
  t.equal(textOf('old.txt'), 'Grüße')
  t.equal(textOf('gb.txt'), '你好，世界')
  t.equal(textOf('wide.txt'), 'Wide text')
  t.match(textOf('main.ts'), /^import a[\s\S]*\n\nfunction two\(\) {\n\n {2}return 2\n}$/)
  t.match(
    textOf('page.html'),
    /^Offers\n\nRed shoes\n\n- One\n\n- Two\n\nSize: 42 \| Price: 9 €\n\na\n {2}b\n\nMore about shoes\./,
  )
  t.notMatch(textOf('page.html'), /Menu|evil|Footer/)
  t.equal(textOf('list.md'), 'A\n\n1. one\n- deep link\n2. two & three\n\nB\n\nquoted')
})

t.test('What cannot be read fails with its reason', async (t) => {
  const id = await create('Broken')
  const office = (entry: object) => makeZip([{ name: 'word/document.xml', content: '<a/>', ...entry }])
  const files: TestFile[] = [
    ['locked.pdf', makePdf([[['Secret']]], { isEncrypted: true })],
    ['locked.docx', makeCompoundFile(['EncryptedPackage'])],
    ['flagged.docx', office({ flags: 1 })],
    ['broken.pdf', '%PDF-1.4 and nothing else'],
    ['broken.docx', 'PK nothing'],
    ['other.xlsx', office({})],
    ['scan.pdf', makePdf([[]])],
    ['blank.txt', ' \n \n'],
    ['bomb.docx', office({ claim: { size: 2_000_000_000 } })],
    ['liar.docx', office({ content: 'x'.repeat(100_000), claim: { size: 10 } })],
  ]
  t.equal((await upload(id, files)).status, 202)
  const documents = await settled(id)
  const codes = Object.fromEntries(Object.entries(documents).map(([path, { error }]) => [path, error?.code]))
  t.strictSame(codes, {
    'locked.pdf': 'DOCUMENT_ENCRYPTED',
    'locked.docx': 'DOCUMENT_ENCRYPTED',
    'flagged.docx': 'DOCUMENT_ENCRYPTED',
    'broken.pdf': 'DOCUMENT_DAMAGED',
    'broken.docx': 'DOCUMENT_DAMAGED',
    'other.xlsx': 'DOCUMENT_DAMAGED',
    'scan.pdf': 'DOCUMENT_EMPTY',
    'blank.txt': 'DOCUMENT_EMPTY',
    'bomb.docx': 'DOCUMENT_TOO_LARGE',
    'liar.docx': 'DOCUMENT_DAMAGED',
  })
  t.match(documents['scan.pdf'].error.message, /contains no text/)
  t.match((await request('GET', `/${id}`)).body, { status: 'failed', documents: files.length, chunks: 0 })
  t.match((await request('GET', `/${id}/documents?status=failed&limit=1`)).body, { length: 1 })
  t.match(await request('GET', `/${id}/documents/${documents['blank.txt'].id}/text`), {
    status: 409,
    body: { error: { code: 'DOCUMENT_NOT_READ' } },
  })

  for (const [name, content] of [
    ['picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0])],
    ['old.doc', makeCompoundFile(['WordDocument'])],
    ['archive.zip', office({})],
  ] as const)
    t.match(await upload(id, [[name, content]]), {
      status: 415,
      body: { error: { code: 'DOCUMENT_UNSUPPORTED', details: { filename: name } } },
    })
})

t.test('A long text on a single line is cut as well', async (t) => {
  const sentences = Array.from(
    { length: amount({ short: 7000, long: 15_000 }) },
    (_, n) => `Buoy ${n} is green. 浮标${n}是绿色的。`,
  )
  const { 'line.txt': line } = await read(['line.txt', sentences.join(' ')])
  t.match(line.document, { status: 'ready', error: undefined })
  t.ok(line.document.chunks > 100)
  t.ok(line.text.endsWith(sentences.at(-1)!))
})

t.test('Reading is bounded in time', async (t) => {
  const hasty = await startServer(t, { config: { plugins: { documents: { read_seconds: 1 } } } })
  const calls = createKnowledgeCalls(hasty)
  const id = await calls.create('Hasty')
  await calls.upload(id, [['endless.pdf', makeEndlessPdf()]])
  t.match(await calls.settled(id), {
    'endless.pdf': { status: 'failed', error: { code: 'DOCUMENT_TIMEOUT' } },
  })
})

const MIB = 1024 * 1024
/** The most memory that a server may take more while bombs are read, in MiB. */
const ROOM_MIB = 300

t.test('A bomb, damage and a password have reasons of their own', async (t) => {
  const id = await create('Bombs')
  const office = (name: string, entry: object) => makeZip([{ name, content: '<a/>', ...entry }])
  const large = Buffer.alloc(amount({ short: 1, long: 129 }) * MIB, ' ')
  // Refused by the size in its header, before its content is looked at.
  const bomb = { content: large, claim: { size: 129 * MIB } }
  await upload(id, [
    ['bomb.docx', office('word/document.xml', bomb)],
    ['bomb.xlsx', office('xl/worksheets/sheet1.xml', bomb)],
    ['liar.xlsx', office('xl/worksheets/sheet1.xml', { content: large, claim: { size: 1000 } })],
    ['locked.xlsx', office('xl/workbook.xml', { flags: 1 })],
  ])
  const documents = await settled(id)
  for (const [path, code, message] of [
    ['bomb.docx', 'DOCUMENT_TOO_LARGE', /too large when unpacked/],
    ['bomb.xlsx', 'DOCUMENT_TOO_LARGE', /too large when unpacked/],
    ['liar.xlsx', 'DOCUMENT_DAMAGED', /is damaged/],
    ['locked.xlsx', 'DOCUMENT_ENCRYPTED', /password-protected/],
  ] as const)
    t.match(documents[path], { status: 'failed', error: { code, message } }, path)
})

t.test('The memory of a server that reads bombs is bounded', async (t) => {
  // Made first: a connection that waits meanwhile is closed by the server.
  const bombs: TestFile[] = [
    ['twice.pdf', makePdfBomb(1440 * MIB, { isTwice: true })],
    ['once.pdf', makePdfBomb(448 * MIB)],
    ...(isLong ? makeOfficeBombs() : []),
  ]
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  const first = await startServer(t, { home })
  await first.stop()
  const { url, pid } = await spawnService(t, home, {}, { runsLong: true })
  const calls = createKnowledgeCalls({ admin: first.admin, ...callsTo(url, first.admin.token) })
  const readPeak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
  const id = await calls.create('Bombs')
  await calls.upload(id, [['letter.docx', makeDocx([{ text: 'Dear reader.' }])]])
  await calls.settled(id)
  const initialPeak = readPeak()
  for (const [path, bomb] of bombs) {
    const begin = Date.now()
    await calls.upload(id, [[path, bomb]])
    const { status, error } = (await calls.settled(id))[path]
    t.match(
      { status, error },
      {
        status: 'failed',
        error: { code: path === 'liar.docx' ? 'DOCUMENT_DAMAGED' : 'DOCUMENT_TOO_LARGE' },
      },
      path,
    )
    const added = readPeak() - initialPeak
    t.ok(added < ROOM_MIB, `${path} took ${added.toFixed()} MiB`)
    t.comment(`${path}: ${added.toFixed()} MiB, ${Date.now() - begin} ms, ${status} ${error?.code}`)
  }
  await calls.upload(id, [['after.txt', 'The server lives.']])
  t.match((await calls.settled(id))['after.txt'], { status: 'ready' })
})

function makeOfficeBombs(): TestFile[] {
  const content = Buffer.alloc(120 * MIB, 'x')
  const paragraphs = '<w:p><w:r><w:t>x</w:t></w:r></w:p>'.repeat(900_000)
  const cells = Buffer.alloc(120 * MIB, '<row><c t="str"><v>x</v></c></row>')
  const space = Buffer.alloc(110 * MIB)
  return [
    [
      'cell.docx',
      makeZip([
        {
          name: 'word/document.xml',
          content: `<w:document><w:body><w:tbl><w:tr><w:tc>${paragraphs}</w:tc></w:tr></w:tbl></w:body></w:document>`,
        },
      ]),
    ],
    [
      'pictures.docx',
      makeZip([
        ...[1, 2, 3].map((n) => ({ name: `word/media/${n}.png`, content: space })),
        { name: 'word/document.xml', content: '<a/>' },
      ]),
    ],
    ['liar.docx', makeZip([{ name: 'word/document.xml', content, claim: { size: 1000 } }])],
    [
      'cells.xlsx',
      makeZip([
        { name: 'xl/workbook.xml', content: '<workbook><sheets><sheet r:id="a"/></sheets></workbook>' },
        {
          name: 'xl/_rels/workbook.xml.rels',
          content: '<Relationships><Relationship Id="a" Target="sheet1.xml"/></Relationships>',
        },
        { name: 'xl/sheet1.xml', content: cells },
      ]),
    ],
  ]
}
