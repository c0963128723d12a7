import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider'

/** A content block of the Messages API. */
export type Block = Record<string, unknown>

/**
 * The blocks of a call that the vendor ran itself, for the client library: as a call of an MCP server, which may have any
 * name and input. The blocks are kept in the name of the server, because that returns with the history.
 */
export function toServerCall(call: Block, result: Block | undefined): Block[] {
  const { id, name, input } = call
  const server_name = JSON.stringify(result ? [call, result] : [call])
  const block = { type: 'mcp_tool_use', id, name, input, server_name }
  if (!result) return [block]
  const { content, is_error } = result
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? null)
  const isError = is_error === true || String((content as Block | null)?.type).endsWith('_error')
  return [block, { type: 'mcp_tool_result', tool_use_id: id, is_error: isError, content: [text] }]
}

type AnswerPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number]

/** Removes the calls that a vendor ran itself, unless `isKept`, and their results. */
export function removeVendorCalls(
  prompt: LanguageModelV3Prompt,
  isKept: (call: Extract<AnswerPart, { type: 'tool-call' }>, index: number) => boolean = () => false,
): LanguageModelV3Prompt {
  return prompt.flatMap((message, index): LanguageModelV3Message[] => {
    if (message.role !== 'assistant') return [message]
    const content = message.content.filter(
      (part) =>
        part.type !== 'tool-result' &&
        (part.type !== 'tool-call' || !part.providerExecuted || isKept(part, index)),
    )
    if (content.length === message.content.length) return [message]
    return content.length > 0 ? [{ ...message, content }] : []
  })
}

/**
 * Removes the calls that a vendor ran itself except the calls of the current turn: an upstream accepts them as a part of the
 * answer that it continues, and only with their results.
 */
export function keepCurrentVendorCalls(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const turn = prompt.findLastIndex(({ role }) => role === 'user')
  return removeVendorCalls(
    prompt,
    ({ providerOptions }, index) =>
      index > turn && (index === prompt.length - 1 || hasResult(providerOptions?.anthropic?.serverName)),
  )
}

/** True for the server name of a call with its result; other kinds use no such name. */
const hasResult = (name: unknown) => typeof name === 'string' && readBlocks(name).length > 1

function readBlocks(name: string): Block[] {
  try {
    const blocks: unknown = JSON.parse(name)
    return Array.isArray(blocks) ? blocks : []
  } catch {
    // The name of a real MCP server is not JSON.
    return []
  }
}

/** Returns the body of a request with the blocks of the vendor's calls as they were. */
export function restoreVendorCalls(body: string): string {
  if (!body.includes('"mcp_tool_use"')) return body
  const request = JSON.parse(body) as { messages: { content: Block[] }[] }
  for (const message of request.messages)
    if (Array.isArray(message.content))
      message.content = message.content.flatMap((block) =>
        block.type === 'mcp_tool_use' ? readBlocks(String(block.server_name)) : [block],
      )
  return JSON.stringify(request)
}
