import { isDuplicateKey } from '#kernel'
import type { Cradle } from './manifest.ts'
import type { UserCondition, UserDeletionDocument, UserDocument } from './types.ts'

/** A deletion that is younger may still be under way in the process that began it, in seconds. */
const ABANDONED_SECONDS = 60

/** Makes the deletion of accounts, which goes on after a crash until nobody keeps anything of the account. */
export function createDeletions({
  collections: { users, user_deletions },
  clock,
  events,
  extensions,
}: Pick<Cradle, 'collections' | 'clock' | 'events' | 'extensions'>) {
  const abandoned = () => ({ begun_at: { $lte: clock.seconds() - ABANDONED_SECONDS } })

  /** Writes down what is about to go; false where somebody else is at it. */
  const claim = async (_id: string, username: string): Promise<boolean> => {
    const begun = { username, begun_at: clock.seconds() }
    try {
      await user_deletions.updateOne({ _id, ...abandoned() }, { $set: begun }, { upsert: true })
      return true
    } catch (error) {
      // The upsert collides with a deletion that is under way.
      if (isDuplicateKey(error)) return false
      throw error
    }
  }

  /** Has everybody remove what they keep of an account that was taken away. */
  const finish = async ({ _id, username }: Pick<UserDocument, '_id' | 'username'>) => {
    await extensions['users.removal'].ask({ user_id: _id, username })
    await user_deletions.deleteOne({ _id })
    await events.emit('user.deleted', { user_id: _id, username })
  }

  const settle = async ({ _id, username }: UserDeletionDocument) => {
    if (await users.findOne({ _id }, { projection: { _id: 1 } })) await user_deletions.deleteOne({ _id })
    else await finish({ _id, username })
  }

  return {
    /** Takes the account away if it still fits `where`; gives whether it did. */
    async begin({ _id, username }: UserDocument, where: UserCondition): Promise<boolean> {
      if (!(await claim(_id, username))) return false
      const { deletedCount } = await users.deleteOne({ _id, ...where })
      if (deletedCount === 0) await user_deletions.deleteOne({ _id })
      return deletedCount > 0
    },

    finish,

    /** Finishes what a process left when it died; an account that is still there was not deleted. */
    async recover(): Promise<void> {
      const left = await user_deletions.find(abandoned()).toArray()
      await Promise.all(left.map(settle))
    },
  }
}
