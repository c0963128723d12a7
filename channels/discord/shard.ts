import type { FetchingStrategyOptions, SessionInfo } from '@discordjs/ws'
import type { APIGatewayBotInfo } from 'discord-api-types/v10'
import type { WebSocket } from 'ws'
import type { Logger } from '#kernel'
import { createEventCursor, type EventCursor } from './event-cursor.ts'
import { closeFailure } from './failure.ts'
import { loadGatewayLibrary, type SocketOptions, withSocketOptions } from './gateway-library.ts'

/** GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES and MESSAGE_CONTENT. */
const INTENTS = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15)

/** Shorter than the limit for the first frame: a socket that is still connecting then could not be ended. */
const HANDSHAKE_MS = 15_000
const HELLO_MS = 20_000
const READY_MS = 30_000
const CLOSE_MS = 1_000

const NORMAL = 1_000
const RESUMING = 4_200

/** An event of the gateway; `t` is the type of `d`. */
export interface GatewayEvent {
  t: string
  s: number
  d: unknown
}

/** The listeners of a shard. */
interface ShardEvents {
  /** A new session has begun. */
  ready(): void
  resumed(): void
  /** The connection was closed; the code decides if the shard reconnects. */
  closed(code: number): void
  socketError(error: Error): void
  /** The shard cannot continue. */
  broken(error: unknown): void
  event(event: GatewayEvent, cursor: EventCursor): void
}

/** The client library's connection to the gateway, which resumes or identifies again when it is cut. */
interface Shard {
  connect(): void
  /** Cuts the connection and resumes after the last stored event. */
  rewind(): void
  /** Ends the connection permanently; resolves when nothing of it runs. */
  end(): Promise<void>
}

/** Private parts of the library. They are needed because it cannot be ended while connecting and trusts every frame. */
interface ShardParts {
  connection: WebSocket | null
  onMessage(data: unknown, isBinary: boolean): Promise<void>
  internalConnect(): Promise<void>
}

/** Creates the only shard of a bot; awaits `pace` before each connection and `paceIdentify` before each new session. */
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
}): Shard {
  const library = loadGatewayLibrary()
  let known: { info: SessionInfo; cursor: EventCursor } | undefined
  let isEnded = false
  // The library pauses half a second between two connections and cannot abort that pause.
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
      retrieveSessionInfo: async () => (known ? { ...known.info, sequence: known.cursor.position } : null),
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
      if (!isEnded) await withSocketOptions(socketOptions, connectOnce)
    } catch (error) {
      on.broken(error)
    }
  }
  const readFrame = parts.onMessage.bind(shard)
  parts.onMessage = async (data, isBinary) => {
    try {
      await readFrame(data, isBinary)
    } catch (error) {
      log.warn({ error }, 'Discord sent an unreadable frame')
    }
  }

  const { Closed, Dispatch, Error: Fault, Ready, Resumed, SocketError } = library.WebSocketShardEvents
  shard.on(Ready, () => on.ready())
  shard.on(Resumed, on.resumed)
  shard.on(SocketError, on.socketError)
  // `Closed` reports the same failure with its code.
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
    // The shard's events report a failure as well.
    connect: () => void shard.connect().catch(() => {}),
    rewind: () =>
      void shard.destroy({ code: RESUMING, recover: library.WebSocketShardDestroyRecovery.Resume }),
    async end() {
      isEnded = true
      const { connection } = parts
      // An aborted handshake emits an error for which the library no longer listens.
      connection?.on('error', () => {})
      // Ends the library's waits as if Discord had closed; otherwise they would start another connection.
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
