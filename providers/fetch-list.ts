import {
  createJsonErrorResponseHandler,
  createJsonResponseHandler,
  getFromApi,
  jsonSchema,
} from '@ai-sdk/provider-utils'
import { deferSchema, type JSONSchema, type ProviderConnection, type TypeOf } from '#plugin-api'

/** Reads the refusal of a vendor: the message is in `error`, or the error itself is a text. */
export const handleRefusal = createJsonErrorResponseHandler({
  errorSchema: jsonSchema<{ message?: unknown; error?: unknown } | null>({}),
  errorToMessage: (body) => {
    const { message } = (body?.error ?? body ?? {}) as { message?: unknown }
    return String(message ?? body?.error ?? 'The models were not listed.')
  },
})

interface Request extends Pick<ProviderConnection, 'fetch'> {
  headers?: Record<string, string | undefined>
  signal: AbortSignal
}

/** Creates the function that fetches JSON of this schema, such as a list of models; it throws an APICallError. */
export function createListFetch<const Schema extends JSONSchema>(schema: Schema) {
  const validate = deferSchema<TypeOf<Schema>>(schema, 'reply')
  const successfulResponseHandler = createJsonResponseHandler(
    jsonSchema<TypeOf<Schema>>(
      {},
      {
        validate(value) {
          try {
            return { success: true, value: validate(value) }
          } catch (error) {
            return { success: false, error: error as Error }
          }
        },
      },
    ),
  )
  return async (url: string, { headers, signal, fetch }: Request): Promise<TypeOf<Schema>> => {
    const { value } = await getFromApi({
      url,
      headers,
      successfulResponseHandler,
      failedResponseHandler: handleRefusal,
      abortSignal: signal,
      fetch,
    })
    return value
  }
}
