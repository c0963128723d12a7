import type { TokenUsage } from '#plugin-api'
import type { ModelSpending } from '../providers/types.ts'
import { toDay } from './periods.ts'
import type { UsageDocument } from './types.ts'

/** An upper bound for the tokens of one call; an upstream that reports more is wrong. */
const MAX_TOKENS = 1e12

/** Converts a call that ended at `ts` (Unix seconds) to its row. */
export function toUsageRow(
  { call_id, account, model, purpose, usage, is_estimated }: ModelSpending & { usage: TokenUsage },
  ts: number,
): UsageDocument {
  const { user_id, agent_id, thread_id } = account
  const input_tokens = toTokenCount(usage.input_tokens)
  const output_tokens = toTokenCount(usage.output_tokens)
  const cached_input_tokens = toTokenCount(usage.cached_input_tokens)
  const reasoning_tokens = toTokenCount(usage.reasoning_tokens)
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
    day: toDay(ts),
  }
}

/** Limits a token count reported by an upstream, which may be the account's own and could report anything. */
const toTokenCount = (said = 0): number =>
  Number.isFinite(said) ? Math.min(Math.max(0, Math.round(said)), MAX_TOKENS) : 0
