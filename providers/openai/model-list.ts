import type { ModelDescription, ProviderConnection } from '#kernel'
import type { OpenAIOptions } from './options.ts'

/** Reads the list of models, which comes whole and says nothing of them but their ids. */
export async function listModels({
  base_url,
  api_key,
  options: { organization, project },
  fetch,
  signal,
}: Omit<ProviderConnection, 'options'> & {
  options: OpenAIOptions
  signal: AbortSignal
}): Promise<ModelDescription[]> {
  const { createJsonErrorResponseHandler, createJsonResponseHandler, getFromApi } = await import(
    '@ai-sdk/provider-utils'
  )
  const { z } = await import('zod')
  const { value } = await getFromApi({
    url: `${base_url}/models`,
    headers: {
      authorization: api_key && `Bearer ${api_key}`,
      'openai-organization': organization,
      'openai-project': project,
    },
    successfulResponseHandler: createJsonResponseHandler(
      z.object({ data: z.array(z.object({ id: z.string() })) }),
    ),
    failedResponseHandler: createJsonErrorResponseHandler({
      errorSchema: z.object({ error: z.looseObject({ message: z.string() }) }),
      errorToMessage: ({ error }) => error.message,
    }),
    abortSignal: signal,
    fetch,
  })
  return value.data.map(({ id }) => ({ id, name: id }))
}
