import { ConnectorFailure } from './failure.ts'

/** The time of a request, which does not run while a person is asked. */
export interface WorkTime {
  /** Aborted when the time is over, or with the outer signal. */
  signal: AbortSignal
  /** Waits for something that does not count. */
  pause<Value>(work: Promise<Value>): Promise<Value>
  /** Aborts the signal. */
  fail(failure: ConnectorFailure): void
  release(): void
}

/** Returns the failure of a server that has not answered in this time. */
export const toTimeout = (milliseconds: number) =>
  new ConnectorFailure('timeout', `The server did not answer within ${milliseconds / 1000} seconds.`)

/** Starts the time of a request. */
export function createWorkTime(milliseconds: number, outer: AbortSignal): WorkTime {
  const over = new AbortController()
  let left = milliseconds
  let paused = 0
  let begun = 0
  let timer: NodeJS.Timeout | undefined
  const end = () => over.abort(toTimeout(milliseconds))
  const run = () => {
    begun = performance.now()
    timer = setTimeout(end, left)
  }
  const follow = () => over.abort(outer.reason)
  if (outer.aborted) follow()
  outer.addEventListener('abort', follow)
  run()
  return {
    signal: over.signal,
    async pause(work) {
      paused += 1
      if (paused === 1) {
        clearTimeout(timer)
        left -= performance.now() - begun
      }
      try {
        return await work
      } finally {
        paused -= 1
        if (paused === 0 && !over.signal.aborted) run()
      }
    },
    fail: (failure) => over.abort(failure),
    release() {
      clearTimeout(timer)
      over.abort()
      outer.removeEventListener('abort', follow)
    },
  }
}
