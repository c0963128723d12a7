import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider'
import { parseJson } from '#plugin-api'
import { createCallId, toCallInput } from '../call-input.ts'
import { toFinishReason } from '../finish-reason.ts'
import { createThoughtSplitter } from '../think-tags.ts'
import type { Failures } from './failure.ts'

type Part = LanguageModelV3StreamPart

/** A line of an answer, of which proxies and older servers send any other form as well. */
interface Line {
  model?: unknown
  created_at?: unknown
  message?: {
    content?: unknown
    thinking?: unknown
    reasoning?: unknown
    reasoning_content?: unknown
    tool_calls?: unknown
  } | null
  /** Instead of the message, from proxies of the other endpoint. */
  response?: unknown
  done?: unknown
  done_reason?: unknown
  prompt_eval_count?: unknown
  eval_count?: unknown
  /** The counts by the names of OpenAI. */
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null
}

interface CallFields {
  name?: unknown
  arguments?: unknown
  parameters?: unknown
}

/** A call, whose fields some proxies leave outside of `function`. */
interface Call extends CallFields {
  id?: unknown
  function?: CallFields | null
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
  const counts: Counts = {}
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
    const fields = call?.function ?? call ?? {}
    const toolName = toText(fields.name).trim()
    if (toolName === '') return
    close()
    calls += 1
    const id = toText(call!.id).trim() || createCallId()
    const input = toCallInput(fields.arguments ?? fields.parameters) || '{}'
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
    counts.input = toCount(line.prompt_eval_count ?? line.usage?.prompt_tokens) ?? counts.input
    counts.output = toCount(line.eval_count ?? line.usage?.completion_tokens) ?? counts.output
    const thought = toText(message?.thinking ?? message?.reasoning ?? message?.reasoning_content)
    const text = toText(message ? message.content : line.response)
    if (thought !== '') add('reasoning', thought)
    if (text !== '') splitter.write(text)
    for (const call of toCalls(message?.tool_calls)) addCall(call)
    if (line.done) {
      const raw = typeof done_reason === 'string' && done_reason !== '' ? done_reason : undefined
      splitter.end(calls > 0)
      // The server has only loaded the model; asked again, it answers.
      if (blocks + calls === 0 && (raw === 'load' || raw === 'unload')) throw failures.silent(raw)
      close()
      const reason = toFinishReason(raw, calls > 0)
      const hasCalled = calls > 0 && (reason.unified === 'stop' || reason.unified === 'other')
      const finishReason = hasCalled ? { ...reason, unified: 'tool-calls' as const } : reason
      parts.push({ type: 'finish', finishReason, usage: toUsage(counts) })
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

/** Reads a text, or a list of parts with texts. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map((part) => toText(part?.text ?? part)).join('')
  return typeof value === 'number' ? String(value) : ''
}

/** Reads calls from a list, from one call, from an object with calls by their index, or from text. */
function toCalls(value: unknown): (Call | null)[] {
  if (Array.isArray(value)) return value
  if (typeof value === 'string') return toCalls(parseList(value))
  if (typeof value !== 'object' || value === null) return []
  return 'function' in value || 'name' in value ? [value as Call] : Object.values(value)
}

function parseList(text: string): unknown[] {
  try {
    const value = parseJson(text)
    return Array.isArray(value) ? value : []
  } catch {
    // Words in this field are not a call.
    return []
  }
}

interface Counts {
  input?: number | undefined
  output?: number | undefined
}

/** Converts the counts; Ollama counts neither cached tokens nor thoughts separately, and a cached prompt not at all. */
function toUsage({ input, output }: Counts): LanguageModelV3Usage {
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
