import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, type Options, verify } from '@node-rs/argon2'
import { AppError } from '#kernel'
import { COMMON_PASSWORDS } from './common-passwords.ts'

/** The longest password that is taken, in characters. */
export const MAX_PASSWORD_LENGTH = 200
const MIN_PASSWORD_LENGTH = 8

/** OWASP's first choice for argon2id, the algorithm that the library uses by default; the memory is in KiB. */
export const DEFAULT_MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1

/** Leaves a core to everybody else, and half of libuv's four threads to files and names. */
const CONCURRENCY = Math.min(2, Math.max(1, availableParallelism() - 1))
const MAX_WAITING = 500

/** Throws PASSWORD_TOO_WEAK unless the password keeps the contract's rules. */
export function assertStrongPassword(password: string): void {
  const { length } = [...password]
  const strong =
    length >= MIN_PASSWORD_LENGTH &&
    length <= MAX_PASSWORD_LENGTH &&
    /\p{L}/u.test(password) &&
    /\p{Nd}/u.test(password) &&
    !COMMON_PASSWORDS.has(password.toLowerCase())
  if (!strong) throw new AppError('PASSWORD_TOO_WEAK')
}

/** Makes argon2id hashes and checks them, a few at a time; throws PASSWORD_CHECKS_BUSY when too many wait. */
export function createPasswords({ memory_kib }: { memory_kib: number }) {
  const cost = { memoryCost: memory_kib, timeCost: PASSES, parallelism: LANES }
  const waiting: (() => void)[] = []
  let running = 0

  const inTurn = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (running < CONCURRENCY) running++
    else {
      if (waiting.length >= MAX_WAITING)
        throw new AppError('PASSWORD_CHECKS_BUSY', { retry_after_seconds: 1 })
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  const decoy = decoyHash(cost)
  return {
    hash: (password: string) => inTurn(() => hash(normalize(password), cost)),
    /** Takes the same time with null, which no password fits. */
    verify: (passwordHash: string | null, password: string) =>
      inTurn(() => verify(passwordHash ?? decoy, normalize(password))),
  }
}

/** Keyboards differ in how they compose a letter; the password is the same. */
const normalize = (password: string) => password.normalize('NFKC')

/** A hash of the usual cost that was made from no password. */
function decoyHash({ memoryCost, timeCost, parallelism }: Options): string {
  const random = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${random(16)}$${random(32)}`
}
