import { AppError, createDeadline, untilAborted } from '#plugin-api'
import { type ContentKind, decode, readContentType, toContentKind } from './content.ts'

/** The part of a body that is read, in bytes after decompression. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024
/** The largest document, which is read as a whole. */
const MAX_DOCUMENT_BYTES = 20 * 1024 * 1024
const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
const TIME_LIMIT_MS = 30_000

/** A page as it was received, its text decoded. */
export interface WebPage {
  /** The address after all redirects. */
  url: string
  status: number
  status_text: string
  kind: ContentKind
  media_type: string
  bytes: Buffer
  /** The name of the file, by its address. */
  filename: string
  /** The text that was received; empty for documents. */
  source: string
  /** True if the body is longer than the part that was read. */
  is_cut: boolean
}

/** Fetches web pages. */
export type WebPages = ReturnType<typeof createWebPages>

/** Creates the client that fetches pages; `timeLimitMs` counts from the first connection to the last byte. */
export function createWebPages({
  fetch,
  version,
  timeLimitMs = TIME_LIMIT_MS,
}: {
  fetch: typeof globalThis.fetch
  version: string
  timeLimitMs?: number
}) {
  const headers = {
    'user-agent': `AgentPlatformService/${version}`,
    accept:
      'text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,application/xml;q=0.8,application/pdf;q=0.8,*/*;q=0.1',
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
    const kind = toContentKind(type.media_type)
    const { media_type, charset } = type
    if (!kind || (kind === 'document' && status >= 300)) {
      await response.body?.cancel()
      const size = response.headers.get('content-length')
      const reason = explainType(media_type, size === null ? undefined : Number(size))
      throw new PageFailure(status < 300 ? reason : `the server answered ${status} ${status_text}; ${reason}`)
    }
    const isDocument = kind === 'document'
    const { bytes, is_cut } = await readBody(response, isDocument ? MAX_DOCUMENT_BYTES : MAX_BODY_BYTES)
    if (isDocument && is_cut) throw new PageFailure(`it is larger than ${MAX_DOCUMENT_BYTES} bytes`)
    return {
      url: url.href,
      status,
      status_text,
      kind,
      media_type: charset === undefined ? media_type : `${media_type}; charset=${charset}`,
      bytes,
      filename: toFilename(url),
      source: isDocument ? '' : decode(bytes, kind, charset),
      is_cut,
    }
  }

  return {
    /** Fetches a page that is text or may be a document; throws a sentence for the model if it cannot. */
    async get(address: string, signal: AbortSignal): Promise<WebPage> {
      if (!URL.canParse(address))
        throw new Error('the URL is not valid: it must be a full URL, such as https://example.com/')
      const url = assertFetchable(new URL(address), 'the URL')
      const reason = () => new PageFailure(`it did not arrive within ${timeLimitMs / 1000} s`)
      const deadline = createDeadline([signal], { milliseconds: timeLimitMs, reason })
      try {
        return await untilAborted(deadline.signal, get(url, deadline.signal))
      } catch (error) {
        signal.throwIfAborted()
        throw new Error(`the page could not be fetched: ${explain(error as Error)}`, { cause: error })
      } finally {
        deadline.release()
      }
    },
  }
}

/** Thrown if a page cannot be fetched, with the reason in words for the model. */
class PageFailure extends Error {}

/** Refuses schemes other than http and https, and credentials, which would be stored in logs and histories. */
function assertFetchable(url: URL, subject: string): URL {
  const { protocol, username, password } = url
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new PageFailure(`${subject} does not begin with http:// or https://`)
  if (username || password) throw new PageFailure(`${subject} contains a user name or a password`)
  return url
}

/** Says that a page is of a type that is not read. */
export const explainType = (media_type: string, size: number | undefined): string =>
  `it is ${media_type} (${size === undefined ? 'of unknown size' : `${size} bytes`}), not text`

function toFilename({ pathname }: URL): string {
  const last = pathname.split('/').at(-1)!
  try {
    return decodeURIComponent(last)
  } catch {
    // Not the encoding of a name.
    return last
  }
}

async function readBody({ body }: Response, most: number): Promise<{ bytes: Buffer; is_cut: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  let is_cut = false
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    is_cut = size > most
    // Leaving the loop cancels the body.
    if (is_cut) break
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), is_cut }
}

const REASONS: Record<string, string> = {
  ENOTFOUND: 'its host is not known',
  EAI_AGAIN: 'its host could not be looked up',
  ECONNREFUSED: 'its host refuses connections',
  ECONNRESET: 'the connection was closed',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its host cannot be reached',
  ETIMEDOUT: 'its host does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'its host does not answer',
  UND_ERR_HEADERS_TIMEOUT: 'its host does not answer',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'it is too large',
}

function explain(error: Error): string {
  if (error instanceof PageFailure) return error.message
  if (error instanceof AppError && error.code === 'ADDRESS_NOT_ALLOWED')
    return `${error.details.host} is in a local or private network, which this server does not fetch from`
  const cause = (error.cause ?? error) as NodeJS.ErrnoException
  return REASONS[cause.code ?? ''] ?? cause.message
}
