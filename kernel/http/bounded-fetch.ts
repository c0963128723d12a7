import bytes from 'bytes'
import { createDeadline, type Deadline } from '../deadline.ts'
import { createGuardedFetch, MAX_RESPONSE } from './guarded-fetch.ts'

/** The bounds of one request of `host.fetch`. */
export interface FetchBounds {
  /** The most bytes of the body, unpacked; 10 MiB unless said otherwise, at most 64 MiB. */
  max_bytes?: number
  /** Milliseconds until the body has arrived; 30,000 unless said otherwise, at most an hour. */
  timeout_ms?: number
}

/**
 * A `fetch` for addresses that a user chose: it reaches public addresses and allowed hosts only, after redirects as well,
 * and throws ADDRESS_NOT_ALLOWED for others. A body that is too large or too slow ends with an error while it is read.
 */
export type BoundedFetch = (url: string | URL, init?: RequestInit & FetchBounds) => Promise<Response>

const MAX_BYTES = 10 * 1024 * 1024
const TIMEOUT_MS = 30_000
const LONGEST_TIMEOUT_MS = 3_600_000

/** Creates such a fetch; hosts in `allowHosts` are reached wherever they lie. */
export function createBoundedFetch(allowHosts: readonly string[]): BoundedFetch {
  const guarded = createGuardedFetch({ allowHosts })
  return async (url, { max_bytes = MAX_BYTES, timeout_ms = TIMEOUT_MS, signal, ...init } = {}) => {
    assertBound('max_bytes', max_bytes, MAX_RESPONSE)
    assertBound('timeout_ms', timeout_ms, LONGEST_TIMEOUT_MS)
    const deadline = createDeadline([signal ?? undefined], { milliseconds: timeout_ms })
    try {
      const response = await guarded.fetch(url, { ...init, signal: deadline.signal })
      if (!response.body) {
        deadline.release()
        return response
      }
      const refuse = () =>
        new Error(`The response of ${new URL(url).host} has more than ${bytes(max_bytes)}.`)
      if (Number(response.headers.get('content-length')) > max_bytes) throw refuse()
      return withBody(response, boundedBody(response.body, { maxBytes: max_bytes, refuse, deadline }))
    } catch (error) {
      deadline.abort(error)
      deadline.release()
      throw error
    }
  }
}

function assertBound(name: keyof FetchBounds, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new TypeError(`${name} of host.fetch must be an integer from 1 to ${most}`)
}

/** Returns a body that is read only as it is asked for, and lets go of its connection when it ends in any way. */
function boundedBody(
  body: ReadableStream<Uint8Array>,
  { maxBytes, refuse, deadline }: { maxBytes: number; refuse: () => Error; deadline: Deadline },
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let size = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) {
            deadline.release()
            return controller.close()
          }
          size += value.byteLength
          if (size > maxBytes) throw refuse()
          controller.enqueue(value)
        } catch (error) {
          deadline.abort(error)
          deadline.release()
          throw error
        }
      },
      cancel(reason) {
        deadline.release()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Returns a response with another body, and the address that it came from. */
function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url, redirected } = response
  const bounded = new Response(body, { status, statusText, headers })
  return Object.defineProperties(bounded, { url: { value: url }, redirected: { value: redirected } })
}
