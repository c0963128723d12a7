import { constants } from 'node:fs'
import { lstat, mkdir, opendir } from 'node:fs/promises'
import type { OpenFolder } from '#plugin-api'
import { codeOf, DENIED, MISSING } from './file-errors.ts'

const { O_WRONLY, O_CREAT, O_EXCL } = constants

const BUFFER_BYTES = 128 * 1024

/** The limits of a tree: its regular files, their bytes, the names in a path, the bytes of a name. */
export interface TreeLimits {
  files: number
  bytes: number
  depth: number
  name_bytes: number
}

/** The selection of a tree: `skip` receives relative paths with slashes, and skips a folder with its content. */
interface TreeOptions {
  limits: TreeLimits
  skip?: (path: string, isFolder: boolean) => boolean
}

/** A regular file of a tree; `mtime` is Unix seconds. */
interface TreeFile {
  path: string
  bytes: number
  mtime: number
}

/** A tree exceeds one of its limits. */
export class TreeLimitError extends Error {
  readonly limit: keyof TreeLimits
  readonly max: number

  constructor(limit: keyof TreeLimits, limits: TreeLimits) {
    super(`the tree exceeds its limit of ${limit}: ${limits[limit]}`)
    this.limit = limit
    this.max = limits[limit]
  }
}

/** An entry of a tree may not be read; `path` is relative to the tree. */
export class TreeAccessError extends Error {
  readonly path: string

  constructor(path: string, cause: unknown) {
    super(`${JSON.stringify(path)} cannot be read`, { cause })
    this.path = path
  }
}

/** A file or folder of a walk; `path` is `parts` joined with slashes. */
interface Entry {
  parent: OpenFolder
  name: string
  parts: string[]
  path: string
  isFolder: boolean
}

/**
 * Lists the regular files of a tree by their paths, without links and special files. Stops at the first limit that is
 * exceeded, and returns it in `exceeded`.
 */
export async function listTree(
  source: OpenFolder,
  options: TreeOptions,
): Promise<{ files: TreeFile[]; exceeded: keyof TreeLimits | null }> {
  const { limits } = options
  const files: TreeFile[] = []
  let bytes = 0
  try {
    await walk(source, options, async ({ parent, name, path, isFolder }) => {
      if (isFolder) return
      const stats = await lstat(parent.entry(name))
      if (!stats.isFile()) return
      files.push({ path, bytes: stats.size, mtime: Math.floor(stats.mtimeMs / 1000) })
      bytes += stats.size
      if (bytes > limits.bytes) throw new TreeLimitError('bytes', limits)
    })
    return { files: files.sort(byPath), exceeded: null }
  } catch (error) {
    if (error instanceof TreeLimitError) return { files: files.sort(byPath), exceeded: error.limit }
    throw error
  }
}

const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)

/**
 * Copies the folders and regular files of a tree into an empty folder, readable by the server's own user only. Returns
 * the numbers of files and bytes copied. Throws TreeLimitError, usually before it writes anything, or TreeAccessError,
 * and may leave an incomplete copy then.
 */
export async function copyTree(
  source: OpenFolder,
  target: OpenFolder,
  options: TreeOptions,
): Promise<{ files: number; bytes: number }> {
  const { limits } = options
  const { exceeded } = await listTree(source, options)
  if (exceeded) throw new TreeLimitError(exceeded, limits)
  const copied = { files: 0, bytes: 0 }
  /** Counts the bytes that were read, as another process may write meanwhile. */
  const count = (bytes: number) => {
    copied.bytes += bytes
    if (copied.bytes > limits.bytes) throw new TreeLimitError('bytes', limits)
  }
  /** The open folders of the copy from its root to the current one. */
  const openFolders = [target]
  const closeBelow = async (depth: number) => {
    while (openFolders.length > depth) await openFolders.pop()!.close()
  }
  try {
    await walk(source, options, async ({ parent, name, parts, isFolder }) => {
      await closeBelow(parts.length)
      const into = openFolders.at(-1)!
      if (isFolder) {
        await mkdir(into.entry(name), { mode: 0o700 })
        openFolders.push(await into.openFolder(name))
      } else if (await copyFile(parent, into, name, count)) copied.files += 1
    })
  } finally {
    await closeBelow(1)
  }
  return copied
}

/** The content of a file of a tree. */
interface TreeContent {
  path: string
  content: Buffer
  isExecutable: boolean
}

/** Reads the regular files of a tree, sorted by path; throws TreeLimitError or TreeAccessError. */
export async function readTree(source: OpenFolder, options: TreeOptions): Promise<TreeContent[]> {
  const files: TreeContent[] = []
  let left = options.limits.bytes
  await walk(source, options, async ({ parent, name, path, isFolder }) => {
    if (isFolder) return
    const file = await parent.openFile(name)
    try {
      const stats = await file.stat()
      if (!stats.isFile()) return
      left -= stats.size
      if (left < 0) throw new TreeLimitError('bytes', options.limits)
      const content = Buffer.alloc(stats.size)
      const { bytesRead } = await file.read(content, 0, stats.size, 0)
      files.push({ path, content: content.subarray(0, bytesRead), isExecutable: (stats.mode & 0o100) > 0 })
    } finally {
      await file.close()
    }
  })
  return files.sort(byPath)
}

/** Copies one file; returns false if it is no longer a regular file. */
async function copyFile(
  from: OpenFolder,
  into: OpenFolder,
  name: string,
  count: (bytes: number) => void,
): Promise<boolean> {
  const file = await from.openFile(name)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return false
    const copy = await into.openFile(name, O_WRONLY | O_CREAT | O_EXCL, stats.mode & 0o100 ? 0o700 : 0o600)
    try {
      const buffer = Buffer.allocUnsafe(Math.min(stats.size + 1, BUFFER_BYTES))
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, null)
        if (bytesRead === 0) return true
        count(bytesRead)
        await copy.writeFile(buffer.subarray(0, bytesRead))
      }
    } finally {
      await copy.close()
    }
  } finally {
    await file.close()
  }
}

/** Walks through a tree. Folders and skipped entries count too, up to the limit of files once more. */
async function walk(
  source: OpenFolder,
  { limits, skip }: TreeOptions,
  visit: (entry: Entry) => Promise<void>,
): Promise<void> {
  let files = 0
  let readEntries = 0

  const assertWithin = ({ parts, name }: Entry) => {
    if (parts.length > limits.depth) throw new TreeLimitError('depth', limits)
    if (Buffer.byteLength(name) > limits.name_bytes) throw new TreeLimitError('name_bytes', limits)
    if (files > limits.files) throw new TreeLimitError('files', limits)
  }

  const read = async (parent: OpenFolder, above: string[]) => {
    const entries: Entry[] = []
    for await (const child of await opendir(parent.path)) {
      readEntries += 1
      if (readEntries > 2 * limits.files) throw new TreeLimitError('files', limits)
      if (!child.isDirectory() && !child.isFile()) continue
      const parts = [...above, child.name]
      const entry = { parent, name: child.name, parts, path: parts.join('/'), isFolder: child.isDirectory() }
      if (!skip?.(entry.path, entry.isFolder)) entries.push(entry)
    }
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  const walkFolder = async (folder: OpenFolder, above: string[]): Promise<void> => {
    for (const entry of await read(folder, above)) {
      if (!entry.isFolder) files += 1
      assertWithin(entry)
      await unlessGone(entry.path, async () => {
        const inner = entry.isFolder ? await folder.openFolder(entry.name) : undefined
        try {
          await visit(entry)
          if (inner) await walkFolder(inner, entry.parts)
        } finally {
          await inner?.close()
        }
      })
    }
  }
  await walkFolder(source, [])
}

/** Ignores an entry that has gone, or has become something else, since it was listed; throws TreeAccessError. */
async function unlessGone(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (DENIED.includes(codeOf(error))) throw new TreeAccessError(path, error)
    if (![...MISSING, 'ENXIO'].includes(codeOf(error))) throw error
  }
}
