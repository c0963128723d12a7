import type { WSClient } from '@wecom/aibot-node-sdk'
import { ChannelFailure, type ChannelSettings, PlatformRefusal } from '#plugin-api'
import { findAddress, type WecomConfig } from './config.ts'
import { toSocketFailure } from './failure.ts'

/** Time limit for the handshake and the subscription together, in milliseconds. */
const OPEN_MS = 10_000

/** Far above the frames of WeCom; a longer one ends the connection. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024

/** Limit of replies to a message that wait for their confirmation. */
const MAX_WAITING = 50

/** Drops the library's log, which contains whole messages with addresses and keys of files. */
const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** The library's reason for `disconnected_event`, after which it drops the socket. */
const TAKEN_OVER = /^New connection established/

const takenOver = () =>
  new ChannelFailure('already_connected', 'Another connection of the same robot took this one over')

const closed = () => new ChannelFailure('unreachable', 'WeCom closed the connection')

/** The listeners of a socket. */
interface SocketHandlers {
  onMessage(frame: unknown): void
  onEvent(frame: unknown): void
  /** Called once, and not after `close`. */
  onLost(error: Error): void
}

/**
 * Connects and subscribes. The library's own reconnect is disabled because it waits without end for an unanswered
 * subscription. `wire` is called before any frame can arrive; its `fail` ends the connection. The socket is closed
 * when the signal is aborted.
 */
export async function openSocket(
  settings: ChannelSettings<WecomConfig>,
  signal: AbortSignal,
  wire?: (client: WSClient, fail: (error: Error) => void) => SocketHandlers,
) {
  const address = findAddress(settings)
  await settings.assertAllowed(address)
  const { WSClient } = await import('@wecom/aibot-node-sdk')
  signal.throwIfAborted()
  // The library passes these to the socket, though its type lacks the options of connections.
  const wsOptions = {
    lookup: settings.lookup,
    handshakeTimeout: OPEN_MS,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
  }
  const client = new WSClient({
    botId: settings.config.bot_id,
    secret: settings.config.secret,
    wsUrl: address,
    wsOptions,
    maxReconnectAttempts: 0,
    maxAuthFailureAttempts: 0,
    maxReplyQueueSize: MAX_WAITING,
    logger: silent,
  })
  const handlers = wire?.(client, (error) => end(error))
  const disconnected = new Promise<void>((resolve) => client.once('disconnected', () => resolve()))

  let phase: 'opening' | 'open' | 'over' = 'opening'
  let failure: Error | undefined
  let accept!: () => void
  const accepted = new Promise<void>((resolve) => {
    accept = resolve
  })
  /** Ends the socket and returns its previous phase. */
  const finish = () => {
    const endedPhase = phase
    phase = 'over'
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    client.disconnect()
    accept()
    return endedPhase
  }
  const end = (error: Error) => {
    failure ??= error
    if (finish() === 'open' && !signal.aborted) handlers?.onLost(error)
  }
  const abort = () => end(signal.reason)
  const timer = setTimeout(
    () => end(new ChannelFailure('timeout', 'WeCom did not accept the connection in time')),
    OPEN_MS,
  )
  signal.addEventListener('abort', abort, { once: true })
  client.on('authenticated', accept)
  client.on('error', (error) => {
    const reported = toSocketFailure(error)
    // Only a new subscription can tell if the robot may no longer connect.
    const isEnded = phase === 'open' && reported instanceof PlatformRefusal && reported.reason === 'forbidden'
    end(isEnded ? new ChannelFailure('unreachable', reported.message) : reported)
  })
  client.on('disconnected', (reason) => end(TAKEN_OVER.test(reason) ? takenOver() : closed()))
  client.on('message', (frame) => {
    if (phase !== 'over') handlers?.onMessage(frame)
  })
  client.on('event', (frame) => {
    if (phase !== 'over') handlers?.onEvent(frame)
  })
  client.connect()
  await accepted
  if (failure) throw failure
  clearTimeout(timer)
  phase = 'open'

  return {
    client,
    /** Resolves when the socket is closed. */
    async close(): Promise<void> {
      finish()
      await disconnected
    },
  }
}

/** Connects and disconnects. This ends another connection of the robot. */
export async function probe(settings: ChannelSettings<WecomConfig>, signal: AbortSignal): Promise<void> {
  const socket = await openSocket(settings, signal)
  await socket.close()
}
