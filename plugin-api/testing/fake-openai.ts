import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { answerMedia, MEDIA_PATHS } from './fake-media.ts'
import { embed, refuse, type Script, sendJson, sendMedia, sendScript } from './fake-openai-reply.ts'
import { type ChatBody, type EmbeddingBody, type FakeRequest, record } from './fake-openai-request.ts'
import { readFields } from './form-fields.ts'

export type { Script } from './fake-openai-reply.ts'
export type { ChatBody, ChatMessage, FakeRequest } from './fake-openai-request.ts'

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
  /** The calls of models that draw, speak, transcribe and rank; files are fields of their bodies. */
  mediaRequests: FakeRequest<Record<string, unknown>>[]
  /** Waits for chat completion number `n`, counted from 0. */
  request(n: number): Promise<FakeRequest<ChatBody>>
  script(answer: Answer): void
  next(...scripts: Script[]): void
  close(): Promise<void>
}

const PATHS = ['/models', '/chat/completions', '/embeddings', ...MEDIA_PATHS]

/** Starts an HTTP server on loopback that speaks OpenAI's wire: chat completions, embeddings, pictures, audio, models. */
export async function createFakeOpenAI({ apiKey, models }: FakeOpenAIOptions = {}): Promise<FakeOpenAI> {
  const requests: FakeRequest<ChatBody>[] = []
  const embeddingRequests: FakeRequest<EmbeddingBody>[] = []
  const mediaRequests: FakeRequest<Record<string, unknown>>[] = []
  const arrivals = new EventEmitter()
  const queue: Script[] = []
  let answer: Answer = echo

  const server = createServer((req, res) => {
    const leaving = new AbortController()
    res.once('close', () => leaving.abort())
    handle(req, res, leaving.signal).catch((error: unknown) => {
      if (leaving.signal.aborted) return
      if (res.headersSent) res.destroy()
      else refuse(res, 500, { message: `The fake upstream failed: ${error}` })
    })
  })

  async function handle(req: IncomingMessage, res: ServerResponse, aborted: AbortSignal): Promise<void> {
    const endpoint = `${req.method} ${req.url}`
    const serves = PATHS.find((path) => endpoint === `${path === '/models' ? 'GET' : 'POST'} /v1${path}`)
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

    const body = await readFields(await buffer(req), req.headers).catch((error: unknown) => {
      if (error instanceof SyntaxError) return undefined
      throw error
    })
    if (body === undefined) return refuse(res, 400, { message: 'The request body is not valid JSON' })
    const chat = serves === '/chat/completions'
    const recorded = record(req, res, body)
    if (MEDIA_PATHS.includes(serves)) mediaRequests.push(recorded as FakeRequest<Record<string, unknown>>)
    else if (chat) {
      requests.push(recorded as FakeRequest<ChatBody>)
      arrivals.emit(String(requests.length - 1), recorded)
    } else embeddingRequests.push(recorded as FakeRequest<EmbeddingBody>)

    const { model } = body as { model: string }
    if (!authorized) return refuse(res, 401)
    if (models && !models.includes(model)) {
      return refuse(res, 404, { message: `The model '${model}' does not exist`, code: 'model_not_found' })
    }
    if (MEDIA_PATHS.includes(serves))
      return sendMedia(res, answerMedia(serves, body), queue.shift() ?? {}, aborted)
    if (!chat) return sendJson(res, 200, embed(body as EmbeddingBody))

    const request = recorded as FakeRequest<ChatBody>
    const script = queue.shift() ?? (await answer(request, requests.indexOf(request)))
    await sendScript(res, request.body, script, aborted)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    embeddingRequests,
    mediaRequests,
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

function echo({ body }: FakeRequest<ChatBody>): Script {
  const content = body.messages.findLast((message) => message.role === 'user')?.content ?? ''
  return { text: typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('') }
}
