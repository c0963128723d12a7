/** One signal for several, until it is released. Unlike `AbortSignal.any` it stays with none of them when somebody listens to it. */
export function joinSignals(signals: (AbortSignal | undefined)[]): {
  signal: AbortSignal
  abort(reason: unknown): void
  release(): void
} {
  const joined = new AbortController()
  const given = signals.filter((signal) => signal !== undefined)
  const follow = (event: Event) => joined.abort((event.target as AbortSignal).reason)
  for (const signal of given) {
    if (signal.aborted) joined.abort(signal.reason)
    signal.addEventListener('abort', follow)
  }
  return {
    signal: joined.signal,
    abort: (reason) => joined.abort(reason),
    release() {
      for (const signal of given) signal.removeEventListener('abort', follow)
    },
  }
}
