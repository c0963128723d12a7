import type { ProviderConnection } from '#plugin-api'
import { createAuthorizedFetch } from './authorized-fetch.ts'
import { readOptions } from './options.ts'

/** Creates the client for the runtime of a region, or for the base URL if one is set. */
export async function createClient(connection: ProviderConnection) {
  const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
  const { region } = readOptions(connection)
  return createAmazonBedrock({
    region,
    baseURL: toRuntimeURL(connection),
    // Without a key, the library would read one from the server's environment; this key is never sent.
    apiKey: 'replaced-by-fetch',
    fetch: await createAuthorizedFetch(connection),
  })
}

/** Returns the address at which models are called. */
const toRuntimeURL = (connection: ProviderConnection) =>
  trim(connection.base_url) ?? toHostURL('bedrock-runtime', connection)

/** Returns the address at which models are listed: a service of its own at AWS, or the base URL if one is set. */
export const toControlURL = (connection: ProviderConnection) =>
  trim(connection.base_url)?.replace(RUNTIME, 'https://bedrock') ?? toHostURL('bedrock', connection)

const RUNTIME = /^https:\/\/bedrock-runtime(?=(?:-fips)?\.[^/]*\.amazonaws\.)/

const trim = (url: string | undefined) => url?.replace(/\/+$/, '') || undefined

function toHostURL(service: string, connection: ProviderConnection): string {
  const { region } = readOptions(connection)
  // The European sovereign cloud has a domain of its own.
  return `https://${service}.${region}.amazonaws.${region.startsWith('eusc-') ? 'eu' : 'com'}`
}
