import { AppError, type Logger } from '#kernel'
import type { ThreadDocument } from '../documents.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { isTerminal, seqOf } from '../ledger/ledger-event.ts'
import type { QueuedTurns } from './queued-turns.ts'
import type { Resumption } from './resumption.ts'
import type { RunningTurns } from './running-turns.ts'
import { pausedBy, type SettlementParts, settleTurn, stoppedEnd, storeOutcome } from './settlement.ts'
import type { Turn, Turns } from './turns.ts'

/** Closes turns whose process is gone. */
export interface Recovery {
  /** Adopts and closes every such turn; gives how many. */
  adopt(): Promise<number>
  /** The same; from now on also those go on that were decided, as every plugin is at work. */
  begin(): Promise<number>
}

/**
 * Makes the recovery: a turn that a crash cut is closed with TURN_INTERRUPTED and its text kept; one whose last
 * event was written is settled; one that was about to wait for a person waits; one about which a person has decided,
 * with nothing done about it yet, goes on; one that never began waits again if it has waited before, or else is
 * forgotten, so that it can be sent again.
 */
export function createRecovery({
  ledger,
  turns,
  queuedTurns,
  running,
  resumption,
  log,
  ...parts
}: SettlementParts & {
  ledger: Ledger
  turns: Turns
  queuedTurns: QueuedTurns
  running: RunningTurns
  resumption: Resumption
  log: Logger
}): Recovery {
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
    if (isTerminal(last)) {
      await storeOutcome({ ...parts, turn, events })
      return
    }
    if (last.type === 'hitl_required') {
      await turns.pause(turn, pausedBy(last))
      return
    }
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
      onLost: () => log.warn({ turn_id }, 'another process closes this turn'),
    })
    await settleTurn({
      ...parts,
      turn,
      log: turnLog,
      end: wasStopped
        ? stoppedEnd(events)
        : { type: 'error', error: new AppError('TURN_INTERRUPTED'), locale: 'en', request_id: turn_id },
    })
    log.info({ turn_id, thread_id }, 'closed a turn that was interrupted')
  }

  let hasBegun = false
  const next = () =>
    turns.adopt(
      ({ _id, active_turn }) =>
        running.get(_id) !== undefined || (!hasBegun && active_turn?.resuming === true),
    )

  const adoptAll = async () => {
    let closed = 0
    for (let taken = await next(); taken; taken = await next()) {
      await close(taken)
      closed += 1
    }
    return closed
  }

  let adopting: Promise<number> | undefined
  const adopt = () => {
    // One at a time: a turn that is being closed has nobody who runs it.
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
