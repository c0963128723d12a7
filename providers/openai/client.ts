import type { OpenAIProvider } from '@ai-sdk/openai'
import type { ProviderConnection } from '#plugin-api'
import type { OpenAIOptions } from './options.ts'

/** The URL under which all calls of a connection lie. */
export const rootOf = ({ base_url }: ProviderConnection): string => base_url!.replace(/\/+$/, '')

/** Makes the client of one connection. */
export async function createClient(connection: ProviderConnection): Promise<OpenAIProvider> {
  const { createOpenAI } = await import('@ai-sdk/openai')
  const { api_key, options, fetch } = connection
  const { organization, project } = options as OpenAIOptions
  return createOpenAI({
    baseURL: rootOf(connection),
    // What is undefined would be taken from the environment of the server.
    apiKey: api_key ?? '',
    organization,
    project,
    fetch,
  })
}
