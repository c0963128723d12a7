import { AppError, isDuplicateKey } from '#kernel'
import type { Cradle } from './manifest.ts'

/** What a first start can make, each named as its kind; of those that it makes, the last one's model becomes active. */
const starters = [
  { kind: 'demo', model: 'demo' },
  { kind: 'anthropic', model: 'claude-sonnet-4-6' },
  // Later ones stream only for organizations that OpenAI has verified.
  { kind: 'openai', model: 'gpt-4.1' },
] as const

/**
 * Makes the first providers and chooses the active model, once in the life of a database; also when several servers
 * start on it, and when one is killed halfway.
 */
export async function setUpFirstProviders(
  { config, collections, providers, visibleProviders }: Cradle,
  announce: (label: string, text: string) => void,
): Promise<void> {
  if (await collections.model_settings.findOne({ _id: 'active' })) return
  let active = ''
  for (const { kind, model } of starters) {
    const connection = kind === 'demo' ? {} : connectionOf(config, kind)
    if (!connection) continue
    try {
      await providers.create(null, { name: kind, kind, ...connection })
    } catch (error) {
      // Made by another server, or by this one before it was killed.
      if (!(error instanceof AppError && error.code === 'PROVIDER_NAME_TAKEN')) throw error
    }
    active = `${kind}:${model}`
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

/** The vendor's address and key as the environment has them, for those that have a key. */
function connectionOf(config: Cradle['config'], kind: 'anthropic' | 'openai') {
  const { [`${kind}_api_key` as const]: api_key, [`${kind}_base_url` as const]: base_url } = config
  return api_key && { api_key, ...(base_url && { base_url }) }
}
