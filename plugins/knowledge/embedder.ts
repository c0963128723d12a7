import type { IndexDescription } from './types.ts'

/** Makes the vectors of texts. */
export interface Embedder {
  /** Returns the vectors of texts for an index; undefined if it has none. Throws EMBEDDING_FAILED. */
  embed(
    index: Pick<IndexDescription, 'embedding_model'>,
    texts: readonly string[],
    payer: { user_id: string; signal: AbortSignal },
  ): Promise<number[][] | undefined>
}

/** Creates the embedder. */
export function createEmbedder(): Embedder {
  return { embed: async () => undefined }
}
