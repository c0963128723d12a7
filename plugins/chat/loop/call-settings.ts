import type { ModelCallOptions, ModelDescription, ReasoningLevel } from '#plugin-api'
import type { AgentDocument, ModelSettings } from '../../agents/types.ts'
import type { Cradle } from '../manifest.ts'

/** The settings that all calls of a turn's model share. */
export type CallSettings = Pick<ModelCallOptions, 'maxOutputTokens' | 'temperature' | 'topP' | 'reasoning'>

/** The settings that a turn begins with: its agent's, and how much its user wants it to think. */
export const turnSettingsOf = (
  { agent, reasoning }: { agent: AgentDocument; reasoning?: ReasoningLevel },
  { readModelSettings }: Pick<Cradle['agents'], 'readModelSettings'>,
): ModelSettings => ({ ...readModelSettings(agent), ...(reasoning && { reasoning }) })

/** The settings of a turn as a model is called with them; its own limit counts where it is lower. */
export function callSettingsOf(
  { temperature, top_p: topP, reasoning, max_output_tokens }: ModelSettings,
  { max_output_tokens: most }: Pick<ModelDescription, 'max_output_tokens'>,
): CallSettings {
  const limits = [max_output_tokens, most].filter((limit) => limit !== undefined)
  return { temperature, topP, reasoning, ...(limits.length > 0 && { maxOutputTokens: Math.min(...limits) }) }
}
