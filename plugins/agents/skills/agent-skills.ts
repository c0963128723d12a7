import {
  AppError,
  type Conditional,
  makeTag,
  type Page,
  type PageRequest,
  requireUnchanged,
} from '#plugin-api'
import type { Agents } from '../agents/agents.ts'
import { type Drafts, withDrafts } from './drafts.ts'
import type { PackageSkills } from './package-skills.ts'
import { listFacts, NO_SKILLS, readDetail, readFacts, type SkillDetail } from './skill-facts.ts'
import type { SkillFolder } from './skill-folder.ts'
import { importFiles } from './skill-import.ts'
import { explainTreeErrors, LIMITS } from './skill-rules.ts'
import type { SkillStore } from './skill-store.ts'
import { copyTree } from './tree-copy.ts'
import type { AgentSkill, Changer, PlacedSkill, Reader, SkillFacts, SkillFile } from './types.ts'

/** The fields that the entity tag of a skill is made from. */
const TAGGED = ['name', 'description', 'files', 'bytes', 'updated_at', 'enabled'] as const

/** The skills in the workspaces of agents. */
export type AgentSkills = ReturnType<typeof createAgentSkills>

/** Creates the access to the skills of workspaces, with copies from and to packages. */
export function createAgentSkills({
  agents,
  packageSkills,
  skillStore,
}: {
  agents: Agents
  packageSkills: PackageSkills
  skillStore: SkillStore
}) {
  const read = async <Result>(
    agent_id: string,
    slug: string,
    work: (skills: SkillFolder) => Promise<Result>,
  ) => {
    const outcome = await skillStore.read(agents.workspaceOf(agent_id), async (skills) => ({
      result: await work(skills),
    }))
    if (!outcome) throw new AppError('SKILL_NOT_FOUND', { slug })
    return outcome.result
  }

  const withSwitch = async <Skill extends SkillFacts>(skills: SkillFolder, skill: Skill) => ({
    ...skill,
    enabled: !(await skills.isOff(skill.slug)),
  })

  return {
    /** Makes the entity tag of a skill. */
    tagOf: (skill: AgentSkill) => makeTag(skill, TAGGED),

    /** Lists the skills of a workspace by slug. Throws VALIDATION_FAILED for an unknown cursor. */
    async list(agent_id: string, page: PageRequest): Promise<Page<AgentSkill>> {
      const listed = await skillStore.read(agents.workspaceOf(agent_id), async (skills) => {
        const { rows, next } = await listFacts(skills, page)
        return { rows: await Promise.all(rows.map((skill) => withSwitch(skills, skill))), next }
      })
      return listed ?? NO_SKILLS
    },

    /** Reads one skill. Throws SKILL_NOT_FOUND, and with `contents` SKILL_CONTENTS_TOO_LARGE. */
    find: (
      agent_id: string,
      slug: string,
      options: { contents: boolean },
    ): Promise<SkillDetail & AgentSkill> =>
      read(agent_id, slug, async (skills) =>
        withSwitch(skills, await skills.use(slug, (skill) => readDetail(slug, skill, options))),
      ),

    /**
     * Writes a skill as a whole; a replaced skill stays switched on or off. Throws SKILL_ALREADY_EXISTS,
     * SKILL_ARCHIVE_INVALID, SKILL_TOO_LARGE or SKILLS_FOLDER_UNUSABLE.
     */
    write: (
      agent_id: string,
      slug: string,
      { files, overwrite }: { files: readonly SkillFile[]; overwrite: boolean },
    ): Promise<{ skill: AgentSkill; outcome: PlacedSkill['outcome'] }> =>
      skillStore.write(agents.workspaceOf(agent_id), (skills) =>
        withDrafts(skills, async (drafts) => {
          await importFiles(drafts, slug, files)
          const facts = await readFacts(slug, drafts.folderOf(slug))
          const outcome = await drafts.place(slug, { overwrite })
          if (!outcome) throw new AppError('SKILL_ALREADY_EXISTS', { slug })
          return { skill: await withSwitch(skills, facts), outcome }
        }),
      ),

    /**
     * Switches a skill on or off; the model does not see a skill that is off. Throws SKILL_NOT_FOUND and
     * PRECONDITION_FAILED.
     */
    switch: (agent_id: string, slug: string, enabled: boolean, request: Conditional): Promise<AgentSkill> =>
      read(agent_id, slug, async (skills) => {
        const facts = await skills.use(slug, (skill) => readFacts(slug, skill))
        const current = await withSwitch(skills, facts)
        const { enabled: expected } = requireUnchanged(request, current, TAGGED)
        const hasSwitched = await skills.switch(slug, enabled)
        // Somebody else has switched it since it was read.
        if (expected === !enabled && !hasSwitched) throw new AppError('PRECONDITION_FAILED')
        return { ...facts, enabled }
      }),

    /** Removes a skill. Throws SKILL_NOT_FOUND. */
    remove: (agent_id: string, slug: string): Promise<void> =>
      read(agent_id, slug, (skills) => skills.remove(slug)),

    /**
     * Copies skills of a package into a workspace; without `overwrite`, skills whose names are taken are skipped. Throws
     * SKILL_PACKAGE_NOT_FOUND, or SKILL_NOT_FOUND before anything is copied.
     */
    async copy(
      reader: Reader,
      agent_id: string,
      package_id: string,
      { slugs, overwrite }: { slugs: readonly string[]; overwrite: boolean },
    ): Promise<{ copied: string[]; skipped: string[] }> {
      const outcome = await packageSkills.read(reader, package_id, async (source) => {
        for (const slug of slugs)
          if (!(await source.has(slug))) throw new AppError('SKILL_NOT_FOUND', { slug })
        return skillStore.write(agents.workspaceOf(agent_id), async (target) => {
          const copied: string[] = []
          const skipped: string[] = []
          for (const slug of slugs) {
            const isFree = overwrite || !(await target.isTaken(slug))
            const isCopied =
              isFree &&
              (await withDrafts(target, async (drafts) => {
                await copyToDraft(source, slug, drafts)
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

    /** Copies a skill of a workspace into a package. Throws SKILL_NOT_FOUND, and the errors of adding to a package. */
    async push(
      caller: Changer,
      agent_id: string,
      { slug, package_id, overwrite }: { slug: string; package_id: string; overwrite: boolean },
    ): Promise<PlacedSkill> {
      const [pushed] = await read(agent_id, slug, async (source) => {
        if (!(await source.has(slug))) throw new AppError('SKILL_NOT_FOUND', { slug })
        return packageSkills.add(caller, package_id, {
          overwrite,
          fill: (drafts) => copyToDraft(source, slug, drafts),
        })
      })
      return pushed!
    },
  }
}

/** Copies a consistent version of a skill into a draft. */
const copyToDraft = (source: SkillFolder, slug: string, drafts: Drafts): Promise<void> =>
  source.use(slug, async (skill) => {
    const copy = await drafts.open(slug)
    await explainTreeErrors(() => copyTree(skill, copy, { limits: LIMITS }))
  })
