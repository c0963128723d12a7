import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type ChannelConnection,
  type ChannelFailureReason,
  type ChannelSettings,
  type Logger,
  untilAborted,
  withDeadline,
} from '#plugin-api'
import type { CommonSettings } from '../config/common-settings.ts'
import type { KnownKind } from '../config/kinds.ts'
import type { ChannelInbox } from '../conversations/intake.ts'
import type { ChannelDocument, ChannelState } from '../documents.ts'
import { type Failure, toFailure } from '../writing/index.ts'
import type { OpenChannelCursor } from './channel-cursor.ts'

/** Time limit for opening a channel, in milliseconds. */
const OPENING_MS = 60_000
/** Time limit for closing a channel, in milliseconds. */
const CLOSING_MS = 5000
/** After a connection has lasted this long, the pauses start from the first again. */
const GOOD_MS = 60_000

/** A state that a session reports. */
export interface ConnectionState {
  state: ChannelState
  failure?: Failure
  /** True if the connection was restored. */
  is_back?: boolean
}

/** A channel that this process keeps connected until `close` is called. */
export interface Session {
  channel: ChannelDocument
  kind: KnownKind
  /** The settings that all kinds of channels have. */
  config: CommonSettings
  log: Logger
  /** Aborted when the channel is being closed. */
  signal: AbortSignal
  /** Reports that the platform refused something that was sent, and that it is not tried again. */
  onRefused(failure: Failure): void
  /** Resolves with the connection as soon as it exists; rejects if `signal` or the session's signal is aborted. */
  connect(signal: AbortSignal): Promise<ChannelConnection>
  /** Resolves when the connection is closed and its last state is reported. */
  close(): Promise<void>
}

/** Opens a channel, and opens it again with back-off whenever the connection is lost. */
export function openSession({
  channel,
  kind,
  settings,
  inbox,
  cursor,
  onState,
  onRefused,
  log,
  random = Math.random,
}: {
  channel: ChannelDocument
  kind: KnownKind
  /** Throws a ChannelFailure if the config is incomplete. */
  settings(): ChannelSettings
  inbox: Pick<ChannelInbox, 'press' | 'moved'>
  cursor: OpenChannelCursor
  onState(state: ConnectionState): void
  onRefused(failure: Failure): void
  log: Logger
  random?: () => number
}): Session {
  const closing = new AbortController()
  const { signal } = closing
  const opened = new EventEmitter().setMaxListeners(0)
  let connection: ChannelConnection | undefined
  let hasConnected = false

  /** Opens the channel and waits until it is lost. Throws the reason why it could not be opened or was lost. */
  const keepOpen = async (onOpened: () => void, onGood: () => void): Promise<never> => {
    const attempt = new AbortController()
    let lose: (error: unknown) => void
    const lost = new Promise<never>((_, reject) => {
      lose = reject
    })
    // Nobody awaits this promise while the channel is being closed.
    lost.catch(noop)
    const link = {
      channel_id: channel._id,
      cursor: { get: cursor.get, set: cursor.set },
      receive: cursor.receive,
      press: inbox.press,
      moved: inbox.moved,
      signal: AbortSignal.any([signal, attempt.signal]),
      log,
      connecting: (detail: string) =>
        onState({ state: 'connecting', failure: { reason: 'unknown', detail } }),
      connected: () => onState({ state: 'connected', is_back: true }),
      lost: (error: unknown) => lose(error),
    }
    const opening = cursor.load().then(() => kind.open(settings(), link))
    let good: NodeJS.Timeout | undefined
    try {
      connection = await withDeadline(OPENING_MS, [signal], (patience) =>
        untilAborted(patience, Promise.race([opening, lost])),
      )
      onOpened()
      onState({ state: 'connected', is_back: hasConnected })
      hasConnected = true
      opened.emit('connection', connection)
      good = setTimeout(onGood, GOOD_MS)
      return await untilAborted(signal, lost)
    } finally {
      connection = undefined
      clearTimeout(good)
      attempt.abort()
      // A connection that opens after the time limit is closed as well.
      await Promise.race([opening.then(close, noop), pause(CLOSING_MS, undefined, { ref: false })])
    }
  }

  const close = async (ended: ChannelConnection) => {
    try {
      await ended.close()
    } catch (error) {
      const { reason, detail } = toFailure(error)
      log.warn({ reason, detail }, 'a channel could not be closed cleanly')
    }
  }

  const run = async () => {
    let failures = 0
    while (!signal.aborted) {
      onState({ state: 'connecting' })
      let wasOpen = false
      const onOpened = () => {
        wasOpen = true
      }
      const onGood = () => {
        failures = 0
      }
      const error: unknown = await keepOpen(onOpened, onGood).catch((thrown: unknown) => thrown)
      if (signal.aborted) return
      const failure = toFailure(error)
      onState({ state: isForPerson(failure) ? 'failed' : 'disconnected', failure })
      log.warn({ reason: failure.reason, detail: failure.detail }, 'channel is not connected')
      const wait = choosePause(failure, { failures, wasOpen, random })
      failures += 1
      await pause(wait, undefined, { signal }).catch(noop)
    }
  }
  const running = run()

  return {
    channel,
    kind,
    config: channel.config,
    log,
    signal,
    onRefused,
    async connect(callerSignal) {
      if (connection) return connection
      const [newConnection] = await once(opened, 'connection', {
        signal: AbortSignal.any([signal, callerSignal]),
      })
      return newConnection
    },
    async close() {
      closing.abort()
      await running
      onState({ state: 'disconnected' })
    },
  }
}

const noop = () => {}

/** The first and the longest pause between two attempts, in milliseconds. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 300_000
/** The longest pause after a connection that was open and then cut: what cut it may be one message. */
const LONGEST_PAUSE_AFTER_CUT_MS = 60_000
/** Failures that only a person can fix. The channel still retries, with the longest pause. */
const FOR_A_PERSON: readonly ChannelFailureReason[] = [
  'missing_field',
  'invalid_credentials',
  'forbidden',
  'not_found',
  'unsupported',
]

/** The failures of an open connection that was cut. */
const CUT: readonly ChannelFailureReason[] = ['unreachable', 'timeout']

/** True if only a person can fix what keeps a channel from its platform. */
const isForPerson = ({ reason }: Failure): boolean => FOR_A_PERSON.includes(reason)

/** Returns the pause before the next attempt to connect, in milliseconds. */
export function choosePause(
  failure: Failure,
  { failures, wasOpen, random }: { failures: number; wasOpen: boolean; random(): number },
): number {
  const most = wasOpen && CUT.includes(failure.reason) ? LONGEST_PAUSE_AFTER_CUT_MS : LONGEST_PAUSE_MS
  const longest = isForPerson(failure) ? most : Math.min(most, FIRST_PAUSE_MS * 2 ** failures)
  return Math.max(failure.retry_after_ms ?? 0, longest * (0.5 + random() / 2))
}
