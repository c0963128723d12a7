import {
  ChannelFailure,
  type ChannelSettings,
  createDeadline,
  encodeForm,
  type InboundContent,
  readBody,
  readMediaType,
  readPieces,
  toWellFormedJSON,
} from '#plugin-api'
import type { MattermostConfig } from './config.ts'
import { toNetworkFailure, toRefusal } from './failure.ts'

const TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const MAX_REFUSAL_BYTES = 64 * 1024

/** A call to the REST API. */
interface Call {
  method: 'GET' | 'POST' | 'PUT'
  /** Below `/api/v4`. */
  path: `/${string}`
  body?: object
  form?: FormData
  timeout_ms?: number
}

/** Creates the access to a server; `until` aborts all calls, which reject with a `ChannelFailure` or a signal's reason. */
export function createApi(
  { config, fetch }: Pick<ChannelSettings<MattermostConfig>, 'config' | 'fetch'>,
  until: AbortSignal,
) {
  const base = config.server_url.replace(/\/+$/, '')
  const authorization = `Bearer ${config.bot_token}`

  async function request({ method, path, body, form }: Call, signal: AbortSignal): Promise<Response> {
    const encoded = form && (await encodeForm(form))
    const response = await fetch(`${base}/api/v4${path}`, {
      method,
      headers: { authorization, ...encoded?.headers, ...(body && { 'content-type': 'application/json' }) },
      body: encoded?.body ?? (body ? toWellFormedJSON(body) : null),
      // A redirect would send the token to another host.
      redirect: 'manual',
      signal,
    })
    if (response.ok) return response
    throw toRefusal(response, parse(await readBody(response.body, MAX_REFUSAL_BYTES)))
  }

  return {
    base,
    async call<Answer>(call: Call, signal: AbortSignal): Promise<Answer> {
      const stop = createDeadline([signal, until], { milliseconds: call.timeout_ms ?? TIMEOUT_MS })
      try {
        stop.signal.throwIfAborted()
        const response = await request(call, stop.signal)
        const answer = parse(await readBody(response.body, MAX_ANSWER_BYTES))
        if (answer === undefined)
          throw new ChannelFailure('not_found', 'No Mattermost server answers at this address: check it.')
        return answer as Answer
      } catch (error) {
        throw toNetworkFailure(error, stop.signal)
      } finally {
        stop.release()
      }
    },

    /** Downloads a file. */
    async download(path: `/${string}`, signal: AbortSignal): Promise<InboundContent> {
      const stop = createDeadline([signal, until], { milliseconds: TIMEOUT_MS })
      try {
        const response = await request({ method: 'GET', path }, stop.signal)
        const media_type = readMediaType(response.headers)
        const bytes = readPieces(response.body, (error) => toNetworkFailure(error, stop.signal), stop)
        return { bytes, ...(media_type && { media_type }) }
      } catch (error) {
        stop.release()
        throw toNetworkFailure(error, stop.signal)
      }
    },
  }
}

/** Access to a Mattermost server. */
export type MattermostApi = ReturnType<typeof createApi>

/** Parses an object or a list; undefined for anything else. */
function parse(bytes: Buffer | undefined): object | undefined {
  try {
    const answer: unknown = JSON.parse(String(bytes))
    return typeof answer === 'object' && answer !== null ? answer : undefined
  } catch {
    return undefined
  }
}
