import type { Socket } from 'node:net'
import type { SocketModeClient } from '@slack/socket-mode'
import { ChannelFailure, type ChannelSettings, type Logger, untilAborted } from '#plugin-api'
import { clientOptions, type Reach, silentLogger } from './api.ts'
import type { SlackConfig } from './config.ts'
import type { Envelope } from './envelope.ts'
import { startDeadline, toFailure } from './failure.ts'

/** Time limit for a pong; the library sends three pings within it. */
const PONG_MS = 15_000

/** The reason why a connection ended; `failure` is set if a new connection would not help. */
export interface Ending {
  reason: string
  failure?: ChannelFailure
}

/** One connection in Socket Mode. */
export interface SlackSocket {
  /** Resolves when the connection is cut, or when Slack asks for a new one. */
  ended: Promise<Ending>
  close(): Promise<void>
}

/** Connects and passes on each envelope. Resolves after Slack's hello; `signal` ends the connection. */
export async function openSocket({
  settings,
  signal,
  log,
  handle,
}: {
  settings: ChannelSettings<SlackConfig> & Reach
  signal: AbortSignal
  log: Logger
  handle(envelope: Envelope): void
}): Promise<SlackSocket> {
  const { SocketModeClient } = await import('@slack/socket-mode')
  const { agent, close: closeAgent } = await createSocketAgent(settings, settings.requestMs)
  const deadline = startDeadline(signal, settings.requestMs)
  const client = new SocketModeClient({
    appToken: settings.config.app_token,
    logger: silentLogger,
    // The library's reconnect waits for the end of the old connection and crashes the process if the new one fails.
    autoReconnectEnabled: false,
    clientPingTimeout: PONG_MS,
    dispatcher: agent,
    clientOptions: clientOptions(settings, deadline.signal),
  })

  let end: (ending: Ending) => void = () => {}
  const ended = new Promise<Ending>((resolve) => {
    end = resolve
  })
  let failure: Error | undefined
  client.on('error', (error: Error) => {
    failure = error
  })
  let isBegun = false
  client.on('connecting', () => {
    isBegun = true
  })
  const disconnected = new Promise<void>((resolve) => {
    client.on('disconnected', () => {
      end({ reason: 'The connection to Slack was cut.' })
      resolve()
    })
  })
  client.on('slack_event', handle)
  filterFrames(client, { log, end })

  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= (async () => {
      signal.removeEventListener('abort', close)
      // Without the library's disconnect, which would leave a timer running.
      await closeAgent()
      if (isBegun) await disconnected
    })()
    return closing
  }
  signal.addEventListener('abort', close)

  try {
    const early = ended.then((ending) => Promise.reject(ending.failure ?? failure))
    await untilAborted(deadline.signal, Promise.race([client.start(), early]))
  } catch (error) {
    await close()
    signal.throwIfAborted()
    throw toFailure(error ?? new Error('closed before the hello'), 'app_token')
  } finally {
    deadline.release()
  }
  return { ended, close }
}

interface Frame {
  type?: unknown
  reason?: unknown
  envelope_id?: unknown
  payload?: { event?: { type?: unknown } }
}

/** Hides invalid frames from the library, and requests to reconnect, during which it would miss messages. */
function filterFrames(
  client: SocketModeClient,
  { log, end }: { log: Logger; end(ending: Ending): void },
): void {
  const [parse] = client.listeners('ws_message') as ((data: unknown, isBinary: boolean) => Promise<void>)[]
  client.removeAllListeners('ws_message')
  client.on('ws_message', (data: unknown, isBinary: boolean) => {
    const frame = readFrame(data)
    if (!frame) return log.debug('Slack sent an invalid frame')
    if (frame.type === 'disconnect') return end(toEnding(frame.reason))
    parse?.(data, isBinary).catch((error) => log.warn({ error }, 'a Slack frame could not be read'))
  })
}

/** Parses a frame that the library can read, a greeting or an envelope; undefined for others. */
function readFrame(data: unknown): Frame | undefined {
  if (typeof data !== 'string') return
  let frame: Frame | null
  try {
    frame = JSON.parse(data) as Frame | null
  } catch {
    // Ignored: all frames of Slack are JSON.
    return
  }
  if (typeof frame !== 'object' || frame === null) return
  if (frame.type === 'hello' || frame.type === 'disconnect') return frame
  if (typeof frame.type !== 'string' || typeof frame.envelope_id !== 'string') return
  if (typeof frame.payload !== 'object' || frame.payload === null) return
  if (frame.type === 'events_api' && typeof frame.payload.event?.type !== 'string') return
  return frame
}

/** Reasons after which a new connection would fail as well. */
const FINAL: Record<string, ChannelFailure> = {
  link_disabled: new ChannelFailure(
    'forbidden',
    'Socket Mode is turned off in the settings of the Slack app.',
  ),
  too_many_websockets: new ChannelFailure('already_connected', 'The Slack app has too many connections.'),
}

function toEnding(reason: unknown): Ending {
  const failure = FINAL[String(reason)]
  return failure ? { reason: failure.message, failure } : { reason: 'Slack renews the connection.' }
}

/** Far above the frames of Slack. */
const MAX_FRAME_BYTES = 8 * 1024 * 1024

/** Time limit for sending the last bytes. */
const FLUSH_MS = 1000

/** Creates an agent for allowed addresses that tracks its sockets, which the client library loses on upgrade. */
async function createSocketAgent(
  { lookup, assertAllowed }: Pick<ChannelSettings, 'lookup' | 'assertAllowed'>,
  connectMs: number,
) {
  const { Agent, buildConnector } = await import('undici')
  const connector = buildConnector({ lookup, timeout: connectMs, allowH2: false })
  const sockets = new Set<Socket>()
  let isClosed = false

  const agent = new Agent({
    webSocket: { maxPayloadSize: MAX_FRAME_BYTES },
    connect(options, callback) {
      // A literal IP address is not looked up, so it is checked here.
      assertAllowed(`https://${options.hostname}`).then(
        () =>
          connector(options, (error, socket) => {
            if (error) return callback(error, null)
            if (isClosed) socket.destroy()
            sockets.add(socket.once('close', () => sockets.delete(socket)))
            callback(null, socket)
          }),
        (error) => callback(error, null),
      )
    },
  })

  return {
    agent,
    /** Flushes and closes every connection. */
    async close(): Promise<void> {
      isClosed = true
      await Promise.all([...sockets].map(cut))
      await agent.destroy()
    },
  }
}

function cut(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), FLUSH_MS)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    socket.destroySoon()
  })
}
