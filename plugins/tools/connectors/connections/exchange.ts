import { AsyncLocalStorage } from 'node:async_hooks'
import type { ConnectorFailure } from './failure.ts'

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
