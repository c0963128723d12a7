import type { Server } from 'node:http'
import { WebSocket, WebSocketServer } from 'ws'

/** An envelope without an acknowledgement is delivered again after this time, in milliseconds. */
const PATIENCE_MS = 1000

/** An envelope on its way. */
interface Delivery {
  type: string
  payload: object
  attempts: number
  settle(): void
  timer?: NodeJS.Timeout
}

/** The side of Slack that delivers. */
export interface FakeSlackSocket {
  /** Where the next connection may be opened, once. */
  issueTicket(): string
  tickets: string[]
  /** Resolves when the bot has acknowledged; tries until then. */
  deliver(type: string, payload: object): Promise<void>
  /** Sends a frame as it is to all connections. */
  frame(data: string): void
  /** Number of repeated envelopes. */
  redeliveries(): number
  connections(): number
  drop(): void
  /** Accepts no more connections, without an answer. */
  mute(isMute: boolean): void
  close(): Promise<void>
}

/** Serves Socket Mode below `/link` of a server. */
export function createFakeSlackSocket(
  server: Server,
  address: () => string,
  violations: string[],
): FakeSlackSocket {
  const sockets = new WebSocketServer({ server, path: '/link', maxPayload: 1024 * 1024 })
  const deliveries = new Map<string, Delivery>()
  const unused = new Set<string>()
  const tickets: string[] = []
  let acknowledged = new Set<string>()
  let repeated = 0
  let envelopes = 0
  let isMute = false
  let isOver = false

  const ready = () => [...sockets.clients].filter(({ readyState }) => readyState === WebSocket.OPEN)

  /** Sends an envelope to one of the connections, as Slack does. */
  function send(envelope_id: string) {
    const delivery = deliveries.get(envelope_id)
    const socket = ready().at(-1)
    if (!delivery || !socket || isMute) return
    clearTimeout(delivery.timer)
    if (delivery.attempts > 0) repeated++
    const { type, payload, attempts } = delivery
    const retry =
      type === 'events_api' ? { retry_attempt: attempts, retry_reason: attempts ? 'timeout' : '' } : {}
    socket.send(JSON.stringify({ envelope_id, type, payload, accepts_response_payload: false, ...retry }))
    delivery.attempts++
    // Slack does not repeat what was pressed.
    if (type !== 'interactive') delivery.timer = setTimeout(() => send(envelope_id), PATIENCE_MS)
  }

  function acknowledge(data: string) {
    let answer: { envelope_id?: string }
    try {
      answer = JSON.parse(data)
    } catch {
      violations.push('the bot sent a frame that is no JSON')
      return
    }
    const id = String(answer.envelope_id)
    const delivery = deliveries.get(id)
    if (!delivery) {
      if (!acknowledged.has(id)) violations.push(`the bot acknowledged ${id}, which was never sent`)
      return
    }
    clearTimeout(delivery.timer)
    deliveries.delete(id)
    acknowledged = new Set([...acknowledged, id].slice(-1000))
    delivery.settle()
  }

  sockets.on('connection', (socket, request) => {
    const ticket = new URL(request.url!, 'http://fake').searchParams.get('ticket')!
    if (!unused.delete(ticket)) return socket.close(4000, 'the ticket was used')
    if (isMute) return
    socket.on('message', (data) => acknowledge(String(data)))
    socket.send(
      JSON.stringify({
        type: 'hello',
        num_connections: ready().length,
        connection_info: { app_id: 'A0FAKE' },
      }),
    )
    for (const id of deliveries.keys()) send(id)
  })

  return {
    tickets,
    issueTicket() {
      const ticket = `ticket-${tickets.length}-${Math.random().toString(36).slice(2)}`
      tickets.push(ticket)
      unused.add(ticket)
      return `${address().replace('http', 'ws')}/link?ticket=${ticket}&app_id=A0FAKE`
    },
    deliver(type, payload) {
      const envelope_id = `envelope-${++envelopes}`
      const acknowledged = new Promise<void>((settle) => {
        deliveries.set(envelope_id, { type, payload, attempts: 0, settle })
      })
      send(envelope_id)
      return acknowledged
    },
    frame(data) {
      for (const socket of ready()) socket.send(data)
    },
    redeliveries: () => repeated,
    connections: () => ready().length,
    drop() {
      for (const socket of sockets.clients) socket.terminate()
    },
    mute(mute) {
      isMute = mute
    },
    async close() {
      if (isOver) return
      isOver = true
      for (const { timer } of deliveries.values()) clearTimeout(timer)
      deliveries.clear()
      for (const socket of sockets.clients) socket.terminate()
      await new Promise((resolve) => sockets.close(resolve))
    },
  }
}
