import {
  type LanguageModelV3FilePart,
  type LanguageModelV3Message,
  type LanguageModelV3Prompt,
  type LanguageModelV3TextPart,
  type SharedV3Warning,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { type ModelCallOptions, toResultText } from '#plugin-api'
import { isReasoning, toEffort } from '../openai/reasoning.ts'
import type { AdaptationName } from './adaptations.ts'
import { convertAssistant, type History, toWireId } from './assistant-message.ts'
import type { Dialect } from './upstream.ts'

/** Converts a call to the body of a streamed chat completion, with a warning for each unsupported setting. */
export function buildRequest(
  modelId: string,
  options: ModelCallOptions,
  dialect: Dialect,
): { body: Record<string, unknown>; warnings: SharedV3Warning[] } {
  const { tools = [], toolChoice, responseFormat } = options
  const has = (name: AdaptationName) => options.adaptations?.includes(name) === true
  const history = chooseHistory(modelId, dialect, has)
  const format = chooseFormat(responseFormat, {
    canSchema: !has('no_json_schema'),
    canFormat: !has('no_response_format'),
  })
  const limitField = has('max_completion_tokens') ? 'max_completion_tokens' : dialect.limitField
  const warnings: SharedV3Warning[] = []
  if (options.topK !== undefined) warnings.push({ type: 'unsupported', feature: 'topK' })
  const functions = tools.flatMap((tool) => {
    if (tool.type === 'function') {
      const { name, description, inputSchema, strict } = tool
      return { type: 'function', function: { name, description, parameters: inputSchema, strict } }
    }
    warnings.push({ type: 'unsupported', feature: `provider tool ${tool.id}` })
    return []
  })
  const body = {
    model: modelId,
    messages: convertPrompt(withWords(options.prompt, format.words), history),
    stream: true,
    stream_options: has('no_stream_options') ? undefined : { include_usage: true },
    usage: dialect.reportsCost ? { include: true } : undefined,
    [limitField]: has('no_max_tokens') ? undefined : options.maxOutputTokens,
    ...(has('no_sampling') ? undefined : chooseSampling(modelId, options, dialect)),
    reasoning_effort: has('no_reasoning_effort') ? undefined : chooseEffort(modelId, options, dialect),
    stop: has('no_stop') ? undefined : options.stopSequences,
    response_format: format.response_format,
    ...(functions.length > 0 && {
      tools: functions,
      tool_choice: has('no_tool_choice')
        ? undefined
        : toolChoice?.type === 'tool'
          ? { type: 'function', function: { name: toolChoice.toolName } }
          : toolChoice?.type,
    }),
  }
  return { body, warnings }
}

/** Chooses the sampling settings; OpenAI's models refuse those that they do not support. */
function chooseSampling(
  modelId: string,
  { temperature, topP: top_p, frequencyPenalty, presencePenalty, seed }: ModelCallOptions,
  { isOpenAI }: Dialect,
): object {
  const isFixed = isOpenAI && isReasoning(modelId)
  return {
    temperature: isFixed ? undefined : temperature,
    top_p: isFixed ? undefined : top_p,
    frequency_penalty: frequencyPenalty,
    presence_penalty: presencePenalty,
    seed,
  }
}

/** Chooses the effort; the level `off` becomes `none`, the word of most gateways and servers. */
function chooseEffort(modelId: string, { reasoning }: ModelCallOptions, { isOpenAI }: Dialect) {
  if (!isOpenAI) return reasoning === 'off' ? 'none' : reasoning
  return reasoning && isReasoning(modelId) ? toEffort(reasoning, modelId) : undefined
}

/** The models that refuse a call of theirs that comes back without thoughts, by the ids at their vendors. */
const THINKERS = /deepseek-(reasoner|v[4-9])|kimi-(k[3-9]|k2-thinking|k2\.[5-9]|thinking)/i

/** Mistral's models, whose servers take ids of 9 letters or digits, and no user after results of tools. */
const MISTRAL = /(mis|magis|devs|minis|codes|pix|mix)tral/i
/** The longest id of a call that OpenAI takes. */
const MAX_ID_CHARS = 40

/** Chooses the form in which earlier answers go back to this upstream. */
function chooseHistory(modelId: string, dialect: Dialect, has: (name: AdaptationName) => boolean): History {
  const isMistral = dialect.isMistral || MISTRAL.test(modelId)
  return {
    hasThoughts: !has('no_reasoning_content'),
    needsThoughts: has('empty_reasoning_content') || (dialect.needsThoughts && THINKERS.test(modelId)),
    maxIdChars: has('short_call_ids') || isMistral ? 9 : MAX_ID_CHARS,
    needsAnswers: has('answer_after_results') || isMistral,
  }
}

/** Adds words to the instructions, because some templates accept only one message of the system. */
function withWords(prompt: LanguageModelV3Prompt, words: string | undefined): LanguageModelV3Prompt {
  if (words === undefined) return prompt
  const [first, ...others] = prompt
  return first?.role === 'system'
    ? [{ ...first, content: `${first.content}\n\n${words}` }, ...others]
    : [{ role: 'system', content: words }, ...prompt]
}

/** The answer between results of tools and what a user says next. */
const BRIDGE = { role: 'assistant', content: 'I have the results.' }

const convertPrompt = (prompt: LanguageModelV3Prompt, history: History): object[] =>
  prompt.flatMap((message, index) => {
    const followsResults = message.role === 'user' && prompt[index - 1]?.role === 'tool'
    return [followsResults && history.needsAnswers ? BRIDGE : [], convertMessage(message, history)].flat()
  })

function convertMessage(message: LanguageModelV3Message, history: History): object | object[] {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content }
    case 'user':
      return { role: 'user', content: convertUserContent(message.content) }
    case 'assistant':
      return convertAssistant(message.content, history)
    case 'tool':
      return message.content
        .filter((part) => part.type === 'tool-result')
        .map(({ toolCallId, output }) => ({
          role: 'tool',
          tool_call_id: toWireId(toolCallId, history.maxIdChars),
          content: toResultText(output),
        }))
  }
}

type UserPart = LanguageModelV3TextPart | LanguageModelV3FilePart

function convertUserContent(content: UserPart[]): string | object[] {
  // Several servers refuse a list of texts.
  if (content.every((part) => part.type === 'text')) return content.map(({ text }) => text).join('\n\n')
  return content.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : convertFile(part)))
}

function convertFile({ mediaType, data, filename }: LanguageModelV3FilePart): object {
  if (mediaType.startsWith('image/')) {
    const type = mediaType === 'image/*' ? 'image/jpeg' : mediaType
    // An image with an address is not downloaded here.
    const url = data instanceof URL ? data.href : `data:${type};base64,${toBase64(data)}`
    return { type: 'image_url', image_url: { url } }
  }
  if (!(data instanceof URL)) {
    if (mediaType.startsWith('text/'))
      return { type: 'text', text: Buffer.from(toBase64(data), 'base64').toString('utf8') }
    if (mediaType === 'application/pdf') {
      const file_data = `data:application/pdf;base64,${toBase64(data)}`
      return { type: 'file', file: { filename: filename ?? 'document.pdf', file_data } }
    }
    const format = AUDIO_FORMATS[mediaType]
    if (format) return { type: 'input_audio', input_audio: { data: toBase64(data), format } }
  }
  throw new UnsupportedFunctionalityError({ functionality: `a file of type ${mediaType}` })
}

const AUDIO_FORMATS: Record<string, string> = { 'audio/wav': 'wav', 'audio/mp3': 'mp3', 'audio/mpeg': 'mp3' }

const toBase64 = (data: string | Uint8Array) =>
  typeof data === 'string'
    ? data
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')

type Format = ModelCallOptions['responseFormat']

/** The request for an answer in JSON. */
interface FormatRequest {
  response_format?: object
  /** Asks for it if the upstream has no setting. */
  words?: string
}

/** Chooses how to ask for an answer in JSON: by its schema, by the mode, or in words. */
function chooseFormat(
  format: Format,
  { canSchema, canFormat }: { canSchema: boolean; canFormat: boolean },
): FormatRequest {
  if (format?.type !== 'json') return {}
  const { schema, name = 'answer', description } = format
  if (schema && canSchema && canFormat) {
    const json_schema = { name, description, schema, strict: isStrict(schema) }
    return { response_format: { type: 'json_schema', json_schema } }
  }
  const isAsked = schema !== undefined || !canFormat
  return {
    ...(canFormat && { response_format: { type: 'json_object' } }),
    ...(isAsked && { words: describeFormat(schema) }),
  }
}

const describeFormat = (schema: unknown): string =>
  schema === undefined
    ? 'Answer with one JSON object and nothing else.'
    : `Answer with one JSON object and nothing else. It must match this JSON Schema: ${JSON.stringify(schema)}`

/** True for a schema that OpenAI enforces: every object names all of its properties and no others. */
function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  if (Array.isArray(schema)) return schema.every(isStrict)
  const { type, properties, required, additionalProperties } = schema as Record<string, unknown>
  if (type === 'object' || properties !== undefined) {
    const names = Object.keys((properties as object | undefined) ?? {})
    if (additionalProperties !== false) return false
    if (!Array.isArray(required) || !names.every((name) => required.includes(name))) return false
  }
  return Object.values(schema).every(isStrict)
}
