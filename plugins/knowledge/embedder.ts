import type { Cradle } from './manifest.ts'
import type { IndexDescription } from './types.ts'

/** Makes the vectors of texts; the account that uploads or asks pays for them. */
export interface Embedder {
  /** Returns the vectors of texts for an index; undefined if it has none. Throws EMBEDDING_FAILED and the like. */
  embed(
    index: Pick<IndexDescription, 'embedding_model'>,
    texts: readonly string[],
    payer: { user_id: string; signal: AbortSignal },
  ): Promise<number[][] | undefined>
}

/** Creates the embedder. */
export function createEmbedder({ embeddings, users }: Pick<Cradle, 'embeddings' | 'users'>): Embedder {
  return {
    async embed({ embedding_model }, texts, { user_id, signal }) {
      if (embedding_model === null) return undefined
      const token_quota = (await users.find(user_id))?.token_quota ?? null
      return embeddings.embed(embedding_model, texts, { user_id, token_quota, signal })
    },
  }
}
