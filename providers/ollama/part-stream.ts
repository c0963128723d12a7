import { randomUUID } from 'node:crypto'
import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import type { ChatResponse, ToolCall } from 'ollama/browser'

type Part = LanguageModelV3StreamPart

/** Converts the messages of one answer to stream parts, in order and up to the finish. */
export async function* toParts(answer: AsyncIterable<ChatResponse>): AsyncGenerator<Part, void, void> {
  let open: { type: 'text' | 'reasoning'; id: string } | undefined
  let blocks = 0
  let calls = 0
  let isDescribed = false

  function* close(): Generator<Part> {
    if (open) yield { type: `${open.type}-end`, id: open.id }
    open = undefined
  }

  function* add(type: 'text' | 'reasoning', delta: string | undefined): Generator<Part> {
    if (!delta) return
    if (open?.type !== type) {
      yield* close()
      open = { type, id: `${type}-${blocks++}` }
      yield { type: `${type}-start`, id: open.id }
    }
    yield { type: `${type}-delta`, id: open.id, delta }
  }

  for await (const { model, created_at, message, done, done_reason, ...counts } of answer) {
    if (!isDescribed) yield { type: 'response-metadata', modelId: model, timestamp: new Date(created_at) }
    isDescribed = true
    yield* add('reasoning', message?.thinking)
    yield* add('text', message?.content)
    for (const call of message?.tool_calls ?? []) {
      yield* close()
      yield* toCall(call)
      calls += 1
    }
    if (!done) continue
    yield* close()
    const unified = calls > 0 ? 'tool-calls' : (FINISH_REASONS[done_reason] ?? 'other')
    yield { type: 'finish', finishReason: { unified, raw: done_reason }, usage: toUsage(counts) }
  }
}

/** Converts a call, which arrives complete, and from older servers without an id. */
function* toCall(call: ToolCall & { id?: string }): Generator<Part> {
  const id = call.id || `call_${randomUUID()}`
  const { name: toolName } = call.function
  const input = JSON.stringify(call.function.arguments ?? {})
  yield { type: 'tool-input-start', id, toolName }
  yield { type: 'tool-input-delta', id, delta: input }
  yield { type: 'tool-input-end', id }
  yield { type: 'tool-call', toolCallId: id, toolName, input }
}

const FINISH_REASONS: Record<string, LanguageModelV3FinishReason['unified']> = {
  stop: 'stop',
  length: 'length',
}

type Counts = Partial<Pick<ChatResponse, 'prompt_eval_count' | 'eval_count'>>

/** Converts the counts; Ollama counts neither cached tokens nor thoughts separately. */
function toUsage({ prompt_eval_count: input, eval_count: output }: Counts): LanguageModelV3Usage {
  return {
    inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
    raw: {
      ...(input !== undefined && { prompt_eval_count: input }),
      ...(output !== undefined && { eval_count: output }),
    },
  }
}
