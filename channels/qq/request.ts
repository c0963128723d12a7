import {
  ChannelFailure,
  type ChannelSettings,
  type Json,
  parseObject,
  readRetryAfter,
  toFilledText,
  toNumber,
  withDeadline,
} from '#plugin-api'
import { toConnectionFailure, toRefusal } from './failure.ts'

/** Default time limit for an answer, in milliseconds. */
export const TIMEOUT_MS = 30_000

/** A JSON request with a JSON answer. */
interface JSONRequest {
  fetch: ChannelSettings['fetch']
  url: string
  method: 'GET' | 'POST' | 'PUT'
  headers?: Record<string, string>
  body?: unknown
  /** Completes the sentence "QQ refused <what>". */
  what: string
  signal: AbortSignal
  timeout_ms?: number
  /** Texts that no error message may contain. */
  secrets: readonly string[]
}

/** With these statuses an error code means that QQ reviews the message and shows it later. */
const AWAITS_REVIEW = [201, 202]

const MAX_DETAIL_CHARS = 200

/** Returns the fields of the answer. Throws a `Refusal` with QQ's code, or a `ChannelFailure` if no answer comes. */
export async function requestJson(request: JSONRequest): Promise<Json> {
  const { fetch, url, method, body, what, secrets, timeout_ms = TIMEOUT_MS } = request
  const ask = async (signal: AbortSignal): Promise<{ response: Response; text: string }> => {
    signal.throwIfAborted()
    const response = await fetch(url, {
      method,
      // Neither token nor secret may follow a redirect to another host.
      redirect: 'error',
      headers: {
        // Without this header QQ reports a valid app as unknown.
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
        ...request.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    })
    return { response, text: await response.text() }
  }
  const { response, text } = await withDeadline(timeout_ms, [request.signal], (signal) =>
    ask(signal).catch((error) => {
      throw toConnectionFailure(error, signal)
    }),
  )
  const { status, ok, headers } = response
  const fields = text === '' ? {} : parseObject(text)
  const code = toNumber(fields?.err_code) || toNumber(fields?.code) || 0
  if (ok && fields && (code === 0 || AWAITS_REVIEW.includes(status))) return fields
  if (ok && !fields) throw new ChannelFailure('unknown', `QQ answered ${what} with invalid JSON.`)
  const retry_after_ms = readRetryAfter(headers)
  throw toRefusal(what, {
    code,
    status,
    said: withoutSecrets(toFilledText(fields?.message) ?? toFilledText(fields?.msg) ?? '', secrets),
    ...(retry_after_ms !== undefined && { retry_after_ms }),
  })
}

/** Removes secrets and addresses, which may be signed, from QQ's message. */
function withoutSecrets(words: string, secrets: readonly string[]): string {
  let clean = words
  for (const secret of secrets) if (secret) clean = clean.replaceAll(secret, '…')
  return clean
    .replace(/\bhttps?:\/\/\S+/gi, '…')
    .slice(0, MAX_DETAIL_CHARS)
    .replace(/[.。\s]+$/, '')
}
