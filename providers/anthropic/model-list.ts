import type { ModelDescription, ProviderConnection, TypeOf } from '#plugin-api'
import { createListFetch } from '../fetch-list.ts'
import { toRoot } from './chat-model.ts'

/** The API returns at most 1000 models per page; there are a few dozen. */
const PAGE_SIZE = 1000
const MAX_PAGES = 10

const text = { type: ['string', 'null'] } as const
const count = { type: ['number', 'null'] } as const
const capability = {
  type: ['object', 'null'],
  properties: { supported: { type: 'boolean' } },
  required: ['supported'],
} as const

/** A model as it is listed; other vendors with this API may omit everything but the id. */
const listedModel = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    display_name: text,
    max_input_tokens: count,
    max_tokens: count,
    capabilities: {
      type: ['object', 'null'],
      properties: { image_input: capability, thinking: capability },
    },
  },
  required: ['id'],
} as const

const fetchPage = createListFetch({
  type: 'object',
  properties: {
    data: { type: 'array', items: listedModel },
    has_more: { type: ['boolean', 'null'] },
    last_id: text,
  },
  required: ['data'],
})

/** Lists all models of `GET /models`, newest first. */
export async function listModels(
  connection: ProviderConnection,
  signal: AbortSignal,
): Promise<ModelDescription[]> {
  const { api_key, fetch } = connection
  const headers = { 'x-api-key': api_key ?? '', 'anthropic-version': '2023-06-01' }
  const models: ModelDescription[] = []
  let after = ''
  for (let n = 0; n < MAX_PAGES; n += 1) {
    const url = `${toRoot(connection)}/models?limit=${PAGE_SIZE}${after}`
    const { data, has_more, last_id } = await fetchPage(url, { headers, signal, fetch })
    models.push(...data.map(describe))
    if (!has_more || !last_id) break
    after = `&after_id=${encodeURIComponent(last_id)}`
  }
  return models
}

function describe(model: TypeOf<typeof listedModel>): ModelDescription {
  const { id, display_name, max_input_tokens, max_tokens, capabilities } = model
  const { image_input, thinking } = capabilities ?? {}
  return {
    id,
    name: display_name || id,
    ...(max_input_tokens && { context_window: max_input_tokens }),
    ...(max_tokens && { max_output_tokens: max_tokens }),
    ...(image_input && { input: image_input.supported ? ['text', 'image'] : ['text'] }),
    ...(thinking && { reasoning: thinking.supported }),
  }
}
