import type { ChatRequest, Ollama } from 'ollama/browser'
import type { ConfigOf, JSONSchema, ProviderConnection } from '#plugin-api'
import { createFailures } from './failure.ts'
import { checkLines } from './line-check.ts'

/** The schema of the options. */
export const configSchema = {
  type: 'object',
  properties: {
    context_length: {
      type: 'integer',
      minimum: 512,
      maximum: 4_194_304,
      description: 'The most tokens of a conversation (num_ctx), 32768 by default; more needs more memory.',
    },
    keep_alive: {
      type: 'string',
      maxLength: 32,
      pattern: '^(-1|0|([0-9]+(\\.[0-9]+)?(ms|s|m|h))+)$',
      description:
        'The time that a model stays loaded after a call, e.g. "30m"; "-1" keeps it, "0" unloads it at once.',
    },
    think: {
      enum: [true, false, 'low', 'medium', 'high'],
      description:
        'True, false or a level: the thinking of models before they answer. Without it, models that can think do; other models refuse the option.',
    },
  },
  additionalProperties: false,
} as const satisfies JSONSchema

/** A connection with these options. */
export type OllamaConnection = ProviderConnection<ConfigOf<typeof configSchema>>

/** The options of a connection, in Ollama's terms. */
export interface OllamaOptions {
  /** In tokens; undefined for ollama.com, which always has the window of the model. */
  contextLength?: number
  /** Seconds, or a duration with units. */
  keepAlive?: string | number
  think?: ChatRequest['think']
}

/** The window without the option: Ollama's own is so small that it would drop most of a conversation. */
const DEFAULT_CONTEXT_LENGTH = 32_768
const CLOUD = /^https?:\/\/([\w-]+\.)?ollama\.com\b/

/** Reads the options of a connection, which have been validated. */
export function readOptions({ options, base_url }: OllamaConnection): OllamaOptions {
  const { context_length: contextLength, keep_alive: keepAlive, think } = options
  return {
    contextLength: contextLength ?? (CLOUD.test(base_url!) ? undefined : DEFAULT_CONTEXT_LENGTH),
    // Ollama accepts a string only with a unit.
    keepAlive: keepAlive !== undefined && /^-?\d+$/.test(keepAlive) ? Number(keepAlive) : keepAlive,
    think,
  }
}

/** Returns the URL of Ollama; a base URL that ends in its API, or in the one like OpenAI's, is accepted as well. */
export const toRoot = ({ base_url }: ProviderConnection): string =>
  base_url!.replace(/\/+$/, '').replace(/\/(api|v1)$/, '')

/**
 * Creates the client of one call, which `signal` aborts; it throws APICallErrors, and the reason of the signal. It uses
 * the build for browsers, because the other build would read an image that looks like a path from the disk.
 */
export async function createClient(connection: ProviderConnection, signal?: AbortSignal): Promise<Ollama> {
  const { Ollama } = await import('ollama/browser')
  const { api_key, fetch } = connection
  const host = toRoot(connection)
  const failures = createFailures(host)

  const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers)
    // The client sets a key from the server's environment.
    headers.delete('authorization')
    if (api_key) headers.set('authorization', `Bearer ${api_key}`)
    let response: Response
    try {
      response = await fetch(input, { ...init, headers, signal })
    } catch (cause) {
      if (signal?.aborted) throw cause
      throw failures.unreachable(cause)
    }
    if (!response.ok) throw await failures.refused(response)
    const type = response.headers.get('content-type') ?? ''
    // A proxy may label lines as text or not at all.
    const isOllama = isStream(input) ? !type.includes('html') : type.includes('json')
    if (!response.body || !isOllama) {
      await response.body?.cancel()
      throw failures.foreign(response)
    }
    return isStream(input) ? new Response(ReadableStream.from(checkLines(response.body, failures))) : response
  }
  return new Ollama({ host, fetch: send })
}

/** True if the answer to this URL consists of lines; a proxy may label it as plain JSON. */
const isStream = (input: string | URL | Request) => String(input).endsWith('/api/chat')
