import { randomBytes } from 'node:crypto'
import type { Exchange, FakeVendor, Refusal, VendorReply } from '../../plugin-api/testing/fake-vendor.ts'
import { startFakeVendor } from '../../plugin-api/testing/fake-vendor.ts'
import {
  ADAPTIVE_MODEL,
  BUDGET_MODEL,
  complaintAbout,
  isAdaptive,
  type MessagesBody,
} from './fake-anthropic-rules.ts'
import { REDACTION_TRIGGER, sign, stopReasonOf } from './fake-claude.ts'

/** Starts a fake of Anthropic's API; `extraModels` are listed after its own. */
export function createFakeAnthropic({
  apiKey,
  extraModels = 0,
}: {
  apiKey: string
  extraModels?: number
}): Promise<FakeVendor> {
  const older = Array.from({ length: extraModels }, (_, n) => modelInfo(`claude-test-${n}`))
  const models = [modelInfo(ADAPTIVE_MODEL), modelInfo(BUDGET_MODEL), ...older]
  return startFakeVendor({
    basePath: '/v1',
    async serve(exchange) {
      const { method, path, headers, body } = exchange.request
      const { pathname, searchParams } = new URL(path, 'http://fake')
      if (headers['x-api-key'] !== apiKey)
        return fail(exchange, 'authentication_error', headers['x-api-key'] ? 'invalid x-api-key' : NO_KEY)
      if (headers['anthropic-version'] !== '2023-06-01')
        return fail(exchange, 'invalid_request_error', 'anthropic-version: header is required')
      if (method === 'GET' && pathname === '/v1/models') return listModels(exchange, models, searchParams)
      if (method !== 'POST' || pathname !== '/v1/messages')
        return fail(exchange, 'not_found_error', 'Not Found')
      if (!models.some(({ id }) => id === body.model))
        return fail(exchange, 'not_found_error', `model: ${body.model}`)
      const complaint = complaintAbout(body)
      if (complaint) return fail(exchange, 'invalid_request_error', complaint)
      const reply = exchange.takeReply()
      if (reply.refusal && reply.breakAfter === undefined)
        return fail(exchange, ...REFUSALS[reply.refusal], reply.retryAfter)
      await streamReply(exchange, reply)
    },
  })
}

const NO_KEY = 'x-api-key header is required'

const STATUSES = {
  invalid_request_error: 400,
  authentication_error: 401,
  not_found_error: 404,
  rate_limit_error: 429,
  overloaded_error: 529,
}
type ErrorType = keyof typeof STATUSES

const REFUSALS: Record<Refusal, [ErrorType, string]> = {
  auth: ['authentication_error', 'invalid x-api-key'],
  quota: [
    'invalid_request_error',
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  ],
  rate_limit: [
    'rate_limit_error',
    'This request would exceed your organization’s rate limit of 50 requests per minute.',
  ],
  outage: ['overloaded_error', 'Overloaded'],
  model_not_found: ['not_found_error', 'model: claude-nobody'],
  bad_request: ['invalid_request_error', 'messages: at least one message is required'],
  context_too_long: ['invalid_request_error', 'prompt is too long: 200001 tokens > 200000 maximum'],
}

const requestId = () => ({ 'request-id': `req_${randomBytes(12).toString('hex')}` })

function fail({ sendJson }: Exchange, type: ErrorType, message: string, retryAfter?: number): void {
  const id = requestId()
  const again = retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) }
  const body = { type: 'error', error: { type, message }, request_id: id['request-id'] }
  sendJson(STATUSES[type], body, { ...id, ...again })
}

function modelInfo(id: string) {
  const on = { supported: true }
  const adaptive = { supported: isAdaptive(id) }
  return {
    type: 'model',
    id,
    display_name: id.replace(/-\d{8}$/, '').replaceAll('-', ' '),
    created_at: '2026-05-28T00:00:00Z',
    max_input_tokens: isAdaptive(id) ? 1_000_000 : 200_000,
    max_tokens: isAdaptive(id) ? 128_000 : 64_000,
    capabilities: {
      batch: on,
      image_input: on,
      pdf_input: on,
      effort: { ...adaptive, low: adaptive, medium: adaptive, high: adaptive },
      thinking: { ...on, types: { adaptive, enabled: { supported: !adaptive.supported } } },
    },
  }
}

function listModels(
  exchange: Exchange,
  models: ReturnType<typeof modelInfo>[],
  query: URLSearchParams,
): void {
  const limit = Number(query.get('limit') ?? 20)
  const first = models.findIndex(({ id }) => id === query.get('after_id')) + 1
  const data = models.slice(first, first + limit)
  const has_more = first + limit < models.length
  exchange.sendJson(200, { data, has_more, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null })
}

interface Block {
  /** The block before its deltas. */
  start: { type: string; [field: string]: unknown }
  deltas: object[]
  /** Sent after the last delta. */
  signature?: string
}

/** The blocks of a reply; thoughts only where the request asks for them, and in the form it asks for. */
function blocksOf({ reasoning = [], text = [], toolCalls = [] }: VendorReply, body: MessagesBody): Block[] {
  const { messages, thinking, model } = body
  const blocks: Block[] = []
  if (reasoning.length > 0 && ['enabled', 'adaptive'].includes(thinking?.type)) {
    const signature = sign(reasoning.join(''))
    const shown = (thinking.display ?? (isAdaptive(model) ? 'omitted' : 'summarized')) === 'summarized'
    const said = shown ? reasoning : []
    if (JSON.stringify(messages).includes(REDACTION_TRIGGER))
      blocks.push({ start: { type: 'redacted_thinking', data: signature }, deltas: [] })
    else
      blocks.push({
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: said.map((thinking) => ({ type: 'thinking_delta', thinking })),
        signature,
      })
  }
  if (text.length > 0)
    blocks.push({
      start: { type: 'text', text: '' },
      deltas: text.map((text) => ({ type: 'text_delta', text })),
    })
  for (const { id, name, input } of toolCalls)
    blocks.push({
      start: { type: 'tool_use', id, name, input: {} },
      deltas: ['', ...JSON.stringify(input).match(/[\s\S]{1,12}/g)!].map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      })),
    })
  return blocks
}

const messageHead = ({ request }: Exchange, { usage }: VendorReply) => ({
  id: `msg_${randomBytes(12).toString('hex')}`,
  type: 'message',
  role: 'assistant',
  model: request.body.model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: {
    input_tokens: (usage?.input ?? 0) - (usage?.cached ?? 0),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage?.cached ?? 0,
    output_tokens: 1,
    service_tier: 'standard',
  },
})

function ending(reply: VendorReply) {
  const { output = 0, reasoning = 0 } = reply.usage ?? {}
  return {
    delta: { stop_reason: stopReasonOf(reply), stop_sequence: null },
    usage: { output_tokens: output, output_tokens_details: { thinking_tokens: reasoning } },
  }
}

async function streamReply(exchange: Exchange, reply: VendorReply): Promise<void> {
  const { open, write, wait, end, hangUp, request } = exchange
  const { breakAfter = Number.POSITIVE_INFINITY, refusal } = reply
  const send = (type: string, fields = {}) =>
    write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)

  let room = breakAfter
  /** True if the reply continues; otherwise it was cut. */
  const goesOn = async () => {
    if (room > 0) return true
    if (refusal) {
      const [type, message] = REFUSALS[refusal]
      await send('error', { error: { details: null, type, message } })
      end()
    } else hangUp()
    return false
  }

  open('text/event-stream; charset=utf-8', { 'cache-control': 'no-cache', ...requestId() })
  if (breakAfter > 0) {
    await send('message_start', { message: messageHead(exchange, reply) })
    await send('ping')
  }
  await wait(reply.hold)
  for (const [index, { start, deltas, signature }] of blocksOf(reply, request.body).entries()) {
    if (!(await goesOn())) return
    await send('content_block_start', { index, content_block: start })
    for (const delta of deltas) {
      if (!(await goesOn())) return
      await send('content_block_delta', { index, delta })
      room -= 1
    }
    if (signature) await send('content_block_delta', { index, delta: { type: 'signature_delta', signature } })
    await send('content_block_stop', { index })
  }
  if (!(await goesOn())) return
  await send('message_delta', ending(reply))
  await send('message_stop')
  end()
}
