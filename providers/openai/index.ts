import type { ProviderConnection, ProviderKind } from '#kernel'
import { explainError } from './failure.ts'
import { guidance } from './guidance.ts'
import { createLanguageModel } from './language-model.ts'
import { listModels } from './model-list.ts'
import { configSchema, type OpenAIOptions } from './options.ts'

const DEFAULT_BASE_URL = 'https://api.openai.com/v1'

/** OpenAI's own service, by its Responses API. */
const openai: ProviderKind = {
  kind: 'openai',
  label: { en: 'OpenAI', zh: 'OpenAI' },
  config_schema: configSchema,
  default_base_url: DEFAULT_BASE_URL,
  guidance,
  languageModel: async (connection, modelId) =>
    createLanguageModel({ client: await connect(connection), modelId, options: optionsOf(connection) }),
  embeddingModel: async (connection, modelId) => (await connect(connection)).embeddingModel(modelId),
  listModels: (connection, signal) =>
    listModels({ ...connection, base_url: rootOf(connection), options: optionsOf(connection), signal }),
  explainError,
}

async function connect(connection: ProviderConnection) {
  const { createOpenAI } = await import('@ai-sdk/openai')
  const { organization, project } = optionsOf(connection)
  return createOpenAI({
    baseURL: rootOf(connection),
    // What is undefined would be taken from the environment of the server.
    apiKey: connection.api_key ?? '',
    organization,
    project,
    fetch: connection.fetch,
  })
}

const rootOf = ({ base_url = DEFAULT_BASE_URL }: ProviderConnection) => base_url.replace(/\/+$/, '')

const optionsOf = ({ options }: ProviderConnection) => options as OpenAIOptions

export default openai
