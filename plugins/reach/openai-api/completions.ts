import type { StreamItem, TokenUsage, TypeOf } from '#plugin-api'
import type { CompletionMessage, completion, completionChunk } from './completion-schemas.ts'
import { type Content, toText, toUserParts } from './content-parts.ts'
import { parseArguments, type RequestMessage, unusable } from './conversation.ts'
import type { CallPart, ReplyPart } from './reply-parts.ts'

type Completion = TypeOf<typeof completion>
type Chunk = TypeOf<typeof completionChunk>
type Call = NonNullable<Completion['choices'][number]['message']['tool_calls']>[number]

/** The fields that the chunks of a completion share. */
export type CompletionHead = Pick<Completion, 'id' | 'created' | 'model'>

/** The last line of a stream. */
const DONE = '[DONE]'

/** Converts the messages of a request; throws CONTENT_UNSUPPORTED. */
export const toRequestMessages = (messages: readonly CompletionMessage[]): RequestMessage[] =>
  messages.map((message, index) => toRequestMessage(message, `/messages/${index}`))

function toRequestMessage(
  { role, content: rawContent, tool_calls, tool_call_id }: CompletionMessage,
  path: string,
): RequestMessage {
  const content = rawContent as Content
  const contentPath = `${path}/content`
  switch (role) {
    case 'user':
      return { path, role, parts: toUserParts(content, contentPath) }
    case 'assistant': {
      const calls = (tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
        id,
        name,
        input: parseArguments(input),
      }))
      return { path, role, text: toText(content, contentPath), calls }
    }
    case 'tool':
      if (tool_call_id === undefined) throw unusable(path, 'it has no tool_call_id')
      return { path, role, id: tool_call_id, output: toText(content, contentPath) }
    default:
      return { path, role: 'system', text: toText(content, contentPath) }
  }
}

/** Collects a reply as one completion. */
export async function toCompletion(
  parts: AsyncIterable<ReplyPart>,
  head: CompletionHead,
): Promise<Completion> {
  let content = ''
  let reasoning_content = ''
  let end: Extract<ReplyPart, { type: 'end' }> | undefined
  let refusal: string | null = null
  const tool_calls: Call[] = []
  for await (const part of parts) {
    if (part.type === 'end') end = part
    else if (part.type === 'call') tool_calls.push(toCall(part))
    else if (part.type === 'text') content += part.text
    else if (part.type === 'refusal') refusal = part.text
    else reasoning_content += part.text
  }
  const { finish: finish_reason, usage } = end!
  return {
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: refusal !== null || (content === '' && tool_calls.length > 0) ? null : content,
          ...(reasoning_content !== '' && { reasoning_content }),
          refusal,
          ...(tool_calls.length > 0 && { tool_calls }),
        },
        logprobs: null,
        finish_reason,
      },
    ],
    usage: toUsage(usage),
  }
}

const toCall = ({ call_id: id, name, input }: CallPart): Call => ({
  id,
  type: 'function',
  function: { name, arguments: input },
})

/** Sends a reply as chunks. */
export async function* toChunks(
  parts: AsyncIterable<ReplyPart>,
  { withUsage, ...head }: CompletionHead & { withUsage: boolean },
): AsyncGenerator<StreamItem, void, void> {
  const toChunk = (
    delta: Chunk['choices'][number]['delta'],
    finish_reason: Chunk['choices'][number]['finish_reason'] = null,
  ) => ({
    data: {
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
      ...(withUsage && { usage: null }),
    } satisfies Chunk,
  })
  yield toChunk({ role: 'assistant', content: '' })
  let calls = 0
  for await (const part of parts) {
    switch (part.type) {
      case 'text':
        yield toChunk({ content: part.text })
        break
      case 'reasoning':
        yield toChunk({ reasoning_content: part.text })
        break
      case 'refusal':
        yield toChunk({ refusal: part.text })
        break
      case 'call': {
        const { type, id, function: called } = toCall(part)
        const begun = { name: called.name, arguments: '' }
        yield toChunk({ tool_calls: [{ index: calls, id, type, function: begun }] })
        yield toChunk({ tool_calls: [{ index: calls, function: { arguments: called.arguments } }] })
        calls += 1
        break
      }
      case 'end': {
        yield toChunk({}, part.finish)
        const object = 'chat.completion.chunk' as const
        if (withUsage)
          yield { data: { ...head, object, choices: [], usage: toUsage(part.usage) } satisfies Chunk }
      }
    }
  }
  yield DONE
}

const toUsage = ({ input_tokens, output_tokens, ...usage }: TokenUsage): Completion['usage'] => ({
  prompt_tokens: input_tokens,
  completion_tokens: output_tokens,
  total_tokens: usage.total_tokens,
  prompt_tokens_details: { cached_tokens: usage.cached_input_tokens ?? 0 },
  completion_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
})
