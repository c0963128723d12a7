import { readUser } from '../../plugin-api/testing/chat-request.ts'
import type { VendorRequest } from '../../plugin-api/testing/fake-vendor.ts'
import type { ReadRequest } from '../../plugin-api/testing/provider-bench.ts'

export { readChatRequest } from '../../plugin-api/testing/chat-request.ts'

// biome-ignore lint/suspicious/noExplicitAny: a request as it came
type Wire = any
type Messages = ReadRequest['messages']

/** Reads a request to the Responses API. */
export function readResponsesRequest({ body }: VendorRequest): ReadRequest {
  const messages: Messages = []
  const assistant = () => {
    const last = messages.at(-1)
    if (last?.role === 'assistant') return last
    const message = { role: 'assistant' as const, text: '', reasoning: '', toolCalls: [] }
    messages.push(message)
    return message
  }
  const names = new Map<string, string>()
  let system = ''
  for (const { type, role, content, ...item } of body.input as Wire[]) {
    if (role === 'system' || role === 'developer') system += content
    else if (role === 'user') messages.push({ role, ...readUser(content) })
    else if (role === 'assistant') assistant().text += content.map(({ text }: Wire) => text).join('')
    // Sealed thoughts are as good as those in words.
    else if (type === 'reasoning')
      assistant().reasoning += item.summary.map(({ text }: Wire) => text).join('') || item.encrypted_content
    else if (type === 'function_call') {
      names.set(item.call_id, item.name)
      assistant().toolCalls.push({ name: item.name, input: JSON.parse(item.arguments) })
    } else if (type === 'function_call_output')
      messages.push({ role: 'tool', name: names.get(item.call_id), output: item.output })
  }
  const tools = (body.tools ?? []).map(({ name, parameters }: Wire) => ({ name, schema: parameters }))
  return { model: body.model, system, messages, tools, max_tokens: body.max_output_tokens }
}
