import { inferModelKind, type ModelDescription, type ProviderConnection, type TypeOf } from '#plugin-api'
import { createListFetch } from '../fetch-list.ts'
import { toRoot } from './connection.ts'

const PAGE_SIZE = 1000
const MAX_PAGES = 10

/** A model as Google lists it; sizes are in tokens, and false values are omitted. */
const listedModel = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    displayName: { type: 'string' },
    inputTokenLimit: { type: 'number' },
    outputTokenLimit: { type: 'number' },
    supportedGenerationMethods: { type: 'array', items: { type: 'string' }, default: [] },
    thinking: { type: 'boolean', default: false },
  },
  required: ['name'],
} as const

const fetchPage = createListFetch({
  type: 'object',
  properties: {
    models: { type: 'array', items: listedModel, default: [] },
    nextPageToken: { type: 'string' },
  },
})

/** Lists the models that chat, embed, draw or speak, page by page. */
export async function listModels(
  { base_url, api_key, fetch }: ProviderConnection,
  signal: AbortSignal,
): Promise<ModelDescription[]> {
  const models: ModelDescription[] = []
  let pageToken: string | undefined
  for (let n = 0; n < MAX_PAGES; n += 1) {
    const query = new URLSearchParams({ pageSize: String(PAGE_SIZE), ...(pageToken && { pageToken }) })
    const headers = { 'x-goog-api-key': api_key }
    const page = await fetchPage(`${toRoot({ base_url })}/models?${query}`, { headers, signal, fetch })
    models.push(...page.models.flatMap(describe))
    pageToken = page.nextPageToken
    if (!pageToken) break
  }
  return models
}

function describe(model: TypeOf<typeof listedModel>): ModelDescription[] {
  const { supportedGenerationMethods: methods, outputTokenLimit: max_output_tokens } = model
  const id = model.name.replace(/^models\//, '')
  const described = { id, name: model.displayName || id, context_window: model.inputTokenLimit }
  if (methods.includes('generateContent')) {
    // Models that speak or transcribe have no other sign. Those that draw chat as well.
    const inferred = inferModelKind(id)
    const model_kind = inferred === 'speech' || inferred === 'transcription' ? inferred : 'chat'
    return [{ ...described, model_kind, max_output_tokens, reasoning: model.thinking, ...readFacts(id) }]
  }
  if (methods.includes('embedContent')) return [{ ...described, model_kind: 'embedding' }]
  return inferModelKind(id) === 'image' ? [{ ...described, model_kind: 'image' }] : []
}

/** Returns the facts about a model that its name tells: all of Gemini see pictures, and only those that draw call no tools. */
function readFacts(id: string): Pick<ModelDescription, 'input' | 'tools'> {
  if (!id.startsWith('gemini-') || /tts|embedding|transcribe/.test(id)) return {}
  return {
    input: ['text', 'image'],
    ...(!/live|audio|robotics|computer/.test(id) && { tools: !id.includes('image') }),
  }
}
