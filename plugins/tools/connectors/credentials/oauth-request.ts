import { parseObject, untilAborted, withDeadline } from '#plugin-api'
import { boundedFetch } from '../connections/bounded-fetch.ts'

/** The most bytes of one reply of an authorization server, or about one. */
const MAX_REPLY_BYTES = 1024 * 1024
const MAX_REDIRECTS = 3

/** A reply with its parsed body. */
export interface OAuthReply {
  status: number
  /** Undefined if the body is neither a JSON object nor a form. */
  body: Readonly<Record<string, unknown>> | undefined
}

/** Sends one request of a sign-in; rejects if there is no reply. */
export type OAuthRequest = (
  url: string,
  init?: { method?: string; headers?: Record<string, string>; body?: string },
) => Promise<OAuthReply>

/** Runs a step of a sign-in; rejects with a TimeoutError if all its requests take too many seconds. */
export function withOAuthRequest<Value>(
  { fetch, seconds }: { fetch: typeof globalThis.fetch; seconds: number },
  step: (request: OAuthRequest) => Promise<Value>,
): Promise<Value> {
  return withDeadline(seconds * 1000, [], (signal) => {
    const bounded = boundedFetch((input, init) => fetch(input, { ...init, signal }), MAX_REPLY_BYTES)
    const request: OAuthRequest = async (url, { headers, ...init } = {}) => {
      const accept = 'application/json'
      const options = { ...init, headers: { accept, ...headers }, redirect: 'manual' } as const
      const response = await followWithinOrigin(bounded, url, options)
      return { status: response.status, body: readBody(await response.text()) }
    }
    return untilAborted(signal, step(request))
  })
}

/** Follows redirects within the origin only: another origin is not checked. */
async function followWithinOrigin(
  fetch: typeof globalThis.fetch,
  first: string,
  init: RequestInit,
): Promise<Response> {
  let url = new URL(first)
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(url, init)
    const location = response.headers.get('location')
    const isRedirect = response.status >= 300 && response.status < 400 && location !== null
    const next = isRedirect && redirects < MAX_REDIRECTS ? parseHttpUrl(location, url.href) : undefined
    const keepsMethod = (init.method ?? 'GET') === 'GET' || [307, 308].includes(response.status)
    if (!next || !keepsMethod || next.origin !== url.origin) return response
    await response.body?.cancel()
    url = next
  }
}

const FORM = /^[\w.-]+=[^<>{}\s]*$/

/** Reads a body by its content: some servers send JSON as text, and GitHub sends forms. */
function readBody(text: string): Record<string, unknown> | undefined {
  const content = text.replace(/^\uFEFF/, '').trim()
  if (FORM.test(content)) return Object.fromEntries(new URLSearchParams(content))
  // A page in place of an answer is judged by its status.
  return parseObject(content)
}

/** Reads a text that is not blank; undefined for everything else. */
export const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

/** Reads a list of texts, or texts separated by spaces; undefined if there are none. */
export function readTexts(value: unknown): string[] | undefined {
  const parts = typeof value === 'string' ? value.split(/\s+/) : value
  const texts = Array.isArray(parts) ? parts.filter((part) => readText(part) !== undefined) : []
  return texts.length > 0 ? (texts as string[]) : undefined
}

/** The most characters of an address. */
const MAX_URL_CHARS = 2048

/**
 * Parses an address that another server names; undefined if it is too long, not of HTTP, or has credentials, with which
 * an address looks like another one, and which `fetch` refuses.
 */
export function parseHttpUrl(text: string, base?: string): URL | undefined {
  if (!URL.canParse(text, base)) return undefined
  const url = new URL(text, base)
  const isUsable =
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.href.length <= MAX_URL_CHARS
  return isUsable ? url : undefined
}
