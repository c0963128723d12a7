import type { VendorRequest } from './fake-vendor.ts'
import type { ReadRequest } from './provider-bench.ts'

// biome-ignore lint/suspicious/noExplicitAny: a request as it came
type Wire = any
type Messages = ReadRequest['messages']

/** Reads a request to the chat-completions API. */
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

/** Reads the content of a user message, of the chat-completions or the responses API. */
export function readUser(parts: Wire[]) {
  const texts = parts.map((part) => (typeof part === 'string' ? part : (part.text ?? '')))
  const urls: string[] = parts.flatMap(({ image_url }) => (image_url ? [image_url.url ?? image_url] : []))
  const images = urls.map((url) => {
    const [, media_type, base64] = /^data:([^;]+);base64,(.*)$/s.exec(url)!
    return { media_type: media_type!, base64: base64! }
  })
  return { text: texts.join(''), images }
}
