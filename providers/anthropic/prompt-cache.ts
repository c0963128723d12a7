import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider'

const MARK = { cacheControl: { type: 'ephemeral' } } as const

/** Asks that the prompt be cached up to the end of the system prompt, and up to its own end for the next step. */
export function markCache(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const system = prompt.findLastIndex(({ role }) => role === 'system')
  return prompt.map((message, index) =>
    index === system || index === prompt.length - 1 ? mark(message) : message,
  )
}

const mark = <Message extends LanguageModelV3Message>(message: Message): Message => ({
  ...message,
  providerOptions: {
    ...message.providerOptions,
    anthropic: { ...message.providerOptions?.anthropic, ...MARK },
  },
})
