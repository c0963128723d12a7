/** A signal that ends with others. */
export interface Deadline {
  signal: AbortSignal
  /** Ends it. */
  end(reason: unknown): void
  /** Lets go of the others. */
  release(): void
}

/**
 * Makes a signal that ends with the first of these. `AbortSignal.any` is not used because Node.js 20 collects an
 * `AbortSignal.timeout` that only it refers to, and what waits then waits for ever.
 */
export function createDeadline(...signals: (AbortSignal | undefined)[]): Deadline {
  const controller = new AbortController()
  const leaves = signals.flatMap((signal) => {
    if (!signal) return []
    const leave = () => controller.abort(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    return [() => signal.removeEventListener('abort', leave)]
  })
  return {
    signal: controller.signal,
    end: (reason) => controller.abort(reason),
    release() {
      for (const leave of leaves) leave()
    },
  }
}

/** Waits, but only so many milliseconds: then the deadline ends as `AbortSignal.timeout` would. */
export async function waitUntil<Result>(
  { end }: Deadline,
  milliseconds: number,
  coming: Promise<Result>,
): Promise<Result> {
  const timer = setTimeout(() => end(new DOMException('no answer', 'TimeoutError')), milliseconds)
  try {
    return await coming
  } finally {
    clearTimeout(timer)
  }
}
