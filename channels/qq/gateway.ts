import { setTimeout as sleep } from 'node:timers/promises'
import {
  AppError,
  ChannelFailure,
  type ChannelFailureReason,
  type ChannelLink,
  type ChannelSettings,
  type Json,
  toFilledText,
} from '#plugin-api'
import type { Api } from './api.ts'
import type { SessionEnd } from './close-code.ts'
import { findApiAddress, type QQConfig } from './config.ts'
import { type Session, startSession } from './session.ts'

/** The intent for messages of users and groups. */
const MESSAGES = 1 << 25
/** The intent for pressed buttons, which not every bot may have. */
const INTERACTIONS = 1 << 26

/** Pauses between attempts, in milliseconds; the last one repeats. */
const PAUSES_MS = [0, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000]

/** After a connection has lasted this long, the pauses start from the first again. */
const STABLE_MS = 10_000

/** The gateway's address may be requested twice a minute, so it is reused for several attempts. */
const ATTEMPTS_PER_ADDRESS = 4

/** Failures that no further attempt can fix. */
const FINAL: readonly ChannelFailureReason[] = [
  'invalid_credentials',
  'forbidden',
  'unsupported',
  'missing_field',
]

/** The options of the gateway; `onEvent` resolves when an event is stored; `id` is the event's id, `bot_id` the bot's own. */
interface GatewayPlan {
  settings: ChannelSettings<QQConfig>
  link: Pick<ChannelLink, 'log' | 'connecting' | 'connected' | 'lost'>
  api: Api
  /** Aborted when the channel is closed. */
  lifetime: AbortSignal
  onEvent(type: string, data: Json, id: string | undefined, bot_id: string | undefined): Promise<void>
}

/**
 * Connects, and reconnects until `lifetime` is aborted. Resolves when events can arrive; throws a `ChannelFailure` if
 * the first connection fails.
 */
export async function openGateway({ settings, link, api, lifetime, onEvent }: GatewayPlan) {
  const { WebSocket: socketClass } = await import('ws')
  const isSecure = findApiAddress(settings).startsWith('https:')
  let address: string | undefined
  let intents = MESSAGES | INTERACTIONS
  let resume: string | undefined
  let bot_id: string | undefined
  let sequence = createSequence()
  let token = ''
  let hasRenewed = false
  let current: Session | undefined

  async function findAddress(): Promise<string> {
    const { url } = await api.call('GET', '/gateway', {
      what: 'the address of its gateway',
      signal: lifetime,
    })
    const gatewayUrl = toFilledText(url)
    if (!gatewayUrl || !URL.canParse(gatewayUrl) || !(isSecure ? /^wss:/ : /^wss?:/).test(gatewayUrl))
      throw new ChannelFailure('unknown', 'QQ returned no address of its gateway.')
    await settings.assertAllowed(gatewayUrl).catch((cause) => {
      if (cause instanceof AppError)
        throw new ChannelFailure('forbidden', 'The gateway of QQ is in a private network.', { cause })
      throw cause
    })
    return gatewayUrl
  }

  /** Connects once; returns the end of the session if that failed. */
  async function attempt(): Promise<SessionEnd | undefined> {
    address ??= await findAddress()
    token = await api.tokens.get(lifetime)
    lifetime.throwIfAborted()
    if (resume) sequence.restart()
    else sequence = createSequence()
    current = startSession({
      socketClass,
      url: address,
      lookup: settings.lookup,
      token,
      intents,
      resume,
      sequence,
      log: link.log,
      onIdentified: (session_id, user_id) => {
        resume = session_id
        bot_id = user_id
      },
      onEvent: (type, data, id) => onEvent(type, data, id, bot_id),
    })
    return current.started
  }

  /** Prepares the next connection after the end of a session. Throws its failure if a reconnect is useless. */
  async function prepare({ next, failure }: SessionEnd): Promise<void> {
    if (next !== 'resume') resume = undefined
    if (next === 'give_up') throw failure
    if (next === 'renew_token' && !hasRenewed) {
      hasRenewed = true
      await api.tokens.renew(token, lifetime)
    } else if (next === 'fewer_intents' || next === 'renew_token') {
      // QQ refuses intents that a bot may not have in either of these ways.
      if (intents === MESSAGES) throw failure
      intents = MESSAGES
      link.log.warn('QQ does not deliver button presses to this bot; decisions must be written')
    }
  }

  /** Connects; handles ends that the next attempt can avoid at once, and throws the failures of others. */
  async function connect(): Promise<void> {
    for (;;) {
      const wasResuming = resume !== undefined
      const end = await attempt()
      if (!end) {
        hasRenewed = false
        return
      }
      await prepare(end)
      if (end.next === 'resume' || (end.next === 'identify' && !wasResuming)) throw end.failure
    }
  }

  /** Reconnects after each end until the channel is closed or an attempt fails finally. */
  async function keepConnected(): Promise<void> {
    let failures = 0
    let since = performance.now()
    for (;;) {
      const end = await current!.ended
      lifetime.throwIfAborted()
      if (end.next !== 'give_up') link.connecting(end.failure.message)
      if (performance.now() - since >= STABLE_MS) failures = 0
      await prepare(end)
      for (let isConnected = false; !isConnected; ) {
        await sleep(choosePause(failures), undefined, { signal: lifetime })
        failures += 1
        if (failures % ATTEMPTS_PER_ADDRESS === 0) address = undefined
        isConnected = await connect().then(
          () => true,
          (error) => {
            lifetime.throwIfAborted()
            if (!(error instanceof ChannelFailure) || FINAL.includes(error.reason)) throw error
            link.log.debug({ reason: error.reason }, 'the gateway of QQ still cannot be reached')
            return false
          },
        )
      }
      since = performance.now()
      link.connected()
    }
  }

  lifetime.addEventListener('abort', () => void current?.close(), { once: true })
  try {
    await connect()
  } catch (error) {
    await current?.close()
    lifetime.throwIfAborted()
    throw error
  }
  const running = keepConnected().catch((error) => {
    if (!lifetime.aborted) link.lost(error)
  })

  return {
    /** Resolves when no socket and no timer is left, after `lifetime` is aborted. */
    async closed(): Promise<void> {
      await current?.close()
      await running
    },
  }
}

/** Returns the pause before an attempt: longer with each failure, with jitter. */
function choosePause(failures: number): number {
  const wait = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)]!
  return wait * (0.8 + 0.4 * Math.random())
}

/** Creates the tracker of the stored events of a new session, so that QQ delivers the others again. */
function createSequence() {
  let highest: number | null = null
  let open = new Set<number>()

  const stored = (): number | null => {
    if (open.size === 0) return highest
    const last = Math.min(...open) - 1
    return last > 0 ? last : null
  }

  return {
    /** Returns the last event up to which all are stored; null before the first. */
    stored,
    /** Tracks an event that has arrived; call the returned function when it is stored. */
    begin(number: number): () => void {
      const mine = open
      highest = Math.max(highest ?? 0, number)
      mine.add(number)
      return () => void mine.delete(number)
    },
    /** Resets after a resume: QQ delivers the events that were not stored again. */
    restart(): void {
      highest = stored()
      // Events of the previous connection that are still being stored count when they arrive again.
      open = new Set()
    },
  }
}

/** The tracker of the stored events of a session. */
export type Sequence = ReturnType<typeof createSequence>
