import type { AzureOpenAIProviderSettings } from '@ai-sdk/azure'
import type { ProviderConnection } from '#plugin-api'

/** The newest version whose URLs name deployments and that is not a preview. */
const DEPLOYMENT_API_VERSION = '2024-10-21'

type Fetch = ProviderConnection['fetch']
type Settings = Pick<
  AzureOpenAIProviderSettings,
  'baseURL' | 'apiVersion' | 'useDeploymentBasedUrls' | 'fetch'
>

/** A resource's address, `https://…/openai` without a slash at its end, and the ways to call it. */
export interface Endpoint {
  root: string
  /** The API whose URLs begin with `/openai/v1`; it needs no version, but previews of it have one. */
  ofVersion1(apiVersion?: string): Settings
  ofDeployments(apiVersion?: string): Settings
}

/**
 * Makes sense of what people enter: the portal shows a resource as `https://NAME.openai.azure.com/`, as that
 * with `/openai/v1/`, and as the whole URL of a deployment.
 */
export function createEndpoint({ base_url, fetch }: ProviderConnection): Endpoint {
  const { origin, pathname } = new URL(base_url!)
  const [resource] = pathname.split(/\/openai(?=\/|$)/)
  const root = `${origin}${resource!.replace(/\/+$/, '')}/openai`
  return {
    root,
    ofVersion1: (apiVersion) => ({
      // Named whole, because the library adds the version to the path at some of Azure's host names only.
      baseURL: `${root}/v1`,
      fetch: apiVersion === undefined ? fetch : withVersion(fetch, apiVersion),
    }),
    ofDeployments: (apiVersion = DEPLOYMENT_API_VERSION) => ({
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
