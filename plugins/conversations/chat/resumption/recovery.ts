import { AppError } from '#plugin-api'
import { isTerminal } from '../ledger/ledger-event.ts'
import type { Cradle } from '../manifest.ts'
import { createTurn } from '../turns/turn.ts'
import type { LeasedThread } from '../turns/turn-leases.ts'
import { toStoppedEnd } from '../turns/turn-outcome.ts'

/** Closes turns whose process has died. */
export type Recovery = ReturnType<typeof createRecovery>

/**
 * Creates the recovery. A turn that a crash has interrupted is closed with TURN_INTERRUPTED and keeps its text. A turn
 * whose last event was written is settled, and a turn that was about to pause is paused. A decided turn is resumed if
 * nothing was done about the decision yet. A turn that never began is queued again if it was queued before; otherwise
 * it is forgotten, so that it can be sent again.
 */
export function createRecovery(cradle: Cradle) {
  const { clientMessages, ledger, log, queuedTurns, resumption, running, turnLeases, turnOutcomes } = cradle

  const close = async (leased: LeasedThread) => {
    const { lease, thread } = leased
    const { turn_id, thread_id, first_seq, user_id, agent_id } = lease
    const events = await ledger.readTurn(thread_id, turn_id, first_seq)
    const last = events.at(-1)
    if (!last) {
      if (await queuedTurns.release(turn_id)) await clientMessages.unstart(turn_id)
      else await clientMessages.forget(turn_id)
      await turnLeases.release(lease)
      return
    }
    await queuedTurns.remove(turn_id)
    if (isTerminal(last) || last.type === 'hitl_required') return turnOutcomes.complete(lease, events)
    const isStopped = last.type === 'hitl_resolved' && last.frame.outcome === 'stopped'
    if (last.type === 'hitl_resolved' && !isStopped && thread.active_turn?.resuming !== undefined)
      return resumption.proceed(leased, events)
    const turn = createTurn({ thread_id, user_id, agent_id }, cradle)
    try {
      turn.adopt(leased, events)
      const error = new AppError('TURN_INTERRUPTED')
      await turn.end(
        isStopped ? toStoppedEnd(events) : { type: 'error', error, locale: 'en', request_id: turn_id },
      )
    } finally {
      turn.leave()
    }
    log.info({ turn_id, thread_id }, 'closed an interrupted turn')
  }

  let hasBegun = false
  const next = () =>
    turnLeases.adopt(
      ({ _id, active_turn }) =>
        running.get(_id) !== undefined || (!hasBegun && active_turn?.resuming !== undefined),
    )

  const adoptAll = async () => {
    let closed = 0
    for (let adopted = await next(); adopted.length > 0; adopted = await next()) {
      await Promise.all(adopted.map(close))
      closed += adopted.length
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
    /** Adopts and closes every such turn; returns their number. */
    adopt,
    /** Does the same, and from now on resumes decided turns as well, because every plugin is ready. */
    begin(): Promise<number> {
      hasBegun = true
      return adopt()
    },
  }
}
