import type { LanguageModelV3Prompt } from '@ai-sdk/provider'
import { markMessages } from '../anthropic/prompt-cache.ts'

const MARK = { bedrock: { cachePoint: { type: 'default' } } } as const

/** A model that cannot cache refuses the whole request, so only models that are known to cache are marked. */
const CLAUDE = /anthropic\.claude-(?!v2|instant|3-(?:haiku|sonnet|opus|5-sonnet))/
const NOVA = /amazon\.nova-(?:micro|lite|pro|premier)-v1/

/** Marks the prompt for caching up to the end of the system prompt and of the conversation, if the model can cache. */
export function markCache(prompt: LanguageModelV3Prompt, modelId: string): LanguageModelV3Prompt {
  const isClaude = CLAUDE.test(modelId)
  if (!isClaude && !NOVA.test(modelId)) return prompt
  const system = prompt.findLastIndex(({ role }) => role === 'system')
  // Nova does not accept a mark after the result of a tool.
  const end = prompt.findLastIndex(({ role }) => role === 'user' || (isClaude && role === 'tool'))
  return markMessages(prompt, [system, end], MARK)
}
