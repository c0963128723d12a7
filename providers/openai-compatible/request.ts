import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3TextPart,
  SharedV3Warning,
} from '@ai-sdk/provider'
import { UnsupportedFunctionalityError } from '@ai-sdk/provider'
import type { ModelCallOptions } from '#plugin-api'
import { toResultText } from '#toolbox'
import { isReasoning, toEffort } from '../openai/reasoning.ts'
import { METADATA_KEY } from './thoughts.ts'
import type { Dialect } from './upstream.ts'

/** Converts a call to the body of a streamed chat completion, with a warning for each unsupported setting. */
export function buildRequest(
  modelId: string,
  options: ModelCallOptions,
  dialect: Dialect,
): { body: Record<string, unknown>; warnings: SharedV3Warning[] } {
  const { tools = [], toolChoice, responseFormat } = options
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
    messages: convertPrompt(options.prompt),
    stream: true,
    stream_options: { include_usage: true },
    [dialect.limitField]: options.maxOutputTokens,
    ...chooseSampling(modelId, options, dialect),
    frequency_penalty: options.frequencyPenalty,
    presence_penalty: options.presencePenalty,
    seed: options.seed,
    stop: options.stopSequences,
    response_format: responseFormat?.type === 'json' ? { type: 'json_object' } : undefined,
    ...(functions.length > 0 && {
      tools: functions,
      tool_choice:
        toolChoice?.type === 'tool'
          ? { type: 'function', function: { name: toolChoice.toolName } }
          : toolChoice?.type,
    }),
  }
  return { body, warnings }
}

/** Chooses the sampling settings; the level `off` becomes `none`, the word of most gateways and servers. */
function chooseSampling(
  modelId: string,
  { temperature, topP: top_p, reasoning }: ModelCallOptions,
  { isOpenAI }: Dialect,
): object {
  if (!isOpenAI) return { temperature, top_p, reasoning_effort: reasoning === 'off' ? 'none' : reasoning }
  // OpenAI's models refuse settings that they do not support.
  return isReasoning(modelId)
    ? { reasoning_effort: reasoning && toEffort(reasoning, modelId) }
    : { temperature, top_p }
}

function convertPrompt(prompt: LanguageModelV3Prompt): object[] {
  const turnStart = prompt.findLastIndex(({ role }) => role === 'user')
  return prompt.flatMap((message, index) => convertMessage(message, index > turnStart))
}

function convertMessage(message: LanguageModelV3Message, inTurn: boolean): object | object[] {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content }
    case 'user':
      return { role: 'user', content: convertUserContent(message.content) }
    case 'assistant':
      return convertAssistant(message.content, inTurn)
    case 'tool':
      return message.content
        .filter((part) => part.type === 'tool-result')
        .map(({ toolCallId, output }) => ({
          role: 'tool',
          tool_call_id: toolCallId,
          content: toResultText(output),
        }))
  }
}

type UserPart = LanguageModelV3TextPart | LanguageModelV3FilePart

function convertUserContent(content: UserPart[]): string | object[] {
  const [first] = content
  if (content.length === 1 && first!.type === 'text') return first!.text
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

type AssistantPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number]

function convertAssistant(content: AssistantPart[], inTurn: boolean): object {
  const joinText = (type: 'text' | 'reasoning') =>
    content.reduce((text, part) => (part.type === type ? text + part.text : text), '')
  const toolCalls = content
    .filter((part) => part.type === 'tool-call')
    .map(({ toolCallId, toolName, input, providerOptions }) => ({
      id: toolCallId,
      type: 'function',
      function: { name: toolName, arguments: JSON.stringify(input ?? {}) },
      ...providerOptions?.[METADATA_KEY],
    }))
  const text = joinText('text')
  // Thinking upstreams expect their thoughts back between the tool calls of one turn, but none from earlier turns.
  const reasoning = inTurn ? joinText('reasoning') : ''
  return {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  }
}
