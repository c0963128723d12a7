import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import { createCallId, toCallInput } from '../call-input.ts'
import { createThoughtSplitter } from '../think-tags.ts'
import type { Failures } from './failure.ts'

type Part = LanguageModelV3StreamPart

/** A line of an answer, of which proxies and older servers send any other form as well. */
interface Line {
  model?: unknown
  created_at?: unknown
  message?: { content?: unknown; thinking?: unknown; tool_calls?: unknown } | null
  done?: unknown
  done_reason?: unknown
  prompt_eval_count?: unknown
  eval_count?: unknown
}

interface Call {
  id?: unknown
  function?: { name?: unknown; arguments?: unknown } | null
}

/** Converts the messages of one answer to stream parts, in order and up to the finish. */
export async function* toParts(
  answer: AsyncIterable<unknown>,
  failures: Failures,
): AsyncGenerator<Part, void, void> {
  let parts: Part[] = []
  let open: { type: 'text' | 'reasoning'; id: string } | undefined
  let blocks = 0
  let calls = 0
  let isDescribed = false
  const splitter = createThoughtSplitter(add)

  function close(): void {
    if (open) parts.push({ type: `${open.type}-end`, id: open.id })
    open = undefined
  }

  function add(type: 'text' | 'reasoning', delta: string): void {
    if (open?.type !== type) {
      close()
      open = { type, id: `${type}-${blocks++}` }
      parts.push({ type: `${type}-start`, id: open.id })
    }
    parts.push({ type: `${type}-delta`, id: open.id, delta })
  }

  /** Adds a call, which arrives complete, and from older servers without an id. */
  function addCall(call: Call | null): void {
    const toolName = toText(call?.function?.name)
    if (toolName === '') return
    close()
    calls += 1
    const id = toText(call!.id) || createCallId()
    const input = toCallInput(call!.function!.arguments) || '{}'
    parts.push(
      { type: 'tool-input-start', id, toolName },
      { type: 'tool-input-delta', id, delta: input },
      { type: 'tool-input-end', id },
      { type: 'tool-call', toolCallId: id, toolName, input },
    )
  }

  for await (const value of answer) {
    const line = value as Line
    const { message, done_reason } = line
    parts = []
    if (!isDescribed) parts.push(describe(line))
    isDescribed = true
    const thought = toText(message?.thinking)
    const text = toText(message?.content)
    if (thought !== '') add('reasoning', thought)
    if (text !== '') splitter.write(text)
    for (const call of toCalls(message?.tool_calls)) addCall(call)
    if (line.done) {
      const raw = typeof done_reason === 'string' && done_reason !== '' ? done_reason : undefined
      splitter.end(calls > 0)
      // The server has only loaded the model; asked again, it answers.
      if (blocks + calls === 0 && (raw === 'load' || raw === 'unload')) throw failures.silent(raw)
      close()
      const unified = calls > 0 && raw !== 'length' ? 'tool-calls' : toReason(raw)
      parts.push({ type: 'finish', finishReason: { unified, raw }, usage: toUsage(line) })
    }
    yield* parts
  }
}

function describe({ model, created_at }: Line): Part {
  const timestamp = new Date(typeof created_at === 'string' ? created_at : Number.NaN)
  return {
    type: 'response-metadata',
    ...(typeof model === 'string' && { modelId: model }),
    ...(!Number.isNaN(timestamp.getTime()) && { timestamp }),
  }
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

const toCalls = (value: unknown): (Call | null)[] =>
  Array.isArray(value) ? value : typeof value === 'object' && value !== null ? [value as Call] : []

/** Converts the reason; older servers do not name it. */
function toReason(raw: string | undefined): LanguageModelV3FinishReason['unified'] {
  if (raw === undefined || raw === 'stop') return 'stop'
  return raw === 'length' ? 'length' : 'other'
}

/** Converts the counts; Ollama counts neither cached tokens nor thoughts separately, and a cached prompt not at all. */
function toUsage({ prompt_eval_count, eval_count }: Line): LanguageModelV3Usage {
  const input = toCount(prompt_eval_count)
  const output = toCount(eval_count)
  return {
    inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
    raw: {
      ...(input !== undefined && { prompt_eval_count: input }),
      ...(output !== undefined && { eval_count: output }),
    },
  }
}

const toCount = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined
