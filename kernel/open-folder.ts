import { constants, existsSync } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/** With these a path can start at an open folder, whatever happens to the folder's name meanwhile. */
const DESCRIPTORS = '/proc/self/fd'

/**
 * A folder that stays the same one while it is open, also where its name is given to another or to a link. From it
 * one reaches what lies in it, step by step and never through a link, in folders that others may change.
 */
export interface OpenFolder {
  /** Serves the file functions for as long as the folder is open. */
  path: string
  /** The path of what has this name in the folder, for functions that do not follow links. */
  entry(name: string): string
  /** Opens a folder in it; ENOTDIR or ELOOP where the name is a link's. */
  openFolder(name: string): Promise<OpenFolder>
  /** Opens what has this name, for reading unless told otherwise; ELOOP where it is a link. */
  openFile(name: string, flags?: number, mode?: number): Promise<FileHandle>
  close(): Promise<void>
}

/** Opens the folder at a real path, absolute and without a link in it; ENOTDIR or ELOOP where it has one now. */
export async function openFolder(path: string, { descriptors = DESCRIPTORS } = {}): Promise<OpenFolder> {
  const hasDescriptors = existsSync(descriptors)

  /** Where no path can start at a descriptor, a look after opening tells whether a link came in between. */
  async function openUnmoved(path: string, flags: number, mode?: number): Promise<FileHandle> {
    const handle = await open(path, flags | O_NOFOLLOW, mode)
    if (hasDescriptors || (await realpath(path)) === path) return handle
    await handle.close()
    throw moved()
  }

  const folderOf = (handle: FileHandle, opened: string): OpenFolder => {
    const path = hasDescriptors ? `${descriptors}/${handle.fd}` : opened
    const entry = (name: string) => join(path, name)
    return {
      path,
      entry,
      openFolder: async (name) =>
        folderOf(await openUnmoved(entry(name), O_RDONLY | O_DIRECTORY), entry(name)),
      // Without O_NONBLOCK, opening a pipe would wait for its other end.
      openFile: (name, flags = O_RDONLY, mode) => openUnmoved(entry(name), flags | O_NONBLOCK, mode),
      close: () => handle.close(),
    }
  }

  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  const folder = folderOf(handle, path)
  // A link may also have come into the way to it.
  if ((await realpath(folder.path)) === path) return folder
  await handle.close()
  throw moved()
}

const moved = () => Object.assign(new Error('the path changed while it was being opened'), { code: 'ELOOP' })
