import type { Dirent } from 'node:fs'
import { type FileHandle, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type OpenFolder, openFolder } from '#plugin-api'

/** An entry of a folder; `path` is relative to the root of the walk and has slashes. */
export interface Entry {
  path: string
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
  /** The number of folders between the root and it. */
  depth: number
  /** Opens it for reading, until the walk moves on; fails if it has become a link. */
  open(): Promise<FileHandle>
}

/** The decisions of the caller. */
interface Visitor {
  /** True if the walk should enter a folder. */
  shouldEnter(folder: Entry): boolean
  /** Called for an entry that cannot be opened; the walk continues unless this throws. The root's path is `.`. */
  onRefused(path: string, error: NodeJS.ErrnoException): void
}

/**
 * Walks through a tree and yields all entries except folders, in the order of names. Follows no link: every entry is
 * opened from the open folder in which it was found, so that a name that is replaced by a link leads nowhere.
 */
export async function* walk(root: string, visitor: Visitor): AsyncGenerator<Entry, void, undefined> {
  const path = join(await realpath(dirname(root)), basename(root))
  yield* walkInto({ path: '.', depth: -1, folder: openFolder(path) }, visitor)
}

async function* walkInto(
  { path, depth, folder: opening }: Pick<Entry, 'path' | 'depth'> & { folder: Promise<OpenFolder> },
  visitor: Visitor,
): AsyncGenerator<Entry, void, undefined> {
  const folder = await unlessRefused(opening, path, visitor)
  if (!folder) return
  try {
    const children = (await unlessRefused(readdir(folder.path, { withFileTypes: true }), path, visitor)) ?? []
    for (const child of children.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const { name } = child
      const entry: Entry = {
        path: depth < 0 ? name : `${path}/${name}`,
        name,
        kind: toKind(child),
        depth: depth + 1,
        open: () => folder.openFile(name),
      }
      if (entry.kind !== 'folder') yield entry
      else if (visitor.shouldEnter(entry))
        yield* walkInto({ ...entry, folder: folder.openFolder(name) }, visitor)
    }
  } finally {
    await folder.close()
  }
}

async function unlessRefused<Result>(
  work: Promise<Result>,
  path: string,
  visitor: Visitor,
): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    visitor.onRefused(path, error as NodeJS.ErrnoException)
    return undefined
  }
}

function toKind(child: Dirent): Entry['kind'] {
  if (child.isSymbolicLink()) return 'link'
  if (child.isDirectory()) return 'folder'
  return child.isFile() ? 'file' : 'other'
}
