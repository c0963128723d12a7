import { isUtf8 } from 'node:buffer'
import type { BigIntStats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { openCursor } from './folder-cursor.ts'

/** An entry of a tree; `path` is relative to its root, with slashes. `other` is a socket, a pipe or a device. */
export interface TreeEntry {
  path: string
  kind: 'file' | 'folder' | 'link' | 'other'
  mode: number
  bytes: number
  mtime: Date
  /** Unix milliseconds. */
  changed_at: number
  /** The path for functions that follow no link, valid until the walk moves on. */
  location: Buffer
}

/** The decisions of the caller of a walk. */
interface WalkOptions {
  /** Called for an entry that cannot be read; bytes of `path` that are not UTF-8 are shown as U+FFFD. */
  onUnreadable(path: string, error: NodeJS.ErrnoException): void
  isSkipped?(path: string): boolean
  /** Longer paths count as unreadable, and folders with such a path are not entered. */
  max_path_bytes?: number
  descriptors?: string
}

/**
 * Walks through a tree of any depth without following links: the files of each folder, then its folders, each followed
 * by its content. Leaves out what is gone meanwhile, and goes on after what cannot be read. Throws only if the root
 * cannot be opened.
 */
export async function* walkTree(
  root: string | Buffer,
  { onUnreadable, isSkipped, max_path_bytes = Number.POSITIVE_INFINITY, descriptors }: WalkOptions,
): AsyncGenerator<TreeEntry> {
  const cursor = await openCursor(root, { descriptors })
  /** The folders that are still to be entered, of each level of the way to the current folder. */
  const levels: { prefix: string; folders: Buffer[] }[] = []
  const report = (path: string, error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') onUnreadable(path, error)
  }

  const examine = async (prefix: string, name: Buffer): Promise<TreeEntry | undefined> => {
    const path = `${prefix}${name}`
    if (isSkipped?.(path)) return undefined
    try {
      if (!isUtf8(name)) throw createError('EILSEQ', 'its name is not UTF-8')
      if (Buffer.byteLength(path) > max_path_bytes)
        throw createError('ENAMETOOLONG', `its path has more than ${max_path_bytes} bytes`)
      const location = cursor.pathOf(name)
      return toEntry(path, await lstat(location, { bigint: true }), location)
    } catch (error) {
      report(path, error as NodeJS.ErrnoException)
      return undefined
    }
  }

  async function* readFolder(prefix: string): AsyncGenerator<TreeEntry> {
    const folders: Buffer[] = []
    levels.push({ prefix, folders })
    try {
      for await (const names of cursor.readNames()) {
        const entries = await Promise.all(names.map((name) => examine(prefix, name)))
        for (const [index, entry] of entries.entries())
          if (entry?.kind === 'folder') folders.push(names[index]!)
          else if (entry) yield entry
      }
    } catch (error) {
      report(prefix, error as NodeJS.ErrnoException)
    }
  }

  /** Enters the next folder; returns undefined at the end, and null if there is none to enter here. */
  async function enterNext(): Promise<TreeEntry | null | undefined> {
    const { prefix, folders } = levels.at(-1)!
    const name = folders.pop()
    if (name) {
      const path = `${prefix}${name}`
      try {
        return toEntry(path, await cursor.enter(name), cursor.pathOf())
      } catch (error) {
        report(path, error as NodeJS.ErrnoException)
        return null
      }
    }
    levels.pop()
    if (levels.length === 0) return undefined
    await cursor.leave()
    for (const lost of levels.splice(cursor.depth + 1))
      if (lost.folders.length > 0) report(lost.prefix, createError('ESTALE', 'it was moved meanwhile'))
    return null
  }

  try {
    yield* readFolder('')
    for (let folder = await enterNext(); folder !== undefined; folder = await enterNext()) {
      if (!folder) continue
      yield folder
      yield* readFolder(`${folder.path}/`)
    }
  } finally {
    await cursor.close()
  }
}

const createError = (code: string, message: string) => Object.assign(new Error(message), { code })

function toEntry(path: string, stats: BigIntStats, location: Buffer): TreeEntry {
  const { mode, size, mtime, ctimeMs } = stats
  const kind = stats.isDirectory()
    ? 'folder'
    : stats.isFile()
      ? 'file'
      : stats.isSymbolicLink()
        ? 'link'
        : 'other'
  return {
    ...{ path, kind, mtime, location },
    mode: Number(mode & 0o777n),
    bytes: Number(size),
    changed_at: Number(ctimeMs),
  }
}
