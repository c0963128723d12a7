import { AppError } from '#kernel'
import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'
import { createDeadline, type Deadline, findErrorCode } from '#toolbox'

/** A refusal by the platform, with its code. */
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

/** Pause after a rate limit without a stated time. */
const RATE_LIMIT_MS = 1000

/** The codes by reason; all others are `unknown`. */
const CODES: Partial<Record<ChannelFailureReason, number[]>> = {
  // Bad app_id, bad secret, both; the same from the connection; a new token that is refused as well.
  invalid_credentials: [10003, 10014, 99991543, 514, 99991661, 99991663, 99991668],
  // App disabled, scope missing; bot not in the chat, off, unavailable to the user, not allowed; content blocked.
  forbidden: [403, 99991662, 99991672, 230002, 230006, 230013, 230022, 230027, 230028, 300311],
  rate_limited: [99991400, 230020],
  // Message withdrawn, deleted, too old to change; chat dissolved; card gone, card too old.
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

/** Codes for a missing, expired or invalid token: a new token may help. */
export const TOKEN_REFUSALS: ReadonlySet<number> = new Set([99991661, 99991663, 99991668])

/** Codes for an answered message that is gone. */
export const MESSAGE_GONE: ReadonlySet<number> = new Set([230011, 230110])

/** Codes for a text that makes no valid card: too many tables or elements, an unknown image, broken marks. */
export const MARKUP_REFUSALS: ReadonlySet<number> = new Set([230099, 200220, 200621, 300305])

/** True if an error is a refusal with one of these codes. */
export const isRefusal = (error: unknown, codes: ReadonlySet<number>): boolean =>
  error instanceof FeishuRefusal && codes.has(error.code)

/** Classifies an unsuccessful reply; `detail` is scrubbed. */
export function toRefusal(
  { status, code, resetAfter }: { status: number; code: number; resetAfter?: string | null },
  detail: string,
): FeishuRefusal {
  const reason = status === 429 ? 'rate_limited' : (REASONS.get(code) ?? 'unknown')
  const message = `Feishu refused the call with code ${code}${detail && `: ${detail}`}`
  if (reason !== 'rate_limited') return new FeishuRefusal(code, reason, message)
  const seconds = Number(resetAfter)
  const retry_after_ms = seconds > 0 && Number.isFinite(seconds) ? Math.ceil(seconds * 1000) : RATE_LIMIT_MS
  return new FeishuRefusal(code, reason, message, { retry_after_ms })
}

/** Creates the failure for an unreadable answer, from Feishu or a proxy in front of it. */
export const toOutage = (status: number): ChannelFailure =>
  new ChannelFailure('unreachable', `Feishu answered with HTTP ${status} and an unreadable body.`)

/** Classifies the error of a request without an answer. */
export function toTransportFailure(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ChannelFailure || error instanceof AppError) return error
  if (signal.aborted) return toAbortFailure(signal.reason)
  const code = findErrorCode(error)
  return new ChannelFailure('unreachable', `Feishu cannot be reached${code ? ` (${code})` : ''}.`)
}

function toAbortFailure(reason: unknown): unknown {
  if ((reason as Error | undefined)?.name !== 'TimeoutError') return reason
  return new ChannelFailure('timeout', 'Feishu did not answer in time.')
}

/** Starts the time limit for an answer of Feishu. */
export const startDeadline = (milliseconds: number, ...signals: AbortSignal[]): Deadline =>
  createDeadline(signals, {
    milliseconds,
    reason: () => new ChannelFailure('timeout', `Feishu did not answer within ${milliseconds / 1000} s.`),
  })
