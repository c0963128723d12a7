import type { AzureOpenAIProvider } from '@ai-sdk/azure'
import type { ProviderConnection } from '#plugin-api'
import { createEndpoint } from './endpoint.ts'
import type { AzureOptions } from './options.ts'

/** Creates the client of a connection. */
export async function createClient(connection: ProviderConnection): Promise<AzureOpenAIProvider> {
  const { createAzure } = await import('@ai-sdk/azure')
  const { api_version, deployment_urls } = connection.options as AzureOptions
  const endpoint = createEndpoint(connection)
  return createAzure({
    // The library would read an undefined setting from the server's environment.
    apiKey: connection.api_key ?? '',
    ...(deployment_urls ? endpoint.forDeployments(api_version) : endpoint.forVersion1(api_version)),
  })
}
