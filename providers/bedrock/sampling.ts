import type { ModelCallOptions } from '#plugin-api'

type Sampling = Pick<ModelCallOptions, 'temperature' | 'topP'>

/** Claude from 4.7 on refuses both settings; those before take one of them. */
const LATER_CLAUDE = /claude-(?!v?2|instant|3|(?:haiku|sonnet|opus)-4(?!-[7-9]))/

/** The settings of chance that a model takes. */
export function samplingOf({ temperature, topP }: Sampling, modelId: string): Sampling {
  if (LATER_CLAUDE.test(modelId)) return { temperature: undefined, topP: undefined }
  if (modelId.includes('claude-') && temperature !== undefined) return { temperature, topP: undefined }
  return { temperature, topP }
}
