import {
  ChannelFailure,
  type ChannelSettings,
  createTokenCache,
  type Deadline,
  encodeForm,
  isObject,
  isRefusal,
  readPieces,
  toFilledText,
  toNumber,
  toWellFormedJSON,
} from '#plugin-api'
import { type FeishuConfig, findDomain } from './config.ts'
import { startDeadline, toTransportFailure } from './failure.ts'
import { TOKEN_REFUSALS } from './refusal-codes.ts'
import { assertSuccess, type Reply, readReply } from './reply.ts'
import { createScrubber } from './scrubber.ts'

/** A call of the API; `path` is relative to `/open-apis/`. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  path: string
  /** The body, sent as JSON. */
  body?: unknown
  /** A form that is sent in place of `body`. */
  form?: FormData
}

const TIMEOUT_MS = 30_000

/** Creates the API client without a request; `life` aborts every request. */
export function createApi(settings: ChannelSettings<FeishuConfig>, life: AbortSignal) {
  const { fetch } = settings
  const domain = findDomain(settings)
  const { app_id, app_secret, encrypt_key, verification_token } = settings.config
  const scrubber = createScrubber([app_secret, encrypt_key, verification_token])
  const address = (path: string) => `${domain}/open-apis/${path}`

  const tokens = createTokenCache(async () => {
    const deadline = startDeadline(TIMEOUT_MS, life)
    try {
      const response = await fetch(address('auth/v3/tenant_access_token/internal'), {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify({ app_id, app_secret }),
        redirect: 'error',
        signal: deadline.signal,
      })
      const reply = await readReply(response)
      assertSuccess(response, reply, scrubber)
      const token = toFilledText(reply.tenant_access_token)
      if (!token) throw new ChannelFailure('unknown', 'Feishu returned no token for the credentials.')
      scrubber.hide(token)
      return { token, lifetime_ms: (toNumber(reply.expire) ?? 0) * 1000 }
    } catch (error) {
      throw toTransportFailure(error, deadline.signal)
    } finally {
      deadline.release()
    }
  })

  /** Makes an attempt with a token, and another with a new token if the first was refused. */
  async function authorized<Result>(
    { signal }: Deadline,
    attempt: (authorization: string) => Promise<Result>,
  ): Promise<Result> {
    const token = await tokens.get(signal)
    try {
      return await attempt(`Bearer ${token}`)
    } catch (error) {
      if (!isRefusal(error, TOKEN_REFUSALS)) throw error
      return attempt(`Bearer ${await tokens.replace(token, signal)}`)
    }
  }

  return {
    scrubber,

    /** Returns a successful reply. Throws a `PlatformRefusal`, or a `ChannelFailure` if no reply comes. */
    async call(
      { method, path, body, form }: Call,
      signal: AbortSignal,
      timeoutMs = TIMEOUT_MS,
    ): Promise<Reply> {
      const deadline = startDeadline(timeoutMs, signal, life)
      try {
        const content = await encodeContent(body, form)
        return await authorized(deadline, async (authorization) => {
          const response = await fetch(address(path), {
            method,
            headers: { ...content?.headers, authorization },
            ...(content && { body: content.body }),
            redirect: 'error',
            signal: deadline.signal,
          })
          const reply = await readReply(response)
          assertSuccess(response, reply, scrubber)
          return reply
        })
      } catch (error) {
        throw toTransportFailure(error, deadline.signal)
      } finally {
        deadline.release()
      }
    },

    /** Downloads a file; the time limit applies to each chunk. */
    async download(
      path: string,
      signal: AbortSignal,
    ): Promise<{ headers: Headers; bytes: AsyncIterable<Uint8Array> }> {
      const deadline = startDeadline(TIMEOUT_MS, signal, life)
      try {
        const response = await authorized(deadline, async (authorization) => {
          const answer = await fetch(address(path), { headers: { authorization }, signal: deadline.signal })
          if (!answer.ok) assertSuccess(answer, await readReply(answer), scrubber)
          return answer
        })
        return {
          headers: response.headers,
          bytes: readPieces(response.body, (error) => toTransportFailure(error, deadline.signal), deadline),
        }
      } catch (error) {
        deadline.release()
        throw toTransportFailure(error, deadline.signal)
      }
    },
  }
}

async function encodeContent(body: unknown, form: FormData | undefined) {
  if (form) return encodeForm(form)
  if (body === undefined) return undefined
  return { headers: { 'content-type': 'application/json; charset=utf-8' }, body: toWellFormedJSON(body) }
}

/** The API, called with the app's token. */
export type FeishuApi = ReturnType<typeof createApi>

/** Fetches the bot's `open_id`, which mentions contain. Throws `forbidden` if the app has no bot. */
export async function findBot(api: FeishuApi, signal: AbortSignal): Promise<string> {
  const { bot } = await api.call({ method: 'GET', path: 'bot/v3/info' }, signal)
  const openId = isObject(bot) ? toFilledText(bot.open_id) : undefined
  if (!openId)
    throw new ChannelFailure(
      'forbidden',
      'The app has no bot: add the Bot capability in the developer console and publish a version.',
    )
  return openId
}

/** Requests a token and the bot. Opens no connection, which would take events from an open one. */
export async function probe(settings: ChannelSettings<FeishuConfig>, signal: AbortSignal): Promise<void> {
  await findBot(createApi(settings, signal), signal)
}
