import type { Cradle } from './manifest.ts'
import type { UserDocument } from './types.ts'

/** A creation that is younger may still be under way in the process that began it, in seconds. */
const ABANDONED_SECONDS = 60

/** Makes the announcement of new accounts, which comes after a crash as well. */
export function createCreations({
  collections: { users },
  clock,
  events,
  extensions,
}: Pick<Cradle, 'collections' | 'clock' | 'events' | 'extensions'>) {
  /** Has everybody make what a new account is to have. */
  const announce = async ({ _id, username }: Pick<UserDocument, '_id' | 'username'>) => {
    await extensions['users.creation'].ask({ user_id: _id, username })
    await users.updateOne({ _id }, { $unset: { creation_pending: true } })
    await events.emit('user.created', { user_id: _id, username })
  }

  return {
    announce,
    /** Announces the accounts of processes that died before they did. */
    async recover(): Promise<void> {
      const abandoned = {
        creation_pending: true,
        created_at: { $lte: clock.seconds() - ABANDONED_SECONDS },
      } as const
      await Promise.all((await users.find(abandoned).toArray()).map(announce))
    },
  }
}
