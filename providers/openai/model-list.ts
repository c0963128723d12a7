import type { ModelDescription } from '#plugin-api'
import { createListFetch } from '../fetch-list.ts'
import { type OpenAIConnection, toRoot } from './connection.ts'

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

/** The input of models of OpenAI, by the first pattern that matches; that of others is unknown. */
const INPUTS: readonly [RegExp, ModelDescription['input']][] = [
  [
    /embed|whisper|tts|transcri|dall-e|sora|realtime|audio|image|moderation|search|babbage|davinci/,
    undefined,
  ],
  [/^(?:o1-(?:mini|preview)|o3-mini|gpt-3\.?5|gpt-4(?:-(?:32k|0\d{3}|1106|0125)|$))/, ['text']],
  [/^(?:gpt-4o|chatgpt-4o|gpt-4\.[15]|gpt-4-(?:turbo|vision)|gpt-(?:[5-9]|1\d)|o1|o3|o4)/, ['text', 'image']],
]

/** Models that call tools; of others it is unknown. */
const TOOLS = /^(?:gpt-(?:3\.?5-turbo|4o|4\.1|4-turbo|[5-9]|1\d)|o1(?!-(?:mini|preview))|o3|o4)/
/** Of these families, the models for other uses and those without tools. */
const WITHOUT_TOOLS = /instruct|audio|realtime|transcri|tts|search|image|-chat\b/

/** Returns the facts about a model of OpenAI that its name tells. */
export function readModelFacts(name: string): Pick<ModelDescription, 'input' | 'tools'> {
  const id = name.toLowerCase().replace(/^ft:/, '')
  const input = INPUTS.find(([names]) => names.test(id))?.[1]
  return { ...(input && { input }), ...(TOOLS.test(id) && !WITHOUT_TOOLS.test(id) && { tools: true }) }
}
