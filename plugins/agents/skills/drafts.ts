import type { OpenFolder } from '#plugin-api'
import type { SkillFolder } from './skill-folder.ts'

/** New skills that are written beside the skills of a folder until they are put in place. */
export interface Drafts {
  /** Opens an empty folder for a skill; a second call for the same slug replaces the first folder. */
  open(slug: string): Promise<OpenFolder>
  slugs(): string[]
  /** Returns the folder that was opened last for a slug. */
  folderOf(slug: string): OpenFolder
  /** Puts a skill in place; returns undefined if the name is taken and may not be overwritten. */
  place(slug: string, options: { overwrite: boolean }): ReturnType<SkillFolder['place']>
}

/** Runs work that writes skills, then removes the drafts that were not put in place. */
export async function withDrafts<Result>(
  skills: SkillFolder,
  work: (drafts: Drafts) => Promise<Result>,
): Promise<Result> {
  const staged: string[] = []
  const folders: OpenFolder[] = []
  const drafts = new Map<string, { name: string; folder: OpenFolder }>()
  try {
    return await work({
      async open(slug) {
        const name = await skills.stage()
        staged.push(name)
        const folder = await skills.folder.openFolder(name)
        folders.push(folder)
        drafts.set(slug, { name, folder })
        return folder
      },
      slugs: () => [...drafts.keys()],
      folderOf: (slug) => drafts.get(slug)!.folder,
      async place(slug, options) {
        const { name } = drafts.get(slug)!
        const placed = await skills.place(name, slug, options)
        if (placed) staged.splice(staged.indexOf(name), 1)
        return placed
      },
    })
  } finally {
    await Promise.all(folders.map((folder) => folder.close()))
    await skills.discard(staged)
  }
}
