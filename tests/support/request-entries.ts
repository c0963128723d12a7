import type { ModelRequest } from './fixture-upstream.ts'

/** A call of a tool in a request. */
export interface RequestCall {
  id?: string
  name: string
  /** Undefined if the protocol's text of arguments is not JSON. */
  input: unknown
}

/** One entry of a conversation, in the terms that all protocols share. */
export interface RequestEntry {
  role: 'system' | 'user' | 'assistant'
  texts: string[]
  calls: RequestCall[]
  /** The calls that its results belong to, by id, or by name if the protocol has no ids. */
  results: string[]
  /** True if nothing at all is in it: no text, call, result, thought or picture. */
  isEmpty: boolean
}

/** A tool that is offered in a request. */
export interface RequestTool {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: a JSON schema
  schema: any
}

// biome-ignore lint/suspicious/noExplicitAny: each protocol's body has another form
type Body = any

const entry = (role: RequestEntry['role'], more: Partial<RequestEntry> = {}): RequestEntry => ({
  role,
  texts: [],
  calls: [],
  results: [],
  isEmpty: false,
  ...more,
})

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

const toTexts = (content: unknown): string[] =>
  typeof content === 'string'
    ? [content]
    : ((content as { text?: string }[]) ?? []).flatMap(({ text = [] }) => text)

/** Reads the conversation of a request; results that the protocol puts into messages of their own are one entry. */
export function readEntries({ wire, body }: ModelRequest): RequestEntry[] {
  const entries: RequestEntry[] = []
  for (const next of READERS[wire](body)) {
    const last = entries.at(-1)
    if (!last || !belongs(wire, last, next)) {
      entries.push(next)
      continue
    }
    last.results.push(...next.results)
    last.calls.push(...next.calls)
  }
  return entries
}

const hasOnlyResults = ({ results, texts }: RequestEntry) => results.length > 0 && texts.length === 0

/** True if an entry is a part of the one before it: a further result, or a call of the Responses API. */
const belongs = (wire: ModelRequest['wire'], last: RequestEntry, next: RequestEntry): boolean =>
  (hasOnlyResults(last) && hasOnlyResults(next)) ||
  (wire === 'responses' && last.role === 'assistant' && next.calls.length > 0)

const READERS: Record<ModelRequest['wire'], (body: Body) => RequestEntry[]> = {
  chat: ({ messages }) =>
    messages.map(({ role, content, tool_calls = [], tool_call_id }: Body) => {
      if (role === 'tool') return entry('user', { results: [tool_call_id] })
      const calls = tool_calls.map(({ id, function: { name, arguments: input } }: Body) => ({
        id,
        name,
        input: parse(input),
      }))
      const isEmpty =
        calls.length === 0 && (content === null || content === undefined || content.length === 0)
      const isSystem = role === 'system' || role === 'developer'
      return entry(isSystem ? 'system' : role, { texts: toTexts(content), calls, isEmpty })
    }),
  responses: ({ input }) =>
    input.flatMap(({ type = 'message', role, content, call_id, name, arguments: text }: Body) => {
      if (type === 'message')
        return entry(role === 'developer' ? 'system' : role, {
          texts: toTexts(content),
          isEmpty: content.length === 0,
        })
      if (type === 'function_call')
        return entry('assistant', { calls: [{ id: call_id, name, input: parse(text) }] })
      return type === 'function_call_output' ? entry('user', { results: [call_id] }) : []
    }),
  messages: ({ messages }) =>
    messages.map(({ role, content }: Body) =>
      entry(role, {
        texts: toTexts(
          typeof content === 'string' ? content : content.filter(({ type }: Body) => type === 'text'),
        ),
        calls:
          typeof content === 'string'
            ? []
            : content.flatMap(({ type, id, name, input }: Body) =>
                type === 'tool_use' ? { id, name, input } : [],
              ),
        results:
          typeof content === 'string'
            ? []
            : content.flatMap(({ type, tool_use_id }: Body) => (type === 'tool_result' ? tool_use_id : [])),
        isEmpty: content.length === 0,
      }),
    ),
  converse: ({ messages }) =>
    messages.map(({ role, content }: Body) =>
      entry(role, {
        texts: toTexts(content),
        calls: content.flatMap(({ toolUse }: Body) =>
          toolUse ? { id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input } : [],
        ),
        results: content.flatMap(({ toolResult }: Body) => toolResult?.toolUseId ?? []),
        isEmpty: content.length === 0,
      }),
    ),
  gemini: ({ contents }) =>
    contents.map(({ role, parts = [] }: Body) =>
      entry(role === 'model' ? 'assistant' : role, {
        texts: toTexts(parts),
        calls: parts.flatMap(({ functionCall: call }: Body) =>
          call ? { name: call.name, input: call.args ?? {}, ...(call.id && { id: call.id }) } : [],
        ),
        results: parts.flatMap(({ functionResponse: result }: Body) =>
          result ? (result.id ?? result.name) : [],
        ),
        isEmpty: parts.length === 0,
      }),
    ),
  ollama: ({ messages }) =>
    messages.map(
      ({ role, content = '', tool_calls = [], tool_name, tool_call_id, images, thinking }: Body) => {
        if (role === 'tool') return entry('user', { results: [tool_call_id ?? tool_name] })
        const calls = tool_calls.map(({ id, function: { name, arguments: input } }: Body) => ({
          id,
          name,
          input,
        }))
        const isEmpty = calls.length === 0 && content === '' && !images && !thinking
        return entry(role, { texts: [content], calls, isEmpty })
      },
    ),
}

/** Reads the tools that a request offers. */
export function readTools({ wire, body }: ModelRequest): RequestTool[] {
  switch (wire) {
    case 'chat':
    case 'ollama':
      return (body.tools ?? []).map(({ function: { name, parameters: schema } }: Body) => ({ name, schema }))
    case 'responses':
      return (body.tools ?? []).map(({ name, parameters: schema }: Body) => ({ name, schema }))
    case 'messages':
      return (body.tools ?? []).map(({ name, input_schema: schema }: Body) => ({ name, schema }))
    case 'converse':
      return (body.toolConfig?.tools ?? []).flatMap(({ toolSpec }: Body) =>
        toolSpec ? { name: toolSpec.name, schema: toolSpec.inputSchema.json } : [],
      )
    case 'gemini':
      return (body.tools ?? []).flatMap(({ functionDeclarations = [] }: Body) =>
        functionDeclarations.map(({ name, parameters, parametersJsonSchema }: Body) => ({
          name,
          schema: parameters ?? parametersJsonSchema,
        })),
      )
  }
}
