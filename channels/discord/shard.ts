import type { FetchingStrategyOptions, SessionInfo } from '@discordjs/ws'
import type { APIGatewayBotInfo } from 'discord-api-types/v10'
import type { WebSocket } from 'ws'
import type { Logger } from '#kernel'
import { createEventCursor, type EventCursor } from './event-cursor.ts'
import { closeFailure } from './failure.ts'

/** GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES and MESSAGE_CONTENT. */
const INTENTS = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15)

/** Shorter than the time for the first frame: a socket that is still connecting then could not be ended. */
const HANDSHAKE_MS = 15_000
const HELLO_MS = 20_000
const READY_MS = 30_000
const CLOSE_MS = 1_000

const NORMAL = 1_000
const RESUMING = 4_200

/** An event of the gateway; `d` has the form that `t` says. */
export interface GatewayEvent {
  t: string
  s: number
  d: unknown
}

/** What happens to a shard. */
export interface ShardEvents {
  /** A session has begun. */
  ready(): void
  resumed(): void
  /** Whether it comes back by itself depends on the code. */
  closed(code: number): void
  socketError(error: Error): void
  /** It cannot go on. */
  broken(error: unknown): void
  event(event: GatewayEvent, cursor: EventCursor): void
}

/** The client library's connection to the gateway, which resumes or begins anew whenever it is cut. */
export interface Shard {
  connect(): void
  /** Cuts the connection and resumes behind the last event that was dealt with. */
  rewind(): void
  /** Ends it for good; nothing of it runs afterwards. */
  end(): Promise<void>
}

/** What the library calls private and cannot be done without: it knows no end while it connects, and trusts every frame. */
interface ShardParts {
  connection: WebSocket | null
  onMessage(data: unknown, isBinary: boolean): Promise<void>
  internalConnect(): Promise<void>
}

/** Makes a shard that is the whole bot; `pace` is awaited before each connection, `paceIdentify` before each new session. */
export async function createShard({
  token,
  gateway,
  isAllowed,
  pace,
  paceIdentify,
  on,
  log,
}: {
  token: string
  gateway: APIGatewayBotInfo
  isAllowed(url: string): Promise<boolean>
  pace(): Promise<void>
  /** Rejects when the signal is aborted, and never otherwise. */
  paceIdentify(signal: AbortSignal): Promise<void>
  on: ShardEvents
  log: Logger
}): Promise<Shard> {
  const library = await import('@discordjs/ws')
  let known: { info: SessionInfo; cursor: EventCursor } | undefined
  let isEnded = false
  // The library waits half a second between two connections, which nothing can cut short.
  let pause = Promise.resolve()
  let endPause = () => {}

  const shard = new library.WebSocketShard(
    {
      options: {
        ...library.DefaultWebSocketManagerOptions,
        token,
        intents: INTENTS as FetchingStrategyOptions['intents'],
        gatewayInformation: gateway,
        shardCount: 1,
        handshakeTimeout: HANDSHAKE_MS,
        helloTimeout: HELLO_MS,
        readyTimeout: READY_MS,
      },
      retrieveSessionInfo: async () => (known ? { ...known.info, sequence: known.cursor.dealtWith } : null),
      async updateSessionInfo(_shard, info) {
        if (!info) known = undefined
        else if (info.sessionId !== known?.info.sessionId)
          known = { info, cursor: createEventCursor(info.sequence) }
      },
      waitForIdentify: (_shard, signal) => paceIdentify(signal),
    },
    0,
  )

  const parts = shard as unknown as ShardParts
  const connectOnce = parts.internalConnect.bind(shard)
  parts.internalConnect = async () => {
    endPause()
    try {
      await pace()
      if (known && !(await isAllowed(known.info.resumeURL))) known.info.resumeURL = gateway.url
      if (!isEnded) await connectOnce()
    } catch (error) {
      on.broken(error)
    }
  }
  const readFrame = parts.onMessage.bind(shard)
  parts.onMessage = async (data, isBinary) => {
    try {
      await readFrame(data, isBinary)
    } catch (error) {
      log.warn({ error }, 'Discord sent a frame that cannot be read')
    }
  }

  const { Closed, Dispatch, Error: Fault, Ready, Resumed, SocketError } = library.WebSocketShardEvents
  shard.on(Ready, () => on.ready())
  shard.on(Resumed, on.resumed)
  shard.on(SocketError, on.socketError)
  // Told with the code as well.
  shard.on(Fault, () => {})
  shard.on(Closed, (code) => {
    if (isEnded) return
    if (!closeFailure(code))
      pause = new Promise((resolve) => {
        endPause = resolve
      })
    on.closed(code)
  })
  shard.on(Dispatch, (event) => {
    if (isEnded || !known) return
    const { cursor } = known
    on.event(event as GatewayEvent, cursor)
    cursor.see(event.s)
  })

  return {
    // A failure is reported by the shard's events too.
    connect: () => void shard.connect().catch(() => {}),
    rewind: () =>
      void shard.destroy({ code: RESUMING, recover: library.WebSocketShardDestroyRecovery.Resume }),
    async end() {
      isEnded = true
      const { connection } = parts
      // A handshake that is cut ends with an error, and the library does not listen any more.
      connection?.on('error', () => {})
      // Waits end as if Discord had closed; cut otherwise, they would set off another connection.
      if (shard.status !== library.WebSocketShardStatus.Idle) shard.emit(Closed, NORMAL)
      const limit = setTimeout(() => {
        connection?.terminate()
        endPause()
      }, CLOSE_MS)
      await shard.destroy({ code: NORMAL })
      connection?.terminate()
      await pause
      clearTimeout(limit)
    },
  }
}
