/** The signatures of a file's header, of its entry in the directory, and of the directory's end. */
const FILE = Buffer.from('PK\u0003\u0004')
const ENTRY = Buffer.from('PK\u0001\u0002')
const DIRECTORY_END = Buffer.from('PK\u0005\u0006')
/** The lengths of the headers without the name. */
const FILE_BYTES = 30
const ENTRY_BYTES = 46
const DIRECTORY_END_BYTES = 22
/** The flag of a file whose size comes after its content. */
const HAS_LATE_SIZE = 8
/** The most files that are looked at; the first ones tell the format. */
const MAX_NAMES = 5000

/** The formats of OpenDocument and of books by the media type that their first file contains. */
const FORMAT_OF_MEDIA_TYPE: Readonly<Record<string, string>> = {
  'application/epub+zip': 'epub',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.presentation': 'odp',
  'application/vnd.oasis.opendocument.graphics': 'odg',
  'application/vnd.oasis.opendocument.formula': 'odf',
  'application/vnd.oasis.opendocument.chart': 'odc',
  'application/vnd.oasis.opendocument.base': 'odb',
  'application/vnd.sun.xml.writer': 'sxw',
  'application/vnd.sun.xml.calc': 'sxc',
  'application/vnd.sun.xml.impress': 'sxi',
  'application/hwp+zip': 'hwpx',
}
const MEDIA_TYPE_FILE = 'mimetype'
const MAX_MEDIA_TYPE = 80
/** Variants that are read as the document that they vary. */
const VARIANT = /-(template|master|master-template|web)$/

/** The formats of Office by the beginning of a file's name; such an archive also has a list of content types. */
const OFFICE_FORMATS: readonly [name: string, format: string][] = [
  ['word/', 'docx'],
  ['xl/', 'xlsx'],
  ['ppt/', 'pptx'],
  ['visio/', 'vsdx'],
  ['FixedDocSeq.fdseq', 'xps'],
]
const CONTENT_TYPES = '[Content_Types].xml'
const BINARY_WORKBOOK = 'xl/workbook.bin'
const BOOK_CONTAINER = 'META-INF/container.xml'

/** True if a file is a ZIP archive. */
export const isZip = (bytes: Buffer): boolean => bytes.subarray(0, FILE.length).equals(FILE)

/** Returns the format that an OpenDocument media type means; undefined for other types. */
export const findOpenDocument = (media_type: string): string | undefined =>
  FORMAT_OF_MEDIA_TYPE[media_type.trim().replace(VARIANT, '')]

/** Returns the format of a ZIP archive by its beginning and end; `zip` if it is not known. */
export function findZipFormat(bytes: Buffer): string {
  const ofFirst = findFormatOfFirst(bytes)
  if (ofFirst) return ofFirst
  const names = new Set<string>()
  let office: string | undefined
  for (const name of [...listFiles(bytes), ...listEntries(bytes)]) {
    names.add(name)
    office ??= OFFICE_FORMATS.find(([start]) => name.startsWith(start))?.[1]
  }
  if (office && names.has(CONTENT_TYPES))
    return office === 'xlsx' && names.has(BINARY_WORKBOOK) ? 'xlsb' : office
  return names.has(BOOK_CONTAINER) ? 'epub' : 'zip'
}

/** Returns the format by the media type that the first file contains, which is not compressed. */
function findFormatOfFirst(bytes: Buffer): string | undefined {
  const nameEnd = FILE_BYTES + MEDIA_TYPE_FILE.length
  if (bytes.toString('latin1', FILE_BYTES, nameEnd) !== MEDIA_TYPE_FILE) return undefined
  const start = nameEnd + bytes.readUInt16LE(28)
  // The next header follows the content at once.
  const content = bytes.toString('latin1', start, start + MAX_MEDIA_TYPE)
  const media_type = Object.keys(FORMAT_OF_MEDIA_TYPE).find((each) => content.startsWith(each))
  return media_type && FORMAT_OF_MEDIA_TYPE[media_type]
}

/** Yields the names of the first files: as many as are in the bytes and have a size. */
function* listFiles(bytes: Buffer): Generator<string> {
  let at = 0
  for (let count = 0; count < MAX_NAMES && hasHeader(bytes, at, FILE, FILE_BYTES); count += 1) {
    const end = at + FILE_BYTES + bytes.readUInt16LE(at + 26)
    yield bytes.toString('latin1', at + FILE_BYTES, end)
    if (bytes.readUInt16LE(at + 6) & HAS_LATE_SIZE) return
    at = end + bytes.readUInt16LE(at + 28) + bytes.readUInt32LE(at + 18)
  }
}

/** Yields the names of the directory: of as much of it as is in the bytes. */
function* listEntries(bytes: Buffer): Generator<string> {
  const directoryEnd = bytes.lastIndexOf(DIRECTORY_END)
  if (directoryEnd < 0 || directoryEnd + DIRECTORY_END_BYTES > bytes.length) return
  const start = Math.max(0, directoryEnd - bytes.readUInt32LE(directoryEnd + 12))
  let at = bytes.indexOf(ENTRY, start)
  for (let count = 0; count < MAX_NAMES && hasHeader(bytes, at, ENTRY, ENTRY_BYTES); count += 1) {
    const end = at + ENTRY_BYTES + bytes.readUInt16LE(at + 28)
    yield bytes.toString('latin1', at + ENTRY_BYTES, end)
    at = end + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
}

const hasHeader = (bytes: Buffer, at: number, signature: Buffer, length: number) =>
  at >= 0 && at + length <= bytes.length && bytes.subarray(at, at + signature.length).equals(signature)
