import { type BigIntStats, constants, type Dirent, existsSync } from 'node:fs'
import { chmod, type FileHandle, lstat, open, opendir } from 'node:fs/promises'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
/** Linux opens a folder with it that may not be read, to change its mode; Node.js has no name for it. */
const O_PATH = 0o10000000
/** With these a path can start at an open folder, however deep the folder is. */
const DESCRIPTORS = '/proc/self/fd'
/** The innermost folders that stay open; those above are opened again on the way back. */
const MAX_OPEN = 16
const NAMES_PER_BATCH = 32
const OWNER_ALL = 0o700

/** A folder on the way from the root of a tree to the position of a cursor. */
interface Level {
  name: Buffer
  stats: BigIntStats
  handle?: FileHandle
}

/**
 * A position in a tree of folders that may be deeper than the longest path that the system takes, and may change
 * meanwhile. It enters folders one name at a time, never through a link. Names are bytes, as they need not be UTF-8.
 */
export interface FolderCursor {
  /** The number of folders that were entered below the root. */
  readonly depth: number
  /** Returns the path of an entry of the current folder, for functions that follow no link; without a name its own. */
  pathOf(name?: Buffer | string): Buffer
  /**
   * Enters a folder and returns its stats; throws ENOTDIR or ELOOP for anything else. With `force`, a folder whose mode
   * forbids its owner to read or change it gets another mode.
   */
  enter(name: Buffer | string, options?: { force?: boolean }): Promise<BigIntStats>
  /** Reads the names in the current folder, some at a time. */
  readNames(): AsyncGenerator<Buffer[]>
  /** Goes back to the folder above; if that folder was moved, to the nearest one that was not. */
  leave(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens the folder at a path as the root of a tree. Where paths cannot start at an open folder, as on macOS, entering
 * a folder whose path is too long throws ENAMETOOLONG.
 */
export async function openCursor(
  root: string | Buffer,
  { descriptors = DESCRIPTORS, force = false } = {},
): Promise<FolderCursor> {
  const hasDescriptors = existsSync(descriptors)

  const openLevel = async (path: Buffer, name: Buffer, force: boolean): Promise<Level> => {
    if (!hasDescriptors) {
      const stats = await lstat(path, { bigint: true })
      if (!stats.isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
      return { name, stats }
    }
    const handle = await openForced(path, force)
    try {
      const stats = await handle.stat({ bigint: true })
      if (force && (Number(stats.mode) & OWNER_ALL) !== OWNER_ALL)
        await handle.chmod(Number(stats.mode & 0o777n) | OWNER_ALL)
      return { name, stats, handle }
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  const openForced = async (path: Buffer, force: boolean): Promise<FileHandle> => {
    const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
    try {
      return await open(path, flags)
    } catch (error) {
      if (!force || (error as NodeJS.ErrnoException).code !== 'EACCES') throw error
      const anchor = await open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW)
      try {
        await chmod(`${descriptors}/${anchor.fd}`, OWNER_ALL)
      } finally {
        await anchor.close()
      }
      return open(path, flags)
    }
  }

  const rootPath = Buffer.from(root)
  const levels: Level[] = [await openLevel(rootPath, rootPath, force)]
  const current = () => levels.at(-1)!

  const pathOf: FolderCursor['pathOf'] = (name) => {
    const { handle } = current()
    const folder = hasDescriptors
      ? [Buffer.from(`${descriptors}/${handle!.fd}`)]
      : levels.map((level) => level.name)
    return joinBytes(name === undefined ? folder : [...folder, Buffer.from(name)])
  }

  /** Closes the folder that is too far above the one at this depth. The root stays open, to begin there again. */
  const closeDistant = async (depth: number): Promise<void> => {
    const level = depth > MAX_OPEN ? levels[depth - MAX_OPEN]! : undefined
    await level?.handle?.close()
    if (level) level.handle = undefined
  }

  /** Opens the folder above one that is left, and checks that it is the one that was passed on the way in. */
  const openAbove = async (left: Level, target: Level): Promise<boolean> => {
    const path = Buffer.from(`${descriptors}/${left.handle!.fd}/..`)
    // A folder without the right to search it does not show the one above.
    const handle = await open(path, O_RDONLY | O_DIRECTORY).catch(() => undefined)
    if (handle && isSame(await handle.stat({ bigint: true }), target.stats)) {
      target.handle = handle
      return true
    }
    await handle?.close()
    return false
  }

  /** Enters the folders from the root again, up to the first one that was moved. */
  const enterAgain = async (): Promise<void> => {
    for (const [index, level] of levels.entries()) {
      if (level.handle) continue
      const above = levels[index - 1]!.handle!
      const path = joinBytes([Buffer.from(`${descriptors}/${above.fd}`), level.name])
      const opened = await openLevel(path, level.name, false).catch(() => undefined)
      if (opened && isSame(opened.stats, level.stats)) {
        level.handle = opened.handle!
        await closeDistant(index)
      } else {
        await opened?.handle?.close()
        for (const lost of levels.splice(index)) await lost.handle?.close()
        return
      }
    }
  }

  return {
    get depth() {
      return levels.length - 1
    },
    pathOf,
    async enter(name, { force = false } = {}) {
      const level = await openLevel(pathOf(name), Buffer.from(name), force)
      levels.push(level)
      await closeDistant(levels.length - 1)
      return level.stats
    },
    async *readNames() {
      const names: Buffer[] = []
      // The types do not know this encoding of names.
      const folder: unknown = await opendir(pathOf(), { encoding: 'buffer' as BufferEncoding })
      for await (const { name } of folder as AsyncIterable<Dirent<Buffer>>)
        if (names.push(name) >= NAMES_PER_BATCH) yield names.splice(0)
      yield names
    },
    async leave() {
      const left = levels.pop()!
      try {
        if (!hasDescriptors || current().handle) return
        if (!(await openAbove(left, current()))) await enterAgain()
      } finally {
        await left.handle?.close()
      }
    },
    async close() {
      for (const { handle } of levels.splice(0)) await handle?.close()
    },
  }
}

const isSame = (one: BigIntStats, other: BigIntStats) => one.dev === other.dev && one.ino === other.ino

const SLASH = Buffer.from('/')
const joinBytes = (parts: readonly Buffer[]): Buffer =>
  Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [SLASH, part])))
