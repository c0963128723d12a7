import { AppError } from '#kernel'
import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'

/** A refusal by the platform, with its own code. */
export class FeishuRefusal extends ChannelFailure {
  readonly code: number

  constructor(
    code: number,
    reason: ChannelFailureReason,
    message: string,
    options: { retry_after_ms?: number } = {},
  ) {
    super(reason, message, options)
    this.name = 'FeishuRefusal'
    this.code = code
  }
}

/** How long to wait where the platform says only that it is too much. */
const RATE_LIMIT_MS = 1000

/** The codes that say what to do about them; all others are `unknown`. */
const CODES: Partial<Record<ChannelFailureReason, number[]>> = {
  // Bad app_id, bad secret, both; the connection's own word for it; a token that is refused again after a new one.
  invalid_credentials: [10003, 10014, 99991543, 514, 99991661, 99991663, 99991668],
  // App disabled, scope missing; bot not in the chat, off, not offered to the user, not allowed; content blocked.
  forbidden: [403, 99991662, 99991672, 230002, 230006, 230013, 230022, 230027, 230028, 300311],
  rate_limited: [99991400, 230020],
  // Message withdrawn, deleted, too old to be changed; chat dissolved; card gone, card too old.
  not_found: [230011, 230110, 230031, 232009, 200740, 200750],
  // The message or the card is too long.
  unsupported: [230025, 200860],
  already_connected: [1000040350],
  // The connection's "busy" and "internal error".
  unreachable: [1, 1000040343],
}

const REASONS = new Map(
  Object.entries(CODES).flatMap(([reason, codes]) =>
    codes.map((code) => [code, reason as ChannelFailureReason] as const),
  ),
)

/** The token is missing, expired or not valid: a new one may help. */
export const TOKEN_REFUSALS: ReadonlySet<number> = new Set([99991661, 99991663, 99991668])

/** The message that is answered is gone. */
export const MESSAGE_GONE: ReadonlySet<number> = new Set([230011, 230110])

/** The card cannot be made of this text: too many tables or elements, an image that there is not, broken marks. */
export const MARKUP_REFUSALS: ReadonlySet<number> = new Set([230099, 200220, 200621, 300305])

/** Whether an error is a refusal with one of these codes. */
export const isRefusal = (error: unknown, codes: ReadonlySet<number>): boolean =>
  error instanceof FeishuRefusal && codes.has(error.code)

/** Sorts a reply that is no success; `detail` is scrubbed. */
export function refusalOf(
  { status, code, resetAfter }: { status: number; code: number; resetAfter?: string | null },
  detail: string,
): FeishuRefusal {
  const reason = status === 429 ? 'rate_limited' : (REASONS.get(code) ?? 'unknown')
  const message = `Feishu refused it with code ${code}${detail && `: ${detail}`}`
  if (reason !== 'rate_limited') return new FeishuRefusal(code, reason, message)
  const seconds = Number(resetAfter)
  const retry_after_ms = seconds > 0 && Number.isFinite(seconds) ? Math.ceil(seconds * 1000) : RATE_LIMIT_MS
  return new FeishuRefusal(code, reason, message, { retry_after_ms })
}

/** A server that is out of order, or something in front of it. */
export const outageOf = (status: number): ChannelFailure =>
  new ChannelFailure('unreachable', `Feishu answered with HTTP ${status} and nothing that can be read.`)

/** What a request without an answer is told as: what is known already, why it was aborted, or that nothing is there. */
export function sortTransportError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ChannelFailure || error instanceof AppError) return error
  if (signal.aborted) return sortAbort(signal.reason)
  const { code } = ((error as Error).cause ?? error) as { code?: unknown }
  const detail = typeof code === 'string' ? ` (${code})` : ''
  return new ChannelFailure('unreachable', `Feishu cannot be reached${detail}.`)
}

function sortAbort(reason: unknown): unknown {
  if ((reason as Error | undefined)?.name !== 'TimeoutError') return reason
  return new ChannelFailure('timeout', 'Feishu did not answer in time.')
}
