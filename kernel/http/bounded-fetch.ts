import bytes from 'bytes'
import { createDeadline } from '../deadline.ts'
import { createGuardedFetch } from './guarded-fetch.ts'

/** The bounds of one request of `host.fetch`. */
export interface FetchBounds {
  /** The most bytes of the body, unpacked; 10 MiB unless said otherwise. */
  max_bytes?: number
  /** Milliseconds until the body has arrived; 30,000 unless said otherwise. */
  timeout_ms?: number
}

/**
 * A `fetch` for addresses that a user chose: it reaches public addresses and allowed hosts only, after redirects as well,
 * and throws ADDRESS_NOT_ALLOWED for others. A body that is too large or too slow ends with an error while it is read.
 */
export type BoundedFetch = (url: string | URL, init?: RequestInit & FetchBounds) => Promise<Response>

const MAX_BYTES = 10 * 1024 * 1024
const TIMEOUT_MS = 30_000

/** Creates such a fetch; hosts in `allowHosts` are reached wherever they lie. */
export function createBoundedFetch(allowHosts: readonly string[]): BoundedFetch {
  const guarded = createGuardedFetch({ allowHosts })
  return async (url, { max_bytes = MAX_BYTES, timeout_ms = TIMEOUT_MS, signal, ...init } = {}) => {
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
      return withBody(response, boundedPieces(response.body, max_bytes, refuse, deadline.release))
    } catch (error) {
      deadline.abort(error)
      deadline.release()
      throw error
    }
  }
}

async function* boundedPieces(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  refuse: () => Error,
  release: () => void,
) {
  let size = 0
  try {
    for await (const piece of body) {
      size += piece.byteLength
      if (size > maxBytes) throw refuse()
      yield piece
    }
  } finally {
    release()
  }
}

/** Returns a response with another body, and the address that it came from. */
function withBody(response: Response, pieces: AsyncIterable<Uint8Array>): Response {
  const { status, statusText, headers, url, redirected } = response
  const bounded = new Response(ReadableStream.from(pieces), { status, statusText, headers })
  return Object.defineProperties(bounded, { url: { value: url }, redirected: { value: redirected } })
}
