import type { Filter, IndexDescription } from 'mongodb'
import {
  AppError,
  type Conditional,
  EVERYONE,
  findPage,
  grantedAccess,
  isEditableBy,
  isForEveryone,
  isGrantedTo,
  missOf,
  type PageRequest,
  type Person,
  requireUnchanged,
  type Shared,
  shareWithEveryone,
  sharingIndexes,
  type TypeOf,
  toGrantUpdate,
} from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Cradle } from './manifest.ts'
import type { baseChanges, newBase } from './schemas.ts'
import type { BaseDocument } from './types.ts'

/** The indexes for lists, and for what is removed. */
export const baseIndexes: IndexDescription[] = [
  { key: { user_id: 1, _id: 1 } },
  ...sharingIndexes,
  { key: { deleted_at: 1 }, partialFilterExpression: { deleted_at: { $exists: true } } },
]

/** The fields that the entity tag of a base is made from. */
export const baseFields = ['name', 'description', 'grants', 'is_default'] as const

/** The part of a caller that decides what they may share. */
type Sharer = Pick<AuthCaller, 'id' | 'groups' | 'role'>

/** The knowledge bases. */
export type Bases = ReturnType<typeof createBases>

/** Creates the store of knowledge bases. */
export function createBases({
  collections: { knowledge_bases: bases },
  clock,
  events,
  extensions,
  ids,
  limits,
  users,
}: Pick<Cradle, 'collections' | 'clock' | 'events' | 'extensions' | 'ids' | 'limits' | 'users'>) {
  const live = { deleted_at: { $exists: false } }
  const readable = (person: Person): Filter<BaseDocument> => ({
    ...live,
    $or: [{ user_id: person.id }, isGrantedTo(person)],
  })

  const findOne = async (filter: Filter<BaseDocument>): Promise<BaseDocument> => {
    const base = await bases.findOne({ ...live, ...filter })
    if (!base) throw new AppError('KNOWLEDGE_BASE_NOT_FOUND')
    return base
  }

  /** Throws KNOWLEDGE_BASE_NOT_FOUND if the caller may not read the base. */
  const find = (caller: Person, _id: string) => findOne({ _id, ...readable(caller) })

  /** Throws KNOWLEDGE_BASE_NOT_FOUND, or FORBIDDEN if the caller may only search the base. */
  const findEditable = async (caller: Person, _id: string): Promise<BaseDocument> => {
    const base = await find(caller, _id)
    if (!mayEdit(base, caller)) throw new AppError('FORBIDDEN')
    return base
  }

  /** Throws if the rules of the server do not let an account share something with everybody. */
  const assertMayShare = (sharer: Sharer) => extensions['users.sharing'].ask({ sharer, with: [EVERYONE] })

  const noteChange = ({ _id: knowledge_base_id, user_id, grants = [] }: BaseDocument, after: Shared = {}) =>
    void events.emit('knowledge_base.changed', {
      ...{ knowledge_base_id, user_id },
      grants: [...grants, ...(after.grants ?? [])],
    })

  return {
    find,
    findEditable,
    noteChange,

    /** Throws KNOWLEDGE_BASE_NOT_FOUND, or FORBIDDEN if the base is only shared with the caller. */
    async findOwn(caller: Person, _id: string): Promise<BaseDocument> {
      const base = await find(caller, _id)
      if (base.user_id !== caller.id) throw new AppError('FORBIDDEN')
      return base
    },

    /** Finds a base that the caller may read, and every base for administrators. Throws KNOWLEDGE_BASE_NOT_FOUND. */
    findShareable: (caller: Sharer, _id: string) =>
      caller.role === 'admin' ? findOne({ _id }) : find(caller, _id),

    /** Lists the bases that an account may read: its own first, each oldest first. */
    list: (person: Person, page: PageRequest) =>
      findPage(
        bases,
        {
          parts: [
            { user_id: person.id, ...live },
            { ...isGrantedTo(person), user_id: { $ne: person.id }, ...live },
          ],
          sort: { _id: 1 },
        },
        page,
      ),

    /** Returns the bases among these that an account may read; all of them if none are named. */
    async listReadable(
      caller: Person,
      base_ids: readonly string[] | undefined,
      most: number,
    ): Promise<BaseDocument[]> {
      const chosen = base_ids ? { _id: { $in: [...base_ids] } } : {}
      return bases
        .find({ ...chosen, ...readable(caller) })
        .sort({ _id: 1 })
        .limit(most)
        .toArray()
    },

    /** Returns the bases among these that an account may read now, with the groups that it is in. */
    async listReadableBy(user_id: string, base_ids: readonly string[]): Promise<BaseDocument[]> {
      const account = base_ids.length > 0 ? await users.findRecent(user_id) : undefined
      if (!account) return []
      const filter = readable({ id: user_id, groups: account.group_ids })
      return bases
        .find({ _id: { $in: [...base_ids] }, ...filter })
        .sort({ _id: 1 })
        .toArray()
    },

    /** Returns the bases that new threads of an account use. */
    async listDefault(user_id: string): Promise<string[]> {
      const defaults = await bases
        .find({ user_id, is_default: true, ...live }, { projection: { _id: 1 } })
        .toArray()
      return defaults.map(({ _id }) => _id)
    },

    count: (user_id: string) => bases.countDocuments({ user_id, ...live }),

    /** Throws LIMIT_REACHED, and an error of the rules of sharing. */
    async create(
      owner: Sharer & { username: string },
      settings: TypeOf<typeof newBase>,
    ): Promise<BaseDocument> {
      const { id, username } = owner
      const now = clock.seconds()
      const { name, description = null, is_shared = false, is_default = false } = settings
      if (is_shared) await assertMayShare(owner)
      const base: BaseDocument = {
        _id: ids.make('kb_'),
        user_id: id,
        owner_username: username,
        name: name.trim(),
        description,
        grants: shareWithEveryone({}, is_shared),
        is_default,
        created_at: now,
        updated_at: now,
      }
      await limits.within('knowledge_bases', id, () => bases.insertOne(base))
      // A concurrent deletion of the account did not see this base.
      if (!(await users.find(id))) {
        await bases.deleteOne({ _id: base._id })
        throw new AppError('AUTH_FAILED')
      }
      noteChange(base)
      return base
    },

    /**
     * Throws KNOWLEDGE_BASE_NOT_FOUND, PRECONDITION_FAILED, and FORBIDDEN if the caller may only search the base, or does
     * not own it and changes `is_shared` or `is_default`; and an error of the rules of sharing.
     */
    async update(
      caller: Sharer,
      base_id: string,
      { name, is_shared, ...changes }: TypeOf<typeof baseChanges>,
      request: Conditional,
    ): Promise<BaseDocument> {
      const base = await findEditable(caller, base_id)
      if (base.user_id !== caller.id) {
        if (is_shared !== undefined) throw new AppError('FORBIDDEN', { field: 'is_shared' })
        if (changes.is_default !== undefined) throw new AppError('FORBIDDEN', { field: 'is_default' })
      }
      if (is_shared && !isForEveryone(base)) await assertMayShare(caller)
      const unchanged = requireUnchanged(request, base, baseFields)
      const updated = await bases.findOneAndUpdate(
        { _id: base_id, ...live, $or: [{ user_id: caller.id }, isEditableBy(caller)], ...unchanged },
        {
          $set: { ...changes, ...(name && { name: name.trim() }), updated_at: clock.seconds() },
          ...toGrantUpdate(base, is_shared),
        },
        { returnDocument: 'after' },
      )
      if (!updated) throw missOf(unchanged, 'KNOWLEDGE_BASE_NOT_FOUND')
      noteChange(base, updated)
      return updated
    },

    /** Hides bases from everyone; returns those that are hidden and remain to be removed. */
    async hide(selected: Filter<BaseDocument>): Promise<BaseDocument[]> {
      await bases.updateMany({ ...selected, ...live }, { $set: { deleted_at: clock.now() } })
      return bases.find({ ...selected, deleted_at: { $exists: true } }).toArray()
    },

    listHidden: (selected: Filter<BaseDocument>) => bases.find(selected).toArray(),

    remove: (_id: string) => bases.deleteOne({ _id }),
  }
}

/** True if this account may change the base and its documents. */
export const mayEdit = (base: BaseDocument, person: Person): boolean =>
  base.user_id === person.id || grantedAccess(base, person) === 'edit'
