import type { IndexDescription } from 'mongodb'
import { isDuplicateKey } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { NoticeDocument, NoticeKind } from './types.ts'

/** The time for which a process has a notice that it attempts, in milliseconds. */
const LEASE_MS = 30_000
/** The time for which notices are kept, so that no fact is sent twice. */
const KEEP_MS = 7 * 86_400_000

/** The indexes for notices that are due, for tokens, and for removals. */
export const noticeIndexes: IndexDescription[] = [
  { key: { due_at: 1 } },
  { key: { 'tokens.hash': 1 }, partialFilterExpression: { 'tokens.hash': { $exists: true } } },
  { key: { user_id: 1 } },
  { key: { thread_id: 1 } },
  { key: { delete_at: 1 }, expireAfterSeconds: 0 },
]

/** A fact to notify an account of. */
export interface Fact {
  kind: NoticeKind
  user_id: string
  agent_id: string
  thread_id: string
  subject_id: string
}

/** The facts that accounts are notified of, each stored before it is sent, and sent once by all servers. */
export type Notices = ReturnType<typeof createNotices>

/** Creates the notices over their collection. */
export function createNotices({
  collections: { push_notices: notices },
  clock,
}: Pick<Cradle, 'collections' | 'clock'>) {
  return {
    /** Stores a fact; returns its id, or undefined if it is stored already. */
    async add({ kind, subject_id, ...fact }: Fact): Promise<string | undefined> {
      const _id = `${kind}:${subject_id}`
      const now = clock.now()
      try {
        await notices.insertOne({
          _id,
          kind,
          subject_id,
          ...fact,
          due_at: now,
          lease_until: 0,
          attempts: 0,
          sent_to: [],
          tokens: [],
          delete_at: new Date(now + KEEP_MS),
        })
        return _id
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
        return undefined
      }
    },

    /** Lists which of these facts are stored. */
    async listStored(kind: NoticeKind, subject_ids: readonly string[]): Promise<Set<string>> {
      if (subject_ids.length === 0) return new Set()
      const ids = subject_ids.map((subject_id) => `${kind}:${subject_id}`)
      const rows = await notices.find({ _id: { $in: ids } }, { projection: { subject_id: 1 } }).toArray()
      return new Set(rows.map(({ subject_id }) => subject_id))
    },

    /** Takes a notice that is due; null if another process has it, or nothing is left to do. */
    take: (_id: string): Promise<NoticeDocument | null> => {
      const now = clock.now()
      return notices.findOneAndUpdate(
        { _id, due_at: { $lte: now }, lease_until: { $lte: now } },
        { $set: { lease_until: now + LEASE_MS } },
        { returnDocument: 'after' },
      )
    },

    /** Lets go of a notice until it is due again; null if nothing is left to do. */
    async release(_id: string, due_at: number | null, { isFailure = false } = {}): Promise<void> {
      await notices.updateOne(
        { _id },
        { $set: { due_at, lease_until: 0 }, ...(isFailure && { $inc: { attempts: 1 } }) },
      )
    },

    /** Lists the notices that are due and that no process has, the oldest first. */
    listDue: async (limit: number): Promise<string[]> => {
      const now = clock.now()
      const rows = notices.find(
        { due_at: { $lte: now }, lease_until: { $lte: now } },
        { projection: { _id: 1 }, sort: { due_at: 1 }, limit },
      )
      return (await rows.toArray()).map(({ _id }) => _id)
    },

    /** Notes that a device receives the notice, with the hash of its token; false if it has received it before. */
    async claimDevice(_id: string, subscription_id: string, hash?: string): Promise<boolean> {
      const { modifiedCount } = await notices.updateOne(
        { _id, sent_to: { $ne: subscription_id } },
        {
          $push: {
            sent_to: subscription_id,
            ...(hash !== undefined && { tokens: { hash, subscription_id } }),
          },
        },
      )
      return modifiedCount > 0
    },

    /** Takes back that a device received the notice, because its push service has refused it. */
    async releaseDevice(_id: string, subscription_id: string): Promise<void> {
      await notices.updateOne({ _id }, { $pull: { sent_to: subscription_id, tokens: { subscription_id } } })
    },

    /** Finds the notice of a token and the subscription that the token was sent to. */
    async findByToken(hash: string): Promise<{ notice: NoticeDocument; subscription_id: string } | null> {
      const notice = await notices.findOne({ 'tokens.hash': hash })
      const token = notice?.tokens.find((token) => token.hash === hash)
      return notice && token ? { notice, subscription_id: token.subscription_id } : null
    },

    /** Ends all tokens of a notice; false if another request was first. */
    async endTokens(_id: string, hash: string): Promise<boolean> {
      const { modifiedCount } = await notices.updateOne(
        { _id, 'tokens.hash': hash },
        { $set: { tokens: [], due_at: null } },
      )
      return modifiedCount > 0
    },

    /** Has nothing more told of an approval that was decided. */
    async settle(pending_id: string): Promise<void> {
      await notices.updateOne({ _id: `approval:${pending_id}` }, { $set: { tokens: [], due_at: null } })
    },

    removeAllOf: (filter: Partial<Pick<NoticeDocument, 'user_id' | 'agent_id' | 'thread_id'>>) =>
      notices.deleteMany(filter),
  }
}
