import { createHmac } from 'node:crypto'
import {
  ChannelFailure,
  type ChannelSettings,
  createDeadline,
  encodeForm,
  isObject,
  parseObject,
  readBody,
  readRetryAfter,
  toPlatformFailure,
  toWellFormedJSON,
  withDeadline,
} from '#plugin-api'
import type { WhatsAppConfig } from './config.ts'
import { toRefusal } from './failure.ts'

/** Time limits of a call and of the transfer of a file, in milliseconds. */
const CALL_MS = 30_000
const TRANSFER_MS = 120_000
/** The largest answer that is read, in bytes. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** The settings for reaching the Graph API. */
export type Reach = Pick<ChannelSettings<WhatsAppConfig>, 'config' | 'endpoints' | 'fetch'>

/** The Graph API, called with the token of a config. */
export type GraphApi = ReturnType<typeof createGraphApi>

/** Creates the caller of the Graph API; each call makes one attempt and throws a `ChannelFailure`. */
export function createGraphApi({ config, endpoints, fetch }: Reach) {
  const { access_token, app_secret } = config
  const authorization = { authorization: `Bearer ${access_token}` }

  async function call(path: string, request: RequestInit, signal: AbortSignal, limit = CALL_MS) {
    return withDeadline(limit, [signal], async (aborted) => {
      try {
        const response = await fetch(`${endpoints.api}/${path}`, {
          ...request,
          headers: { ...authorization, ...request.headers },
          redirect: 'manual',
          signal: aborted,
        })
        const body = await readBody(response.body as AsyncIterable<Uint8Array> | null, MAX_ANSWER_BYTES)
        const answer = parseObject(body?.toString() ?? '')
        if (response.ok && answer && answer.error === undefined) return answer
        const { status, headers } = response
        const retry_after_ms = readRetryAfter(headers)
        const pause = retry_after_ms === undefined ? {} : { retry_after_ms }
        if (isObject(answer?.error)) throw toRefusal(answer.error, { status, ...pause })
        throw new ChannelFailure(
          status === 429 ? 'rate_limited' : status >= 500 ? 'unreachable' : 'unknown',
          `WhatsApp answered ${status} without a reason.`,
          pause,
        )
      } catch (error) {
        throw toPlatformFailure('WhatsApp', error, aborted)
      }
    })
  }

  return {
    get: (path: string, signal: AbortSignal) => call(path, {}, signal),
    post: (path: string, content: object, signal: AbortSignal) =>
      call(
        path,
        { method: 'POST', headers: { 'content-type': 'application/json' }, body: toWellFormedJSON(content) },
        signal,
      ),
    async upload(path: string, form: FormData, signal: AbortSignal) {
      return call(path, { method: 'POST', ...(await encodeForm(form)) }, signal, TRANSFER_MS)
    },
    /** Gets the file at an address that the Graph API returned. The token goes only to hosts of Meta. */
    async fetchFile(url: string, signal: AbortSignal) {
      if (!isMetaHost(url, endpoints.api!))
        throw new ChannelFailure('forbidden', 'The file is not on a server of WhatsApp.')
      const deadline = createDeadline([signal], { milliseconds: CALL_MS })
      try {
        const response = await fetch(url, {
          headers: authorization,
          redirect: 'manual',
          signal: deadline.signal,
        })
        if (response.ok) return { response, deadline }
        await response.body?.cancel()
        throw new ChannelFailure(
          response.status >= 500 ? 'unreachable' : 'not_found',
          `WhatsApp does not return the file (${response.status}).`,
        )
      } catch (error) {
        deadline.release()
        throw toPlatformFailure('WhatsApp', error, signal)
      }
    },
    /** Returns the proof that the caller knows the secret of the token's app. */
    proof: () => createHmac('sha256', app_secret).update(access_token).digest('hex'),
  }
}

const META_HOST = /(?:^|\.)(?:fbsbx\.com|facebook\.com|fbcdn\.net|whatsapp\.net|whatsapp\.com)$/

function isMetaHost(url: string, api: string): boolean {
  if (!URL.canParse(url)) return false
  const { origin, protocol, hostname } = new URL(url)
  return origin === new URL(api).origin || (protocol === 'https:' && META_HOST.test(hostname))
}

/** Checks the token, the number and the app secret, and sends nothing. Throws a `ChannelFailure`. */
export async function identifyNumber(reach: Reach, signal: AbortSignal): Promise<void> {
  const api = createGraphApi(reach)
  const query = new URLSearchParams({ fields: 'display_phone_number', appsecret_proof: api.proof() })
  await api.get(`${reach.config.phone_number_id}?${query}`, signal)
}
