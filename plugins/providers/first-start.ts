import { AppError, type Cradle, isDuplicateKey } from '#kernel'
import type { NewProvider } from './providers.ts'

/** The section `plugins.providers` of the configuration. */
export interface ProvidersConfig {
  allow_hosts: string[]
  /** Calls that a provider takes at a time in one server process, where it does not say so itself. */
  max_concurrency: number
  openai_api_key?: string
  anthropic_api_key?: string
}

/** What a first start can make; of those that it makes, the last one's model becomes active. */
const starters: { provider: NewProvider; model: string; key?: 'openai_api_key' | 'anthropic_api_key' }[] = [
  { provider: { name: 'demo', kind: 'demo' }, model: 'demo' },
  {
    provider: { name: 'anthropic', kind: 'openai-compatible', base_url: 'https://api.anthropic.com/v1' },
    model: 'claude-sonnet-4-6',
    key: 'anthropic_api_key',
  },
  {
    provider: { name: 'openai', kind: 'openai-compatible', base_url: 'https://api.openai.com/v1' },
    // Later ones refuse tools in chat completions, or stream only for organizations that OpenAI has verified.
    model: 'gpt-4.1',
    key: 'openai_api_key',
  },
]

/**
 * Makes the first providers and chooses the active model, once in the life of a database; also when several servers
 * start on it, and when one is killed halfway.
 */
export async function setUpFirstProviders(
  { config, collections, providers, visibleProviders }: Cradle<ProvidersConfig>,
  announce: (label: string, text: string) => void,
): Promise<void> {
  if (await collections.model_settings.findOne({ _id: 'active' })) return
  let active = ''
  for (const { provider, model, key } of starters) {
    const api_key = key && config[key]
    if (key && !api_key) continue
    try {
      await providers.create(null, { ...provider, ...(api_key && { api_key }) })
    } catch (error) {
      // Made by another server, or by this one before it was killed.
      if (!(error instanceof AppError && error.code === 'PROVIDER_NAME_TAKEN')) throw error
    }
    active = `${provider.name}:${model}`
  }
  try {
    await collections.model_settings.insertOne({ _id: 'active', model: active })
  } catch (error) {
    if (isDuplicateKey(error)) return
    throw error
  }
  visibleProviders.forget()
  announce('model', active)
}
