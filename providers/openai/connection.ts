import type { OpenAIProvider } from '@ai-sdk/openai'
import type { ConfigOf, JSONSchema, ProviderConnection } from '#plugin-api'

/** The schemas of the options of a model. */
export const modelOptions = {
  api: {
    type: 'string',
    enum: ['responses', 'chat'],
    default: 'responses',
    description: 'The API for calls: Responses, or the older Chat Completions, which does not show thoughts.',
  },
  reasoning_effort: {
    type: 'string',
    enum: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    description: 'The reasoning effort of models that reason; not every model supports every level.',
  },
  reasoning_summary: {
    type: 'string',
    enum: ['auto', 'concise', 'detailed'],
    description:
      'Shows summaries of the thoughts of models that reason; not every model supports every value, and OpenAI itself requires a verified organization.',
  },
} as const

const id = { type: 'string', maxLength: 128, pattern: '^[A-Za-z0-9_-]+$' } as const

/** The schema of the options. */
export const configSchema = {
  type: 'object',
  properties: {
    ...modelOptions,
    organization: {
      ...id,
      description: 'The organization that pays for calls, if the key belongs to several (org-…).',
    },
    project: {
      ...id,
      description: 'The project that pays for calls, if it is not the project of the key (proj_…).',
    },
  },
  additionalProperties: false,
} as const satisfies JSONSchema

/** The options of a provider; OpenAI chooses those that are missing. */
export type OpenAIOptions = ConfigOf<typeof configSchema>

/** A connection with these options. */
export type OpenAIConnection = ProviderConnection<OpenAIOptions>

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
