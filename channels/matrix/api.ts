import { setTimeout as pause } from 'node:timers/promises'
import {
  ChannelFailure,
  type ChannelSettings,
  createDeadline,
  PlatformRefusal,
  readBody,
  toWellFormedJSON,
} from '#plugin-api'
import { type MatrixConfig, toBase } from './config.ts'
import { type Refusal, toNetworkFailure, toRefusal } from './failure.ts'

const TIMEOUT_MS = 30_000

/** The most attempts of a patient call, and the bounds of the pause between two, in milliseconds. */
const MAX_ATTEMPTS = 20
const MIN_PAUSE_MS = 250
const MAX_PAUSE_MS = 60_000

/** Far above the answers to the requests made here. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** A request to the homeserver. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT'
  /** Below `/_matrix`, its variable parts encoded. */
  path: `/${string}`
  query?: Record<string, string | undefined>
  body?: unknown
  /** Bytes in place of `body`. */
  upload?: { bytes: Uint8Array; media_type: string }
  timeout_ms?: number
}

/** Returns the access token of the account, and another one in place of a token that was refused. */
export interface Tokens {
  get(signal: AbortSignal): Promise<string>
  /** Missing if there is no other token. */
  replace?(refused: string, signal: AbortSignal): Promise<string>
}

/** Creates the access to a homeserver; `until` aborts all requests. Calls reject with a `ChannelFailure` or a signal's reason. */
export function createApi(
  { config, fetch }: Pick<ChannelSettings<MatrixConfig>, 'config' | 'fetch'>,
  tokens: Tokens | undefined,
  until?: AbortSignal,
) {
  const base = toBase(config)

  async function perform(call: Call, token: string | undefined, signal: AbortSignal): Promise<unknown> {
    const { method, path, query = {}, body, upload } = call
    const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
    const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''
    const type = upload?.media_type ?? (body === undefined ? undefined : 'application/json')
    const response = await fetch(`${base}/_matrix${path}${search}`, {
      method,
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...(type && { 'content-type': type }) },
      body: upload
        ? (upload.bytes as Uint8Array<ArrayBuffer>)
        : body === undefined
          ? null
          : toWellFormedJSON(body),
      // A redirect would send the token to another host.
      redirect: 'manual',
      signal,
    })
    const bytes = await readBody(response.body, MAX_ANSWER_BYTES)
    if (!bytes) throw new ChannelFailure('unsupported', 'The answer of the homeserver is too large.')
    const answer = parse(bytes)
    if (!response.ok) throw toRefusal(response, answer as Refusal | undefined)
    if (answer === undefined)
      throw new ChannelFailure('unknown', 'The homeserver answered with something that is not JSON.')
    return answer
  }

  async function attempt<Answer>(
    call: Call,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<Answer> {
    const stop = createDeadline([signal, until], { milliseconds: call.timeout_ms ?? TIMEOUT_MS })
    try {
      stop.signal.throwIfAborted()
      return (await perform(call, token, stop.signal)) as Answer
    } catch (error) {
      throw toNetworkFailure(error, stop.signal)
    } finally {
      stop.release()
    }
  }

  /** Runs work with the token, and again with another one if the homeserver refuses it. */
  async function withToken<Result>(
    signal: AbortSignal,
    work: (token: string) => Promise<Result>,
  ): Promise<Result> {
    const token = await tokens!.get(signal)
    try {
      return await work(token)
    } catch (error) {
      if (!isTokenRefusal(error) || !tokens!.replace) throw error
      return await work(await tokens!.replace(token, signal))
    }
  }

  /** Makes a call as the account. */
  const call = <Answer>(request: Call, signal: AbortSignal): Promise<Answer> =>
    withToken(signal, (token) => attempt<Answer>(request, token, signal))

  return {
    base,
    fetch,
    withToken,
    call,
    /** Makes a call as the account, and waits if the homeserver limits the rate of calls. */
    async callPatiently<Answer>(request: Call, signal: AbortSignal): Promise<Answer> {
      for (let attempts = 1; ; attempts++)
        try {
          return await call<Answer>(request, signal)
        } catch (error) {
          const { reason, retry_after_ms = 0 } = error as Partial<ChannelFailure>
          if (reason !== 'rate_limited' || attempts === MAX_ATTEMPTS) throw error
          await pause(Math.min(Math.max(retry_after_ms, MIN_PAUSE_MS), MAX_PAUSE_MS), undefined, { signal })
        }
    },
    /** Makes a call with this token, or without one. */
    callAs: <Answer>(token: string | undefined, call: Call, signal: AbortSignal): Promise<Answer> =>
      attempt<Answer>(call, token, signal),
  }
}

/** Access to a homeserver. */
export type MatrixApi = ReturnType<typeof createApi>

const isTokenRefusal = (error: unknown) =>
  error instanceof PlatformRefusal && (error.code === 'M_UNKNOWN_TOKEN' || error.status === 401)

/** Parses an object; undefined for anything else. */
function parse(bytes: Buffer): object | undefined {
  try {
    const answer: unknown = JSON.parse(bytes.toString())
    return typeof answer === 'object' && answer !== null ? answer : undefined
  } catch {
    return undefined
  }
}

/** Joins the parts of a path, each encoded. */
export const toPath = (...parts: string[]): `/${string}` => `/${parts.map(encodeURIComponent).join('/')}`

/** Returns the path of a room's resource. */
export const roomPath = (room_id: string, ...parts: string[]): `/${string}` =>
  `/client/v3${toPath('rooms', room_id, ...parts)}`
