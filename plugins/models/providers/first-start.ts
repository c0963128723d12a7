import { AppError, isDuplicateKey } from '#plugin-api'
import type { Cradle } from './manifest.ts'

/** The providers of a first start, named after their kinds; the model of the last created one becomes active. */
const starters = [
  { kind: 'demo', model: 'demo' },
  { kind: 'anthropic', model: 'claude-sonnet-4-6' },
  // OpenAI streams later models only to verified organizations.
  { kind: 'openai', model: 'gpt-4.1' },
] as const

/**
 * Creates the first providers and chooses the active model, once in the life of a database, even if several servers
 * start on it at the same time or one is killed halfway.
 */
export async function setUpFirstProviders(
  { config, collections, extensions, providers, visibleProviders }: Cradle,
  announce: (label: string, text: string) => void,
): Promise<void> {
  if (await collections.model_settings.findOne({ _id: 'active' })) return
  let active = ''
  for (const { kind, model } of starters) {
    if (!extensions['providers.kinds'].get(kind)) continue
    const connection = kind === 'demo' ? {} : readConnection(config, kind)
    if (!connection) continue
    try {
      await providers.create(null, { name: kind, kind, ...connection })
    } catch (error) {
      // Created by another server, or by this one before it was killed.
      if (!(error instanceof AppError && error.code === 'PROVIDER_NAME_TAKEN')) throw error
    }
    active = `${kind}:${model}`
  }
  if (active === '') return
  try {
    await collections.model_settings.insertOne({ _id: 'active', model: active })
  } catch (error) {
    if (isDuplicateKey(error)) return
    throw error
  }
  visibleProviders.forget()
  announce('model', active)
}

/** Reads the vendor's address and key from the environment; undefined without a key. */
function readConnection(config: Cradle['config'], kind: 'anthropic' | 'openai') {
  const { [`${kind}_api_key` as const]: api_key, [`${kind}_base_url` as const]: base_url } = config
  return api_key && { api_key, ...(base_url && { base_url }) }
}
