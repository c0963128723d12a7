import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises'
import { type TreeEntry, walkTree } from '#plugin-api'
import type { ArchiveWriter } from './archive-writer.ts'
import { isLeftOut, type Unreadable } from './format.ts'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
const CHUNK_BYTES = 1024 * 1024
/** An archive repeats the whole path with each entry, so that a long chain of folders takes much room. */
const MAX_PATH_BYTES = 32 * 1024
const MAX_LISTED = 1000
const MAX_SHOWN_CHARS = 300

/** The files that were added to an archive, and those that were not. */
export interface FileReport {
  files: number
  /** Files that became shorter while they were read, which the archive fills with zeros. */
  changed: string[]
  unreadable: Unreadable[]
  unreadable_count: number
}

/**
 * Adds the files of a home to an archive, below `home/`, in one or several passes. What cannot be read is listed in
 * `report`, and does not end the pass.
 */
export function createHomeFiles(home: string, archive: ArchiveWriter) {
  const report: FileReport = { files: 0, changed: [], unreadable: [], unreadable_count: 0 }
  /** A second pass meets the same files again. */
  const reportedPaths = new Set<string>()

  const onUnreadable = (path: string, error: NodeJS.ErrnoException) => {
    const shown = shorten(path)
    if (reportedPaths.has(shown)) return
    report.unreadable_count += 1
    if (report.unreadable.length >= MAX_LISTED) return
    reportedPaths.add(shown)
    report.unreadable.push({ path: shown, reason: toReason(error) })
  }

  const onChanged = (path: string) => {
    const shown = shorten(path)
    if (report.changed.length < MAX_LISTED && !report.changed.includes(shown)) report.changed.push(shown)
  }

  const addEntry = async ({ path, kind, mode, mtime, location }: TreeEntry): Promise<void> => {
    const header = { name: `home/${path}`, mode, mtime }
    if (kind === 'folder') await archive.add({ ...header, type: 'directory' })
    else if (kind === 'link') {
      const target = await unlessUnreadable(path, readlink(location, { encoding: 'buffer' }))
      if (target && !isUtf8(target)) onUnreadable(path, createError('EILSEQ', 'its target is not UTF-8'))
      else if (target) await archive.add({ ...header, type: 'symlink', linkname: `${target}` })
    } else if (kind === 'file') {
      const file = await unlessUnreadable(path, open(location, O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
      if (file) await addFile(file, { ...header, path })
    }
  }

  const addFile = async (
    file: FileHandle,
    { path, ...header }: { path: string; name: string; mode: number; mtime: Date },
  ): Promise<void> => {
    try {
      const stats = await file.stat()
      // Another kind of file may have taken its name.
      if (!stats.isFile()) return
      const content = readExactly(file, stats.size, {
        onShort: () => onChanged(path),
        onFailure: (error) => onUnreadable(path, error),
      })
      await archive.add({ ...header, size: stats.size }, content)
      report.files += 1
    } finally {
      await file.close()
    }
  }

  const unlessUnreadable = async <Result>(
    path: string,
    work: Promise<Result>,
  ): Promise<Result | undefined> => {
    try {
      return await work
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT' && code !== 'ENOTDIR') onUnreadable(path, error as NodeJS.ErrnoException)
      return undefined
    }
  }

  return {
    report,
    /** Adds all files; with `since` (Unix milliseconds), only those that are new or were changed from then on. */
    async addAll({ since = 0 }: { since?: number } = {}): Promise<void> {
      const options = { isSkipped: isLeftOut, max_path_bytes: MAX_PATH_BYTES, onUnreadable }
      for await (const entry of walkTree(await realpath(home), options))
        if (entry.changed_at >= since) await addEntry(entry)
    },
  }
}

/** Reads as many bytes as a file had at first, with zeros for bytes that are gone or cannot be read. */
async function* readExactly(
  file: FileHandle,
  size: number,
  { onShort, onFailure }: { onShort: () => void; onFailure: (error: NodeJS.ErrnoException) => void },
): AsyncGenerator<Buffer> {
  for (let position = 0; position < size; ) {
    const length = Math.min(CHUNK_BYTES, size - position)
    const chunk = Buffer.alloc(length)
    const bytesRead = await file.read(chunk, 0, length, position).then(
      (result) => {
        if (result.bytesRead === 0) onShort()
        return result.bytesRead
      },
      (error: NodeJS.ErrnoException) => {
        onFailure(error)
        return 0
      },
    )
    const read = bytesRead === 0 ? chunk : chunk.subarray(0, bytesRead)
    position += read.length
    yield read
  }
}

const shorten = (path: string) =>
  path.length > MAX_SHOWN_CHARS ? `${path.slice(0, MAX_SHOWN_CHARS)}…` : path

const createError = (code: string, message: string) => Object.assign(new Error(message), { code })

const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EIO: 'the disk cannot read it',
  ELOOP: 'it was replaced by a link',
}

/** Describes an error without the path, which may be that of a descriptor. */
const toReason = ({ code = '', message, syscall }: NodeJS.ErrnoException): string =>
  REASONS[code] ?? (syscall === undefined ? message : code)
