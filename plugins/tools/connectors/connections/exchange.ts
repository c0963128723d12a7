import { AsyncLocalStorage } from 'node:async_hooks'
import { createDeadline, createWorkClock } from '#plugin-api'
import { ConnectorFailure } from './failure.ts'

/** A request to a server, until its answer. */
export interface Exchange {
  /** Aborted when the wait for the answer ends. */
  readonly signal: AbortSignal
  /** Returns the time that is left for the answer. */
  millisecondsLeft(): number
  /** Ends the wait for the answer. */
  fail(failure: ConnectorFailure): void
}

/**
 * The exchange that code runs for: what sends a request over HTTP, and what reads the reply. The library does not tell
 * a transport which request a reply belongs to.
 */
export const exchanges = new AsyncLocalStorage<Exchange>()

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

/** The time of a request, which does not pass while a person is asked. */
export type WorkTime = ReturnType<typeof createWorkTime>

/** Starts the time of a request. */
export function createWorkTime({ silence, total = silence }: WorkLimits, outer: AbortSignal) {
  const { signal, abort, release } = createDeadline([outer])
  const silenceClock = createWorkClock(silence, () => abort(toTimeout(silence)))
  const totalClock = createWorkClock(total, () => abort(toEndless(total)))
  return {
    /** Aborted when the time is over, or with the outer signal. */
    signal,
    /** Returns the time until a server that says nothing has been silent for too long. */
    millisecondsLeft: () => Math.min(silenceClock.millisecondsLeft(), totalClock.millisecondsLeft()),
    /** Begins the time of silence anew, because the server has reported progress. */
    extend: silenceClock.restart,
    /** Waits for something that does not count. */
    pause: <Value>(work: Promise<Value>) => silenceClock.pauseFor(totalClock.pauseFor(work)),
    /** Aborts the signal. */
    fail: (failure: ConnectorFailure) => abort(failure),
    release() {
      silenceClock.stop()
      totalClock.stop()
      abort()
      release()
    },
  }
}
