import type { TokenUsage } from '#plugin-api'
import type { ModelCalled } from '../providers/types.ts'
import { dayOf } from './periods.ts'
import type { UsageDocument } from './types.ts'

/** More than any call takes: what an upstream says beyond it is no number of tokens. */
const MOST_TOKENS = 1e12

/** The row of a call that ended at this time, in Unix seconds. */
export function usageRow(
  { call_id, account, model, purpose, usage, is_estimated }: ModelCalled & { usage: TokenUsage },
  ts: number,
): UsageDocument {
  const { user_id, agent_id, thread_id } = account
  const input_tokens = countOf(usage.input_tokens)
  const output_tokens = countOf(usage.output_tokens)
  const cached_input_tokens = countOf(usage.cached_input_tokens)
  const reasoning_tokens = countOf(usage.reasoning_tokens)
  return {
    _id: call_id,
    user_id,
    agent_id,
    thread_id,
    model,
    provider: model.slice(0, model.indexOf(':')),
    purpose,
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    ...(cached_input_tokens && { cached_input_tokens }),
    ...(reasoning_tokens && { reasoning_tokens }),
    is_estimated,
    ts,
    day: dayOf(ts),
  }
}

/** A number of tokens; an upstream, which may be the account's own, could say anything. */
const countOf = (said = 0): number =>
  Number.isFinite(said) ? Math.min(Math.max(0, Math.round(said)), MOST_TOKENS) : 0
