import { randomBytes } from 'node:crypto'
import { AppError } from '#plugin-api'
import type { Identities } from '../users/identities.ts'
import type { UserChanges, UserDocument } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import { applyRules, asksForMore, type ClaimRule } from './claim-rules.ts'
import type { Cradle } from './manifest.ts'
import { type ForeignIdentity, SignInFailure } from './sign-in-kind.ts'
import { digest } from './sign-in-state.ts'

/** The account of an identity, and the change to it that the sign-in made. */
interface ProvisionedAccount {
  user: UserDocument
  change: { action: 'user.sso_create' | 'user.sso_update'; fields: UserChanges & GroupMoves } | null
  /** The claims that rules ask for and the service has left out as too large. */
  omitted: readonly string[]
}

/** The ids of the groups that a sign-in has made the account join and leave; missing if there are none. */
interface GroupMoves {
  joined?: string[]
  left?: string[]
}

/** Finds, updates or creates the accounts of users who sign in at another service (just-in-time provisioning). */
export type Provisioning = ReturnType<typeof createProvisioning>

/** Returns the key of an identity, which is unique across all services. */
export const makeIdentityKey = (
  kind: string,
  { issuer, subject }: Pick<ForeignIdentity, 'issuer' | 'subject'>,
): string => digest(JSON.stringify([kind, issuer, subject]))

/** Creates the provisioning. It finds accounts by their linked identities only, never by a name or an email address. */
export function createProvisioning({
  users,
  identities,
  permissionCatalog,
  extensions,
  clock,
  log,
}: { users: Users; identities: Identities } & Pick<
  Cradle,
  'permissionCatalog' | 'extensions' | 'clock' | 'log'
>) {
  /** Returns the changes that the rules require, without permissions that no plugin declares any more. */
  const computeChanges = (
    rules: readonly ClaimRule[],
    claims: ForeignIdentity['claims'],
    rights: Pick<UserDocument, 'role' | 'permissions'>,
  ): { changes: UserChanges; omitted: string[] } => {
    const { role, permissions, undecided } = applyRules(rules, claims, { ...rights, groups: [] })
    const effective = permissions.filter(
      (key) => rights.permissions.includes(key) || permissionCatalog.get(key),
    )
    const isSame =
      effective.length === rights.permissions.length &&
      effective.every((key) => rights.permissions.includes(key))
    const changes = { ...(role !== rights.role && { role }), ...(!isSame && { permissions: effective }) }
    return { changes, omitted: [...new Set(undecided.map((index) => rules[index]!.claim))] }
  }

  const update = async (
    user: UserDocument,
    changes: UserChanges,
    omitted: readonly string[],
  ): Promise<ProvisionedAccount> => {
    try {
      if (Object.keys(changes).length === 0) return { user, change: null, omitted }
      const changed = await users.update(user._id, changes)
      return { user: changed, change: { action: 'user.sso_update', fields: changes }, omitted }
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'LAST_ADMINISTRATOR') throw error
      log.warn({ username: user.username }, 'the rules of single sign-on would demote the last administrator')
      const { role, ...otherChanges } = changes
      return update(user, otherChanges, omitted)
    }
  }

  /** Puts an account into the groups that the rules require, and takes it out of the others that rules name. */
  const move = async (
    { _id, role, permissions, group_ids = [] }: UserDocument,
    rules: readonly ClaimRule[],
    claims: ForeignIdentity['claims'],
  ): Promise<GroupMoves> => {
    const { groups } = applyRules(rules, claims, { role, permissions, groups: group_ids })
    const missing = groups.filter((id) => !group_ids.includes(id))
    const existing = missing.length > 0 ? await extensions['users.groups'].ask({ ids: missing }) : []
    const joined = missing.filter((id) => existing.some((byId) => byId.has(id)))
    const left = group_ids.filter((id) => !groups.includes(id))
    for (const id of joined) await users.joinGroup(_id, id)
    for (const id of left) await users.leaveGroup(_id, id)
    return { ...(joined.length > 0 && { joined }), ...(left.length > 0 && { left }) }
  }

  const admit = async (
    user: UserDocument,
    { claims }: ForeignIdentity,
    rules: readonly ClaimRule[],
  ): Promise<ProvisionedAccount> => {
    if (!user.enabled) throw new SignInFailure('denied', 'The account is disabled.')
    const { changes, omitted } = computeChanges(rules, claims, user)
    const updated = await update(user, changes, omitted)
    const moves = await move(user, rules, claims)
    if (Object.keys(moves).length === 0) return updated
    return {
      ...updated,
      change: { action: 'user.sso_update', fields: { ...updated.change?.fields, ...moves } },
    }
  }

  const create = async (
    kind: string,
    key: string,
    identity: ForeignIdentity,
    rules: readonly ClaimRule[],
  ): Promise<ProvisionedAccount> => {
    const nobody = { role: 'user', permissions: [] as string[] } as const
    const { changes, omitted } = computeChanges(rules, identity.claims, nobody)
    const fields = { ...nobody, ...changes }
    const name = findUsername(identity)
    if (name === undefined && identity.incomplete) throw new SignInFailure('exchange', identity.incomplete)
    for (const username of proposeUsernames(name ?? `sso_${toHex(key)}`)) {
      try {
        const user = await users.create({
          username,
          ...fields,
          display_name: tidyName(identity.display_name),
          email: tidyEmail(identity.email),
          identities: [{ kind, key, linked_at: clock.seconds() }],
        })
        const moves = await move(user, rules, identity.claims)
        return { user, change: { action: 'user.sso_create', fields: { ...fields, ...moves } }, omitted }
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'USERNAME_TAKEN') throw error
        // The identity may be taken too: the same person signed in in another window.
        const linkedUser = await identities.find(key)
        if (linkedUser) return admit(linkedUser, identity, rules)
      }
    }
    throw new SignInFailure('generic', 'No free username was found for the new account.')
  }

  return {
    /**
     * Returns the account of an identity, changed as the rules require. Throws SignInFailure, also if it is disabled.
     */
    async provision(
      kind: string,
      identity: ForeignIdentity,
      rules: readonly ClaimRule[],
    ): Promise<ProvisionedAccount> {
      assertIdentity(identity)
      const { claims, incomplete } = identity
      // Without these claims, rights would be lost that the person has.
      if (incomplete && asksForMore(rules, claims)) throw new SignInFailure('exchange', incomplete)
      const key = makeIdentityKey(kind, identity)
      const user = await identities.find(key)
      return user ? admit(user, identity, rules) : create(kind, key, identity, rules)
    },
  }
}

const MAX_SUBJECT = 1024
const MAX_NAME = 128
const MAX_EMAIL = 254

/** Throws SignInFailure unless the identity has a usable issuer and subject. */
export function assertIdentity({ issuer, subject }: ForeignIdentity): void {
  const isUsable = [issuer, subject].every(
    (text) => typeof text === 'string' && text.trim() !== '' && text.length <= MAX_SUBJECT,
  )
  if (!isUsable) throw new SignInFailure('invalid_token', 'The service does not identify the user.')
}

const tidyName = (name: string | null): string | null =>
  [...(name ?? '').replace(/\p{Cc}+/gu, ' ').trim()].slice(0, MAX_NAME).join('').trim() || null

const tidyEmail = (email: string | null): string | null =>
  email && email.length <= MAX_EMAIL && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) ? email : null

/** Leaves room for the suffix of a name that is taken. */
const MAX_USERNAME = 56
const MAX_SUFFIX = 20

/** Returns the best name that can be a username; undefined if there is none. */
const findUsername = ({ usernames, email }: ForeignIdentity): string | undefined =>
  [...usernames, email].map(toUsername).find((name) => name !== '')

/** Proposes usernames for a new account, the best first; the last one has a random suffix. */
function* proposeUsernames(name: string): Generator<string> {
  yield name
  for (let number = 2; number <= MAX_SUFFIX; number++) yield `${name}_${number}`
  yield `${name}_${randomBytes(3).toString('hex')}`
}

const toHex = (identity_key: string) => Buffer.from(identity_key, 'base64url').toString('hex').slice(0, 8)

/**
 * Converts a name, the part of an address before the `@`, or a name of a Windows domain (`DOMAIN\name`), to a valid
 * username; empty if no character is left.
 */
function toUsername(name: string | null): string {
  const plain = (name ?? '')
    .slice(0, 1024)
    // Entra names guests `ada_example.org#EXT#@…`, and other providers before a hash.
    .replace(/#EXT#/i, '')
    .split('@')[0]!
    .split(/[\\#]/)
    .at(-1)!
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
  const allowed = plain.replace(/[^a-z0-9._-]+/g, '-').replace(/^[._-]+/, '')
  return allowed.slice(0, MAX_USERNAME).replace(/[._-]+$/, '')
}
