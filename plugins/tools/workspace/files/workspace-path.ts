import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, mkdir, realpath } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
// Not the whole kernel, as each search thread loads this module.
import { type OpenFolder, openFolder as openRoot } from '#plugin-api/open-folder'
import { FileFailure, ignoreCodes, OutsideFailure, quote } from './file-failure.ts'

/** A path inside a folder with all links resolved; `parts` are the names below `root`. */
export interface Place {
  root: string
  parts: string[]
}

/**
 * Finds the place that a tool's path names, relative to the workspace or absolute and inside it. It need not exist.
 * Throws a FileFailure for paths that leave the workspace, also through links.
 */
export async function findPlace(workspace: string, path: string): Promise<Place> {
  const location = await findPlaceBelow(workspace, path, 'the workspace')
  if (!location) throw new OutsideFailure(`${quote(path)} is outside the workspace`)
  return location
}

/**
 * The same for any folder, called `name` in messages; returns undefined for a path that is textually outside of it. The
 * path of the folder itself may contain links.
 */
export async function findPlaceBelow(folder: string, path: string, name: string): Promise<Place | undefined> {
  if (path.includes('\0')) throw new FileFailure('the path contains a NUL character')
  const root = await realpath(folder)
  // Names cannot hold lone surrogates; the system would write U+FFFD instead.
  const target = resolve(root, path.toWellFormed())
  const parts = splitBelow(root, target) ?? splitBelow(resolve(folder), target)
  if (!parts) return undefined

  for (let depth = parts.length; depth > 0; depth--) {
    const real = await ignoreCodes(['ENOENT'], realpath(join(root, ...parts.slice(0, depth))))
    if (real === undefined) continue
    const realParts = splitBelow(root, real)
    if (!realParts) throw new OutsideFailure(`${quote(path)} leads out of ${name} through a link`)
    return { root, parts: [...realParts, ...parts.slice(depth)] }
  }
  return { root, parts }
}

/** Returns the names on the path from `root` to `target`, or undefined if it is not below `root`. */
export function splitBelow(root: string, target: string): string[] | undefined {
  if (target === root) return []
  const prefix = root.endsWith(sep) ? root : root + sep
  return target.startsWith(prefix) ? target.slice(prefix.length).split(sep) : undefined
}

/** Splits a place into its parent folder and its name. Throws a FileFailure for the root itself. */
function splitPlace({ root, parts }: Place): { parent: Place; name: string } {
  const name = parts.at(-1)
  if (name === undefined) throw new FileFailure('the path names the whole folder; it is a folder, not a file')
  return { parent: { root, parts: parts.slice(0, -1) }, name }
}

/**
 * Opens the folder at a place, and creates it first if `create` is set. Opens one name at a time from its open parent
 * without following links, so a name that is replaced by a link after `findPlace` cannot lead outside.
 */
export async function openFolder({ root, parts }: Place, { create = false } = {}): Promise<OpenFolder> {
  let folder = await openRoot(root)
  for (const name of parts) {
    const parent = folder
    try {
      if (create) await ignoreCodes(['EEXIST'], mkdir(parent.entry(name)))
      folder = await parent.openFolder(name)
    } finally {
      await parent.close()
    }
  }
  return folder
}

/** Runs work in the folder at a place, which is open in the meantime. */
export async function inFolder<Result>(
  location: Place,
  work: (folder: OpenFolder) => Promise<Result>,
  options: { create?: boolean } = {},
): Promise<Result> {
  const folder = await openFolder(location, options)
  try {
    return await work(folder)
  } finally {
    await folder.close()
  }
}

/** The same in the folder that contains a place, with the name in it. Throws a FileFailure for the root itself. */
export async function inParent<Result>(
  location: Place,
  work: (folder: OpenFolder, name: string) => Promise<Result>,
  options: { create?: boolean } = {},
): Promise<Result> {
  const { parent, name } = splitPlace(location)
  return inFolder(parent, (folder) => work(folder, name), options)
}

/** Runs work on an open file, and closes it. */
export async function using<Result>(file: FileHandle, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } finally {
    await file.close()
  }
}

/** An open file with its stats at that time. */
interface OpenFile {
  file: FileHandle
  stats: BigIntStats
}

/** Runs work on the regular file that a tool's path names, open for reading; refuses pipes and devices. */
export async function withFile<Result>(
  workspace: string,
  path: string,
  work: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const location = await findPlace(workspace, path)
  const { file } = await inParent(location, (folder, name) => openFileIn(folder, name, constants.O_RDONLY))
  return using(file, () => work(file))
}

/** Opens a regular file in an open folder; refuses links, pipes and devices. */
export async function openFileIn(folder: OpenFolder, name: string, flags: number): Promise<OpenFile> {
  return assertRegular(await folder.openFile(name, flags), name)
}

/** Checks an open file; closes it and throws a FileFailure with EISDIR or ENXIO unless it is regular. */
export async function assertRegular(file: FileHandle, name: string): Promise<OpenFile> {
  const stats = await file.stat({ bigint: true })
  if (stats.isFile()) return { file, stats }
  await file.close()
  const [code, what] = stats.isDirectory() ? ['EISDIR', 'a folder'] : ['ENXIO', 'not a regular file']
  throw Object.assign(new FileFailure(`${quote(name)} is ${what}`), { code })
}
