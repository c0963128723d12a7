import type { Dispatcher } from 'undici'
import type { StreamingRequest } from '../provider-kind.ts'

// Imported with the first call, because it takes long to load, and only once, because `import` takes time as well.
let loading: Promise<typeof import('undici')> | undefined
const loadUndici = () => {
  loading ??= import('undici')
  return loading
}

/** Creates requests over the agent that `load` returns, which is asked for with each request. */
export const createStreamingRequest =
  (load: () => Promise<Dispatcher>): StreamingRequest =>
  async (url, { method, headers, body, signal }) => {
    const { request } = await loadUndici()
    const answer = await request(url, { method, headers, body, signal, dispatcher: await load() })
    return { status: answer.statusCode, headers: answer.headers, body: answer.body }
  }

let agent: Promise<Dispatcher> | undefined

/** A request to any address. */
export const requestStream: StreamingRequest = createStreamingRequest(() => {
  agent ??= loadUndici().then(({ Agent }) => new Agent())
  return agent
})
