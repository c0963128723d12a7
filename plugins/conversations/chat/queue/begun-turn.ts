import { AppError } from '#kernel'
import type { ThreadDocument } from '../documents.ts'
import { followEvents } from '../ledger/following.ts'
import type { Reader } from '../ledger/hub.ts'
import { isTerminal, type LedgerEvent, seqOf } from '../ledger/ledger-event.ts'
import type { Cradle } from '../manifest.ts'
import type { ThreadOwner } from '../threads/threads.ts'
import type { Turn, TurnRequest } from '../turns/turn.ts'

/** The interval at which a queued turn is looked for, in milliseconds. */
const POLL_MS = 1000

/** A turn that has begun or is queued. */
export interface BegunTurn {
  turn_id: string
  /** The seq of the last event before those that are followed, if they are not the first ones. */
  after?: number
  /**
   * Yields its events until it ends or pauses, except for those that happened elsewhere or before a pause. Throws
   * THREAD_PAUSED if it is queued behind a turn that has paused, and THREAD_NOT_FOUND if it was taken back or removed
   * with its thread.
   */
  follow(signal: AbortSignal): AsyncGenerator<LedgerEvent, void, void>
  /** Ends the turn, or takes it back if it is queued. */
  cancel(): Promise<void>
}

interface Place extends ThreadOwner {
  thread_id: string
  turn_id: string
}

type Parts = Pick<
  Cradle,
  'hub' | 'ledger' | 'ledgerReader' | 'queuedTurns' | 'running' | 'threads' | 'turnQueue' | 'turnLeases'
>

/** Runs a turn that has its thread, in the background. */
export function beginOpened(turn: Turn, order: TurnRequest, parts: Parts & Pick<Cradle, 'log'>): BegunTurn {
  const { lease, log } = turn.opened!
  const { turn_id } = lease
  const first = countFirst(order)
  const ended = turn.run(order).catch((error) => parts.log.error({ error, turn_id }, 'a turn failed'))
  return {
    turn_id,
    ...(first > 0 && { after: lease.first_seq + first - 1 }),
    follow: (signal) => followLog({ lease, log, first, ended, signal }, parts),
    cancel: () => turn.stop('stopped'),
  }
}

/** Counts the events at the beginning of a turn that its program knows: the message and the steps of elsewhere. */
const countFirst = ({ steps = [] }: Pick<TurnRequest, 'steps'>) => (steps.length > 0 ? steps.length + 1 : 0)

/** Follows a turn that was resumed while it was paused as this thread shows it. */
export function beginResumed(
  { _id: thread_id, user_id, agent_id, active_turn }: ThreadDocument,
  stop: () => Promise<unknown>,
  parts: Parts,
): BegunTurn {
  const { turn_id, paused } = active_turn!
  const place = { thread_id, turn_id, user_id, agent_id }
  const after = paused!.seq
  return {
    turn_id,
    after,
    follow: (signal) => followLedger(place, { after, hasRead: true, signal }, parts),
    async cancel() {
      await stop()
    },
  }
}

/** Follows a turn that waits for its thread or its account. */
export function beginQueued(place: Place, order: Pick<TurnRequest, 'steps'>, parts: Parts): BegunTurn {
  const { turn_id, thread_id, user_id, agent_id } = place
  const { turnQueue, running, threads, turnLeases } = parts
  return {
    turn_id,
    async *follow(signal) {
      const first_seq = await waitForStart(place, signal, parts)
      if (first_seq !== undefined)
        yield* followLedger(place, { after: first_seq - 1 + countFirst(order), signal }, parts)
    },
    async cancel() {
      const owner = { user_id, agent_id }
      if (await turnQueue.takeBack(owner, thread_id, turn_id)) return
      await running.stop(({ opened }) => opened?.lease.turn_id === turn_id, 'stopped')
      const { active_turn } = await threads.get(owner, thread_id)
      if (active_turn?.turn_id === turn_id) await turnLeases.requestStop(thread_id)
    },
  }
}

/** True for the last event of a turn before its end or its pause. */
const isLast = (event: LedgerEvent) => isTerminal(event) || event.type === 'hitl_required'

/**
 * Yields the events of a turn that this process runs as they become durable, without reading the database unless another
 * process takes over the turn.
 */
async function* followLog(
  {
    lease,
    log: { committed },
    first,
    ended,
    signal,
  }: Pick<NonNullable<Turn['opened']>, 'lease' | 'log'> & {
    first: number
    ended: Promise<void>
    signal: AbortSignal
  },
  parts: Pick<Parts, 'hub' | 'ledger'>,
): AsyncGenerator<LedgerEvent, void, void> {
  const { thread_id, user_id } = lease
  const { hub } = parts
  let next = first
  let wake = () => {}
  let isOver = false
  const leave = () => {
    isOver = true
    wake()
  }
  const reader: Reader = { user_id, deliver: () => wake() }
  void ended.then(leave)
  signal.addEventListener('abort', leave)
  hub.add(thread_id, reader)
  try {
    while (!signal.aborted) {
      for (; next < committed.length; next += 1) {
        const event = committed[next]!
        yield event
        if (isLast(event)) return
      }
      if (isOver) break
      await new Promise<void>((resolve) => {
        wake = resolve
        if (next < committed.length || isOver) resolve()
      })
    }
  } finally {
    signal.removeEventListener('abort', leave)
    hub.remove(thread_id, reader)
  }
  const last = committed[next - 1]
  yield* followLedger(lease, { after: last ? seqOf(last) : 0, signal }, parts)
}

/** Yields the events of a turn from the ledger, whatever process runs it. */
async function* followLedger(
  { thread_id, user_id, turn_id }: Place,
  { after, ...reading }: { after: number; hasRead?: boolean; signal: AbortSignal },
  { hub, ledger }: Pick<Parts, 'hub' | 'ledger'>,
): AsyncGenerator<LedgerEvent, void, void> {
  for await (const event of followEvents({ thread_id, user_id, after, ...reading, hub, ledger })) {
    if (event.turn_id !== turn_id) continue
    yield event
    if (isLast(event)) return
  }
}

/** Waits until a queued turn has started; returns the seq of its first event, or undefined if the signal is aborted. */
async function waitForStart(
  { thread_id, user_id, agent_id, turn_id }: Place,
  signal: AbortSignal,
  { hub, ledgerReader, queuedTurns, threads, turnQueue }: Parts,
): Promise<number | undefined> {
  const owner = { user_id, agent_id }
  let wake = () => {}
  const notify = () => wake()
  const reader: Reader = {
    user_id,
    deliver: (event) => {
      if (event.turn_id === turn_id || isLast(event)) wake()
    },
  }
  hub.add(thread_id, reader)
  signal.addEventListener('abort', notify)
  try {
    while (!signal.aborted) {
      const position = await queuedTurns.positionOf(thread_id, turn_id)
      // A turn leaves the queue only after its first event is durable.
      const { events } = await ledgerReader.page(thread_id, { turn_id, after: 0, limit: 1 })
      if (events[0]) return events[0].seq
      if (position === undefined) throw new AppError('THREAD_NOT_FOUND')
      const { active_turn } = await threads.get(owner, thread_id)
      if (active_turn?.paused && (await turnQueue.takeBack(owner, thread_id, turn_id)))
        throw new AppError('THREAD_PAUSED')
      await new Promise<void>((resolve) => {
        const poll = setTimeout(resolve, POLL_MS)
        wake = () => {
          clearTimeout(poll)
          resolve()
        }
        if (signal.aborted) wake()
      })
    }
    return undefined
  } finally {
    signal.removeEventListener('abort', notify)
    hub.remove(thread_id, reader)
  }
}
