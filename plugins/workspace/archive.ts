import { constants } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { AppError } from '#kernel'
import { ignoring } from './files/file-failure.ts'
import { walkFolder } from './files/folder-walk.ts'
import { openFileIn, openFolder, type Place } from './files/workspace-path.ts'
import { type PackedFile, writeZip } from './zip-writer.ts'

const MAX_FILES = 10_000
const MAX_BYTES = 2 * 1024 ** 3

/** The errors of a file that has changed since it was found. */
const CHANGED = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENXIO', 'EACCES', 'EPERM']

/**
 * Packs the files of a folder into a zip archive, which is made as it is read; links are left out. Throws
 * ARCHIVE_TOO_LARGE before anything is read.
 */
export async function packFolder(place: Place): Promise<AsyncGenerator<Uint8Array>> {
  const top = await openFolder(place)
  try {
    const room = createRoom()
    for await (const { folder, name, kind } of walkFolder(top, { recursive: true }))
      if (kind === 'file') room.take((await ignoring(['ENOENT'], lstat(folder.entry(name))))?.size ?? 0)
  } finally {
    await top.close()
  }
  return writeZip(filesIn(place))
}

async function* filesIn(place: Place): AsyncGenerator<PackedFile> {
  const top = await openFolder(place)
  try {
    const room = createRoom()
    for await (const { folder, name, kind, way } of walkFolder(top, { recursive: true })) {
      if (kind === 'directory') continue
      const opened = await ignoring(CHANGED, openFileIn(folder, name, constants.O_RDONLY))
      if (!opened) continue
      const { file, stats } = opened
      try {
        const size = Number(stats.size)
        room.take(size)
        // A backslash would be taken for a slash by some who unpack it.
        const path = way.join('/').replaceAll('\\', '_')
        const bytes = file.createReadStream({ start: 0, end: Math.max(0, size - 1), autoClose: false })
        yield { path, modified: stats.mtime, bytes }
      } finally {
        await file.close()
      }
    }
  } finally {
    await top.close()
  }
}

/** Counts what goes into an archive. */
function createRoom() {
  let files = 0
  let bytes = 0
  return {
    take(size: number): void {
      files += 1
      bytes += size
      if (files > MAX_FILES || bytes > MAX_BYTES)
        throw new AppError('ARCHIVE_TOO_LARGE', { max_files: MAX_FILES, max_bytes: MAX_BYTES })
    },
  }
}
