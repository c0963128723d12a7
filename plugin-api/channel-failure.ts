/** Why a platform cannot be used, in the contract's words. */
export const CHANNEL_FAILURES = [
  'missing_field',
  'invalid_credentials',
  'forbidden',
  'not_found',
  'rate_limited',
  'unreachable',
  'timeout',
  'already_connected',
  'unsupported',
  'unknown',
] as const

/** One of these. */
export type ChannelFailureReason = (typeof CHANNEL_FAILURES)[number]

/**
 * The error that a channel kind throws if it knows why a call failed. The message is shown to people, so it holds no
 * secret. A kind that imports nothing of ours throws any error with a `reason` and, if known, `retry_after_ms`.
 */
export class ChannelFailure extends Error {
  readonly reason: ChannelFailureReason
  /** Milliseconds for which the platform asks not to be called. */
  readonly retry_after_ms: number | undefined

  constructor(
    reason: ChannelFailureReason,
    message: string,
    { retry_after_ms, cause }: { retry_after_ms?: number; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.name = 'ChannelFailure'
    this.reason = reason
    this.retry_after_ms = retry_after_ms
  }
}
