import { withDeadline } from '#kernel'
import { ChannelFailure, type ChannelSettings } from '#plugin-api'
import { connectionFailure, refusalOf } from './failure.ts'
import { type Fields, numberOf, parseFields, textOf } from './fields.ts'

/** How long QQ has for an answer, in milliseconds, unless a call says otherwise. */
export const TIMEOUT_MS = 30_000

/** A request of JSON, answered with JSON. */
export interface JSONRequest {
  fetch: ChannelSettings['fetch']
  url: string
  method: 'GET' | 'POST' | 'PUT'
  headers?: Record<string, string>
  body?: unknown
  /** In a sentence: "QQ refused <what>". */
  what: string
  signal: AbortSignal
  timeout_ms?: number
  /** What no message may hold. */
  secrets: readonly string[]
}

/** Errors come with 202 where a person at QQ reads the message first; it is shown later. */
const AWAITS_REVIEW = [201, 202]

const MAX_WORDS = 200

/** Gives the answer's fields. Throws a `Refusal` with QQ's code, or a `ChannelFailure` where no answer came. */
export async function requestJson(request: JSONRequest): Promise<Fields> {
  const { fetch, url, method, body, what, secrets, timeout_ms = TIMEOUT_MS } = request
  const ask = async (signal: AbortSignal): Promise<{ response: Response; text: string }> => {
    signal.throwIfAborted()
    const response = await fetch(url, {
      method,
      // Neither token nor secret may follow a redirect to another host.
      redirect: 'error',
      headers: {
        // Without this header QQ takes a valid app for an unknown one.
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
      throw connectionFailure(what, error, signal)
    }),
  )
  const { status, ok, headers } = response
  const fields = text === '' ? {} : parseFields(text)
  const code = numberOf(fields?.err_code) || numberOf(fields?.code) || 0
  if (ok && fields && (code === 0 || AWAITS_REVIEW.includes(status))) return fields
  if (ok && !fields)
    throw new ChannelFailure('unknown', `QQ answered ${what} with something that is no JSON.`)
  const retry_after_ms = millisecondsOf(headers.get('retry-after'))
  throw refusalOf(what, {
    code,
    status,
    said: withoutSecrets(textOf(fields?.message) ?? textOf(fields?.msg) ?? '', secrets),
    ...(retry_after_ms !== undefined && { retry_after_ms }),
  })
}

/** What `retry-after` comes to: seconds, or a date. */
function millisecondsOf(header: string | null): number | undefined {
  if (!header) return undefined
  const seconds = Number(header)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(wait) ? Math.max(0, Math.ceil(wait)) : undefined
}

/** QQ's words without secrets and addresses, which may be signed. */
function withoutSecrets(words: string, secrets: readonly string[]): string {
  let clean = words
  for (const secret of secrets) if (secret) clean = clean.replaceAll(secret, '…')
  return clean
    .replace(/\bhttps?:\/\/\S+/gi, '…')
    .slice(0, MAX_WORDS)
    .replace(/[.。\s]+$/, '')
}
