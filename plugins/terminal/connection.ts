import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket from 'ws'
import { RefusedError } from './api.ts'
import type { ClientFrame, ServerFrame } from './frames.ts'
import type { Session } from './session.ts'

const HANDSHAKE_MS = 10_000
/** The server pings every 25 seconds; a connection that is silent for longer than this is dead. */
const SILENCE_MS = 70_000
/** The time that the server has to answer a close. */
const GOODBYE_MS = 1_000
const FIRST_DELAY_MS = 200
const MAX_DELAY_MS = 5_000
/** About one minute of attempts. */
const MAX_FAILURES = 16

/**
 * Creates the chat socket to one agent. The socket is opened when it is needed, and reopened after a failure with
 * exponential back-off; `onDrop` is called when an open socket was lost.
 */
export const createConnection = ({
  url,
  agent_id,
  session,
  language,
  signal,
  onFrame,
  onDrop,
  onRetry,
}: {
  url: string
  agent_id: string
  session: Session
  language: string
  signal: AbortSignal
  onFrame(frame: ServerFrame): void
  onDrop(code: number): void
  onRetry(): void
}) => {
  const address = `${url.replace(/^http/, 'ws')}/api/agents/${encodeURIComponent(agent_id)}/chat/ws`
  let socket: WebSocket | undefined
  let failures = 0

  const connect = (token: string) =>
    new Promise<WebSocket>((resolve, reject) => {
      const next = new WebSocket(address, [`bearer.${token}`], {
        headers: { 'accept-language': language },
        handshakeTimeout: HANDSHAKE_MS,
        perMessageDeflate: false,
      })
      next.on('unexpected-response', (_request, response: IncomingMessage) => {
        text(response)
          .then((body) => reject(new RefusedError({ status: response.statusCode ?? 0, body })))
          .catch(reject)
          .finally(() => next.terminate())
      })
      // After the handshake every error is followed by 'close', which reports the loss.
      next.on('error', reject)
      next.on('open', () => resolve(next))
    })

  const watch = (next: WebSocket) => {
    const silence = setTimeout(() => next.terminate(), SILENCE_MS)
    next.on('ping', () => silence.refresh())
    next.on('message', (data) => {
      silence.refresh()
      failures = 0
      onFrame(JSON.parse(data.toString()) as ServerFrame)
    })
    next.on('close', (code) => {
      clearTimeout(silence)
      if (socket !== next) return
      socket = undefined
      failures++
      onDrop(code)
    })
  }

  const attempt = async () => {
    const next = await connect(await session.readToken()).catch(async (error: unknown) => {
      if (!(error instanceof RefusedError) || error.status !== 401) throw error
      return connect(await session.renewLogin())
    })
    if (signal.aborted) next.terminate()
    signal.throwIfAborted()
    watch(next)
    socket = next
  }

  return {
    /** True if frames can be sent. */
    get isOpen() {
      return socket?.readyState === WebSocket.OPEN
    },

    /** Opens the socket; throws the server's refusal, or the last failure if the server cannot be reached. */
    async open() {
      while (!this.isOpen) {
        if (failures > 0) {
          if (failures === 1) onRetry()
          await sleep(Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS), undefined, { signal })
        }
        try {
          await attempt()
        } catch (error) {
          signal.throwIfAborted()
          if (error instanceof RefusedError && error.status < 500) throw error
          if (++failures < MAX_FAILURES) continue
          failures = 0
          throw error
        }
      }
    },

    /** Sends a frame on the open socket. */
    send(frame: ClientFrame) {
      socket?.send(JSON.stringify(frame))
    },

    /** Closes the socket without reporting a loss. */
    close() {
      const last = socket
      socket = undefined
      last?.close()
      setTimeout(() => last?.terminate(), GOODBYE_MS).unref()
    },
  }
}
