import { EventEmitter, once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { decodeFrame, encodeFrame, type FeishuFrame, framesOf, SERVICE } from './fake-feishu-frames.ts'

/** The bot's answer to an event. */
export interface Acknowledgement {
  code: number
  /** The parsed result of its handler. */
  data?: unknown
}

/** The long connections of the bot. */
export interface FakeEvents {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Delivers until the bot says that it has the event. */
  deliver(event: unknown): Promise<void>
  /** Delivers once, as clicks are; undefined where the bot does not say that all went well. */
  ask(event: unknown): Promise<Acknowledgement | undefined>
  /** Sends bytes as they are on every connection. */
  sendRaw(bytes: Uint8Array): void
  /** The codes of all answers so far. */
  acknowledged: number[]
  pings(): number
  /** Starts or stops leaving handshakes unanswered; returns the number of unanswered ones. */
  hold(isHeld?: boolean): number
  count(): number
  drop(): void
  close(): void
}

/** Time limit of the bot for an event. */
const ANSWER_MS = 3000
/** Time limit of waiting for the bot to connect. */
const PATIENCE_MS = 40_000
const REDELIVERY_MS = 30

/** Starts without a connection; `isTicket` tells whether an address was given out, each counts once. */
export function createFakeEvents({
  isTicket,
  violations,
}: {
  isTicket(ticket: string | null): boolean
  violations: string[]
}): FakeEvents {
  const server = new WebSocketServer({ noServer: true })
  const sockets = new Set<WebSocket>()
  /** Those that have pinged: the client library listens only some time after the handshake, and is deaf before. */
  const ready = new Set<WebSocket>()
  const changes = new EventEmitter().setMaxListeners(0)
  const answers = new EventEmitter().setMaxListeners(0)
  const closing = new AbortController()
  const acknowledged: number[] = []
  const held = new Set<Duplex>()
  let isHolding = false
  let deliveries = 0
  let pings = 0

  function take(socket: WebSocket, frame: FeishuFrame & { service: number }) {
    const { kind, headers, payload, service } = frame
    if (service !== SERVICE) violations.push(`a frame for service ${service}`)
    if (kind === 'control') {
      if (headers.type !== 'ping') return violations.push(`a control frame of type ${headers.type}`)
      pings += 1
      ready.add(socket)
      changes.emit('change')
      // The platform repeats its settings here; these would make an unprotected client ping without a pause.
      return socket.send(encodeFrame({ kind, headers: { type: 'pong' }, payload: Buffer.from('{}') }))
    }
    const { code, data } = JSON.parse(payload.toString())
    if (headers.biz_rt === undefined) violations.push('an answer without biz_rt')
    acknowledged.push(code)
    const answer = { code, ...(data && { data: JSON.parse(Buffer.from(data, 'base64').toString()) }) }
    answers.emit(headers.message_id!, answer)
  }

  function join(socket: WebSocket) {
    sockets.add(socket)
    socket.on('message', (bytes: Buffer) => take(socket, decodeFrame(bytes)))
    // A connection that breaks is closed next.
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      ready.delete(socket)
    })
  }

  /** Sends to one connection, as the platform does; undefined if no answer comes. */
  async function attempt(event: unknown): Promise<Acknowledgement | undefined> {
    const socket = [...ready].at(-1)
    if (!socket) return undefined
    deliveries += 1
    const id = `delivery-${deliveries}`
    const abort = new AbortController()
    const { signal } = abort
    const answer = once(answers, id, { signal }).then(([got]) => got as Acknowledgement)
    const gone = once(socket, 'close', { signal }).then(() => undefined)
    const late = delay(ANSWER_MS, undefined, { signal, ref: false }).then(() => {
      violations.push('an event was not answered within three seconds')
      return undefined
    })
    for (const frame of framesOf(event, id)) socket.send(frame)
    try {
      return await Promise.race([answer, gone, late])
    } finally {
      for (const loser of [answer, gone, late]) loser.catch(() => {})
      abort.abort()
    }
  }

  return {
    acknowledged,
    pings: () => pings,
    count: () => sockets.size,

    hold(isHeld = isHolding) {
      isHolding = isHeld
      return held.size
    },

    upgrade(request, socket, head) {
      if (isHolding) {
        held.add(socket)
        socket.on('close', () => held.delete(socket)).resume()
        for (const ending of ['end', 'error']) socket.on(ending, () => socket.destroy())
        return
      }
      const { searchParams } = new URL(request.url!, 'http://fake')
      if (isTicket(searchParams.get('ticket'))) return server.handleUpgrade(request, socket, head, join)
      socket.end('HTTP/1.1 403 Forbidden\r\nhandshake-status: 514\r\ncontent-length: 0\r\n\r\n')
    },

    async deliver(event) {
      const end = Date.now() + PATIENCE_MS
      while (Date.now() < end) {
        if (closing.signal.aborted) return
        if (ready.size === 0) {
          const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(end - Date.now())])
          // Nobody came: said below.
          await once(changes, 'change', { signal }).catch(() => {})
          continue
        }
        const answer = await attempt(event)
        if (answer?.code === 200) return
        await delay(REDELIVERY_MS)
      }
      throw new Error('The bot did not take the event.')
    },

    async ask(event) {
      const answer = await attempt(event)
      return answer?.code === 200 ? answer : undefined
    },

    sendRaw(bytes) {
      for (const socket of sockets) socket.send(bytes)
    },

    drop() {
      for (const socket of sockets) socket.terminate()
    },

    close() {
      closing.abort()
      for (const socket of held) socket.destroy()
      for (const socket of sockets) socket.terminate()
      server.close()
    },
  }
}
