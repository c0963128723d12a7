import { randomBytes } from 'node:crypto'
import type { Filter } from 'mongodb'
import { AppError, findPage, type Page, type PageRequest } from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { ThreadDocument } from '../chat/documents.ts'
import type { Audience, ShareDocument, SnapshotDocument } from './documents.ts'
import type { Cradle } from './manifest.ts'

/** The random bytes of an id: 192 bits, of which nobody guesses one. */
const ID_BYTES = 24
const DAY_SECONDS = 86_400
/** The most shares whose threads are checked at a time. */
const MAX_CHECKED = 200

/** The choices for a new share. */
interface NewShare {
  audience: Audience
  include_steps: boolean
  expires_in_days?: number
}

/** The choices that an update may change. */
interface ShareChanges {
  include_steps?: boolean
  expires_in_days?: number | null
}

/** The shares of all accounts. */
export type Shares = ReturnType<typeof createShares>

/** Creates the shares. */
export function createShares({
  collections: { shares },
  agents,
  threads,
  users,
  snapshots,
  clock,
  config,
  limits,
}: Pick<
  Cradle,
  'collections' | 'agents' | 'threads' | 'users' | 'snapshots' | 'clock' | 'config' | 'limits'
>) {
  const unexpired = (): Filter<ShareDocument> => ({
    $or: [{ expires_at: null }, { expires_at: { $gt: clock.seconds() } }],
  })
  const toExpiry = (days: number | null | undefined) =>
    days === null || days === undefined ? null : clock.seconds() + days * DAY_SECONDS

  /** Removes shares and what they show; can be repeated. */
  const removeWhere = async (filter: Filter<ShareDocument>): Promise<ShareDocument[]> => {
    const removed = await shares.find(filter).toArray()
    if (removed.length === 0) return []
    const share_ids = removed.map(({ _id }) => _id)
    // Marked first: if this process dies, the cleaning finds the snapshots of shares that are gone.
    await snapshots.mark(share_ids)
    await shares.deleteMany({ _id: { $in: share_ids } })
    await snapshots.removeAllOf(share_ids)
    return removed
  }

  /** True if the thread exists and its account may still share it. */
  const isLive = async ({ user_id, thread_id }: ShareDocument): Promise<boolean> => {
    const [user, thread] = await Promise.all([users.findRecent(user_id), threads.glance(user_id, thread_id)])
    return user?.enabled === true && thread !== null
  }

  return {
    /** Shares a thread. Throws SHARES_NOT_PUBLIC, SHARE_EMPTY, SHARE_TOO_LARGE, LIMIT_REACHED, THREAD_NOT_FOUND. */
    async create(
      source: { caller: AuthCaller; agent: AgentDocument; thread: ThreadDocument },
      { audience, include_steps, expires_in_days }: NewShare,
    ): Promise<ShareDocument> {
      if (audience === 'link' && !config.public) throw new AppError('SHARES_NOT_PUBLIC')
      const { _id: thread_id, user_id, agent_id, title } = source.thread
      const share_id = randomBytes(ID_BYTES).toString('base64url')
      const share = await limits.within('shares', user_id, async () => {
        const snapshot_id = await snapshots.take({ ...source, share_id, include_steps })
        const created_at = clock.seconds()
        const document: ShareDocument = {
          ...{ _id: share_id, user_id, agent_id, thread_id, audience, include_steps, snapshot_id, title },
          ...{ created_at, updated_at: created_at, expires_at: toExpiry(expires_in_days) },
          ...{ views: 0, checked_at: created_at },
        }
        await shares.insertOne(document)
        await snapshots.keep(snapshot_id)
        return document
      })
      // A deletion of the thread at the same time has not seen this share.
      if (!(await threads.glance(user_id, thread_id))) {
        await removeWhere({ _id: share_id })
        throw new AppError('THREAD_NOT_FOUND')
      }
      return share
    },

    /** Copies the thread again, under the same address. Throws NOT_FOUND and what `create` throws. */
    async update(
      caller: AuthCaller,
      share_id: string,
      { expires_in_days, ...changed }: ShareChanges,
    ): Promise<ShareDocument> {
      const share = await shares.findOne({ _id: share_id, user_id: caller.id, ...unexpired() })
      if (!share) throw new AppError('NOT_FOUND')
      const { user_id, agent_id, thread_id, include_steps } = { ...share, ...changed }
      const agent = await agents.findVisible(caller, agent_id)
      const thread = await threads.get({ user_id, agent_id }, thread_id)
      const snapshot_id = await snapshots.take({ share_id, thread, agent, caller, include_steps })
      const changes = {
        ...{ snapshot_id, include_steps, title: thread.title, updated_at: clock.seconds() },
        ...(expires_in_days !== undefined && { expires_at: toExpiry(expires_in_days) }),
      }
      const replaced = await shares.findOneAndUpdate({ _id: share_id, user_id }, { $set: changes })
      if (!replaced) {
        await snapshots.remove(snapshot_id)
        throw new AppError('NOT_FOUND')
      }
      await snapshots.keep(snapshot_id)
      await snapshots.replace(replaced.snapshot_id)
      return { ...replaced, ...changes }
    },

    /** Lists an account's shares, newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (user_id: string, page: PageRequest & { thread_id?: string }): Promise<Page<ShareDocument>> => {
      const { thread_id } = page
      const filter = { user_id, ...(thread_id !== undefined && { thread_id }), ...unexpired() }
      return findPage(shares, { parts: [filter], sort: { created_at: -1, _id: -1 } }, page)
    },

    /** Removes a share and returns it. Throws NOT_FOUND. */
    async remove(user_id: string, share_id: string): Promise<ShareDocument> {
      const [share] = await removeWhere({ _id: share_id, user_id })
      if (!share) throw new AppError('NOT_FOUND')
      return share
    },

    removeAllOfThread: (thread_id: string) => removeWhere({ thread_id }),
    removeAllOfUser: (user_id: string) => removeWhere({ user_id }),
    count: (user_id: string): Promise<number> => shares.countDocuments({ user_id }),

    /**
     * Finds a share for somebody who knows its id; strangers have no id of their own. Throws NOT_FOUND, and AUTH_FAILED
     * for a stranger if it is for accounts.
     */
    async findForReader(share_id: string, reader: { id: string } | undefined): Promise<ShareDocument> {
      const share = await shares.findOne({ _id: share_id, ...unexpired() })
      const isForStrangers = share?.audience === 'link' && config.public
      if (!share || !(await isLive(share))) throw new AppError('NOT_FOUND')
      if (reader || isForStrangers) return share
      throw new AppError(share.audience === 'accounts' ? 'AUTH_FAILED' : 'NOT_FOUND')
    },

    /** Returns the snapshot of a share. Throws NOT_FOUND if the share was removed meanwhile. */
    async readSnapshot({ snapshot_id }: ShareDocument): Promise<SnapshotDocument> {
      const snapshot = await snapshots.find(snapshot_id)
      if (!snapshot) throw new AppError('NOT_FOUND')
      return snapshot
    },

    async countView(_id: string): Promise<void> {
      await shares.updateOne({ _id }, { $inc: { views: 1 } })
    },

    /** Removes expired shares, and shares of threads whose deletion a crash has cut short. */
    async clean(): Promise<void> {
      await removeWhere({ expires_at: { $gt: 0, $lte: clock.seconds() } })
      const oldest = await shares.find({}).sort({ checked_at: 1 }).limit(MAX_CHECKED).toArray()
      for (const { _id, user_id, thread_id } of oldest)
        if (await threads.glance(user_id, thread_id))
          await shares.updateOne({ _id }, { $set: { checked_at: clock.seconds() } })
        else await removeWhere({ _id })
    },
  }
}
