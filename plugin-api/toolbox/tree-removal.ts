import { lstat, rmdir, unlink } from 'node:fs/promises'
import { type FolderCursor, openCursor } from './folder-cursor.ts'

/** The passes over a tree to which others add entries while it is removed. */
const MAX_PASSES = 3
const NOT_EMPTY = ['ENOTEMPTY', 'EEXIST']

/**
 * Removes a file or a tree of any depth without following links; does nothing if it does not exist. Changes the modes
 * of folders that forbid it. Goes on after what cannot be removed, and throws the first error at the end.
 */
export async function removeTree(
  path: string | Buffer,
  { descriptors }: { descriptors?: string } = {},
): Promise<void> {
  for (let pass = 1; ; pass += 1) {
    const stats = await unlessMissing(lstat(path))
    if (!stats) return
    if (!stats.isDirectory()) return unlessMissing(unlink(path))
    const errors: unknown[] = []
    const cursor = await openCursor(path, { descriptors, force: true })
    try {
      await emptyTree(cursor, (error) => errors.push(error))
    } finally {
      await cursor.close()
    }
    try {
      return await unlessMissing(rmdir(path))
    } catch (error) {
      const isOvertaken = errors.every(isNotEmpty) && isNotEmpty(error)
      if (!isOvertaken || pass === MAX_PASSES) throw errors[0] ?? error
    }
  }
}

/** Removes everything below the root of a cursor. */
async function emptyTree(cursor: FolderCursor, onError: (error: unknown) => void): Promise<void> {
  const attempt = (work: Promise<unknown>) => unlessMissing(work).catch(onError)

  /** Removes the files of the current folder, and returns its folders. */
  const removeFiles = async (): Promise<Buffer[]> => {
    const folders: Buffer[] = []
    const remove = async (name: Buffer) => {
      const path = cursor.pathOf(name)
      if ((await lstat(path)).isDirectory()) folders.push(name)
      else await unlink(path)
    }
    const removeAll = async () => {
      for await (const names of cursor.readNames())
        await Promise.all(names.map((name) => attempt(remove(name))))
    }
    await attempt(removeAll())
    return folders
  }

  /** The folders on the way to the current one, each with the folders in it that are still to be removed. */
  const levels: { name: Buffer; folders: Buffer[] }[] = [
    { name: Buffer.alloc(0), folders: await removeFiles() },
  ]
  for (;;) {
    const name = levels.at(-1)!.folders.pop()
    if (name) {
      await attempt(cursor.enter(name, { force: true }))
      if (cursor.depth === levels.length) levels.push({ name, folders: await removeFiles() })
      continue
    }
    const left = levels.pop()!
    if (levels.length === 0) return
    await cursor.leave()
    // A folder that was moved away meanwhile is not in the one that the cursor is in now.
    if (cursor.depth < levels.length - 1) levels.splice(cursor.depth + 1)
    else await attempt(rmdir(cursor.pathOf(left.name)))
  }
}

const isNotEmpty = (error: unknown) => NOT_EMPTY.includes((error as NodeJS.ErrnoException).code ?? '')

/** Waits for work on a file or folder; returns undefined if it does not exist. */
export async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
