import type { Ollama } from 'ollama/browser'
import type { ProviderConnection } from '#plugin-api'
import { createFailures } from './failure.ts'
import { checkLines } from './line-check.ts'

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
