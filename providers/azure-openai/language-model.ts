import type { StreamingModel } from '#plugin-api'
import { withMending, withSettings } from '../openai/language-model.ts'
import { toEffort } from '../openai/reasoning.ts'
import { type AzureConnection, createClient } from './connection.ts'

/** Opens a model; Azure does not store the conversation: thoughts arrive encrypted and return with the next step. */
export async function createLanguageModel(
  connection: AzureConnection,
  modelId: string,
): Promise<StreamingModel> {
  const { api, deployment_urls = false, reasoning_effort, reasoning_summary } = connection.options
  const isChat = api === 'chat' || deployment_urls
  const client = await createClient(withMending(connection, isChat))
  const knownReasoning = readReasoning(modelId)
  const hasOption = (reasoning_effort ?? reasoning_summary) !== undefined
  return withSettings(isChat ? client.chat(modelId) : client.responses(modelId), {
    name: isChat ? 'openai' : 'azure',
    isChat,
    settings(level, { canReason }) {
      // If the name of the deployment does not say so, a request to think means that the model can.
      const isReasoning =
        canReason ?? knownReasoning ?? (hasOption || (level !== undefined && level !== 'off'))
      return {
        forceReasoning: isReasoning,
        ...(isReasoning && { reasoningEffort: level ? toEffort(level, modelId) : reasoning_effort }),
        // Older versions of Chat Completions refuse `store`, and none of them stores by default.
        ...(!isChat && { store: false, ...(isReasoning && { reasoningSummary: reasoning_summary }) }),
      }
    },
  })
}

/** Reads from the name of a deployment if its model reasons; models that do not refuse such settings. */
function readReasoning(deployment: string): boolean | undefined {
  const name = deployment.replace(/[_.\s]/g, '-')
  if (/gpt-?(?:3|4|5-?chat)/i.test(name)) return false
  return /(?:^|[^a-z0-9])o[1-9](?:-|mini|pro|preview|$)|gpt-?(?:[5-9]|1\d)/i.test(name) ? true : undefined
}
