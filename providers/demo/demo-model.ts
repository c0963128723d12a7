import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import type { StreamingModel } from '#plugin-api'
import { type Answer, chooseAnswer } from './answer.ts'

/** Creates the demonstration model; `delayMs` is the pause before each word. */
export function createDemoModel({ delayMs }: { delayMs: number }): StreamingModel {
  return {
    async doStream(options) {
      const parts = writeParts(cut(chooseAnswer(options), options.maxOutputTokens), options)
      const signal = options.abortSignal
      signal?.throwIfAborted()
      const stream = new ReadableStream<LanguageModelV3StreamPart>({
        async start(controller) {
          for (const part of parts) {
            if (delayMs > 0 && part.type.endsWith('-delta'))
              await pause(delayMs, undefined, { signal }).catch((error) => {
                throw signal?.aborted ? signal.reason : error
              })
            signal?.throwIfAborted()
            controller.enqueue(part)
          }
          controller.close()
        },
      })
      return { stream }
    },
  }
}

/** An answer, perhaps cut at its limit. */
type CutAnswer = Answer & { isCut?: boolean }

function writeParts(answer: CutAnswer, options: LanguageModelV3CallOptions): LanguageModelV3StreamPart[] {
  const parts: LanguageModelV3StreamPart[] = [{ type: 'stream-start', warnings: [] }]
  for (const [type, text] of [
    ['reasoning', answer.thought],
    ['text', answer.text],
  ] as const) {
    if (!text) continue
    parts.push({ type: `${type}-start`, id: type })
    for (const delta of toWords(text)) parts.push({ type: `${type}-delta`, id: type, delta })
    parts.push({ type: `${type}-end`, id: type })
  }
  if (answer.call) {
    const id = `call_${randomUUID()}`
    const toolName = answer.call.name
    const input = JSON.stringify(answer.call.input)
    parts.push(
      { type: 'tool-input-start', id, toolName },
      { type: 'tool-input-delta', id, delta: input },
      { type: 'tool-input-end', id },
      { type: 'tool-call', toolCallId: id, toolName, input },
    )
  }
  parts.push(createFinish(answer, options))
  return parts
}

/** Cuts an answer at its limit of tokens, which are words here. */
function cut(answer: Answer, limit = Number.POSITIVE_INFINITY): CutAnswer {
  const words = toWords(answer.text)
  return words.length > limit ? { text: words.slice(0, limit).join(''), isCut: true } : answer
}

function createFinish(answer: CutAnswer, { prompt }: LanguageModelV3CallOptions): LanguageModelV3StreamPart {
  const input = prompt.reduce((words, { content }) => words + countWords(readText(content)), 0)
  const text = countWords(answer.text) + (answer.call ? countWords(JSON.stringify(answer.call.input)) : 0)
  const reasoning = countWords(answer.thought ?? '')
  return {
    type: 'finish',
    finishReason: {
      unified: answer.call ? 'tool-calls' : answer.isCut ? 'length' : 'stop',
      raw: undefined,
    },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: undefined },
      outputTokens: { total: text + reasoning, text, reasoning },
    },
  }
}

/** Splits a text into words with the spaces before them, and Chinese, which has none, into pairs of characters. */
const toWords = (text: string): string[] =>
  text.match(/\s*(?:\p{Script=Han}{1,2}|[^\s\p{Script=Han}]+)|\s+/gu) ?? []

const readText = (content: LanguageModelV3Message['content']): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => ('text' in part ? part.text : JSON.stringify(part))).join(' ')

const countWords = (text: string) => text.match(/\p{Script=Han}|[^\s\p{Script=Han}]+/gu)?.length ?? 0
