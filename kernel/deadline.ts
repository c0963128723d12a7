/**
 * Does work that must end with one of these signals, or after so many milliseconds: then the signal that it is given is
 * aborted, with a TimeoutError. `AbortSignal.any` does not serve, because Node.js 20 lets an `AbortSignal.timeout` that
 * only it refers to be collected, and what waits for it waits for ever.
 */
export async function withDeadline<Result>(
  milliseconds: number,
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController()
  const timer = setTimeout(
    () => deadline.abort(new DOMException('The operation took too long.', 'TimeoutError')),
    milliseconds,
  )
  const follow = ({ target }: Event) => deadline.abort((target as AbortSignal).reason)
  for (const signal of signals) {
    if (signal.aborted) deadline.abort(signal.reason)
    signal.addEventListener('abort', follow, { once: true })
  }
  try {
    return await work(deadline.signal)
  } finally {
    clearTimeout(timer)
    for (const signal of signals) signal.removeEventListener('abort', follow)
  }
}
