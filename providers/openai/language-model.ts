import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider'
import type { ModelCallOptions, ProviderConnection, StreamingModel } from '#plugin-api'
import { withMendedEvents } from '../event-filter.ts'
import { askForJson } from '../json-answer.ts'
import { createAnswerFilter } from './answer-filter.ts'
import { createChatMender } from './chat-events.ts'
import { createClient, type OpenAIConnection } from './connection.ts'
import { isReasoning, toEffort } from './reasoning.ts'
import { createResponseMender } from './response-events.ts'

/** Opens a model; OpenAI does not store the conversation: thoughts arrive encrypted and return with the next step. */
export async function createLanguageModel(
  connection: OpenAIConnection,
  modelId: string,
): Promise<StreamingModel> {
  const { api, reasoning_effort, reasoning_summary } = connection.options
  const isChat = api === 'chat'
  const client = await createClient(withMending(connection, isChat))
  return withSettings(isChat ? client.chat(modelId) : client.responses(modelId), {
    name: 'openai',
    isChat,
    settings: (level, { canReason = isReasoning(modelId) }) => ({
      store: false,
      forceReasoning: canReason,
      ...(canReason && { reasoningEffort: level ? toEffort(level, modelId) : reasoning_effort }),
      ...(canReason && !isChat && { reasoningSummary: reasoning_summary }),
    }),
  })
}

/** Returns a connection whose answers are read tolerantly. */
export const withMending = <Connection extends Pick<ProviderConnection, 'fetch'>>(
  connection: Connection,
  isChat: boolean,
): Connection => ({
  ...connection,
  fetch: withMendedEvents(connection.fetch, isChat ? createChatMender : createResponseMender),
})

/** The smallest output limit that the Responses API accepts. */
const MIN_OUTPUT_TOKENS = 16

interface Settings {
  /** The key of provider options in the client library. */
  name: string
  isChat: boolean
  /** Returns the settings for a level; `canReason` is false if the upstream has refused settings of reasoning. */
  settings(level: ModelCallOptions['reasoning'], facts: { canReason?: false }): Record<string, unknown>
}

/** Wraps a model so that each call has the settings for its level and adaptations, and its answer is read. */
export function withSettings(model: StreamingModel, { name, isChat, settings }: Settings): StreamingModel {
  return {
    async doStream({ adaptations = [], ...options }) {
      const has = (adaptation: string) => adaptations.includes(adaptation)
      const { tools, providerOptions, reasoning, maxOutputTokens: limit, stopSequences, ...call } = options
      const chosen = settings(reasoning, has('no_reasoning') ? { canReason: false } : {})
      const sendsLimit = isChat && has('max_completion_tokens')
      const { stream, ...answer } = await model.doStream({
        ...call,
        ...askForFormat(call, has('json_in_words')),
        ...(has('no_sampling') && { temperature: undefined, topP: undefined }),
        ...(isChat && { stopSequences }),
        maxOutputTokens: isChat
          ? sendsLimit
            ? undefined
            : limit
          : limit && Math.max(limit, MIN_OUTPUT_TOKENS),
        tools: isChat ? tools : tools?.map(withoutStrictness),
        providerOptions: {
          ...providerOptions,
          [name]: {
            // A strict schema must require every property, which schemas of callers do not.
            strictJsonSchema: false,
            ...providerOptions?.[name],
            ...(chosen as SharedV3ProviderOptions[string]),
            ...(sendsLimit && { maxCompletionTokens: limit }),
            ...(has('max_tokens') && { forceReasoning: false }),
            ...(has('system_role') && { systemMessageMode: 'system' }),
          },
        },
        includeRawChunks: isChat,
      })
      const filtered = stream.pipeThrough(createAnswerFilter())
      // The Responses API has no stop sequences.
      const stops = isChat ? [] : (stopSequences ?? []).filter((sequence) => sequence !== '')
      return {
        ...answer,
        stream: stops.length > 0 ? filtered.pipeThrough(createStopFilter(stops)) : filtered,
      }
    },
  }
}

type Format = Pick<LanguageModelV3CallOptions, 'prompt' | 'responseFormat'>

/** Asks for JSON as the upstream accepts it: without a schema, the word has to be in the prompt. */
function askForFormat({ prompt, responseFormat }: Format, inWords: boolean): Format {
  if (responseFormat?.type !== 'json') return { prompt }
  if (inWords) return { prompt: askForJson(prompt, responseFormat), responseFormat: undefined }
  if (responseFormat.schema || mentionsJson(prompt)) return { prompt, responseFormat }
  return { prompt: askForJson(prompt, responseFormat), responseFormat }
}

const mentionsJson = (prompt: LanguageModelV3Prompt) =>
  prompt.some(({ role, content }) =>
    typeof content === 'string'
      ? /json/i.test(content)
      : role === 'user' && content.some((part) => part.type === 'text' && /json/i.test(part.text)),
  )

type Tool = NonNullable<LanguageModelV3CallOptions['tools']>[number]

/** Sets `strict` to false, without which the Responses API makes all parameters of a tool required. */
const withoutStrictness = (tool: Tool): Tool =>
  tool.type === 'function' ? { ...tool, strict: tool.strict ?? false } : tool

type Part = LanguageModelV3StreamPart

/**
 * Creates the filter that ends the text of an answer before a stop sequence, for an API that knows none. The end of a
 * text that may begin a sequence is held back.
 */
function createStopFilter(sequences: readonly string[]): TransformStream<Part, Part> {
  const longest = Math.max(0, ...sequences.map(({ length }) => length))
  let heldBack = ''
  let isStopped = false

  return new TransformStream({
    transform(part, controller) {
      if (part.type === 'finish' && isStopped)
        controller.enqueue({ ...part, finishReason: { unified: 'stop', raw: 'stop' } })
      else if (part.type === 'tool-call' && isStopped) return
      else if (part.type === 'text-delta') {
        if (isStopped) return
        const text = heldBack + part.delta
        const starts = sequences.map((sequence) => text.indexOf(sequence)).filter((index) => index >= 0)
        isStopped = starts.length > 0
        const end = isStopped ? Math.min(...starts) : Math.max(0, text.length - longest + 1)
        heldBack = isStopped ? '' : text.slice(end)
        if (end > 0) controller.enqueue({ ...part, delta: text.slice(0, end) })
      } else {
        if (part.type === 'text-end' && heldBack !== '') {
          controller.enqueue({ type: 'text-delta', id: part.id, delta: heldBack })
          heldBack = ''
        }
        controller.enqueue(part)
      }
    },
  })
}
