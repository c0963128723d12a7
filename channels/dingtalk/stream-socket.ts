import type { LookupFunction } from 'node:net'
import type { WebSocket } from 'ws'
import { ChannelFailure } from '#plugin-api'
import { toOutage } from './failure.ts'

const HANDSHAKE_MS = 15_000

/** Far above the frames of DingTalk; a longer one ends the connection, and would end the next one, too. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024

/** Time limit for the closing handshake. */
const CLOSE_MS = 1000

/** An open socket; it is terminated when its channel is closed. */
export interface StreamSocket {
  send(text: string): void
  /** Stops reading until `resume`, to limit the messages in progress. */
  pause(): void
  resume(): void
  /** Closes the socket, and terminates it if the other side does not answer. */
  leave(): void
  /** Resolves when the socket is closed. */
  closed: Promise<void>
}

/** Opens a socket; `onText` may be called before this resolves. */
export async function openSocket({
  address,
  lookup,
  keepaliveMs,
  closing,
  onText,
}: {
  address: URL
  lookup: LookupFunction
  keepaliveMs: number
  closing: AbortSignal
  onText(text: string, socket: StreamSocket): void
}): Promise<StreamSocket> {
  const { WebSocket } = await import('ws')
  closing.throwIfAborted()
  const socket = new WebSocket(address, {
    lookup,
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
  })
  const end = () => socket.terminate()
  closing.addEventListener('abort', end, { once: true })
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      closing.removeEventListener('abort', end)
      resolve()
    })
  })
  const stream: StreamSocket = {
    // Only acknowledgements are sent. A lost one causes another delivery, so errors are ignored.
    send: (text) => socket.send(text, () => {}),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    leave() {
      socket.close(1000)
      const late = setTimeout(end, CLOSE_MS)
      closed.then(() => clearTimeout(late))
    },
    closed,
  }
  // Before the handshake has ended: the first message may arrive together with its end.
  socket.on('message', (data, isBinary) => {
    if (!isBinary) onText(String(data), stream)
  })

  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => {
      socket.once('close', watch(socket, keepaliveMs))
      resolve()
    })
    // Every error is followed by `close`, which is handled.
    socket.on('error', (error) => reject(toFailure(error, closing)))
  })
  return stream
}

/** Pings the other side and terminates the socket if nothing arrives between two pings. */
function watch(socket: WebSocket, keepaliveMs: number): () => void {
  let isAlive = true
  const markAlive = () => {
    isAlive = true
  }
  for (const event of ['pong', 'ping', 'message']) socket.on(event, markAlive)
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, keepaliveMs)
  return () => clearInterval(timer)
}

function toFailure(error: Error, closing: AbortSignal): unknown {
  if (closing.aborted) return closing.reason
  if (/handshake has timed out/.test(error.message))
    return new ChannelFailure('timeout', 'DingTalk did not open the connection in time.')
  const status = /Unexpected server response: (\d+)/.exec(error.message)?.[1]
  if (status)
    return new ChannelFailure('unreachable', `DingTalk did not open the connection (HTTP ${status}).`)
  return toOutage(error, closing)
}
