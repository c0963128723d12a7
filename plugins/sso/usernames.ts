import { randomBytes } from 'node:crypto'

/** Leaves room for what is added where the name is taken. */
const MAX_LENGTH = 56
const MAX_NUMBER = 20

/** The names to try for a new account, the best first: the last one is not taken. */
export function* usernamesFor(
  { username, email }: { username: string | null; email: string | null },
  identity_key: string,
): Generator<string> {
  const name = toUsername(username) || toUsername(email) || `sso_${hexOf(identity_key)}`
  yield name
  for (let number = 2; number <= MAX_NUMBER; number++) yield `${name}_${number}`
  yield `${name}_${randomBytes(3).toString('hex')}`
}

const hexOf = (identity_key: string) => Buffer.from(identity_key, 'base64url').toString('hex').slice(0, 8)

/** A wish by the rules for usernames, of an address what stands before the `@`; empty where nothing is left of it. */
function toUsername(wish: string | null): string {
  const plain = (wish ?? '')
    .slice(0, 1024)
    .split('@')[0]!
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
  const allowed = plain.replace(/[^a-z0-9._-]+/g, '-').replace(/^[._-]+/, '')
  return allowed.slice(0, MAX_LENGTH).replace(/[._-]+$/, '')
}
