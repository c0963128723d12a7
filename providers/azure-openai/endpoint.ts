import type { AzureOpenAIProviderSettings } from '@ai-sdk/azure'
import type { ProviderConnection } from '#plugin-api'

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
