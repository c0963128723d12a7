import type { JSONSchema } from '#kernel'
import type { ConfigOf, ProviderConnection } from '#plugin-api'
import { DEFAULT_BUDGET } from '../anthropic/thinking.ts'

/** The schema of the options. */
export const configSchema = {
  type: 'object',
  properties: {
    region: {
      type: 'string',
      // The region becomes a part of a host name.
      pattern: '^[a-z]{2,4}(-[a-z]{2,12}){1,2}-[0-9]{1,2}$',
      maxLength: 32,
      description: 'The AWS region of the models, e.g. us-east-1.',
    },
    access_key_id: {
      type: 'string',
      pattern: '^[A-Za-z0-9_]{16,128}$',
      description: 'The id of an AWS access key, used if the provider has no Bedrock API key.',
    },
    secret_access_key: {
      type: 'string',
      pattern: '^[!-~]{16,256}$',
      writeOnly: true,
      description: 'The secret of the AWS access key.',
    },
    session_token: {
      type: 'string',
      pattern: '^[!-~]{16,8192}$',
      writeOnly: true,
      description: 'The session token that belongs to a temporary AWS access key.',
    },
    thinking: {
      type: 'boolean',
      description:
        'True if Claude thinks before it answers and shows its thoughts; without it each model uses its default, which is off up to Claude 4.8.',
    },
    thinking_budget: {
      type: 'integer',
      minimum: 1024,
      maximum: 60_000,
      default: DEFAULT_BUDGET,
      description: 'Tokens for the thoughts of Claude up to 4.5; later models decide by themselves.',
    },
    effort: {
      type: 'string',
      enum: ['low', 'medium', 'high', 'xhigh', 'max'],
      description: 'The effort of Claude from 4.6 on for thoughts, text and tool calls.',
    },
  },
  required: ['region'],
  additionalProperties: false,
} as const satisfies JSONSchema

/** The options of a provider. */
export type BedrockOptions = ConfigOf<typeof configSchema>

/** A connection with these options. */
export type BedrockConnection = ProviderConnection<BedrockOptions>
