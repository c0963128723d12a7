import { mkdir } from 'node:fs/promises'
import { AppError, type Page, type PageRequest } from '#plugin-api'
import { type Drafts, withDrafts } from './drafts.ts'
import { listFacts, NO_SKILLS, readDetail, readFacts, type SkillDetail } from './skill-facts.ts'
import type { SkillFolder } from './skill-folder.ts'
import type { SkillPackages } from './skill-packages.ts'
import { assertFits, LIMITS } from './skill-rules.ts'
import type { SkillStore } from './skill-store.ts'
import { listTree } from './tree-copy.ts'
import type { Changer, PlacedSkill, Reader, SkillFacts } from './types.ts'

/** The skills in packages. */
export type PackageSkills = ReturnType<typeof createPackageSkills>

/** Creates the access to the skills of packages. */
export function createPackageSkills({
  skillPackages: packages,
  skillStore,
}: {
  skillPackages: SkillPackages
  skillStore: SkillStore
}) {
  const read = <Result>(package_id: string, work: (skills: SkillFolder) => Promise<Result>) =>
    skillStore.read(packages.pathOf(package_id), work)

  /** Puts all drafts in place, or none if one of them is refused. */
  const placeAll = async (
    skills: SkillFolder,
    drafts: Drafts,
    overwrite: boolean,
  ): Promise<PlacedSkill[]> => {
    const slugs = drafts.slugs()
    const existing = await skills.list()
    const duplicate = slugs.find((slug) => existing.includes(slug))
    if (duplicate && !overwrite) throw new AppError('SKILL_ALREADY_EXISTS', { slug: duplicate })
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
    for (const slug of existing.filter((slug) => !slugs.includes(slug)))
      await skills.use(slug, (skill) => count(listTree(skill, { limits: LIMITS })))
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
    /** Lists the skills of a package by slug. Throws VALIDATION_FAILED for an unknown cursor. */
    list: async (package_id: string, page: PageRequest): Promise<Page<SkillFacts>> =>
      (await read(package_id, (skills) => listFacts(skills, page))) ?? NO_SKILLS,

    /** Counts the skills of a package. */
    count: async (package_id: string): Promise<number> =>
      (await read(package_id, async (skills) => (await skills.list()).length)) ?? 0,

    /** Reads one skill. Throws SKILL_PACKAGE_NOT_FOUND or SKILL_NOT_FOUND, and with `contents` SKILL_CONTENTS_TOO_LARGE. */
    async find(
      reader: Reader,
      package_id: string,
      slug: string,
      options: { contents: boolean },
    ): Promise<SkillDetail> {
      const { _id } = await packages.find(reader, package_id)
      const detail = await read(_id, (skills) =>
        skills.use(slug, (skill) => readDetail(slug, skill, options)),
      )
      if (!detail) throw new AppError('SKILL_NOT_FOUND', { slug })
      return detail
    },

    /** Runs work on the skills of a package; throws SKILL_PACKAGE_NOT_FOUND. */
    async read<Result>(
      reader: Reader,
      package_id: string,
      work: (skills: SkillFolder) => Promise<Result>,
    ): Promise<Result | undefined> {
      const { _id } = await packages.find(reader, package_id)
      return read(_id, work)
    },

    /**
     * Adds the skills that `fill` writes. Throws SKILL_PACKAGE_NOT_FOUND, FORBIDDEN, SKILL_ALREADY_EXISTS,
     * SKILL_TOO_LARGE or an error of `fill`, and leaves the package unchanged then.
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
        return await skillStore.write(path, (skills) =>
          withDrafts(skills, async (drafts) => {
            await fill(drafts)
            return packages.changeExclusively(_id, () => placeAll(skills, drafts, overwrite))
          }),
        )
      } catch (error) {
        // The folder may have been removed together with the package.
        if (error instanceof AppError && error.code === 'SKILLS_FOLDER_UNUSABLE')
          await packages.assertExists(_id)
        throw error
      }
    },

    /** Removes a skill. Throws SKILL_PACKAGE_NOT_FOUND, FORBIDDEN or SKILL_NOT_FOUND. */
    async remove(caller: Changer, package_id: string, slug: string): Promise<void> {
      const { _id } = await packages.findChangeable(caller, package_id)
      await packages.changeExclusively(_id, async () => {
        const isRemoved = await read(_id, async (skills) => {
          await skills.remove(slug)
          return true
        })
        if (!isRemoved) throw new AppError('SKILL_NOT_FOUND', { slug })
      })
    },
  }
}
