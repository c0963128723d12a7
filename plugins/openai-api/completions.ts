import type { StreamItem, TypeOf } from '#kernel'
import type { TokenUsage } from '#plugin-api'
import type { CompletionMessage, completion, completionChunk } from './completion-schemas.ts'
import { type Content, toText, toUserParts } from './content-parts.ts'
import { parseCallArguments, type RequestMessage, unusable } from './conversation.ts'
import type { ReplyPart } from './reply-parts.ts'

type Completion = TypeOf<typeof completion>
type Chunk = TypeOf<typeof completionChunk>

/** The fields that the chunks of a completion share. */
export type CompletionHead = Pick<Completion, 'id' | 'created' | 'model'>

/** The last line of a stream. */
const DONE = '[DONE]'

/** Converts the messages of a request; throws CONTENT_UNSUPPORTED. */
export const toRequestMessages = (messages: readonly CompletionMessage[]): RequestMessage[] =>
  messages.map((message, index) => toRequestMessage(message, `/messages/${index}`))

function toRequestMessage(
  { role, content: given, tool_calls, tool_call_id }: CompletionMessage,
  path: string,
): RequestMessage {
  const content = given as Content
  const place = `${path}/content`
  switch (role) {
    case 'user':
      return { path, role, parts: toUserParts(content, place) }
    case 'assistant': {
      const calls = (tool_calls ?? []).map(({ id, function: { name, arguments: input } }, index) => ({
        id,
        name,
        input: parseCallArguments(input, `${path}/tool_calls/${index}`),
      }))
      return { path, role, text: toText(content, place), calls }
    }
    case 'tool':
      if (tool_call_id === undefined) throw unusable(path, 'it has no tool_call_id')
      return { path, role, id: tool_call_id, output: toText(content, place) }
    default:
      return { path, role: 'system', text: toText(content, place) }
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
  for await (const part of parts) {
    if (part.type === 'end') end = part
    else if (part.type === 'text') content += part.text
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
          content,
          ...(reasoning_content !== '' && { reasoning_content }),
          refusal: null,
        },
        logprobs: null,
        finish_reason,
      },
    ],
    usage: toUsage(usage),
  }
}

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
  for await (const part of parts) {
    if (part.type !== 'end') {
      yield toChunk(part.type === 'text' ? { content: part.text } : { reasoning_content: part.text })
      continue
    }
    yield toChunk({}, part.finish)
    const object = 'chat.completion.chunk' as const
    if (withUsage)
      yield { data: { ...head, object, choices: [], usage: toUsage(part.usage) } satisfies Chunk }
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
