import { ChannelFailure, type ChannelSettings } from '#plugin-api'
import { type Deadline, toWellFormedJSON } from '#toolbox'
import { createAccessToken } from './access-token.ts'
import { type FeishuConfig, findDomain } from './config.ts'
import { isRefusal, startDeadline, toTransportFailure } from './failure.ts'
import { TOKEN_REFUSALS } from './refusal-codes.ts'
import { assertSuccess, type Reply, readReply, toText } from './reply.ts'
import { createScrubber, type Scrubber } from './scrubber.ts'

/** A call of the API; `path` is relative to `/open-apis/`. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  path: string
  /** The body, sent as JSON. */
  body?: unknown
  /** A form that is sent in place of `body`. */
  form?: FormData
}

/** The API, called with the app's token. */
export interface FeishuApi {
  scrubber: Scrubber
  /** Returns a successful reply. Throws a `FeishuRefusal`, or a `ChannelFailure` if no reply comes. */
  call(call: Call, signal: AbortSignal, timeoutMs?: number): Promise<Reply>
  /** Downloads a file; the time limit applies to each chunk. */
  download(path: string, signal: AbortSignal): Promise<{ headers: Headers; bytes: AsyncIterable<Uint8Array> }>
}

const TIMEOUT_MS = 30_000

/** Creates the API client without a request; `life` aborts every request. */
export function createApi(settings: ChannelSettings<FeishuConfig>, life: AbortSignal): FeishuApi {
  const { fetch } = settings
  const domain = findDomain(settings)
  const { app_id, app_secret, encrypt_key, verification_token } = settings.config
  const scrubber = createScrubber([app_secret, encrypt_key, verification_token])
  const address = (path: string) => `${domain}/open-apis/${path}`

  const tokens = createAccessToken(async () => {
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
      const token = toText(reply.tenant_access_token)
      if (!token) throw new ChannelFailure('unknown', 'Feishu returned no token for the credentials.')
      scrubber.hide(token)
      return { token, expires_in_seconds: Number(reply.expire) || 0 }
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
      tokens.discard(token)
      return attempt(`Bearer ${await tokens.get(signal)}`)
    }
  }

  return {
    scrubber,

    async call({ method, path, body, form }, signal, timeoutMs = TIMEOUT_MS) {
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

    async download(path, signal) {
      const deadline = startDeadline(TIMEOUT_MS, signal, life)
      try {
        const response = await authorized(deadline, async (authorization) => {
          const answer = await fetch(address(path), { headers: { authorization }, signal: deadline.signal })
          if (!answer.ok) assertSuccess(answer, await readReply(answer), scrubber)
          return answer
        })
        return { headers: response.headers, bytes: readBytes(response, deadline) }
      } catch (error) {
        deadline.release()
        throw toTransportFailure(error, deadline.signal)
      }
    },
  }
}

async function encodeContent(body: unknown, form: FormData | undefined) {
  if (form) {
    // The guarded fetch does not accept the global FormData, so the form is encoded here.
    const encoded = new Response(form)
    const headers = { 'content-type': encoded.headers.get('content-type')! }
    return { headers, body: new Uint8Array(await encoded.arrayBuffer()) }
  }
  if (body === undefined) return undefined
  return { headers: { 'content-type': 'application/json; charset=utf-8' }, body: toWellFormedJSON(body) }
}

async function* readBytes(response: Response, deadline: Deadline): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body ?? []) {
      deadline.extend()
      yield chunk
    }
  } catch (error) {
    throw toTransportFailure(error, deadline.signal)
  } finally {
    deadline.release()
  }
}
