import { WebSocket } from 'ws'
import type { Logger } from '#plugin-api'
import type { SocketOptions } from './socket-options.ts'

const OP = { dispatch: 0, heartbeat: 1, identify: 2, resume: 6, reconnect: 7, invalid: 9, hello: 10 } as const
const HEARTBEAT_ACK = 11

const HANDSHAKE_MS = 15_000
/** Time limit between two frames until the session has begun or is resumed, in milliseconds. */
const SILENCE_MS = 20_000
/** Time limit for the end of a connection that is closed by agreement, in milliseconds. */
const CLOSE_MS = 1_000
/** Heartbeats at a shorter interval are a mistake. */
const MIN_HEARTBEAT_MS = 1_000
const MAX_FRAME_BYTES = 64 * 1024 * 1024

/** The close code of a connection that ends its session, and the one that is reported if this side cut it. */
const NORMAL = 1_000
const CUT = 4_200

/** A frame of the gateway; an event has a type `t` and a number `s`. */
interface Frame {
  op: number
  d: unknown
  s: number
  t: string
}

/** An event of the gateway; `t` is the type of `d`. */
export type GatewayEvent = Pick<Frame, 'd' | 's' | 't'>

/** The listeners of a connection. */
interface SocketEvents {
  /** Returns the frame that begins or resumes a session; rejects only when the signal is aborted. */
  greet(signal: AbortSignal): Promise<{ op: 'identify' | 'resume'; d: object }>
  /** Returns the number of the last stored event. */
  position(): number | null
  event(event: GatewayEvent): void
  /** The session cannot be resumed. */
  invalidated(): void
  error(error: Error): void
}

/** Connects to the gateway in version 10 of its protocol. */
export function connectSocket(
  gateway: string,
  { socketOptions, on, log }: { socketOptions: SocketOptions; on: SocketEvents; log: Logger },
) {
  const address = new URL(gateway)
  address.searchParams.set('v', '10')
  address.searchParams.set('encoding', 'json')
  const socket = new WebSocket(address, {
    ...socketOptions(address),
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
  })
  const over = new AbortController()
  let isCut = false
  let isReady = false
  let isAcknowledged = true
  let silence: NodeJS.Timeout | undefined
  let heartbeat: NodeJS.Timeout | undefined
  let farewell: NodeJS.Timeout | undefined

  const cut = () => {
    isCut = true
    socket.terminate()
  }
  const say = (op: number, d: unknown) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ op, d }))
  }
  const listen = () => {
    clearTimeout(silence)
    if (!isReady) silence = setTimeout(cut, SILENCE_MS)
  }

  function beat(): void {
    // The last heartbeat is unanswered, so the connection is dead.
    if (!isAcknowledged) cut()
    isAcknowledged = false
    say(OP.heartbeat, on.position())
  }

  async function begin(hello: unknown): Promise<void> {
    const interval = Number((hello as { heartbeat_interval: unknown }).heartbeat_interval)
    if (heartbeat || !(interval >= MIN_HEARTBEAT_MS)) return
    // Many connections that are opened together do not beat together.
    heartbeat = setTimeout(() => {
      beat()
      heartbeat = setInterval(beat, interval)
    }, interval * Math.random())
    try {
      const { op, d } = await on.greet(over.signal)
      say(OP[op], d)
    } catch (error) {
      if (!over.signal.aborted) throw error
    }
  }

  async function take(text: string): Promise<void> {
    const { op, d, s, t }: Frame = JSON.parse(text)
    if (op === OP.dispatch) {
      isReady ||= t === 'READY' || t === 'RESUMED'
      on.event({ t, s, d })
    } else if (op === OP.heartbeat) say(OP.heartbeat, on.position())
    else if (op === HEARTBEAT_ACK) isAcknowledged = true
    else if (op === OP.hello) await begin(d)
    else if (op === OP.reconnect) cut()
    else if (op === OP.invalid && typeof d === 'boolean') {
      if (!d) on.invalidated()
      cut()
    }
  }

  listen()
  socket.on('error', on.error)
  socket.on('message', (data) => {
    if (isCut || farewell) return
    take(String(data)).catch((error) => log.warn({ error }, 'Discord sent an unreadable frame'))
    listen()
  })
  const closed = new Promise<number>((resolve) => {
    socket.once('close', (code) => {
      over.abort()
      for (const timer of [silence, heartbeat, farewell]) clearTimeout(timer)
      resolve(isCut ? CUT : code)
    })
  })

  return {
    /** Resolves with the close code when the connection has ended; never rejects. */
    closed,
    /** Ends the connection without a word, so that its session can be resumed. */
    cut,
    /** Ends the connection and its session. */
    leave() {
      if (socket.readyState !== socket.OPEN) return socket.terminate()
      farewell ??= setTimeout(() => socket.terminate(), CLOSE_MS)
      socket.close(NORMAL)
    },
  }
}

/** A connection to the gateway for at most one session. */
export type GatewaySocket = ReturnType<typeof connectSocket>
