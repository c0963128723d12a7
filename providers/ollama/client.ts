import type { Ollama } from 'ollama/browser'
import type { ProviderConnection } from '#plugin-api'
import { createFailures } from './failure.ts'
import { checkLines } from './line-check.ts'

/** The URL that Ollama listens on; one that names its API, or the one like OpenAI's, is understood as well. */
export const rootOf = ({ base_url }: ProviderConnection): string =>
  base_url!.replace(/\/+$/, '').replace(/\/(api|v1)$/, '')

/**
 * Makes the client of one call, which `signal` ends; it throws APICallErrors, and what the signal is aborted with. The
 * build for browsers is taken because the other one would read an image that is named like a file from the disk.
 */
export async function createClient(connection: ProviderConnection, signal?: AbortSignal): Promise<Ollama> {
  const { Ollama } = await import('ollama/browser')
  const { api_key, fetch } = connection
  const host = rootOf(connection)
  const failures = createFailures(host)

  const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers)
    // The client would put a key from the environment here.
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
    if (!response.body || !type.includes('json')) {
      await response.body?.cancel()
      throw failures.foreign(response)
    }
    return isStream(input) ? new Response(ReadableStream.from(checkLines(response.body, failures))) : response
  }
  return new Ollama({ host, fetch: send })
}

/** Whether the answer to this URL comes in lines; a proxy may call it plain JSON. */
const isStream = (input: string | URL | Request) => String(input).endsWith('/api/chat')
