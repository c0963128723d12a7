import type { IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'
import { ChannelFailure } from '#plugin-api'
import type { Endpoint } from './endpoint.ts'
import { startDeadline, toRefusal, toTransportFailure } from './failure.ts'
import { encodePing } from './frame.ts'
import type { Scrubber } from './scrubber.ts'

const HANDSHAKE_MS = 15_000

/** Time without a frame after a ping until the other side counts as dead. */
const PONG_MS = 30_000

/** A longer frame ends the connection. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024

/** An open socket; it is terminated when the channel is closed. */
export interface StreamSocket {
  send(bytes: Buffer): void
  /** Stops reading until `resume`, to limit the events in progress. */
  pause(): void
  resume(): void
  /** Resolves with the reason when the socket is closed. */
  closed: Promise<string>
}

/** Opens a socket and pings the other side. */
export async function openSocket({
  endpoint: { address, service, pingMs },
  lookup,
  scrubber,
  life,
  onFrame,
  pongMs = PONG_MS,
}: {
  endpoint: Endpoint
  lookup: LookupFunction
  scrubber: Scrubber
  life: AbortSignal
  onFrame(bytes: Buffer, socket: StreamSocket): void
  pongMs?: number
}): Promise<StreamSocket> {
  const { WebSocket } = await import('ws')
  life.throwIfAborted()
  const socket = new WebSocket(address, {
    lookup,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
  })
  let reason = 'The connection to Feishu was cut.'
  let pings: NodeJS.Timeout | undefined
  let silence: NodeJS.Timeout | undefined
  const end = () => socket.terminate()

  function endSilence(): void {
    clearTimeout(silence)
    silence = undefined
  }

  const stream: StreamSocket = {
    // A lost reply causes another delivery, and a broken connection is closed next, so errors are ignored.
    send: (bytes) => socket.send(bytes, () => {}),
    pause: () => socket.pause(),
    resume() {
      endSilence()
      socket.resume()
    },
    closed: new Promise((resolve) => socket.once('close', () => resolve(reason))),
  }

  function ping(): void {
    stream.send(encodePing(service))
    silence ??= setTimeout(() => {
      silence = undefined
      // A paused socket receives nothing.
      if (socket.isPaused) return
      reason = 'Feishu stopped answering.'
      end()
    }, pongMs)
  }

  const opened = new Promise<void>((resolve, reject) => {
    socket.once('open', () => {
      pings = setInterval(ping, pingMs)
      ping()
      resolve()
    })
    socket.once('unexpected-response', (_request, response) => {
      reject(toHandshakeFailure(response, scrubber))
      end()
    })
    // `close` follows.
    socket.on('error', (error) => {
      reason = `The connection to Feishu failed: ${error.message}.`
      reject(error)
    })
  })
  socket.on('message', (bytes: Buffer) => {
    endSilence()
    onFrame(bytes, stream)
  })
  life.addEventListener('abort', end, { once: true })
  socket.once('close', () => {
    clearInterval(pings)
    endSilence()
    life.removeEventListener('abort', end)
  })

  const deadline = startDeadline(HANDSHAKE_MS, life)
  deadline.signal.addEventListener('abort', end, { once: true })
  try {
    await opened
    return stream
  } catch (error) {
    throw toTransportFailure(error, deadline.signal)
  } finally {
    deadline.release()
  }
}

/** The handshake's codes for a refused ticket, and for an app with too many connections. */
const REFUSED_TICKET = 514
const TOO_MANY_CONNECTIONS = 1000040350

/** Classifies the refusal of a handshake, whose code is in its headers. */
function toHandshakeFailure(
  { statusCode = 0, headers }: IncomingMessage,
  { scrub }: Scrubber,
): ChannelFailure {
  const status = Number(headers['handshake-status'])
  const detail = Number(headers['handshake-autherrcode'])
  const code = status === REFUSED_TICKET && detail === TOO_MANY_CONNECTIONS ? detail : status
  const words = scrub(String(headers['handshake-msg'] ?? ''))
  // The credentials are valid, because the address was granted for them; a new address has a new ticket.
  if (!code || code === REFUSED_TICKET)
    return new ChannelFailure(
      'unreachable',
      `Feishu did not open the connection (HTTP ${statusCode})${words && `: ${words}`}.`,
    )
  return toRefusal({ status: statusCode, code }, words)
}
