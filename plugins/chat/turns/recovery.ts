import { AppError, type Logger } from '#kernel'
import type { Ledger } from '../ledger/ledger.ts'
import { isTerminal, seqOf } from '../ledger/ledger-event.ts'
import type { RunningTurns } from './running-turns.ts'
import { type SettlementParts, settleTurn, storeOutcome } from './settlement.ts'
import type { Turn, Turns } from './turns.ts'

/** Closes turns whose process is gone. */
export interface Recovery {
  /** Adopts and closes every such turn; gives how many. */
  adopt(): Promise<number>
}

/**
 * Makes the recovery: a turn that a crash cut is closed with TURN_INTERRUPTED and its text kept; one whose last
 * event was written is settled; one that never began is forgotten, so that it can be sent again.
 */
export function createRecovery({
  ledger,
  turns,
  running,
  log,
  ...parts
}: SettlementParts & { ledger: Ledger; turns: Turns; running: RunningTurns; log: Logger }): Recovery {
  const close = async (turn: Turn) => {
    const { turn_id, thread_id, first_seq } = turn
    const events = await ledger.readTurn(thread_id, turn_id, first_seq)
    const last = events.at(-1)
    if (!last) {
      await turns.forget(turn)
      return
    }
    if (isTerminal(last)) {
      await storeOutcome({ ...parts, turn, events })
      return
    }
    const turnLog = ledger.open({
      thread_id,
      turn_id,
      lastSeq: seqOf(last),
      onLost: () => log.warn({ turn_id }, 'another process closes this turn'),
    })
    await settleTurn({
      ...parts,
      turn,
      log: turnLog,
      before: events,
      end: {
        type: 'error',
        error: new AppError('TURN_INTERRUPTED'),
        locale: 'en',
        request_id: turn_id,
        usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
        artifacts: [],
      },
    })
    log.info({ turn_id, thread_id }, 'closed a turn that was interrupted')
  }

  const next = () => turns.adopt((thread_id) => running.get(thread_id) !== undefined)

  const adoptAll = async () => {
    let closed = 0
    for (let turn = await next(); turn; turn = await next()) {
      await close(turn)
      closed += 1
    }
    return closed
  }

  let adopting: Promise<number> | undefined
  return {
    adopt() {
      // One at a time: a turn that is being closed has nobody who runs it.
      adopting ??= adoptAll().finally(() => {
        adopting = undefined
      })
      return adopting
    },
  }
}
