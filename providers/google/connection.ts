import type { GoogleGenerativeAIProvider } from '@ai-sdk/google'
import type { ConfigOf, JSONSchema, ProviderConnection } from '#plugin-api'

/** The schema of the options. */
export const configSchema = {
  type: 'object',
  properties: {
    thinking_level: {
      enum: ['minimal', 'low', 'medium', 'high'],
      description: 'The thinking level of models from Gemini 3 on; not every model supports every level.',
    },
    thinking_budget: {
      type: 'integer',
      minimum: -1,
      maximum: 32_768,
      description:
        'Tokens for thoughts, -1 to let the model decide and 0 for none; if a level is set, only Gemini 2.5 uses it.',
    },
    safety_threshold: {
      enum: ['BLOCK_LOW_AND_ABOVE', 'BLOCK_MEDIUM_AND_ABOVE', 'BLOCK_ONLY_HIGH', 'BLOCK_NONE', 'OFF'],
      description:
        'The probability of harm from which Google blocks questions and answers, as a value of its API.',
    },
  },
  additionalProperties: false,
} as const satisfies JSONSchema

/** The options of a provider. */
export type GoogleOptions = ConfigOf<typeof configSchema>

/** A connection with these options. */
export type GoogleConnection = ProviderConnection<GoogleOptions>

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
