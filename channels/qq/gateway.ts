import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '#kernel'
import {
  ChannelFailure,
  type ChannelFailureReason,
  type ChannelLink,
  type ChannelSettings,
} from '#plugin-api'
import type { Api } from './api.ts'
import type { SessionEnd } from './close-code.ts'
import { apiAddressOf } from './config.ts'
import { type Fields, textOf } from './fields.ts'
import { createSequence } from './sequence.ts'
import { type Session, startSession } from './session.ts'

/** Messages of users and groups. */
const MESSAGES = 1 << 25
/** Buttons that were pressed, which not every bot has a right to. */
const INTERACTIONS = 1 << 26

/** Waits between attempts, in milliseconds; the last one is kept. */
const WAITS = [0, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000]

/** A connection that lasted so long was a good one: the waits begin anew. */
const LASTING_MS = 10_000

/** The address of the gateway may only be asked for twice a minute, so it is asked for again only now and then. */
const ATTEMPTS_PER_ADDRESS = 4

/** What no further attempt can change. */
const FINAL: readonly ChannelFailureReason[] = [
  'invalid_credentials',
  'forbidden',
  'unsupported',
  'missing_field',
]

/** The connection to QQ's gateway, which comes back by itself until its lifetime is over. */
export interface Gateway {
  /** Resolves when no socket and no timer is left, after the end of the lifetime. */
  closed(): Promise<void>
}

/** What the gateway works with; `onEvent` resolves when an event is stored; `id` is the event's own. */
export interface GatewayPlan {
  settings: ChannelSettings
  link: Pick<ChannelLink, 'log' | 'connecting' | 'connected' | 'lost'>
  api: Api
  /** Aborted when the channel is closed. */
  lifetime: AbortSignal
  onEvent(type: string, data: Fields, id: string | undefined): Promise<void>
}

/** Connects; resolves when events can arrive, and throws a `ChannelFailure` where the first connection fails. */
export async function openGateway({ settings, link, api, lifetime, onEvent }: GatewayPlan): Promise<Gateway> {
  const { WebSocket: socketClass } = await import('ws')
  const isSecure = apiAddressOf(settings).startsWith('https:')
  let address: string | undefined
  let intents = MESSAGES | INTERACTIONS
  let resume: string | undefined
  let sequence = createSequence()
  let token = ''
  let hasRenewed = false
  let current: Session | undefined

  async function findAddress(): Promise<string> {
    const { url } = await api.call('GET', '/gateway', {
      what: 'the address of its gateway',
      signal: lifetime,
    })
    const found = textOf(url)
    if (!found || !URL.canParse(found) || !(isSecure ? /^wss:/ : /^wss?:/).test(found))
      throw new ChannelFailure('unknown', 'QQ named no address of its gateway.')
    await settings.assertAllowed(found).catch((cause) => {
      if (cause instanceof AppError)
        throw new ChannelFailure('forbidden', 'The gateway of QQ lies in a private network.', { cause })
      throw cause
    })
    return found
  }

  /** Connects once; gives why that failed. */
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
      onIdentified: (session_id) => {
        resume = session_id
      },
      onEvent,
    })
    return current.started
  }

  /** Does what helps against the end of a session. Throws its failure where nothing does. */
  async function prepare({ next, failure }: SessionEnd): Promise<void> {
    if (next !== 'resume') resume = undefined
    if (next === 'give_up') throw failure
    if (next === 'renew_token' && !hasRenewed) {
      hasRenewed = true
      await api.tokens.renew(token, lifetime)
    } else if (next === 'fewer_intents' || next === 'renew_token') {
      // Asking for events that a bot has no right to is refused in either way.
      if (intents === MESSAGES) throw failure
      intents = MESSAGES
      link.log.warn('QQ lets this bot have no events of buttons; only what is written can answer it')
    }
  }

  /** Connects after an end that something can be done about; other ends are thrown. */
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

  /** Comes back after each end, until the channel is closed or nothing helps any more. */
  async function persist(): Promise<void> {
    let failures = 0
    let since = performance.now()
    for (;;) {
      const end = await current!.ended
      lifetime.throwIfAborted()
      if (end.next !== 'give_up') link.connecting(end.failure.message)
      if (performance.now() - since >= LASTING_MS) failures = 0
      await prepare(end)
      for (let isBack = false; !isBack; ) {
        await sleep(waitBefore(failures), undefined, { signal: lifetime })
        failures += 1
        if (failures % ATTEMPTS_PER_ADDRESS === 0) address = undefined
        isBack = await connect().then(
          () => true,
          (error) => {
            lifetime.throwIfAborted()
            if (!(error instanceof ChannelFailure) || FINAL.includes(error.reason)) throw error
            link.log.debug({ reason: error.reason }, 'the gateway of QQ cannot be reached yet')
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
  const persisting = persist().catch((error) => {
    if (!lifetime.aborted) link.lost(error)
  })

  return {
    async closed() {
      await current?.close()
      await persisting
    },
  }
}

/** Longer with each failure, and never the same for all bots at once. */
function waitBefore(failures: number): number {
  const wait = WAITS[Math.min(failures, WAITS.length - 1)]!
  return wait * (0.8 + 0.4 * Math.random())
}
