import { AppError } from '#kernel'
import type { Cradle } from './manifest.ts'
import type { IndexDescription } from './types.ts'

/** Makes the vectors of texts; the account that uploads or asks pays for them. */
export type Embedder = ReturnType<typeof createEmbedder>

/** Creates the embedder. */
export function createEmbedder({ embeddings, users }: Pick<Cradle, 'embeddings' | 'users'>) {
  return {
    /**
     * Returns the vectors of texts for an index; undefined if it has none. Throws EMBEDDING_FAILED and the like,
     * TOKEN_QUOTA_EXCEEDED unless the payer is unlimited, and EMBEDDING_DIMENSIONS_CHANGED if the vectors have another
     * length than the index.
     */
    async embed(
      {
        embedding_model,
        dimensions: expected,
      }: Pick<IndexDescription, 'embedding_model'> & Partial<Pick<IndexDescription, 'dimensions'>>,
      texts: readonly string[],
      { user_id, signal, isUnlimited }: { user_id: string; signal: AbortSignal; isUnlimited?: boolean },
    ): Promise<number[][] | undefined> {
      if (embedding_model === null) return undefined
      const token_quota = isUnlimited ? null : ((await users.find(user_id))?.token_quota ?? null)
      const vectors = await embeddings.embed(embedding_model, texts, { user_id, token_quota, signal })
      const wrong = expected && vectors.find(({ length }) => length !== expected)
      if (wrong) throw new AppError('EMBEDDING_DIMENSIONS_CHANGED', { expected, received: wrong.length })
      return vectors
    },
  }
}
