import type { LookupFunction } from 'node:net'
import type { WebSocket } from 'ws'
import { ChannelFailure } from '#plugin-api'
import { outageOf } from './failure.ts'

const HANDSHAKE_TIMEOUT = 15_000

/** Bytes of a frame; a message has a few kilobytes. */
const MAX_FRAME = 1024 * 1024

/** How long the other side may take to say goodbye, in milliseconds. */
const GOODBYE = 1000

/** A socket that is open; it is cut when its channel is closed. */
export interface StreamSocket {
  send(text: string): void
  /** Stops reading until `resume`, so that what is not done yet does not pile up. */
  pause(): void
  resume(): void
  /** Says goodbye, and cuts the socket where there is no answer. */
  leave(): void
  /** Resolves when it is gone. */
  closed: Promise<void>
}

/** Opens a socket; `onGone` is called once after that, however it ends. */
export async function openSocket({
  address,
  lookup,
  keepaliveMs,
  closing,
  onText,
  onGone,
}: {
  address: URL
  lookup: LookupFunction
  keepaliveMs: number
  closing: AbortSignal
  onText(text: string, socket: StreamSocket): void
  onGone(socket: StreamSocket): void
}): Promise<StreamSocket> {
  const { WebSocket } = await import('ws')
  closing.throwIfAborted()
  const socket = new WebSocket(address, {
    lookup,
    handshakeTimeout: HANDSHAKE_TIMEOUT,
    maxPayload: MAX_FRAME,
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

  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', (error) => reject(failureOf(error, closing)))
  })
  // Every error is followed by the end of the socket, which is what counts.
  socket.on('error', () => {})
  const stopWatching = watch(socket, keepaliveMs)

  const stream: StreamSocket = {
    // What cannot be sent any more is an acknowledgement, and what is not acknowledged comes again.
    send: (text) => socket.send(text, () => {}),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    leave() {
      socket.close(1000)
      const late = setTimeout(end, GOODBYE)
      closed.then(() => clearTimeout(late))
    },
    closed,
  }
  socket.on('message', (data, isBinary) => {
    if (!isBinary) onText(String(data), stream)
  })
  socket.once('close', () => {
    stopWatching()
    onGone(stream)
  })
  return stream
}

/** Pings the other side and cuts the socket where nothing at all came between two pings. */
function watch(socket: WebSocket, keepaliveMs: number): () => void {
  let isAlive = true
  const heard = () => {
    isAlive = true
  }
  for (const event of ['pong', 'ping', 'message']) socket.on(event, heard)
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, keepaliveMs)
  return () => clearInterval(timer)
}

function failureOf(error: Error, closing: AbortSignal): unknown {
  if (closing.aborted) return closing.reason
  if (/handshake has timed out/.test(error.message))
    return new ChannelFailure('timeout', 'DingTalk has not opened the connection in time.')
  const status = /Unexpected server response: (\d+)/.exec(error.message)?.[1]
  if (status)
    return new ChannelFailure('unreachable', `DingTalk has not opened the connection (HTTP ${status}).`)
  return outageOf(error, closing)
}
