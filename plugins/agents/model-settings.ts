import { deferSchema } from '#kernel'
import { modelSettings } from '#plugin-api'
import type { AgentDocument, ModelSettings } from './types.ts'

const checks = Object.entries(modelSettings.properties).map(
  ([name, schema]) => [name as keyof ModelSettings, deferSchema(schema, 'json')] as const,
)

/** The settings that an agent's turns heed; a config that was stored before it had a schema may hold anything else. */
export function modelSettingsOf({ config }: Pick<AgentDocument, 'config'>): ModelSettings {
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
