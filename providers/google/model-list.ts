import { createJsonErrorResponseHandler, createJsonResponseHandler, getFromApi } from '@ai-sdk/provider-utils'
import { z } from 'zod'
import type { ModelDescription, ProviderConnection } from '#plugin-api'
import { rootOf } from './client.ts'

const PAGE_SIZE = 1000
const MAX_PAGES = 10

/** One model as Google lists it; sizes are in tokens, and what is false is left out. */
const listedModel = z.object({
  name: z.string(),
  displayName: z.string().optional(),
  inputTokenLimit: z.number().optional(),
  outputTokenLimit: z.number().optional(),
  supportedGenerationMethods: z.array(z.string()).default([]),
  thinking: z.boolean().default(false),
})

const page = z.object({ models: z.array(listedModel).default([]), nextPageToken: z.string().optional() })

const failure = z.object({
  error: z.object({
    code: z.number().optional(),
    message: z.string(),
    status: z.string().optional(),
    details: z.array(z.unknown()).optional(),
  }),
})

/** Lists the models that can chat or embed, page by page. */
export async function listModels(
  connection: ProviderConnection,
  signal: AbortSignal,
): Promise<ModelDescription[]> {
  const { api_key, fetch } = connection
  const models: ModelDescription[] = []
  let pageToken: string | undefined
  for (let n = 0; n < MAX_PAGES; n += 1) {
    const query = new URLSearchParams({ pageSize: String(PAGE_SIZE), ...(pageToken && { pageToken }) })
    const { value } = await getFromApi({
      url: `${rootOf(connection)}/models?${query}`,
      headers: { 'x-goog-api-key': api_key },
      successfulResponseHandler: createJsonResponseHandler(page),
      failedResponseHandler: createJsonErrorResponseHandler({
        errorSchema: failure,
        errorToMessage: ({ error }) => error.message,
      }),
      abortSignal: signal,
      fetch,
    })
    models.push(...value.models.flatMap(describe))
    pageToken = value.nextPageToken
    if (!pageToken) break
  }
  return models
}

function describe(model: z.infer<typeof listedModel>): ModelDescription[] {
  const { supportedGenerationMethods: methods, outputTokenLimit: max_output_tokens } = model
  const id = model.name.replace(/^models\//, '')
  const described = { id, name: model.displayName || id, context_window: model.inputTokenLimit }
  if (methods.includes('generateContent'))
    return [{ ...described, embedding: false, max_output_tokens, reasoning: model.thinking }]
  return methods.includes('embedContent') ? [{ ...described, embedding: true }] : []
}
