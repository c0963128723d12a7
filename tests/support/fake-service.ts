import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, json } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'

/** A frame as it goes over the wire. */
export type Frame = Record<string, unknown> & { type: string }

/** A turn that a client began; the test plays the agent. */
export interface FakeTurn {
  turn_id: string
  thread_id: string
  text: string
  model?: string
  client_message_id?: string
  /** Fulfilled once a client sent `stop`. */
  stopped: Promise<void>
  /** Adds a frame to the thread's ledger and sends it to who subscribed. */
  emit(frame: Frame): void
}

interface FakeThread {
  thread_id: string
  title: string | null
  created_at: number
  last_active: number
  messages: Record<string, unknown>[]
  ledger: (Frame & { seq: number })[]
  active?: FakeTurn & { stop(): void; first_seq: number }
}

const MESSAGES = {
  AUTH_FAILED: { en: 'Wrong username or password.', zh: '用户名或密码错误。' },
  LOGIN_LOCKED: { en: 'Too many attempts. Try again in 15 minutes.', zh: '尝试次数过多，请 15 分钟后再试。' },
  AGENT_NOT_FOUND: { en: 'The agent does not exist.', zh: '找不到该智能体。' },
  THREAD_NOT_FOUND: { en: 'The thread does not exist.', zh: '找不到该对话。' },
  NOT_FOUND: { en: 'Not found.', zh: '未找到。' },
}

/**
 * Starts a server that speaks the part of the wire contract that a chat client uses: login, agents, threads,
 * history and the chat socket with its ledger and resubscription. `reply` plays the agent in each turn.
 */
export async function createFakeService({
  username = 'admin',
  password = 'open-sesame-1',
  mostBytes,
  reply,
}: {
  username?: string
  password?: string
  /** The longest message that it takes. */
  mostBytes?: number
  reply(turn: FakeTurn): Promise<void> | void
}) {
  const events = new EventEmitter()
  const tokens = new Set<string>()
  const threads = new Map<string, FakeThread>()
  const subscribers = new Map<WebSocket, Set<string>>()
  const logins: { username: string; password: string }[] = []
  const received: Frame[] = []
  const urls: string[] = []
  const forks: { source: string; thread_id: string }[] = []
  const files = new Map<string, string>()
  const documents = new Map<string, object>()
  const state = { locked: false, renewal: undefined as string | undefined }

  const issue = () => {
    const token = `token-${randomUUID()}`
    tokens.add(token)
    return token
  }

  const addThread = (title: string | null = null) => {
    const now = Math.floor(Date.now() / 1000)
    const thread_id = `thr_${randomUUID()}`
    const thread: FakeThread = {
      thread_id,
      title,
      created_at: now,
      last_active: now,
      messages: [],
      ledger: [],
    }
    threads.set(thread_id, thread)
    return thread
  }

  const send = (socket: WebSocket, frame: Frame) => {
    const extra = frame.type === 'error' ? { details: {}, request_id: 'r' } : {}
    socket.send(JSON.stringify({ ...extra, ...frame }))
  }

  const begin = (thread: FakeThread, { text, model, client_message_id }: Omit<Frame, 'type'>) => {
    const { promise: stopped, resolve: stop } = createDeferred<void>()
    const { thread_id } = thread
    const turn_id = `trn_${randomUUID()}`
    const emit = (frame: Frame) => {
      const whole = { ...frame, thread_id, turn_id, seq: thread.ledger.length + 1 }
      thread.ledger.push(whole)
      if (frame.type === 'done' || frame.type === 'error') thread.active = undefined
      for (const [socket, ids] of subscribers) if (ids.has(thread_id)) send(socket, whole)
    }
    const turn = { turn_id, thread_id, text, model, client_message_id, stopped, emit } as FakeTurn
    thread.active = { ...turn, stop, first_seq: thread.ledger.length + 1 }
    emit({ type: 'turn_started', message_id: `msg_${randomUUID()}`, client_message_id })
    return reply(turn)
  }

  const receive = async (socket: WebSocket, frame: Frame) => {
    received.push(frame)
    events.emit('received', frame)
    const thread = threads.get(String(frame.thread_id))
    if (!thread) {
      const { thread_id, client_message_id } = frame
      const message = 'The thread does not exist.'
      return send(socket, { type: 'error', thread_id, client_message_id, code: 'THREAD_NOT_FOUND', message })
    }
    const { thread_id, ledger, active } = thread
    if (frame.type === 'subscribe') {
      const after =
        typeof frame.after_seq === 'number' ? frame.after_seq : (active?.first_seq ?? ledger.length + 1) - 1
      const last_seq = ledger.length
      send(socket, {
        type: 'turn_status',
        thread_id,
        active: active !== undefined,
        turn_id: active?.turn_id,
        last_seq,
        paused: false,
      })
      for (const missed of ledger.slice(after)) send(socket, missed)
      subscribers.get(socket)?.add(thread_id)
    }
    if (frame.type === 'stop') active?.stop()
    if (frame.type === 'user_turn') {
      subscribers.get(socket)?.add(thread_id)
      const first = ledger.findIndex((past) => past.client_message_id === frame.client_message_id)
      if (first < 0) await begin(thread, frame)
      else for (const missed of ledger.slice(first)) send(socket, missed)
    }
    events.emit(frame.type, frame)
  }

  const answer = (request: IncomingMessage, response: ServerResponse, status: number, body?: unknown) => {
    const code = (body as { error?: keyof typeof MESSAGES } | undefined)?.error
    const locale = request.headers['accept-language'] === 'zh' ? 'zh' : 'en'
    const whole = code
      ? { error: { code, message: MESSAGES[code][locale], details: {}, request_id: 'r' } }
      : body
    if (state.renewal) response.setHeader('x-access-token', state.renewal)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(whole))
  }

  const login = async (request: IncomingMessage, response: ServerResponse) => {
    const attempt = (await json(request)) as { username: string; password: string }
    logins.push(attempt)
    if (state.locked) return answer(request, response, 429, { error: 'LOGIN_LOCKED' })
    if (attempt.username !== username || attempt.password !== password)
      return answer(request, response, 401, { error: 'AUTH_FAILED' })
    answer(request, response, 200, {
      access_token: issue(),
      token_type: 'Bearer',
      expires_in: 86400,
      user: {},
    })
  }

  /** Lists the files of a folder, or sends the bytes of one. */
  const answerFiles = (request: IncomingMessage, response: ServerResponse, url: URL) => {
    const path = url.searchParams.get('path') ?? ''
    if (!url.pathname.endsWith('/content')) {
      const rows = [...files].flatMap(([name, content]) =>
        name.startsWith(path)
          ? [{ path: name, kind: 'file', size: content.length, updated_at: 1_750_000_000 }]
          : [],
      )
      if (url.searchParams.get('sort') === 'size')
        return answer(
          request,
          response,
          200,
          rows.toSorted((a, b) => b.size - a.size),
        )
      const folder = { path: 'reports', kind: 'directory', size: null, updated_at: 1_750_000_000 }
      return answer(request, response, 200, path === '' ? [folder, ...rows] : rows)
    }
    const content = files.get(path)
    if (content === undefined) return answer(request, response, 404, { error: 'NOT_FOUND' })
    // One that is cut off promises more than it sends.
    const length = path.startsWith('cut') ? content.length + 1 : content.length
    response.writeHead(200, { 'content-length': length }).write(content)
    if (length === content.length) response.end()
    else setImmediate(() => response.destroy())
  }

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url!, 'http://localhost')
    const call = `${request.method} ${url.pathname.slice('/api'.length)}`
    urls.push(request.url!)
    if (call === 'POST /auth/login') return login(request, response)
    if (call === 'GET /health/live') return answer(request, response, 200, {})
    if (!tokens.has(request.headers.authorization?.replace('Bearer ', '') ?? ''))
      return answer(request, response, 401, { error: 'AUTH_FAILED' })
    const row = { id: 'agt_1', name: 'assistant', description: 'Helps with anything', default_model: null }
    if (call === 'GET /agents') return answer(request, response, 200, [row])
    if (call === 'GET /agents/assistant' || call === 'GET /agents/agt_1')
      return answer(request, response, 200, row)
    if (!url.pathname.startsWith('/api/agents/agt_1/'))
      return answer(request, response, 404, { error: 'AGENT_NOT_FOUND' })
    if (call === 'POST /agents/agt_1/threads')
      return answer(request, response, 201, { thread_id: addThread().thread_id })
    if (call === 'GET /agents/agt_1/threads')
      return answer(
        request,
        response,
        200,
        [...threads.values()].map(({ ledger, messages, active, ...thread }) => ({
          ...thread,
          turn_active: Boolean(active),
        })),
      )
    if (url.pathname.startsWith('/api/agents/agt_1/files')) return answerFiles(request, response, url)
    if (call === 'POST /agents/agt_1/upload') {
      const form = await new Response(await buffer(request), {
        headers: { 'content-type': request.headers['content-type']! },
      }).formData()
      const { name: filename, size } = form.get('file') as File
      return answer(request, response, 200, {
        path: `inbound/${filename}`,
        filename,
        media_type: 'text/plain',
        size,
        document: documents.get(filename),
      })
    }
    const source = /^POST \/agents\/agt_1\/threads\/([^/]+)\/fork$/.exec(call)?.[1]
    if (source !== undefined) {
      const { thread_id } = addThread()
      forks.push({ source, thread_id })
      return answer(request, response, 201, { thread_id, source_thread_id: source })
    }
    const thread = threads.get(/\/threads\/([^/]+)\/history$/.exec(url.pathname)?.[1] ?? '')
    if (!thread) return answer(request, response, 404, { error: 'THREAD_NOT_FOUND' })
    answer(request, response, 200, {
      thread_id: thread.thread_id,
      messages: thread.messages.slice(-Number(url.searchParams.get('limit') ?? 25)),
      turn_active: thread.active !== undefined,
      last_seq: thread.ledger.length,
      hitl_pending: null,
    })
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error) => response.destroy(error))
  })
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: ([first]) => first ?? false,
    maxPayload: mostBytes,
  })
  server.on('upgrade', (request, stream, head) => {
    urls.push(request.url!)
    const token = /bearer\.(.+)$/.exec(request.headers['sec-websocket-protocol'] ?? '')?.[1] ?? ''
    if (!tokens.has(token)) {
      const body = JSON.stringify({ error: { code: 'AUTH_FAILED', message: MESSAGES.AUTH_FAILED.en } })
      stream.end(
        `HTTP/1.1 401 Unauthorized\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      )
      return
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', () => undefined)
      subscribers.set(socket, new Set())
      socket.on('close', () => subscribers.delete(socket))
      socket.on('message', (data) => {
        receive(socket, JSON.parse(data.toString())).catch((error) => events.emit('error', error))
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const drop = () => {
    for (const socket of subscribers.keys()) socket.terminate()
    subscribers.clear()
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    username,
    password,
    /** Emits `received` for each client frame, and its type, with the frame, after it was handled. */
    events,
    /** The credentials that clients tried to log in with. */
    logins,
    /** Every client frame, in order. */
    received,
    /** The path and query of every request and upgrade. */
    urls,
    /** Which threads were copied to which. */
    forks,
    /** The content of the agent's files by their paths; that of one whose path begins with `cut` is cut off. */
    files,
    /** The facts about documents that uploads answer with, by their names. */
    documents,
    /** `locked` refuses every login; `renewal` is a token given with each answer. */
    state,
    addThread,
    /** A token that is accepted. */
    issue,
    /** Begins a turn as another client would. */
    begin,
    /** Makes every token useless. */
    revoke: () => tokens.clear(),
    /** Cuts every socket without a goodbye. */
    drop,
    async close() {
      drop()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function createDeferred<Value>() {
  let resolve!: (value: Value) => void
  const promise = new Promise<Value>((fulfil) => {
    resolve = fulfil
  })
  return { promise, resolve }
}
