import {
  AppError,
  EVERYONE,
  type Grants,
  grantedAccess,
  type Person,
  type Shareable,
  type ShareableDocument,
  type Sharer,
  type StoredGrant,
} from '#plugin-api'
import { FIRST_GROUP, type Groups } from './groups.ts'
import type { Cradle } from './manifest.ts'

/** Attempts at a change of grants that others keep changing. */
const MAX_TRIES = 5

/** The grants of everything that is shared. */
export type Sharing = ReturnType<typeof createSharing>

/** Returns the groups within which an account may share if sharing ends at groups: all but the one that everybody is in. */
export const ownGroups = ({ groups }: Pick<Person, 'groups'>): string[] =>
  groups.filter((id) => id !== FIRST_GROUP)

/** Creates the changes of grants. A kind whose plugin is switched off has no things: NOT_FOUND. */
export function createSharing({
  config,
  extensions,
  groups,
  users,
}: { groups: Groups } & Pick<Cradle, 'config' | 'extensions' | 'users'>) {
  const shareables = extensions['groups.shareables']

  const find = async (caller: Sharer, kind: string, key: string) => {
    const shareable = shareables.get(kind)
    if (!shareable) throw new AppError('NOT_FOUND')
    const thing = await shareable.find(caller, key)
    const isOwner = caller.role === 'admin' || shareable.ownerOf(thing) === caller.id
    return { shareable, thing, isOwner }
  }

  /** Returns the grantees in a list with whom an account may share. */
  const listAllowed = async (
    sharer: Omit<Sharer, 'username'>,
    grantees: readonly string[],
  ): Promise<Set<string>> => {
    if (sharer.role === 'admin' || config.sharing === 'everyone') return new Set(grantees)
    if (config.sharing === 'off') return new Set()
    const own = ownGroups(sharer)
    const people = await users.listByIds(grantees.flatMap((to) => to.match(/^user:(.*)$/)?.[1] ?? []))
    const members = people.filter(({ group_ids }) => group_ids.some((id) => own.includes(id)))
    const allowed = [...own.map((id) => `group:${id}`), ...members.map(({ _id }) => `user:${_id}`)]
    return new Set(grantees.filter((to) => allowed.includes(to)))
  }

  const assertAllowed = async (
    sharer: Omit<Sharer, 'username'>,
    grantees: readonly string[],
  ): Promise<void> => {
    const allowed = await listAllowed(sharer, grantees)
    if (grantees.every((to) => allowed.has(to))) return
    throw new AppError(config.sharing === 'off' ? 'SHARING_OFF' : 'SHARING_LIMITED')
  }

  /** Converts a list of a client to grants. Those that a thing has already may stay, whatever the rules of sharing are. */
  const toStored = async (
    caller: Sharer,
    entries: Grants,
    { grants = [] }: ShareableDocument,
    accesses: readonly string[],
  ): Promise<StoredGrant[]> => {
    const people = await users.listByUsernames(entries.flatMap(({ user }) => user ?? []))
    const named = await groups.findNamed(entries.flatMap(({ group }) => group ?? []))
    const granteeOf = ({ user, group }: Grants[number]): string | undefined => {
      if (user !== undefined) {
        const id = people.get(user.toLowerCase())?._id
        return id && `user:${id}`
      }
      if (group === undefined) return EVERYONE
      const id = named.get(group)?._id
      return id && `group:${id}`
    }
    const grantees = entries.map(granteeOf)
    const added = grantees.filter(
      (to) => to !== undefined && !grants.some((grant) => grant.to === to),
    ) as string[]
    if (config.sharing === 'off') await assertAllowed(caller, added)
    const allowed = await listAllowed(caller, added)
    if (added.includes(EVERYONE)) await assertAllowed(caller, [EVERYONE])
    const issues = entries.flatMap(({ user, access }, index) => {
      const to = grantees[index]
      const name = user === undefined ? 'group' : 'user'
      const isUnknown = to === undefined || (added.includes(to) && !allowed.has(to))
      if (isUnknown) {
        // The same for somebody who exists, so that nobody can find out who does.
        const message = `is no ${name} with whom you can share`
        return [{ path: `/${index}/${name}`, rule: 'grantee', message }]
      }
      if (grantees.indexOf(to) < index)
        return [{ path: `/${index}`, rule: 'unique', message: 'is for somebody who is in the list already' }]
      if (accesses.includes(access)) return []
      return [{ path: `/${index}/access`, rule: 'enum', message: `must be one of: ${accesses.join(', ')}` }]
    })
    if (issues.length > 0) throw new AppError('VALIDATION_FAILED', { issues })
    return entries.map(({ access }, index) => ({ to: grantees[index]!, access }))
  }

  /** Converts grants to a list for clients; those to accounts and groups that are gone are left out. */
  const toRows = async (grants: readonly StoredGrant[]): Promise<Grants> => {
    const idsOf = (kind: string) =>
      grants.flatMap(({ to }) => (to.startsWith(`${kind}:`) ? [to.slice(kind.length + 1)] : []))
    const [people, named] = await Promise.all([
      users.listByIds(idsOf('user')),
      groups.listRecent(idsOf('group')),
    ])
    return grants.flatMap(({ to, access }): Grants => {
      if (to === EVERYONE) return [{ everyone: true, access }]
      const person = people.find(({ _id }) => to === `user:${_id}`)
      if (person) return [{ user: person.username, access, name: person.display_name ?? person.username }]
      const group = named.get(to.slice('group:'.length))
      return group ? [{ group: group._id, access, name: group.name }] : []
    })
  }

  /** Returns the list that applies; what everybody may use without one says so. */
  const listGrants = (thing: ShareableDocument, { isOpen }: Shareable): Promise<Grants> =>
    toRows(thing.grants ?? (isOpen(thing) ? [{ to: EVERYONE, access: 'use' }] : []))

  return {
    assertAllowed,

    /** Returns with whom a thing is shared. Throws the error of its kind, and FORBIDDEN if the caller may only use it. */
    async read(caller: Sharer, kind: string, key: string): Promise<Grants> {
      const { shareable, thing, isOwner } = await find(caller, kind, key)
      if (!isOwner && grantedAccess(thing, caller) !== 'edit') throw new AppError('FORBIDDEN')
      return listGrants(thing, shareable)
    },

    /**
     * Replaces the list. Throws the error of the kind, FORBIDDEN unless the caller owns the thing or is an administrator,
     * SHARING_OFF, SHARING_LIMITED, VALIDATION_FAILED.
     */
    async replace(caller: Sharer, kind: string, key: string, entries: Grants): Promise<Grants> {
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        const { shareable, thing, isOwner } = await find(caller, kind, key)
        if (!isOwner) throw new AppError('FORBIDDEN')
        const stored = await shareable.store(thing, await toStored(caller, entries, thing, shareable.access))
        if (stored) return listGrants(stored, shareable)
      }
      throw new AppError('PRECONDITION_FAILED')
    },

    /** Removes all grants to an account or a group that is gone. */
    async forget(grantee: string): Promise<void> {
      await Promise.all(shareables.list().map((shareable) => shareable.forget(grantee)))
    },
  }
}
