import { hostname } from 'node:os'
import type { Collection, IndexDescription } from 'mongodb'
import type { Clock, Ids } from '#kernel'
import type { Holder, TurnDocument, Usage } from './documents.ts'

/** How long a turn's process may be silent before another may close the turn, in milliseconds. */
export const LEASE_MS = 15_000

/** Holds the active turns and no others. */
const ACTIVE_INDEX = 'active'

/** The indexes that make a turn a lock, an idempotency record and a lease. */
export const turnIndexes: IndexDescription[] = [
  { key: { thread_id: 1, first_seq: 1 }, unique: true },
  {
    key: { user_id: 1, agent_id: 1, client_message_id: 1 },
    unique: true,
    partialFilterExpression: { client_message_id: { $exists: true } },
  },
  { key: { thread_id: 1 }, name: ACTIVE_INDEX, partialFilterExpression: { status: 'active' } },
]

/** A turn that this process is to run, or why not. */
export type Opened =
  | { outcome: 'opened'; turn: TurnDocument }
  /** The same client_message_id has started a turn before. */
  | { outcome: 'repeated'; turn: TurnDocument }
  /** Another process is or was at work behind the same seq. */
  | { outcome: 'taken'; turn: TurnDocument }

/** The record of turns. */
export interface Turns {
  open(
    turn: Pick<TurnDocument, 'thread_id' | 'user_id' | 'agent_id' | 'client_message_id' | 'first_seq'>,
  ): Promise<Opened>
  close(
    turn_id: string,
    end: { status: TurnDocument['status']; last_seq: number; usage?: Usage },
  ): Promise<void>
  /** Removes a turn that wrote nothing. */
  forget(turn_id: string): Promise<void>
  findRepeated(key: {
    user_id: string
    agent_id: string
    client_message_id: string
  }): Promise<TurnDocument | null>
  /** The active turn of each of these threads. */
  findActive(thread_ids: readonly string[]): Promise<TurnDocument[]>
  /** Renews the leases of these turns; gives how many are still ours. */
  renew(turn_ids: readonly string[]): Promise<number>
  /** Takes over an active turn whose process is gone; gives one at a time, null when there is none. */
  adopt(): Promise<TurnDocument | null>
  remove(thread_id: string): Promise<void>
}

/** Turns over their collection. `isAlive` tells whether a process of this machine runs. */
export function createTurns({
  turns,
  clock,
  ids,
  node_id,
  isAlive = processRuns,
}: {
  turns: Collection<TurnDocument>
  clock: Clock
  ids: Ids
  node_id: string
  isAlive?: (pid: number) => boolean
}): Turns {
  const holder: Holder = { node_id, host: hostname(), pid: process.pid }
  const isDead = (other: Holder) =>
    other.host === holder.host &&
    other.node_id !== node_id &&
    (other.pid === holder.pid || !isAlive(other.pid))

  const open: Turns['open'] = async (wanted) => {
    const now = clock.now()
    const turn: TurnDocument = {
      _id: ids.make('trn_'),
      ...wanted,
      status: 'active',
      holder,
      lease_until: now + LEASE_MS,
      started_at: now,
    }
    try {
      await turns.insertOne(turn)
      return { outcome: 'opened', turn }
    } catch (error) {
      if ((error as { code?: number }).code !== 11000) throw error
    }
    const { thread_id, first_seq, user_id, agent_id, client_message_id } = wanted
    const repeated = client_message_id && (await turns.findOne({ user_id, agent_id, client_message_id }))
    if (repeated) return { outcome: 'repeated', turn: repeated }
    const other = await turns.findOne({ thread_id, first_seq })
    // The other one may have been removed with its thread in between.
    return other ? { outcome: 'taken', turn: other } : open(wanted)
  }

  return {
    open,
    async close(turn_id, end) {
      await turns.updateOne({ _id: turn_id }, { $set: { ...end, ended_at: clock.now() } })
    },
    async forget(turn_id) {
      await turns.deleteOne({ _id: turn_id })
    },
    findRepeated: (key) => turns.findOne(key),
    findActive: (thread_ids) =>
      turns.find({ thread_id: { $in: [...thread_ids] }, status: 'active' }).toArray(),
    async renew(turn_ids) {
      const { matchedCount } = await turns.updateMany(
        { _id: { $in: [...turn_ids] }, status: 'active', 'holder.node_id': node_id },
        { $set: { lease_until: clock.now() + LEASE_MS } },
      )
      return matchedCount
    },
    async adopt() {
      const now = clock.now()
      const active = await turns
        .find({ status: 'active', 'holder.node_id': { $ne: node_id } })
        .hint(ACTIVE_INDEX)
        .toArray()
      for (const turn of active) {
        if (turn.lease_until >= now && !isDead(turn.holder)) continue
        const { _id, lease_until } = turn
        const adopted = await turns.findOneAndUpdate(
          { _id, status: 'active', lease_until, 'holder.node_id': turn.holder.node_id },
          { $set: { holder, lease_until: now + LEASE_MS } },
        )
        if (adopted) return adopted
      }
      return null
    },
    async remove(thread_id) {
      await turns.deleteMany({ thread_id })
    },
  }
}

function processRuns(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
