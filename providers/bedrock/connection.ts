import type { AmazonBedrockProvider } from '@ai-sdk/amazon-bedrock'
import type { ConfigOf, JSONSchema, ProviderConnection } from '#plugin-api'
import { DEFAULT_BUDGET } from '../anthropic/thinking.ts'
import { createAuthorizedFetch } from './authorized-fetch.ts'
import { createConverseFetch } from './converse-fetch.ts'

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

/**
 * Creates the function that opens a client for the runtime of a region, or for the base URL if one is set. It marks the
 * results of tools that failed, in their order.
 */
export async function createClients(connection: BedrockConnection) {
  const fetch = await createAuthorizedFetch(connection)
  const create = await importClient()
  return (failures: readonly boolean[] = []) =>
    create(connection, toRuntimeURL(connection), createConverseFetch(fetch, failures))
}

/** Creates the client for rankings, which are a service of its own at AWS, or at the base URL if one is set. */
export async function createAgentClient(connection: BedrockConnection): Promise<AmazonBedrockProvider> {
  const create = await importClient()
  return create(connection, toAgentURL(connection), await createAuthorizedFetch(connection))
}

async function importClient() {
  const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
  return ({ options: { region } }: BedrockConnection, baseURL: string, fetch: typeof globalThis.fetch) =>
    // Without a key, the library would read one from the server's environment; this key is never sent.
    createAmazonBedrock({ region, baseURL, apiKey: 'replaced-by-fetch', fetch })
}

/** Returns the address at which models are called. */
const toRuntimeURL = (connection: BedrockConnection) =>
  trim(connection.base_url) ?? toHostURL('bedrock-runtime', connection)

/** Returns the address at which models are listed: a service of its own at AWS, or the base URL if one is set. */
export const toControlURL = (connection: BedrockConnection) =>
  trim(connection.base_url)?.replace(RUNTIME, 'https://bedrock') ?? toHostURL('bedrock', connection)

/** Returns the address at which documents are ranked. */
const toAgentURL = (connection: BedrockConnection) =>
  trim(connection.base_url)?.replace(RUNTIME, 'https://bedrock-agent-runtime') ??
  toHostURL('bedrock-agent-runtime', connection)

const RUNTIME = /^https:\/\/bedrock-runtime(?=(?:-fips)?\.[^/]*\.amazonaws\.)/

const trim = (url: string | undefined) => url?.replace(/\/+$/, '') || undefined

function toHostURL(service: string, connection: BedrockConnection): string {
  const { region } = connection.options
  // The European sovereign cloud has a domain of its own.
  return `https://${service}.${region}.amazonaws.${region.startsWith('eusc-') ? 'eu' : 'com'}`
}
