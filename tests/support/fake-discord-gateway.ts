import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket, WebSocketServer } from 'ws'
import { BOT, BOT_ROLE, CHANNELS, GUILD_ID, OTHER_ROLE } from './fake-discord-world.ts'

const HEARTBEAT_MS = 41_250
/** A client may send no longer frame. */
const MAX_FRAME = 4_096
const DEADLINE_MS = 40_000
const ASK_MS = 15

const INTENT = { guild: 1 << 9, direct: 1 << 12, content: 1 << 15 }

interface Session {
  id: string
  intents: number
  events: { op: 0; t: string; s: number; d: unknown }[]
  acknowledged: number
  socket: WebSocket | undefined
}

/** An event that was sent to every session of the bot. */
export interface Dispatched {
  /** Resolves when the bot has told in a heartbeat, or when it resumed, that it has the event. */
  acknowledged(): Promise<void>
}

/** The gateway of the fake: sessions that outlive their sockets and tell again what was missed. */
export interface FakeGateway {
  /** Resolves when a bot is online; rejects when none comes. */
  online(): Promise<void>
  dispatch(t: string, d: object): Dispatched
  connections(): number
  /** Number of open sockets, with or without a session. */
  sockets(): number
  /** Number of begun and of resumed sessions. */
  counts: { identified: number; resumed: number }
  drop(): void
  closeWith(code: number): void
  /** Sends any text as a frame. */
  sendRaw(frame: string | Uint8Array): void
  /** Ends all sessions, so that none can be resumed. */
  forget(): void
  /** Takes the Message Content intent away. */
  forbidContent(): void
  /** Asks new connections for a heartbeat every second, and answers none. */
  ignoreHeartbeats(isIgnored: boolean): void
  /** Lets sockets open and says nothing. */
  silence(isSilent: boolean): void
  close(): void
}

/** Serves the gateway at `/gateway` of this server, version 10 in JSON. */
export function serveGateway({
  server,
  token,
  violations,
}: {
  server: Server
  token: () => string
  violations: string[]
}): FakeGateway {
  const sessions = new Map<string, Session>()
  const counts = { identified: 0, resumed: 0 }
  let mayReadContent = true
  let isSilent = false
  let ignoresHeartbeats = false
  const sockets = new WebSocketServer({ server, path: '/gateway', maxPayload: 1024 * 1024 })

  const attached = () => [...sessions.values()].filter(({ socket }) => socket?.readyState === WebSocket.OPEN)
  const send = (socket: WebSocket, frame: unknown) => socket.send(JSON.stringify(frame))

  /** Returns the part of an event that a session may see; undefined if its intents exclude the event. */
  function visible(t: string, d: object, intents: number): object | undefined {
    if (t !== 'MESSAGE_CREATE') return d
    const { guild_id, mentions } = d as { guild_id?: string; mentions: { id: string }[] }
    if ((intents & (guild_id ? INTENT.guild : INTENT.direct)) === 0) return undefined
    const isOpen = !guild_id || (intents & INTENT.content) !== 0 || mentions.some(({ id }) => id === BOT.id)
    return isOpen ? d : { ...d, content: '', attachments: [] }
  }

  function push(session: Session, t: string, d: object): number | undefined {
    const seen = visible(t, d, session.intents)
    if (!seen) return undefined
    const event = { op: 0 as const, t, s: session.events.length + 1, d: seen }
    session.events.push(event)
    if (session.socket?.readyState === WebSocket.OPEN) send(session.socket, event)
    return event.s
  }

  function acknowledge(session: Session, seq: unknown) {
    if (typeof seq !== 'number') return
    if (seq > session.events.length) violations.push(`a sequence number that was never sent: ${seq}`)
    session.acknowledged = Math.max(session.acknowledged, seq)
  }

  function identify(socket: WebSocket, d: Record<string, unknown>): Session | undefined {
    if (d.token !== token()) return void socket.close(4004, 'Authentication failed.')
    const intents = d.intents as number
    if (!Number.isInteger(intents) || !d.properties)
      return void socket.close(4002, 'Error while decoding payload.')
    if (!mayReadContent && intents & INTENT.content) return void socket.close(4014, 'Disallowed intent(s).')
    const session: Session = { id: randomUUID(), intents, events: [], acknowledged: 0, socket }
    sessions.set(session.id, session)
    counts.identified++
    push(session, 'READY', {
      v: 10,
      user: BOT,
      guilds: [{ id: GUILD_ID, unavailable: true }],
      session_id: session.id,
      resume_gateway_url: urlOf(server),
      application: { id: BOT.id, flags: 0 },
    })
    push(session, 'GUILD_CREATE', {
      id: GUILD_ID,
      roles: [
        { id: BOT_ROLE, name: 'helper', tags: { bot_id: BOT.id } },
        { id: OTHER_ROLE, name: 'cooks' },
      ],
      channels: [{ id: CHANNELS.group, name: 'kitchen' }],
      members: [{ user: BOT, roles: [BOT_ROLE] }],
    })
    return session
  }

  function resume(socket: WebSocket, d: Record<string, unknown>): Session | undefined {
    if (d.token !== token()) return void socket.close(4004, 'Authentication failed.')
    const session = sessions.get(d.session_id as string)
    if (!session) return void send(socket, { op: 9, d: false })
    if ((d.seq as number) > session.events.length) return void socket.close(4007, 'Invalid seq.')
    counts.resumed++
    session.socket?.terminate()
    session.socket = socket
    acknowledge(session, d.seq)
    for (const event of session.events.slice(d.seq as number)) send(socket, event)
    push(session, 'RESUMED', {})
    return session
  }

  sockets.on('connection', (socket, request) => {
    socket.on('error', () => socket.terminate())
    if (isSilent) return
    const query = new URL(request.url!, 'ws://x').searchParams
    if (query.get('v') !== '10' || query.get('encoding') !== 'json')
      return void socket.close(4012, 'Invalid API version.')
    let session: Session | undefined
    send(socket, { op: 10, d: { heartbeat_interval: ignoresHeartbeats ? 1_000 : HEARTBEAT_MS } })
    socket.on('message', (data) => {
      const text = String(data)
      if (text.length > MAX_FRAME) return void socket.close(4002, 'Error while decoding payload.')
      const { op, d } = JSON.parse(text)
      if (op === 1) {
        if (!ignoresHeartbeats) send(socket, { op: 11 })
        if (session) acknowledge(session, d)
      } else if (op !== 2 && op !== 6) socket.close(session ? 4001 : 4003)
      else if (session) socket.close(4005, 'Already authenticated.')
      else session = op === 2 ? identify(socket, d) : resume(socket, d)
    })
    socket.on('close', (code) => {
      if (session?.socket !== socket) return
      session.socket = undefined
      // A client that says goodbye ends its session.
      if (code === 1000 || code === 1001) sessions.delete(session.id)
    })
  })

  async function until(condition: () => boolean, what: string, ask?: () => void) {
    const deadline = Date.now() + DEADLINE_MS
    while (!condition()) {
      if (Date.now() > deadline) throw new Error(`the fake of Discord waited in vain: ${what}`)
      ask?.()
      await delay(ASK_MS)
    }
  }

  return {
    counts,
    online: () => until(() => attached().length > 0, 'no bot is online'),

    dispatch(t, d) {
      const sent = [...sessions.values()].map((session) => ({ session, seq: push(session, t, d) }))
      const isKnown = () => sent.some(({ session, seq }) => seq !== undefined && session.acknowledged >= seq)
      const ask = () => {
        for (const { socket } of attached()) send(socket!, { op: 1, d: null })
      }
      return { acknowledged: () => until(isKnown, `${t} is not acknowledged`, ask) }
    },

    connections: () => attached().length,
    sockets: () => sockets.clients.size,

    drop() {
      for (const socket of sockets.clients) socket.terminate()
      for (const session of sessions.values()) session.socket = undefined
    },

    closeWith(code) {
      for (const socket of sockets.clients) socket.close(code)
    },

    sendRaw(frame) {
      for (const { socket } of attached()) socket!.send(frame)
    },

    forget: () => sessions.clear(),

    forbidContent() {
      mayReadContent = false
    },

    ignoreHeartbeats(isIgnored) {
      ignoresHeartbeats = isIgnored
    },

    silence(silent) {
      isSilent = silent
    },

    close() {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
}

/** The address of the gateway of a server that listens. */
export function urlOf(server: Server): string {
  const { port } = server.address() as { port: number }
  return `ws://127.0.0.1:${port}/gateway`
}
