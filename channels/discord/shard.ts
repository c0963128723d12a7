import type { APIGatewayBotInfo, GatewayReadyDispatchData } from 'discord-api-types/v10'
import type { Logger } from '#plugin-api'
import { connectSocket, type GatewayEvent, type GatewaySocket } from './gateway-socket.ts'
import type { SocketOptions } from './socket-options.ts'

/** GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES and MESSAGE_CONTENT. */
const INTENTS = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15)

const CLIENT = 'agent-platform-service'

/** Close codes after which a session cannot be resumed: ended, not begun, begun twice, bad number, too fast, too late. */
const SESSION_ENDS: ReadonlySet<number> = new Set([1000, 4003, 4005, 4007, 4008, 4009])

/** The listeners of a shard. */
interface ShardEvents {
  /** A new session has begun. */
  ready(): void
  resumed(): void
  /** The connection was closed; unless the shard is ended, it reconnects. */
  closed(code: number): void
  socketError(error: Error): void
  /** The shard cannot continue. */
  broken(error: unknown): void
  event(event: GatewayEvent, cursor: EventCursor): void
}

/** A session, which can be resumed at its own address. */
interface ResumableSession {
  id: string
  url: string
  cursor: EventCursor
}

/**
 * Creates the only shard of a bot, which resumes or identifies again when its connection is cut; awaits `pace` before each connection and `paceIdentify` before each
 * new session.
 */
export function createShard({
  token,
  gateway,
  socketOptions,
  isAllowed,
  pace,
  paceIdentify,
  on,
  log,
}: {
  token: string
  gateway: APIGatewayBotInfo
  socketOptions: SocketOptions
  isAllowed(url: string): Promise<boolean>
  pace(): Promise<void>
  /** Rejects only when the signal is aborted. */
  paceIdentify(signal: AbortSignal): Promise<void>
  on: ShardEvents
  log: Logger
}) {
  let session: ResumableSession | undefined
  let socket: GatewaySocket | undefined
  let isEnded = false
  /** True once the server of the current connection has said something. */
  let isGreeted = false
  let running = Promise.resolve()

  async function greet(signal: AbortSignal) {
    isGreeted = true
    if (session) {
      const d = { token, session_id: session.id, seq: session.cursor.position }
      return { op: 'resume', d } as const
    }
    await paceIdentify(signal)
    const properties = { os: process.platform, browser: CLIENT, device: CLIENT }
    return { op: 'identify', d: { token, intents: INTENTS, properties, shard: [0, 1] } } as const
  }

  function take(event: GatewayEvent): void {
    if (isEnded) return
    const { t, s, d } = event
    if (t === 'READY') {
      const { session_id, resume_gateway_url } = d as GatewayReadyDispatchData
      session = { id: session_id, url: resume_gateway_url, cursor: createEventCursor(s) }
    }
    if (!session) return
    const { cursor } = session
    if (t === 'READY') on.ready()
    if (t === 'RESUMED') on.resumed()
    on.event(event, cursor)
    cursor.advance(s)
  }

  const socketEvents = {
    greet,
    event: take,
    position: () => session?.cursor.position ?? null,
    invalidated() {
      session = undefined
    },
    error: on.socketError,
  }

  async function run(): Promise<void> {
    while (!isEnded) {
      await pace()
      const url = session && (await isAllowed(session.url)) ? session.url : gateway.url
      if (isEnded) return
      isGreeted = false
      socket = connectSocket(url, { socketOptions, on: socketEvents, log })
      const code = await socket.closed
      if (SESSION_ENDS.has(code)) session = undefined
      // The server of the session may be gone; others can resume it as well.
      if (session && !isGreeted) session.url = gateway.url
      if (!isEnded) on.closed(code)
    }
  }

  return {
    connect(): void {
      running = run().catch(on.broken)
    },
    /** Cuts the connection and resumes after the last stored event. */
    rewind: () => socket?.cut(),
    /** Ends the connection permanently; resolves when nothing of it runs. */
    async end(): Promise<void> {
      isEnded = true
      socket?.leave()
      await running
    },
  }
}

/**
 * Creates the cursor of a session from the number of its first event. Heartbeats and resumes report its position to
 * Discord.
 */
export function createEventCursor(first: number) {
  let latest = first
  /** The failures of the events that are not stored, by their numbers. */
  const unstored = new Map<number, number>()
  return {
    /** The last event up to which all are stored; Discord sends later events again when the session resumes. */
    get position(): number {
      return unstored.size > 0 ? Math.min(latest, ...[...unstored.keys()].map((seq) => seq - 1)) : latest
    },
    /** Tracks an event that has arrived. */
    advance(seq: number): void {
      latest = Math.max(latest, seq)
    },
    /** Marks an event as not stored until it is released. */
    hold(seq: number): void {
      if (!unstored.has(seq)) unstored.set(seq, 0)
    },
    release: (seq: number) => void unstored.delete(seq),
    /** Counts a failure to store an event; returns the number of its failures. */
    countFailure(seq: number): number {
      const times = (unstored.get(seq) ?? 0) + 1
      unstored.set(seq, times)
      return times
    },
  }
}

/** The cursor of a session. */
export type EventCursor = ReturnType<typeof createEventCursor>
