import type { Filter } from 'mongodb'
import {
  AppError,
  type Conditional,
  createRecentValues,
  escapePattern,
  findPage,
  isDuplicateKey,
  type Managed,
  type Page,
  type PageRequest,
  requireUnchanged,
} from '#plugin-api'
import type { GroupRights } from '../users/types.ts'
import type { Cradle } from './manifest.ts'
import type { GroupChanges, NewGroup } from './schemas.ts'

/** The group that the first start makes, which every account is in. */
export const FIRST_GROUP = 'grp_everyone'

/** A group; times are Unix seconds. */
export interface GroupDocument extends GroupRights, Managed {
  _id: string
  /** Two names are the same if they differ only in case or Unicode form. */
  name_key: string
  description: string | null
  is_default: boolean
  created_at: number
}

declare module '#kernel/types' {
  interface Collections {
    groups: {
      groups: GroupDocument
    }
  }
}

/** The fields that the entity tag of a group is made from. */
export const groupFields = [
  'name',
  'description',
  'permissions',
  'token_quota',
  'budget',
  'is_default',
] as const

const RIGHTS = ['permissions', 'token_quota', 'budget'] as const
const NO_RIGHTS = { description: null, permissions: [], token_quota: null, budget: null }

/** The form in which names are unique and found. */
export const toKey = (name: string) => name.normalize('NFKC').trim().toLowerCase()
const toNameFields = (name: string) => ({ name: name.normalize('NFC').trim(), name_key: toKey(name) })

/** The groups of accounts. */
export type Groups = ReturnType<typeof createGroups>

/** Creates the store of groups. */
export function createGroups({
  collections: { groups },
  clock,
  ids,
  users,
}: Pick<Cradle, 'collections' | 'clock' | 'ids' | 'users'>) {
  const recent = createRecentValues(async (group_ids) => {
    const rows = await groups.find({ _id: { $in: [...group_ids] } }).toArray()
    return new Map(rows.map((group) => [group._id, group]))
  })
  const namesOrIds = (keys: readonly string[]): Filter<GroupDocument> => ({
    $or: [{ _id: { $in: [...keys] } }, { name_key: { $in: keys.map(toKey) } }],
  })

  /** Finds a group by its id or name. Throws GROUP_NOT_FOUND. */
  const find = async (key: string): Promise<GroupDocument> => {
    const group = await groups.findOne(namesOrIds([key]))
    if (!group) throw new AppError('GROUP_NOT_FOUND')
    return group
  }

  const insert = async (group: GroupDocument): Promise<GroupDocument> => {
    await refuseTakenName(group.name, groups.insertOne(group))
    return group
  }

  return {
    find,

    /** Returns the groups that have one of these ids or names, by what they were asked for. */
    async findNamed(keys: readonly string[]): Promise<Map<string, GroupDocument>> {
      if (keys.length === 0) return new Map()
      const rows = await groups.find(namesOrIds(keys)).toArray()
      return new Map(
        keys.flatMap((key) => {
          const group = rows.find(({ _id, name_key }) => _id === key || name_key === toKey(key))
          return group ? [[key, group] as const] : []
        }),
      )
    },

    /** Returns the groups with these ids as of at most 300 ms ago; changes by this process are seen at once. */
    async listRecent(group_ids: readonly string[]): Promise<Map<string, GroupDocument>> {
      const rows = await Promise.all(group_ids.map((id) => recent.get(id)))
      return new Map(rows.flatMap((group) => (group ? [[group._id, group] as const] : [])))
    },

    /** Returns the ids of the groups that new accounts join. */
    listFirst: async (): Promise<string[]> => {
      const rows = await groups.find({ is_default: true }, { projection: { _id: 1 } }).toArray()
      return rows.map(({ _id }) => _id)
    },

    /** Lists the groups by name. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (q: string | undefined, page: PageRequest): Promise<Page<GroupDocument>> => {
      const named = q === undefined ? {} : { name_key: { $regex: escapePattern(toKey(q)) } }
      return findPage(groups, { parts: [named], sort: { name_key: 1 } }, page)
    },

    /** Finds groups by a part of their names, of those within which a caller may look. */
    search: (
      q: string,
      { within, limit }: { within: readonly string[] | undefined; limit: number },
    ): Promise<GroupDocument[]> =>
      groups
        .find({ ...(within && { _id: { $in: [...within] } }), name_key: { $regex: escapePattern(toKey(q)) } })
        .sort({ name_key: 1 })
        .limit(limit)
        .toArray(),

    /** Throws GROUP_NAME_TAKEN. */
    create({ name, ...chosen }: NewGroup) {
      const settings = { ...NO_RIGHTS, is_default: false, ...chosen }
      return insert({
        _id: ids.make('grp_'),
        ...toNameFields(name),
        ...settings,
        created_at: clock.seconds(),
      })
    },

    /** Makes the first group and puts every account into it, unless it was made before. */
    async ensureFirst(): Promise<void> {
      if (await groups.findOne({ _id: FIRST_GROUP }, { projection: { _id: 1 } })) return
      await users.joinAll(FIRST_GROUP)
      const settings = { ...NO_RIGHTS, is_default: true }
      const first = {
        _id: FIRST_GROUP,
        ...toNameFields('everyone'),
        ...settings,
        created_at: clock.seconds(),
      }
      try {
        await groups.insertOne(first)
      } catch (error) {
        // Another process has made it meanwhile.
        if (!isDuplicateKey(error)) throw error
      }
    },

    /** Changes a group; null if its rights have changed meanwhile, or it is gone. Throws GROUP_NAME_TAKEN, PRECONDITION_FAILED. */
    async update(
      group: GroupDocument,
      { name, ...changes }: GroupChanges,
      request: Conditional,
    ): Promise<GroupDocument | null> {
      const unchanged = requireUnchanged(request, group, groupFields)
      const { permissions, token_quota, budget } = group
      const updated = await refuseTakenName(
        name,
        groups.findOneAndUpdate(
          { _id: group._id, permissions, token_quota, budget, ...unchanged },
          { $set: { ...changes, ...(name !== undefined && toNameFields(name)) } },
          { returnDocument: 'after' },
        ),
      )
      recent.drop(group._id)
      const hasOtherRights = RIGHTS.some((field) => changes[field] !== undefined)
      if (updated && hasOtherRights) await users.noteGroupChange(group._id)
      return updated
    },

    /** Deletes a group; its members lose what it gave them. Throws GROUP_NEEDED. */
    async remove({ _id }: GroupDocument): Promise<void> {
      if (_id === FIRST_GROUP) throw new AppError('GROUP_NEEDED')
      await groups.deleteOne({ _id })
      recent.drop(_id)
      await users.leaveAll(_id)
    },
  }
}

async function refuseTakenName<Result>(name: string | undefined, write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (error) {
    if (isDuplicateKey(error)) throw new AppError('GROUP_NAME_TAKEN', { name })
    throw error
  }
}
