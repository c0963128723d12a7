import { AppError } from '#kernel'
import type { Identities } from '../users/identities.ts'
import type { UserChanges, UserDocument } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import { judge } from './claim-rules.ts'
import { digestOf } from './digest.ts'
import type { Cradle } from './manifest.ts'
import { type ForeignIdentity, SignInFailure } from './sign-in-kind.ts'
import type { ClaimRule } from './types.ts'
import { usernamesFor } from './usernames.ts'

/** Who has arrived, and what was changed of the account for it. */
export interface Arrival {
  user: UserDocument
  change: { action: 'user.sso_create' | 'user.sso_update'; fields: UserChanges } | null
}

/** Finds or makes the accounts of those who come from another service. */
export type Arrivals = ReturnType<typeof createArrivals>

/** What tells an identity from all others, of whatever service. */
export const keyOf = (
  kind: string,
  { issuer, subject }: Pick<ForeignIdentity, 'issuer' | 'subject'>,
): string => digestOf(JSON.stringify([kind, issuer, subject]))

/** Makes the desk of arrivals: accounts are recognized by their identities alone, never by a name or an address. */
export function createArrivals({
  users,
  identities,
  permissionCatalog,
  clock,
  log,
}: { users: Users; identities: Identities } & Pick<Cradle, 'permissionCatalog' | 'clock' | 'log'>) {
  /** What the rules make of an account, without permissions that no plugin declares any more. */
  const changesFor = (
    rules: readonly ClaimRule[],
    claims: ForeignIdentity['claims'],
    held: Pick<UserDocument, 'role' | 'permissions'>,
  ): UserChanges => {
    const { role, permissions } = judge(rules, claims, held)
    const known = permissions.filter((key) => held.permissions.includes(key) || permissionCatalog.get(key))
    const isSame =
      known.length === held.permissions.length && known.every((key) => held.permissions.includes(key))
    return { ...(role !== held.role && { role }), ...(!isSame && { permissions: known }) }
  }

  const update = async (user: UserDocument, changes: UserChanges): Promise<Arrival> => {
    try {
      if (Object.keys(changes).length === 0) return { user, change: null }
      const changed = await users.update(user._id, changes)
      return { user: changed, change: { action: 'user.sso_update', fields: changes } }
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'LAST_ADMINISTRATOR') throw error
      log.warn(
        { username: user.username },
        'the rules of single sign-on would take the last administrator away',
      )
      const { role, ...rest } = changes
      return update(user, rest)
    }
  }

  const admit = (user: UserDocument, { claims }: ForeignIdentity, rules: readonly ClaimRule[]) => {
    if (!user.enabled) throw new SignInFailure('denied', 'The account is disabled.')
    return update(user, changesFor(rules, claims, user))
  }

  const create = async (
    kind: string,
    key: string,
    identity: ForeignIdentity,
    rules: readonly ClaimRule[],
  ): Promise<Arrival> => {
    const { role = 'user', permissions = [] } = changesFor(rules, identity.claims, {
      role: 'user',
      permissions: [],
    })
    const fields = { role, permissions }
    for (const username of usernamesFor(identity, key)) {
      try {
        const user = await users.create({
          username,
          ...fields,
          display_name: tidyName(identity.display_name),
          email: tidyEmail(identity.email),
          identities: [{ kind, key, linked_at: clock.seconds() }],
        })
        return { user, change: { action: 'user.sso_create', fields } }
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'USERNAME_TAKEN') throw error
        // What is taken may be the identity, by the same person in another window.
        const found = await identities.find(key)
        if (found) return admit(found, identity, rules)
      }
    }
    throw new SignInFailure('generic', 'No name was found for the new account.')
  }

  return {
    /** The account of an identity, as the rules want it. Throws SignInFailure, also for an account that is disabled. */
    async receive(kind: string, identity: ForeignIdentity, rules: readonly ClaimRule[]): Promise<Arrival> {
      assertIdentity(identity)
      const key = keyOf(kind, identity)
      const user = await identities.find(key)
      return user ? admit(user, identity, rules) : create(kind, key, identity, rules)
    },
  }
}

const MAX_SUBJECT = 1024
const MAX_NAME = 128
const MAX_EMAIL = 254

/** Throws SignInFailure for an identity that tells nobody from anybody. */
export function assertIdentity({ issuer, subject }: ForeignIdentity): void {
  const isUsable = [issuer, subject].every(
    (text) => typeof text === 'string' && text.trim() !== '' && text.length <= MAX_SUBJECT,
  )
  if (!isUsable) throw new SignInFailure('invalid_token', 'The service does not say who it is.')
}

const tidyName = (name: string | null): string | null =>
  [...(name ?? '').replace(/\p{Cc}+/gu, ' ').trim()].slice(0, MAX_NAME).join('').trim() || null

const tidyEmail = (email: string | null): string | null =>
  email && email.length <= MAX_EMAIL && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) ? email : null
