import type { AgentDocument } from '../../agents/agents/types.ts'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { ThreadDocument } from '../chat/documents.ts'
import type { SnapshotDocument, StoredMessage } from './documents.ts'
import type { Cradle } from './manifest.ts'
import { listNamedFiles, readSharedMessages } from './snapshot-messages.ts'

/** The time after which a snapshot that no share shows counts as abandoned by a crashed process, in seconds. */
const DRAFT_SECONDS = 3600
/** The time for which a replaced snapshot stays for readers that have begun to read it, in seconds. */
const REPLACED_SECONDS = 60
/** The most messages that are written at once. */
const BATCH = 200
/** The most snapshots that are removed at a time. */
const MAX_REMOVED = 100

/** The thread that is copied, and the person who shares it. */
export interface SnapshotSource {
  share_id: string
  thread: ThreadDocument
  agent: AgentDocument
  caller: AuthCaller
  include_steps: boolean
}

/** The copies of threads that shares show. */
export type Snapshots = ReturnType<typeof createSnapshots>

/**
 * Creates the store of snapshots. Each is written with a date of removal, which it loses when its share shows it, so
 * that a crash at any time leaves nothing that the cleaning does not find.
 */
export function createSnapshots({
  collections: { shares, share_snapshots: snapshots, shared_messages: messages },
  extensions,
  history,
  snapshotFiles,
  clock,
  ids,
}: Pick<Cradle, 'collections' | 'extensions' | 'history' | 'snapshotFiles' | 'clock' | 'ids'>) {
  const remove = async (_id: string): Promise<void> => {
    await snapshotFiles.remove(_id)
    await messages.deleteMany({ snapshot_id: _id })
    await snapshots.deleteOne({ _id })
  }

  /** Returns the size of the files in the snapshots of an account. */
  const countBytes = async (user_id: string): Promise<number> => {
    const [sum] = await snapshots
      .aggregate<{ bytes: number }>([
        { $match: { user_id } },
        { $group: { _id: null, bytes: { $sum: '$bytes' } } },
      ])
      .toArray()
    return sum?.bytes ?? 0
  }

  const fill = async (
    snapshot: SnapshotDocument,
    copied: readonly StoredMessage[],
    source: SnapshotSource,
  ) => {
    const { _id } = snapshot
    const used = await countBytes(snapshot.user_id)
    const files = await snapshotFiles.copy(_id, listNamedFiles(copied), { ...source, used })
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    await snapshots.updateOne({ _id }, { $set: { files, bytes } })
    const rows = copied.map((message, position) => ({
      _id: `${_id}.${position}`,
      snapshot_id: _id,
      position,
      message,
    }))
    for (let start = 0; start < rows.length; start += BATCH)
      await messages.insertMany(rows.slice(start, start + BATCH))
  }

  return {
    countBytes,

    /** Copies a thread as it is now; the copy is removed later unless it is kept. Throws SHARE_EMPTY, SHARE_TOO_LARGE. */
    async take(source: SnapshotSource): Promise<string> {
      const { share_id, thread, agent } = source
      const copied = await readSharedMessages(thread, source, { extensions, history })
      const created_at = clock.seconds()
      const snapshot: SnapshotDocument = {
        _id: ids.make('snp_'),
        share_id,
        user_id: thread.user_id,
        title: thread.title,
        agent_name: agent.name,
        created_at,
        files: [],
        bytes: 0,
        delete_at: created_at + DRAFT_SECONDS,
      }
      await snapshots.insertOne(snapshot)
      try {
        await fill(snapshot, copied, source)
      } catch (error) {
        await remove(snapshot._id)
        throw error
      }
      return snapshot._id
    },

    /** Keeps a snapshot, as its share shows it now. */
    async keep(_id: string): Promise<void> {
      await snapshots.updateOne({ _id }, { $set: { delete_at: null } })
    },

    /** Has a snapshot removed that its share no longer shows. */
    async replace(_id: string): Promise<void> {
      await snapshots.updateOne({ _id }, { $set: { delete_at: clock.seconds() + REPLACED_SECONDS } })
    },

    /** Marks the snapshots of shares for removal, before the shares themselves are removed. */
    async mark(share_ids: readonly string[]): Promise<void> {
      await snapshots.updateMany(
        { share_id: { $in: [...share_ids] } },
        { $set: { delete_at: clock.seconds() } },
      )
    },

    remove,

    /** Removes the snapshots of removed shares. */
    async removeAllOf(share_ids: readonly string[]): Promise<void> {
      const marked = await snapshots
        .find({ share_id: { $in: [...share_ids] } }, { projection: { _id: 1 } })
        .toArray()
      for (const { _id } of marked) await remove(_id)
    },

    find: (_id: string): Promise<SnapshotDocument | null> => snapshots.findOne({ _id }),

    async readMessages(snapshot_id: string): Promise<StoredMessage[]> {
      const rows = await messages.find({ snapshot_id }).sort({ position: 1 }).toArray()
      return rows.map(({ message }) => message)
    },

    /** Removes snapshots whose time has come, and folders that a crash has left. */
    async clean(): Promise<void> {
      const due = await snapshots
        .find({ delete_at: { $lte: clock.seconds() } })
        .limit(MAX_REMOVED)
        .toArray()
      // A process may have died after its share showed the snapshot.
      for (const { _id, share_id } of due)
        if (await shares.findOne({ _id: share_id, snapshot_id: _id }, { projection: { _id: 1 } }))
          await snapshots.updateOne({ _id }, { $set: { delete_at: null } })
        else await remove(_id)
      for (const _id of await snapshotFiles.listOld(clock.now()))
        if (!(await snapshots.findOne({ _id }, { projection: { _id: 1 } }))) await snapshotFiles.remove(_id)
    },
  }
}
