import { AppError, findPage, isDuplicateKey, type PageRequest } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { PasskeyDocument } from './types.ts'

/** The passkeys of accounts. */
export type Passkeys = ReturnType<typeof createPasskeys>

/** Creates the store of passkeys. */
export function createPasskeys({
  collections: { passkeys },
  clock,
  limits,
}: Pick<Cradle, 'collections' | 'clock' | 'limits'>) {
  const insert = async (passkey: PasskeyDocument) => {
    try {
      await passkeys.insertOne(passkey)
    } catch (error) {
      if (isDuplicateKey(error)) throw new AppError('PASSKEY_EXISTS', {}, { cause: error })
      throw error
    }
  }

  return {
    /** Adds a passkey to its account. Throws LIMIT_REACHED, PASSKEY_EXISTS. */
    add: (passkey: PasskeyDocument): Promise<void> =>
      limits.within('passkeys', passkey.user_id, () => insert(passkey)),

    find: (id: string) => passkeys.findOne({ _id: id }),
    count: (user_id: string) => passkeys.countDocuments({ user_id }),
    listAll: (user_id: string) => passkeys.find({ user_id }).toArray(),

    /** Lists the account's passkeys, newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (user_id: string, page: PageRequest) =>
      findPage(passkeys, { parts: [{ user_id }], sort: { created_at: -1, _id: -1 } }, page),

    /** Notes a use; false if the passkey was removed, or used at the same time with another counter. */
    async noteUse({ _id, counter }: PasskeyDocument, next: Pick<PasskeyDocument, 'counter' | 'backed_up'>) {
      const changes = { ...next, last_used_at: clock.seconds() }
      const { matchedCount } = await passkeys.updateOne({ _id, counter }, { $set: changes })
      return matchedCount > 0
    },

    /** Renames one of the account's passkeys. Throws NOT_FOUND. */
    async rename(user_id: string, id: string, name: string): Promise<PasskeyDocument> {
      const changed = await passkeys.findOneAndUpdate(
        { _id: id, user_id },
        { $set: { name } },
        { returnDocument: 'after' },
      )
      if (!changed) throw new AppError('NOT_FOUND')
      return changed
    },

    /** Removes one of the account's passkeys and returns it. Throws NOT_FOUND. */
    async remove(user_id: string, id: string): Promise<PasskeyDocument> {
      const removed = await passkeys.findOneAndDelete({ _id: id, user_id })
      if (!removed) throw new AppError('NOT_FOUND')
      return removed
    },

    async removeAllOf(user_id: string): Promise<void> {
      await passkeys.deleteMany({ user_id })
    },

    /** Returns the accounts that have passkeys. */
    async listHolders(user_ids: readonly string[]): Promise<Set<string>> {
      return new Set(await passkeys.distinct('user_id', { user_id: { $in: [...user_ids] } }))
    },
  }
}
