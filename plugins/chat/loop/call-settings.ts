import type { ModelCallOptions, ModelDescription } from '#plugin-api'
import type { AgentDocument, ModelSettings } from '../../agents/types.ts'
import type { TurnSettings } from '../documents.ts'
import type { Cradle } from '../manifest.ts'

/** The settings that all model calls of a turn share. */
export type CallSettings = Pick<ModelCallOptions, 'maxOutputTokens' | 'temperature' | 'topP' | 'reasoning'>

/** Returns the initial settings of a turn: its own, then its agent's, whose limit of output applies if it is lower. */
export function toTurnSettings(
  { agent, settings: own }: { agent: AgentDocument; settings?: TurnSettings },
  { readModelSettings }: Pick<Cradle['agents'], 'readModelSettings'>,
): TurnSettings {
  const settings = readModelSettings(agent)
  const limits = [own?.max_output_tokens, settings.max_output_tokens].filter((limit) => limit !== undefined)
  return { ...settings, ...own, ...(limits.length > 0 && { max_output_tokens: Math.min(...limits) }) }
}

/** Returns the settings for a model call; the model's own limit applies if it is lower. */
export function toCallSettings(
  { temperature, top_p: topP, reasoning, max_output_tokens }: ModelSettings,
  { max_output_tokens: most }: Pick<ModelDescription, 'max_output_tokens'>,
): CallSettings {
  const limits = [max_output_tokens, most].filter((limit) => limit !== undefined)
  return { temperature, topP, reasoning, ...(limits.length > 0 && { maxOutputTokens: Math.min(...limits) }) }
}
