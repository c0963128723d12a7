import { EventEmitter, once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type WebSocket, WebSocketServer } from 'ws'
import {
  createMarks,
  decodeFrame,
  encodeFrame,
  type FrameMarks,
  framesOf,
  SERVICE,
} from './fake-feishu-frames.ts'

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
  /** Starts or stops leaving pings unanswered. */
  setDeaf(isDeaf: boolean): void
  /** Refuses the next handshake with these headers. */
  refuseHandshake(headers: Record<string, string>, status?: string): void
  /** Starts or stops leaving handshakes unanswered; returns the number of unanswered ones. */
  hold(isHeld?: boolean): number
  /** The number of requests to open a connection. */
  handshakes(): number
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
  /** The marks of delivered events by delivery, which the answers repeat. */
  const sentMarks = new Map<string, FrameMarks>()
  const changes = new EventEmitter().setMaxListeners(0)
  const answers = new EventEmitter().setMaxListeners(0)
  const closing = new AbortController()
  const acknowledged: number[] = []
  const held = new Set<Duplex>()
  let isHolding = false
  let isDeaf = false
  let refusal: string | undefined
  let deliveries = 0
  let handshakes = 0
  let pings = 0

  function take(socket: WebSocket, bytes: Buffer) {
    const { kind, headers, payload, marks } = decodeFrame(bytes)
    if (kind === 'control') {
      if (headers.type !== 'ping') return violations.push(`a control frame of type ${headers.type}`)
      if (!isDeepStrictEqual(marks, { SeqID: '0', LogID: '0', service: SERVICE }))
        violations.push(`a ping with ${JSON.stringify(marks)}`)
      pings += 1
      if (isDeaf) return
      // The platform repeats its settings here; these would make an unprotected client ping without a pause.
      const settings = { PingInterval: 0, ReconnectCount: 0, ReconnectInterval: 0, ReconnectNonce: 0 }
      return socket.send(
        encodeFrame({ kind, headers: { type: 'pong' }, payload: Buffer.from(JSON.stringify(settings)) }),
      )
    }
    const expected = sentMarks.get(headers.message_id!)
    if (expected && !isDeepStrictEqual(marks, expected))
      violations.push(`an answer with ${JSON.stringify(marks)} instead of ${JSON.stringify(expected)}`)
    const { code, data } = JSON.parse(payload.toString())
    if (!/^\d+$/.test(headers.biz_rt ?? '')) violations.push(`an answer with biz_rt ${headers.biz_rt}`)
    acknowledged.push(code)
    const answer = { code, ...(data && { data: JSON.parse(Buffer.from(data, 'base64').toString()) }) }
    answers.emit(headers.message_id!, answer)
  }

  function join(socket: WebSocket) {
    sockets.add(socket)
    changes.emit('change')
    socket.on('message', (bytes: Buffer) => take(socket, bytes))
    // A connection that breaks is closed next.
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }

  /** Sends to one connection, as the platform does; undefined if no answer comes. */
  async function attempt(event: unknown): Promise<Acknowledgement | undefined> {
    const socket = [...sockets].at(-1)
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
    const marks = createMarks()
    sentMarks.set(id, marks)
    for (const frame of framesOf(event, id, marks)) socket.send(frame)
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
    handshakes: () => handshakes,
    count: () => sockets.size,

    hold(isHeld = isHolding) {
      isHolding = isHeld
      return held.size
    },

    setDeaf(value) {
      isDeaf = value
    },

    refuseHandshake(headers, status = '403 Forbidden') {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      refusal = `HTTP/1.1 ${status}\r\n${lines.join('')}content-length: 0\r\n\r\n`
    },

    upgrade(request, socket, head) {
      handshakes += 1
      if (refusal !== undefined) {
        socket.end(refusal)
        refusal = undefined
        return
      }
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
        if (sockets.size === 0) {
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
