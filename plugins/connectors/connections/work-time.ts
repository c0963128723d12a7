import { ConnectorFailure } from './failure.ts'

/** The time of a call, which does not run while a person is asked. */
export interface WorkTime {
  /** Aborted when the time is over, or with the outer signal. */
  signal: AbortSignal
  /** Waits for something that does not count. */
  pause<Value>(work: Promise<Value>): Promise<Value>
  release(): void
}

/** Starts the time of a call. */
export function createWorkTime(milliseconds: number, outer: AbortSignal): WorkTime {
  const over = new AbortController()
  let left = milliseconds
  let paused = 0
  let begun = 0
  let timer: NodeJS.Timeout | undefined
  const end = () =>
    over.abort(
      new ConnectorFailure('timeout', `The server did not answer within ${milliseconds / 1000} seconds.`),
    )
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
    release() {
      clearTimeout(timer)
      over.abort()
      outer.removeEventListener('abort', follow)
    },
  }
}
