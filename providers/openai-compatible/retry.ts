import { setTimeout as pause } from 'node:timers/promises'
import { APICallError } from '@ai-sdk/provider'

/** How often a call is tried again. */
export const MAX_RETRIES = 2

/** Milliseconds before the first repetition; three times as many before the next. */
const FIRST_PAUSE = 400

/** Milliseconds that an upstream may ask us to wait; when it asks for more, its refusal is final. */
const LONGEST_PAUSE = 10_000

/** Makes a runner that repeats a task while it throws retryable errors, `limit` times in all. */
export function createRetry({ limit, signal }: { limit: number; signal?: AbortSignal }) {
  return async function retry<Result>(task: () => Promise<Result>): Promise<Result> {
    for (let n = 0; ; n++) {
      try {
        return await task()
      } catch (error) {
        if (n >= limit || signal?.aborted || !APICallError.isInstance(error) || !error.isRetryable)
          throw error
        const ms = askedPause(error) ?? FIRST_PAUSE * 3 ** n
        if (ms > LONGEST_PAUSE) throw error
        await pause(ms, undefined, { signal })
      }
    }
  }
}

/** `retry-after` is in seconds, or a date. */
function askedPause({ responseHeaders }: APICallError): number | undefined {
  const asked = responseHeaders?.['retry-after']
  if (!asked) return undefined
  const ms = /^[\d.]+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
