/** The first bytes of a compound file: the container of older Office programs, and of encrypted documents. */
const MAGIC = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])

/** The names of streams and storages that tell the program of a compound file; the first one decides. */
const FORMAT_OF_STREAM: Readonly<Record<string, string>> = {
  EncryptedPackage: 'encrypted',
  '\tDRMContent': 'encrypted',
  '__properties_version1.0': 'msg',
  'PowerPoint Document': 'ppt',
  '\u0005HwpSummaryInformation': 'hwp',
  VisioDocument: 'vsd',
  Quill: 'pub',
  WordDocument: 'doc',
  Workbook: 'xls',
  Book: 'xls',
  MatOST: 'wps',
}
/** The first numbers of the class identifiers of a root; an Office document may contain one of the other program. */
const FORMAT_OF_CLASS: Readonly<Record<number, string>> = {
  133376: 'doc',
  133382: 'doc',
  133136: 'xls',
  133152: 'xls',
}

const ENTRY_BYTES = 128
const ROOT = 'Root Entry'

/** True if a file is a compound file. */
export const isCompoundFile = (bytes: Buffer): boolean => bytes.subarray(0, MAGIC.length).equals(MAGIC)

/** Returns the position of the directory of a compound file by its header. */
export function findDirectory(header: Buffer): number {
  if (header.length < 52) return 0
  const sectorBytes = header.readUInt16LE(30) === 12 ? 4096 : 512
  return (header.readUInt32LE(48) + 1) * sectorBytes
}

/** True if a compound file is the container of an encrypted document. */
export const isEncryptedFile = (bytes: Buffer): boolean => findCompoundFormat(bytes) === 'encrypted'

/**
 * Returns the extension of the program that wrote a compound file, `encrypted` for the container of an encrypted
 * document of a newer program, and `ole` for anything else.
 */
export function findCompoundFormat(bytes: Buffer): string {
  const names = new Set<string>()
  let rootClass = 0
  // Entries of a directory are aligned to their size, wherever its sectors are.
  for (let start = 0; start + ENTRY_BYTES <= bytes.length; start += ENTRY_BYTES) {
    const name = readEntryName(bytes.subarray(start, start + ENTRY_BYTES))
    if (name === ROOT) rootClass ||= bytes.readUInt32LE(start + 80)
    else if (name !== undefined && Object.hasOwn(FORMAT_OF_STREAM, name)) names.add(name)
  }
  const formats = Object.keys(FORMAT_OF_STREAM).flatMap((name) =>
    names.has(name) ? [FORMAT_OF_STREAM[name]!] : [],
  )
  const ofClass = FORMAT_OF_CLASS[rootClass]
  if (ofClass && (formats.length === 0 || formats.includes(ofClass))) return ofClass
  return formats[0] ?? 'ole'
}

/** Returns the name of a directory entry; undefined if the bytes are not one. */
function readEntryName(entry: Buffer): string | undefined {
  const length = entry.readUInt16LE(64)
  const type = entry[66]!
  const isEntry = length >= 4 && length <= 64 && length % 2 === 0 && [1, 2, 5].includes(type)
  return isEntry ? entry.toString('utf16le', 0, length - 2) : undefined
}
