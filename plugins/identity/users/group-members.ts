import { findPage, type PageRequest } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { Account, UserDocument } from './types.ts'

/** Creates the memberships of accounts in groups, which accounts themselves store. */
export function createGroupMembers(
  { collections: { users }, events }: Pick<Cradle, 'collections' | 'events'>,
  {
    stamps,
    addRights,
  }: {
    stamps: () => Pick<UserDocument, 'updated_at' | 'changed_at'>
    addRights: (users: readonly UserDocument[]) => Promise<Account[]>
  },
) {
  const change = async (user_id: string, update: object, where: object): Promise<boolean> => {
    const { matchedCount } = await users.updateOne({ _id: user_id, ...where }, { ...update, $set: stamps() })
    if (matchedCount > 0) await events.emit('user.changed', { user_id })
    return matchedCount > 0
  }

  const listIds = (group_id: string): Promise<string[]> => users.distinct('_id', { group_ids: group_id })

  return {
    /** Adds an account to a group; false if it is a member already, or does not exist. */
    joinGroup: (user_id: string, group_id: string): Promise<boolean> =>
      change(user_id, { $addToSet: { group_ids: group_id } }, { group_ids: { $ne: group_id } }),

    /** Takes an account out of a group; false if it is no member. */
    leaveGroup: (user_id: string, group_id: string): Promise<boolean> =>
      change(user_id, { $pull: { group_ids: group_id } }, { group_ids: group_id }),

    /** Adds every account to a group. */
    async joinAll(group_id: string): Promise<void> {
      await users.updateMany(
        { group_ids: { $ne: group_id } },
        { $addToSet: { group_ids: group_id }, $set: stamps() },
      )
    },

    /** Has every process read the rights of a group's members again. */
    async noteGroupChange(group_id: string): Promise<void> {
      await users.updateMany({ group_ids: group_id }, { $set: { changed_at: stamps().changed_at } })
      await events.emit('group.changed', { group_id, user_ids: await listIds(group_id) })
    },

    /** Takes all accounts out of a group that is gone. */
    async leaveAll(group_id: string): Promise<void> {
      const user_ids = await listIds(group_id)
      await users.updateMany({ group_ids: group_id }, { $pull: { group_ids: group_id }, $set: stamps() })
      await events.emit('group.changed', { group_id, user_ids })
    },

    /** Lists the members of a group by username. Throws VALIDATION_FAILED for an unknown cursor. */
    async listMembers(group_id: string, page: PageRequest) {
      const { rows, next } = await findPage(
        users,
        { parts: [{ group_ids: group_id }], sort: { username: 1 } },
        page,
      )
      return { rows: await addRights(rows), next }
    },

    /** Counts the members of groups by the index alone. */
    async countMembers(group_ids: readonly string[]): Promise<Map<string, number>> {
      const counts = group_ids.map(async (id) => {
        return [id, await users.countDocuments({ group_ids: id })] as const
      })
      return new Map(await Promise.all(counts))
    },
  }
}
