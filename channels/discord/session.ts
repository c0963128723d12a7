import { setTimeout as delay } from 'node:timers/promises'
import type { APIGatewayBotInfo } from 'discord-api-types/v10'
import { ChannelFailure, type ChannelLink } from '#plugin-api'
import { closeFailure, toNetworkFailure } from './failure.ts'
import type { GatewayEvent } from './gateway-socket.ts'
import { createShard, type EventCursor } from './shard.ts'
import type { SocketOptions } from './socket-options.ts'

/** Time limit for a connection to be ready, at first and after each cut. */
const CONNECT_MS = 45_000

/** Discord allows one new session per gap, and revokes the token after a thousand in a day. */
const IDENTIFY_GAP_MS = 5_000
const IDENTIFIES_AN_HOUR = 20
const HOUR_MS = 3_600_000

/** Pauses before another connection attempt, and before an event that could not be stored is requested again. */
const BACKOFF_MS = [0, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/** The options of a session. */
interface SessionParts {
  token: string
  gateway: APIGatewayBotInfo
  socketOptions: SocketOptions
  assertAllowed(url: string): Promise<void>
  link: Pick<ChannelLink, 'signal' | 'log' | 'connecting' | 'connected' | 'lost'>
  /** Handles an event. If a returned promise rejects, the event is requested from Discord again. */
  handle(event: GatewayEvent): Promise<void> | undefined
  /** Called when a new session has replaced the old one: events in between are not delivered. */
  missed(): void
}

/** Connects to the gateway; resolves when events can arrive, and rejects with a `ChannelFailure`. */
export async function openSession({
  token,
  gateway,
  socketOptions,
  assertAllowed,
  link,
  handle,
  missed,
}: SessionParts): Promise<{ close(): Promise<void> }> {
  const { log } = link
  const stop = new AbortController()
  let isOpen = false
  let isConnected = false
  let tries = 0
  let identified: number[] = []
  let socketError: Error | undefined
  let deadline: NodeJS.Timeout | undefined
  let rewinding: NodeJS.Timeout | undefined
  let ending: Promise<void> | undefined
  let succeed: () => void
  let refuse: (error: unknown) => void
  const opened = new Promise<void>((resolve, reject) => {
    succeed = resolve
    refuse = reject
  })

  await assertAllowed(gateway.url)
  const shard = createShard({
    token,
    gateway,
    socketOptions,
    log,
    isAllowed: (url) =>
      assertAllowed(url)
        .then(() => /^wss?:/.test(url))
        .catch(() => false),
    async pace() {
      const wait = BACKOFF_MS[Math.min(tries++, BACKOFF_MS.length - 1)]!
      // Rejects only when aborted, which the shard checks itself.
      if (wait > 0) await delay(wait, undefined, { signal: stop.signal }).catch(() => {})
    },
    async paceIdentify(signal) {
      identified = identified.filter((at) => at > Date.now() - HOUR_MS)
      if (identified.length === IDENTIFIES_AN_HOUR)
        fail(new ChannelFailure('unknown', 'Discord repeatedly ends the session of the bot.'))
      const wait = (identified.at(-1) ?? 0) + IDENTIFY_GAP_MS - Date.now()
      await delay(Math.max(0, wait), undefined, { signal })
      identified.push(Date.now())
    },
    on: {
      ready() {
        onConnected()
        if (isOpen) missed()
        isOpen = true
        succeed()
      },
      resumed: onConnected,
      socketError(error) {
        socketError = error
      },
      closed(code) {
        const final = closeFailure(code)
        if (final) return fail(final)
        const failure = (socketError && toSocketFailure(socketError)) ?? cutOff(code)
        socketError = undefined
        if (!isOpen) return fail(failure)
        startDeadline()
        if (isConnected) link.connecting(failure.message)
        isConnected = false
      },
      broken: (error) =>
        fail(new ChannelFailure('unknown', `The connection to Discord failed (${(error as Error).name}).`)),
      event: store,
    },
  })

  function onConnected() {
    clearTimeout(deadline)
    deadline = undefined
    tries = 0
    if (isOpen && !isConnected) link.connected()
    isConnected = true
  }

  function startDeadline() {
    deadline ??= setTimeout(
      () => fail(new ChannelFailure('timeout', 'Discord did not accept the connection of the bot in time.')),
      CONNECT_MS,
    )
  }

  function store(event: GatewayEvent, cursor: EventCursor) {
    const storing = handle(event)
    if (!storing) return
    cursor.hold(event.s)
    storing.then(
      () => cursor.release(event.s),
      (error) => rewind(event, cursor, error),
    )
  }

  function rewind(event: GatewayEvent, cursor: EventCursor, error: unknown) {
    if (ending) return
    const times = cursor.countFailure(event.s)
    if (times > BACKOFF_MS.length) {
      log.error({ error, times }, 'a Discord message could not be stored and is given up')
      cursor.release(event.s)
      return
    }
    log.warn({ error, times }, 'a Discord message could not be stored and is requested again')
    rewinding ??= setTimeout(
      () => {
        rewinding = undefined
        // A reconnect resumes at the same position anyway.
        if (isConnected) shard.rewind()
      },
      BACKOFF_MS[times - 1],
    )
  }

  const end = () => {
    ending ??= (async () => {
      stop.abort()
      link.signal.removeEventListener('abort', abandon)
      clearTimeout(deadline)
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
    startDeadline()
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

const toSocketFailure = (error: Error) => (error instanceof ChannelFailure ? error : toNetworkFailure(error))

const cutOff = (code: number) =>
  new ChannelFailure('unreachable', `The connection to Discord was cut (close code ${code}).`)
