import type { VendorRequest } from './fake-vendor.ts'
import type { ReadRequest } from './provider-kind-suite.ts'

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

/** Reads a request to Chat Completions. */
export function readChatRequest({ body }: VendorRequest): ReadRequest {
  const names = new Map<string, string>()
  let system = ''
  const messages = (body.messages as Wire[]).flatMap(({ role, content, ...message }): Messages => {
    if (role === 'system' || role === 'developer') {
      system += content
      return []
    }
    if (role === 'user') return [{ role, ...readUser([content].flat()) }]
    if (role === 'tool') return [{ role, name: names.get(message.tool_call_id), output: content }]
    const toolCalls = (message.tool_calls ?? []).map(({ id, function: called }: Wire) => {
      names.set(id, called.name)
      return { name: called.name, input: JSON.parse(called.arguments) }
    })
    return [{ role: 'assistant', text: content ?? '', reasoning: message.reasoning_content ?? '', toolCalls }]
  })
  const tools = (body.tools ?? []).map(({ function: tool }: Wire) => ({
    name: tool.name,
    schema: tool.parameters,
  }))
  return {
    model: body.model,
    system,
    messages,
    tools,
    max_tokens: body.max_completion_tokens ?? body.max_tokens,
  }
}

function readUser(parts: Wire[]) {
  const texts = parts.map((part) => (typeof part === 'string' ? part : (part.text ?? '')))
  const urls: string[] = parts.flatMap(({ image_url }) => (image_url ? [image_url.url ?? image_url] : []))
  const images = urls.map((url) => {
    const [, media_type, base64] = /^data:([^;]+);base64,(.*)$/s.exec(url)!
    return { media_type: media_type!, base64: base64! }
  })
  return { text: texts.join(''), images }
}
