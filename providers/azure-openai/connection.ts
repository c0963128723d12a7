import type { AzureOpenAIProvider, AzureOpenAIProviderSettings } from '@ai-sdk/azure'
import type { ConfigOf, JSONSchema, ProviderConnection } from '#plugin-api'
import { modelOptions } from '../openai/connection.ts'

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

/** The newest version with deployments in its URLs that is not a preview. */
const DEPLOYMENT_API_VERSION = '2024-10-21'

type Fetch = ProviderConnection['fetch']
type Settings = Pick<
  AzureOpenAIProviderSettings,
  'baseURL' | 'apiVersion' | 'useDeploymentBasedUrls' | 'fetch'
>

/**
 * Reads the address that a person enters: the portal shows a resource as `https://NAME.openai.azure.com/`, as that
 * with `/openai/v1/`, and as the full URL of a deployment.
 */
export function createEndpoint({ base_url, fetch }: ProviderConnection) {
  const { origin, pathname } = new URL(base_url!)
  const [resource] = pathname.split(/\/openai(?=\/|$)/)
  const root = `${origin}${resource!.replace(/\/+$/, '')}/openai`
  return {
    /** The address of the resource, `https://…/openai` without a trailing slash. */
    root,
    /** Returns the settings for the API below `/openai/v1`, which only needs a version for its previews. */
    forVersion1: (apiVersion?: string): Settings => ({
      // With the version in the path, because the library adds it only for some of Azure's host names.
      baseURL: `${root}/v1`,
      fetch: apiVersion === undefined ? fetch : withVersion(fetch, apiVersion),
    }),
    forDeployments: (apiVersion = DEPLOYMENT_API_VERSION): Settings => ({
      baseURL: root,
      apiVersion,
      useDeploymentBasedUrls: true,
      fetch,
    }),
  }
}

const withVersion =
  (fetch: Fetch, apiVersion: string): Fetch =>
  (input, init) => {
    const url = new URL(String(input))
    url.searchParams.set('api-version', apiVersion)
    return fetch(url.href, init)
  }

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
