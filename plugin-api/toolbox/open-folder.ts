import { constants, existsSync } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/** With these a path can start at an open folder, whatever happens to the folder's name meanwhile. */
const DESCRIPTORS = '/proc/self/fd'

/**
 * A folder that stays the same while it is open, even if its name is given to another folder or a link. Its entries are
 * reached step by step and never through a link, also if others change the folder meanwhile.
 */
export interface OpenFolder {
  /** Serves the file functions for as long as the folder is open. */
  path: string
  /** Returns the path of an entry of the folder, for functions that do not follow links. */
  entry(name: string): string
  /** Opens a folder in it; throws ENOTDIR or ELOOP if the name is a link's. */
  openFolder(name: string): Promise<OpenFolder>
  /** Opens the file of this name, by default for reading; throws ELOOP if it is a link. */
  openFile(name: string, flags?: number, mode?: number): Promise<FileHandle>
  close(): Promise<void>
}

/** Opens the folder at a real path, absolute and without a link in it; throws ENOTDIR or ELOOP if it has one now. */
export async function openFolder(path: string, { descriptors = DESCRIPTORS } = {}): Promise<OpenFolder> {
  const hasDescriptors = existsSync(descriptors)

  /** If paths cannot start at a descriptor on this platform, a check after opening finds a link that came in between. */
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
  // A parent folder may have been replaced by a link, too.
  if ((await realpath(folder.path)) === path) return folder
  await handle.close()
  throw moved()
}

const moved = () => Object.assign(new Error('the path changed while it was being opened'), { code: 'ELOOP' })

/** True if an absolute path is `folder` or lies below it, by its name alone: links are not followed. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
