import type { ModelDescription } from '#plugin-api'
import { createListFetch } from '../fetch-list.ts'
import { toRoot } from './client.ts'
import { readModelFacts } from './model-facts.ts'
import type { OpenAIConnection } from './options.ts'

const fetchPage = createListFetch({
  type: 'object',
  properties: {
    data: {
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    },
  },
  required: ['data'],
})

/** Lists the models, on a single page that contains only their ids. */
export async function listModels(
  { base_url, api_key, options, fetch }: OpenAIConnection,
  signal: AbortSignal,
): Promise<ModelDescription[]> {
  const { organization, project } = options
  const { data } = await fetchPage(`${toRoot({ base_url })}/models`, {
    headers: {
      authorization: api_key && `Bearer ${api_key}`,
      'openai-organization': organization,
      'openai-project': project,
    },
    signal,
    fetch,
  })
  return data.map(({ id }) => ({ id, name: id, ...readModelFacts(id) }))
}
