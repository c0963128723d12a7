import type { Filter, IndexDescription } from 'mongodb'
import {
  AppError,
  type Conditional,
  findPage,
  missOf,
  type PageRequest,
  requireUnchanged,
  type TypeOf,
} from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { baseChanges, newBase } from './schemas.ts'
import type { BaseDocument } from './types.ts'

/** The indexes for lists, and for what is removed. */
export const baseIndexes: IndexDescription[] = [
  { key: { user_id: 1, _id: 1 } },
  { key: { is_shared: 1, _id: 1 } },
  { key: { deleted_at: 1 }, partialFilterExpression: { deleted_at: { $exists: true } } },
]

/** The fields that the entity tag of a base is made from. */
export const baseFields = ['name', 'description', 'is_shared', 'is_default'] as const

/** The part of a caller that decides what they may read. */
export interface Reader {
  id: string
}

/** The knowledge bases. */
export type Bases = ReturnType<typeof createBases>

/** Creates the store of knowledge bases. */
export function createBases({
  collections: { knowledge_bases: bases },
  clock,
  ids,
  limits,
  users,
}: Pick<Cradle, 'collections' | 'clock' | 'ids' | 'limits' | 'users'>) {
  const live = { deleted_at: { $exists: false } }
  const readable = ({ id }: Reader): Filter<BaseDocument> => ({
    ...live,
    $or: [{ user_id: id }, { is_shared: true }],
  })

  /** Throws KNOWLEDGE_BASE_NOT_FOUND if the caller may not read the base. */
  const find = async (caller: Reader, _id: string): Promise<BaseDocument> => {
    const base = await bases.findOne({ _id, ...readable(caller) })
    if (!base) throw new AppError('KNOWLEDGE_BASE_NOT_FOUND')
    return base
  }

  /** Throws KNOWLEDGE_BASE_NOT_FOUND, or FORBIDDEN if the base is only shared with the caller. */
  const findOwn = async (caller: Reader, _id: string): Promise<BaseDocument> => {
    const base = await find(caller, _id)
    if (base.user_id !== caller.id) throw new AppError('FORBIDDEN')
    return base
  }

  return {
    find,
    findOwn,

    /** Lists the bases that an account may read: its own first, each oldest first. */
    list: ({ id }: Reader, page: PageRequest) =>
      findPage(
        bases,
        {
          parts: [
            { user_id: id, ...live },
            { user_id: { $ne: id }, is_shared: true, ...live },
          ],
          sort: { _id: 1 },
        },
        page,
      ),

    /** Returns the bases among these that an account may read; all of them if none are named. */
    async listReadable(
      caller: Reader,
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

    /** Returns the bases that new threads of an account use. */
    async listDefault(user_id: string): Promise<string[]> {
      const defaults = await bases
        .find({ user_id, is_default: true, ...live }, { projection: { _id: 1 } })
        .toArray()
      return defaults.map(({ _id }) => _id)
    },

    count: (user_id: string) => bases.countDocuments({ user_id, ...live }),

    /** Throws LIMIT_REACHED. */
    async create(
      { id, username }: { id: string; username: string },
      settings: TypeOf<typeof newBase>,
    ): Promise<BaseDocument> {
      const now = clock.seconds()
      const { name, description = null, is_shared = false, is_default = false } = settings
      const base: BaseDocument = {
        _id: ids.make('kb_'),
        user_id: id,
        owner_username: username,
        name: name.trim(),
        description,
        is_shared,
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
      return base
    },

    /** Throws KNOWLEDGE_BASE_NOT_FOUND, FORBIDDEN or PRECONDITION_FAILED. */
    async update(
      caller: Reader,
      base_id: string,
      { name, ...changes }: TypeOf<typeof baseChanges>,
      request: Conditional,
    ): Promise<BaseDocument> {
      const base = await findOwn(caller, base_id)
      const unchanged = requireUnchanged(request, base, baseFields)
      const updated = await bases.findOneAndUpdate(
        { _id: base_id, ...live, ...unchanged },
        { $set: { ...changes, ...(name && { name: name.trim() }), updated_at: clock.seconds() } },
        { returnDocument: 'after' },
      )
      if (!updated) throw missOf(unchanged, 'KNOWLEDGE_BASE_NOT_FOUND')
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
