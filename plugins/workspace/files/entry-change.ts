import type { BigIntStats } from 'node:fs'
import { link, lstat, mkdir, opendir, rename, rmdir, unlink } from 'node:fs/promises'
import { posix } from 'node:path'
import { AppError, type OpenFolder } from '#kernel'
import { FileFailure, ignoring } from './file-failure.ts'
import { findPlace, openFolder, type Place } from './workspace-path.ts'

/** Each level of a folder that is removed keeps a folder open. */
const MAX_DEPTH = 64

/** A name in a folder. Other than a place it may be a link's, which is then meant itself. */
export interface Entry {
  parent: Place
  name: string
}

/** Finds the entry that a path names. Throws a FileFailure for the workspace itself and for all that leads out. */
export async function findEntry(workspace: string, path: string): Promise<Entry> {
  const names = posix
    .normalize(`./${path}`)
    .split('/')
    .filter((name) => name && name !== '.')
  const name = names.pop()
  if (name === undefined) throw new FileFailure('the path names the whole workspace')
  // The way out is refused by who looks for the folder.
  const parent = await findPlace(workspace, name === '..' ? path : names.join('/'))
  return { parent, name }
}

/** Removes a file, a link or a folder, one that is not empty only if `recursive` is set. */
export async function removeEntry(
  { parent, name }: Entry,
  { recursive }: { recursive: boolean },
): Promise<void> {
  await within(parent, {}, async (folder) => {
    const stats = await lstat(folder.entry(name))
    if (!stats.isDirectory()) return unlink(folder.entry(name))
    if (recursive) await emptyFolder(folder, name, 1)
    await refusingFull(rmdir(folder.entry(name)))
  })
}

/** Removes what a folder holds; it goes from open folder to open folder and follows no link. */
async function emptyFolder(parent: OpenFolder, name: string, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) throw new FileFailure(`its folders are more than ${MAX_DEPTH} levels deep`)
  const folder = await parent.openFolder(name)
  try {
    for await (const entry of await opendir(folder.path)) {
      const path = folder.entry(entry.name)
      if (entry.isDirectory()) await emptyFolder(folder, entry.name, depth + 1)
      await ignoring(['ENOENT'], entry.isDirectory() ? refusingFull(rmdir(path)) : unlink(path))
    }
  } finally {
    await folder.close()
  }
}

/**
 * Gives a file or folder another name, in another folder perhaps, which is made. What has that name already is
 * replaced only if `overwrite` is set: a file by a file, an empty folder by a folder; else FILE_EXISTS.
 */
export async function moveEntry(
  from: Entry,
  to: Entry,
  { overwrite }: { overwrite: boolean },
): Promise<void> {
  const [old, fresh] = [from, to].map(({ parent, name }) => [...parent.parts, name].join('/')) as [
    string,
    string,
  ]
  if (fresh.startsWith(`${old}/`)) throw new FileFailure('a folder cannot be moved into itself')
  await within(from.parent, {}, async (source) => {
    const path = source.entry(from.name)
    const stats = await lstat(path)
    const isFolder = stats.isDirectory()
    if (!isFolder && !stats.isFile()) throw new FileFailure('it is neither a file nor a folder')
    await within(to.parent, { create: true }, async (target) => {
      const place = target.entry(to.name)
      if (overwrite) return refusingFull(rename(path, place))
      if (isFolder && (await ignoring(['ENOENT'], lstat(place)))) throw new AppError('FILE_EXISTS')
      if (isFolder) return refusingFull(rename(path, place))
      // A link is made only where there is nothing.
      await refusingTaken(link(path, place))
      await unlink(path)
    })
  })
}

/** Makes a folder and those above it; throws FILE_EXISTS where there is something. */
export async function makeFolder({ parent, name }: Entry): Promise<void> {
  await within(parent, { create: true }, (folder) => refusingTaken(mkdir(folder.entry(name))))
}

/** What an entry is now. */
export const readEntry = ({ parent, name }: Entry): Promise<BigIntStats> =>
  within(parent, {}, (folder) => lstat(folder.entry(name), { bigint: true }))

async function within<Result>(
  place: Place,
  options: { create?: boolean },
  work: (folder: OpenFolder) => Promise<Result>,
): Promise<Result> {
  const folder = await openFolder(place, options)
  try {
    return await work(folder)
  } finally {
    await folder.close()
  }
}

const refusing =
  (codes: string[], refusal: 'FILE_EXISTS' | 'DIRECTORY_NOT_EMPTY') =>
  (work: Promise<void>): Promise<void> =>
    work.catch((cause) => {
      throw codes.includes(cause.code) ? new AppError(refusal, {}, { cause }) : cause
    })
const refusingTaken = refusing(['EEXIST'], 'FILE_EXISTS')
const refusingFull = refusing(['ENOTEMPTY', 'EEXIST'], 'DIRECTORY_NOT_EMPTY')
