import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'

/** Short, so that a test need not wait long until the bot says what it has. */
const HEARTBEAT_MS = 25

const DEADLINE_MS = 40_000

const MESSAGES = 1 << 25

interface Event {
  id: string
  t: string
  d: object
  isTaken: boolean
  taken(): void
}

interface Session {
  id: string
  socket: WebSocket | undefined
  log: { s: number; event: Event }[]
}

/** An answer of the gateway to an attempt to identify. */
export type Identification = 'ready' | 'invalid' | 'silent' | number

/** QQ's gateway: sessions, their events and their faults. */
export interface FakeQqGateway {
  /** Sends an event to the bot, at the latest to its next session; resolves when the bot has said that it has it. */
  dispatch(t: string, d: object, id?: string): Promise<void>
  /** Sends any text over every connection. */
  send(text: string): void
  connections(): number
  drop(): void
  /** Closes every connection with a code. */
  closeWith(code: number): void
  /** Forgets every session, so that none can be resumed. */
  forget(): void
  /** Stops answering on the open connections. */
  mute(): void
  /** The answers to the next attempts to identify, in turn; then `ready`. */
  identifications: Identification[]
  /** The intents that the bot may have. */
  allowed: { intents: number }
  /** The actions of the bot, oldest first. */
  identified: { intents: number; token: string }[]
  resumed: { seq: number | null }[]
  close(): Promise<void>
}

/** Serves the gateway on an HTTP server, under `/websocket`. */
export function createFakeQqGateway({
  server,
  isToken,
  violations,
}: {
  server: Server
  isToken(token: unknown): boolean
  violations: string[]
}): FakeQqGateway {
  const sockets = new WebSocketServer({ noServer: true })
  const sessions = new Map<string, Session>()
  const pending = new Set<Event>()
  const muted = new WeakSet<WebSocket>()
  const identifications: Identification[] = []
  const allowed = { intents: MESSAGES | (1 << 26) }
  const identified: FakeQqGateway['identified'] = []
  const resumed: FakeQqGateway['resumed'] = []

  const send = (socket: WebSocket | undefined, frame: object) => {
    if (socket && !muted.has(socket)) socket.send(JSON.stringify(frame))
  }

  function add(session: Session, event: Event): void {
    const s = session.log.length + 1
    session.log.push({ s, event })
    send(session.socket, { op: 0, s, t: event.t, id: event.id, d: event.d })
  }

  function take(session: Session, seq: unknown): void {
    if (seq === null) return
    if (typeof seq !== 'number' || seq > session.log.length)
      return void violations.push(`the bot says that it has event ${seq} of ${session.log.length}`)
    for (const { event } of session.log.slice(0, seq)) event.taken()
  }

  function identify(
    socket: WebSocket,
    d: { token: string; intents: number; shard: unknown },
  ): Session | undefined {
    identified.push({ intents: d.intents, token: d.token })
    if (JSON.stringify(d.shard) !== '[0,1]') violations.push('identified for another shard')
    const outcome = identifications.shift() ?? 'ready'
    if (outcome === 'silent') return undefined
    if (typeof outcome === 'number') return void socket.close(outcome)
    if (outcome === 'invalid' || !isToken(d.token)) return void send(socket, { op: 9, d: false })
    if ((d.intents & ~allowed.intents) !== 0) return void socket.close(4014)
    // A new session takes the place of those that nobody holds any more.
    for (const [id, { socket: holder }] of sessions) if (!holder) sessions.delete(id)
    const session: Session = { id: randomBytes(16).toString('hex'), socket, log: [] }
    sessions.set(session.id, session)
    const user = { id: 'bot_user', username: 'Bot', bot: true, status: 1 }
    const ready = { version: 1, session_id: session.id, user, shard: [0, 1] }
    add(session, { id: 'READY', t: 'READY', d: ready, isTaken: true, taken() {} })
    for (const event of pending) add(session, event)
    return session
  }

  function resume(
    socket: WebSocket,
    d: { token: string; session_id: string; seq: number | null },
  ): Session | undefined {
    resumed.push({ seq: d.seq })
    const session = sessions.get(d.session_id)
    if (!session || !isToken(d.token)) return void send(socket, { op: 9, d: false })
    take(session, d.seq)
    session.socket = socket
    for (const { s, event } of session.log.slice(d.seq ?? 0))
      send(socket, { op: 0, s, t: event.t, id: event.id, d: event.d })
    add(session, { id: 'RESUMED', t: 'RESUMED', d: {}, isTaken: true, taken() {} })
    return session
  }

  sockets.on('connection', (socket) => {
    let session: Session | undefined
    socket.on('error', () => violations.push('the bot broke the protocol of WebSockets'))
    socket.on('close', (code) => {
      if (!session || session.socket !== socket) return
      session.socket = undefined
      // Who takes leave does not come back to the session.
      if (code === 1000 || code === 1001) sessions.delete(session.id)
    })
    socket.on('message', (data) => {
      if (muted.has(socket)) return
      // biome-ignore lint/suspicious/noExplicitAny: what a bot sends is checked below
      const { op, d } = JSON.parse(String(data)) as { op: number; d: any }
      if (op === 1) {
        if (session) take(session, d)
        else violations.push('a heartbeat before the session')
        send(socket, { op: 11 })
      } else if ((op === 2 || op === 6) && !session)
        session = op === 2 ? identify(socket, d) : resume(socket, d)
      else violations.push(`operation ${op} at the wrong time`)
    })
    send(socket, { op: 10, d: { heartbeat_interval: HEARTBEAT_MS } })
  })

  server.on('upgrade', (request, socket, head) => {
    if (request.url !== '/websocket') return void socket.destroy()
    sockets.handleUpgrade(request, socket, head, (accepted) => sockets.emit('connection', accepted))
  })

  return {
    identifications,
    allowed,
    identified,
    resumed,
    dispatch: (t, d, id = `${t}:${randomBytes(12).toString('hex')}`) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`the bot took no ${t}`)), DEADLINE_MS)
        const event: Event = {
          id,
          t,
          d,
          isTaken: false,
          taken() {
            clearTimeout(late)
            event.isTaken = true
            pending.delete(event)
            resolve()
          },
        }
        pending.add(event)
        for (const session of sessions.values()) add(session, event)
      }),
    send: (text) => {
      for (const socket of sockets.clients) socket.send(text)
    },
    connections: () =>
      [...sessions.values()].filter(({ socket }) => socket?.readyState === socket?.OPEN && socket).length,
    drop: () => {
      for (const socket of sockets.clients) socket.terminate()
    },
    closeWith: (code) => {
      for (const socket of sockets.clients) socket.close(code)
    },
    forget: () => sessions.clear(),
    mute: () => {
      for (const socket of sockets.clients) muted.add(socket)
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate()
      const closed = once(sockets, 'close')
      sockets.close()
      await closed
    },
  }
}
