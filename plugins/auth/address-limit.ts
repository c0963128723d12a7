import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible'
import { type KernelServices, networkOf } from '#kernel'
import { createGate } from './gate.ts'
import { lockedFor } from './login-lock.ts'
import type { AuthConfig } from './types.ts'

/** How many accounts' worth of failures one address has in a lockout period; a whole office may share it. */
const ACCOUNTS = 40
const CONCURRENCY = 8
const MAX_WAITING = 1000

/** Limits failures by network address. */
export type AddressLimit = ReturnType<typeof createAddressLimit>

/** Makes the limit of addresses, which holds for all processes on one database. */
export function createAddressLimit({
  collections: { login_addresses },
  config,
}: Pick<KernelServices<AuthConfig>, 'collections' | 'config'>) {
  // Who is being checked counts as failed until it is known, so an address has only a few checked at a time.
  const gate = createGate({ concurrency: CONCURRENCY, maxWaiting: MAX_WAITING })
  const limiter = new RateLimiterMongo({
    storeClient: { collection: () => login_addresses },
    disableIndexesCreation: true,
    keyPrefix: '',
    points: config.login_max_attempts * ACCOUNTS,
    duration: config.login_lockout_seconds,
  })

  const consume = async (key: string) => {
    try {
      await limiter.consume(key)
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) throw lockedFor(refusal.msBeforeNext)
      throw refusal
    }
  }

  return {
    /** Runs `check` unless the address has too many failures (LOGIN_LOCKED); undefined from it is one more. */
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
