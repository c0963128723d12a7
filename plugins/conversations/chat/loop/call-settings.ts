import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { ModelCallOptions, ModelDescription } from '#plugin-api'
import type { AgentDocument, InstructedTurn, Instructions } from '../../../agents/agents/types.ts'
import type { ThreadDocument, TurnSettings } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import type { ProjectSettings } from '../threads/thread-projects.ts'

/** The most model calls of one turn, and of one delegated task, unless its agent says otherwise. */
export const MAX_STEPS = 25

/** The settings that all model calls of a turn share. */
export type CallSettings = Pick<
  ModelCallOptions,
  | 'maxOutputTokens'
  | 'temperature'
  | 'topP'
  | 'reasoning'
  | 'toolChoice'
  | 'responseFormat'
  | 'stopSequences'
  | 'providerOptions'
>

/** The form of the final answer: any JSON, or JSON of a schema, which is stored as text. */
export interface AnswerFormat {
  schema?: string
  name?: string
  description?: string
  strict?: boolean
}

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
  { temperature, top_p: topP, reasoning, max_output_tokens, ...settings }: TurnSettings,
  { max_output_tokens: most }: Pick<ModelDescription, 'max_output_tokens'>,
): CallSettings {
  const limits = [max_output_tokens, most].filter((limit) => limit !== undefined)
  const { answer_format, client_tools, stop } = settings
  return {
    temperature,
    topP,
    reasoning,
    ...(limits.length > 0 && { maxOutputTokens: Math.min(...limits) }),
    ...(stop && { stopSequences: [...stop] }),
    ...(client_tools?.must_call && { toolChoice: toToolChoice(client_tools.must_call) }),
    ...(answer_format && toResponseFormat(answer_format)),
  }
}

/** Returns the settings for a delegated task, whose answer is only for the agent. */
export const toTaskSettings = ({
  toolChoice,
  responseFormat,
  stopSequences,
  providerOptions,
  ...settings
}: CallSettings): CallSettings => settings

const toToolChoice = (
  must_call: 'any' | { name: string },
): NonNullable<LanguageModelV3CallOptions['toolChoice']> =>
  must_call === 'any' ? { type: 'required' } : { type: 'tool', toolName: must_call.name }

function toResponseFormat({
  schema,
  strict = false,
  ...names
}: AnswerFormat): Pick<CallSettings, 'responseFormat' | 'providerOptions'> {
  const responseFormat = {
    type: 'json' as const,
    ...(schema !== undefined && { schema: JSON.parse(schema) }),
    ...names,
  }
  if (schema === undefined) return { responseFormat }
  // The clients of these vendors ask for a strict schema by default, which must have a special form.
  const strictness = { strictJsonSchema: strict }
  return { responseFormat, providerOptions: { openai: strictness, azure: strictness } }
}

/**
 * Builds the system prompt of an agent: what it is, its character, its own `system_prompt`, then its tools and
 * notes, then what is about the person, then the instructions of the project, then the instructions of the thread.
 * The date comes last, so that upstreams which cache the beginning of a prompt keep everything else past midnight.
 */
export async function buildInstructions(
  agent: AgentDocument,
  {
    turn,
    thread,
    project,
  }: {
    turn: InstructedTurn
    thread: Pick<ThreadDocument, 'instructions'>
    project: ProjectSettings | undefined
  },
  { clock, extensions }: Pick<Cradle, 'clock' | 'extensions'>,
): Promise<string> {
  const parts = await extensions['agents.instructions'].ask({ agent, turn })
  const collectTexts = (section: keyof Instructions) => parts.flatMap((texts) => texts?.[section] ?? [])
  const { name, description, system_prompt } = agent
  return [
    `You are ${name}, an assistant on a shared server.${description ? ` ${description}` : ''}`,
    'Answer in the language you are addressed in. You have a workspace folder; tools take paths relative to it.',
    ...collectTexts('character'),
    ...(system_prompt ? [system_prompt] : []),
    ...collectTexts('resources'),
    ...collectTexts('notes'),
    ...collectTexts('person'),
    ...(project?.instructions ? [project.instructions] : []),
    ...(thread.instructions ? [thread.instructions] : []),
    `Today is ${new Date(clock.now()).toISOString().slice(0, 10)} (UTC).`,
  ].join('\n\n')
}
