import type { ModelDescription, ProviderConnection } from '#kernel'
import { rootOf } from './client.ts'

const PAGE_SIZE = 1000
const MAX_PAGES = 10

/** Lists the models that can chat or embed, page by page. */
export async function listModels(
  connection: ProviderConnection,
  signal: AbortSignal,
): Promise<ModelDescription[]> {
  const { api_key, fetch } = connection
  const { getFromApi } = await import('@ai-sdk/provider-utils')
  const handlers = await createHandlers()
  const models: ModelDescription[] = []
  let pageToken: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = new URLSearchParams({ pageSize: String(PAGE_SIZE), ...(pageToken && { pageToken }) })
    const { value } = await getFromApi({
      url: `${rootOf(connection)}/models?${query}`,
      headers: { 'x-goog-api-key': api_key },
      ...handlers,
      abortSignal: signal,
      fetch,
    })
    models.push(...(value.models ?? []).flatMap(describeModel))
    pageToken = value.nextPageToken
    if (!pageToken) break
  }
  return models
}

/** One model as Google lists it; sizes are in tokens, and what is false is left out. */
interface ListedModel {
  name: string
  displayName?: string
  inputTokenLimit?: number
  outputTokenLimit?: number
  supportedGenerationMethods?: string[]
  thinking?: boolean
}

function describeModel(model: ListedModel): ModelDescription[] {
  const { name, displayName, supportedGenerationMethods: methods = [] } = model
  const id = name.replace(/^models\//, '')
  const described = { id, name: displayName || id, context_window: model.inputTokenLimit }
  if (methods.includes('generateContent'))
    return [
      {
        ...described,
        embedding: false,
        max_output_tokens: model.outputTokenLimit,
        reasoning: model.thinking ?? false,
      },
    ]
  return methods.includes('embedContent') ? [{ ...described, embedding: true }] : []
}

async function createHandlers() {
  const [{ createJsonErrorResponseHandler, createJsonResponseHandler }, { z }] = await Promise.all([
    import('@ai-sdk/provider-utils'),
    import('zod'),
  ])
  const page = z.object({
    models: z
      .array(
        z.object({
          name: z.string(),
          displayName: z.string().optional(),
          inputTokenLimit: z.number().optional(),
          outputTokenLimit: z.number().optional(),
          supportedGenerationMethods: z.array(z.string()).optional(),
          thinking: z.boolean().optional(),
        }),
      )
      .optional(),
    nextPageToken: z.string().optional(),
  })
  const failure = z.object({
    error: z.object({
      code: z.number().optional(),
      message: z.string(),
      status: z.string().optional(),
      details: z.array(z.unknown()).optional(),
    }),
  })
  return {
    successfulResponseHandler: createJsonResponseHandler(page),
    failedResponseHandler: createJsonErrorResponseHandler({
      errorSchema: failure,
      errorToMessage: ({ error }) => error.message,
    }),
  }
}
