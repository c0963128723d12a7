import { isSignature } from './fake-claude.ts'

/** The model that thinks adaptively and keeps its thoughts to itself unless asked, and one that thinks by a budget. */
export const ADAPTIVE_MODEL = 'claude-opus-4-8'
export const BUDGET_MODEL = 'claude-haiku-4-5-20251001'

/** True if a model decides by itself how much it thinks. */
export const isAdaptive = (model: string) => model === ADAPTIVE_MODEL

/** The body of a call of the Messages API. */
// biome-ignore lint/suspicious/noExplicitAny: whatever a client may send
export type MessagesBody = any

/** Returns the API's refusal of a request, in its words. */
export function complaintAbout({
  model,
  max_tokens,
  messages,
  system = [],
  thinking,
  output_config,
}: MessagesBody): string | undefined {
  if (!Number.isInteger(max_tokens)) return 'max_tokens: Field required'
  if (!Array.isArray(messages) || messages.length === 0) return 'messages: Field required'
  const { type, budget_tokens } = thinking ?? {}
  if (type === 'enabled' && isAdaptive(model))
    return '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
  if (type === 'adaptive' && !isAdaptive(model)) return 'adaptive thinking is not supported on this model'
  if (type === 'enabled' && budget_tokens >= max_tokens)
    return '`max_tokens` must be greater than `thinking.budget_tokens`.'
  if (output_config?.effort && !isAdaptive(model)) return 'This model does not support the effort parameter.'
  const blocks = [...system, ...messages.flatMap((message: MessagesBody) => message.content)]
  const marks = blocks.filter(({ cache_control }) => cache_control).length
  if (marks > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`
  if (blocks.some((block) => block.type === 'text' && block.text === ''))
    return 'messages: text content blocks must be non-empty'
  return complaintAboutTurns(messages, type === 'enabled')
}

function complaintAboutTurns(messages: MessagesBody[], thinks: boolean): string | undefined {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant')
  let asked: string[] = []
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant'))
      return 'messages: roles must alternate between "user" and "assistant"'
    const answered = content.flatMap((block: MessagesBody) =>
      block.type === 'tool_result' ? [block.tool_use_id] : [],
    )
    const open = asked.filter((id) => !answered.includes(id))
    if (open.length > 0)
      return `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
    const stray = answered.find((id: string) => !asked.includes(id))
    if (stray)
      return `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
    asked = content.flatMap((block: MessagesBody) => (block.type === 'tool_use' ? [block.id] : []))
    const isOpen = index === lastAnswer && asked.length > 0
    if (thinks && isOpen && !/thinking$/.test(content[0].type))
      return `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${content[0].type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`
    for (const [n, block] of content.entries())
      if (block.type === 'thinking' && !isSignature(block.signature))
        return `messages.${index}.content.${n}: Invalid \`signature\` in \`thinking\` block`
  }
}
