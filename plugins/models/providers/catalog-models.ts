import { MODEL_CONFIGS, type ModelConfig } from 'llm-zoo'
import type { ModelDescription } from '#plugin-api'

/** The facts about a model of a vendor. */
export type VendorFacts = Pick<
  ModelDescription,
  'context_window' | 'max_output_tokens' | 'input' | 'tools' | 'reasoning'
>

/** Vendors whose models nobody else can run, so that each gateway offers the same models under their ids. */
const CLOSED = ['openai', 'anthropic', 'google', 'xai']

/** The other vendors, by their hosts. Elsewhere their models may run with other windows. */
const HOSTS: readonly (readonly [RegExp, string])[] = [
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/(^|\.)moonshot\.(ai|cn)$/, 'moonshot'],
  [/^dashscope(-[a-z]+)?\.aliyuncs\.com$/, 'dashscope'],
  [/(^|\.)(bigmodel\.cn|z\.ai)$/, 'glm'],
  [/(^|\.)minimaxi?\.(com|io|chat)$/, 'minimax'],
]

/** The entries by vendor and name; several of one name are variants of one model. */
const variants = new Map<string, ModelConfig[]>()
for (const config of Object.values(MODEL_CONFIGS).filter(({ openRouterOnly }) => !openRouterOnly))
  for (const name of new Set([config.fullName, config.shortName].flatMap(toNames))) {
    const key = `${config.provider}:${name}`
    variants.set(key, [...(variants.get(key) ?? []), config])
  }

/** Finds what is known of a model at an address; undefined if that is nothing. */
export function findVendorFacts(url: string, id: string): VendorFacts | undefined {
  const { hostname: host } = new URL(url)
  const vendors = [...CLOSED, ...HOSTS.filter(([pattern]) => pattern.test(host)).map(([, vendor]) => vendor)]
  for (const name of toNames(id))
    for (const vendor of vendors) {
      const entries = variants.get(`${vendor}:${name}`)
      if (entries) return combine(entries)
    }
  return undefined
}

/**
 * Returns the names of a model without what gateways and Bedrock add to its id, first with its date and then without, as
 * in `us.anthropic.claude-sonnet-4-5-20250929-v1:0`.
 */
function toNames(id: string): string[] {
  const name = id.slice(id.lastIndexOf('/') + 1).toLowerCase()
  const ofBedrock = /^(?:[a-z-]+\.)?anthropic\.(.+?)(?:-v\d+(?::.*)?)?$/.exec(name)?.[1]
  const dated = (ofBedrock ?? name.replace(/:.*$/, '')).replaceAll('.', '-').replace('@', '-')
  return [...new Set([dated, dated.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')])]
}

/** Combines variants: the smaller sizes, and what one of them can do. */
function combine(configs: readonly ModelConfig[]): VendorFacts {
  const current = configs.filter(({ retired }) => !retired)
  const chosen = current.length > 0 ? current : configs
  const can = (
    capability: 'supportsVision' | 'supportsNativeAudio' | 'supportsFunctionCalling' | 'supportsReasoning',
  ) => chosen.some(({ capabilities }) => capabilities[capability])
  const input: ModelDescription['input'] = ['text']
  if (can('supportsVision')) input.push('image')
  if (can('supportsNativeAudio')) input.push('audio')
  return {
    context_window: Math.min(...chosen.map(({ contextWindow }) => contextWindow)),
    max_output_tokens: Math.min(...chosen.map(({ maxOutputTokens }) => maxOutputTokens)),
    input,
    tools: can('supportsFunctionCalling'),
    // False is this catalog's default, so it tells nothing.
    ...(can('supportsReasoning') && { reasoning: true }),
  }
}
