import { AppError } from '#kernel'
import type { ThreadDocument } from '../documents.ts'
import { isTerminal, seqOf } from '../ledger/ledger-event.ts'
import type { Cradle } from '../manifest.ts'
import { toStoppedEnd } from './settlement.ts'
import type { Turn } from './turns.ts'

/** Closes turns whose process has died. */
export interface Recovery {
  /** Adopts and closes every such turn; returns their number. */
  adopt(): Promise<number>
  /** Does the same, and from now on resumes decided turns as well, because every plugin is ready. */
  begin(): Promise<number>
}

/**
 * Creates the recovery. A turn that a crash has interrupted is closed with TURN_INTERRUPTED and keeps its text. A turn
 * whose last event was written is settled, and a turn that was about to pause is paused. A decided turn is resumed if
 * nothing was done about the decision yet. A turn that never began is queued again if it was queued before; otherwise
 * it is forgotten, so that it can be sent again.
 */
export function createRecovery({
  ledger,
  turns,
  queuedTurns,
  running,
  resumption,
  settlement,
  log,
}: Pick<
  Cradle,
  'ledger' | 'turns' | 'queuedTurns' | 'running' | 'resumption' | 'settlement' | 'log'
>): Recovery {
  const close = async (taken: { turn: Turn; thread: ThreadDocument }) => {
    const { turn, thread } = taken
    const { turn_id, thread_id, first_seq } = turn
    const events = await ledger.readTurn(thread_id, turn_id, first_seq)
    const last = events.at(-1)
    if (!last) {
      if (await queuedTurns.release(turn_id)) await turns.unstart(turn_id)
      else await turns.forgetMessage(turn_id)
      await turns.release(turn)
      return
    }
    await queuedTurns.remove(turn_id)
    if (isTerminal(last) || last.type === 'hitl_required') return settlement.complete(turn, events)
    if (last.type === 'hitl_resolved' && last.frame.outcome !== 'stopped' && thread.active_turn?.resuming) {
      resumption.proceed(taken, events)
      return
    }
    const wasStopped = last.type === 'hitl_resolved' && last.frame.outcome === 'stopped'
    const turnLog = ledger.open({
      thread_id,
      turn_id,
      lastSeq: seqOf(last),
      before: events,
      onLost: () => log.warn({ turn_id }, 'another process is closing this turn'),
    })
    const interrupted = new AppError('TURN_INTERRUPTED')
    await settlement.end(
      turn,
      turnLog,
      wasStopped
        ? toStoppedEnd(events)
        : { type: 'error', error: interrupted, locale: 'en', request_id: turn_id },
    )
    log.info({ turn_id, thread_id }, 'closed an interrupted turn')
  }

  let hasBegun = false
  const next = () =>
    turns.adopt(
      ({ _id, active_turn }) =>
        running.get(_id) !== undefined || (!hasBegun && active_turn?.resuming === true),
    )

  const adoptAll = async () => {
    let closed = 0
    for (let taken = await next(); taken.length > 0; taken = await next()) {
      await Promise.all(taken.map(close))
      closed += taken.length
    }
    return closed
  }

  let adopting: Promise<number> | undefined
  const adopt = () => {
    // Only one run at a time: a turn that is being closed has no running process.
    adopting ??= adoptAll().finally(() => {
      adopting = undefined
    })
    return adopting
  }
  return {
    adopt,
    begin() {
      hasBegun = true
      return adopt()
    },
  }
}
