import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider'

const MARK = { cachePoint: { type: 'default' } } as const

/** A model that cannot cache refuses the whole request, so only those that are known to do so are asked. */
const CLAUDE = /anthropic\.claude-(?!v2|instant|3-(?:haiku|sonnet|opus|5-sonnet))/
const NOVA = /amazon\.nova-(?:micro|lite|pro|premier)-v1/

/** Asks that the prompt be cached up to the end of the system prompt and of the conversation, where a model can. */
export function markCache(prompt: LanguageModelV3Prompt, modelId: string): LanguageModelV3Prompt {
  const isClaude = CLAUDE.test(modelId)
  if (!isClaude && !NOVA.test(modelId)) return prompt
  const system = prompt.findLastIndex(({ role }) => role === 'system')
  // Nova takes no mark behind the result of a tool.
  const end = prompt.findLastIndex(({ role }) => role === 'user' || (isClaude && role === 'tool'))
  return prompt.map((message, index) => (index === system || index === end ? mark(message) : message))
}

const mark = <Message extends LanguageModelV3Message>(message: Message): Message => ({
  ...message,
  providerOptions: { ...message.providerOptions, bedrock: { ...message.providerOptions?.bedrock, ...MARK } },
})
