import type { ProviderConnection } from '#plugin-api'
import { createListFetch } from '../fetch-list.ts'

const arn = { type: ['string', 'null'] } as const

const fetchTarget = createListFetch({
  type: 'object',
  properties: {
    models: { type: ['array', 'null'], items: { type: 'object', properties: { modelArn: arn } } },
    foundationModelArn: arn,
    modelArn: arn,
  },
})

/** Reads the id of the model behind an inference profile or provisioned throughput; undefined if it is not said. */
export async function readTarget(
  url: string,
  request: { signal: AbortSignal; fetch: ProviderConnection['fetch'] },
): Promise<string | undefined> {
  const { models, foundationModelArn, modelArn } = await fetchTarget(url, request)
  const target = models?.[0]?.modelArn ?? foundationModelArn ?? modelArn
  return target?.split('/').at(-1)
}
