import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible'
import { AppError, createKeyedQueue, networkOf } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { Refunds } from './refunds.ts'

const SIGN_IN_PERIOD_SECONDS = 900
const MAX_CONCURRENT_SIGN_INS = 8
const MAX_WAITING_SIGN_INS = 1000

/** Creates the error for a sign-in while too many others wait. */
export const createBusyError = () => new AppError('LOGIN_BUSY', { retry_after_seconds: 1 })

/** Limits failed sign-ins per network address. */
export type AddressLimit = ReturnType<typeof createAddressLimit>

/** Creates the limit of failed sign-ins, which applies to all processes on one database. */
export function createAddressLimit({
  collections: { login_addresses },
  limits,
  refunds,
}: { refunds: Refunds } & Pick<Cradle, 'collections' | 'limits'>) {
  const points = limits.of('sign_ins_per_address')
  // A sign-in counts as failed until it has been checked, so only a few per address are checked at a time.
  const queue = createKeyedQueue({
    concurrency: Math.min(MAX_CONCURRENT_SIGN_INS, points),
    maxWaiting: MAX_WAITING_SIGN_INS,
    toRefusal: createBusyError,
  })
  const limiter = new RateLimiterMongo({
    storeClient: { collection: () => login_addresses },
    disableIndexesCreation: true,
    keyPrefix: '',
    points,
    duration: SIGN_IN_PERIOD_SECONDS,
  })

  const consume = async (key: string) => {
    try {
      await limiter.consume(key)
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal
      const retry_after_seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
      throw new AppError('SIGN_INS_LIMITED', {
        retry_after_seconds,
        minutes: Math.ceil(retry_after_seconds / 60),
      })
    }
  }

  return {
    /** Runs `check`, whose undefined counts as a failure. Throws SIGN_INS_LIMITED after too many, LOGIN_BUSY. */
    attempt<Value>(ip: string, check: () => Promise<Value | undefined>): Promise<Value | undefined> {
      const key = networkOf(ip)
      return queue.run(key, async () => {
        await consume(key)
        let failed = false
        try {
          const value = await check()
          failed = value === undefined
          return value
        } finally {
          if (!failed) await refunds.make(() => limiter.reward(key))
        }
      })
    },
  }
}

const FEW_CALLS = 20
const MANY_CALLS = 300
const CALL_PERIOD_SECONDS = 60

/** Limits how often a network address may call public routes. */
export type CallLimit = ReturnType<typeof createCallLimit>

/** Creates the limit of calls, which applies to all processes on one database. */
export function createCallLimit({ collections: { limited_calls } }: Pick<Cradle, 'collections'>) {
  const createLimiter = (points: number) =>
    new RateLimiterMongo({
      storeClient: { collection: () => limited_calls },
      disableIndexesCreation: true,
      keyPrefix: '',
      points,
      duration: CALL_PERIOD_SECONDS,
    })
  const limiters = { few: createLimiter(FEW_CALLS), many: createLimiter(MANY_CALLS) }

  return {
    /**
     * Counts a call of the routes that share `name`. Throws RATE_LIMITED after 20 calls in a minute, or after 300
     * (`many`) of routes that many people behind one address use at the same time.
     */
    async consume(name: string, ip: string, allowed: keyof typeof limiters = 'few'): Promise<void> {
      try {
        await limiters[allowed].consume(`${name} ${networkOf(ip)}`)
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal
        throw new AppError('RATE_LIMITED', { retry_after_seconds: Math.ceil(refusal.msBeforeNext / 1000) })
      }
    },
  }
}
