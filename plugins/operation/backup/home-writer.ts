import { createWriteStream } from 'node:fs'
import { chmod, mkdir, realpath, symlink, utimes } from 'node:fs/promises'
import { normalize } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { TarHeader } from 'modern-tar'
import { ConfigError, openCursor, removeTree } from '#plugin-api'

const FOLDER_MODE = 0o700

/** Writes the files, folders and links of an archive to a home, whose folders may be as deep as the archive's. */
export type HomeWriter = Awaited<ReturnType<typeof openHomeWriter>>

/** Opens the writer on an empty home. Paths are relative to the home. */
export async function openHomeWriter(home: string) {
  const cursor = await openCursor(await realpath(home))
  /** The folder that the cursor is in. */
  const current: string[] = []
  const folders: { parts: string[]; mode: number | undefined; mtime: Date | undefined }[] = []
  const links: { parts: string[]; target: string }[] = []

  /** Makes a folder in the current one and enters it; a file that had its name is replaced. */
  const enterMade = async (name: string): Promise<void> => {
    const make = () => mkdir(cursor.pathOf(name), { mode: FOLDER_MODE })
    await ignoreCodes(['EEXIST'], make())
    try {
      await cursor.enter(name)
    } catch (error) {
      if (!['ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
      await removeTree(cursor.pathOf(name))
      await make()
      await cursor.enter(name)
    }
    current.push(name)
  }

  const moveTo = async (parts: readonly string[]): Promise<void> => {
    const shared = current.findIndex((name, index) => name !== parts[index])
    while (cursor.depth > (shared < 0 ? current.length : shared)) await cursor.leave()
    current.length = cursor.depth
    for (const name of parts.slice(current.length)) await enterMade(name)
  }

  /** Goes to the folder of an entry, and removes what has the entry's name: what changed meanwhile comes again. */
  const clearPlace = async (parts: readonly string[]): Promise<Buffer> => {
    await moveTo(parts.slice(0, -1))
    const location = cursor.pathOf(parts.at(-1)!)
    await removeTree(location)
    return location
  }

  return {
    async addFolder(path: string, { mode, mtime }: TarHeader): Promise<void> {
      const parts = splitInside(path)
      await moveTo(parts)
      folders.push({ parts, mode, mtime })
    },

    async addFile(path: string, { mode, mtime }: TarHeader, content: AsyncIterable<Buffer>): Promise<void> {
      const location = await clearPlace(splitInside(path))
      await pipeline(content, createWriteStream(location, { mode: mode ?? 0o600, flags: 'wx' }))
      if (mode !== undefined) await chmod(location, mode)
      if (mtime) await utimes(location, mtime, mtime)
    },

    addLink(path: string, target: string): void {
      links.push({ parts: splitInside(path), target })
    },

    /** Makes the links, through which nothing can be written by then, and sets the modes and times of folders. */
    async finish(): Promise<void> {
      for (const { parts, target } of links) await symlink(target, await clearPlace(parts))
      // Inner folders first: the mode of a folder may forbid to enter it.
      for (const { parts, mode, mtime } of folders.reverse()) {
        await moveTo(parts)
        if (mtime) await utimes(cursor.pathOf(), mtime, mtime)
        if (mode !== undefined) await chmod(cursor.pathOf(), mode)
      }
    },

    close: () => cursor.close(),
  }
}

/** Splits a path into its names; throws if it leads out of the home. */
function splitInside(path: string): string[] {
  const parts = normalize(path)
    .split('/')
    .filter((name) => name !== '')
  if (path.startsWith('/') || path.includes('\0') || parts[0] === '..' || parts.length === 0)
    throw new ConfigError(`the archive has a file outside of the home: ${path}`)
  return parts
}

async function ignoreCodes(codes: readonly string[], work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
