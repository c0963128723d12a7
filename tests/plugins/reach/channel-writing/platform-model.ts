import { type ChannelCapabilities, type ChannelConnection, ChannelFailure, type JSONValue } from '#plugin-api'
import type { Chance } from '../../../support/random.ts'
import type { VirtualTime } from './virtual-time.ts'

/** A message as people see it. */
interface SeenMessage {
  key: string
  text: string
  /** True if the message is final; a message that is not live is final at once. */
  is_ended: boolean
  /** True if the writer did not learn that the message has ended. */
  is_doubtful: boolean
  /** When it was begun and last changed. */
  begun: number
  changed: number
}

/** Random faults of a platform. */
export interface Troubles {
  /** Calls that fail, before or after they were carried out. */
  failures: number
  /** Number of live calls that fail permanently. */
  refusals: number
  /** True if another connection can continue a live message. */
  has_references: boolean
}

/** A process that uses the platform. */
interface PlatformUser {
  is_dead: boolean
  /** Number of calls under way. */
  calls: number
  /** Told of each call that was carried out, before it is answered. */
  onCall(): void
}

const NEVER = new Promise<never>(() => undefined)

/** A platform that enforces what its capabilities say, and fails at times. */
export function createPlatform({
  capabilities,
  time,
  random,
  troubles,
}: {
  capabilities: ChannelCapabilities
  time: VirtualTime
  random: Chance
  troubles: Troubles
}) {
  const messages: SeenMessage[] = []
  const violations: string[] = []
  const counts = { calls: 0, lost: 0, late: 0 }
  /** Failures of an unknown reason that are left: after the third one a call is given up. */
  let unknownFailures = 2
  const { live: limits, length_unit } = capabilities
  let lastChange = Number.NEGATIVE_INFINITY
  const calm = new AbortController().signal

  function check(text: string, max_length: number) {
    const length = length_unit === 'bytes' ? Buffer.byteLength(text) : text.length
    if (length > max_length) violations.push(`a message of ${length}`)
    if (text.trim() === '') violations.push('an empty message')
  }

  function change(message: SeenMessage, text: string) {
    check(text, limits?.max_length ?? capabilities.max_length)
    const now = time.now()
    if (now - lastChange < limits!.interval_ms) violations.push(`a change after ${now - lastChange} ms`)
    lastChange = now
    if (limits!.append_only && !text.startsWith(message.text))
      violations.push(`"${message.text}" became "${text}"`)
    if (now - message.begun > (limits!.max_ms ?? Number.POSITIVE_INFINITY)) {
      counts.late += 1
      throw new ChannelFailure('not_found', 'Too late.')
    }
    Object.assign(message, { text, changed: now })
  }

  function add(key: string, text: string, is_ended: boolean): SeenMessage {
    if (!/^[a-z0-9]{26}$/i.test(key)) violations.push(`the key ${key}`)
    const message = { key, text, is_ended, is_doubtful: false, begun: time.now(), changed: time.now() }
    messages.push(message)
    const keys = new Set(messages.map((each) => each.key))
    if (keys.size > (capabilities.max_replies ?? Number.POSITIVE_INFINITY))
      violations.push(`${keys.size} messages`)
    return message
  }

  /** A connection of a process; once that is dead, its calls do nothing and never end. */
  function connect(process: PlatformUser): ChannelConnection & { isClosed(): boolean } {
    let isClosed = false
    const call = async <Result>(
      signal: AbortSignal,
      mayRefuse: () => boolean,
      work: () => Result,
    ): Promise<Result> => {
      if (process.is_dead) return NEVER
      counts.calls += 1
      process.calls += 1
      if (process.calls > 1) violations.push('two calls at once')
      try {
        await time.wait(random.int(0, 400), calm)
        if (process.is_dead) return await NEVER
        if (signal.aborted) throw signal.reason
        if (isClosed) throw Object.assign(new Error('closed'), { code: 'ECONNRESET' })
        if (mayRefuse() && troubles.refusals > 0 && random.chance(0.1)) {
          troubles.refusals -= 1
          throw new ChannelFailure(random.pick(['unsupported', 'forbidden', 'not_found']), 'No.')
        }
        const fails = troubles.failures > 0 && random.chance(0.3)
        if (fails) troubles.failures -= 1
        const way = fails ? random.pick(['limit', 'before', 'after', 'after', 'close'] as const) : 'none'
        if (way === 'limit')
          throw new ChannelFailure('rate_limited', 'Slow down.', {
            retry_after_ms: random.pick([0, 3000, 30_000]),
          })
        if (way === 'before') throw new ChannelFailure('unreachable', 'Away.')
        if (way === 'close') {
          isClosed = true
          throw new TypeError('fetch failed', {
            cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
          })
        }
        const result = work()
        process.onCall()
        if (process.is_dead) return await NEVER
        await time.wait(random.int(0, 400), calm)
        if (way === 'after') {
          counts.lost += 1
          const isUnknown = random.chance(0.5) && unknownFailures > 0
          if (!isUnknown) throw new DOMException('late', 'TimeoutError')
          unknownFailures -= 1
          throw new Error('what?')
        }
        return result
      } finally {
        process.calls -= 1
      }
    }
    const liveMessage = (message: SeenMessage) => {
      const isOpen = () => !message.is_ended
      return {
        reference: troubles.has_references ? messages.indexOf(message) : null,
        update: (text: string, signal: AbortSignal) =>
          call(signal, isOpen, () => {
            if (message.is_ended) violations.push('an ended message is changed')
            change(message, text)
          }),
        async finish(text: string, signal: AbortSignal) {
          await call(signal, isOpen, () => {
            if (message.is_ended && message.text !== text) violations.push('an ended message ends otherwise')
            if (!message.is_ended) change(message, text)
            Object.assign(message, { is_ended: true, is_doubtful: true })
          })
          message.is_doubtful = false
        },
      }
    }
    const begin = (key: string, text: string, begun: JSONValue | undefined) => {
      const message = begun === undefined ? add(key, '', false) : messages[begun as number]!
      // A message that has ended stays as it is.
      if (!message.is_ended) change(message, text)
      return liveMessage(message)
    }
    const connection: ChannelConnection & { isClosed(): boolean } = {
      send: (_target, { text, key }, signal) =>
        call(signal, never, () => {
          check(text, capabilities.max_length)
          add(key, text, true)
          return null
        }),
      close: () => undefined,
      isClosed: () => isClosed,
    }
    if (limits)
      connection.live = (_target, { text, key }, signal, begun) =>
        call(
          signal,
          () => begun === undefined || !messages[begun as number]!.is_ended,
          () => begin(key, text, begun),
        )
    return connection
  }

  return { messages, violations, counts, connect }
}

const never = () => false

/**
 * Yields the texts that people may have read: each ended message once. A message whose end the writer did not learn may
 * have been sent again as another one, or not.
 */
export function* readMessages(messages: readonly SeenMessage[]): Generator<string[]> {
  const ended = [
    ...new Map(messages.filter(({ is_ended }) => is_ended).map((message) => [message.key, message])).values(),
  ]
  const doubtful = ended.filter(({ is_doubtful }) => is_doubtful)
  for (let choice = 0; choice < 2 ** doubtful.length; choice += 1) {
    const left = doubtful.filter((_, index) => (choice >> index) & 1)
    yield ended.filter((message) => !left.includes(message)).map(({ text }) => text)
  }
}
