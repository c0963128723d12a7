import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '#plugin-api'
import { isTerminal } from '../ledger/ledger-event.ts'
import type { ReadEvent } from '../ledger/ledger-reader.ts'
import type { Cradle } from '../manifest.ts'
import type { ThreadOwner } from '../threads/threads.ts'

/** The interval for checking that a turn without events is still queued, in milliseconds. */
const QUEUE_POLL_MS = 1000

/** A turn whose events are followed. */
export interface FollowedTurn extends ThreadOwner {
  thread_id: string
  turn_id: string
  /** The seq of an event before the turn's first one; without it, the turn may be queued. */
  after?: number
  /** The number of events at the beginning of the turn that are left out. */
  skip?: number
  /** True to go on after a pause, when somebody has decided. */
  acrossPauses?: boolean
  /** True to take the turn back if it is queued behind a turn that waits for a person. */
  refusesPaused?: boolean
}

/**
 * Yields the events of a turn, on whatever server it runs, until it ends or pauses. Ends early if the signal is aborted,
 * the turn was taken back, or it was removed with its thread. Throws THREAD_PAUSED if it was taken back because its
 * thread waits for a person.
 */
export async function* followTurn(
  {
    thread_id,
    turn_id,
    user_id,
    agent_id,
    after,
    skip = 0,
    acrossPauses = false,
    refusesPaused = false,
  }: FollowedTurn,
  signal: AbortSignal,
  { collections, ledgerReader, queuedTurns, turnQueue }: Cradle,
): AsyncGenerator<ReadEvent, void, void> {
  const done = new AbortController()
  const isDone = AbortSignal.any([signal, done.signal])
  let skipped = 0
  let hasBegun = after !== undefined
  let failure: { error: unknown } | undefined

  const readThread = () =>
    collections.threads.findOne({ _id: thread_id }, { projection: { active_turn: 1, last_seq: 1 } })

  const findFirst = async () => {
    const { events } = await ledgerReader.page(thread_id, { turn_id, after: 0, limit: 1 })
    return events[0]
  }

  /** True if the turn has begun or will begin. Takes it back and throws if it must not wait. */
  const isAwaited = async () => {
    const position = await queuedTurns.positionOf(thread_id, turn_id)
    const thread = await readThread()
    // A turn leaves the queue and its thread only after its first event is durable, so the event is read last.
    if (thread?.active_turn?.turn_id === turn_id || (await findFirst())) return true
    const isPaused = thread?.active_turn?.paused !== undefined
    if (refusesPaused && isPaused && (await turnQueue.takeBack({ user_id, agent_id }, thread_id, turn_id)))
      throw new AppError('THREAD_PAUSED')
    return thread !== null && position !== undefined
  }

  const watchQueue = async () => {
    for (;;) {
      // Rejects only when aborted, which ends the loop.
      await pause(QUEUE_POLL_MS, undefined, { signal: isDone }).catch(() => undefined)
      if (hasBegun || isDone.aborted) return
      if (!(await isAwaited())) return done.abort()
    }
  }

  if (!hasBegun) {
    const thread = await readThread()
    if (!thread) return
    const first = await findFirst()
    after = first ? first.seq - 1 : thread.last_seq
    watchQueue().catch((error) => {
      failure = { error }
      done.abort()
    })
  }
  try {
    const start = { thread_id, user_id, after: after!, hasRead: after! > 0, signal: isDone }
    for await (const event of ledgerReader.follow(start)) {
      if (event.turn_id === turn_id) {
        hasBegun = true
        skipped += 1
        if (skipped <= skip) continue
        yield event
        if (isTerminal(event) || (event.type === 'hitl_required' && !acrossPauses)) return
      } else if (!hasBegun && event.type === 'hitl_required' && !(await isAwaited())) return
    }
  } finally {
    done.abort()
  }
  if (failure) throw failure.error
}
