import { mkdir } from 'node:fs/promises'
import { AppError, type Page, type PageRequest } from '#kernel'
import { type Drafts, withDrafts } from './drafts.ts'
import { assertFits, LIMITS } from './limits.ts'
import type { Shelf } from './shelf.ts'
import type { Shelves } from './shelves.ts'
import { listFacts, NO_SKILLS, readDetail, readFacts, type SkillDetail } from './skill-facts.ts'
import type { SkillPackages } from './skill-packages.ts'
import { listTree } from './tree-copy.ts'
import type { Changer, PlacedSkill, SkillFacts } from './types.ts'

/** The skills in packages. */
export type PackageSkills = ReturnType<typeof createPackageSkills>

/** Makes what reads and changes the skills of packages. */
export function createPackageSkills({
  skillPackages: packages,
  shelves,
}: {
  skillPackages: SkillPackages
  shelves: Shelves
}) {
  const read = <Result>(package_id: string, work: (shelf: Shelf) => Promise<Result>) =>
    shelves.read(packages.pathOf(package_id), work)

  /** Puts drafts in their places, all of them or, where one may not, none. */
  const placeAll = async (shelf: Shelf, drafts: Drafts, overwrite: boolean): Promise<PlacedSkill[]> => {
    const slugs = drafts.slugs()
    const there = await shelf.list()
    const taken = slugs.find((slug) => there.includes(slug))
    if (taken && !overwrite) throw new AppError('SKILL_ALREADY_EXISTS', { slug: taken })
    const counts = { files: 0, bytes: 0 }
    const count = async (files: ReturnType<typeof listTree>) => {
      for (const { bytes } of (await files).files) {
        counts.files += 1
        counts.bytes += bytes
      }
    }
    const facts = []
    for (const slug of slugs) {
      const draft = drafts.folderOf(slug)
      facts.push(await readFacts(slug, draft))
      await count(listTree(draft, { limits: LIMITS }))
    }
    for (const slug of there.filter((slug) => !slugs.includes(slug)))
      await shelf.use(slug, (skill) => count(listTree(skill, { limits: LIMITS })))
    assertFits(counts, 'package')
    const placed = []
    for (const skill of facts) {
      const outcome = await drafts.place(skill.slug, { overwrite })
      if (!outcome) throw new AppError('SKILL_ALREADY_EXISTS', { slug: skill.slug })
      placed.push({ ...skill, outcome })
    }
    return placed
  }

  return {
    /** The skills of a package, by slug. Throws VALIDATION_FAILED for an unknown cursor. */
    list: async (package_id: string, page: PageRequest): Promise<Page<SkillFacts>> =>
      (await read(package_id, (shelf) => listFacts(shelf, page))) ?? NO_SKILLS,

    count: async (package_id: string): Promise<number> =>
      (await read(package_id, async (shelf) => (await shelf.list()).length)) ?? 0,

    /** Throws SKILL_PACKAGE_NOT_FOUND or SKILL_NOT_FOUND, or with `contents` SKILL_CONTENTS_TOO_LARGE. */
    async find(package_id: string, slug: string, options: { contents: boolean }): Promise<SkillDetail> {
      const { _id } = await packages.find(package_id)
      const found = await read(_id, (shelf) => shelf.use(slug, (skill) => readDetail(slug, skill, options)))
      if (!found) throw new AppError('SKILL_NOT_FOUND', { slug })
      return found
    },

    /** Runs work on the skills of a package; throws SKILL_PACKAGE_NOT_FOUND. */
    async read<Result>(
      package_id: string,
      work: (shelf: Shelf) => Promise<Result>,
    ): Promise<Result | undefined> {
      const { _id } = await packages.find(package_id)
      return read(_id, work)
    },

    /**
     * Adds skills that `fill` writes. Throws SKILL_PACKAGE_NOT_FOUND, FORBIDDEN, SKILL_ALREADY_EXISTS, SKILL_TOO_LARGE
     * or what `fill` does, and then the package is as it was.
     */
    async add(
      caller: Changer,
      package_id: string,
      { overwrite, fill }: { overwrite: boolean; fill: (drafts: Drafts) => Promise<void> },
    ): Promise<PlacedSkill[]> {
      const { _id } = await packages.findChangeable(caller, package_id)
      const path = packages.pathOf(_id)
      await mkdir(path, { recursive: true, mode: 0o700 })
      try {
        return await shelves.write(path, (shelf) =>
          withDrafts(shelf, async (drafts) => {
            await fill(drafts)
            return packages.changeAlone(_id, () => placeAll(shelf, drafts, overwrite))
          }),
        )
      } catch (error) {
        // Its folder may have gone with the package.
        if (error instanceof AppError && error.code === 'SKILLS_FOLDER_UNUSABLE') await packages.find(_id)
        throw error
      }
    },

    /** Throws SKILL_PACKAGE_NOT_FOUND, FORBIDDEN or SKILL_NOT_FOUND. */
    async remove(caller: Changer, package_id: string, slug: string): Promise<void> {
      const { _id } = await packages.findChangeable(caller, package_id)
      await packages.changeAlone(_id, async () => {
        const isRemoved = await read(_id, async (shelf) => {
          await shelf.remove(slug)
          return true
        })
        if (!isRemoved) throw new AppError('SKILL_NOT_FOUND', { slug })
      })
    },
  }
}
