import type { AzureOpenAIProvider } from '@ai-sdk/azure'
import type { ProviderConnection } from '#plugin-api'
import { createEndpoint } from './endpoint.ts'
import type { AzureOptions } from './options.ts'

/** Makes the client of one connection. */
export async function createClient(connection: ProviderConnection): Promise<AzureOpenAIProvider> {
  const { createAzure } = await import('@ai-sdk/azure')
  const { api_version, deployment_urls } = connection.options as AzureOptions
  const endpoint = createEndpoint(connection)
  return createAzure({
    // What is undefined would be taken from the environment of the server.
    apiKey: connection.api_key ?? '',
    ...(deployment_urls ? endpoint.ofDeployments(api_version) : endpoint.ofVersion1(api_version)),
  })
}
