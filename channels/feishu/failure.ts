import {
  ChannelFailure,
  createDeadline,
  type Deadline,
  PlatformRefusal,
  toPlatformFailure,
} from '#plugin-api'
import { isAboutText, toReason } from './refusal-codes.ts'

/** Pause after a rate limit without a stated time. */
const RATE_LIMIT_MS = 1000

/** Classifies an unsuccessful reply; `detail` is scrubbed. */
export function toRefusal(
  { status, code, resetAfter }: { status: number; code: number; resetAfter?: string | null },
  detail: string,
): PlatformRefusal<number> {
  const reason = status === 429 ? 'rate_limited' : toReason(code)
  const message = `Feishu refused the call with code ${code}${detail && `: ${detail}`}`
  if (reason !== 'rate_limited')
    return new PlatformRefusal(code, reason, message, { is_about_text: isAboutText(code, detail) })
  const seconds = Number(resetAfter)
  const retry_after_ms = seconds > 0 && Number.isFinite(seconds) ? Math.ceil(seconds * 1000) : RATE_LIMIT_MS
  return new PlatformRefusal(code, reason, message, { retry_after_ms })
}

/** The statuses of a proxy for a body that is too long, and for too many requests. */
const TOO_LARGE = 413
const PASSING = new Set([408, 425, 429])

/** Creates the failure for an unreadable answer, from Feishu or a proxy in front of it. */
export function toOutage(status: number): ChannelFailure {
  const message = `Feishu answered with HTTP ${status} and an unreadable body.`
  if (status === TOO_LARGE) return new ChannelFailure('unsupported', message, { is_about_text: true })
  const isRefused = status >= 400 && status < 500 && !PASSING.has(status)
  return new ChannelFailure(isRefused ? 'unknown' : 'unreachable', message)
}

/** Classifies the error of a request without an answer. */
export const toTransportFailure = (error: unknown, signal: AbortSignal): unknown =>
  toPlatformFailure('Feishu', error, signal)

/** Starts the time limit for an answer of Feishu. */
export const startDeadline = (milliseconds: number, ...signals: AbortSignal[]): Deadline =>
  createDeadline(signals, { milliseconds })
