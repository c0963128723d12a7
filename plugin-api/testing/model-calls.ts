import type {
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolResultOutput,
} from '@ai-sdk/provider'
import { requestStream } from '#kernel'
import {
  beginAnswer,
  type ModelAnswer,
  readAnswer,
} from '../../plugins/conversations/chat/loop/model-answer.ts'
import { toAnswerMessages } from '../../plugins/conversations/chat/loop/model-context.ts'
import { usageOf } from '../../plugins/models/providers/counted-usage.ts'
import { explainFailure } from '../../plugins/models/providers/explained-failure.ts'
import type {
  ExplainedFailure,
  ModelCallOptions,
  ProviderConnection,
  ProviderKind,
  StreamingModel,
} from '../provider-kind.ts'
import { NO_USAGE } from '../token-usage.ts'

type Part = LanguageModelV3StreamPart

/** A connection without key and options, unless there are `more`. */
export const connectionTo = (
  base_url: string | undefined,
  more: Partial<ProviderConnection> = {},
): ProviderConnection => ({
  base_url,
  api_key: undefined,
  options: {},
  fetch,
  // A fetch of its own is the only way to the upstream.
  ...(!more.fetch && { request: requestStream }),
  ...more,
})

/** A message of the user. */
export const said = (text: string): LanguageModelV3Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
})

/** A short call, whose words no error may repeat. */
export const hello: ModelCallOptions = { prompt: [said('a private question')] }

/** A tool that takes whatever it is given. */
export const toolNamed = (name: string): LanguageModelV3FunctionTool => ({
  type: 'function',
  name,
  inputSchema: { type: 'object', properties: {} },
})

/** The conversation with what a model answered and the results of its tool calls, the last for all that remain. */
export const goOn = (
  prompt: readonly LanguageModelV3Message[],
  content: ModelAnswer['content'],
  ...outputs: LanguageModelV3ToolResultOutput[]
): LanguageModelV3Message[] => {
  const calls = content.filter((part) => part.type === 'tool-call')
  return [
    ...prompt,
    ...toAnswerMessages(content),
    ...calls.map(({ toolCallId, toolName }, n): LanguageModelV3Message => {
      const output = outputs[n] ?? outputs.at(-1) ?? { type: 'text', value: 'a.txt' }
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }
    }),
  ]
}

/** Collects the parts of a call, with the error that ended it, thrown or in its stream. `onPart` is awaited. */
export async function readParts(
  model: StreamingModel,
  options = hello,
  onPart: (part: Part) => unknown = () => {},
): Promise<{ parts: Part[]; error?: unknown }> {
  const parts: Part[] = []
  let error: unknown
  try {
    const { stream } = await model.doStream(options)
    for await (const part of stream) {
      parts.push(part)
      if (part.type === 'error') error ??= part.error
      await onPart(part)
    }
  } catch (thrown) {
    error = thrown
  }
  return { parts, error }
}

/** One call of a model: all of its answer as a turn reads it. Throws what the call throws or its stream reports. */
export async function callModel(model: StreamingModel, options = hello) {
  const { parts, error } = await readParts(model, options)
  if (error !== undefined) throw error
  const ignore = () => {}
  const listener = { onText: ignore, onReasoning: ignore, onToolCall: ignore, onUsage: ignore }
  const end = parts.find((part) => part.type === 'finish')
  if (!end)
    throw new Error(
      `the stream must end with a part of type finish, but it has ${parts.map(({ type }) => type).join(', ') || 'no parts'}`,
    )
  const { usage, finishReason } = end
  const counted = parts.map((part) =>
    part.type === 'finish' ? { ...part, tokens: usageOf(usage, () => NO_USAGE) } : part,
  )
  const begun = performance.now()
  const answer = await readAnswer(await beginAnswer(ReadableStream.from(counted)), listener, begun)
  return { ...answer, usage, finishReason, parts }
}

/** The text in parts, delta by delta; empty ones say nothing. */
export const wordsOf = (parts: readonly Part[]): string[] =>
  parts.flatMap((part) => (part.type === 'text-delta' && part.delta ? [part.delta] : []))

/** Returns the error that a promise rejects with; throws if it does not reject. */
export const errorOf = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => Promise.reject(new Error('the call did not fail')),
    (error: unknown) => error,
  )

/** The same, explained. */
export const failureOf = async (
  promise: PromiseLike<unknown>,
  kind: ProviderKind,
): Promise<ExplainedFailure> => explainFailure(await errorOf(promise), kind)

/** The list of a kind's models. */
export const listModels = (
  kind: ProviderKind,
  connection: ProviderConnection,
  signal = AbortSignal.timeout(5000),
) => kind.listModels(connection, signal)

/** The vectors of texts. */
export const embedTexts = async (
  kind: ProviderKind,
  connection: ProviderConnection,
  modelId: string,
  values = ['OK'],
) => (await kind.embeddingModel!(connection, modelId)).doEmbed({ values })

/** Waits until a server has seen that its client left. */
export const leaving = (aborted: AbortSignal): Promise<unknown> =>
  aborted.aborted ? Promise.resolve() : new Promise((resolve) => aborted.addEventListener('abort', resolve))
