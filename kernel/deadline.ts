/** A signal that is aborted with other signals, or when its time is over. */
export interface Deadline {
  signal: AbortSignal
  /** Restarts the time. */
  extend(): void
  abort(reason?: unknown): void
  /** Releases the timer and the other signals. */
  release(): void
}

const tookTooLong = () => new DOMException('The operation took too long.', 'TimeoutError')

/**
 * Starts a deadline. `AbortSignal.any` does not serve: Node.js 20 lets an `AbortSignal.timeout` that only it refers to be
 * collected, so that its listeners wait forever, and keeps something of each in the signals that it joins.
 */
export function createDeadline(
  signals: readonly (AbortSignal | undefined)[],
  { milliseconds, reason = tookTooLong }: { milliseconds?: number; reason?: () => unknown } = {},
): Deadline {
  const deadline = new AbortController()
  const timer =
    milliseconds === undefined ? undefined : setTimeout(() => deadline.abort(reason()), milliseconds)
  const followed = signals.filter((signal) => signal !== undefined)
  const follow = ({ target }: Event) => deadline.abort((target as AbortSignal).reason)
  for (const signal of followed) {
    if (signal.aborted) deadline.abort(signal.reason)
    signal.addEventListener('abort', follow)
  }
  return {
    signal: deadline.signal,
    extend: () => void timer?.refresh(),
    abort: (why) => deadline.abort(why),
    release() {
      clearTimeout(timer)
      for (const signal of followed) signal.removeEventListener('abort', follow)
    },
  }
}

/** Runs work with a signal that is aborted with one of these signals, or after `ms` milliseconds. */
export async function withDeadline<Result>(
  milliseconds: number,
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { signal, release } = createDeadline(signals, { milliseconds })
  try {
    return await work(signal)
  } finally {
    release()
  }
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it is aborted, whether or not the work heeds it. */
export function untilAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
