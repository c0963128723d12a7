import type { SocketModeClient } from '@slack/socket-mode'
import { type Logger, untilAborted } from '#kernel'
import { ChannelFailure, type ChannelSettings } from '#plugin-api'
import { clientOptions, type Reach } from './api.ts'
import { keysOf } from './config.ts'
import { startDeadline } from './deadline.ts'
import type { Envelope } from './envelope.ts'
import { failureOf } from './failure.ts'
import { silentLogger } from './silent-logger.ts'
import { createSocketAgent } from './socket-agent.ts'

/** How often Slack is asked for a sign of life: three times in this, in milliseconds. */
const PONG_MS = 15_000

/** Why a connection is over; `failure` where another would not do better. */
export interface Ending {
  reason: string
  failure?: ChannelFailure
}

/** One connection in Socket Mode. */
export interface SlackSocket {
  /** Resolves when it is gone, or when Slack asks for another in its place. */
  ended: Promise<Ending>
  close(): Promise<void>
}

/** Connects, and hands over each envelope. Resolves once Slack has said hello; ends when `signal` is aborted. */
export async function openSocket({
  settings,
  signal,
  log,
  handle,
}: {
  settings: ChannelSettings & Reach
  signal: AbortSignal
  log: Logger
  handle(envelope: Envelope): void
}): Promise<SlackSocket> {
  const { SocketModeClient } = await import('@slack/socket-mode')
  const { agent, close: closeAgent } = await createSocketAgent(settings, settings.requestMs)
  const deadline = startDeadline(signal, settings.requestMs)
  const client = new SocketModeClient({
    appToken: keysOf(settings.config).app_token,
    logger: silentLogger,
    // It would wait for the old connection to be gone, and let the process crash where the new one fails.
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
  const gone = new Promise<void>((resolve) => {
    client.on('disconnected', () => {
      end({ reason: 'The connection to Slack is cut.' })
      resolve()
    })
  })
  client.on('slack_event', handle)
  filterFrames(client, { log, end })

  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= (async () => {
      signal.removeEventListener('abort', close)
      // No goodbye: with one the library keeps a timer that nothing ends.
      await closeAgent()
      if (isBegun) await gone
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
    throw failureOf(error ?? new Error('closed before the hello'), 'app_token')
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

/** Keeps from the library what it cannot stand, and the request to reconnect, after which it would be deaf for a while. */
function filterFrames(
  client: SocketModeClient,
  { log, end }: { log: Logger; end(ending: Ending): void },
): void {
  const [parse] = client.listeners('ws_message') as ((data: unknown, isBinary: boolean) => Promise<void>)[]
  client.removeAllListeners('ws_message')
  client.on('ws_message', (data: unknown, isBinary: boolean) => {
    const frame = readFrame(data)
    if (!frame) return log.debug('Slack sent a frame that is none')
    if (frame.type === 'disconnect') return end(endingFor(frame.reason))
    parse?.(data, isBinary).catch((error) => log.warn({ error }, 'a frame of Slack could not be read'))
  })
}

/** A frame in a form that the library can read: a greeting, or an envelope. */
function readFrame(data: unknown): Frame | undefined {
  if (typeof data !== 'string') return
  let frame: Frame | null
  try {
    frame = JSON.parse(data) as Frame | null
  } catch {
    // Whoever sent it gets no answer; Slack's own frames are JSON.
    return
  }
  if (typeof frame !== 'object' || frame === null) return
  if (frame.type === 'hello' || frame.type === 'disconnect') return frame
  if (typeof frame.type !== 'string' || typeof frame.envelope_id !== 'string') return
  if (typeof frame.payload !== 'object' || frame.payload === null) return
  if (frame.type === 'events_api' && typeof frame.payload.event?.type !== 'string') return
  return frame
}

/** Reasons after which the next connection would fare no better. */
const FINAL: Record<string, ChannelFailure> = {
  link_disabled: new ChannelFailure(
    'forbidden',
    'Socket Mode is switched off in the settings of the Slack app.',
  ),
  too_many_websockets: new ChannelFailure('already_connected', 'The Slack app has too many connections.'),
}

function endingFor(reason: unknown): Ending {
  const failure = FINAL[String(reason)]
  return failure ? { reason: failure.message, failure } : { reason: 'Slack renews the connection.' }
}
