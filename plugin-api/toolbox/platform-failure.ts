import { AppError } from '#kernel'
import { ChannelFailure, type ChannelFailureReason } from '../channel-failure.ts'
import { findErrorCode, findNetworkFailure } from './thrown-error.ts'

/** A refusal by a messaging platform, with the platform's code. */
export class PlatformRefusal<Code extends number | string = number | string> extends ChannelFailure {
  readonly code: Code
  /** The HTTP status of the answer, if the kind needs it. */
  readonly status: number | undefined

  constructor(
    code: Code,
    reason: ChannelFailureReason,
    message: string,
    { status, ...details }: { status?: number; retry_after_ms?: number; is_about_text?: boolean } = {},
  ) {
    super(reason, message, details)
    this.code = code
    this.status = status
  }
}

/** True if an error is a refusal with one of these codes. */
export const isRefusal = <Code extends number | string>(
  error: unknown,
  codes: ReadonlySet<Code>,
): error is PlatformRefusal<Code> => error instanceof PlatformRefusal && codes.has(error.code)

/** Maps each code to the reason under which it is listed. */
export const indexReasons = <Code extends number | string>(
  codesByReason: Partial<Record<ChannelFailureReason, readonly Code[]>>,
): ReadonlyMap<Code, ChannelFailureReason> =>
  new Map(
    Object.entries(codesByReason).flatMap(([reason, codes]) =>
      codes.map((code) => [code, reason as ChannelFailureReason]),
    ),
  )

/** Codes with one meaning; the words are shown to people. */
type RefusalMeaning = [reason: ChannelFailureReason, words: string, codes: readonly number[]]

/** Maps each code to its meaning. */
export const indexMeanings = (
  meanings: readonly RefusalMeaning[],
): ReadonlyMap<number, { reason: ChannelFailureReason; words: string }> =>
  new Map(meanings.flatMap(([reason, words, codes]) => codes.map((code) => [code, { reason, words }])))

/**
 * Classifies the error of a request or a connection to a platform that ended without an answer. Returns the reason of
 * an aborted signal as it is, unless its time was over. The message has no more than a code of the error, which may
 * contain an address with a secret.
 */
export function toPlatformFailure(platform: string, thrown: unknown, signal?: AbortSignal): unknown {
  const error = signal?.aborted && !(thrown instanceof ChannelFailure) ? signal.reason : thrown
  if (error instanceof ChannelFailure || error instanceof AppError) return error
  if (findNetworkFailure(error)?.reason === 'timeout' || isLateHandshake(error))
    return new ChannelFailure('timeout', `${platform} did not answer in time.`)
  if (signal?.aborted) return error
  const code = findErrorCode(error)
  return new ChannelFailure('unreachable', `${platform} cannot be reached${code ? ` (${code})` : ''}.`)
}

/** True for the error of the package `ws` that has no code. */
const isLateHandshake = (error: unknown) =>
  error instanceof Error && error.message.includes('handshake has timed out')
