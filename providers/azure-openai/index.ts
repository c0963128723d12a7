import type { ProviderConnection, ProviderKind } from '#kernel'
import { listDeployments } from './deployments.ts'
import { createEndpoint } from './endpoint.ts'
import { explainError } from './failure.ts'
import { guidance } from './guidance.ts'
import { createLanguageModel } from './language-model.ts'
import { type AzureOptions, configSchema } from './options.ts'

/** OpenAI's models in a resource of Microsoft Azure; a model's id is the name of its deployment. */
const azureOpenAI: ProviderKind = {
  kind: 'azure-openai',
  label: { en: 'Azure OpenAI', zh: 'Azure OpenAI' },
  config_schema: configSchema,
  requires_base_url: true,
  guidance,
  languageModel: async (connection, modelId) =>
    createLanguageModel({ client: await connect(connection), modelId, options: optionsOf(connection) }),
  embeddingModel: async (connection, modelId) => (await connect(connection)).embeddingModel(modelId),
  listModels: ({ base_url, api_key, fetch }, signal) =>
    listDeployments({ endpoint: createEndpoint({ base_url: base_url!, fetch }), api_key, signal }),
  explainError,
}

async function connect({ base_url, api_key, options, fetch }: ProviderConnection) {
  const { createAzure } = await import('@ai-sdk/azure')
  const { api_version, deployment_urls } = options as AzureOptions
  const endpoint = createEndpoint({ base_url: base_url!, fetch })
  return createAzure({
    // What is undefined would be taken from the environment of the server.
    apiKey: api_key ?? '',
    ...(deployment_urls ? endpoint.ofDeployments(api_version) : endpoint.ofVersion1(api_version)),
  })
}

const optionsOf = ({ options }: ProviderConnection) => options as AzureOptions

export default azureOpenAI
