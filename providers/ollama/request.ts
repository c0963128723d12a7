import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3TextPart,
  SharedV3Warning,
} from '@ai-sdk/provider'
import { UnsupportedFunctionalityError } from '@ai-sdk/provider'
import type { ChatRequest, Message, Tool } from 'ollama/browser'
import { type ModelCallOptions, toResultText } from '#plugin-api'
import { toCallInput } from '../call-input.ts'
import type { OllamaOptions } from './connection.ts'

/** Converts a call to Ollama's terms, with a warning for each unsupported setting. */
export function buildRequest(
  modelId: string,
  call: ModelCallOptions,
  { contextLength, keepAlive, think }: OllamaOptions,
): { request: WireRequest; warnings: SharedV3Warning[] } {
  const { tools = [], toolChoice, responseFormat } = call
  const warnings: SharedV3Warning[] = []
  const functions = tools.flatMap((tool): Tool[] => {
    if (tool.type === 'function') {
      const { name, description, inputSchema } = tool
      return [{ type: 'function', function: { name, description, parameters: inputSchema as object } }]
    }
    warnings.push({ type: 'unsupported', feature: `provider tool ${tool.id}` })
    return []
  })
  if (toolChoice?.type === 'required' || toolChoice?.type === 'tool')
    warnings.push({ type: 'unsupported', feature: `toolChoice ${toolChoice.type}` })
  const request: WireRequest = {
    model: modelId,
    // Otherwise a server drops the beginning of a prompt that is too long, and answers as if it had read all.
    truncate: false,
    messages: call.prompt.flatMap(convertMessage),
    tools: functions.length > 0 && toolChoice?.type !== 'none' ? functions : undefined,
    format: responseFormat?.type === 'json' ? (responseFormat.schema ?? 'json') : undefined,
    think: call.adaptations?.includes('no_thinking')
      ? undefined
      : call.reasoning
        ? toThink(call.reasoning, modelId)
        : think,
    keep_alive: keepAlive,
    options: {
      num_ctx: contextLength,
      num_predict: call.maxOutputTokens,
      temperature: call.temperature,
      top_p: call.topP,
      top_k: call.topK,
      presence_penalty: call.presencePenalty,
      frequency_penalty: call.frequencyPenalty,
      seed: call.seed,
      stop: call.stopSequences,
    },
  }
  return { request, warnings }
}

/** Converts a level: gpt-oss has levels and always thinks; other models that think only have on and off. */
const toThink = (level: NonNullable<ModelCallOptions['reasoning']>, modelId: string): ChatRequest['think'] =>
  /gpt-oss/.test(modelId) ? (level === 'off' ? 'low' : level) : level !== 'off'

/** A request on the wire; older servers ignore `truncate` and always shorten. */
type WireRequest = ChatRequest & { truncate: boolean }

/** A message on the wire; newer servers match results with calls by their ids as well. */
type WireMessage = Message & { tool_call_id?: string }

function convertMessage(message: LanguageModelV3Message): WireMessage | WireMessage[] {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content }
    case 'user':
      return convertUser(message.content)
    case 'assistant':
      return convertAssistant(message.content)
    case 'tool':
      return message.content
        .filter((part) => part.type === 'tool-result')
        .map(({ toolCallId, toolName, output }) => ({
          role: 'tool',
          tool_name: toolName,
          tool_call_id: toolCallId,
          content: toResultText(output),
        }))
  }
}

function convertUser(content: (LanguageModelV3TextPart | LanguageModelV3FilePart)[]): WireMessage {
  const texts: string[] = []
  const images: string[] = []
  for (const part of content) {
    if (part.type === 'text') texts.push(part.text)
    else if (part.data instanceof URL) throw unsupported('a file by its URL')
    else if (part.mediaType.startsWith('image/')) images.push(toBytes(part.data).toString('base64'))
    else if (part.mediaType.startsWith('text/')) texts.push(toBytes(part.data).toString('utf8'))
    else throw unsupported(`a file of type ${part.mediaType}`)
  }
  return { role: 'user', content: texts.join('\n'), ...(images.length > 0 && { images }) }
}

const unsupported = (functionality: string) => new UnsupportedFunctionalityError({ functionality })

const toBytes = (data: string | Uint8Array) =>
  typeof data === 'string' ? Buffer.from(data, 'base64') : Buffer.from(data)

type AssistantPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number]

function convertAssistant(content: AssistantPart[]): WireMessage {
  const joinText = (type: 'text' | 'reasoning') =>
    content.reduce((text, part) => (part.type === type ? text + part.text : text), '')
  const tool_calls = content
    .filter((part) => part.type === 'tool-call')
    .map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      function: { name: toolName, arguments: toObject(input) },
    }))
  const thinking = joinText('reasoning')
  return {
    role: 'assistant',
    content: joinText('text'),
    ...(thinking !== '' && { thinking }),
    ...(tool_calls.length > 0 && { tool_calls }),
  }
}

/** Wraps arguments that are not an object, which other models may have produced: this wire only accepts objects. */
function toObject(input: unknown): Record<string, unknown> {
  const value = typeof input === 'string' ? parse(toCallInput(input)) : input
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : { input }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The text itself is wrapped.
    return text
  }
}
