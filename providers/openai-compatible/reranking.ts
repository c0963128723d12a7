import { createJsonResponseHandler, jsonSchema, postJsonToApi } from '@ai-sdk/provider-utils'
import type { RerankingModel } from '#plugin-api'
import { handleRefusal } from '../fetch-list.ts'
import { toHeaders } from './clients.ts'
import type { CompatibleConnection } from './options.ts'

/** A ranking as Cohere, Jina and the servers that follow them answer. */
interface Ranking {
  results: { index: number; relevance_score: number }[]
}

const readRanking = createJsonResponseHandler(
  jsonSchema<Ranking>(
    {},
    {
      validate: (value) =>
        isRanking(value)
          ? { success: true, value }
          : { success: false, error: new Error('The upstream returned no ranking.') },
    },
  ),
)

const isRanking = (value: unknown): value is Ranking =>
  Array.isArray((value as Partial<Ranking> | null)?.results) &&
  (value as Ranking).results.every((row) => typeof row === 'object' && row !== null)

/** Creates a model over `POST /rerank`, which OpenAI itself does not have. */
export const createRerankingModel = (connection: CompatibleConnection, model: string): RerankingModel => ({
  async doRerank({ query, documents, topN: top_n, abortSignal }) {
    const values = documents.values.map((value) =>
      typeof value === 'string' ? value : JSON.stringify(value),
    )
    const { value } = await postJsonToApi({
      url: `${connection.base_url}/rerank`,
      headers: toHeaders(connection),
      body: { model, query, documents: values, top_n },
      successfulResponseHandler: readRanking,
      failedResponseHandler: handleRefusal,
      abortSignal,
      fetch: connection.fetch,
    })
    const ranking = value.results.map(({ index, relevance_score }) => ({
      index,
      relevanceScore: relevance_score,
    }))
    return { ranking }
  },
})
