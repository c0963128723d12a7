import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'

/**
 * Sends a request like `fetch`, but follows no redirects and returns the body as a stream of Node.js, whose parts cost
 * much less processor time than parts of a web stream.
 */
export type StreamingRequest = (
  url: string,
  init: { method: 'GET' | 'POST'; headers?: Record<string, string>; body?: string; signal?: AbortSignal },
) => Promise<StreamedAnswer>

/** An answer whose body is still to be read. */
export interface StreamedAnswer {
  status: number
  /** By their names in lower case. */
  headers: Record<string, string | string[] | undefined>
  body: Readable
}

// Imported with the first call, because it takes long to load, and only once, because `import` takes time as well.
let loading: Promise<typeof import('undici')> | undefined

/** Imports undici, unless it is imported already. */
export const loadUndici = (): Promise<typeof import('undici')> => {
  loading ??= import('undici')
  return loading
}

/** Creates requests over the agent that `load` returns, which is asked for with each request. */
export const createStreamingRequest =
  (load: () => Promise<Dispatcher>): StreamingRequest =>
  async (url, { method, headers, body, signal }) => {
    const { request } = await loadUndici()
    const dispatcher = await load()
    // A body that is paused leaves what arrives to its socket.
    const answer = await request(url, { method, headers, body, signal, dispatcher, highWaterMark: 1 })
    return { status: answer.statusCode, headers: answer.headers, body: answer.body }
  }

let agent: Promise<Dispatcher> | undefined

/** A request to any address. */
export const requestStream: StreamingRequest = createStreamingRequest(() => {
  agent ??= loadUndici().then(({ Agent }) => new Agent())
  return agent
})
