import type { VendorReply } from '../../plugin-api/testing/fake-vendor.ts'
import type { IssuedThoughts } from './fake-openai-faults.ts'

/** An event of the Responses API, without its number. */
// biome-ignore lint/suspicious/noExplicitAny: events have many forms
type ResponsesEvent = { type: string; [field: string]: any }

type Item = Record<string, unknown>

/** Encrypts a thought for the next step: the fake accepts this back for a reasoning item. */
export const sealOf = (id: string) => `gAAAAAB${Buffer.from(`thoughts of ${id}`).toString('base64url')}`

/** The events of a whole reply. */
export function* eventsOf({
  reply: { reasoning, text, toolCalls = [], usage, finish },
  body,
  serial,
  issued,
  isAzure,
  isPartPerThought = false,
}: {
  reply: VendorReply
  // biome-ignore lint/suspicious/noExplicitAny: a request as it came
  body: any
  serial: number
  issued: IssuedThoughts
  isAzure: boolean
  isPartPerThought?: boolean
}): Generator<ResponsesEvent, void> {
  const idOf = (prefix: string, n = 0) =>
    `${prefix}_${serial.toString(16).padStart(24, '0')}${n.toString(16).padStart(24, '0')}`
  const output: Item[] = []
  const response = {
    id: idOf('resp'),
    object: 'response',
    created_at: 1_760_000_000 + serial,
    status: 'in_progress',
    background: false,
    ...(isAzure && { content_filters: null }),
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    model: body.model,
    output: [] as Item[],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    store: body.store ?? true,
    text: { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    truncation: 'disabled',
    usage: null,
    metadata: {},
  }
  yield { type: 'response.created', response }
  yield { type: 'response.in_progress', response }

  function* item(added: Item, done: Item, within: (output_index: number) => Iterable<ResponsesEvent>) {
    const output_index = output.length
    yield { type: 'response.output_item.added', output_index, item: added }
    yield* within(output_index)
    output.push(done)
    yield { type: 'response.output_item.done', output_index, item: done }
  }

  const isSealed = body.include?.includes('reasoning.encrypted_content') === true
  const thoughtId = idOf('rs')
  if (reasoning) {
    const parts = !body.reasoning?.summary
      ? []
      : isPartPerThought
        ? reasoning.map((thought) => [thought])
        : [reasoning]
    const summary = parts.map((deltas) => ({ type: 'summary_text', text: deltas.join('') }))
    // The seal at the beginning is of nothing yet.
    const added = {
      id: thoughtId,
      type: 'reasoning',
      ...(isSealed && { encrypted_content: 'gAAAAABempty' }),
      summary: [],
    }
    const done = {
      id: thoughtId,
      type: 'reasoning',
      ...(isSealed && { encrypted_content: sealOf(thoughtId) }),
      summary,
    }
    yield* item(added, done, function* (output_index) {
      for (const [summary_index, deltas] of parts.entries()) {
        const at = { item_id: thoughtId, output_index, summary_index }
        const part = (text: string) => ({ type: 'summary_text', text })
        yield { type: 'response.reasoning_summary_part.added', ...at, part: part('') }
        for (const delta of deltas) yield { type: 'response.reasoning_summary_text.delta', ...at, delta }
        yield { type: 'response.reasoning_summary_text.done', ...at, text: deltas.join('') }
        yield { type: 'response.reasoning_summary_part.done', ...at, part: part(deltas.join('')) }
      }
    })
  }

  if (text) {
    const id = idOf('msg')
    const message = (status: string, content: Item[]) => ({
      id,
      type: 'message',
      status,
      role: 'assistant',
      content,
    })
    const part = (text: string) => ({ type: 'output_text', annotations: [], logprobs: [], text })
    const whole = text.join('')
    yield* item(message('in_progress', []), message('completed', [part(whole)]), function* (output_index) {
      const at = { item_id: id, output_index, content_index: 0 }
      yield { type: 'response.content_part.added', ...at, part: part('') }
      for (const delta of text) yield { type: 'response.output_text.delta', ...at, delta, logprobs: [] }
      yield { type: 'response.output_text.done', ...at, text: whole, logprobs: [] }
      yield { type: 'response.content_part.done', ...at, part: part(whole) }
    })
  }

  for (const [n, { id: call_id, name, input }] of toolCalls.entries()) {
    const id = idOf('fc', n)
    const args = JSON.stringify(input)
    const call = (status: string, sent: string) => ({
      id,
      type: 'function_call',
      status,
      arguments: sent,
      call_id,
      name,
    })
    if (reasoning && isSealed) issued.set(call_id, { call: id, thought: thoughtId })
    yield* item(call('in_progress', ''), call('completed', args), function* (output_index) {
      const at = { item_id: id, output_index }
      for (const delta of args.match(/.{1,7}/gs)!)
        yield { type: 'response.function_call_arguments.delta', ...at, delta }
      yield { type: 'response.function_call_arguments.done', ...at, arguments: args }
    })
  }

  const isCut = finish === 'length'
  const { input = 1, cached = 0, output: said = 1, reasoning: thought = 0 } = usage ?? {}
  yield {
    type: isCut ? 'response.incomplete' : 'response.completed',
    response: {
      ...response,
      status: isCut ? 'incomplete' : 'completed',
      incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
      output,
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: said,
        output_tokens_details: { reasoning_tokens: thought },
        total_tokens: input + said,
      },
    },
  }
}
