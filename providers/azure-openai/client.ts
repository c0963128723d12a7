import type { AzureOpenAIProvider } from '@ai-sdk/azure'
import { createEndpoint } from './endpoint.ts'
import type { AzureConnection } from './options.ts'

/** Creates the client of a connection. */
export async function createClient(connection: AzureConnection): Promise<AzureOpenAIProvider> {
  const { createAzure } = await import('@ai-sdk/azure')
  const { api_version, deployment_urls } = connection.options
  const endpoint = createEndpoint(connection)
  return createAzure({
    // The library would read an undefined setting from the server's environment.
    apiKey: connection.api_key ?? '',
    ...(deployment_urls ? endpoint.forDeployments(api_version) : endpoint.forVersion1(api_version)),
  })
}
