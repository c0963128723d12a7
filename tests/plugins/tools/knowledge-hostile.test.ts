import t from '../../run/file-test.ts'
import { joinPdf, makeDocx, makePdf, makePdfBomb } from '../../support/office-files.ts'
import { startServer } from '../../support/server.ts'
import { makeZip } from '../../support/zip.ts'
import { createKnowledgeCalls, type TestFile } from './knowledge-calls.ts'

const server = await startServer(t)
const { create, request, settled, upload } = createKnowledgeCalls(server)

const MIB = 1024 * 1024
/** Uploaded files that are read before the next ones: a slow machine needs half a minute for some of them. */
const BATCH = 5

/** Uploads files to a new base; returns the code of each failed one, and the status of each other one. */
async function judge(files: TestFile[]): Promise<{ id: string; verdicts: Record<string, string> }> {
  const id = await create('Hostile')
  for (let start = 0; start < files.length; start += BATCH) {
    await upload(id, files.slice(start, start + BATCH))
    await settled(id)
  }
  const documents = Object.entries(await settled(id))
  return {
    id,
    verdicts: Object.fromEntries(documents.map(([path, { status, error }]) => [path, error?.code ?? status])),
  }
}

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const word = (body: string) => [
  { name: '[Content_Types].xml', content: '<Types/>' },
  { name: 'word/document.xml', content: `<w:document xmlns:w="${W}"><w:body>${body}</w:body></w:document>` },
]
const slides = (count: number, slide: string) => [
  {
    name: 'ppt/presentation.xml',
    content: `<p:presentation><p:sldIdLst>${'<p:sldId r:id="a"/>'.repeat(count)}</p:sldIdLst></p:presentation>`,
  },
  {
    name: 'ppt/_rels/presentation.xml.rels',
    content: '<Relationships><Relationship Id="a" Target="s.xml"/></Relationships>',
  },
  { name: 'ppt/s.xml', content: slide },
]
const sheet = (content: string, styles = '') => [
  { name: 'xl/workbook.xml', content: '<workbook><sheets><sheet name="s" r:id="a"/></sheets></workbook>' },
  {
    name: 'xl/_rels/workbook.xml.rels',
    content: '<Relationships><Relationship Id="a" Target="s.xml"/></Relationships>',
  },
  { name: 'xl/s.xml', content },
  { name: 'xl/styles.xml', content: `<styleSheet>${styles}</styleSheet>` },
]
const attributes = Array.from({ length: 300_000 }, (_, n) => `a${n}="b"`).join(' ')
const table = '<table><tr><td>'
const wordTable = ['<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>'] as const

t.test('Nesting and attributes without end are refused, or read without them', async (t) => {
  const { verdicts } = await judge([
    ['divisions.html', '<div>'.repeat(500_000)],
    ['tables.html', table.repeat(100_000)],
    ['lists.html', '<ul><li>'.repeat(200_000)],
    ['headings.html', '<h1>a'.repeat(300_000)],
    ['closes.html', '<b>'.repeat(50_000) + '</i>'.repeat(300_000)],
    ['quotes.md', `${'>'.repeat(200_000)} a`],
    ['list.md', Array.from({ length: 2000 }, (_, n) => `${' '.repeat(n * 2)}- a`).join('\n')],
    ['html.md', '<div>'.repeat(100_000)],
    ['stars.md', 'a**b'.repeat(500_000)],
    ['lists.json', '['.repeat(4000) + ']'.repeat(4000)],
    ['objects.json', '{"a":'.repeat(5000) + 1 + '}'.repeat(5000)],
    ['quotes.csv', 'a"'.repeat(1_500_000)],
    ['attributes.docx', makeZip(word(`<w:p ${attributes}><w:r><w:t>x</w:t></w:r></w:p>`))],
    ['deep.docx', makeZip(word(wordTable[0].repeat(100_000) + wordTable[1].repeat(100_000)))],
    ['deep.pptx', makeZip(slides(1, '<p:sp>'.repeat(1_000_000)))],
    [
      'many.pptx',
      makeZip(slides(50_000, `<p:sld>${'<a:p/>'.repeat(100_000)}<a:p><a:t>x</a:t></a:p></p:sld>`)),
    ],
    ['deep.xlsx', makeZip(sheet('<row>'.repeat(1_000_000)))],
    ['far.xlsx', makeZip(sheet('<row><c r="XFD1"><v>x</v></c></row>'.repeat(20_001)))],
    [
      'format.xlsx',
      makeZip(
        sheet('<row><c><v>x</v></c></row>', `<numFmt numFmtId="200" formatCode="${'['.repeat(MIB)}"/>`),
      ),
    ],
  ])
  t.strictSame(verdicts, {
    'divisions.html': 'DOCUMENT_TOO_LARGE',
    'tables.html': 'DOCUMENT_TOO_LARGE',
    'lists.html': 'DOCUMENT_TOO_LARGE',
    'headings.html': 'DOCUMENT_TOO_LARGE',
    'closes.html': 'DOCUMENT_TOO_LARGE',
    'quotes.md': 'ready',
    'list.md': 'ready',
    'html.md': 'DOCUMENT_TOO_LARGE',
    'stars.md': 'ready',
    'lists.json': 'DOCUMENT_TOO_LARGE',
    'objects.json': 'DOCUMENT_TOO_LARGE',
    'quotes.csv': 'ready',
    'attributes.docx': 'DOCUMENT_TOO_LARGE',
    'deep.docx': 'DOCUMENT_TOO_LARGE',
    'deep.pptx': 'DOCUMENT_TOO_LARGE',
    'many.pptx': 'ready',
    'deep.xlsx': 'DOCUMENT_TOO_LARGE',
    'far.xlsx': 'DOCUMENT_TOO_LARGE',
    'format.xlsx': 'ready',
  })
})

t.test('What people nest is read', async (t) => {
  const tables = `${'<table><tr><td>a'.repeat(10)}${'</td></tr></table>'.repeat(10)}`
  const { id, verdicts } = await judge([
    ['quotes.md', `${'> '.repeat(30)}deep`],
    ['tables.html', tables],
    [
      'tables.docx',
      makeZip(
        word(`${wordTable[0].repeat(20)}<w:p><w:r><w:t>inner</w:t></w:r></w:p>${wordTable[1].repeat(20)}`),
      ),
    ],
    ['bold.html', '<b>word '.repeat(4000)],
    ['plain.docx', makeDocx([{ text: 'Plain.' }])],
  ])
  t.strictSame(Object.values(verdicts), Array(5).fill('ready'))
  const [quotes] = (await request('GET', `/${id}/documents?limit=200`)).body.filter(
    ({ path }: { path: string }) => path === 'quotes.md',
  )
  t.equal((await request('GET', `/${id}/documents/${quotes.id}/text`)).body.text, 'deep')
})

t.test('Hostile PDF files end with a reason', async (t) => {
  const page = (more: string) => [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << ${more} >> >>`,
  ]
  const stream = (content: string, fields = '') =>
    `<< /Length ${content.length} ${fields} >>\nstream\n${content}\nendstream`
  const text = 'BT /F 11 Tf 60 700 Td (Here it is.) Tj ET'
  const font = '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>'
  const image =
    '/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 8 /ColorSpace /DeviceRGB'
  const honest = makePdf([[['Here it is.']]]).toString('latin1')
  const { verdicts } = await judge([
    [
      'image.pdf',
      joinPdf([...page(`${font} /XObject << /I 5 0 R >>`), stream(`/I Do ${text}`), stream('', image)]),
    ],
    [
      'objects.pdf',
      joinPdf([...page(font), stream(text), ...Array.from({ length: 300_000 }, () => '<< /A [0 0 0] >>')]),
    ],
    [
      'table.pdf',
      Buffer.from(
        honest.replace(/xref\n0 \d+/, 'xref\n0 2000000000').replace(/\/Size \d+/, '/Size 2000000000'),
        'latin1',
      ),
    ],
    ['deep.pdf', joinPdf([...page(font), stream(`${'['.repeat(1_000_000)} ${text}`)])],
    ['bomb.pdf', makePdfBomb(1440 * MIB, { isTwice: true })],
  ])
  t.match(verdicts, { 'image.pdf': 'ready', 'objects.pdf': 'ready', 'bomb.pdf': 'DOCUMENT_TOO_LARGE' })
  const reasons = /^(ready|DOCUMENT_(DAMAGED|EMPTY|TIMEOUT|TOO_LARGE))$/
  for (const [path, verdict] of Object.entries(verdicts)) t.match(verdict, reasons, path)
})
