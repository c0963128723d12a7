import { AppError } from '#kernel'
import type { Cradle } from './manifest.ts'

/** The knowledge bases that agents, threads and turns use; a plugin that owns them decides about them. */
export function createKnowledgeChoices({ extensions }: Pick<Cradle, 'extensions'>) {
  return {
    /** Throws an error of the plugin that owns knowledge bases if an account may not search one of these. */
    async assertSearchable(
      user_id: string,
      knowledge_base_ids: readonly string[] | undefined,
    ): Promise<void> {
      if (!knowledge_base_ids?.length) return
      const checks = extensions['agents.knowledge_checks']
      if (checks.list().length === 0)
        throw new AppError('VALIDATION_FAILED', {
          issues: [
            {
              path: '/knowledge_base_ids',
              rule: 'plugin',
              message: 'is not supported: no plugin of this server has knowledge bases',
            },
          ],
        })
      await checks.ask({ user_id, knowledge_base_ids })
    },

    /** Returns the knowledge bases that new threads of an account use. */
    listDefaultKnowledge: async (user_id: string): Promise<string[]> =>
      (await extensions['agents.knowledge_defaults'].ask({ user_id })).flat(),
  }
}
