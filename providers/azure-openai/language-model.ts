import type { StreamingModel } from '#plugin-api'
import { withSettings } from '../openai/language-model.ts'
import { toEffort } from '../openai/reasoning.ts'
import { createClient } from './client.ts'
import type { AzureConnection } from './options.ts'

/** Opens a model; Azure does not store the conversation: thoughts arrive encrypted and return with the next step. */
export async function createLanguageModel(
  connection: AzureConnection,
  modelId: string,
): Promise<StreamingModel> {
  const { api, deployment_urls = false, reasoning_effort, reasoning_summary } = connection.options
  const client = await createClient(connection)
  const isChat = api === 'chat' || deployment_urls
  const knownReasoning = canReason(modelId)
  const hasOption = (reasoning_effort ?? reasoning_summary) !== undefined
  return withSettings(isChat ? client.chat(modelId) : client.responses(modelId), {
    name: isChat ? 'openai' : 'azure',
    isChat,
    settings(level) {
      // If the name of the deployment does not say so, a request to think means that the model can.
      const isReasoning = knownReasoning ?? (hasOption || (level !== undefined && level !== 'off'))
      return {
        forceReasoning: isReasoning,
        ...(isReasoning && { reasoningEffort: level ? toEffort(level, modelId) : reasoning_effort }),
        // Older versions of Chat Completions refuse `store`, and none of them stores by default.
        ...(!isChat && { store: false, ...(isReasoning && { reasoningSummary: reasoning_summary }) }),
      }
    },
  })
}

/** Returns whether a deployment's model reasons, if its name says so; models that do not refuse such settings. */
function canReason(deployment: string): boolean | undefined {
  if (/gpt-?(?:3|4|5-chat)/i.test(deployment)) return false
  return /\bo[1-9]\b|gpt-?(?:[5-9]|1\d)/i.test(deployment) ? true : undefined
}
