import type { GoogleGenerativeAIProvider } from '@ai-sdk/google'
import type { ProviderConnection } from '#plugin-api'
import { turnErrorsIntoEvents } from './error-tail.ts'

/** The URL under which all calls of a connection lie. */
export const rootOf = ({ base_url }: ProviderConnection): string => base_url!.replace(/\/+$/, '')

/** Makes the client of one connection. */
export async function createClient(connection: ProviderConnection): Promise<GoogleGenerativeAIProvider> {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
  const { api_key, fetch } = connection
  return createGoogleGenerativeAI({
    baseURL: rootOf(connection),
    // Any string keeps the client from looking for a key in the environment.
    apiKey: api_key ?? '',
    headers: api_key ? undefined : { 'x-goog-api-key': undefined },
    fetch: async (input, init) => turnErrorsIntoEvents(await fetch(input, init)),
  })
}
