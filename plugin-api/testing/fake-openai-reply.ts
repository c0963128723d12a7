import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MediaAnswer } from './fake-media.ts'
import { type ChatBody, deferred, type EmbeddingBody, hangUp } from './fake-openai-request.ts'
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

type Delta = Record<string, unknown>
/** The most pieces in which the arguments of a call are streamed. */
const MAX_PIECES = 1000

type ToolCall = { id: string; name: string; arguments: string }
type Reply = { body: ChatBody; script: Script; toolCalls: ToolCall[]; usage: Usage; aborted: AbortSignal }

const estimateTokens = (text: string) => Math.ceil(text.length / 4)

/** Sends the reply that a script declares, or its error. */
export async function sendScript(
  res: ServerResponse,
  body: ChatBody,
  script: Script,
  aborted: AbortSignal,
): Promise<void> {
  if ((script.status ?? 200) !== 200) return refuse(res, script.status!, script.error, script.headers)
  const toolCalls = (script.toolCalls ?? []).map((call) => ({
    id: call.id ?? `call_${randomUUID()}`,
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }))
  const usage = script.usage ?? {
    prompt_tokens: estimateTokens(JSON.stringify(body.messages)),
    completion_tokens: estimateTokens(JSON.stringify([script.reasoning, script.text, toolCalls])),
  }
  const reply = { body, script, toolCalls, usage, aborted }
  await (body.stream ? streamReply(res, reply) : sendReply(res, reply))
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
  const { body, script, toolCalls, usage, aborted } = reply
  const { delayMs = 0, hold, holdAfter = 0, disconnectAfter } = script
  const withUsage = body.stream_options?.include_usage === true
  const head = { ...completionHead(body), object: 'chat.completion.chunk' }
  const send = async (data: string) => {
    aborted.throwIfAborted()
    if (!res.write(`data: ${data}\n\n`)) await once(res, 'drain', { signal: aborted })
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
  if (holdAfter === 0) await held(hold, aborted)
  for (const [index, delta] of toDeltas(script, toolCalls).entries()) {
    if (index > 0 && delayMs > 0) await sleep(delayMs, undefined, { signal: aborted })
    await sendChoice(delta)
    if (disconnectAfter === index + 1) return hangUp(res)
    if (holdAfter === index + 1) await held(hold, aborted)
  }
  if (script.malformed) await send('{"id":"chatcmpl-')
  else await sendChoice({}, finishReason(reply))
  if (withUsage) await send(JSON.stringify({ ...head, choices: [], usage: withTotal(usage) }))
  await send('[DONE]')
  res.end()
}

async function sendReply(res: ServerResponse, reply: Reply): Promise<void> {
  const { body, script, toolCalls, usage, aborted } = reply
  await held(script.hold, aborted)
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

/** Sends the answer to a call of a model that does not chat, after the hold of its script, or the script's error. */
export async function sendMedia(
  res: ServerResponse,
  { status, type, body }: MediaAnswer,
  script: Script,
  aborted: AbortSignal,
): Promise<void> {
  if ((script.status ?? 200) !== 200) return refuse(res, script.status!, script.error, script.headers)
  await held(script.hold, aborted)
  res.writeHead(status, { 'content-type': type, ...script.headers })
  res.end(body)
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
async function held(hold: Promise<void> | undefined, aborted: AbortSignal): Promise<void> {
  if (hold === undefined) return
  const left = deferred()
  aborted.addEventListener('abort', left.resolve, { once: true })
  await Promise.race([hold, left.promise])
  aborted.throwIfAborted()
}

/** Builds the reply to an embeddings request. */
export function embed({ model, input }: EmbeddingBody): object {
  const texts = [input].flat()
  const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
  const tokens = estimateTokens(texts.join(''))
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } }
}

const errorDefaults: Record<number, Partial<OpenAIError>> = {
  401: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' },
  429: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' },
}

/** Answers with an error body. */
export function refuse(
  res: ServerResponse,
  status: number,
  error?: Partial<OpenAIError>,
  headers?: Record<string, string>,
): void {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error'
  const general = { message: `The request failed with status ${status}`, type, param: null, code: null }
  sendJson(res, status, { error: { ...general, ...errorDefaults[status], ...error } }, headers)
}

export function sendJson(
  res: ServerResponse,
  status: number,
  body: object,
  headers?: Record<string, string>,
): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers })
  res.end(JSON.stringify(body))
}
