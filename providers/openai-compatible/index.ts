import type { ProviderKind } from '#plugin-api'
import { createChatModel } from './chat-model.ts'
import { describeModels } from './model-list.ts'
import { createUpstream } from './upstream.ts'

/** Headers about a connection or the form of a body, which only the HTTP client may set. */
const NAMES = [
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Matches a letter in either case, since patterns in JSON Schema have no flags. */
const eitherCase = (letter: string) => `[${letter}${letter.toUpperCase()}]`

/** The pattern of the names of these headers. */
const connectionHeader = `^(${NAMES.join('|').replace(/[a-z]/g, eitherCase)})$`

/** Every vendor of OpenAI's chat-completions API: OpenAI itself, gateways, and most self-hosted servers. */
const openaiCompatible: ProviderKind = {
  kind: 'openai-compatible',
  label: { en: 'OpenAI-compatible', zh: 'OpenAI 兼容接口' },
  config_schema: {
    type: 'object',
    properties: {
      headers: {
        type: 'object',
        description: 'Headers sent with every request, e.g. those that a gateway requires.',
        propertyNames: { pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$" },
        patternProperties: { [connectionHeader]: false },
        additionalProperties: { type: 'string', maxLength: 2048, pattern: '^[\\t\\x20-\\x7e]*$' },
        maxProperties: 16,
        // A gateway's headers often carry a credential.
        writeOnly: true,
      },
    },
    additionalProperties: false,
  },
  requires_base_url: true,
  languageModel: (connection, modelId) => createChatModel({ upstream: createUpstream(connection), modelId }),
  embeddingModel: async ({ base_url, api_key, options, fetch }, modelId) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const client = createOpenAICompatible({
      name: 'openai-compatible',
      baseURL: base_url!,
      apiKey: api_key,
      headers: options.headers as Record<string, string> | undefined,
      fetch,
    })
    return client.embeddingModel(modelId)
  },
  listModels: async (connection, signal) =>
    describeModels(await createUpstream(connection).listModels(signal)),
}

export default openaiCompatible
