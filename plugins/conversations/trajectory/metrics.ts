import { addUsage, NO_USAGE, type TokenUsage, type TypeOf } from '#plugin-api'
import type { ReadEvent } from '../chat/ledger/ledger-reader.ts'
import type { metrics } from './schemas.ts'

/** The figures of a thread's turns. */
type Metrics = Omit<TypeOf<typeof metrics>, 'tokens'> & { tokens: Omit<TokenUsage, 'cost'> }
type ToolFigures = Metrics['tool_calls'][string]

/** Adds up the events of a thread. */
export async function measure(events: AsyncIterable<ReadEvent>): Promise<Metrics> {
  const tools = new Map<string, ToolFigures>()
  const firstTokens: number[] = []
  const time = { total_ms: 0, model_ms: 0, tool_ms: 0, waiting_ms: 0 }
  let tokens: TokenUsage = { ...NO_USAGE }
  let turns = 0
  let model_calls = 0
  let waited = 0
  /** The start of the turn in Unix milliseconds, until its first model call. */
  let began: number | undefined

  for await (const event of events) {
    const { type, frame, ts, ms = 0 } = event
    if (type === 'turn_started') {
      turns += 1
      waited = 0
      began = ts
    } else if (type === 'usage') {
      model_calls += 1
      tokens = addUsage(tokens, frame.usage)
      time.model_ms += ms
      if (began !== undefined && frame.message_id !== undefined) {
        // The event is written at the end of a call: its start follows from its duration, unless the clock was set
        // meanwhile.
        const { first_token_ms: first } = event
        if (typeof first === 'number') firstTokens.push(Math.max(first, ts - ms + first - began))
        began = undefined
      }
    } else if (type === 'tool_result') {
      const figures = tools.get(frame.name) ?? { count: 0, errors: 0, ms: 0 }
      tools.set(frame.name, {
        count: figures.count + 1,
        errors: figures.errors + (frame.is_error ? 1 : 0),
        ms: figures.ms + ms,
      })
      // The time of a delegated call is part of the call that delegates.
      if (frame.parent_tool_call_id === undefined) time.tool_ms += ms
    } else if (type === 'hitl_resolved') {
      waited += ms
      time.waiting_ms += ms
    } else if (type === 'done' || type === 'error') time.total_ms += Math.max(0, ms - waited)
  }
  firstTokens.sort((a, b) => a - b)
  const quantile = (share: number) => firstTokens[Math.ceil(firstTokens.length * share) - 1] ?? null
  const first_token_ms = { p50: quantile(0.5), p95: quantile(0.95) }
  const { cost = null, ...counts } = tokens
  return {
    turns,
    model_calls,
    tool_calls: Object.fromEntries(tools),
    tokens: counts,
    cost,
    time: { ...time, first_token_ms },
  }
}
