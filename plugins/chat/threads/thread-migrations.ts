import type { Collection, IndexDescription } from 'mongodb'
import type { Clock } from '#kernel'
import type { Artifact, Source, ThreadDocument } from '../documents.ts'
import { PROJECTION_VERSION } from './projection-version.ts'

/** The order in which an agent's threads are rebuilt. */
const QUEUE_ORDER = { 'migration.queued_at': 1, _id: 1 } as const

const WANTED = { 'migration.status': { $exists: true } }

/** The indexes by which it is found out what is to be rebuilt: of which agents, and which thread is next. */
export const migrationIndexes: IndexDescription[] = [
  { key: { 'migration.status': 1 }, partialFilterExpression: WANTED },
  { key: { agent_id: 1, ...QUEUE_ORDER }, partialFilterExpression: WANTED },
]

/** How many threads of an agent have messages of an older projection, by what becomes of them. */
export interface MigrationCounts {
  pending: number
  queued: number
  running: number
  failed: number
}

/** What a rebuilt thread shows, as it follows from its ledger up to `last_seq`; `last_active` is Unix seconds. */
export interface RebuiltThread {
  last_seq: number
  title: string | null
  artifacts: readonly Artifact[]
  sources: readonly Source[]
  last_active: number
}

/** Which threads are to be rebuilt, and how far that is; what is claimed is one's own until the next claim of it. */
export interface ThreadMigrations {
  /** Queues every thread of an agent that needs it and is not queued yet; gives how many. */
  queue(agent_id: string): Promise<number>
  count(agent_id: string): Promise<MigrationCounts>
  /** Agents with threads that could be worked on now. */
  listAgents(): Promise<string[]>
  /** Takes the agent's next thread whose turn has ended, also one that was begun and never finished. */
  claim(agent_id: string): Promise<ThreadDocument | null>
  /** The thread as it is now, if the claim still holds and nobody removes the thread. */
  refresh(claimed: ThreadDocument): Promise<ThreadDocument | null>
  /** Whether a thread has been removed, or is being. */
  isGone(thread_id: string): Promise<boolean>
  /** Makes a thread current; false where a turn has ended behind `last_seq` meanwhile, or the claim is lost. */
  finish(claimed: ThreadDocument, rebuilt: RebuiltThread): Promise<boolean>
  fail(claimed: ThreadDocument, reason: string): Promise<void>
  /** Puts a thread back in the queue as if it had not been claimed. */
  release(claimed: ThreadDocument): Promise<void>
}

/** Migrations as parts of the threads' documents. */
export function createThreadMigrations({
  threads,
  clock,
}: {
  threads: Collection<ThreadDocument>
  clock: Clock
}): ThreadMigrations {
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
    async queue(agent_id) {
      const { modifiedCount } = await threads.updateMany(
        { agent_id, ...outdated, 'migration.status': { $nin: ['queued', 'running'] } },
        { $set: { migration: { status: 'queued', queued_at: clock.seconds(), attempts: 0 } } },
      )
      return modifiedCount
    },
    async count(agent_id) {
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
    listAgents: () => threads.distinct('agent_id', waiting),
    claim: (agent_id) =>
      threads.findOneAndUpdate(
        { agent_id, ...waiting },
        { $set: { 'migration.status': 'running' }, $inc: { 'migration.attempts': 1 } },
        { sort: QUEUE_ORDER, returnDocument: 'after' },
      ),
    refresh: (claimed) => threads.findOne(mine(claimed)),
    async isGone(_id) {
      return (await threads.countDocuments({ _id, deleted_at: { $exists: false } })) === 0
    },
    async finish(claimed, { last_seq, title, artifacts, sources, last_active }) {
      const { matchedCount } = await threads.updateOne({ ...mine(claimed), last_seq }, [
        {
          $set: {
            projection_version: PROJECTION_VERSION,
            title: { $ifNull: ['$title', { $literal: title }] },
            artifacts: { $literal: artifacts },
            sources: { $literal: sources },
            last_active: { $max: ['$last_active', Math.min(last_active, clock.seconds())] },
          },
        },
        { $unset: 'migration' },
      ])
      return matchedCount === 1
    },
    async fail(claimed, reason) {
      await threads.updateOne(mine(claimed), {
        $set: { 'migration.status': 'failed', 'migration.error': reason },
      })
    },
    async release(claimed) {
      await threads.updateOne(mine(claimed), {
        $set: { 'migration.status': 'queued' },
        $inc: { 'migration.attempts': -1 },
      })
    },
  }
}
