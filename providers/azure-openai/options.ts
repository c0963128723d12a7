import type { JSONSchema } from '#kernel'
import type { ConfigOf, ProviderConnection } from '#plugin-api'
import { modelOptions } from '../openai/options.ts'

/** The schema of the options. */
export const configSchema = {
  type: 'object',
  properties: {
    ...modelOptions,
    api_version: {
      type: 'string',
      pattern: '^(v1|preview|\\d{4}-\\d{2}-\\d{2}(-preview)?)$',
      description:
        'The version in the query of each call; only needed for previews and with deployment_urls.',
    },
    deployment_urls: {
      type: 'boolean',
      default: false,
      description:
        'Calls /openai/deployments/NAME, as before v1, with Chat Completions and api_version 2024-10-21 by default.',
    },
  },
  additionalProperties: false,
} as const satisfies JSONSchema

/** The options of a provider; Azure chooses those that are missing. */
export type AzureOptions = ConfigOf<typeof configSchema>

/** A connection with these options. */
export type AzureConnection = ProviderConnection<AzureOptions>
