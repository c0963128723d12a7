import type { OpenFolder } from '#kernel'
import type { Shelf } from './shelf.ts'

/** Skills that are written beside those of a shelf until they take their places. */
export interface Drafts {
  /** An empty folder to write a skill into; it takes the place of one that was opened for the same slug before. */
  open(slug: string): Promise<OpenFolder>
  slugs(): string[]
  /** The folder that a skill was last written into. */
  folderOf(slug: string): OpenFolder
  /** Puts a skill in its place; undefined where that is taken and may not be overwritten. */
  place(slug: string, options: { overwrite: boolean }): ReturnType<Shelf['place']>
}

/** Runs work that writes skills; what of them was not placed in the end is removed. */
export async function withDrafts<Result>(
  shelf: Shelf,
  work: (drafts: Drafts) => Promise<Result>,
): Promise<Result> {
  const staged: string[] = []
  const folders: OpenFolder[] = []
  const drafts = new Map<string, { name: string; folder: OpenFolder }>()
  try {
    return await work({
      async open(slug) {
        const name = await shelf.stage()
        staged.push(name)
        const folder = await shelf.folder.openFolder(name)
        folders.push(folder)
        drafts.set(slug, { name, folder })
        return folder
      },
      slugs: () => [...drafts.keys()],
      folderOf: (slug) => drafts.get(slug)!.folder,
      async place(slug, options) {
        const { name } = drafts.get(slug)!
        const placed = await shelf.place(name, slug, options)
        if (placed) staged.splice(staged.indexOf(name), 1)
        return placed
      },
    })
  } finally {
    await Promise.all(folders.map((folder) => folder.close()))
    await shelf.discard(staged)
  }
}
