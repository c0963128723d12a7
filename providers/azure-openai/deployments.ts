import { APICallError } from '@ai-sdk/provider'
import { createJsonErrorResponseHandler, createJsonResponseHandler, getFromApi } from '@ai-sdk/provider-utils'
import { type ZodType, z } from 'zod'
import type { ModelDescription, ProviderConnection } from '#plugin-api'
import { createEndpoint } from './endpoint.ts'

/** The only version that lists deployments to keys: later ones leave that to Azure's management API. */
const LIST_VERSION = '2023-03-15-preview'

const EMBEDDING = /embed/i
const NEITHER =
  /whisper|\btts\b|transcri|dall-e|image|flux|\bsora\b|realtime|audio|rerank|babbage|davinci|turbo-instruct/i

const deployment = z.object({ id: z.string(), model: z.string(), status: z.string().default('succeeded') })

/**
 * Reads the deployments of a resource. Where they are not listed to keys, there are none to show; the list of
 * models, which every resource has, is read then, because a wrong address or key must not look like that.
 */
export async function listDeployments(
  connection: ProviderConnection,
  signal: AbortSignal,
): Promise<ModelDescription[]> {
  const { api_key, fetch } = connection
  const { root } = createEndpoint(connection)
  const read = async <Row>(path: string, row: ZodType<Row>) => {
    const { value } = await getFromApi({
      url: root + path,
      headers: { 'api-key': api_key },
      successfulResponseHandler: createJsonResponseHandler(z.object({ data: z.array(row) })),
      failedResponseHandler: createJsonErrorResponseHandler({
        errorSchema: z.object({ error: z.looseObject({ message: z.string() }) }),
        errorToMessage: ({ error }) => error.message,
      }),
      abortSignal: signal,
      fetch,
    })
    return value.data
  }

  try {
    return (await read(`/deployments?api-version=${LIST_VERSION}`, deployment)).flatMap(describe)
  } catch (error) {
    if (!APICallError.isInstance(error) || error.statusCode !== 404) throw error
    await read('/v1/models', z.unknown())
    return []
  }
}

function describe({ id, model, status }: z.infer<typeof deployment>): ModelDescription[] {
  const embedding = EMBEDDING.test(model)
  if (status !== 'succeeded' || (!embedding && NEITHER.test(model))) return []
  return [{ id, name: id === model ? id : `${id} (${model})`, embedding }]
}
