import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible'
import { AppError, type KernelServices } from '#kernel'
import { networkOf } from './network.ts'

const CALLS = 20
const PERIOD_SECONDS = 60

/** Limits how often one network address may call what is open to everybody. */
export type CallLimit = ReturnType<typeof createCallLimit>

/** Makes the limit of calls, which holds for all processes on one database. */
export function createCallLimit({ collections: { limited_calls } }: Pick<KernelServices, 'collections'>) {
  const limiter = new RateLimiterMongo({
    storeClient: { collection: () => limited_calls },
    disableIndexesCreation: true,
    keyPrefix: '',
    points: CALLS,
    duration: PERIOD_SECONDS,
  })

  return {
    /** Counts a call of the routes that go by `name`. Throws RATE_LIMITED after 20 in a minute. */
    async consume(name: string, ip: string): Promise<void> {
      try {
        await limiter.consume(`${name} ${networkOf(ip)}`)
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal
        throw new AppError('RATE_LIMITED', { retry_after_seconds: Math.ceil(refusal.msBeforeNext / 1000) })
      }
    },
  }
}
