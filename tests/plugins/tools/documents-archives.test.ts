import { readDocument } from '../../../plugins/tools/documents/reading/reader.ts'
import { findProblem } from '../../../plugins/tools/documents/reading/reading-failure.ts'
import t, { type Test } from '../../run/file-test.ts'
import { makeWordEntries, paragraph } from '../../support/word-files.ts'
import { makeZip, type ZipEntry } from '../../support/zip.ts'

const entries = makeWordEntries({ body: paragraph('Whole.') })
const isRead = async (t: Test, bytes: Buffer, name: string) =>
  t.equal((await readDocument(bytes, 'docx')).text, 'Whole.', name)

const END_BYTES = 22

/** Turns an archive without a comment into one with the records of large archives. */
function enlarge(archive: Buffer): Buffer {
  const end = archive.subarray(-END_BYTES)
  const position = archive.length - END_BYTES
  const large = Buffer.alloc(56)
  large.writeUInt32LE(0x06064b50, 0)
  large.writeBigUInt64LE(44n, 4)
  large.writeBigUInt64LE(BigInt(end.readUInt16LE(8)), 24)
  large.writeBigUInt64LE(BigInt(end.readUInt16LE(10)), 32)
  large.writeBigUInt64LE(BigInt(end.readUInt32LE(12)), 40)
  large.writeBigUInt64LE(BigInt(end.readUInt32LE(16)), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(position), 8)
  locator.writeUInt32LE(1, 16)
  const marked = Buffer.from(end)
  marked.fill(0xff, 8, 20)
  return Buffer.concat([archive.subarray(0, position), large, locator, marked])
}

t.test('Archives with a wrong comment or bytes around them are read as other programs do', async (t) => {
  const plain = makeZip(entries)
  const commented = makeZip(entries, 'made by hand')
  const junk = Buffer.from('PK\u0005\u0006 is not an end')
  const files: Record<string, Buffer> = {
    'a comment': commented,
    'a comment that is cut': commented.subarray(0, -1),
    'a comment that is missing': commented.subarray(0, -12),
    'a comment that is longer': Buffer.concat([commented, Buffer.from('!')]),
    'a comment with a signature': makeZip(entries, junk.toString()),
    'bytes behind it': Buffer.concat([plain, Buffer.alloc(100_000), junk]),
    'bytes before it': Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), plain]),
    'bytes on both sides': Buffer.concat([junk, commented, junk]),
    'records of large archives': enlarge(plain),
    'such records behind other bytes': Buffer.concat([junk, enlarge(plain), junk]),
    'late sizes': makeZip(entries.map((entry) => ({ ...entry, descriptor: true }))),
    backslashes: makeZip(
      entries.map((entry) => ({ ...entry, name: String(entry.name).replaceAll('/', '\\') })),
    ),
    'names from the root': makeZip(entries.map((entry) => ({ ...entry, name: `/${entry.name}` }))),
    'a name outside': makeZip([...entries, { name: '../../x.xml', content: '<x/>' }]),
  }
  for (const [name, bytes] of Object.entries(files)) await isRead(t, bytes, name)
})

t.test('Archives that are cut or only look like one are damaged', async (t) => {
  const plain = makeZip(entries)
  const lying: ZipEntry = { name: 'word/document.xml', content: 'x'.repeat(1000), claim: { size: 10 } }
  const files: Record<string, Buffer> = {
    'half of one': plain.subarray(0, plain.length / 2),
    'no directory': plain.subarray(0, -END_BYTES),
    'an end alone': Buffer.concat([Buffer.from('PK\u0003\u0004'), plain.subarray(-END_BYTES)]),
    'many ends': Buffer.alloc(2_000_000, 'PK\u0005\u0006'),
    'a false size': makeZip([lying]),
    'no document': makeZip([{ name: 'readme.xml', content: '<a/>' }]),
    'half of a file': makeZip([{ name: 'word/document.xml', content: '<a><body><p><t>Half' }]),
    'no body': makeZip([{ name: 'word/document.xml', content: '<a/>' }]),
  }
  for (const [name, bytes] of Object.entries(files)) {
    const problem = await readDocument(bytes, 'docx').then(({ text }) => `read as ${text}`, findProblem)
    t.equal(problem, 'DOCUMENT_DAMAGED', name)
  }
})
