import type { Collection, IndexDescription } from 'mongodb'
import type { Clock } from '#plugin-api'
import type { Artifact, MessageRange, Source, ThreadDocument } from '../documents.ts'

/** The version of the messages that `projectTurn` makes; threads with older messages are rebuilt from their ledgers. */
export const PROJECTION_VERSION = 10

/** The order in which an agent's threads are rebuilt. */
const QUEUE_ORDER = { 'migration.queued_at': 1, _id: 1 } as const

const WANTED = { 'migration.status': { $exists: true } }

/** The indexes for finding agents with queued threads, and the next thread of an agent. */
export const migrationIndexes: IndexDescription[] = [
  { key: { 'migration.status': 1 }, partialFilterExpression: WANTED },
  { key: { agent_id: 1, ...QUEUE_ORDER }, partialFilterExpression: WANTED },
]

/** The number of an agent's threads whose messages are of an older projection, by state. */
export interface MigrationCounts {
  pending: number
  queued: number
  running: number
  failed: number
}

/** The facts of a rebuilt thread, which follow from its ledger up to `last_seq`; `last_active` is Unix seconds. */
export interface RebuiltThread {
  last_seq: number
  title: string | null
  /** Undefined if the thread has no versions. */
  path: readonly MessageRange[] | undefined
  artifacts: readonly Artifact[]
  sources: readonly Source[]
  last_active: number
}

/** The threads to be rebuilt and their progress; a claim holds until the next claim of the same thread. */
export type ThreadMigrations = ReturnType<typeof createThreadMigrations>

/** Creates the migrations, which are part of the threads' documents. */
export function createThreadMigrations({
  threads,
  clock,
}: {
  threads: Collection<ThreadDocument>
  clock: Clock
}) {
  const outdated = {
    projection_version: { $not: { $gte: PROJECTION_VERSION } },
    deleted_at: { $exists: false },
  } as const
  const waiting = {
    ...outdated,
    'migration.status': { $in: ['queued', 'running'] },
    active_turn: null,
  } as const
  const mine = ({ _id, migration }: ThreadDocument) =>
    ({
      _id,
      'migration.status': 'running',
      'migration.attempts': migration!.attempts,
      deleted_at: { $exists: false },
    }) as const

  return {
    /** Queues every thread of an agent that needs it and is not queued yet; returns their number. */
    async queue(agent_id: string): Promise<number> {
      const { modifiedCount } = await threads.updateMany(
        { agent_id, ...outdated, 'migration.status': { $nin: ['queued', 'running'] } },
        { $set: { migration: { status: 'queued', queued_at: clock.seconds(), attempts: 0 } } },
      )
      return modifiedCount
    },
    async count(agent_id: string): Promise<MigrationCounts> {
      const groups = await threads
        .aggregate<{ _id: keyof MigrationCounts; count: number }>([
          { $match: { agent_id, ...outdated } },
          { $group: { _id: { $ifNull: ['$migration.status', 'pending'] }, count: { $sum: 1 } } },
        ])
        .toArray()
      const counts = { pending: 0, queued: 0, running: 0, failed: 0 }
      for (const { _id: status, count } of groups) counts[status] = count
      return counts
    },
    /** Lists agents with threads that can be rebuilt now. */
    listAgents: (): Promise<string[]> => threads.distinct('agent_id', waiting),
    /** Claims the agent's next thread without an active turn, including one whose rebuild was interrupted. */
    claim: (agent_id: string): Promise<ThreadDocument | null> =>
      threads.findOneAndUpdate(
        { agent_id, ...waiting },
        { $set: { 'migration.status': 'running' }, $inc: { 'migration.attempts': 1 } },
        { sort: QUEUE_ORDER, returnDocument: 'after' },
      ),
    /** Reads the thread again; null if the claim is lost or the thread is being removed. */
    refresh: (claimed: ThreadDocument): Promise<ThreadDocument | null> => threads.findOne(mine(claimed)),
    /** True if a thread was removed or is being removed. */
    async isGone(_id: string): Promise<boolean> {
      return (await threads.countDocuments({ _id, deleted_at: { $exists: false } })) === 0
    },
    /** Stores the facts of a rebuilt thread; false if a turn has ended after `last_seq`, or the claim is lost. */
    async finish(
      claimed: ThreadDocument,
      { last_seq, title, path, artifacts, sources, last_active }: RebuiltThread,
    ): Promise<boolean> {
      const { matchedCount } = await threads.updateOne({ ...mine(claimed), last_seq }, [
        {
          $set: {
            projection_version: PROJECTION_VERSION,
            title: { $ifNull: ['$title', { $literal: title }] },
            path: path ? { $literal: path } : '$$REMOVE',
            last_message_id: '$$REMOVE',
            artifacts: { $literal: artifacts },
            sources: { $literal: sources },
            last_active: { $max: ['$last_active', Math.min(last_active, clock.seconds())] },
          },
        },
        { $unset: 'migration' },
      ])
      return matchedCount === 1
    },
    async fail(claimed: ThreadDocument, reason: string): Promise<void> {
      await threads.updateOne(mine(claimed), {
        $set: { 'migration.status': 'failed', 'migration.error': reason },
      })
    },
    /** Puts a thread back in the queue as if it had not been claimed. */
    async release(claimed: ThreadDocument): Promise<void> {
      await threads.updateOne(mine(claimed), {
        $set: { 'migration.status': 'queued' },
        $inc: { 'migration.attempts': -1 },
      })
    },
  }
}

/** The interval at which clients may poll a history that is being rebuilt, in milliseconds. */
const RETRY_MS = 1000

/** The state of a thread's messages: made with the current projection, or the progress of their rebuild. */
interface HistoryState {
  history_status: 'ready' | 'pending' | 'queued' | 'running' | 'failed'
  history_loading: boolean
  history_retry_after_ms: number | null
}

/** Returns the state of a thread's history according to its document. */
export function readHistoryState({
  projection_version = 0,
  migration,
}: Pick<ThreadDocument, 'projection_version' | 'migration'>): HistoryState {
  const isCurrent = projection_version >= PROJECTION_VERSION
  const history_status = isCurrent ? 'ready' : (migration?.status ?? 'pending')
  const history_loading = history_status === 'queued' || history_status === 'running'
  return { history_status, history_loading, history_retry_after_ms: history_loading ? RETRY_MS : null }
}
