import { setTimeout as pause } from 'node:timers/promises'
import { readRetryAfter } from '#toolbox'
import { exchanges } from './exchange.ts'
import { ConnectorFailure } from './failure.ts'

/** The pause before a request is repeated if the server does not say how long to wait, in milliseconds. */
const SHORT_PAUSE_MS = 1000
/** The most repetitions of a request that the server limits. */
const MAX_TRIES = 5

/**
 * Returns a `fetch` that waits as long as a server says that limits how often it is asked, or is unavailable for a
 * moment, within the time of the request.
 */
export const patientFetch =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const exchange = exchanges.getStore()
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(input, init)
      const { status } = response
      const askedMs = readRetryAfter(response.headers)
      const isUnavailable = status === 503 && askedMs !== undefined
      if ((status !== 429 && !isUnavailable) || init?.method !== 'POST') return response
      const wait = askedMs ?? SHORT_PAUSE_MS
      const isOver = tries > (askedMs === undefined ? 1 : MAX_TRIES)
      const canWait = !isOver && exchange !== undefined && wait < exchange.millisecondsLeft()
      if (!canWait && isUnavailable) return response
      await response.body?.cancel()
      if (!canWait) throw toRateLimited(askedMs)
      await pause(wait, undefined, { signal: exchange.signal })
    }
  }

const toRateLimited = (milliseconds: number | undefined) =>
  new ConnectorFailure(
    'unavailable',
    milliseconds === undefined
      ? 'The server limits how often it is asked. Try again later.'
      : `The server limits how often it is asked. It can be asked again in ${Math.ceil(milliseconds / 1000)} seconds.`,
  )
