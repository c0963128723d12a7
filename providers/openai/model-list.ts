import { createJsonErrorResponseHandler, createJsonResponseHandler, getFromApi } from '@ai-sdk/provider-utils'
import { z } from 'zod'
import type { ModelDescription, ProviderConnection } from '#plugin-api'
import { rootOf } from './client.ts'
import type { OpenAIOptions } from './options.ts'

/** Reads the list of models, which comes whole and says nothing of them but their ids. */
export async function listModels(
  connection: ProviderConnection,
  signal: AbortSignal,
): Promise<ModelDescription[]> {
  const { api_key, options, fetch } = connection
  const { organization, project } = options as OpenAIOptions
  const { value } = await getFromApi({
    url: `${rootOf(connection)}/models`,
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
