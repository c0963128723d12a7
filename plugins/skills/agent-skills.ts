import { AppError, type Page, type PageRequest } from '#kernel'
import type { Agents } from '../agents/agents.ts'
import { type Drafts, withDrafts } from './drafts.ts'
import { LIMITS, refusing } from './limits.ts'
import type { PackageSkills } from './package-skills.ts'
import type { Shelf } from './shelf.ts'
import type { Shelves } from './shelves.ts'
import { listFacts, NO_SKILLS, readDetail, readFacts, type SkillDetail } from './skill-facts.ts'
import { importFiles } from './skill-import.ts'
import { copyTree } from './tree-copy.ts'
import type { AgentSkill, Changer, PlacedSkill, SkillFacts, SkillFile } from './types.ts'

/** The skills in the workspaces of agents. */
export type AgentSkills = ReturnType<typeof createAgentSkills>

/** Makes what reads the skills of workspaces and takes snapshots of them and of those in packages. */
export function createAgentSkills({
  agents,
  packageSkills,
  shelves,
}: {
  agents: Agents
  packageSkills: PackageSkills
  shelves: Shelves
}) {
  const read = async <Result>(agent_id: string, slug: string, work: (shelf: Shelf) => Promise<Result>) => {
    const found = await shelves.read(agents.workspaceOf(agent_id), async (shelf) => ({
      result: await work(shelf),
    }))
    if (!found) throw new AppError('SKILL_NOT_FOUND', { slug })
    return found.result
  }

  const withSwitch = async <Skill extends SkillFacts>(shelf: Shelf, skill: Skill) => ({
    ...skill,
    enabled: !(await shelf.isOff(skill.slug)),
  })

  return {
    /** The skills of a workspace, by slug. Throws VALIDATION_FAILED for an unknown cursor. */
    async list(agent_id: string, page: PageRequest): Promise<Page<AgentSkill>> {
      const found = await shelves.read(agents.workspaceOf(agent_id), async (shelf) => {
        const { rows, next } = await listFacts(shelf, page)
        return { rows: await Promise.all(rows.map((skill) => withSwitch(shelf, skill))), next }
      })
      return found ?? NO_SKILLS
    },

    /** Throws SKILL_NOT_FOUND, or with `contents` SKILL_CONTENTS_TOO_LARGE. */
    find: (
      agent_id: string,
      slug: string,
      options: { contents: boolean },
    ): Promise<SkillDetail & AgentSkill> =>
      read(agent_id, slug, async (shelf) =>
        withSwitch(shelf, await shelf.use(slug, (skill) => readDetail(slug, skill, options))),
      ),

    /**
     * Writes a skill as a whole; one that is replaced stays switched on or off. Throws SKILL_ALREADY_EXISTS,
     * SKILL_ARCHIVE_INVALID, SKILL_TOO_LARGE or SKILLS_FOLDER_UNUSABLE.
     */
    write: (
      agent_id: string,
      slug: string,
      { files, overwrite }: { files: readonly SkillFile[]; overwrite: boolean },
    ): Promise<{ skill: AgentSkill; outcome: PlacedSkill['outcome'] }> =>
      shelves.write(agents.workspaceOf(agent_id), (shelf) =>
        withDrafts(shelf, async (drafts) => {
          await importFiles(drafts, slug, files)
          const facts = await readFacts(slug, drafts.folderOf(slug))
          const outcome = await drafts.place(slug, { overwrite })
          if (!outcome) throw new AppError('SKILL_ALREADY_EXISTS', { slug })
          return { skill: await withSwitch(shelf, facts), outcome }
        }),
      ),

    /** Switches a skill on or off; the model does not see a skill that is off. Throws SKILL_NOT_FOUND. */
    switch: (agent_id: string, slug: string, enabled: boolean): Promise<AgentSkill> =>
      read(agent_id, slug, async (shelf) => {
        await shelf.switch(slug, enabled)
        return withSwitch(shelf, await shelf.use(slug, (skill) => readFacts(slug, skill)))
      }),

    /** Throws SKILL_NOT_FOUND. */
    remove: (agent_id: string, slug: string): Promise<void> =>
      read(agent_id, slug, (shelf) => shelf.remove(slug)),

    /**
     * Copies skills of a package into a workspace; without `overwrite` those whose names are taken are skipped. Throws
     * SKILL_PACKAGE_NOT_FOUND, or SKILL_NOT_FOUND before it copies any.
     */
    async copy(
      agent_id: string,
      package_id: string,
      { slugs, overwrite }: { slugs: readonly string[]; overwrite: boolean },
    ): Promise<{ copied: string[]; skipped: string[] }> {
      const outcome = await packageSkills.read(package_id, async (source) => {
        for (const slug of slugs)
          if (!(await source.has(slug))) throw new AppError('SKILL_NOT_FOUND', { slug })
        return shelves.write(agents.workspaceOf(agent_id), async (target) => {
          const copied: string[] = []
          const skipped: string[] = []
          for (const slug of slugs) {
            const isFree = overwrite || !(await target.isTaken(slug))
            const isCopied =
              isFree &&
              (await withDrafts(target, async (drafts) => {
                await draft(source, slug, drafts)
                return drafts.place(slug, { overwrite })
              }))
            ;(isCopied ? copied : skipped).push(slug)
          }
          return { copied, skipped }
        })
      })
      if (!outcome) throw new AppError('SKILL_NOT_FOUND', { slug: slugs[0] })
      return outcome
    },

    /** Copies a skill of a workspace into a package. Throws SKILL_NOT_FOUND, and what adding to a package throws. */
    async push(
      caller: Changer,
      agent_id: string,
      { slug, package_id, overwrite }: { slug: string; package_id: string; overwrite: boolean },
    ): Promise<PlacedSkill> {
      const [pushed] = await read(agent_id, slug, async (source) => {
        if (!(await source.has(slug))) throw new AppError('SKILL_NOT_FOUND', { slug })
        return packageSkills.add(caller, package_id, {
          overwrite,
          fill: (drafts) => draft(source, slug, drafts),
        })
      })
      return pushed!
    },
  }
}

/** Copies one version of a skill. */
const draft = (source: Shelf, slug: string, drafts: Drafts): Promise<void> =>
  source.use(slug, async (skill) => {
    const copy = await drafts.open(slug)
    await refusing(() => copyTree(skill, copy, { limits: LIMITS }))
  })
