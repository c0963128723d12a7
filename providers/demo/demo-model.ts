import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import { type Answer, chooseAnswer } from './answer.ts'

type Finish = { finishReason: LanguageModelV3FinishReason; usage: LanguageModelV3Usage }

/** Makes the demonstration model; `delayMs` is the pause before each word. */
export function createDemoModel({ modelId, delayMs }: { modelId: string; delayMs: number }): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: 'demo',
    modelId,
    supportedUrls: {},
    async doStream(options) {
      const parts = writeParts(cut(chooseAnswer(options), options.maxOutputTokens), options)
      const signal = options.abortSignal
      signal?.throwIfAborted()
      const stream = new ReadableStream<LanguageModelV3StreamPart>({
        async pull(controller) {
          const { done, value } = parts.next()
          if (done) return controller.close()
          if (delayMs > 0 && value.type.endsWith('-delta'))
            await pause(delayMs, undefined, { signal }).catch((error) => {
              throw signal?.aborted ? signal.reason : error
            })
          signal?.throwIfAborted()
          controller.enqueue(value)
        },
      })
      return { stream }
    },
    async doGenerate(options) {
      const answer = cut(chooseAnswer(options), options.maxOutputTokens)
      const content: LanguageModelV3Content[] = []
      if (answer.thought) content.push({ type: 'reasoning', text: answer.thought })
      content.push({ type: 'text', text: answer.text })
      if (answer.call) content.push(toolCall(answer.call))
      return { content, ...finishOf(answer, options), warnings: [] }
    },
  }
}

function* writeParts(
  answer: Answer,
  options: LanguageModelV3CallOptions,
): Generator<LanguageModelV3StreamPart, void> {
  yield { type: 'stream-start', warnings: [] }
  for (const [type, text] of [
    ['reasoning', answer.thought],
    ['text', answer.text],
  ] as const) {
    if (!text) continue
    yield { type: `${type}-start`, id: type }
    for (const delta of toWords(text)) yield { type: `${type}-delta`, id: type, delta }
    yield { type: `${type}-end`, id: type }
  }
  if (answer.call) {
    const call = toolCall(answer.call)
    yield { type: 'tool-input-start', id: call.toolCallId, toolName: call.toolName }
    yield { type: 'tool-input-delta', id: call.toolCallId, delta: call.input }
    yield { type: 'tool-input-end', id: call.toolCallId }
    yield call
  }
  yield { type: 'finish', ...finishOf(answer, options) }
}

const toolCall = ({ name, input }: NonNullable<Answer['call']>) =>
  ({
    type: 'tool-call',
    toolCallId: `call_${randomUUID()}`,
    toolName: name,
    input: JSON.stringify(input),
  }) as const

/** Ends an answer where its limit of tokens, which are words here, is reached. */
function cut(answer: Answer, limit = Number.POSITIVE_INFINITY): Answer & { isCut?: boolean } {
  const words = toWords(answer.text)
  return words.length > limit ? { text: words.slice(0, limit).join(''), isCut: true } : answer
}

function finishOf(answer: Answer & { isCut?: boolean }, { prompt }: LanguageModelV3CallOptions): Finish {
  const unified = answer.call ? 'tool-calls' : answer.isCut ? 'length' : 'stop'
  const input = prompt.reduce((words, { content }) => words + countWords(textIn(content)), 0)
  const text = countWords(answer.text) + (answer.call ? countWords(JSON.stringify(answer.call.input)) : 0)
  const reasoning = countWords(answer.thought ?? '')
  return {
    finishReason: { unified, raw: undefined },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: undefined },
      outputTokens: { total: text + reasoning, text, reasoning },
    },
  }
}

/** Words with the blanks before them; Chinese, which has none, in pairs of characters. Joined they are the text. */
const toWords = (text: string): string[] =>
  text.match(/\s*(?:\p{Script=Han}{1,2}|[^\s\p{Script=Han}]+)|\s+/gu) ?? []

const textIn = (content: LanguageModelV3Message['content']): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => ('text' in part ? part.text : JSON.stringify(part))).join(' ')

const countWords = (text: string) => text.match(/\p{Script=Han}|[^\s\p{Script=Han}]+/gu)?.length ?? 0
