import { APICallError } from '@ai-sdk/provider'
import { inferModelKind, type ModelDescription, type ProviderConnection, type TypeOf } from '#plugin-api'
import { createListFetch } from '../fetch-list.ts'
import { readModelFacts } from '../openai/model-list.ts'
import { createEndpoint } from './connection.ts'

/** The only version that lists deployments to API keys: later versions leave that to Azure's management API. */
const LIST_VERSION = '2023-03-15-preview'

const deployment = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    model: { type: 'string' },
    status: { type: 'string', default: 'succeeded' },
  },
  required: ['id', 'model'],
} as const

const fetchDeployments = createListFetch({
  type: 'object',
  properties: { data: { type: 'array', items: deployment } },
  required: ['data'],
})

const fetchModels = createListFetch({
  type: 'object',
  properties: { data: { type: 'array' } },
  required: ['data'],
})

/**
 * Lists the deployments of a resource. If the resource does not list them to API keys, the result is empty; the list of
 * models, which every resource has, is read then, so that a wrong address or key still fails.
 */
export async function listDeployments(
  connection: ProviderConnection,
  signal: AbortSignal,
): Promise<ModelDescription[]> {
  const { api_key, fetch } = connection
  const { root } = createEndpoint(connection)
  const request = { headers: { 'api-key': api_key }, signal, fetch }
  try {
    const { data } = await fetchDeployments(`${root}/deployments?api-version=${LIST_VERSION}`, request)
    return data.flatMap(describe)
  } catch (error) {
    if (!APICallError.isInstance(error) || error.statusCode !== 404) throw error
    await fetchModels(`${root}/v1/models`, request)
    return []
  }
}

function describe({ id, model, status }: TypeOf<typeof deployment>): ModelDescription[] {
  const model_kind = inferModelKind(model)
  if (status !== 'succeeded' || !model_kind) return []
  return [{ id, name: id === model ? id : `${id} (${model})`, model_kind, ...readModelFacts(model) }]
}
