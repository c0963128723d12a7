import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { AppError, type Cradle, type Expert, type Locale } from '#kernel'
import type { AgentDocument, AgentSettings } from '../agents/types.ts'
import type { AuthCaller } from '../auth/types.ts'

/** As much of a label as leaves room for a number in the name of an agent. */
const MAX_LABEL = 56

/** The settings of an agent that is made from an expert; without a name it gets the expert's. */
export type AgentFromExpert = Partial<Pick<AgentSettings, 'name' | 'description' | 'default_model'>>

/** The experts that plugins bring. */
export type Experts = ReturnType<typeof createExperts>

/** Makes what shows the registered experts and makes agents of them. */
export function createExperts({ agents, registries }: Pick<Cradle, 'agents' | 'registries'>) {
  /** Throws NOT_FOUND. */
  const find = (expert_id: string): Expert => {
    const expert = registries.experts.get(expert_id)
    if (!expert) throw new AppError('NOT_FOUND')
    return expert
  }

  /** The expert's name in this language, or that with the first number that no agent of the user's has. */
  const chooseName = async ({ id, label }: Expert, owner: AuthCaller, locale: Locale): Promise<string> => {
    const used = new Set(
      (await agents.list(owner, 'mine')).flatMap(({ owner_id, name }) =>
        owner_id === owner.id ? [name] : [],
      ),
    )
    const name = nameFrom(label[locale]) || id
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? name : `${name}-${number}`
      if (!used.has(candidate)) return candidate
    }
  }

  return {
    list: () => registries.experts.list(),
    find,

    /** The files that a workspace begins with in this language: paths with slashes, sorted. */
    async listFiles({ files }: Expert, locale: Locale): Promise<string[]> {
      const root = join(files, locale)
      const entries = await readdir(root, { recursive: true, withFileTypes: true })
      return entries
        .filter((entry) => !entry.isDirectory())
        .map(({ parentPath, name }) => relative(root, join(parentPath, name)).split(sep).join('/'))
        .sort()
    },

    /** Throws NOT_FOUND, and what creating an agent throws. */
    async createAgent(
      expert_id: string,
      owner: AuthCaller,
      { name, ...given }: AgentFromExpert,
      locale: Locale,
    ): Promise<AgentDocument> {
      const expert = find(expert_id)
      const create = (chosen: string) =>
        agents.create(owner, { ...given, name: chosen, template_name: expert.id }, { locale })
      if (name !== undefined) return create(name)
      for (;;) {
        try {
          return await create(await chooseName(expert, owner, locale))
        } catch (error) {
          // Somebody else may be making one at the same time, which then shows in the list.
          if (!(error instanceof AppError && error.code === 'AGENT_NAME_TAKEN')) throw error
        }
      }
    },
  }
}

/** What of a label the name of an agent may have. */
function nameFrom(label: string): string {
  const printable = label.replace(/[/\p{Cc}\p{Cs}\s]+/gu, ' ').trim()
  return [...printable].slice(0, MAX_LABEL).join('').trim()
}
