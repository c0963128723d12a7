import { AppError, type ErrorExplainer, type Locale, type StreamItem, type TypeOf } from '#plugin-api'
import { toItemId as toCallItemId } from './ids.ts'
import type { CallPart, ReplyPart } from './reply-parts.ts'
import type { response, responseEvent } from './response-schemas.ts'

/** A response as the API shows it. */
export type ResponseRow = TypeOf<typeof response>
type OutputItem = ResponseRow['output'][number]
type Event = TypeOf<typeof responseEvent>
type Unnumbered<One> = One extends unknown ? Omit<One, 'sequence_number'> : never

/** The facts of a response that its request determines. */
export type ResponseHead = Pick<
  ResponseRow,
  | 'id'
  | 'created_at'
  | 'model'
  | 'instructions'
  | 'max_output_tokens'
  | 'metadata'
  | 'parallel_tool_calls'
  | 'previous_response_id'
  | 'reasoning'
  | 'temperature'
  | 'text'
  | 'tool_choice'
  | 'tools'
  | 'top_p'
>

/** Explains the error of a turn to the caller of a request. */
export interface Explanation {
  explainError: ErrorExplainer
  locale: Locale
  request_id: string
}

/** Creates a response that is in progress. */
const toResponse = (head: ResponseHead): ResponseRow => ({
  ...head,
  object: 'response',
  status: 'in_progress',
  background: false,
  error: null,
  incomplete_details: null,
  output: [],
  store: true,
  truncation: 'disabled',
  usage: null,
})

/** Sends a reply as the typed events of a response. */
export async function* toResponseEvents(
  parts: AsyncIterable<ReplyPart>,
  head: ResponseHead,
  explanation: Explanation,
): AsyncGenerator<StreamItem, void, void> {
  let sequence_number = 0
  for await (const event of describeReply(parts, head, explanation)) {
    yield { event: event.type, data: { ...event, sequence_number } satisfies Event }
    sequence_number += 1
  }
}

/** Collects a reply as one response; throws the error of the turn unless the reply has begun. */
export async function readResponse(
  parts: AsyncIterable<ReplyPart>,
  head: ResponseHead,
  explanation: Explanation,
): Promise<ResponseRow> {
  let last = toResponse(head)
  for await (const event of describeReply(parts, head, explanation))
    if ('response' in event) last = event.response
  return last
}

/** Describes a reply by the events of a response, the last of which has the whole of it. */
async function* describeReply(
  parts: AsyncIterable<ReplyPart>,
  head: ResponseHead,
  { explainError, locale, request_id }: Explanation,
): AsyncGenerator<Unnumbered<Event>, void, void> {
  const output: OutputItem[] = []
  let current: (Extract<ReplyPart, { text: string }> & { key: string }) | undefined
  yield { type: 'response.created', response: toResponse(head) }
  yield { type: 'response.in_progress', response: toResponse(head) }

  const end = function* () {
    if (!current) return
    yield* endItem(current, output.length)
    output.push(toItem(current, 'completed'))
    current = undefined
  }
  try {
    for await (const part of parts) {
      if (part.type === 'end') {
        yield* end()
        yield toEnd({ ...toResponse(head), output }, part)
        return
      }
      if (part.type === 'call') {
        yield* end()
        yield* describeCall(part, output.length)
        output.push(toCallItem(part, 'completed'))
        continue
      }
      const key = `${part.type} ${part.message_id}`
      if (current?.key !== key) {
        yield* end()
        current = { ...part, text: '', key }
        yield* beginItem(current, output.length)
      }
      current.text += part.text
      yield toDelta(current, part.text, output.length)
    }
  } catch (error) {
    // Without an answer there is nothing but the error, which the client gets as such.
    if (!(error instanceof AppError)) throw error
    yield* end()
    const { code, message } = explainError(error, locale, request_id)
    const failed = { ...toResponse(head), status: 'failed' as const, output, error: { code, message } }
    yield { type: 'response.failed', response: failed }
  }
}

function toEnd(
  response: ResponseRow,
  { finish, usage }: Extract<ReplyPart, { type: 'end' }>,
): Unnumbered<Event> {
  const spent = {
    input_tokens: usage.input_tokens,
    input_tokens_details: { cached_tokens: usage.cached_input_tokens ?? 0 },
    output_tokens: usage.output_tokens,
    output_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
    total_tokens: usage.total_tokens,
  }
  if (finish === 'stop' || finish === 'tool_calls')
    return { type: 'response.completed', response: { ...response, status: 'completed', usage: spent } }
  const reason = finish === 'length' ? ('max_output_tokens' as const) : finish
  return {
    type: 'response.incomplete',
    response: { ...response, status: 'incomplete', incomplete_details: { reason }, usage: spent },
  }
}

function toCallItem(
  { call_id, name, input }: CallPart,
  status: 'in_progress' | 'completed',
): Extract<OutputItem, { type: 'function_call' }> {
  const isEmpty = status === 'in_progress'
  const item = { type: 'function_call' as const, id: toCallItemId(call_id), call_id, name }
  return { ...item, arguments: isEmpty ? '' : input, status }
}

function* describeCall(call: CallPart, output_index: number): Generator<Unnumbered<Event>, void, void> {
  const { call_id, name, input } = call
  const fields = { item_id: toCallItemId(call_id), output_index }
  yield { type: 'response.output_item.added', output_index, item: toCallItem(call, 'in_progress') }
  yield { type: 'response.function_call_arguments.delta', ...fields, delta: input }
  yield { type: 'response.function_call_arguments.done', ...fields, name, arguments: input }
  yield { type: 'response.output_item.done', output_index, item: toCallItem(call, 'completed') }
}

type Item = Extract<ReplyPart, { text: string }>

const PREFIX = { text: 'msg_', refusal: 'ref_', reasoning: 'rs_' } as const
const toItemId = ({ type, message_id }: Item) => message_id.replace('msg_', PREFIX[type])
const toRefusal = (refusal: string) => ({ type: 'refusal' as const, refusal })
const toOutputText = (text: string) => ({
  type: 'output_text' as const,
  text,
  annotations: [],
  logprobs: [],
})
const toSummary = (text: string) => ({ type: 'summary_text' as const, text })

function toContent({ type, text }: Item) {
  return type === 'refusal' ? toRefusal(text) : toOutputText(text)
}

function toItem(item: Item, status: 'in_progress' | 'completed'): OutputItem {
  const id = toItemId(item)
  const isEmpty = status === 'in_progress'
  if (item.type === 'reasoning')
    return { type: 'reasoning', id, status, summary: isEmpty ? [] : [toSummary(item.text)] }
  const content = isEmpty ? [] : [toContent(item)]
  return { type: 'message', id, role: 'assistant', status, content }
}

function* beginItem(item: Item, output_index: number): Generator<Unnumbered<Event>, void, void> {
  const fields = { item_id: toItemId(item), output_index }
  yield { type: 'response.output_item.added', output_index, item: toItem(item, 'in_progress') }
  if (item.type === 'reasoning')
    yield { type: 'response.reasoning_summary_part.added', ...fields, summary_index: 0, part: toSummary('') }
  else
    yield {
      type: 'response.content_part.added',
      ...fields,
      content_index: 0,
      part: toContent({ ...item, text: '' }),
    }
}

function toDelta(item: Item, delta: string, output_index: number): Unnumbered<Event> {
  const fields = { item_id: toItemId(item), output_index, delta }
  switch (item.type) {
    case 'text':
      return { type: 'response.output_text.delta', ...fields, content_index: 0, logprobs: [] }
    case 'refusal':
      return { type: 'response.refusal.delta', ...fields, content_index: 0 }
    case 'reasoning':
      return { type: 'response.reasoning_summary_text.delta', ...fields, summary_index: 0 }
  }
}

function* endItem(item: Item, output_index: number): Generator<Unnumbered<Event>, void, void> {
  const fields = { item_id: toItemId(item), output_index }
  const { type, text } = item
  if (type === 'reasoning') {
    yield { type: 'response.reasoning_summary_text.done', ...fields, summary_index: 0, text }
    const part = toSummary(text)
    yield { type: 'response.reasoning_summary_part.done', ...fields, summary_index: 0, part }
  } else {
    if (type === 'refusal')
      yield { type: 'response.refusal.done', ...fields, content_index: 0, refusal: text }
    else yield { type: 'response.output_text.done', ...fields, content_index: 0, text, logprobs: [] }
    yield { type: 'response.content_part.done', ...fields, content_index: 0, part: toContent(item) }
  }
  yield { type: 'response.output_item.done', output_index, item: toItem(item, 'completed') }
}
