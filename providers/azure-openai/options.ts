import type { JSONSchema } from '#kernel'
import { type ModelOptions, modelOptions } from '../openai/options.ts'

/** The options of a provider; Azure chooses those that are missing. */
export interface AzureOptions extends ModelOptions {
  api_version?: string
  deployment_urls?: boolean
}

/** The schema of the options. */
export const configSchema: JSONSchema = {
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
}
