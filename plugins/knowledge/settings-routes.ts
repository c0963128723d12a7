import { AppError } from '#kernel'
import { route } from './manifest.ts'
import { settingsBody, settingsRow } from './schemas.ts'
import type { IndexDescription, SettingsDocument } from './types.ts'

const MAY = ['permission', 'knowledge_settings'] as const

const toRow = ({ active, next }: SettingsDocument) => {
  const { embedding_model, chunk_tokens, chunk_overlap } = next ?? active
  return { embedding_model, chunk_tokens, chunk_overlap, is_rebuilding: next !== null }
}

const areSame = (one: Omit<IndexDescription, 'id'>, other: Omit<IndexDescription, 'id'>) =>
  one.embedding_model === other.embedding_model &&
  one.dimensions === other.dimensions &&
  one.chunk_tokens === other.chunk_tokens &&
  one.chunk_overlap === other.chunk_overlap

/** The routes of the settings of all knowledge bases. */
export const settingsRoutes = [
  route({
    method: 'GET',
    path: '/knowledge-bases/settings',
    operation_id: 'getKnowledgeSettings',
    summary: 'Get the settings of knowledge bases',
    description: 'Returns how the documents of all accounts are cut and compared.',
    guard: MAY,
    response: { 200: settingsRow },
  }).handle(async (_, { settings }) => toRow(await settings.read())),

  route({
    method: 'PUT',
    path: '/knowledge-bases/settings',
    operation_id: 'setKnowledgeSettings',
    summary: 'Change the settings of knowledge bases',
    description:
      'Chooses the embedding model, by which passages are found by their meaning as well, and the size of passages. The model is called once to see that it works. A new index is made in the background, for the accounts that own the documents, while the former one answers.',
    guard: MAY,
    body: settingsBody,
    response: { 200: settingsRow },
    errors: ['PROVIDER_NOT_VISIBLE', 'EMBEDDING_FAILED', 'TOKEN_QUOTA_EXCEEDED'],
    audit: { action: 'knowledge_settings.change', target: 'embedding_model' },
  }).handle(async ({ caller, body, signal }, cradle) => {
    const { documents, embedder, embeddings, passageIndex, queue, settings } = cradle
    const { embedding_model } = body
    const { active, next } = await settings.read()
    const { chunk_tokens, chunk_overlap } = { ...(next ?? active), ...body }
    if (chunk_overlap * 2 >= chunk_tokens)
      throw new AppError('VALIDATION_FAILED', {
        issues: [
          { path: '/chunk_overlap', rule: 'maximum', message: 'must be less than half of chunk_tokens' },
        ],
      })
    if (embedding_model !== null) await embeddings.assertUsable(embedding_model)
    const [vector] =
      (await embedder.embed({ embedding_model }, ['dimensions'], { user_id: caller.id, signal })) ?? []
    const wanted = { embedding_model, dimensions: vector?.length ?? null, chunk_tokens, chunk_overlap }
    if (next && areSame(wanted, next)) return toRow(await settings.read())
    const changed = areSame(wanted, active) ? await settings.giveUpNext() : await settings.begin(wanted)
    if (next) {
      await documents.forgetIndex(next.id)
      await passageIndex.drop(next)
    }
    queue.wake()
    return toRow(changed)
  }),
]
