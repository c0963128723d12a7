import { createAuthorizedFetch } from './authorized-fetch.ts'
import { createConverseFetch } from './converse-fetch.ts'
import type { BedrockConnection } from './options.ts'

/**
 * Creates the function that opens a client for the runtime of a region, or for the base URL if one is set. It marks the
 * results of tools that failed, in their order.
 */
export async function createClients(connection: BedrockConnection) {
  const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
  const { region } = connection.options
  const fetch = await createAuthorizedFetch(connection)
  return (failures: readonly boolean[] = []) =>
    createAmazonBedrock({
      region,
      baseURL: toRuntimeURL(connection),
      // Without a key, the library would read one from the server's environment; this key is never sent.
      apiKey: 'replaced-by-fetch',
      fetch: createConverseFetch(fetch, failures),
    })
}

/** Returns the address at which models are called. */
const toRuntimeURL = (connection: BedrockConnection) =>
  trim(connection.base_url) ?? toHostURL('bedrock-runtime', connection)

/** Returns the address at which models are listed: a service of its own at AWS, or the base URL if one is set. */
export const toControlURL = (connection: BedrockConnection) =>
  trim(connection.base_url)?.replace(RUNTIME, 'https://bedrock') ?? toHostURL('bedrock', connection)

const RUNTIME = /^https:\/\/bedrock-runtime(?=(?:-fips)?\.[^/]*\.amazonaws\.)/

const trim = (url: string | undefined) => url?.replace(/\/+$/, '') || undefined

function toHostURL(service: string, connection: BedrockConnection): string {
  const { region } = connection.options
  // The European sovereign cloud has a domain of its own.
  return `https://${service}.${region}.amazonaws.${region.startsWith('eusc-') ? 'eu' : 'com'}`
}
