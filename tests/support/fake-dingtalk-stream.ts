import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'

/** Time limit of waiting for the bot, in milliseconds. */
const PATIENCE = 40_000

/** The sockets of the bot, and what is delivered over them. */
export interface FakeStream {
  /** A ticket for one connection. */
  ticket(): string
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Delivers until it is acknowledged, which it resolves on. */
  deliver(data: object): Promise<void>
  /** Number of message frames that were sent and acknowledged. */
  counts: { delivered: number; acknowledged: number }
  /** Sends a text to every socket as it is. */
  sendRaw(text: string): void
  /** Announces that the connection will be closed, which leaves the bot time to open another. */
  disconnect(): void
  /** Resolves when the bot has answered a ping of the platform. */
  ping(): Promise<void>
  /** Number of received pings of the bot's sockets. */
  heard(): number
  connections(): number
  drop(): void
  /** False to stop reading sockets; the bot must notice the silence. */
  setDeaf(isDeaf: boolean): void
  /** True to refuse connections with a valid ticket. */
  isClosed: boolean
  /** A message without an acknowledgement is delivered again after this time, in milliseconds. */
  redeliverAfter: number
  /** Frames that are sent as soon as a connection opens. */
  greetings: string[]
  close(): void
}

/** Makes the side of the fake that speaks over WebSockets. */
export function createFakeStream(violations: string[]): FakeStream {
  const tickets = new Set<string>()
  const sockets = new Set<WebSocket>()
  const server = new WebSocketServer({ noServer: true })
  const events = new EventEmitter().setMaxListeners(0)
  const over = new AbortController()
  const counts = { delivered: 0, acknowledged: 0 }
  let isDeaf = false
  let pings = 0

  const send = (socket: WebSocket, type: string, topic: string, messageId: string, data: string) =>
    socket.send(
      JSON.stringify({
        specVersion: '1.0',
        type,
        headers: {
          appId: 'fake-app',
          connectionId: 'fake-connection',
          contentType: 'application/json',
          messageId,
          time: String(Date.now()),
          topic,
        },
        data,
      }),
    )

  function hear(text: string): void {
    const answer = JSON.parse(text)
    const { messageId, contentType } = answer.headers ?? {}
    if (answer.code !== 200 || !messageId || contentType !== 'application/json' || answer.message !== 'OK')
      violations.push(`an acknowledgement of the wrong form: ${text}`)
    try {
      JSON.parse(answer.data)
    } catch {
      violations.push('an acknowledgement without data')
    }
    events.emit(messageId, answer.data)
  }

  /** Resolves with true if a condition holds within this many milliseconds. */
  async function happens(event: string, milliseconds: number): Promise<boolean> {
    const late = new AbortController()
    const stop = () => late.abort()
    const timer = setTimeout(stop, milliseconds)
    over.signal.addEventListener('abort', stop)
    if (over.signal.aborted) stop()
    try {
      await once(events, event, { signal: late.signal })
      return true
    } catch {
      // Too late, or all is over.
      return false
    } finally {
      clearTimeout(timer)
      over.signal.removeEventListener('abort', stop)
    }
  }

  async function connected(): Promise<WebSocket> {
    const deadline = Date.now() + PATIENCE
    for (;;) {
      const open = [...sockets].findLast(({ readyState }) => readyState === 1)
      if (open) return open
      if (!(await happens('connected', deadline - Date.now()))) throw new Error('the bot is not connected')
    }
  }

  const stream: FakeStream = {
    counts,
    isClosed: false,
    greetings: [],
    redeliverAfter: 1000,

    ticket() {
      const ticket = randomBytes(16).toString('hex')
      tickets.add(ticket)
      return ticket
    },

    upgrade(request, socket, head) {
      const { pathname, searchParams } = new URL(request.url!, 'http://fake')
      const isRight = pathname === '/connect' && tickets.delete(searchParams.get('ticket') ?? '')
      if (!isRight) violations.push('a connection without a ticket of its own')
      if (!isRight || stream.isClosed) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
      // Greetings arrive in one piece with the end of the handshake.
      socket.cork()
      process.nextTick(() => socket.uncork())
      server.handleUpgrade(request, socket, head, (opened) => {
        sockets.add(opened)
        if (isDeaf) opened.pause()
        opened.on('close', () => sockets.delete(opened))
        opened.on('ping', () => {
          pings += 1
        })
        opened.on('message', (data) => hear(String(data)))
        send(opened, 'SYSTEM', 'CONNECTED', randomBytes(8).toString('hex'), '{}')
        for (const text of stream.greetings) opened.send(text)
        events.emit('connected')
      })
    },

    async deliver(data) {
      const messageId = randomBytes(8).toString('hex')
      const deadline = Date.now() + PATIENCE
      while (Date.now() < deadline && !over.signal.aborted) {
        const socket = await connected()
        const acknowledged = happens(messageId, stream.redeliverAfter)
        counts.delivered += 1
        send(socket, 'CALLBACK', '/v1.0/im/bot/messages/get', messageId, JSON.stringify(data))
        if (await acknowledged) {
          counts.acknowledged += 1
          return
        }
      }
      throw new Error('the bot has not acknowledged the message')
    },

    sendRaw(text) {
      for (const socket of sockets) socket.send(text)
    },

    disconnect() {
      for (const socket of sockets)
        send(socket, 'SYSTEM', 'disconnect', randomBytes(8).toString('hex'), '{"reason":"persistent"}')
    },

    async ping() {
      const messageId = randomBytes(8).toString('hex')
      const data = JSON.stringify({ opaque: randomBytes(8).toString('hex') })
      const socket = await connected()
      const answered = once(events, messageId, { signal: AbortSignal.timeout(PATIENCE) })
      send(socket, 'SYSTEM', 'ping', messageId, data)
      const [echo] = await answered
      if (echo !== data) violations.push('a ping was answered with other data')
    },

    heard: () => pings,
    connections: () => [...sockets].filter(({ readyState }) => readyState === 1).length,

    drop() {
      for (const socket of sockets) socket.terminate()
    },

    setDeaf(deaf) {
      isDeaf = deaf
      for (const socket of sockets) deaf ? socket.pause() : socket.resume()
    },

    close() {
      over.abort()
      for (const socket of sockets) socket.terminate()
    },
  }
  return stream
}
