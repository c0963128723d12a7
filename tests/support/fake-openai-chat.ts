import { setImmediate as letOthersRead } from 'node:timers/promises'
import type { Exchange, VendorReply } from '../../plugin-api/testing/fake-vendor.ts'
import type { RefusalWords } from './fake-openai-refusals.ts'
import type { FakeModel } from './fake-openai-responses.ts'

/** Azure says of each piece what its filters found. */
const FILTERED = {
  hate: { filtered: false, severity: 'safe' },
  violence: { filtered: false, severity: 'safe' },
}

/** Sends a reply as Chat Completions do, which show no thoughts. */
export async function streamChat({
  exchange,
  reply: { text = [], toolCalls = [], usage, finish, refusal, retryAfter, breakAfter, hold },
  serial,
  model,
  words,
  isAzure,
}: {
  exchange: Exchange
  reply: VendorReply
  serial: number
  model: FakeModel
  words: RefusalWords
  isAzure: boolean
}): Promise<void> {
  const { body } = exchange.request
  const head = {
    id: `chatcmpl-${serial.toString(36).padStart(29, '0')}`,
    object: 'chat.completion.chunk',
    created: 1_760_000_000 + serial,
    model: model.model ?? model.id,
    service_tier: 'default',
    system_fingerprint: 'fp_fake',
  }
  const send = (data: unknown) => exchange.write(`data: ${JSON.stringify(data)}\n\n`)
  const sendDelta = (delta: object, finish_reason: string | null = null) => {
    const filters = isAzure && { content_filter_results: finish_reason ? {} : FILTERED }
    return send({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason, ...filters }],
      usage: null,
    })
  }

  exchange.open('text/event-stream; charset=utf-8', { 'x-request-id': 'req_fake' })
  if (isAzure)
    await send({
      ...head,
      id: '',
      model: '',
      choices: [],
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: FILTERED }],
    })
  await sendDelta({ role: 'assistant', content: '', refusal: null })
  await exchange.wait(hold)

  const deltas: object[] = text.map((content) => ({ content }))
  for (const [index, { id, name, input }] of toolCalls.entries()) {
    const call = { index, id, type: 'function', function: { name, arguments: '' } }
    deltas.push({ tool_calls: [call] })
    for (const piece of JSON.stringify(input).match(/.{1,7}/gs)!)
      deltas.push({ tool_calls: [{ index, function: { arguments: piece } }] })
  }
  for (const delta of deltas.slice(0, breakAfter)) {
    await sendDelta(delta)
    await letOthersRead()
  }
  if (breakAfter !== undefined) {
    if (!refusal) return exchange.hangUp()
    await send({ error: words.of(refusal, { model: model.id, retryAfter }).error })
    return exchange.end()
  }
  await sendDelta({}, finish === 'length' ? 'length' : toolCalls.length > 0 ? 'tool_calls' : 'stop')
  if (body.stream_options?.include_usage) {
    const { input = 1, cached = 0, output = 1, reasoning = 0 } = usage ?? {}
    await send({
      ...head,
      choices: [],
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
      },
    })
  }
  await exchange.write('data: [DONE]\n\n')
  exchange.end()
}
