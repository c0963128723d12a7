import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  AppError,
  type Expert,
  type Issue,
  type Locale,
  listTemplateFolders,
  type newAgent,
  type TypeOf,
} from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { AgentDocument } from '../agents/types.ts'
import type { Cradle } from './manifest.ts'

/** The experts that plugins register. */
export type Experts = ReturnType<typeof createExperts>

/** Creates the service that lists the registered experts and creates agents from them. */
export function createExperts({ agents, extensions }: Pick<Cradle, 'agents' | 'extensions'>) {
  /** Throws NOT_FOUND. */
  const find = (expert_id: string): Expert => {
    const expert = extensions['agents.experts'].get(expert_id)
    if (!expert) throw new AppError('NOT_FOUND')
    return expert
  }

  return {
    list: () => extensions['agents.experts'].list(),
    find,

    /** Lists the initial files of a workspace in this language: paths with slashes, sorted. */
    async listFiles(expert: Expert, locale: Locale): Promise<string[]> {
      const lists = listTemplateFolders(expert, locale).map(async (root) => {
        const entries = await readdir(root, { recursive: true, withFileTypes: true })
        return entries
          .filter((entry) => !entry.isDirectory())
          .map(({ parentPath, name }) => relative(root, join(parentPath, name)).split(sep).join('/'))
      })
      return [...new Set((await Promise.all(lists)).flat())].sort()
    },

    /**
     * Creates an agent from an expert. Throws NOT_FOUND, VALIDATION_FAILED if `template_name` is another expert, and
     * the errors of creating an agent.
     */
    async createAgent(
      expert_id: string,
      owner: AuthCaller,
      { template_name, ...settings }: TypeOf<typeof newAgent>,
      locale: Locale,
    ): Promise<AgentDocument> {
      const { id } = find(expert_id)
      if (template_name !== undefined && template_name !== id)
        throw new AppError('VALIDATION_FAILED', { issues: [otherTemplate(id)] })
      return agents.create(owner, { ...settings, template_name: id }, { locale })
    },
  }
}

const otherTemplate = (id: string): Issue => ({
  path: '/template_name',
  rule: 'const',
  message: `must be "${id}", the expert in the path`,
})

/** The data files in the source folder, which are not compiled and so do not lie beside this module. */
const FOLDER = new URL('../../../../plugins/agents/experts/catalog/', import.meta.url)

/** The order in lists: the general assistant first, then by id. */
const IDS = [
  'general-assistant',
  'data-analyst',
  'language-tutor',
  'legal-reader',
  'office-automation',
  'ops-engineer',
  'product-manager',
  'research-assistant',
  'software-engineer',
  'writing-coach',
]

/** The experts that come with the server. */
export const bundledExperts: readonly Expert[] = IDS.map((id) => ({
  ...JSON.parse(readFileSync(new URL(`${id}/manifest.json`, FOLDER), 'utf8')),
  files: fileURLToPath(new URL(`${id}/files`, FOLDER)),
}))
