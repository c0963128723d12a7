import { ConnectorFailure } from './failure.ts'

/** The time of a request, which does not run while a person is asked. */
export interface WorkTime {
  /** Aborted when the time is over, or with the outer signal. */
  readonly signal: AbortSignal
  /** Returns the time that is left until a server that says nothing has been silent for too long. */
  millisecondsLeft(): number
  /** Begins the time of silence anew, because the server has reported progress. */
  extend(): void
  /** Waits for something that does not count. */
  pause<Value>(work: Promise<Value>): Promise<Value>
  /** Aborts the signal. */
  fail(failure: ConnectorFailure): void
  release(): void
}

/** The longest silence of a server, and the most time for a request, whatever the server reports; in milliseconds. */
export interface WorkLimits {
  silence: number
  total?: number
}

/** Returns the failure of a server that has not answered in this time. */
export const toTimeout = (milliseconds: number) =>
  new ConnectorFailure('timeout', `The server did not answer within ${milliseconds / 1000} seconds.`)

const toEndless = (milliseconds: number) =>
  new ConnectorFailure(
    'timeout',
    `The server reported progress, but did not answer within ${milliseconds / 1000} seconds.`,
  )

/** Starts the time of a request. */
export function createWorkTime({ silence, total = silence }: WorkLimits, outer: AbortSignal): WorkTime {
  const over = new AbortController()
  let silenceLeft = silence
  let totalLeft = total
  let paused = 0
  let begun = 0
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearTimeout(timer)
    const worked = performance.now() - begun
    silenceLeft -= worked
    totalLeft -= worked
  }
  const run = () => {
    begun = performance.now()
    const isSilenceFirst = silenceLeft <= totalLeft
    timer = setTimeout(
      () => over.abort(isSilenceFirst ? toTimeout(silence) : toEndless(total)),
      isSilenceFirst ? silenceLeft : totalLeft,
    )
  }
  const follow = () => over.abort(outer.reason)
  if (outer.aborted) follow()
  outer.addEventListener('abort', follow)
  run()
  return {
    signal: over.signal,
    millisecondsLeft: () => Math.min(silenceLeft, totalLeft) - (paused > 0 ? 0 : performance.now() - begun),
    extend() {
      if (paused === 0) stop()
      silenceLeft = silence
      if (paused === 0 && !over.signal.aborted) run()
    },
    async pause(work) {
      paused += 1
      if (paused === 1) stop()
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
