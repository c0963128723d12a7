import type { ProviderConnection } from '#plugin-api'
import { createAuthorizedFetch } from './authorized-fetch.ts'
import { optionsOf } from './options.ts'

/** Opens the client library on the runtime of a region, or on the address that stands in for it. */
export async function createClient(connection: ProviderConnection) {
  const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
  const { region } = optionsOf(connection)
  return createAmazonBedrock({
    region,
    baseURL: runtimeURL(connection),
    // Without a key the library takes one, or an access key, of the server's environment; this one is never sent.
    apiKey: 'replaced-by-fetch',
    fetch: await createAuthorizedFetch(connection),
  })
}

/** Where models are called. */
export const runtimeURL = (connection: ProviderConnection) =>
  trim(connection.base_url) ?? hostURL('bedrock-runtime', connection)

/** Where models are listed: a service of its own at AWS, the same address where one is given. */
export const controlURL = (connection: ProviderConnection) =>
  trim(connection.base_url)?.replace(RUNTIME, 'https://bedrock') ?? hostURL('bedrock', connection)

const RUNTIME = /^https:\/\/bedrock-runtime(?=(?:-fips)?\.[^/]*\.amazonaws\.)/

const trim = (url: string | undefined) => url?.replace(/\/+$/, '') || undefined

function hostURL(service: string, connection: ProviderConnection): string {
  const { region } = optionsOf(connection)
  // The European sovereign cloud has a domain of its own.
  return `https://${service}.${region}.amazonaws.${region.startsWith('eusc-') ? 'eu' : 'com'}`
}
