const SECTOR_BYTES = 512
const ENTRY_BYTES = 128
/** The types of a directory's entries. */
const STREAM = 2
const ROOT = 5

/**
 * Makes a compound file with empty streams; `classId` is the first number of its root's class, and `lead` the sectors
 * before its directory.
 */
export function makeCompoundFile(streams: readonly string[], { classId = 0, lead = 0 } = {}): Buffer {
  const header = Buffer.alloc(SECTOR_BYTES)
  Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]).copy(header)
  header.writeUInt16LE(9, 30)
  header.writeUInt32LE(lead, 48)
  const entries = ['Root Entry', ...streams].map((name, index) => {
    const entry = Buffer.alloc(ENTRY_BYTES)
    entry.write(name, 'utf16le')
    entry.writeUInt16LE((name.length + 1) * 2, 64)
    entry[66] = index === 0 ? ROOT : STREAM
    if (index === 0) entry.writeUInt32LE(classId, 80)
    return entry
  })
  return Buffer.concat([header, Buffer.alloc(lead * SECTOR_BYTES, 1), ...entries])
}
