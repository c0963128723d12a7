import type { RawFile, RESTOptions } from '@discordjs/rest'
import {
  type ChannelSettings,
  createDeadline,
  encodeForm,
  readBody,
  readRetryAfter,
  toWellFormedJSON,
} from '#plugin-api'
import { checkToken, type DiscordConfig } from './config.ts'
import { toFailure, toForeignAnswer } from './failure.ts'

const TIMEOUT_MS = 30_000

/** Fifty messages with all their embeds are far smaller. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024

/** A request to Discord's REST API. */
interface Call {
  method: 'get' | 'post' | 'patch'
  path: `/${string}`
  query?: Record<string, string>
  body?: unknown
  files?: RawFile[]
}

/** Opens the REST API; `until` aborts all requests, and each has the time limit `timeout_ms`. */
export async function createApi(
  { config, endpoints, fetch }: Pick<ChannelSettings<DiscordConfig>, 'config' | 'endpoints' | 'fetch'>,
  until?: AbortSignal,
  timeout_ms: number = TIMEOUT_MS,
) {
  const { bot_token } = config
  checkToken({ bot_token })
  const { REST } = await import('@discordjs/rest')
  const client = new REST({
    api: endpoints.api!,
    version: '10',
    // Not set as the client's token, which the client would forget after the first 401.
    headers: { authorization: `Bot ${bot_token}` },
    retries: 0,
    rejectOnRateLimit: () => true,
    offset: 0,
    timeout: timeout_ms,
    makeRequest: requestThrough(fetch),
  })

  return {
    /** Makes one attempt. Rejects with a `ChannelFailure` or the signal's reason. */
    async call<Answer>({ method, path, query, body, files }: Call, signal?: AbortSignal): Promise<Answer> {
      const stop = createDeadline([signal, until])
      try {
        stop.signal.throwIfAborted()
        const answer = await client[method](path, {
          auth: false,
          signal: stop.signal,
          ...(query && { query: new URLSearchParams(query) }),
          ...(body !== undefined && { body: toWellFormed(body) }),
          ...(files && { files }),
        })
        return answer as Answer
      } catch (error) {
        throw toFailure(error, stop.signal)
      } finally {
        stop.release()
      }
    },
    close() {
      client.clearHashSweeper()
      client.clearHandlerSweeper()
    },
  }
}

/** Replaces lone surrogates in the strings of a body, which Discord refuses: a text that grows may end with one. */
const toWellFormed = (body: unknown): unknown => JSON.parse(toWellFormedJSON(body))

/** Reads the whole body here, because the client's time limit covers only the headers, and bounds its size. */
function requestThrough(fetch: ChannelSettings['fetch']): RESTOptions['makeRequest'] {
  return async (url, { method, headers, body, signal }) => {
    const form = body instanceof FormData ? await encodeForm(body) : undefined
    const answer = await fetch(url, {
      method: method!,
      headers: { ...(headers as Record<string, string>), ...form?.headers },
      body: form ? form.body : ((body ?? null) as string | null),
      signal: (signal as AbortSignal | null | undefined) ?? null,
      redirect: 'error',
    })
    const bytes = await readBody(answer.body, MAX_ANSWER_BYTES)
    if (!bytes) throw new Error('The answer exceeds the size limit.')
    const { status, statusText } = answer
    const answerHeaders = new Headers([...answer.headers])
    const isJson = answerHeaders.get('content-type')?.startsWith('application/json')
    if (!isJson && bytes.length > 0 && status < 500)
      throw toForeignAnswer(status, readRetryAfter(answerHeaders))
    // The client reads the duration of a rate limit from the header only.
    const seconds = status === 429 && !answerHeaders.has('retry-after') && readPauseSeconds(bytes)
    if (seconds) answerHeaders.set('retry-after', seconds)
    return new Response(bytes.length > 0 ? bytes : null, { status, statusText, headers: answerHeaders })
  }
}

/** Returns the seconds from the body of a rate limit. */
const readPauseSeconds = (bytes: Buffer) => /"retry_after":\s*([\d.]+)/.exec(bytes.toString())?.[1]

/** Discord's REST API with the bot's token. */
export type DiscordApi = Awaited<ReturnType<typeof createApi>>
