import type { Dirent } from 'node:fs'
import { type FileHandle, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type OpenFolder, openFolder } from '#kernel'

/** Something found in a folder; `path` starts below the folder that the walk began at and has slashes. */
export interface Entry {
  path: string
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
  /** How many folders it lies in, below the first. */
  depth: number
  /** Opens it for reading, for as long as the walk stands at it; fails where it has become a link. */
  open(): Promise<FileHandle>
}

/** What the one who walks decides. */
interface Guide {
  /** Whether to go into a folder. */
  enter(folder: Entry): boolean
  /** Told of what cannot be opened; the walk goes on unless this throws. The first folder's path is `.`. */
  refused(path: string, error: NodeJS.ErrnoException): void
}

/**
 * Walks through a folder and hands out all that is in it but folders, in the order of names. No link is ever
 * followed: everything is opened from the open folder that it was found in, so that a name which is swapped for a
 * link meanwhile leads nowhere.
 */
export async function* walk(root: string, guide: Guide): AsyncGenerator<Entry, void, undefined> {
  const path = join(await realpath(dirname(root)), basename(root))
  yield* walkInto({ path: '.', depth: -1, folder: openFolder(path) }, guide)
}

async function* walkInto(
  { path, depth, folder: opening }: Pick<Entry, 'path' | 'depth'> & { folder: Promise<OpenFolder> },
  guide: Guide,
): AsyncGenerator<Entry, void, undefined> {
  const folder = await unlessRefused(opening, path, guide)
  if (!folder) return
  try {
    const children = (await unlessRefused(readdir(folder.path, { withFileTypes: true }), path, guide)) ?? []
    for (const child of children.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const { name } = child
      const entry: Entry = {
        path: depth < 0 ? name : `${path}/${name}`,
        name,
        kind: kindOf(child),
        depth: depth + 1,
        open: () => folder.openFile(name),
      }
      if (entry.kind !== 'folder') yield entry
      else if (guide.enter(entry)) yield* walkInto({ ...entry, folder: folder.openFolder(name) }, guide)
    }
  } finally {
    await folder.close()
  }
}

async function unlessRefused<Result>(
  work: Promise<Result>,
  path: string,
  guide: Guide,
): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    guide.refused(path, error as NodeJS.ErrnoException)
    return undefined
  }
}

function kindOf(child: Dirent): Entry['kind'] {
  if (child.isSymbolicLink()) return 'link'
  if (child.isDirectory()) return 'folder'
  return child.isFile() ? 'file' : 'other'
}
