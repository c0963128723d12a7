import type { ClientRequestArgs } from 'node:http'
import type { ClientOptions, WebSocket } from 'ws'
import type { Logger } from '#kernel'
import { ChannelFailure, type ChannelSettings } from '#plugin-api'
import { endOf, type NextStep, type SessionEnd } from './close-code.ts'
import { type Fields, fieldsOf, numberOf, parseFields, textOf } from './fields.ts'
import { TIMEOUT_MS } from './request.ts'
import type { Sequence } from './sequence.ts'

/** The gateway's operations. */
const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  heartbeatTaken: 11,
} as const

/** No frame of QQ comes near this; a longer one ends the connection. */
const MAX_FRAME = 4 * 1024 * 1024

/** So many events are taken in at a time; the others wait in the socket. */
const MAX_EVENTS = 64

const DEFAULT_HEARTBEAT_MS = 30_000
const MIN_HEARTBEAT_MS = 10

/** A connection that says nothing for two heartbeats, and at least so long, is dead. */
const MIN_SILENCE_MS = 3_000

const CLOSING_MS = 1_000
const GOING_AWAY = 1000

/** One connection to the gateway. */
export interface Session {
  /** Undefined once events can arrive, or why it ended before. */
  started: Promise<SessionEnd | undefined>
  ended: Promise<SessionEnd>
  /** Takes leave; resolves when the socket is gone. */
  close(): Promise<void>
}

/** What a connection needs; `resume` is the session to go on with. */
export interface SessionPlan {
  socketClass: typeof WebSocket
  url: string
  lookup: ChannelSettings['lookup']
  token: string
  intents: number
  resume: string | undefined
  sequence: Sequence
  log: Logger
  /** The platform's name for the session, to resume it by. */
  onIdentified(session_id: string): void
  /** Resolves when the event is stored; if it rejects, the connection is dropped so that QQ sends it again. */
  onEvent(type: string, data: Fields, id: string | undefined): Promise<void>
}

/** Connects, and identifies or resumes. */
export function startSession(plan: SessionPlan): Session {
  const { socketClass, url, lookup, token, intents, resume, sequence, log } = plan
  const options: ClientOptions & ClientRequestArgs = {
    lookup,
    maxPayload: MAX_FRAME,
    handshakeTimeout: TIMEOUT_MS,
    perMessageDeflate: false,
  }
  const socket = new socketClass(url, options)
  let resolveStarted: (end: SessionEnd | undefined) => void
  let resolveEnded: (end: SessionEnd) => void
  const started = new Promise<SessionEnd | undefined>((resolve) => {
    resolveStarted = resolve
  })
  const ended = new Promise<SessionEnd>((resolve) => {
    resolveEnded = resolve
  })
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  let heartbeat: NodeJS.Timeout | undefined
  let heardAt = performance.now()
  let isReady = false
  let isOver = false
  let isClosing = false
  let events = 0

  const deadline = setTimeout(
    () => end('resume', new ChannelFailure('timeout', 'The gateway of QQ did not answer in time.')),
    TIMEOUT_MS,
  )

  function end(next: NextStep, failure: ChannelFailure): void {
    if (isOver) return
    isOver = true
    clearTimeout(deadline)
    clearInterval(heartbeat)
    // A farewell would end the session, which may be resumed.
    socket.terminate()
    resolveStarted({ next, failure })
    resolveEnded({ next, failure })
  }

  const say = (op: number, d: unknown) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ op, d }))
  }
  const beat = () => say(OP.heartbeat, sequence.stored())

  function greet(interval: number | undefined): void {
    if (heartbeat) return
    const every = interval && interval >= MIN_HEARTBEAT_MS ? interval : DEFAULT_HEARTBEAT_MS
    const silence = Math.max(2 * every, MIN_SILENCE_MS)
    heartbeat = setInterval(() => {
      if (performance.now() - heardAt > silence)
        end('resume', new ChannelFailure('timeout', 'The gateway of QQ fell silent.'))
      else if (isReady) beat()
    }, every)
    const authorization = `QQBot ${token}`
    if (resume) say(OP.resume, { token: authorization, session_id: resume, seq: sequence.stored() })
    else say(OP.identify, { token: authorization, intents, shard: [0, 1] })
  }

  function begin(): void {
    isReady = true
    clearTimeout(deadline)
    resolveStarted(undefined)
  }

  async function take(type: string, { id, s, d }: Fields): Promise<void> {
    const number = numberOf(s)
    const stored = number === undefined ? undefined : sequence.begin(number)
    events += 1
    if (events === MAX_EVENTS) socket.pause()
    try {
      await plan.onEvent(type, fieldsOf(d), textOf(id))
      stored?.()
    } catch (error) {
      log.warn({ error, type }, 'an event of QQ could not be stored, and will be delivered again')
      end('resume', new ChannelFailure('unknown', 'A message of QQ could not be stored.', { cause: error }))
    } finally {
      events -= 1
      if (events === MAX_EVENTS - 1) socket.resume()
    }
  }

  function dispatch(frame: Fields): void {
    const type = textOf(frame.t)
    if (type === 'READY') {
      const id = textOf(fieldsOf(frame.d).session_id)
      if (id) plan.onIdentified(id)
    }
    if (type === 'READY' || type === 'RESUMED') {
      const number = numberOf(frame.s)
      if (number !== undefined) sequence.begin(number)()
      begin()
    } else if (type) void take(type, frame)
  }

  function refuse(): void {
    if (resume || isReady)
      end('identify', new ChannelFailure('unreachable', 'QQ does not go on with the session.'))
    else
      end(
        'renew_token',
        new ChannelFailure('invalid_credentials', 'QQ did not accept the bot at the gateway.'),
      )
  }

  socket.on('message', (message) => {
    if (isOver || isClosing) return
    heardAt = performance.now()
    const frame = parseFields(String(message))
    if (!frame) log.debug('the gateway of QQ sent a frame that is no JSON object')
    else if (frame.op === OP.dispatch) dispatch(frame)
    else if (frame.op === OP.heartbeat) beat()
    else if (frame.op === OP.hello) greet(numberOf(fieldsOf(frame.d).heartbeat_interval))
    else if (frame.op === OP.invalid) refuse()
    else if (frame.op === OP.reconnect)
      end('resume', new ChannelFailure('unreachable', 'QQ asked to connect again.'))
    else if (frame.op !== OP.heartbeatTaken)
      log.debug({ op: numberOf(frame.op) }, 'the gateway of QQ sent an operation that is not known')
  })
  socket.on('error', (cause) =>
    end(
      'resume',
      new ChannelFailure('unreachable', `The gateway of QQ cannot be reached: ${cause.message}.`, { cause }),
    ),
  )
  socket.on('close', (code) => {
    const { next, failure } = endOf(code)
    end(next, failure)
  })

  async function leave(): Promise<void> {
    isClosing = true
    if (!isOver && socket.readyState === socket.OPEN) {
      clearInterval(heartbeat)
      socket.close(GOING_AWAY)
      const late = setTimeout(() => socket.terminate(), CLOSING_MS)
      await gone
      clearTimeout(late)
    } else {
      end('give_up', new ChannelFailure('unknown', 'The channel was closed.'))
      await gone
    }
  }
  let leaving: Promise<void> | undefined

  return {
    started,
    ended,
    close() {
      leaving ??= leave()
      return leaving
    },
  }
}
