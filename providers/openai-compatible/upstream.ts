import { AppError } from '#kernel'
import { createFailures, type Failures, readText } from './failure.ts'
import type { CompatibleConnection } from './options.ts'

/** The longest list of models; a longer list is malformed. */
const MAX_LIST_CHARS = 4 * 1024 * 1024

/** The HTTP client of one provider; throws failures as APICallError, refused addresses and aborts unchanged. */
export interface Upstream {
  readonly dialect: Dialect
  readonly failures: Failures
  /** Starts a chat completion; returns the body of a 200 answer, which streams events. */
  streamChat(payload: string, options: { headers?: Headers; signal?: AbortSignal }): Promise<EventBytes>
  /** Returns the upstream's answer to `GET /models`, unchecked. */
  listModels(signal: AbortSignal): Promise<unknown>
}

/** The differences of one upstream from the common API. */
export interface Dialect {
  /** True for OpenAI itself, whose models refuse unknown settings. */
  isOpenAI: boolean
  limitField: 'max_tokens' | 'max_completion_tokens'
  listQuery: string
  listHeaders(key: string): Record<string, string>
}

/** The body of an answer that streams events. */
export type EventBytes = ReadableStream<Uint8Array>
type Headers = Record<string, string | undefined>

/** Creates the client of a connection. */
export function createUpstream({ base_url, api_key, options, fetch }: CompatibleConnection): Upstream {
  const root = base_url!.replace(/\/+$/, '')
  const dialect = chooseDialect(root)
  const ownHeaders = {
    ...(api_key && { authorization: `Bearer ${api_key}` }),
    ...options.headers,
  }

  const failures = createFailures(root)

  const send = async (path: string, init: RequestInit): Promise<Response> => {
    let response: Response
    try {
      response = await fetch(root + path, init)
    } catch (cause) {
      if (init.signal?.aborted || cause instanceof AppError) throw cause
      throw failures.unreachable(cause)
    }
    if (response.ok) return response
    throw await failures.refused(response)
  }

  return {
    dialect,
    failures,
    async streamChat(payload, { headers, signal }) {
      const accept = { 'content-type': 'application/json', accept: 'text/event-stream' }
      const response = await send('/chat/completions', {
        method: 'POST',
        headers: { ...accept, ...ownHeaders, ...withoutUndefined(headers) },
        body: payload,
        signal,
      })
      const type = response.headers.get('content-type') ?? ''
      if (!response.body || /\b(json|html)\b/.test(type)) throw await failures.refused(response)
      return response.body
    },
    async listModels(signal) {
      const headers = { ...ownHeaders, ...dialect.listHeaders(api_key ?? '') }
      const response = await send(`/models${dialect.listQuery}`, { headers, signal })
      const text = await readText(response, MAX_LIST_CHARS)
      try {
        return JSON.parse(text)
      } catch (cause) {
        throw failures.malformed('The list of models is not valid JSON.', cause)
      }
    },
  }
}

function chooseDialect(root: string): Dialect {
  const host = URL.canParse(root) ? new URL(root).hostname : ''
  const isOpenAI = host === 'api.openai.com'
  return {
    isOpenAI,
    // OpenAI's reasoning models refuse `max_tokens`; most other servers support only that.
    limitField: isOpenAI ? 'max_completion_tokens' : 'max_tokens',
    // Anthropic lists its models with its own headers, and returns 20 per page by default.
    ...(host === 'api.anthropic.com'
      ? {
          listQuery: '?limit=1000',
          listHeaders: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
        }
      : { listQuery: '', listHeaders: () => ({}) }),
  }
}

const withoutUndefined = (headers: Headers = {}) =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
