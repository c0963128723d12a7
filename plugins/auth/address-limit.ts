import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible'
import { AppError, networkOf } from '#kernel'
import { createGate } from './gate.ts'
import type { Cradle } from './manifest.ts'

const PERIOD_SECONDS = 900
const CONCURRENCY = 8
const MAX_WAITING = 1000

/** Limits wrong sign-ins by network address. */
export type AddressLimit = ReturnType<typeof createAddressLimit>

/** Makes the limit of addresses, which holds for all processes on one database. */
export function createAddressLimit({
  collections: { login_addresses },
  limits,
}: Pick<Cradle, 'collections' | 'limits'>) {
  const points = limits.of('sign_ins_per_address')
  // A sign-in counts as wrong until it has been checked, so an address has only a few checked at a time.
  const gate = createGate({ concurrency: Math.min(CONCURRENCY, points), maxWaiting: MAX_WAITING })
  const limiter = new RateLimiterMongo({
    storeClient: { collection: () => login_addresses },
    disableIndexesCreation: true,
    keyPrefix: '',
    points,
    duration: PERIOD_SECONDS,
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
    /** Runs `check` unless the address has too many wrong ones (SIGN_INS_LIMITED); undefined from it is one more. */
    attempt<Value>(ip: string, check: () => Promise<Value | undefined>): Promise<Value | undefined> {
      const key = networkOf(ip)
      return gate.run(key, async () => {
        await consume(key)
        let failed = false
        try {
          const value = await check()
          failed = value === undefined
          return value
        } finally {
          if (!failed) await limiter.reward(key)
        }
      })
    },
  }
}
