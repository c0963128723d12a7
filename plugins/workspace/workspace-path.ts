import { constants, existsSync } from 'node:fs'
import { type FileHandle, mkdir, open, realpath } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { FileFailure, ignoring, quote } from './file-failure.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/** With these a path can start at an open folder, whatever happens to the folder's name meanwhile. */
const DESCRIPTORS = '/proc/self/fd'
const hasDescriptors = existsSync(DESCRIPTORS)

/** A place inside a workspace with every link on the way to it resolved; `parts` start below `root`. */
export interface Place {
  root: string
  parts: string[]
}

/** An open folder of a workspace; `path` and `entry` serve the file functions for as long as it is open. */
export interface Folder {
  path: string
  entry(name: string): string
  close(): Promise<void>
}

/**
 * Finds the place that a tool's path names: relative to the workspace, or absolute and inside it. What it names
 * need not exist. Throws a FileFailure for all that leads out, also through links.
 */
export async function findPlace(workspace: string, path: string): Promise<Place> {
  if (path.includes('\0')) throw new FileFailure('the path contains a NUL character')
  const root = await realpath(workspace)
  const target = resolve(root, path)
  const parts = partsBelow(root, target) ?? partsBelow(resolve(workspace), target)
  if (!parts) throw new FileFailure(`${quote(path)} is outside the workspace`)

  for (let depth = parts.length; depth > 0; depth--) {
    const real = await ignoring(['ENOENT'], realpath(join(root, ...parts.slice(0, depth))))
    if (real === undefined) continue
    const realParts = partsBelow(root, real)
    if (!realParts) throw new FileFailure(`${quote(path)} leads out of the workspace through a link`)
    return { root, parts: [...realParts, ...parts.slice(depth)] }
  }
  return { root, parts }
}

/** The names that lead from `root` to `target`; undefined where it is not below it. */
function partsBelow(root: string, target: string): string[] | undefined {
  if (target === root) return []
  const prefix = root.endsWith(sep) ? root : root + sep
  return target.startsWith(prefix) ? target.slice(prefix.length).split(sep) : undefined
}

/**
 * Opens the folder at a place, made first if `create` is set. It goes one name at a time from the folder opened
 * before and follows no link, so a name that is swapped for a link after `findPlace` cannot lead out.
 */
export async function openFolder({ root, parts }: Place, { create = false } = {}): Promise<Folder> {
  let folder = folderOf(await open(root, O_RDONLY | O_DIRECTORY), root)
  for (const name of parts) {
    const parent = folder
    try {
      const path = parent.entry(name)
      if (create) await ignoring(['EEXIST'], mkdir(path))
      folder = folderOf(await openUnmoved(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path)
    } finally {
      await parent.close()
    }
  }
  return folder
}

/** Opens the regular file at a place, and with `create` the folders above it; pipes and devices are refused. */
export async function openFile(
  { root, parts }: Place,
  flags: number,
  { create = false } = {},
): Promise<FileHandle> {
  const name = parts.at(-1)
  if (name === undefined) throw new FileFailure('the workspace itself is a folder, not a file')
  const folder = await openFolder({ root, parts: parts.slice(0, -1) }, { create })
  let file: FileHandle
  try {
    // Without O_NONBLOCK, opening a pipe would wait for its other end.
    file = await openUnmoved(folder.entry(name), flags | O_NOFOLLOW | O_NONBLOCK)
  } finally {
    await folder.close()
  }
  const stats = await file.stat()
  if (stats.isFile()) return file
  await file.close()
  throw new FileFailure(
    `${quote(parts.join('/'))} is ${stats.isDirectory() ? 'a folder' : 'not a regular file'}`,
  )
}

function folderOf(handle: FileHandle, opened: string): Folder {
  const path = hasDescriptors ? `${DESCRIPTORS}/${handle.fd}` : opened
  return { path, entry: (name) => join(path, name), close: () => handle.close() }
}

/** Where no path can start at a descriptor, a look after opening tells whether a link came in between. */
async function openUnmoved(path: string, flags: number): Promise<FileHandle> {
  const handle = await open(path, flags)
  if (hasDescriptors || (await realpath(path)) === path) return handle
  await handle.close()
  throw new FileFailure('the path changed while it was being opened')
}
