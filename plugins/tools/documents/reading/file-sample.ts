import { type FileHandle, open } from 'node:fs/promises'
import { findDirectory, isCompoundFile } from './compound-file.ts'
import { HEAD_BYTES } from './document-kind.ts'
import { isZip } from './zip-format.ts'

/** The bytes of a directory that are looked at: of a ZIP archive at its end, of a compound file anywhere. */
const DIRECTORY_BYTES = 64 * 1024

/** Returns the bytes of a file that tell its format: its beginning, and the directory of an archive. */
export async function readSample(source: string | FileHandle): Promise<Buffer> {
  const file = typeof source === 'string' ? await open(source) : source
  try {
    const head = await readBytes(file, 0, HEAD_BYTES)
    if (head.length < HEAD_BYTES) return head
    const { size } = await file.stat()
    if (isZip(head)) {
      const start = Math.max(HEAD_BYTES, size - DIRECTORY_BYTES)
      return Buffer.concat([head, await readBytes(file, start, DIRECTORY_BYTES)])
    }
    if (!isCompoundFile(head)) return head
    return Buffer.concat([head, await readBytes(file, findDirectory(head), DIRECTORY_BYTES)])
  } finally {
    if (file !== source) await file.close()
  }
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
