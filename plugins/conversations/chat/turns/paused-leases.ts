import type { Collection } from 'mongodb'
import type { Clock, Write } from '#plugin-api'
import type { Holder, PausedTurn, ThreadDocument } from '../documents.ts'
import type { ThreadOwner } from '../threads/threads.ts'
import type { LeasedThread, TurnLease } from './turn-leases.ts'

/** The duration of a turn's lease, after which another process may close the turn, in milliseconds. */
export const LEASE_MS = 15_000

/** Creates the leases of paused turns, which are taken over when a person has decided. */
export function createPausedLeases({
  threads,
  clock,
  holder,
  toLeased,
}: {
  threads: Collection<ThreadDocument>
  clock: Clock
  /** This process. */
  holder: Holder
  toLeased(thread: ThreadDocument): LeasedThread
}) {
  const { node_id } = holder
  return {
    /**
     * Returns the write that pauses a turn until a person has decided; `keepsCalls` means that this process keeps holding its
     * calls.
     */
    toPauseWrite: (
      { thread_id, turn_id }: TurnLease,
      paused: PausedTurn,
      keepsCalls: boolean = false,
    ): Write => ({
      name: 'updateOne',
      namespace: threads.namespace,
      filter: { _id: thread_id, 'active_turn.turn_id': turn_id },
      update: [
        {
          $set: {
            is_unreported: true,
            'active_turn.paused': { $literal: keepsCalls ? { ...paused, held_by: holder } : paused },
            'active_turn.lease_until': 0,
          },
        },
        { $unset: ['active_turn.resuming', 'active_turn.stop_requested'] },
      ],
    }),
    /** Notes that this process no longer holds the calls of these paused turns, so that others need not wait for it. */
    async releaseCalls(leases: readonly TurnLease[]): Promise<void> {
      if (leases.length === 0) return
      await threads.updateMany(
        {
          _id: { $in: leases.map(({ thread_id }) => thread_id) },
          'active_turn.paused.held_by.node_id': node_id,
        },
        { $unset: { 'active_turn.paused.held_by': 1 } },
      )
    },
    /**
     * Takes over a paused turn; null if it no longer waits for this approval. `allow` is stored with the thread. May be
     * repeated with the same `attempt_id`.
     */
    async resume(
      owner: ThreadOwner,
      thread_id: string,
      { attempt_id, pending_id, allow }: { attempt_id: string; pending_id: string; allow: readonly string[] },
    ): Promise<LeasedThread | null> {
      const thread = await threads.findOneAndUpdate(
        {
          _id: thread_id,
          ...owner,
          $or: [{ 'active_turn.paused.pending_id': pending_id }, { 'active_turn.resuming': attempt_id }],
          deleted_at: { $exists: false },
        },
        {
          $set: {
            'active_turn.holder': holder,
            'active_turn.lease_until': clock.now() + LEASE_MS,
            'active_turn.resuming': attempt_id,
          },
          $unset: { 'active_turn.paused': 1 },
          ...(allow.length > 0 ? { $addToSet: { allowed_tools: { $each: [...allow] } } } : {}),
        },
        { returnDocument: 'after' },
      )
      return thread && toLeased(thread)
    },
    /** Notes that a decision takes effect; false if another process, or none any more, has to act on it. May be repeated. */
    async proceed({ thread_id, turn_id }: TurnLease): Promise<boolean> {
      const { matchedCount } = await threads.updateOne(
        { _id: thread_id, 'active_turn.turn_id': turn_id, 'active_turn.holder.node_id': node_id },
        { $unset: { 'active_turn.resuming': 1 } },
      )
      return matchedCount === 1
    },
    /**
     * Leaves a decision to another process, which polls every second; if that process is dead, any other one takes it.
     */
    async handOver({ thread_id, turn_id }: TurnLease, to: Holder): Promise<void> {
      await threads.updateOne(
        {
          _id: thread_id,
          'active_turn.turn_id': turn_id,
          'active_turn.holder.node_id': node_id,
          'active_turn.resuming': { $exists: true },
        },
        { $set: { 'active_turn.holder': to, 'active_turn.lease_until': clock.now() + LEASE_MS } },
      )
    },
    /** Returns the turns among these that are still paused or about to be resumed. */
    async listWaiting(leases: readonly TurnLease[]): Promise<string[]> {
      const waiting = {
        _id: { $in: leases.map(({ thread_id }) => thread_id) },
        'active_turn.turn_id': { $in: leases.map(({ turn_id }) => turn_id) },
        $or: [{ 'active_turn.paused': { $exists: true } }, { 'active_turn.resuming': { $exists: true } }],
        deleted_at: { $exists: false },
      }
      const waitingThreads = await threads
        .find(waiting, { projection: { 'active_turn.turn_id': 1 } })
        .toArray()
      return waitingThreads.map(({ active_turn }) => active_turn!.turn_id)
    },
    /** Returns threads whose turns have waited too long for a person. */
    listExpired: (): Promise<ThreadDocument[]> =>
      threads
        .find({ 'active_turn.paused.expires_at': { $lte: clock.seconds() }, deleted_at: { $exists: false } })
        .toArray(),
  }
}
