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

/** One of these. `rate_limited`, `unreachable` and `timeout` pass; `unknown` is tried three times; all others are final. */
export type ChannelFailureReason = (typeof CHANNEL_FAILURES)[number]

/**
 * The error that a channel kind throws if it knows why a call failed. The message is shown to people, so it holds no
 * secret. A kind that imports nothing of ours throws any error with a `reason` and, if known, `retry_after_ms` and
 * `is_about_text`.
 */
export class ChannelFailure extends Error {
  readonly reason: ChannelFailureReason
  /** Milliseconds for which the platform asks not to be called. */
  readonly retry_after_ms: number | undefined
  /** True if the platform refused the text itself (too long, empty, its marks): another form of it is sent once. */
  readonly is_about_text: boolean

  constructor(
    reason: ChannelFailureReason,
    message: string,
    {
      retry_after_ms,
      is_about_text = false,
      cause,
    }: { retry_after_ms?: number; is_about_text?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.name = 'ChannelFailure'
    this.reason = reason
    this.retry_after_ms = retry_after_ms
    this.is_about_text = is_about_text
  }
}
