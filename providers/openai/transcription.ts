import type { TranscriptionModelV3 } from '@ai-sdk/provider'
import type { ProviderConnection, TranscriptionModel } from '#plugin-api'

/** Opens a transcription model of a client that calls through `fetch`. */
type Open = (fetch: ProviderConnection['fetch']) => TranscriptionModelV3 | Promise<TranscriptionModelV3>

/** Models that answer with segments, the language and the length; others refuse this format. */
const VERBOSE = /whisper/i

/** Creates a transcription model over OpenAI's API. */
export async function createTranscriptionModel(
  { fetch }: Pick<ProviderConnection, 'fetch'>,
  modelId: string,
  open: Open,
): Promise<TranscriptionModel> {
  const model = await open(VERBOSE.test(modelId) ? fetch : withPlainFormat(fetch))
  return {
    doGenerate: ({ language, ...options }) =>
      model.doGenerate({
        ...options,
        // The client asks for the length only if there are options.
        providerOptions: { ...options.providerOptions, openai: { ...(language && { language }) } },
      }),
  }
}

/** Asks for plain JSON, because the client takes every model that it does not know for Whisper. */
const withPlainFormat =
  (fetch: ProviderConnection['fetch']): ProviderConnection['fetch'] =>
  (input, init) => {
    if (init?.body instanceof FormData) {
      init.body.set('response_format', 'json')
      init.body.delete('timestamp_granularities[]')
    }
    return fetch(input, init)
  }
