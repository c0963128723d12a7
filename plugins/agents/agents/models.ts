import { AppError, deferSchema, modelSettings } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { AgentDocument, ModelSettings } from './types.ts'

/** Returns the model that a turn of this agent would use now, as `<provider>:<model>`, or null. */
export type ModelChoice = (agent: Pick<AgentDocument, 'owner_id' | 'default_model'>) => Promise<string | null>

/** Creates the choice between an agent's own model and the active one, which turns make in the same way. */
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

/** Returns the models that answer if that of a turn does not; see `readModelSettings` for what a config may hold. */
export const readFallbackModels = ({ config }: Pick<AgentDocument, 'config'>): string[] =>
  (Array.isArray(config.fallback_models) ? config.fallback_models : [])
    .filter((reference) => typeof reference === 'string')
    .slice(0, 3)

const checks = Object.entries(modelSettings.properties).map(
  ([name, schema]) => [name as keyof ModelSettings, deferSchema(schema, 'json')] as const,
)

/**
 * Returns the valid settings for the calls of an agent's models. A config that was stored before it had a schema may
 * hold anything else.
 */
export function readModelSettings({ config }: Pick<AgentDocument, 'config'>): ModelSettings {
  const valid = checks.filter(([name, check]) => {
    if (config[name] === undefined) return false
    try {
      check(config[name])
      return true
    } catch {
      return false
    }
  })
  return Object.fromEntries(valid.map(([name]) => [name, config[name]]))
}
