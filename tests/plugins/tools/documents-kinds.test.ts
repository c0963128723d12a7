import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findKind, suggestFormats } from '../../../plugins/tools/documents/reading/document-kind.ts'
import { readSample } from '../../../plugins/tools/documents/reading/file-sample.ts'
import { readDocument } from '../../../plugins/tools/documents/reading/reader.ts'
import t from '../../run/file-test.ts'
import { makeCompoundFile } from '../../support/compound-file.ts'
import { makeDocx, makePdf } from '../../support/office-files.ts'
import { makeOpenDocument } from '../../support/opendocument.ts'
import { startServer } from '../../support/server.ts'
import { makeZip } from '../../support/zip.ts'
import { createKnowledgeCalls } from './knowledge-calls.ts'

const docx = makeDocx([{ text: 'Dear reader.' }])
const doc = makeCompoundFile(['WordDocument', '1Table'])
const encrypted = makeCompoundFile(['EncryptionInfo', 'EncryptedPackage'])
const wide = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
const page = '<html><body><table><tr><td>Ada</td></tr></table></body></html>'
const pack = (...names: string[]) => makeZip(names.map((name) => ({ name, content: '<a/>' })))
const xlsx = pack('[Content_Types].xml', '_rels/.rels', 'xl/workbook.xml')
const pptx = pack('[Content_Types].xml', '_rels/.rels', 'ppt/presentation.xml')
const binary = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1])

const kindOf = (name: string, content: string | Buffer, media_type = '') =>
  findKind(name, media_type, Buffer.from(content as string))
const adviceOf = (name: string, content: string | Buffer, media_type = '') => {
  const bytes = Buffer.from(content as string)
  if (findKind(name, media_type, bytes)) return 'is read'
  const { kind, format, alternative } = suggestFormats(name, media_type, bytes)
  return `${kind}: ${format}, ${alternative}`
}

t.test('Macro-enabled documents and templates are read as their kind', (t) => {
  for (const name of ['a.docm', 'a.dotx', 'a.DOTM']) t.equal(kindOf(name, docx), 'docx', name)
  for (const name of ['a.xlsm', 'a.xltx', 'a.xltm']) t.equal(kindOf(name, xlsx), 'xlsx', name)
  for (const name of ['a.pptm', 'a.ppsx', 'a.potx']) t.equal(kindOf(name, pptx), 'pptx', name)
  t.equal(kindOf('a.tsv', 'a\tb'), 'csv')
  t.end()
})

t.test('Bytes decide if they are unmistakable', (t) => {
  for (const [name, content, kind] of [
    ['letter.doc', docx, 'docx'],
    ['letter.zip', docx, 'docx'],
    ['letter.txt', docx, 'docx'],
    ['letter', docx, 'docx'],
    ['letter.xlsx', docx, 'docx'],
    ['list.xls', xlsx, 'xlsx'],
    ['talk.pdf', pptx, 'pptx'],
    ['paper.docx', makePdf([[['Hello']]]), 'pdf'],
    ['paper.txt', makePdf([[['Hello']]]), 'pdf'],
    ['paper', Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), makePdf([[['Hello']]])]), 'pdf'],
    ['export.xls', page, 'html'],
    ['export.xls', wide(page), 'html'],
    ['export.xls', `\ufeff<?xml version="1.0"?>\n<!-- made by hand -->\n${page}`, 'html'],
    ['export.doc', `<!DOCTYPE html>\n${page}`, 'html'],
    ['report.pdf', page, 'html'],
    ['export.xls', 'Name\tAge\nAda\t36\n', 'csv'],
    ['export.xls', 'Name,Age\nAda,36\n', 'csv'],
    ['readme.doc', 'Read me first.', 'txt'],
    ['notes.xyz', 'Plain words.', 'txt'],
    ['id.pub', 'ssh-ed25519 AAAA', 'txt'],
    ['picture.png', 'The picture was lost.', 'txt'],
    // The text of a page, or of a note about PDF, is what its name says.
    ['page.md', page, 'md'],
    ['view.vue', page, 'code'],
    ['notes.txt', 'A file begins with %PDF-1.7.', 'txt'],
  ] as const)
    t.equal(kindOf(name, content), kind, `${name} as ${kind}`)
  t.equal(kindOf('index.php', page, 'text/html; charset=utf-8'), 'html')
  t.equal(kindOf('index.php', '<?php echo 1;'), 'code')
  t.equal(kindOf('download', docx, 'application/octet-stream'), 'docx')
  t.equal(kindOf('download', '# Title', 'text/markdown'), 'md')
  t.end()
})

t.test('An archive of another kind is not a document', (t) => {
  const inner = makeZip([{ name: 'letter.docx', content: docx, method: 0 }])
  const book = pack('[Content_Types].xml', '_rels/.rels', 'xl/workbook.bin', 'xl/_rels/workbook.bin.rels')
  for (const [name, content] of [
    ['files.zip', pack('readme.txt', 'word/list.txt')],
    ['files.zip', inner],
    ['notes.txt', pack('readme.txt')],
    ['program.jar', pack('META-INF/MANIFEST.MF', 'Main.class')],
  ] as const)
    t.equal(kindOf(name, content), undefined, name)
  // A workbook within a letter does not make it one.
  const letter = makeZip([
    { name: '[Content_Types].xml' },
    { name: 'word/document.xml' },
    { name: 'word/embeddings/a.xlsb', content: book, method: 0 },
  ])
  t.equal(kindOf('letter', letter), 'docx')
  t.end()
})

t.test('Documents that are not read are refused with the formats to save them in', (t) => {
  const ppt = makeCompoundFile(['Current User', 'PowerPoint Document'])
  const xls = makeCompoundFile(['Workbook'])
  const mixed = makeCompoundFile(['WordDocument', 'Workbook'], { classId: 0x20820 })
  const workbook = pack('[Content_Types].xml', '_rels/.rels', 'xl/workbook.bin')
  const visio = pack('[Content_Types].xml', 'visio/document.xml')
  const rows =
    '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"></Workbook>'
  for (const [name, content, advice] of [
    ['old.doc', doc, 'DOC: DOCX, PDF'],
    ['old.docx', doc, 'DOC: DOCX, PDF'],
    ['old.xlsx', xls, 'XLS: XLSX, CSV'],
    ['old', mixed, 'XLS: XLSX, CSV'],
    ['old.pps', ppt, 'PPT: PPTX, PDF'],
    ['old.txt', ppt, 'PPT: PPTX, PDF'],
    ['mail.msg', makeCompoundFile(['__nameid_version1.0', '__properties_version1.0']), 'MSG: HTML, PDF'],
    ['book.xlsx', workbook, 'XLSB: XLSX, CSV'],
    ['plan.zip', visio, 'VSDX: PDF, PPTX'],
    ['paper.pages', pack('Index/Document.iwa'), 'PAGES: DOCX, PDF'],
    ['sums.numbers', pack('Index/Document.iwa'), 'NUMBERS: XLSX, CSV'],
    ['talk.key', pack('Index/Document.iwa'), 'KEY: PPTX, PDF'],
    ['book.mobi', binary, 'MOBI: EPUB, PDF'],
    ['scan.djvu', binary, 'DJVU: PDF, DOCX'],
    ['print.ps', '%!PS-Adobe-3.0\n', 'PS: PDF, DOCX'],
    ['export.xls', rows, 'EXCEL XML: XLSX, CSV'],
    ['export.xml', rows, 'EXCEL XML: XLSX, CSV'],
    ['letter.xml', '<w:wordDocument></w:wordDocument>', 'WORD XML: DOCX, PDF'],
    ['drawing.svg', '<svg><path d="M0"/></svg>', 'SVG: PDF, DOCX'],
    ['picture.png', binary, 'PNG: PDF, DOCX'],
    ['song', binary, 'BIN: PDF, DOCX'],
  ] as const)
    t.equal(adviceOf(name, content), advice, name)
  t.equal(adviceOf('download', binary, 'application/vnd.ms-powerpoint'), 'PPT: PPTX, PDF')
  t.end()
})

t.test('A compound file is a protected document only if it contains one', async (t) => {
  const problemOf = (name: string, bytes: Buffer) =>
    readDocument(bytes, findKind(name, '', bytes)!).then(
      () => 'is read',
      (error) => error.problem,
    )
  for (const name of ['locked.docx', 'locked.xls', 'locked.ppt', 'locked'])
    t.equal(await problemOf(name, encrypted), 'DOCUMENT_ENCRYPTED', name)
  t.equal(kindOf('locked.xls', encrypted), 'xlsx')
  t.equal(kindOf('locked.pptx', encrypted), 'pptx')
  t.equal(await problemOf('strange.docx', makeCompoundFile(['Strange'])), 'DOCUMENT_DAMAGED')
})

t.test('A sample of a large file tells its kind', async (t) => {
  const folder = t.testdir()
  const sample = (name: string, bytes: Buffer) => {
    writeFileSync(join(folder, name), bytes)
    return readSample(join(folder, name))
  }
  const old = makeCompoundFile(['WordDocument'], { lead: 1000 })
  t.equal(suggestFormats('old', '', await sample('old', old)).kind, 'DOC')
  const letter = makeZip([
    { name: '[Content_Types].xml' },
    { name: 'docProps/thumbnail.jpeg', content: Buffer.alloc(300_000, 1), method: 0 },
    { name: 'word/document.xml', content: '<a/>' },
  ])
  t.equal(findKind('letter', '', await sample('letter', letter)), 'docx')
  t.equal(findKind('a', '', await sample('a', Buffer.from('Short.'))), 'txt')
  t.equal(findKind('b', '', await sample('b', Buffer.alloc(100_000, 'Long. '))), 'txt')
})

t.test('Knowledge bases read what a document is, and name the formats to save others in', async (t) => {
  const server = await startServer(t)
  const { create, settled, upload } = createKnowledgeCalls(server)
  const id = await create('Formats')
  t.match(await upload(id, [['report.xlsx', makeCompoundFile(['Workbook'])]]), {
    status: 415,
    body: {
      error: {
        code: 'DOCUMENT_UNSUPPORTED',
        message: 'report.xlsx (XLS) cannot be read. Save it as XLSX or CSV.',
        details: { filename: 'report.xlsx', kind: 'XLS', format: 'XLSX', alternative: 'CSV' },
      },
    },
  })
  const text = makeOpenDocument('odt', '<text:p>Dear reader.</text:p>')
  await upload(id, [
    ['letter.zip', docx],
    ['letter.doc', text],
    ['export.xls', wide(page)],
  ])
  const rows = Object.values(await settled(id))
  t.strictSame(
    rows.map(({ status }) => status),
    ['ready', 'ready', 'ready'],
  )
})
