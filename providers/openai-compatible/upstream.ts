import { AppError } from '#kernel'
import type { ProviderConnection } from '#plugin-api'
import { createFailures, type Failures, readText } from './failure.ts'

/** Characters of a list of models; what is longer is refused as broken. */
const MAX_LIST = 4 * 1024 * 1024

/** The HTTP side of one provider; failures are thrown as APICallError, refused addresses and aborts as they come. */
export interface Upstream {
  readonly dialect: Dialect
  readonly failures: Failures
  /** Starts a chat completion; gives the body of a 200 answer that streams events. */
  streamChat(payload: string, options: { headers?: Headers; signal?: AbortSignal }): Promise<EventBytes>
  /** The upstream's answer to `GET /models`, as it came. */
  listModels(signal: AbortSignal): Promise<unknown>
}

/** Where a single upstream parts from the common wire. */
export interface Dialect {
  /** OpenAI itself is called, whose models refuse what they do not know. */
  isOpenAI: boolean
  limitField: 'max_tokens' | 'max_completion_tokens'
  listQuery: string
  listHeaders(key: string): Record<string, string>
}

/** The body of an answer that streams events. */
export type EventBytes = ReadableStream<Uint8Array>
type Headers = Record<string, string | undefined>

/** Makes the client of one connection. */
export function createUpstream({ base_url, api_key, options, fetch }: ProviderConnection): Upstream {
  const root = base_url!.replace(/\/+$/, '')
  const dialect = dialectOf(root)
  const ownHeaders = {
    ...(api_key && { authorization: `Bearer ${api_key}` }),
    ...(options.headers as Record<string, string> | undefined),
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
      const text = await readText(response, MAX_LIST)
      try {
        return JSON.parse(text)
      } catch (cause) {
        throw failures.malformed('The list of models is not valid JSON.', cause)
      }
    },
  }
}

function dialectOf(root: string): Dialect {
  const host = URL.canParse(root) ? new URL(root).hostname : ''
  const isOpenAI = host === 'api.openai.com'
  return {
    isOpenAI,
    // OpenAI's reasoning models refuse `max_tokens`; most other servers know nothing else.
    limitField: isOpenAI ? 'max_completion_tokens' : 'max_tokens',
    // Anthropic lists its models only on its own terms: other headers, and 20 a page unless asked for more.
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
