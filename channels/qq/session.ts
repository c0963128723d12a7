import type { ClientRequestArgs } from 'node:http'
import type { ClientOptions, WebSocket } from 'ws'
import {
  ChannelFailure,
  type ChannelSettings,
  type Json,
  type Logger,
  parseObject,
  toFilledText,
  toNumber,
  toObject,
} from '#plugin-api'
import { type NextStep, type SessionEnd, toSessionEnd } from './close-code.ts'
import type { Sequence } from './gateway.ts'
import { TIMEOUT_MS } from './request.ts'

/** The gateway's operations. */
const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  heartbeatAck: 11,
} as const

/** Far above the frames of QQ; a longer one ends the connection. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024

/** Limit of events that are being stored; the others wait in the socket. */
const MAX_EVENTS = 64

const DEFAULT_HEARTBEAT_MS = 30_000
/** Intervals beyond these are not used: a timer that is too long runs without a pause. */
const MIN_HEARTBEAT_MS = 10
const MAX_HEARTBEAT_MS = 10 * 60_000

/** A connection without frames for two heartbeats, and for at least this long, is dead. */
const MIN_SILENCE_MS = 3_000

const CLOSING_MS = 1_000
const GOING_AWAY = 1000

/** One connection to the gateway. */
export interface Session {
  /** Resolves with undefined once events can arrive, or with the end if it came first. */
  started: Promise<SessionEnd | undefined>
  ended: Promise<SessionEnd>
  /** Closes the connection; resolves when the socket is closed. */
  close(): Promise<void>
}

/** The options of a connection; `resume` is the session to resume. */
interface SessionOptions {
  socketClass: typeof WebSocket
  url: string
  lookup: ChannelSettings['lookup']
  token: string
  intents: number
  resume: string | undefined
  sequence: Sequence
  log: Logger
  /** Called with the platform's id of the session, for resuming it, and the bot's own id. */
  onIdentified(session_id: string, bot_id: string | undefined): void
  /** Resolves when the event is stored; if it rejects, the connection is dropped so that QQ sends it again. */
  onEvent(type: string, data: Json, id: string | undefined): Promise<void>
}

/** Connects, and identifies or resumes. */
export function startSession(options: SessionOptions): Session {
  const { socketClass, url, lookup, token, intents, resume, sequence, log } = options
  const socketOptions: ClientOptions & ClientRequestArgs = {
    lookup,
    maxPayload: MAX_FRAME_BYTES,
    handshakeTimeout: TIMEOUT_MS,
    perMessageDeflate: false,
  }
  const socket = new socketClass(url, socketOptions)
  let resolveStarted: (end: SessionEnd | undefined) => void
  let resolveEnded: (end: SessionEnd) => void
  const started = new Promise<SessionEnd | undefined>((resolve) => {
    resolveStarted = resolve
  })
  const ended = new Promise<SessionEnd>((resolve) => {
    resolveEnded = resolve
  })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
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
    // Without a close frame, which would end the session: it may be resumed.
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
    const isUsable = interval && interval >= MIN_HEARTBEAT_MS && interval <= MAX_HEARTBEAT_MS
    const every = isUsable ? interval : DEFAULT_HEARTBEAT_MS
    const silence = Math.max(2 * every, MIN_SILENCE_MS)
    heartbeat = setInterval(() => {
      if (performance.now() - heardAt > silence)
        end('resume', new ChannelFailure('timeout', 'The gateway of QQ stopped sending.'))
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

  async function take(type: string, { id, s, d }: Json): Promise<void> {
    const number = toNumber(s)
    const stored = number === undefined ? undefined : sequence.begin(number)
    events += 1
    if (events === MAX_EVENTS) socket.pause()
    try {
      await options.onEvent(type, toObject(d), toFilledText(id))
      stored?.()
    } catch (error) {
      log.warn({ error, type }, 'a QQ event could not be stored and will be delivered again')
      end('resume', new ChannelFailure('unknown', 'A QQ message could not be stored.', { cause: error }))
    } finally {
      events -= 1
      if (events === MAX_EVENTS - 1) socket.resume()
    }
  }

  function dispatch(frame: Json): void {
    const type = toFilledText(frame.t)
    if (type === 'READY') {
      const { session_id, user } = toObject(frame.d)
      const id = toFilledText(session_id)
      if (id) options.onIdentified(id, toFilledText(toObject(user).id))
    }
    if (type === 'READY' || type === 'RESUMED') {
      const number = toNumber(frame.s)
      if (number !== undefined) sequence.begin(number)()
      begin()
    } else if (type) void take(type, frame)
  }

  function refuse(): void {
    if (resume || isReady)
      end('identify', new ChannelFailure('unreachable', 'QQ refused to resume the session.'))
    else
      end(
        'renew_token',
        new ChannelFailure('invalid_credentials', 'QQ did not accept the bot at the gateway.'),
      )
  }

  socket.on('message', (message) => {
    if (isOver || isClosing) return
    heardAt = performance.now()
    const frame = parseObject(String(message))
    if (!frame) log.warn('the gateway of QQ sent a frame that is not a JSON object, or is nested too deeply')
    else if (frame.op === OP.dispatch) dispatch(frame)
    else if (frame.op === OP.heartbeat) beat()
    else if (frame.op === OP.hello) greet(toNumber(toObject(frame.d).heartbeat_interval))
    else if (frame.op === OP.invalid) refuse()
    else if (frame.op === OP.reconnect)
      end('resume', new ChannelFailure('unreachable', 'QQ asked to connect again.'))
    else if (frame.op !== OP.heartbeatAck)
      log.debug({ op: toNumber(frame.op) }, 'the gateway of QQ sent an unknown operation')
  })
  socket.on('error', (cause: Error & { code?: string }) =>
    end(
      // A session that is resumed would begin with the same frame.
      cause.code?.startsWith('WS_ERR_') ? 'identify' : 'resume',
      new ChannelFailure('unreachable', `The gateway of QQ cannot be reached: ${cause.message}.`, { cause }),
    ),
  )
  socket.on('close', (code) => {
    const { next, failure } = toSessionEnd(code)
    end(next, failure)
  })

  async function leave(): Promise<void> {
    isClosing = true
    if (!isOver && socket.readyState === socket.OPEN) {
      clearInterval(heartbeat)
      socket.close(GOING_AWAY)
      const late = setTimeout(() => socket.terminate(), CLOSING_MS)
      await closed
      clearTimeout(late)
    } else {
      end('give_up', new ChannelFailure('unknown', 'The channel was closed.'))
      await closed
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
