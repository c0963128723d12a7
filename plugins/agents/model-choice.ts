import { AppError } from '#kernel'
import type { Cradle } from './manifest.ts'
import type { AgentDocument } from './types.ts'

/** Gives the model that a turn of this agent would use now, as `<provider>:<model>`; null where there is none. */
export type ModelChoice = (agent: Pick<AgentDocument, 'owner_id' | 'default_model'>) => Promise<string | null>

/** Makes the choice between an agent's own model and the active one, just as a turn makes it. */
export function createModelChoice({ models }: Pick<Cradle, 'models'>): ModelChoice {
  return async (agent) => {
    try {
      const { reference } = await models.open([], agent.owner_id, agent)
      return reference
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }
}
