import type { BigIntStats } from 'node:fs'
import { type FileHandle, mkdir, realpath } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
// Not the whole kernel, as threads that search load this anew each time.
import { type OpenFolder, openFolder as openRoot } from '#kernel/open-folder'
import { FileFailure, ignoring, OutsideFailure, quote } from './file-failure.ts'

/** A place inside a folder with every link on the way to it resolved; `parts` start below `root`. */
export interface Place {
  root: string
  parts: string[]
}

/**
 * Finds the place that a tool's path names: relative to the workspace, or absolute and inside it. What it names
 * need not exist. Throws a FileFailure for all that leads out, also through links.
 */
export async function findPlace(workspace: string, path: string): Promise<Place> {
  const place = await findPlaceBelow(workspace, path, 'the workspace')
  if (!place) throw new OutsideFailure(`${quote(path)} is outside the workspace`)
  return place
}

/**
 * The same for any folder, called `name` in messages; undefined for a path whose spelling leads out of it. The
 * folder itself may be spelled through links.
 */
export async function findPlaceBelow(folder: string, path: string, name: string): Promise<Place | undefined> {
  if (path.includes('\0')) throw new FileFailure('the path contains a NUL character')
  const root = await realpath(folder)
  // No name can hold half of a character; the system would write this one in its place.
  const target = resolve(root, path.replace(/\p{Surrogate}/gu, '\ufffd'))
  const parts = partsBelow(root, target) ?? partsBelow(resolve(folder), target)
  if (!parts) return undefined

  for (let depth = parts.length; depth > 0; depth--) {
    const real = await ignoring(['ENOENT'], realpath(join(root, ...parts.slice(0, depth))))
    if (real === undefined) continue
    const realParts = partsBelow(root, real)
    if (!realParts) throw new OutsideFailure(`${quote(path)} leads out of ${name} through a link`)
    return { root, parts: [...realParts, ...parts.slice(depth)] }
  }
  return { root, parts }
}

/** The names that lead from `root` to `target`; undefined where it is not below it. */
export function partsBelow(root: string, target: string): string[] | undefined {
  if (target === root) return []
  const prefix = root.endsWith(sep) ? root : root + sep
  return target.startsWith(prefix) ? target.slice(prefix.length).split(sep) : undefined
}

/** The folder that a place lies in, and its name there. Throws a FileFailure for the root itself. */
export function splitPlace({ root, parts }: Place): { parent: Place; name: string } {
  const name = parts.at(-1)
  if (name === undefined) throw new FileFailure('the path names the whole folder; it is a folder, not a file')
  return { parent: { root, parts: parts.slice(0, -1) }, name }
}

/**
 * Opens the folder at a place, made first if `create` is set. It goes one name at a time from the folder opened
 * before and follows no link, so a name that is swapped for a link after `findPlace` cannot lead out.
 */
export async function openFolder({ root, parts }: Place, { create = false } = {}): Promise<OpenFolder> {
  let folder = await openRoot(root)
  for (const name of parts) {
    const parent = folder
    try {
      if (create) await ignoring(['EEXIST'], mkdir(parent.entry(name)))
      folder = await parent.openFolder(name)
    } finally {
      await parent.close()
    }
  }
  return folder
}

/** An open file and what it was when it was opened. */
export interface OpenFile {
  file: FileHandle
  stats: BigIntStats
}

/** Opens the regular file at a place; pipes and devices are refused. */
export async function openFile(place: Place, flags: number): Promise<FileHandle> {
  const { parent, name } = splitPlace(place)
  const folder = await openFolder(parent)
  try {
    const { file } = await openFileIn(folder, name, flags)
    return file
  } finally {
    await folder.close()
  }
}

/** Opens a regular file in an open folder; links are not followed, pipes and devices are refused. */
export async function openFileIn(folder: OpenFolder, name: string, flags: number): Promise<OpenFile> {
  return assertRegular(await folder.openFile(name, flags), name)
}

/** Closes what is no regular file, and throws a FileFailure with EISDIR or ENXIO. */
export async function assertRegular(file: FileHandle, name: string): Promise<OpenFile> {
  const stats = await file.stat({ bigint: true })
  if (stats.isFile()) return { file, stats }
  await file.close()
  const [code, what] = stats.isDirectory() ? ['EISDIR', 'a folder'] : ['ENXIO', 'not a regular file']
  throw Object.assign(new FileFailure(`${quote(name)} is ${what}`), { code })
}
