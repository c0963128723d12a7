import type { Collection, Document, Filter, FindOptions, IndexDescription } from 'mongodb'
import type { LocalizedText } from '#kernel'

/** The access that a grant allows: to use a thing, or to change it as well. */
export type Access = 'use' | 'edit'

/** A grant as a thing stores it; `to` is `user:<id>`, `group:<id>` or `everyone`. */
export interface StoredGrant {
  to: string
  access: Access
}

/** The part of a document that says with whom it is shared; without a list, its kind decides. */
export interface Shared {
  grants?: StoredGrant[]
}

/** The part of an account that decides what is shared with it; `groups` are ids. */
export interface Person {
  id: string
  groups: readonly string[]
}

/** Somebody who shares a thing, or asks with whom it is shared. */
export interface Sharer extends Person {
  username: string
  role: 'user' | 'admin'
}

/** The grantee of a grant to all accounts. */
export const EVERYONE = 'everyone'

/** The indexes of a collection whose documents are shared: for lists, and for what ends with an account or a group. */
export const sharingIndexes: IndexDescription[] = [{ key: { 'grants.to': 1, _id: 1 } }]

/** Returns the grantees whose grants apply to an account: itself, its groups, and everyone. */
export const granteesOf = ({ id, groups }: Person): string[] => [
  `user:${id}`,
  ...groups.map((group) => `group:${group}`),
  EVERYONE,
]

/** Returns the highest access that an account has by grants; null if it has none. */
export function grantedAccess({ grants = [] }: Shared, person: Person): Access | null {
  const grantees = granteesOf(person)
  const matching = grants.filter(({ to }) => grantees.includes(to))
  if (matching.length === 0) return null
  return matching.some(({ access }) => access === 'edit') ? 'edit' : 'use'
}

/** Returns the condition that a document is shared with an account. */
export const isGrantedTo = (person: Person) => ({ 'grants.to': { $in: granteesOf(person) } })

/** Returns the condition that an account may use a document of a kind that is everybody's until it has a list. */
export const isOpenTo = (person: Person) => ({
  $or: [{ grants: { $exists: false } }, isGrantedTo(person)],
})

/** Returns the condition that a document is shared with an account so that it may change it. */
export const isEditableBy = (person: Person) => ({
  grants: { $elemMatch: { to: { $in: granteesOf(person) }, access: 'edit' as const } },
})

/** True if nobody but this account can change a thing of this owner. */
export const isChangedOnlyBy = (
  { id }: Pick<Person, 'id'>,
  { owner_id, grants = [] }: Shared & { owner_id: string },
): boolean => owner_id === id && grants.every(({ access }) => access === 'use')

/** True if a thing is shared with all accounts. */
export const isForEveryone = ({ grants = [] }: Shared): boolean => grants.some(({ to }) => to === EVERYONE)

/** Returns the grants of a thing that is now shared with all accounts, or no longer. */
export function shareWithEveryone({ grants = [] }: Shared, is_shared: boolean): StoredGrant[] {
  const others = grants.filter(({ to }) => to !== EVERYONE)
  if (!is_shared) return others
  return isForEveryone({ grants }) ? grants : [...others, { to: EVERYONE, access: 'use' }]
}

/** Returns the part of an update of a thing's document that shares it with all accounts, or no longer does. */
export function toGrantUpdate(thing: Shared, is_shared: boolean | undefined) {
  if (is_shared === undefined || is_shared === isForEveryone(thing)) return {}
  return is_shared
    ? { $addToSet: { grants: { to: EVERYONE, access: 'use' as const } } }
    : { $pull: { grants: { to: EVERYONE } } }
}

/** Returns the grantees that have a grant before and none, or a lower one, after a change. */
export const listLosers = ({ grants: former = [] }: Shared, { grants: current = [] }: Shared): string[] =>
  former.flatMap(({ to, access }) => {
    const left = current.find((grant) => grant.to === to)
    return left && (access === 'use' || left.access === 'edit') ? [] : [to]
  })

/** Something that is shared, as a preview of an account's access names it. */
export interface SharedThing {
  id: string
  name: string
  grants: readonly StoredGrant[]
}

/** A document that can be shared. */
export interface ShareableDocument extends Document, Shared {
  _id: string
}

/** A kind of things that their owners share with people and groups. */
export interface Shareable<Thing extends ShareableDocument = ShareableDocument> {
  /** Unique, such as `agent`. */
  name: string
  label: LocalizedText
  /** The accesses that can be granted. */
  access: readonly Access[]
  /** True if everybody may use the thing as long as it has no list of grants. */
  isOpen(thing: Thing): boolean
  /** Finds a thing for a caller who may see it; throws the error that the kind has for others. */
  find(caller: Sharer, key: string): Promise<Thing>
  /** The id of the thing's owner; null if only administrators own it. */
  ownerOf(thing: Thing): string | null
  /** Stores a list in place of the one that was read; null if the thing has changed or gone meanwhile. */
  store(thing: Thing, grants: StoredGrant[]): Promise<Thing | null>
  /** Lists things with a grant to one of these grantees, at most `limit`. */
  listGranted(grantees: readonly string[], limit: number): Promise<SharedThing[]>
  /** Removes the grants to an account or group that is gone. */
  forget(grantee: string): Promise<void>
}

/**
 * Describes a kind of things that are documents of one collection. `changed` is called with each thing whose list has
 * changed, as it was and as it is.
 */
export function createShareable<Thing extends ShareableDocument>({
  collection,
  owner,
  nameOf,
  changed,
  is_open,
  ...kind
}: Pick<Shareable<Thing>, 'name' | 'label' | 'access' | 'find'> & {
  collection: () => Collection<Thing>
  /** True if everybody may use things that have no list of grants. */
  is_open: boolean | ((thing: Thing) => boolean)
  /** The field with the id of the owner. */
  owner: keyof Thing & string
  nameOf: (thing: Thing) => string
  changed: (former: Thing, current: Thing) => unknown
}): Shareable<Thing> {
  const find = (filter: object, options: FindOptions = {}) =>
    collection().find(filter as Filter<Thing>, options)

  return {
    ...kind,
    isOpen: typeof is_open === 'function' ? is_open : () => is_open,
    ownerOf: (thing) => thing[owner] ?? null,

    async store(thing, grants) {
      const { _id, grants: formerGrants } = thing
      const same = { _id, [owner]: thing[owner], grants: formerGrants ?? { $exists: false } } as Filter<Thing>
      const update = { $set: { grants } } as object
      const stored = await collection().findOneAndUpdate(same, update, { returnDocument: 'after' })
      if (stored) await changed(thing, stored as Thing)
      return stored as Thing | null
    },

    async listGranted(grantees, limit) {
      const things = await find({ 'grants.to': { $in: [...grantees] } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray()
      return things.map((thing) => ({
        id: thing._id,
        name: nameOf(thing as Thing),
        grants: thing.grants ?? [],
      }))
    },

    async forget(grantee) {
      const granted: object = { 'grants.to': grantee }
      await collection().updateMany(granted, { $pull: { grants: { to: grantee } } } as object)
    },
  }
}
