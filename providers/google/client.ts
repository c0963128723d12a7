import type { GoogleGenerativeAIProvider } from '@ai-sdk/google'
import type { ProviderConnection } from '#plugin-api'

/** Returns the URL of the API, without a trailing slash. */
export const toRoot = ({ base_url }: Pick<ProviderConnection, 'base_url'>): string =>
  base_url!.replace(/\/+$/, '')

/** Creates the client of a connection. */
export async function createClient(connection: ProviderConnection): Promise<GoogleGenerativeAIProvider> {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
  const { api_key, fetch } = connection
  return createGoogleGenerativeAI({
    baseURL: toRoot(connection),
    // Without a string, the library would read a key from the server's environment.
    apiKey: api_key ?? '',
    headers: api_key ? undefined : { 'x-goog-api-key': undefined },
    fetch,
  })
}
