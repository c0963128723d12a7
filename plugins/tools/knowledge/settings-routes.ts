import { AppError, type TypeOf } from '#plugin-api'
import { route } from './manifest.ts'
import { settingsBody, settingsRow } from './schemas.ts'
import type { IndexDescription, SettingsDocument } from './types.ts'

const MAY = ['permission', 'knowledge_settings'] as const

const toRow = ({ active, next }: SettingsDocument) => {
  const { id, dimensions, ...shown } = next ?? active
  return { question_prefix: '', passage_prefix: '', ...shown, is_rebuilding: next !== null }
}

const areSame = (one: Omit<IndexDescription, 'id'>, other: Omit<IndexDescription, 'id'>) =>
  one.embedding_model === other.embedding_model &&
  one.dimensions === other.dimensions &&
  (one.question_prefix ?? '') === (other.question_prefix ?? '') &&
  (one.passage_prefix ?? '') === (other.passage_prefix ?? '') &&
  one.chunk_tokens === other.chunk_tokens &&
  one.chunk_overlap === other.chunk_overlap

/** Applies changes to the settings. Throws VALIDATION_FAILED. */
function choose(changes: TypeOf<typeof settingsBody>, { active, next }: SettingsDocument) {
  const { id, dimensions, ...present } = next ?? active
  const chosen = { ...present, ...changes }
  if (chosen.chunk_overlap * 2 >= chosen.chunk_tokens)
    throw new AppError('VALIDATION_FAILED', {
      issues: [
        { path: '/chunk_overlap', rule: 'maximum', message: 'must be less than half of chunk_tokens' },
      ],
    })
  return chosen
}

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
      'Chooses the embedding model, by which passages are found by their meaning as well, the texts that it expects in front of questions and passages, and the size of passages. The model is called once to see that it works. A new index is made in the background, for the accounts that own the documents, while the former one answers.',
    guard: MAY,
    body: settingsBody,
    response: { 200: settingsRow },
    errors: [
      'PROVIDER_NOT_VISIBLE',
      'EMBEDDING_FAILED',
      'TOKEN_QUOTA_EXCEEDED',
      'BUDGET_EXCEEDED',
      'PRICE_UNKNOWN',
    ],
    audit: { action: 'knowledge_settings.change', target: 'embedding_model' },
  }).handle(async ({ caller, body, signal }, cradle) => {
    const { documents, embedder, embeddings, passageIndex, queue, settings } = cradle
    const { embedding_model } = body
    choose(body, await settings.read())
    if (embedding_model !== null) await embeddings.assertUsable(embedding_model)
    const [vector] =
      (await embedder.embed({ embedding_model }, ['dimensions'], { user_id: caller.id, signal })) ?? []
    for (;;) {
      const stored = await settings.read()
      const { active, next } = stored
      const description = { ...choose(body, stored), dimensions: vector?.length ?? null }
      if (next && areSame(description, next)) return toRow(stored)
      const changed = await settings.replaceNext(stored, areSame(description, active) ? null : description)
      // The next index may have become the active one.
      if (!changed) continue
      if (next) {
        await documents.forgetIndex(next.id)
        await passageIndex.drop(next)
      }
      queue.wake()
      return toRow(changed)
    }
  }),
]
