import { createHash } from 'node:crypto'
import { AppError, isDuplicateKey, type KeptReply, type RepeatableCall } from '#kernel'
import type { Cradle } from './manifest.ts'

/** The time for which a reply is kept, in milliseconds. */
const KEEP_MS = 86_400_000

/** A call with an `Idempotency-Key`; `_id` is the hash of the account and the key. */
export interface KeptReplyDocument {
  _id: string
  account_id: string
  fingerprint: string
  /** The sealed reply, which may contain a secret; null until the call has been answered. */
  reply: string | null
  delete_at: Date
}

/** The replies of calls that clients may repeat. */
export type KeptReplies = ReturnType<typeof createKeptReplies>

/** Creates the store of replies. */
export function createKeptReplies({
  collections: { kept_replies: kept },
  clock,
  secrets,
  limits,
}: Pick<Cradle, 'collections' | 'clock' | 'secrets' | 'limits'>) {
  const purposeOf = (id: string) => `idempotency:${id}`

  /** Claims the key for a call; false if it was claimed before. */
  const claim = async ({ account_id, fingerprint }: RepeatableCall, _id: string): Promise<boolean> => {
    const delete_at = new Date(clock.now() + KEEP_MS)
    try {
      await kept.insertOne({ _id, account_id, fingerprint, reply: null, delete_at })
      return true
    } catch (error) {
      if (isDuplicateKey(error)) return false
      throw error
    }
  }

  const replay = async ({ fingerprint }: RepeatableCall, _id: string): Promise<KeptReply> => {
    const known = await kept.findOne({ _id })
    if (known && known.fingerprint !== fingerprint) throw new AppError('IDEMPOTENCY_KEY_REUSED')
    if (!known?.reply) throw new AppError('IDEMPOTENCY_KEY_IN_USE', { retry_after_seconds: 1 })
    return JSON.parse(secrets.open(known.reply, purposeOf(_id)))
  }

  return {
    count: (account_id: string) => kept.countDocuments({ account_id }),

    /**
     * Performs a call at most once within a day, and answers its repetitions with its reply. A call that is refused may
     * be repeated; one that failed otherwise, or whose process died, may have had its effect and is not performed again.
     */
    async perform(call: RepeatableCall): Promise<KeptReply> {
      const _id = createHash('sha256').update(`${call.account_id} ${call.key}`).digest('base64url')
      const isKnown = (await kept.countDocuments({ _id }, { limit: 1 })) > 0
      const isFirst =
        !isKnown && (await limits.within('idempotency_keys', call.account_id, () => claim(call, _id)))
      if (!isFirst) return replay(call, _id)
      let reply: KeptReply
      try {
        reply = await call.perform()
      } catch (error) {
        if (error instanceof AppError) await kept.deleteOne({ _id })
        throw error
      }
      await kept.updateOne({ _id }, { $set: { reply: secrets.seal(JSON.stringify(reply), purposeOf(_id)) } })
      return reply
    },

    /** Removes what is kept for an account. */
    forget: (account_id: string) => kept.deleteMany({ account_id }),
  }
}
