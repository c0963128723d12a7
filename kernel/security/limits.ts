import { setTimeout as pause } from 'node:timers/promises'
import bytes from 'bytes'
import type { Manifests } from '../contract/additions.ts'
import { AppError } from '../errors.ts'
import { networkOf } from '../http/network.ts'
import { askForNearest } from '../nearest-name.ts'
import { type JSONSchema, objectOf, rowOf } from '../schema.ts'
import { createRecentValues } from './recent-values.ts'
import { createTallies } from './tallies.ts'
import { createTokenBuckets } from './token-bucket.ts'

/** A limit by its default: a number of things, or a size as text, such as "1gb". */
export interface LimitSpec {
  readonly default: number | string
  readonly description: string
}

/** The limits of the kernel itself; plugins declare theirs in their manifests. */
export const kernelLimits = {
  sockets: { default: 256, description: 'Open WebSockets and event streams of an account' },
  requests_per_minute: {
    default: 3000,
    description: 'Requests of an account, or of an address that has not signed in',
  },
  requests_burst: { default: 500, description: 'Requests at once, before the rate counts' },
  frames_per_second: { default: 50, description: 'Frames that one WebSocket may send' },
  frames_burst: { default: 200, description: 'Frames at once, before the rate counts' },
  socket_backlog_bytes: { default: '1mb', description: 'Bytes that may wait to be sent on one WebSocket' },
} as const satisfies Record<string, LimitSpec>

/** The names of all limits, of the kernel and of every plugin. */
export type LimitName =
  | keyof typeof kernelLimits
  | { [Name in keyof Manifests]: LimitsOf<Manifests[Name]> }[keyof Manifests]

type LimitsOf<Of> = Of extends { readonly limits: infer Table } ? keyof Table & string : never

/** Returns the schema of the section `limits` of the configuration; each key has a variable, such as SVC_LIMIT_SOCKETS. */
export const limitsSchema = (declared: Readonly<Record<string, LimitSpec>>): JSONSchema =>
  objectOf(
    Object.fromEntries(
      Object.entries({ ...declared, ...kernelLimits }).map(([name, spec]) => [
        name,
        {
          ...(typeof spec.default === 'number' ? COUNT : SIZE),
          ...spec,
          env: `SVC_LIMIT_${name.toUpperCase()}`,
        },
      ]),
    ),
  )

const COUNT = { type: 'integer', minimum: 1, maximum: 1_000_000_000 } as const
/** Bytes: a number, or a text with a unit. */
const SIZE = {
  type: ['integer', 'string'],
  minimum: 1,
  pattern: '^[1-9]\\d{0,8}(b|kb|mb|gb|tb)?$',
} as const

/** The section as it is configured. */
export type LimitSettings = Record<LimitName, number | string>

/** Counts how much of a limit an account has used. */
export type UsageCounter = (account_id: string) => number | Promise<number>

/** A limit as an account sees it; `used` is null if nothing is counted for an account. */
export interface LimitState {
  used: number | null
  max: number
}

/** The schema of every limit's state. */
export const limitStates = {
  title: 'Limits',
  type: 'object',
  additionalProperties: rowOf({
    used: { type: ['integer', 'null'], description: 'Null if nothing is counted for an account' },
    max: { type: 'integer', description: 'Of sizes in bytes' },
  }),
  description: 'By name; see the section `limits` of the configuration',
  examples: [{ sockets: { used: 2, max: 256 }, requests_per_minute: { used: null, max: 3000 } }],
} as const

/** The limits of this server; a plugin may also name the limits of its own manifest. */
export interface Limits<Name extends string = LimitName> {
  /** Returns the configured number; a size is in bytes. */
  of(name: Name): number
  /**
   * Runs `create` if the account has room for one more; throws LIMIT_REACHED. Parallel creations of this process never
   * pass the limit together; what other processes create is noticed within half a minute.
   */
  within<Value>(name: Name, account_id: string, create: () => Promise<Value>): Promise<Value>
  /** Throws LIMIT_REACHED if `used` is the limit or more. */
  assertRoom(name: Name, used: number): void
  /** Counts one request of an account; past its rate, throws RATE_LIMITED after half a second. */
  admitAccount(account_id: string): Promise<void>
  /** Counts one request of somebody unknown, by their network; past its rate, throws RATE_LIMITED after half a second. */
  admitAddress(ip: string): Promise<void>
  /** Counts `requests` more of an account, up to a debt of a whole burst. */
  charge(account_id: string, requests: number): void
  /** Every limit with what an account has used of it, as it was at most 300 ms ago. */
  describe(account_id: string): Promise<Record<LimitName, LimitState>>
  /** Drops what `describe` remembers; called after every request that may have changed it. */
  outdate(): void
}

/** The time that a request past its rate waits for its refusal, in milliseconds, which slows a client that retries at once. */
const REFUSAL_DELAY_MS = 500
/** The most requests that wait for a refusal; more are refused at once. */
const MAX_DELAYED = 1000

/** Makes the limits. `counters` count what accounts have, by the name of the limit. */
export function createLimits({
  settings,
  counters,
}: {
  settings: LimitSettings
  counters: ReadonlyMap<string, UsageCounter>
}): Limits {
  const names = Object.keys(settings) as LimitName[]
  const values = Object.fromEntries(names.map((name) => [name, bytes.parse(settings[name])!])) as Record<
    LimitName,
    number
  >
  const requests = createTokenBuckets({
    per_second: values.requests_per_minute / 60,
    burst: values.requests_burst,
  })
  /** The limits whose counters need not wait, so that nothing of them is remembered. */
  const prompt = new Set<LimitName>()
  const stateOf = (name: LimitName, used: number | undefined): LimitState => ({
    used: used ?? null,
    max: values[name],
  })
  const count = async (account_id: string): Promise<Record<LimitName, LimitState>> => {
    const states = names.map(async (name): Promise<[LimitName, LimitState]> => {
      const used = counters.get(name)?.(account_id)
      if (typeof used === 'number') prompt.add(name)
      return [name, stateOf(name, await used)]
    })
    return Object.fromEntries(await Promise.all(states)) as Record<LimitName, LimitState>
  }
  const described = createRecentValues(
    async (account_ids) => new Map(account_ids.map((account_id) => [account_id, count(account_id)])),
  )
  const tallies = createTallies()

  const maximumOf = (name: LimitName): number => {
    if (!Object.hasOwn(values, name))
      throw new Error(`no manifest declares the limit "${name}"${askForNearest(name, names)}`)
    return values[name]
  }
  const counterOf = (name: LimitName): UsageCounter => {
    const counter = counters.get(name)
    if (!counter) throw new Error(`nothing counts the limit "${name}": declare host.limit in setup`)
    return counter
  }

  const assertRoom: Limits['assertRoom'] = (name, used) => {
    const max = maximumOf(name)
    if (used >= max) throw new AppError('LIMIT_REACHED', { limit: name, max })
  }
  let delayed = 0
  const admit = async (key: string) => {
    const wait = requests.take(key)
    if (wait === 0) return
    if (delayed < MAX_DELAYED) {
      delayed += 1
      await pause(REFUSAL_DELAY_MS)
      delayed -= 1
    }
    throw new AppError('RATE_LIMITED', { retry_after_seconds: Math.ceil(wait / 1000) })
  }

  return {
    of: maximumOf,

    within(name, account_id, create) {
      const max = maximumOf(name)
      const counter = counterOf(name)
      return tallies.use(
        `${name} ${account_id}`,
        () => counter(account_id),
        async (tally) => {
          await tally.refresh()
          if (tally.used >= max) {
            await tally.recount()
            assertRoom(name, tally.used)
          }
          return tally.add(create).finally(() => described.drop(account_id))
        },
      )
    },

    assertRoom,
    admitAccount: (account_id) => admit(account_id),
    admitAddress: (ip) => admit(networkOf(ip)),
    charge: (account_id, count) => requests.charge(account_id, count),

    async describe(account_id) {
      const states = { ...(await described.get(account_id))! }
      for (const name of prompt) states[name] = stateOf(name, counters.get(name)!(account_id) as number)
      return states
    },
    outdate: () => described.drop(),
  }
}
