import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { vectorOf } from './fake-vendor.ts'

/** Token counts as the chat-completions API names them; `total_tokens` is added when they are sent. */
export interface Usage {
  prompt_tokens: number
  completion_tokens: number
  prompt_tokens_details?: { cached_tokens: number }
  completion_tokens_details?: { reasoning_tokens: number }
}

/** The `error` object of an OpenAI error body. */
export interface OpenAIError {
  message: string
  type: string
  param: string | null
  code: string | null
}

/**
 * One reply, declared. Its deltas go out in the order reasoning, text, tool calls; the role chunk before them
 * is not counted as a delta.
 */
export interface Script {
  /** A string is cut into words, a list is sent as it is, one delta an item. */
  text?: string | string[]
  reasoning?: string[]
  /** Arguments that are a string are sent as written; several calls interleave their fragments. */
  toolCalls?: { id?: string; name: string; arguments: unknown }[]
  usage?: Usage
  finishReason?: string
  /** Milliseconds between one delta and the next. */
  delayMs?: number
  /** Awaited after delta number `holdAfter`; with 0, the default, before the first one. */
  hold?: Promise<void>
  holdAfter?: number
  /** Any other than 200 answers with an error body instead of a reply. */
  status?: number
  error?: Partial<OpenAIError>
  headers?: Record<string, string>
  /** The socket is destroyed after that many deltas; with 0 before anything is answered. */
  disconnectAfter?: number
  /** A stream carries a broken event where its finish belongs; a plain reply is cut in half. */
  malformed?: boolean
}

/** A message of a chat-completions request. */
export interface ChatMessage {
  role: string
  content?: string | { type: string; text?: string; [field: string]: unknown }[] | null
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** The body of a chat-completions request. */
export interface ChatBody {
  model: string
  messages: ChatMessage[]
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  tools?: { type: string; function: { name: string; description?: string; parameters: unknown } }[]
  [field: string]: unknown
}

/** The body of an embeddings request. */
export interface EmbeddingBody {
  model: string
  input: string | string[]
  [field: string]: unknown
}

/** A request as it arrived; both times are `performance.now()` milliseconds of this process. */
export interface FakeRequest<Body> {
  headers: IncomingHttpHeaders
  body: Body
  receivedAt: number
  /** Settles only when the client leaves before it has the whole reply. */
  aborted: Promise<void>
  abortedAt?: number
}

/** Chooses the reply to chat completion number `n`, counted from 0. */
export type Answer = (request: FakeRequest<ChatBody>, n: number) => Script | Promise<Script>

/** With `apiKey` set every call must carry it; with `models` set any other model is answered 404. */
export interface FakeOpenAIOptions {
  apiKey?: string
  models?: string[]
}

/** A running fake; a queued script is used before the scripted answer, and that before the echo. */
export interface FakeOpenAI {
  /** The base URL, ending in `/v1`. */
  url: string
  /** Chat completions in the order of their arrival, refused ones included. */
  requests: FakeRequest<ChatBody>[]
  embeddingRequests: FakeRequest<EmbeddingBody>[]
  /** Waits for chat completion number `n`, counted from 0. */
  request(n: number): Promise<FakeRequest<ChatBody>>
  script(answer: Answer): void
  next(...scripts: Script[]): void
  close(): Promise<void>
}

type Delta = Record<string, unknown>
/** The most pieces in which the arguments of a call are streamed. */
const MAX_PIECES = 1000

type ToolCall = { id: string; name: string; arguments: string }
type Reply = { body: ChatBody; script: Script; toolCalls: ToolCall[]; usage: Usage; gone: AbortSignal }

const estimateTokens = (text: string) => Math.ceil(text.length / 4)

/** Starts an HTTP server on loopback that speaks the OpenAI chat-completions, embeddings and models wire. */
export async function createFakeOpenAI({ apiKey, models }: FakeOpenAIOptions = {}): Promise<FakeOpenAI> {
  const requests: FakeRequest<ChatBody>[] = []
  const embeddingRequests: FakeRequest<EmbeddingBody>[] = []
  const arrivals = new EventEmitter()
  const queue: Script[] = []
  let answer: Answer = echo

  const server = createServer((req, res) => {
    const gone = new AbortController()
    res.once('close', () => gone.abort())
    handle(req, res, gone.signal).catch((error: unknown) => {
      if (gone.signal.aborted) return
      if (res.headersSent) res.destroy()
      else refuse(res, 500, { message: `The fake upstream failed: ${error}` })
    })
  })

  async function handle(req: IncomingMessage, res: ServerResponse, gone: AbortSignal): Promise<void> {
    const endpoint = `${req.method} ${req.url}`
    const serves = ['GET /v1/models', 'POST /v1/chat/completions', 'POST /v1/embeddings'].includes(endpoint)
    if (!serves) return refuse(res, 404, { message: `Unknown request URL: ${endpoint}`, code: 'unknown_url' })
    const authorized = apiKey === undefined || req.headers.authorization === `Bearer ${apiKey}`
    if (endpoint === 'GET /v1/models') {
      if (!authorized) return refuse(res, 401)
      const data = (models ?? ['fake-model']).map((id) => ({
        id,
        object: 'model',
        created: 0,
        owned_by: 'fake',
      }))
      return sendJson(res, 200, { object: 'list', data })
    }

    const body = await json(req).catch((error: unknown) => {
      if (error instanceof SyntaxError) return undefined
      throw error
    })
    if (body === undefined) return refuse(res, 400, { message: 'The request body is not valid JSON' })
    const chat = endpoint === 'POST /v1/chat/completions'
    const recorded = record(req, res, body)
    if (chat) {
      requests.push(recorded as FakeRequest<ChatBody>)
      arrivals.emit(String(requests.length - 1), recorded)
    } else embeddingRequests.push(recorded as FakeRequest<EmbeddingBody>)

    const { model } = body as { model: string }
    if (!authorized) return refuse(res, 401)
    if (models && !models.includes(model)) {
      return refuse(res, 404, { message: `The model '${model}' does not exist`, code: 'model_not_found' })
    }
    if (!chat) return sendJson(res, 200, embed(body as EmbeddingBody))

    const request = recorded as FakeRequest<ChatBody>
    const script = queue.shift() ?? (await answer(request, requests.indexOf(request)))
    if ((script.status ?? 200) !== 200) return refuse(res, script.status!, script.error, script.headers)
    const toolCalls = (script.toolCalls ?? []).map((call) => ({
      id: call.id ?? `call_${randomUUID()}`,
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    }))
    const usage = script.usage ?? {
      prompt_tokens: estimateTokens(JSON.stringify(request.body.messages)),
      completion_tokens: estimateTokens(JSON.stringify([script.reasoning, script.text, toolCalls])),
    }
    const reply = { body: request.body, script, toolCalls, usage, gone }
    await (request.body.stream ? streamReply(res, reply) : sendReply(res, reply))
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    embeddingRequests,
    async request(n) {
      return requests[n] ?? ((await once(arrivals, String(n)))[0] as FakeRequest<ChatBody>)
    },
    script(next) {
      answer = next
    },
    next(...scripts) {
      queue.push(...scripts)
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function record(req: IncomingMessage, res: ServerResponse, body: unknown): FakeRequest<unknown> {
  const { promise, resolve } = deferred()
  const recorded: FakeRequest<unknown> = {
    headers: req.headers,
    body,
    receivedAt: performance.now(),
    aborted: promise,
  }
  res.once('close', () => {
    // A reply that this side cut short has its socket ended by us, which is no abort of the client's.
    if (res.writableFinished || cutShort.has(res)) return
    recorded.abortedAt = performance.now()
    resolve()
  })
  return recorded
}

const cutShort = new WeakSet<ServerResponse>()

function hangUp(res: ServerResponse): void {
  cutShort.add(res)
  res.socket?.destroySoon()
}

function echo({ body }: FakeRequest<ChatBody>): Script {
  const content = body.messages.findLast((message) => message.role === 'user')?.content ?? ''
  return { text: typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('') }
}

/** Arguments in pieces of eight characters, or in longer ones where these would be too many. */
function toPieces(text: string): string[] {
  const length = Math.max(8, Math.ceil(text.length / MAX_PIECES))
  return Array.from({ length: Math.ceil(text.length / length) }, (_, n) =>
    text.slice(n * length, (n + 1) * length),
  )
}

function toDeltas({ text = [], reasoning = [] }: Script, toolCalls: ToolCall[]): Delta[] {
  const words = typeof text === 'string' ? (text.match(/\s*\S+|\s+$/g) ?? []) : text
  const calls = toolCalls.map((call, index) => [
    { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } },
    ...toPieces(call.arguments).map((part) => ({ index, function: { arguments: part } })),
  ])
  const rounds = Math.max(0, ...calls.map((fragments) => fragments.length))
  return [
    ...reasoning.map((part) => ({ reasoning_content: part })),
    ...words.map((content) => ({ content })),
    ...Array.from({ length: rounds }, (_, round) => calls.flatMap((fragments) => fragments[round] ?? []))
      .flat()
      .map((fragment) => ({ tool_calls: [fragment] })),
  ]
}

async function streamReply(res: ServerResponse, reply: Reply): Promise<void> {
  const { body, script, toolCalls, usage, gone } = reply
  const { delayMs = 0, hold, holdAfter = 0, disconnectAfter } = script
  const withUsage = body.stream_options?.include_usage === true
  const head = { ...completionHead(body), object: 'chat.completion.chunk' }
  const send = async (data: string) => {
    gone.throwIfAborted()
    if (!res.write(`data: ${data}\n\n`)) await once(res, 'drain', { signal: gone })
  }
  const sendChoice = (delta: Delta, finish_reason: string | null = null) => {
    const choice = { index: 0, delta, logprobs: null, finish_reason }
    return send(JSON.stringify({ ...head, choices: [choice], ...(withUsage && { usage: null }) }))
  }

  if (disconnectAfter === 0) return hangUp(res)
  res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    ...script.headers,
  })
  await sendChoice({ role: 'assistant', content: '' })
  if (holdAfter === 0) await held(hold, gone)
  for (const [index, delta] of toDeltas(script, toolCalls).entries()) {
    if (index > 0 && delayMs > 0) await sleep(delayMs, undefined, { signal: gone })
    await sendChoice(delta)
    if (disconnectAfter === index + 1) return hangUp(res)
    if (holdAfter === index + 1) await held(hold, gone)
  }
  if (script.malformed) await send('{"id":"chatcmpl-')
  else await sendChoice({}, finishReason(reply))
  if (withUsage) await send(JSON.stringify({ ...head, choices: [], usage: withTotal(usage) }))
  await send('[DONE]')
  res.end()
}

async function sendReply(res: ServerResponse, reply: Reply): Promise<void> {
  const { body, script, toolCalls, usage, gone } = reply
  await held(script.hold, gone)
  if (script.disconnectAfter !== undefined) return hangUp(res)
  const text = [script.text ?? []].flat().join('')
  const message = {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
    refusal: null,
    ...(script.reasoning && { reasoning_content: script.reasoning.join('') }),
    ...(toolCalls.length > 0 && {
      tool_calls: toolCalls.map(({ id, ...call }) => ({ id, type: 'function', function: call })),
    }),
  }
  const payload = JSON.stringify({
    ...completionHead(body),
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(reply) }],
    usage: withTotal(usage),
  })
  res.writeHead(200, { 'content-type': 'application/json', ...script.headers })
  res.end(script.malformed ? payload.slice(0, payload.length / 2) : payload)
}

const completionHead = ({ model }: ChatBody) => ({
  id: `chatcmpl-${randomUUID()}`,
  created: Math.floor(Date.now() / 1000),
  model,
})

const finishReason = ({ script, toolCalls }: Reply) =>
  script.finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop')

const withTotal = (usage: Usage) => ({
  ...usage,
  total_tokens: usage.prompt_tokens + usage.completion_tokens,
})

/** Waits for `hold`, or fails as soon as the client has left. */
async function held(hold: Promise<void> | undefined, gone: AbortSignal): Promise<void> {
  if (hold === undefined) return
  const left = deferred()
  gone.addEventListener('abort', left.resolve, { once: true })
  await Promise.race([hold, left.promise])
  gone.throwIfAborted()
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

function embed({ model, input }: EmbeddingBody): object {
  const texts = [input].flat()
  const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
  const tokens = estimateTokens(texts.join(''))
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } }
}

const errorDefaults: Record<number, Partial<OpenAIError>> = {
  401: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' },
  429: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' },
}

function refuse(
  res: ServerResponse,
  status: number,
  error?: Partial<OpenAIError>,
  headers?: Record<string, string>,
): void {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error'
  const general = { message: `The request failed with status ${status}`, type, param: null, code: null }
  sendJson(res, status, { error: { ...general, ...errorDefaults[status], ...error } }, headers)
}

function sendJson(res: ServerResponse, status: number, body: object, headers?: Record<string, string>): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers })
  res.end(JSON.stringify(body))
}
