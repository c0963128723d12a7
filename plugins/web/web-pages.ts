import { AppError, untilAborted } from '#kernel'
import { type ContentKind, decode, readContentType, sortOf } from './content.ts'

/** How much of a body is read, in bytes after decompression. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024
const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
const TIME_LIMIT_MS = 30_000

/** A page as it came, its text decoded. */
export interface WebPage {
  /** Where it was in the end. */
  url: string
  status: number
  status_text: string
  kind: ContentKind
  source: string
  /** Whether the body goes on behind what was read. */
  is_cut: boolean
}

/** Gets pages of the web. */
export interface WebPages {
  /** Gets a page that is text; throws a sentence for all that cannot be had. */
  get(url: string, signal: AbortSignal): Promise<WebPage>
}

/** Makes what gets pages; a page has so many milliseconds from the first connection to its last byte. */
export function createWebPages({
  fetch,
  version,
  timeLimitMs = TIME_LIMIT_MS,
}: {
  fetch: typeof globalThis.fetch
  version: string
  timeLimitMs?: number
}): WebPages {
  const headers = {
    'user-agent': `AgentPlatformService/${version}`,
    accept:
      'text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,application/xml;q=0.8,*/*;q=0.1',
  }

  async function follow(first: URL, signal: AbortSignal): Promise<{ url: URL; response: Response }> {
    let url = first
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await fetch(url.href, { headers, redirect: 'manual', signal })
      const location = response.headers.get('location')
      if (!REDIRECTS.includes(response.status) || location === null) return { url, response }
      await response.body?.cancel()
      if (!URL.canParse(location, url.href))
        throw new PageFailure('it redirects to something that is not a URL')
      url = assertFetchable(new URL(location, url), 'it redirects to a URL that')
    }
    throw new PageFailure(`it redirects more than ${MAX_REDIRECTS} times`)
  }

  async function get(first: URL, signal: AbortSignal): Promise<WebPage> {
    const { url, response } = await follow(first, signal)
    const { status, statusText: status_text } = response
    const type = readContentType(response.headers.get('content-type'))
    const kind = sortOf(type.media_type)
    if (!kind) {
      await response.body?.cancel()
      const size = response.headers.get('content-length')
      const what = `it is ${type.media_type} (${size === null ? 'of unknown size' : `${size} bytes`}), not text`
      throw new PageFailure(status < 300 ? what : `the server answered ${status} ${status_text}; ${what}`)
    }
    const { bytes, is_cut } = await readBody(response)
    return { url: url.href, status, status_text, kind, source: decode(bytes, kind, type.charset), is_cut }
  }

  return {
    async get(address, signal) {
      if (!URL.canParse(address))
        throw new Error('the URL is not valid: it must be a whole one, such as https://example.com/')
      const url = assertFetchable(new URL(address), 'the URL')
      const late = new AbortController()
      const timer = setTimeout(() => {
        late.abort(new PageFailure(`it did not arrive within ${timeLimitMs / 1000} s`))
      }, timeLimitMs)
      const until = AbortSignal.any([signal, late.signal])
      try {
        return await untilAborted(until, get(url, until))
      } catch (error) {
        signal.throwIfAborted()
        throw new Error(`the page could not be had: ${reasonOf(error as Error)}`, { cause: error })
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** Why there is no page, in words for the model. */
class PageFailure extends Error {}

/** Refuses schemes that are not of the web, and credentials, which would stand in logs and histories. */
function assertFetchable(url: URL, subject: string): URL {
  const { protocol, username, password } = url
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new PageFailure(`${subject} does not begin with http:// or https://`)
  if (username || password) throw new PageFailure(`${subject} contains a user name or a password`)
  return url
}

async function readBody({ body }: Response): Promise<{ bytes: Buffer; is_cut: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  let is_cut = false
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    is_cut = size > MAX_BODY_BYTES
    // Leaving the loop cancels the body.
    if (is_cut) break
  }
  return { bytes: Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES), is_cut }
}

const REASONS: Record<string, string> = {
  ENOTFOUND: 'its host is not known',
  EAI_AGAIN: 'its host could not be looked up',
  ECONNREFUSED: 'its host refuses connections',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its host cannot be reached',
  ETIMEDOUT: 'its host does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'its host does not answer',
  UND_ERR_HEADERS_TIMEOUT: 'its host does not answer',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'it is too large',
}

function reasonOf(error: Error): string {
  if (error instanceof PageFailure) return error.message
  if (error instanceof AppError && error.code === 'ADDRESS_NOT_ALLOWED')
    return `${error.details.host} is in a local or private network, which this server does not fetch from`
  const cause = (error.cause ?? error) as NodeJS.ErrnoException
  return REASONS[cause.code ?? ''] ?? cause.message
}
