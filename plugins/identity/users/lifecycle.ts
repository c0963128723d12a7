import { isDuplicateKey } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { UserCondition, UserDeletionDocument, UserDocument } from './types.ts'

/** The age in seconds from which a creation or deletion counts as abandoned; a younger one may still be running. */
const ABANDONED_SECONDS = 60

/** Creates the announcement of new accounts, which is repeated after a crash. */
export function createCreations({
  collections: { users },
  clock,
  events,
  extensions,
}: Pick<Cradle, 'collections' | 'clock' | 'events' | 'extensions'>) {
  /** Has every plugin create what a new account starts with, then emits `user.created`. */
  const announce = async ({ _id, username }: Pick<UserDocument, '_id' | 'username'>) => {
    await extensions['users.creation'].ask({ user_id: _id, username })
    await users.updateOne({ _id }, { $unset: { creation_pending: true } })
    await events.emit('user.created', { user_id: _id, username })
  }

  return {
    announce,

    /** Announces the accounts whose process died before it announced them. */
    async recover(): Promise<void> {
      const abandoned = {
        creation_pending: true,
        created_at: { $lte: clock.seconds() - ABANDONED_SECONDS },
      } as const
      await Promise.all((await users.find(abandoned).toArray()).map(announce))
    },
  }
}

/** Creates the deletion of accounts, which continues after a crash until every plugin has removed its data. */
export function createDeletions({
  collections: { users, user_deletions },
  clock,
  events,
  extensions,
}: Pick<Cradle, 'collections' | 'clock' | 'events' | 'extensions'>) {
  const abandoned = () => ({ begun_at: { $lte: clock.seconds() - ABANDONED_SECONDS } })

  /** Records the deletion that is about to begin; false if another process is deleting the account already. */
  const claim = async (_id: string, username: string): Promise<boolean> => {
    const begun = { username, begun_at: clock.seconds() }
    try {
      await user_deletions.updateOne({ _id, ...abandoned() }, { $set: begun }, { upsert: true })
      return true
    } catch (error) {
      // The upsert collides with a deletion that is in progress.
      if (isDuplicateKey(error)) return false
      throw error
    }
  }

  /** Has every plugin remove its data about a deleted account, then emits `user.deleted`. */
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
    /** Deletes the account itself if it still matches `where`; returns whether it did. */
    async begin({ _id, username }: UserDocument, where: UserCondition): Promise<boolean> {
      if (!(await claim(_id, username))) return false
      const { deletedCount } = await users.deleteOne({ _id, ...where })
      if (deletedCount === 0) await user_deletions.deleteOne({ _id })
      return deletedCount > 0
    },

    finish,

    /** Finishes the deletions of processes that died; drops the record of a deletion whose account still exists. */
    async recover(): Promise<void> {
      const left = await user_deletions.find(abandoned()).toArray()
      await Promise.all(left.map(settle))
    },
  }
}
