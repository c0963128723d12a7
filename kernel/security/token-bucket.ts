/** A rate: `burst` times at once, and `per_second` times a second from then on. */
export interface Rate {
  per_second: number
  burst: number
}

/** One peer's allowance, which fills up again with time. */
interface TokenBucket {
  /** Takes one token and returns 0, or takes none and returns the milliseconds until there is one. */
  take(): number
  /** Takes tokens even if the bucket lacks them, up to a debt of a whole burst. */
  charge(count: number): void
}

/** Makes a full bucket. `now` returns milliseconds that only rise. */
export function createTokenBucket({ per_second, burst }: Rate, now = () => performance.now()): TokenBucket {
  const perMs = per_second / 1000
  let tokens = burst
  let filledAt = now()
  const fill = () => {
    const time = now()
    tokens = Math.min(burst, tokens + (time - filledAt) * perMs)
    filledAt = time
  }
  return {
    take() {
      fill()
      if (tokens < 1) return (1 - tokens) / perMs
      tokens -= 1
      return 0
    },
    charge(count) {
      fill()
      tokens = Math.max(-burst, tokens - count)
    },
  }
}

/** Buckets by key, such as an account's id or an address. */
interface TokenBuckets {
  /** Takes one token of a key's bucket, as `TokenBucket.take` does. */
  take(key: string): number
  /** Charges a key's bucket, as `TokenBucket.charge` does. */
  charge(key: string, count: number): void
}

/** Makes buckets that are kept only while they may not be full. */
export function createTokenBuckets(rate: Rate, now = () => performance.now()): TokenBuckets {
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
    const bucket = current.get(key) ?? older.get(key) ?? createTokenBucket(rate, now)
    current.set(key, bucket)
    return bucket
  }
  return {
    take: (key) => bucketOf(key).take(),
    charge: (key, count) => bucketOf(key).charge(count),
  }
}
