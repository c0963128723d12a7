import { pipeline, Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { AppError, type StreamedAnswer, type StreamingRequest } from '#plugin-api'
import { createFailures, type Failures, readText } from './failure.ts'
import type { CompatibleConnection } from './options.ts'

/** The longest list of models; a longer list is malformed. */
const MAX_LIST_CHARS = 4 * 1024 * 1024

/** A chat completion that has begun. */
interface Completion {
  /** A stream of events, or a whole answer. */
  body: Readable
  /** For errors within the answer. */
  failures: Failures
}

/** The differences of one upstream from the common API. */
export interface Dialect {
  /** True for OpenAI itself, whose models refuse unknown settings. */
  isOpenAI: boolean
  limitField: 'max_tokens' | 'max_completion_tokens'
  isMistral: boolean
  /** True for OpenRouter, which reports the cost of a call if it is asked. */
  reportsCost: boolean
  /** True for vendors that refuse a tool call of a thinking model that comes back without thoughts. */
  needsThoughts: boolean
  listQuery: string
  listHeaders(key: string): Record<string, string>
}

type GivenHeaders = Record<string, string | undefined>

const REDIRECTS = [301, 302, 303, 307, 308]

/** Creates the HTTP client of a connection; it throws failures as APICallError, refused addresses and aborts unchanged. */
export function createUpstream({
  base_url,
  api_key,
  options,
  fetch,
  request = requestBy(fetch),
}: CompatibleConnection) {
  const root = base_url!.replace(/\/+$/, '')
  const dialect = chooseDialect(root)
  const ownHeaders = {
    ...(api_key && { authorization: `Bearer ${api_key}` }),
    ...options.headers,
  }

  const failures = createFailures(root)

  const reach = <Answer>(answer: Promise<Answer>, signal: AbortSignal | undefined): Promise<Answer> =>
    answer.catch((cause) => {
      if (signal?.aborted || cause instanceof AppError) throw cause
      throw failures.unreachable(cause)
    })

  return {
    dialect,
    /** Starts a chat completion. */
    async streamChat(
      payload: string,
      { headers, signal }: { headers?: GivenHeaders; signal?: AbortSignal },
    ): Promise<Completion> {
      const url = `${root}/chat/completions`
      const accept = { 'content-type': 'application/json', accept: 'text/event-stream' }
      // Checked and joined as `fetch` does it.
      const checked = new Headers({ ...accept, ...ownHeaders, ...withoutUndefined(headers) })
      const init = { method: 'POST', headers: Object.fromEntries(checked), body: payload, signal } as const
      let answer = await reach(request(url, init), signal)
      if (REDIRECTS.includes(answer.status)) {
        answer.body.on('error', () => undefined).destroy()
        answer = await reach(requestBy(fetch)(url, init), signal)
      }
      const decoded = { ...answer, body: decompress(answer) }
      const type = String(answer.headers['content-type'])
      if (!isSuccess(answer) || /\bhtml\b/.test(type)) throw await failures.refused(decoded)
      const isJson = /\bjson\b/.test(type)
      return { body: decoded.body, failures: isJson ? createFailures(root, { isJson }) : failures }
    },
    /** Returns the upstream's answer to `GET /models`, unchecked. */
    async listModels(signal: AbortSignal): Promise<unknown> {
      const headers = { ...ownHeaders, ...dialect.listHeaders(api_key ?? '') }
      const url = `${root}/models${dialect.listQuery}`
      const answer = await reach(requestBy(fetch)(url, { method: 'GET', headers, signal }), signal)
      if (!isSuccess(answer)) throw await failures.refused(answer)
      const text = await readText(answer.body, MAX_LIST_CHARS)
      try {
        return JSON.parse(text)
      } catch (cause) {
        throw failures.malformed('The list of models is not valid JSON.', cause)
      }
    },
  }
}

/** The HTTP client of one provider. */
export type Upstream = ReturnType<typeof createUpstream>

function chooseDialect(root: string): Dialect {
  const host = URL.canParse(root) ? new URL(root).hostname : ''
  const isOpenAI = host === 'api.openai.com'
  return {
    isOpenAI,
    // OpenAI's reasoning models refuse `max_tokens`; most other servers support only that.
    limitField: isOpenAI ? 'max_completion_tokens' : 'max_tokens',
    isMistral: host === 'api.mistral.ai',
    reportsCost: host === 'openrouter.ai',
    needsThoughts: /(^|\.)(deepseek|moonshot|kimi)\.(com|cn|ai)$/.test(host),
    // Anthropic lists its models with its own headers, and returns 20 per page by default.
    ...(host === 'api.anthropic.com'
      ? {
          listQuery: '?limit=1000',
          listHeaders: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
        }
      : { listQuery: '', listHeaders: () => ({}) }),
  }
}

const isSuccess = ({ status }: StreamedAnswer) => status >= 200 && status < 300

/** Creates requests over a `fetch`. */
const requestBy =
  (fetch: typeof globalThis.fetch): StreamingRequest =>
  async (url, init) => {
    const { status, headers, body } = await fetch(url, init)
    // The body that `fetch` returns is decompressed.
    const { 'content-encoding': _, ...others } = Object.fromEntries(headers)
    const read = body ? Readable.fromWeb(body as WebStream) : Readable.from([])
    return { status, headers: others, body: read }
  }

const withoutUndefined = (headers: GivenHeaders = {}) =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )

const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = constants

/** Returns the body of an answer as it was before a proxy compressed it, which no request asks for. */
function decompress({ headers, body }: StreamedAnswer): Readable {
  const decoder = chooseDecoder(String(headers['content-encoding'] ?? ''))
  if (!decoder) return body
  // The reader of the decoder gets the error.
  return pipeline(body, decoder, () => undefined)
}

function chooseDecoder(encoding: string) {
  const flushed = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }
  if (/\bgzip\b/i.test(encoding)) return createGunzip(flushed)
  if (/\bdeflate\b/i.test(encoding)) return createInflate(flushed)
  if (/\bbr\b/i.test(encoding)) return createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH })
  return undefined
}
