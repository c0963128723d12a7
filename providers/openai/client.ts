import type { OpenAIProvider } from '@ai-sdk/openai'
import type { ProviderConnection } from '#plugin-api'
import type { OpenAIConnection } from './options.ts'

/** Returns the URL of the API, without a trailing slash. */
export const toRoot = ({ base_url }: Pick<ProviderConnection, 'base_url'>): string =>
  base_url!.replace(/\/+$/, '')

/** Creates the client of a connection. */
export async function createClient(connection: OpenAIConnection): Promise<OpenAIProvider> {
  const { createOpenAI } = await import('@ai-sdk/openai')
  const { api_key, options, fetch } = connection
  const { organization, project } = options
  return createOpenAI({
    baseURL: toRoot(connection),
    // The library would read an undefined key from the server's environment.
    apiKey: api_key ?? '',
    organization,
    project,
    fetch,
  })
}
