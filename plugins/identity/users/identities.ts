import { AppError, isDuplicateKey } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { LinkedIdentity, UserDocument } from './types.ts'

/** The store of linked identities at other services. */
export type Identities = ReturnType<typeof createIdentities>

/** Creates the store of linked identities, which are part of the account documents. */
export function createIdentities({
  collections: { users },
  clock,
  events,
}: Pick<Cradle, 'collections' | 'clock' | 'events'>) {
  const stamps = () => ({ updated_at: clock.seconds(), changed_at: clock.now() })

  return {
    /** The account that an identity belongs to. */
    find: (key: string): Promise<UserDocument | null> => users.findOne({ 'identities.key': key }),

    /** Links an identity. Throws NOT_FOUND, IDENTITY_TAKEN if another account has it, IDENTITY_ALREADY_LINKED. */
    async link(user_id: string, { kind, key }: Pick<LinkedIdentity, 'kind' | 'key'>): Promise<UserDocument> {
      const identity: LinkedIdentity = { kind, key, linked_at: clock.seconds() }
      try {
        const user = await users.findOneAndUpdate(
          { _id: user_id, 'identities.kind': { $ne: kind } },
          { $push: { identities: identity }, $set: stamps() },
          { returnDocument: 'after' },
        )
        if (user) {
          await events.emit('user.changed', { user_id })
          return user
        }
      } catch (error) {
        if (isDuplicateKey(error)) throw new AppError('IDENTITY_TAKEN', {}, { cause: error })
        throw error
      }
      const user = await users.findOne({ _id: user_id })
      if (!user) throw new AppError('NOT_FOUND')
      if (user.identities?.some((linked) => linked.key === key)) return user
      throw new AppError('IDENTITY_ALREADY_LINKED', { kind })
    },

    /**
     * Unlinks an identity from an account that has another way to sign in: a password, or an identity of one of the
     * `usable` kinds. Throws NOT_FOUND, LAST_SIGN_IN.
     */
    async unlink(user_id: string, kind: string, usable: readonly string[]): Promise<void> {
      const others = usable.filter((other) => other !== kind)
      const linked = { _id: user_id, 'identities.kind': kind }
      const { matchedCount } = await users.updateOne(
        { ...linked, $or: [{ password_hash: { $ne: null } }, { 'identities.kind': { $in: others } }] },
        { $pull: { identities: { kind } }, $set: stamps() },
      )
      if (matchedCount === 0)
        throw new AppError((await users.countDocuments(linked)) > 0 ? 'LAST_SIGN_IN' : 'NOT_FOUND')
      await events.emit('user.changed', { user_id })
    },
  }
}
