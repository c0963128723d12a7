/** The signatures of the end of an archive's directory, of an entry, and of their counterparts for large archives. */
const END = Buffer.from('PK\u0005\u0006')
const ENTRY = Buffer.from('PK\u0001\u0002')
const LARGE_LOCATOR = Buffer.from('PK\u0006\u0007')
const LARGE_END = Buffer.from('PK\u0006\u0006')
/** The lengths of these records without comments. */
const END_BYTES = 22
const LARGE_LOCATOR_BYTES = 20
const LARGE_END_BYTES = 56
/** The most places that are looked at: content may look like an end. */
const MAX_ENDS = 100

/**
 * Returns a ZIP archive without the bytes before and behind it, and without its comment, whose length may be wrong;
 * bytes that are not an archive are returned as they are.
 */
export function trimArchive(bytes: Buffer): Buffer {
  let end = bytes.lastIndexOf(END)
  for (let count = 0; count < MAX_ENDS && end >= 0; count += 1) {
    const start = end + END_BYTES <= bytes.length ? findStart(bytes, end) : undefined
    if (start !== undefined) return cut(bytes, start, end + END_BYTES)
    end = end === 0 ? -1 : bytes.lastIndexOf(END, end - 1)
  }
  return bytes
}

function cut(bytes: Buffer, start: number, end: number): Buffer {
  const archive = bytes.subarray(start, end)
  const commentBytes = archive.readUInt16LE(archive.length - 2)
  if (commentBytes === 0) return archive
  const copy = Buffer.from(archive)
  copy.writeUInt16LE(0, copy.length - 2)
  return copy
}

/** Returns the position that offsets of an archive count from; undefined if its end is not one. */
function findStart(bytes: Buffer, end: number): number | undefined {
  const locator = end - LARGE_LOCATOR_BYTES
  if (hasSignature(bytes, locator, LARGE_LOCATOR)) {
    const largeEnd = locator - LARGE_END_BYTES
    const start = largeEnd - Number(bytes.readBigUInt64LE(locator + 8))
    return hasSignature(bytes, largeEnd, LARGE_END) && start >= 0 ? start : undefined
  }
  const directory = end - bytes.readUInt32LE(end + 12)
  const start = directory - bytes.readUInt32LE(end + 16)
  return start >= 0 && hasSignature(bytes, directory, ENTRY) ? start : undefined
}

const hasSignature = (bytes: Buffer, position: number, signature: Buffer): boolean =>
  position >= 0 && bytes.subarray(position, position + signature.length).equals(signature)
