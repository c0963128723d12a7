import type { LanguageModelV3Message, LanguageModelV3Prompt, SharedV3ProviderOptions } from '@ai-sdk/provider'

const MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const

/** Marks the prompt for caching, up to the end of the system prompt and up to its own end for the next step. */
export function markCache(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const system = prompt.findLastIndex(({ role }) => role === 'system')
  return markMessages(prompt, [system, prompt.length - 1], MARK)
}

/** Adds provider options to the messages at these positions. */
export const markMessages = (
  prompt: LanguageModelV3Prompt,
  positions: readonly number[],
  mark: SharedV3ProviderOptions,
): LanguageModelV3Prompt =>
  prompt.map((message, index) => (positions.includes(index) ? addOptions(message, mark) : message))

function addOptions<Message extends LanguageModelV3Message>(
  message: Message,
  mark: SharedV3ProviderOptions,
): Message {
  const providerOptions = { ...message.providerOptions }
  for (const [name, options] of Object.entries(mark))
    providerOptions[name] = { ...providerOptions[name], ...options }
  return { ...message, providerOptions }
}
