import type { ProviderConnection, StreamingModel } from '#plugin-api'
import { withSettings } from '../openai/language-model.ts'
import { effortAt } from '../openai/reasoning.ts'
import { createClient } from './client.ts'
import type { AzureOptions } from './options.ts'

/** Opens a model whose conversations Azure does not keep: its thoughts come sealed and go back with the next step. */
export async function createLanguageModel(
  connection: ProviderConnection,
  modelId: string,
): Promise<StreamingModel> {
  const {
    api,
    deployment_urls = false,
    reasoning_effort,
    reasoning_summary,
  } = connection.options as AzureOptions
  const client = await createClient(connection)
  const isChat = api === 'chat' || deployment_urls
  const isNamed = canReason(modelId)
  const hasOption = (reasoning_effort ?? reasoning_summary) !== undefined
  return withSettings(isChat ? client.chat(modelId) : client.responses(modelId), {
    name: isChat ? 'openai' : 'azure',
    isChat,
    settings(level) {
      // Whoever asks a model to think whose name tells nothing has to know that it can.
      const isReasoning = isNamed ?? (hasOption || (level !== undefined && level !== 'off'))
      return {
        forceReasoning: isReasoning,
        ...(isReasoning && { reasoningEffort: level ? effortAt(level, modelId) : reasoning_effort }),
        // Older versions of Chat Completions do not know `store`, and none stores anything unasked.
        ...(!isChat && { store: false, ...(isReasoning && { reasoningSummary: reasoning_summary }) }),
      }
    },
  })
}

/** Whether a deployment's model reasons, if its name tells: others refuse all that has to do with it. */
function canReason(deployment: string): boolean | undefined {
  if (/gpt-?(?:3|4|5-chat)/i.test(deployment)) return false
  return /\bo[1-9]\b|gpt-?(?:[5-9]|1\d)/i.test(deployment) ? true : undefined
}
