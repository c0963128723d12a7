import { setTimeout as delay } from 'node:timers/promises'
import type { APIGatewayBotInfo } from 'discord-api-types/v10'
import { ChannelFailure, type ChannelLink } from '#plugin-api'
import type { EventCursor } from './event-cursor.ts'
import { closeFailure, unreachable } from './failure.ts'
import { createShard, type GatewayEvent } from './shard.ts'

/** Within which a connection must be there, at first and after each cut. */
const PRESENCE_MS = 45_000

/** Discord takes one new session in this time, and a thousand a day before it takes the token away. */
const IDENTIFY_GAP_MS = 5_000
const IDENTIFIES_AN_HOUR = 20
const HOUR_MS = 3_600_000

/** Waits before a connection is tried once more, and before an event that could not be dealt with is asked for again. */
const BACKOFF_MS = [0, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/** A connection to the gateway that comes back by itself. */
export interface Session {
  close(): Promise<void>
}

/** What a session needs, and whom it tells. */
export interface SessionParts {
  token: string
  gateway: APIGatewayBotInfo
  assertAllowed(url: string): Promise<void>
  link: Pick<ChannelLink, 'signal' | 'log' | 'connecting' | 'connected' | 'lost'>
  /** Where it gives a promise, the event counts as dealt with once that resolves; if it rejects, Discord is asked for it again. */
  handle(event: GatewayEvent): Promise<void> | undefined
  /** The connection is here again, in a new session: nothing that happened meanwhile comes as an event. */
  missed(): void
}

/** Connects to the gateway; resolves when events can arrive, and rejects with a `ChannelFailure`. */
export async function openSession({
  token,
  gateway,
  assertAllowed,
  link,
  handle,
  missed,
}: SessionParts): Promise<Session> {
  const { log } = link
  const stop = new AbortController()
  let isOpen = false
  let isHere = false
  let tries = 0
  let identified: number[] = []
  let socketError: Error | undefined
  let absence: NodeJS.Timeout | undefined
  let rewinding: NodeJS.Timeout | undefined
  let ending: Promise<void> | undefined
  let succeed: () => void
  let refuse: (error: unknown) => void
  const opened = new Promise<void>((resolve, reject) => {
    succeed = resolve
    refuse = reject
  })

  await assertAllowed(gateway.url)
  const shard = await createShard({
    token,
    gateway,
    log,
    isAllowed: (url) =>
      assertAllowed(url)
        .then(() => /^wss?:/.test(url))
        .catch(() => false),
    async pace() {
      const wait = BACKOFF_MS[Math.min(tries++, BACKOFF_MS.length - 1)]!
      // The delay fails only by being aborted, and the shard checks for that itself.
      if (wait > 0) await delay(wait, undefined, { signal: stop.signal }).catch(() => {})
    },
    async paceIdentify(signal) {
      identified = identified.filter((at) => at > Date.now() - HOUR_MS)
      if (identified.length === IDENTIFIES_AN_HOUR)
        fail(new ChannelFailure('unknown', 'Discord ends the session of the bot again and again.'))
      const wait = (identified.at(-1) ?? 0) + IDENTIFY_GAP_MS - Date.now()
      await delay(Math.max(0, wait), undefined, { signal })
      identified.push(Date.now())
    },
    on: {
      ready() {
        arrive()
        if (isOpen) missed()
        isOpen = true
        succeed()
      },
      resumed: arrive,
      socketError(error) {
        socketError = error
      },
      closed(code) {
        const final = closeFailure(code)
        if (final) return fail(final)
        const failure = (socketError && unreachable(socketError)) ?? cutOff(code)
        socketError = undefined
        if (!isOpen) return fail(failure)
        expect()
        if (isHere) link.connecting(failure.message)
        isHere = false
      },
      broken: (error) =>
        fail(
          new ChannelFailure('unknown', `The connection to Discord cannot go on (${(error as Error).name}).`),
        ),
      event: deal,
    },
  })

  function arrive() {
    clearTimeout(absence)
    absence = undefined
    tries = 0
    if (isOpen && !isHere) link.connected()
    isHere = true
  }

  function expect() {
    absence ??= setTimeout(
      () => fail(new ChannelFailure('timeout', 'Discord does not take the connection of the bot.')),
      PRESENCE_MS,
    )
  }

  function deal(event: GatewayEvent, cursor: EventCursor) {
    const dealing = handle(event)
    if (!dealing) return
    cursor.hold(event.s)
    dealing.then(
      () => cursor.release(event.s),
      (error) => rewind(event, cursor, error),
    )
  }

  function rewind(event: GatewayEvent, cursor: EventCursor, error: unknown) {
    if (ending) return
    const times = cursor.refuse(event.s)
    if (times > BACKOFF_MS.length) {
      log.error({ error, times }, 'a message of Discord could not be stored and is given up')
      cursor.release(event.s)
      return
    }
    log.warn({ error, times }, 'a message of Discord could not be stored and is asked for again')
    rewinding ??= setTimeout(
      () => {
        rewinding = undefined
        // Away, it resumes at the same place anyway.
        if (isHere) shard.rewind()
      },
      BACKOFF_MS[times - 1],
    )
  }

  const end = () => {
    ending ??= (async () => {
      stop.abort()
      link.signal.removeEventListener('abort', abandon)
      clearTimeout(absence)
      clearTimeout(rewinding)
      await shard.end()
    })()
    return ending
  }

  function fail(error: unknown) {
    if (ending) return
    void end()
    if (isOpen) link.lost(error)
    else refuse(error)
  }

  const abandon = () => {
    void end()
    refuse(link.signal.reason)
  }

  if (link.signal.aborted) abandon()
  else {
    link.signal.addEventListener('abort', abandon, { once: true })
    expect()
    shard.connect()
  }
  try {
    await opened
    return { close: end }
  } catch (error) {
    await end()
    throw error
  }
}

const cutOff = (code: number) =>
  new ChannelFailure('unreachable', `The connection to Discord was cut (close code ${code}).`)
