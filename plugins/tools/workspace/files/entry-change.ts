import type { BigIntStats } from 'node:fs'
import { link, lstat, mkdir, rename, rmdir, unlink } from 'node:fs/promises'
import { posix } from 'node:path'
import { AppError, type OpenFolder, removeTree } from '#plugin-api'
import { FileFailure, ignoreCodes } from './file-failure.ts'
import { assertBounded, assertTreeBounded } from './path-bounds.ts'
import { measureTree } from './tree-size.ts'
import { findPlace, inFolder } from './workspace-path.ts'

/** A name in a folder. Unlike a place it may be the name of a link, and then means the link itself. */
export type Entry = Awaited<ReturnType<typeof findEntry>>

/** Finds the entry that a path names. Throws a FileFailure for the workspace itself and for paths that leave it. */
export async function findEntry(workspace: string, path: string) {
  const names = posix
    .normalize(`./${path}`)
    .split('/')
    .filter((name) => name && name !== '.')
  const name = names.pop()
  if (name === undefined) throw new FileFailure('the path names the whole workspace')
  // `findPlace` refuses a path that leaves the workspace.
  const parent = await findPlace(workspace, name === '..' ? path : names.join('/'))
  return { parent, name }
}

/** Returns the names on the path to an entry. */
export const partsOf = ({ parent, name }: Entry): string[] => [...parent.parts, name]

/**
 * Removes a file, a link or a folder; a folder that is not empty only if `recursive` is set. Returns the number of bytes
 * that its files had.
 */
export function removeEntry({ parent, name }: Entry, { recursive }: { recursive: boolean }): Promise<number> {
  return inFolder(parent, async (folder) => {
    const path = folder.entry(name)
    const stats = await lstat(path)
    const isTree = stats.isDirectory() && recursive
    const bytes = isTree ? await measureTree(path) : stats.isDirectory() ? 0 : stats.size
    if (isTree) await refuseFull(removeTree(path))
    else if (stats.isDirectory()) await refuseFull(rmdir(path))
    else await unlink(path)
    return bytes
  })
}

/**
 * Renames or moves a file or folder, creating the target's parent folders. An existing target is replaced only if
 * `overwrite` is set, a file by a file and an empty folder by a folder; otherwise throws FILE_EXISTS.
 */
export async function moveEntry(
  from: Entry,
  to: Entry,
  { overwrite }: { overwrite: boolean },
): Promise<void> {
  const [oldParts, newParts] = [partsOf(from), partsOf(to)]
  if (newParts.join('/').startsWith(`${oldParts.join('/')}/`))
    throw new FileFailure('a folder cannot be moved into itself')
  await inFolder(from.parent, async (source) => {
    const path = source.entry(from.name)
    const stats = await lstat(path)
    const isFolder = stats.isDirectory()
    if (!isFolder && !stats.isFile()) throw new FileFailure('it is neither a file nor a folder')
    if (isFolder) await assertTreeBounded(path, { from: oldParts, to: newParts })
    else assertBounded(newParts)
    const move = async (target: OpenFolder) => {
      const newPath = target.entry(to.name)
      if (!overwrite && isFolder && (await ignoreCodes(['ENOENT'], lstat(newPath))))
        throw new AppError('FILE_EXISTS')
      if (overwrite || isFolder) return refuseFull(rename(path, newPath))
      // Unlike a rename, `link` fails if the target exists.
      await refuseTaken(link(path, newPath))
      await unlink(path)
    }
    await inFolder(to.parent, move, { create: true })
  })
}

/** Creates a folder and its parent folders; throws FILE_EXISTS if the name is taken. */
export async function makeFolder({ parent, name }: Entry): Promise<void> {
  assertBounded(partsOf({ parent, name }))
  await inFolder(parent, (folder) => refuseTaken(mkdir(folder.entry(name))), { create: true })
}

/** Reads the current stats of an entry. */
export const readEntry = ({ parent, name }: Entry): Promise<BigIntStats> =>
  inFolder(parent, (folder) => lstat(folder.entry(name), { bigint: true }))

const createRefusal =
  (codes: string[], refusal: 'FILE_EXISTS' | 'DIRECTORY_NOT_EMPTY') =>
  (work: Promise<void>): Promise<void> =>
    work.catch((cause) => {
      throw codes.includes(cause.code) ? new AppError(refusal, {}, { cause }) : cause
    })
const refuseTaken = createRefusal(['EEXIST'], 'FILE_EXISTS')
const refuseFull = createRefusal(['ENOTEMPTY', 'EEXIST'], 'DIRECTORY_NOT_EMPTY')
