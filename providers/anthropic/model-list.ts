import { createJsonErrorResponseHandler, createJsonResponseHandler, getFromApi } from '@ai-sdk/provider-utils'
import { z } from 'zod'
import type { ModelDescription, ProviderConnection } from '#plugin-api'
import { addressOf } from './address.ts'

/** The API gives at most 1000 models a page; there are a few dozen. */
const PAGE_SIZE = 1000
const MAX_PAGES = 10

const capability = z.object({ supported: z.boolean() }).nullish()

/** A model as it is listed; other vendors with this API may leave out all but the id. */
const listedModel = z.object({
  id: z.string(),
  display_name: z.string().nullish(),
  max_input_tokens: z.number().nullish(),
  max_tokens: z.number().nullish(),
  capabilities: z.object({ image_input: capability, thinking: capability }).nullish(),
})

const page = z.object({
  data: z.array(listedModel),
  has_more: z.boolean().nullish(),
  last_id: z.string().nullish(),
})

const failure = z.object({ error: z.object({ type: z.string(), message: z.string() }) })

/** All models of `GET /models`, newest first. */
export async function listModels(
  connection: ProviderConnection,
  signal: AbortSignal,
): Promise<ModelDescription[]> {
  const { api_key, fetch } = connection
  const models: ModelDescription[] = []
  let after = ''
  for (let n = 0; n < MAX_PAGES; n += 1) {
    const { value } = await getFromApi({
      url: `${addressOf(connection)}/models?limit=${PAGE_SIZE}${after}`,
      headers: { 'x-api-key': api_key ?? '', 'anthropic-version': '2023-06-01' },
      successfulResponseHandler: createJsonResponseHandler(page),
      failedResponseHandler: createJsonErrorResponseHandler({
        errorSchema: failure,
        errorToMessage: ({ error }) => error.message,
      }),
      abortSignal: signal,
      fetch,
    })
    models.push(...value.data.map(describe))
    if (!value.has_more || !value.last_id) break
    after = `&after_id=${encodeURIComponent(value.last_id)}`
  }
  return models
}

function describe(model: z.infer<typeof listedModel>): ModelDescription {
  const { id, display_name, max_input_tokens, max_tokens, capabilities } = model
  const { image_input, thinking } = capabilities ?? {}
  return {
    id,
    name: display_name || id,
    ...(max_input_tokens && { context_window: max_input_tokens }),
    ...(max_tokens && { max_output_tokens: max_tokens }),
    ...(image_input && { input: image_input.supported ? ['text', 'image'] : ['text'] }),
    ...(thinking && { reasoning: thinking.supported }),
  }
}
