import { constants } from 'node:fs'
import { lstat, mkdir, opendir } from 'node:fs/promises'
import type { OpenFolder } from '#kernel'

const { O_WRONLY, O_CREAT, O_EXCL } = constants

const CHUNK_BYTES = 128 * 1024

/** The most that a tree may be: its regular files, their bytes, the names in a path, the bytes of a name. */
export interface TreeLimits {
  files: number
  bytes: number
  depth: number
  name_bytes: number
}

/** What of a tree is taken: `skip` gets paths below it with slashes, and leaves out a folder with all that is in it. */
export interface TreeOptions {
  limits: TreeLimits
  skip?: (path: string, isFolder: boolean) => boolean
}

/** A regular file of a tree; `mtime` is Unix seconds. */
export interface TreeFile {
  path: string
  bytes: number
  mtime: number
}

/** A tree passes one of its limits. */
export class TreeLimitError extends Error {
  readonly limit: keyof TreeLimits
  readonly max: number

  constructor(limit: keyof TreeLimits, limits: TreeLimits) {
    super(`the tree passes its limit of ${limit}: ${limits[limit]}`)
    this.limit = limit
    this.max = limits[limit]
  }
}

/** Something in a tree that may not be read; `path` is relative to the tree. */
export class TreeAccessError extends Error {
  readonly path: string

  constructor(path: string, cause: unknown) {
    super(`${JSON.stringify(path)} cannot be read`, { cause })
    this.path = path
  }
}

/** What a walk meets; `path` is `parts` with slashes. */
interface Place {
  parent: OpenFolder
  name: string
  parts: string[]
  path: string
  isFolder: boolean
}

/** Codes that say that what was listed has gone, or has become a link or something else. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'])
const DENIED = new Set(['EACCES', 'EPERM'])

/**
 * Lists the regular files of a tree by their paths; links and special files are left out. Listing ends where a limit
 * is passed, which `exceeded` names.
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
 * Copies a tree into an empty folder: folders and regular files, executable or not, readable by the server's own user
 * alone. Links and special files are left out. Gives how many files and bytes it copied; throws TreeLimitError, as a
 * rule before it writes anything, or TreeAccessError, and may leave a part of the copy then.
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
  /** Another process may write meanwhile, so what counts is what was read. */
  const count = (bytes: number) => {
    copied.bytes += bytes
    if (copied.bytes > limits.bytes) throw new TreeLimitError('bytes', limits)
  }
  /** The folders of the copy from its root to where the walk is. */
  const way = [target]
  const leave = async (depth: number) => {
    while (way.length > depth) await way.pop()!.close()
  }
  try {
    await walk(source, options, async ({ parent, name, parts, isFolder }) => {
      await leave(parts.length)
      const into = way.at(-1)!
      if (isFolder) {
        await mkdir(into.entry(name), { mode: 0o700 })
        way.push(await into.openFolder(name))
      } else if (await copyFile(parent, into, name, count)) copied.files += 1
    })
  } finally {
    await leave(1)
  }
  return copied
}

/** The content of a file of a tree. */
export interface TreeContent {
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

/** Copies one file; false where it is no regular file any more. */
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
      const buffer = Buffer.allocUnsafe(Math.min(stats.size + 1, CHUNK_BYTES))
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

/** Goes through a tree; folders and what is left out count as well, up to as many again as there may be files. */
async function walk(
  source: OpenFolder,
  { limits, skip }: TreeOptions,
  visit: (place: Place) => Promise<void>,
): Promise<void> {
  let files = 0
  let seen = 0

  const assertWithin = ({ parts, name }: Place) => {
    if (parts.length > limits.depth) throw new TreeLimitError('depth', limits)
    if (Buffer.byteLength(name) > limits.name_bytes) throw new TreeLimitError('name_bytes', limits)
    if (files > limits.files) throw new TreeLimitError('files', limits)
  }

  const read = async (parent: OpenFolder, above: string[]) => {
    const found: Place[] = []
    for await (const entry of await opendir(parent.path)) {
      seen += 1
      if (seen > 2 * limits.files) throw new TreeLimitError('files', limits)
      if (!entry.isDirectory() && !entry.isFile()) continue
      const parts = [...above, entry.name]
      const place = { parent, name: entry.name, parts, path: parts.join('/'), isFolder: entry.isDirectory() }
      if (!skip?.(place.path, place.isFolder)) found.push(place)
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  const enter = async (folder: OpenFolder, above: string[]): Promise<void> => {
    for (const place of await read(folder, above)) {
      if (!place.isFolder) files += 1
      assertWithin(place)
      await reaching(place.path, async () => {
        const inner = place.isFolder ? await folder.openFolder(place.name) : undefined
        try {
          await visit(place)
          if (inner) await enter(inner, place.parts)
        } finally {
          await inner?.close()
        }
      })
    }
  }
  await enter(source, [])
}

/** Passes over what has gone since it was listed; whoever writes a tree while it is read gets what was there. */
async function reaching(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (DENIED.has(code)) throw new TreeAccessError(path, error)
    if (!GONE.has(code)) throw error
  }
}
