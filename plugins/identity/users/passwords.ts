import { randomBytes, randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Options } from 'argon2'
import { AppError } from '#plugin-api'
import { COMMON_PASSWORDS } from './common-passwords.ts'

/** The longest password that is accepted, in characters. */
const MAX_PASSWORD_LENGTH = 200
const MIN_PASSWORD_LENGTH = 8

/** The first recommendation of OWASP for argon2id, the library's default algorithm; memory in KiB. */
export const DEFAULT_MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1

/** Leaves one core free, and half of libuv's four threads to the file system and name resolution. */
const CONCURRENCY = Math.min(2, Math.max(1, availableParallelism() - 1))
const MAX_WAITING = 500

/** Throws PASSWORD_TOO_WEAK unless the password follows the rules of the contract. */
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

/** Creates and verifies argon2id hashes, a few at a time; throws PASSWORD_CHECKS_BUSY when too many calls wait. */
export function createPasswords({ memory_kib }: { memory_kib: number }) {
  const cost = { memoryCost: memory_kib, timeCost: PASSES, parallelism: LANES }
  const waiting: (() => void)[] = []
  let running = 0

  const runQueued = async <Value>(work: () => Promise<Value>): Promise<Value> => {
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

  const decoy = makeDecoyHash(cost)
  // Loaded with the first password, not at each start.
  const argon2 = () => import('argon2')
  return {
    hash: (password: string) => runQueued(async () => (await argon2()).hash(normalize(password), cost)),
    /** Resolves to false for null, after the same time as for a wrong password. */
    verify: (passwordHash: string | null, password: string) =>
      runQueued(async () => (await argon2()).verify(passwordHash ?? decoy, normalize(password))),
  }
}

/** Unicode-normalizes a password, because keyboards compose the same letter in different ways. */
const normalize = (password: string) => password.normalize('NFKC')

/** Makes a hash of the usual cost that no password matches. */
function makeDecoyHash({ memoryCost, timeCost, parallelism }: Options): string {
  const random = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${random(16)}$${random(32)}`
}

/** Without characters that are easily confused. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz'
const DIGITS = '23456789'

/** Generates a password of about 90 bits that can be read aloud: four groups of four characters and a digit. */
export function makePassword(): string {
  const pick = (from: string) => from[randomInt(from.length)]!
  const group = () => Array.from({ length: 4 }, () => pick(LETTERS + DIGITS)).join('') + pick(DIGITS)
  const password = Array.from({ length: 4 }, group).join('-')
  return /[a-z]/.test(password) ? password : makePassword()
}
