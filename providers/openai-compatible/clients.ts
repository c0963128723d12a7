import type { OpenAIProvider } from '@ai-sdk/openai'
import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible'
import type { CompatibleConnection } from './options.ts'

/** Creates the client for vectors and pictures. */
export async function createClient({
  base_url,
  api_key,
  options,
  fetch,
}: CompatibleConnection): Promise<OpenAICompatibleProvider> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  return createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: base_url!,
    apiKey: api_key,
    headers: options.headers,
    fetch,
  })
}

/** Creates the client for audio, which the compatible client does not have. */
export async function createAudioClient(connection: CompatibleConnection): Promise<OpenAIProvider> {
  const { createOpenAI } = await import('@ai-sdk/openai')
  const { base_url, fetch } = connection
  return createOpenAI({
    baseURL: base_url!,
    // The library would read an undefined key from the server's environment; this one is never sent.
    apiKey: 'replaced-by-fetch',
    fetch: (input, init) => {
      const headers = new Headers(init?.headers)
      headers.delete('authorization')
      for (const [name, value] of Object.entries(toHeaders(connection))) headers.set(name, value)
      return fetch(input, { ...init, headers })
    },
  })
}

/** Returns the headers of every request: the key, and those that the provider adds. */
export const toHeaders = ({ api_key, options }: CompatibleConnection): Record<string, string> => ({
  ...(api_key && { authorization: `Bearer ${api_key}` }),
  ...options.headers,
})
