import { AppError } from '#plugin-api'
import type { ModelSettings } from '../../agents/agents/types.ts'
import type { TurnSettings } from '../../conversations/chat/documents.ts'
import { readStop } from './answer-format.ts'
import { readTools } from './tool-parameters.ts'

/** The body of a request; clients send many fields that have no effect here. */
export type Body = Readonly<Record<string, unknown>>

type IsRefused = (value: unknown) => boolean

const isFilled: IsRefused = (value) => Object.keys(Object(value)).length > 0
const isSet: IsRefused = () => true
const isPositive: IsRefused = (value) => Number(value) > 0
const isTrue: IsRefused = (value) => value === true

/** Values that would change the meaning of a reply and that an agent cannot honour, by the field of the body. */
const REFUSED: Readonly<Record<string, IsRefused>> = {
  audio: isSet,
  background: isTrue,
  conversation: isSet,
  functions: isFilled,
  logit_bias: isFilled,
  logprobs: isTrue,
  modalities: (value) => (value as unknown[]).some((modality) => modality !== 'text'),
  n: (value) => value !== 1,
  prompt: isSet,
  top_logprobs: isPositive,
  web_search_options: isSet,
}

const REASONING: Readonly<Record<string, ModelSettings['reasoning']>> = {
  none: 'off',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
}

/** Throws PARAMETER_UNSUPPORTED for the first value that would change the meaning of the reply. */
export function assertSupported(body: Body): void {
  for (const [parameter, isRefused] of Object.entries(REFUSED))
    if (body[parameter] != null && isRefused(body[parameter]))
      throw new AppError(
        parameter === 'conversation' ? 'CONVERSATION_UNSUPPORTED' : 'PARAMETER_UNSUPPORTED',
        { parameter },
      )
}

/** Returns the settings of a turn that a request asks for; throws PARAMETER_INVALID, PARAMETER_UNSUPPORTED. */
export function toSettings(
  body: Body,
  {
    temperature,
    top_p,
    max_output_tokens,
    effort,
    ...format
  }: Pick<TurnSettings, 'answer_format'> & {
    temperature?: number | null
    top_p?: number | null
    max_output_tokens?: number | null
    effort?: string | null
  },
): TurnSettings {
  const reasoning = REASONING[effort ?? '']
  return {
    ...(temperature != null && { temperature }),
    ...(top_p != null && { top_p }),
    ...(max_output_tokens != null && { max_output_tokens }),
    ...(reasoning && { reasoning }),
    ...format,
    ...readTools(body),
    ...readStop(body.stop),
  }
}

/** The efforts of reasoning that clients may name. */
export const EFFORTS: readonly string[] = Object.keys(REASONING)

/** Finds an agent that a client names as a model; throws OPENAI_MODEL_NOT_FOUND if it does not exist. */
export async function asModel<Agent>(model: string, agent: Promise<Agent>): Promise<Agent> {
  try {
    return await agent
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'AGENT_NOT_FOUND')) throw error
    throw new AppError('OPENAI_MODEL_NOT_FOUND', { model, parameter: 'model' })
  }
}
