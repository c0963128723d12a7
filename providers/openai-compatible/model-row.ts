import {
  inferModelKind,
  MODEL_INPUTS,
  type ModelDescription,
  type ModelKind,
  type ModelPrice,
} from '#plugin-api'

/** A model in a list, with the fields of any vendor. */
export type Row = Readonly<Record<string, unknown>>

/** The owner that LM Studio names for each of its models. */
export const LM_STUDIO_OWNER = 'organization_owner'

/** The places of each fact, the most exact one first. */
const WINDOW = [
  'loaded_context_length',
  'max_model_len',
  'context_length',
  'context_window',
  'max_context_length',
  'context_size',
  'model_info.max_input_tokens',
  'limits.max_input_tokens',
]
const MOST_OUTPUT = [
  'max_output_tokens',
  'max_completion_tokens',
  'top_provider.max_completion_tokens',
  'model_info.max_output_tokens',
  'limits.max_output_tokens',
]
const INPUTS = ['architecture.input_modalities', 'input_modalities', 'supported_input_modalities']
const OUTPUTS = ['architecture.output_modalities', 'output_modalities', 'supported_output_modalities']
const SEES = ['supports_image_input', 'supports_image_in', 'supports_vision', 'capabilities.vision']
const CALLS_TOOLS = ['supports_tools', 'supports_function_calling', 'capabilities.function_calling']
const REASONS = ['supports_reasoning', 'capabilities.reasoning']
const CHATS = ['supports_chat', 'capabilities.completion_chat']
/** Lists of words; a word that is missing means nothing, as the lists are not complete. */
const FEATURES = ['supported_parameters', 'capabilities', 'tags']

/** The kinds of models by the words of vendors; null for models that the server has no use for. */
const KINDS: Readonly<Record<string, ModelKind | null>> = {
  chat: 'chat',
  'chat-completion': 'chat',
  code: 'chat',
  language: 'chat',
  llm: 'chat',
  responses: 'chat',
  text: 'chat',
  vlm: 'chat',
  embedding: 'embedding',
  embeddings: 'embedding',
  image: 'image',
  image_generation: 'image',
  audio: 'speech',
  audio_speech: 'speech',
  speech: 'speech',
  audio_transcription: 'transcription',
  transcribe: 'transcription',
  transcription: 'transcription',
  rerank: 'rerank',
  moderation: null,
  moderations: null,
  video: null,
  video_generation: null,
}

/** Returns the value at a path such as `architecture.input_modalities`. */
function read(row: unknown, path: string): unknown {
  let value = row
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Row)[name]
  }
  return value
}

/** Returns the first value that has the wanted form. */
const readFirst = <Value>(row: Row, paths: readonly string[], fits: (value: unknown) => value is Value) =>
  paths.map((path) => read(row, path)).find(fits)

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean'
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)

/** Reads what a row of any vendor says of a model; undefined for models that the server has no use for. */
export function describeRow(row: Row): ModelDescription | undefined {
  const { id } = row
  const model_kind = readKind(row)
  if (!isText(id) || model_kind === null) return undefined
  const features = FEATURES.flatMap((path) => [read(row, path)].filter(isTexts).flat())
  const has = (...words: string[]) => words.some((word) => features.includes(word)) || undefined
  // LiteLLM also says false of abilities that it does not know.
  const isSaid = (ability: string) => read(row, `model_info.supports_${ability}`) === true || undefined
  return {
    id,
    name: readFirst(row, ['display_name', 'name'], isText) ?? id,
    ...(model_kind && { model_kind }),
    context_window: readFirst(row, WINDOW, isCount),
    max_output_tokens: readFirst(row, MOST_OUTPUT, isCount),
    input: readInput(row, has('vision') ?? isSaid('vision')),
    tools:
      readFirst(row, CALLS_TOOLS, isFlag) ??
      readToolParameter(row) ??
      has('tool-calling', 'tool_use', 'tool-use') ??
      isSaid('function_calling'),
    reasoning:
      readFirst(row, REASONS, isFlag) ??
      has('reasoning', 'include_reasoning', 'reasoning_effort') ??
      isSaid('reasoning'),
    price: readPrice(row),
  }
}

/** Returns the kind; undefined if only the id tells it. */
function readKind(row: Row): ModelKind | null | undefined {
  const outputs = readFirst(row, OUTPUTS, isTexts)
  const words = outputs?.includes('text') ? ['text'] : (outputs ?? [])
  const types = ['type', 'model_info.mode'].map((path) => read(row, path)).filter(isText)
  const word = [...words, ...types].find((word) => Object.hasOwn(KINDS, word))
  if (word !== undefined) return KINDS[word]
  const chats = readFirst(row, CHATS, isFlag)
  if (chats === undefined) return undefined
  if (chats) return 'chat'
  const kind = inferModelKind(String(row.id))
  return kind === 'chat' ? null : kind
}

/** Returns the media that the model reads, if the row tells whether it sees pictures. */
function readInput(row: Row, isTagged: boolean | undefined): ModelDescription['input'] {
  const media = readFirst(row, INPUTS, isTexts)
  if (media) return MODEL_INPUTS.filter((input) => media.includes(input))
  // Other vendors call every chat model an LLM.
  const isTextModel = row.type === 'llm' && row.owned_by === LM_STUDIO_OWNER
  const isVisual = row.type === 'vlm' || isTagged
  const sees = isVisual ?? readFirst(row, SEES, isFlag) ?? (isTextModel ? false : undefined)
  if (sees === undefined) return undefined
  return sees ? ['text', 'image'] : ['text']
}

/** Tells by the parameters of a model, where OpenRouter lists all, if it calls tools. */
function readToolParameter(row: Row): boolean | undefined {
  const parameters = read(row, 'supported_parameters')
  return isTexts(parameters) && parameters.length > 0 ? parameters.includes('tools') : undefined
}

const TOKENS = 1_000_000

/** Reads a price of a million tokens, in the forms of OpenRouter, Vercel, Together and LiteLLM. */
function readPrice(row: Row): ModelPrice | undefined {
  const info = (path: string) => read(row, path)
  const perToken = [
    [
      info('pricing.prompt'),
      info('pricing.completion'),
      info('pricing.input_cache_read'),
      info('pricing.input_cache_write'),
    ],
    [
      info('pricing.input'),
      info('pricing.output'),
      info('pricing.input_cache_read'),
      info('pricing.input_cache_write'),
    ],
  ].find(([input, output]) => isText(input) && isText(output))
  if (perToken) return toPrice(perToken.map((amount) => (isText(amount) ? Number(amount) * TOKENS : null)))
  // Zero means "unknown" to these two.
  const isPriced = ([input, output]: unknown[]) => Number(input) > 0 || Number(output) > 0
  const together = [info('pricing.input'), info('pricing.output')]
  if (info('pricing.hourly') !== undefined && isPriced(together)) return toPrice(together)
  const ofLiteLLM = [
    'input_cost_per_token',
    'output_cost_per_token',
    'cache_read_input_token_cost',
    'cache_creation_input_token_cost',
  ]
  const costs = ofLiteLLM.map((name) => info(`model_info.${name}`))
  if (isPriced(costs)) return toPrice(costs.map((cost) => (typeof cost === 'number' ? cost * TOKENS : null)))
  return undefined
}

function toPrice(amounts: readonly unknown[]): ModelPrice | undefined {
  // Twelve digits hide the error of a multiplication.
  const [input = null, output = null, cache_read = null, cache_write = null] = amounts.map((amount) =>
    typeof amount === 'number' && Number.isFinite(amount) && amount >= 0
      ? Number(amount.toPrecision(12))
      : null,
  )
  if (input === null && output === null) return undefined
  return {
    input,
    output,
    cache_read,
    cache_write,
    currency: 'USD',
    as_of: new Date().toISOString().slice(0, 10),
  }
}
