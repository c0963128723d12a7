import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible'
import { AppError, networkOf } from '#kernel'
import type { Cradle } from './manifest.ts'

const FEW_CALLS = 20
const MANY_CALLS = 300
const PERIOD_SECONDS = 60

/** Limits how often one network address may call what is open to everybody. */
export type CallLimit = ReturnType<typeof createCallLimit>

/** Makes the limit of calls, which holds for all processes on one database. */
export function createCallLimit({ collections: { limited_calls } }: Pick<Cradle, 'collections'>) {
  const limiterOf = (points: number) =>
    new RateLimiterMongo({
      storeClient: { collection: () => limited_calls },
      disableIndexesCreation: true,
      keyPrefix: '',
      points,
      duration: PERIOD_SECONDS,
    })
  const limiters = { few: limiterOf(FEW_CALLS), many: limiterOf(MANY_CALLS) }

  return {
    /**
     * Counts a call of the routes that go by `name`. Throws RATE_LIMITED after 20 in a minute; after 300 of what people
     * do many at a time, who share an address.
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
