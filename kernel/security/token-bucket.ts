/** A rate: `burst` times at once, and `per_second` times a second from then on. */
export interface Rate {
  per_second: number
  burst: number
}

const monotonic = () => performance.now()

/** One peer's allowance, which is full at first and fills up again with time. */
export class TokenBucket {
  readonly #rate: Rate
  readonly #now: () => number
  #tokens: number
  #filledAt: number

  /** `now` returns milliseconds that only rise. */
  constructor(rate: Rate, now = monotonic) {
    this.#rate = rate
    this.#now = now
    this.#tokens = rate.burst
    this.#filledAt = now()
  }

  /** Takes one token and returns 0, or takes none and returns the milliseconds until there is one. */
  take(): number {
    this.#fill()
    if (this.#tokens < 1) return ((1 - this.#tokens) / this.#rate.per_second) * 1000
    this.#tokens -= 1
    return 0
  }

  /** Takes tokens even if the bucket lacks them, up to a debt of a whole burst. */
  charge(count: number): void {
    this.#fill()
    this.#tokens = Math.max(-this.#rate.burst, this.#tokens - count)
  }

  #fill(): void {
    const time = this.#now()
    const { burst, per_second } = this.#rate
    this.#tokens = Math.min(burst, this.#tokens + ((time - this.#filledAt) * per_second) / 1000)
    this.#filledAt = time
  }
}

/** Creates buckets by key, such as an account's id or an address; they are kept only while they may not be full. */
export function createTokenBuckets(rate: Rate, now = monotonic) {
  const fillMs = ((2 * rate.burst) / rate.per_second) * 1000
  let current = new Map<string, TokenBucket>()
  let older = new Map<string, TokenBucket>()
  let turnedAt = now()
  const bucketOf = (key: string): TokenBucket => {
    // A bucket that was not used for the time that fills it from its deepest debt is full and need not be remembered.
    if (now() - turnedAt > fillMs) {
      older = current
      current = new Map()
      turnedAt = now()
    }
    const bucket = current.get(key) ?? older.get(key) ?? new TokenBucket(rate, now)
    current.set(key, bucket)
    return bucket
  }
  return {
    take: (key: string): number => bucketOf(key).take(),
    charge: (key: string, count: number): void => bucketOf(key).charge(count),
  }
}
