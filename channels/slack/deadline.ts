import { ChannelFailure } from '#kernel'

/** A signal that is aborted with another, or with a `ChannelFailure` when the time is over, until it is stopped. */
export interface Deadline {
  signal: AbortSignal
  stop(): void
}

/** Starts one; the timer holds the signal, which `AbortSignal.timeout` would lose to the garbage collector. */
export function createDeadline(signal: AbortSignal, ms: number): Deadline {
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new ChannelFailure('timeout', 'Slack does not answer in time.')),
    ms,
  ).unref()
  return { signal: AbortSignal.any([signal, late.signal]), stop: () => clearTimeout(timer) }
}
