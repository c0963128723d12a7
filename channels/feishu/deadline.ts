import { ChannelFailure } from '#kernel'

/** Aborts when its time is over, or when what it hangs on is aborted. */
export interface Deadline {
  signal: AbortSignal
  /** Starts the time anew. */
  extend(): void
  /** Lets go of timer and signals. */
  end(): void
}

/** Starts one; `AbortSignal.any` would leave something behind at the longest lived signal with every request. */
export function startDeadline(ms: number, ...signals: AbortSignal[]): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(
    () => controller.abort(new ChannelFailure('timeout', `Feishu did not answer within ${ms / 1000} s.`)),
    ms,
  )
  const follow = ({ target }: { target: unknown }) => controller.abort((target as AbortSignal).reason)
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason)
    else signal.addEventListener('abort', follow as (event: Event) => void, { once: true })
  }
  return {
    signal: controller.signal,
    extend: () => void timer.refresh(),
    end() {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', follow as (event: Event) => void)
    },
  }
}
