import type { Collection, Document } from 'mongodb'
import { AppError, type Clock, hasEnded, type Ids, thisProcess, type Write } from '#plugin-api'
import type { ActiveTurn, Holder, MessageRange, QueuedTurnDocument, ThreadDocument } from '../documents.ts'
import { LAST_SEQ } from '../ledger/ledger-event.ts'
import type { Cradle } from '../manifest.ts'
import { toTitle } from '../threads/thread-progress.ts'
import type { ThreadOwner } from '../threads/threads.ts'
import { createPausedLeases, LEASE_MS } from './paused-leases.ts'
import { createThreadUpdates } from './thread-updates.ts'

const FIRST_SEQ = { $add: ['$last_seq', 1] }
const NEW_RANGE = { thread_id: '$_id', first: FIRST_SEQ, last: LAST_SEQ }

/** Returns the expression for the path of a thread with a turn; it has no value if the turn continues as usual. */
function toPath({ continues, path }: Taking) {
  if (path) return { $literal: path }
  if (continues) return { $concatArrays: [{ $literal: continues }, [NEW_RANGE]] }
  // The path of an imported fork may be empty, because it shows nothing of its own.
  const end = { $ifNull: [{ $last: '$path.last' }, { $cond: [{ $isArray: '$path' }, 0, LAST_SEQ] }] }
  return { $cond: [{ $lt: [end, LAST_SEQ] }, { $concatArrays: ['$path', [NEW_RANGE]] }, '$$REMOVE'] }
}

const isMissing = (field: keyof ThreadDocument) => ({ $eq: [{ $type: `$${field}` }, 'missing'] })
const IS_FREE = { $eq: [{ $ifNull: ['$active_turn', null] }, null] }
const IS_NOT_REMOVED = isMissing('deleted_at')

/** The most turns that are adopted at once. */
const ADOPTED_AT_ONCE = 64

/** The lease of a turn on its thread, whose owner is that of the turn. */
export interface TurnLease extends ThreadOwner {
  turn_id: string
  thread_id: string
  first_seq: number
  /** The path of the thread once the turn has ended, if the turn changes it. */
  path?: readonly MessageRange[] | undefined
}

/** A thread whose lease a turn has, as it was when the turn got it. */
export interface LeasedThread {
  lease: TurnLease
  thread: ThreadDocument
  /** True if the instructions of the thread were replaced with the lease. */
  isInstructed?: boolean
}

/** The changes that a thread is taken with. */
export interface Taking {
  scopes?: readonly string[] | undefined
  /** Replace the instructions of the thread. */
  instructions?: string | undefined
  /** The title, if the thread has none. */
  title?: string
  /** The path that the turn continues; without it, that of the thread. */
  continues?: readonly MessageRange[] | undefined
  /** The path of the thread from now on, if the turn only changes that. */
  path?: readonly MessageRange[]
}

/** Assigns each thread to one turn at a time, across processes: a lease inside the thread's document. */
export type TurnLeases = ReturnType<typeof createTurnLeases>

/** Creates the leases over the threads. */
export function createTurnLeases({
  threads,
  clock,
  ids,
  node_id,
  isGone = () => false,
  onStopRequested = () => undefined,
}: {
  threads: Collection<ThreadDocument>
  clock: Clock
  ids: Ids
  node_id: string
  /** True if another process is known to have ended. */
  isGone?: (node_id: string) => boolean
  onStopRequested?: (thread_id: string) => void
}) {
  const holder: Holder = { node_id, ...thisProcess }
  const isDead = (other: Holder) => isGone(other.node_id) || hasEnded(other)

  const toLease = (
    { _id, user_id, agent_id }: ThreadDocument,
    { turn_id, first_seq, path }: ActiveTurn,
  ): TurnLease => ({
    turn_id,
    thread_id: _id,
    user_id,
    agent_id,
    first_seq,
    ...(path && { path }),
  })

  const toLeased = (thread: ThreadDocument): LeasedThread => ({
    lease: toLease(thread, thread.active_turn!),
    thread,
  })

  const toOwnLeases = (leases: readonly TurnLease[]) => ({
    _id: { $in: leases.map(({ thread_id }) => thread_id) },
    'active_turn.turn_id': { $in: leases.map(({ turn_id }) => turn_id) },
    'active_turn.holder.node_id': node_id,
    'active_turn.paused': { $exists: false },
  })

  const release = async ({ thread_id, turn_id }: TurnLease): Promise<void> => {
    await threads.updateOne(
      { _id: thread_id, 'active_turn.turn_id': turn_id },
      { $set: { active_turn: null } },
    )
  }

  const updateThread = createThreadUpdates(threads)

  /**
   * Assigns a thread of this owner to a turn, if no other turn has it and these conditions hold; returns the thread as it is
   * then, also if it was not assigned. All conditions are in the expressions: a query by the id alone costs half.
   */
  const occupy = (
    thread_id: string,
    { user_id, agent_id }: ThreadOwner,
    conditions: readonly Document[],
    turn_id: string,
    { scopes, instructions, title, continues, path }: Taking,
  ) => {
    const now = clock.now()
    const isOwn = [{ $eq: ['$user_id', user_id] }, { $eq: ['$agent_id', agent_id] }]
    const mayTake = { $and: [...isOwn, IS_FREE, IS_NOT_REMOVED, ...conditions] }
    const active_turn = {
      turn_id,
      holder,
      lease_until: now + LEASE_MS,
      started_at: now,
      ...(scopes && { scopes: { $literal: scopes } }),
    }
    const changes = {
      active_turn: { ...active_turn, first_seq: FIRST_SEQ, path: toPath({ continues, path }) },
      reported_seq: { $ifNull: ['$reported_seq', '$last_seq'] },
      ...(!path && { archived: '$$REMOVE' }),
      ...(title && { title: { $ifNull: ['$title', { $literal: title }] } }),
      ...(instructions !== undefined && { instructions: { $literal: instructions } }),
    }
    const fields = Object.entries(changes).map(([field, value]) => [
      field,
      { $cond: [mayTake, value, `$${field}`] },
    ])
    return updateThread(thread_id, [{ $set: Object.fromEntries(fields) }])
  }

  return {
    /**
     * Assigns the thread to a new turn, and replaces its instructions if there are new ones; null if another turn has it or
     * is queued for it. Throws THREAD_NOT_FOUND if the thread is not the owner's, or was removed.
     */
    async take(owner: ThreadOwner, thread_id: string, taking: Taking = {}): Promise<LeasedThread | null> {
      const turn_id = ids.make('trn_')
      const thread = await occupy(thread_id, owner, [isMissing('queue_tail')], turn_id, taking)
      if (thread?.active_turn?.turn_id === turn_id)
        return { ...toLeased(thread), isInstructed: taking.instructions !== undefined }
      const isOwn = thread?.user_id === owner.user_id && thread.agent_id === owner.agent_id
      if (!isOwn || thread.deleted_at !== undefined) throw new AppError('THREAD_NOT_FOUND')
      return null
    },
    /** Assigns the thread to a queued turn; null if another turn has the thread, or it was removed. */
    async takeForQueued({
      _id: turn_id,
      thread_id,
      user_id,
      agent_id,
      content,
      scopes,
    }: QueuedTurnDocument): Promise<LeasedThread | null> {
      const taking = { scopes, title: toTitle({ content }) }
      const thread = await occupy(thread_id, { user_id, agent_id }, [], turn_id, taking)
      return thread?.active_turn?.turn_id === turn_id ? toLeased(thread) : null
    },
    /**
     * Returns the write that takes the thread again if nobody has it: the database may have died before the lease was in
     * its journal.
     */
    toRestoreWrite({
      lease: { thread_id, first_seq },
      thread: { active_turn, title, reported_seq, instructions },
      isInstructed,
    }: LeasedThread): Write {
      const isLost = { $and: [IS_FREE, IS_NOT_REMOVED, { $eq: ['$last_seq', first_seq - 1] }] }
      const restored = { active_turn, title, reported_seq, ...(isInstructed && { instructions }) }
      const fields = Object.entries(restored).map(([field, value]) => [
        field,
        { $cond: [isLost, { $literal: value }, `$${field}`] },
      ])
      return {
        name: 'updateOne',
        namespace: threads.namespace,
        filter: { _id: thread_id },
        update: [{ $set: Object.fromEntries(fields) }],
      }
    },
    /** Releases a thread to which nothing was written. */
    release,
    ...createPausedLeases({ threads, clock, holder, toLeased }),
    /** Renews the leases of these turns; returns how many are still ours. */
    async renew(leases: readonly TurnLease[]): Promise<number> {
      const update = { $set: { 'active_turn.lease_until': clock.now() + LEASE_MS } }
      const { matchedCount } = await threads.updateMany(toOwnLeases(leases), update)
      return matchedCount
    },
    /** Returns the ids of those among these turns whose leases are still ours. */
    async listOwn(leases: readonly TurnLease[]): Promise<Set<string>> {
      const leasedThreads = await threads
        .find(toOwnLeases(leases), { projection: { active_turn: 1 } })
        .toArray()
      return new Set(leasedThreads.map(({ active_turn }) => active_turn!.turn_id))
    },
    /** Asks the process that runs a thread's turn to stop it; false if the thread has no turn. */
    async requestStop(thread_id: string): Promise<boolean> {
      const active = { _id: thread_id, 'active_turn.turn_id': { $exists: true } }
      const { matchedCount } = await threads.updateOne(active, {
        $set: { 'active_turn.stop_requested': true },
      })
      onStopRequested(thread_id)
      return matchedCount === 1
    },
    /** Returns the threads among these whose turns must be stopped. */
    async listStopRequests(leases: readonly TurnLease[]): Promise<string[]> {
      const stopRequested = {
        _id: { $in: leases.map(({ thread_id }) => thread_id) },
        'active_turn.stop_requested': true,
      }
      const stoppedThreads = await threads.find(stopRequested, { projection: { _id: 1 } }).toArray()
      return stoppedThreads.map(({ _id }) => _id)
    },
    /** Counts the turns that any process runs. */
    countLive: (): Promise<number> =>
      threads.countDocuments({ 'active_turn.lease_until': { $gte: clock.now() } }),
    /** True if the process that holds a turn is known to have ended. */
    isDead,
    /**
     * Takes over turns that no process runs any more, here or elsewhere, except for turns to be left alone; none if there
     * are none.
     */
    async adopt(isLeftAlone: (thread: ThreadDocument) => boolean): Promise<LeasedThread[]> {
      const now = clock.now()
      const leasedThreads = await threads.find({ 'active_turn.lease_until': { $gt: 0 } }).toArray()
      const abandoned = leasedThreads.filter((thread) => {
        const turn = thread.active_turn!
        const isOurs = turn.holder.node_id === node_id
        return !isLeftAlone(thread) && (isOurs || turn.lease_until < now || isDead(turn.holder))
      })
      const adopt = async (thread: ThreadDocument) => {
        const turn = thread.active_turn!
        const { matchedCount } = await threads.updateOne(
          {
            _id: thread._id,
            'active_turn.turn_id': turn.turn_id,
            'active_turn.holder.node_id': turn.holder.node_id,
            'active_turn.lease_until': turn.lease_until,
          },
          { $set: { 'active_turn.holder': holder, 'active_turn.lease_until': now + LEASE_MS } },
        )
        return matchedCount === 1 ? [{ lease: toLease(thread, turn), thread }] : []
      }
      return (await Promise.all(abandoned.slice(0, ADOPTED_AT_ONCE).map(adopt))).flat()
    },
  }
}

/** Resumes held calls that were decided in another process, and abandons those that are no longer needed. */
export async function reconcileHeldCalls({
  heldCalls,
  recovery,
  resumption,
  log,
}: Pick<Cradle, 'heldCalls' | 'recovery' | 'resumption' | 'log'>): Promise<void> {
  if (heldCalls.turns().length === 0) return
  try {
    await recovery.adopt()
    await resumption.releaseHeld()
  } catch (error) {
    log.error({ error }, 'held calls could not be reconciled')
  }
}

/** Renews the leases of the running turns and stops those that another process asks to stop. */
export async function renewLeases({
  running,
  turnLeases,
  log,
}: Pick<Cradle, 'running' | 'turnLeases' | 'log'>): Promise<void> {
  const current = running.list().filter(({ opened }) => opened)
  if (current.length === 0) return
  try {
    const leases = current.map(({ opened }) => opened!.lease)
    const [renewed, unwanted] = await Promise.all([
      turnLeases.renew(leases),
      turnLeases.listStopRequests(leases),
    ])
    await running.stop(({ thread_id }) => unwanted.includes(thread_id), 'stopped')
    if (renewed === current.length) return
    // The first event restores a lease that the database has lost, or finds that another turn has the thread.
    const writing = current.filter(({ opened }) => opened!.log.committed.length > 0)
    const ownTurnIds = await turnLeases.listOwn(writing.map(({ opened }) => opened!.lease))
    for (const turn of writing)
      if (running.get(turn.thread_id) === turn && !ownTurnIds.has(turn.opened!.lease.turn_id))
        void turn.stop('lost')
  } catch (error) {
    log.error({ error }, 'leases could not be renewed')
  }
}
