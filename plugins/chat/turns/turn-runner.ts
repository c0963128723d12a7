import { setTimeout as pause } from 'node:timers/promises'
import { AppError, type Cradle } from '#kernel'
import type { RunningTurn, StopReason } from './running-turns.ts'
import type { TurnOrder } from './turn-execution.ts'
import type { Opened, Turn } from './turns.ts'

/** One thing a user says to an agent in a thread. */
export interface TurnRequest extends TurnOrder {
  thread_id: string
  client_message_id?: string
}

/** Runs turns to their end. */
export interface TurnRunner {
  /**
   * Gives the turn that the same client_message_id started before, if this one repeats it. Waits behind the turn that
   * has the thread, with `refresh` giving the request as it is after each while; throws SHUTTING_DOWN where `signal` is
   * aborted meanwhile. `onTaken` is told, each time, whether another turn has the thread.
   */
  run(
    request: TurnRequest,
    options: {
      refresh: (request: TurnRequest) => Promise<TurnRequest>
      onTaken: (isTaken: boolean) => void
      signal: AbortSignal
    },
  ): Promise<Turn | undefined>
}

/** How often a thread that another turn has is looked at, in milliseconds: one that somebody works on, one that waits. */
const TAKEN_POLL_MS = 100
const PAUSED_POLL_MS = 500

/** Makes the runner of turns. */
export function createTurnRunner(cradle: Cradle): TurnRunner {
  const { ledger, turns, running, recovery, turnExecution, ids } = cradle

  /** Runs a turn if its thread is free; it can be stopped from the moment that it might begin. */
  const attempt = async (request: TurnRequest, onTaken: (isTaken: boolean) => void): Promise<Opened> => {
    const { thread_id, agent, user, client_message_id } = request
    const agent_id = agent._id
    const current: RunningTurn = { thread_id, agent_id, client_message_id, abort: new AbortController() }
    running.add(current)
    try {
      const opened = await turns.open({ user_id: user.id, agent_id }, thread_id, client_message_id)
      onTaken(opened.outcome === 'taken')
      if (opened.outcome === 'opened') await begin(request, opened, current)
      return opened
    } finally {
      running.remove(current)
    }
  }

  const begin = async (
    request: TurnRequest,
    { turn, thread }: Extract<Opened, { outcome: 'opened' }>,
    current: RunningTurn,
  ) => {
    const log = ledger.open({
      thread_id: turn.thread_id,
      turn_id: turn.turn_id,
      lastSeq: turn.first_seq - 1,
      onLost: () => current.abort.abort('lost' satisfies StopReason),
    })
    current.opened = { turn, log }
    const { client_message_id, content: input, model, locale } = request
    log.write('turn_started', { message_id: ids.make('msg_'), client_message_id }, { input, model, locale })
    await turnExecution.run(request, { turn, thread, log, before: [], current })
  }

  return {
    async run(request, { refresh, onTaken, signal }) {
      for (let current = request; ; current = await refresh(current)) {
        const attempted = await attempt(current, onTaken)
        if (attempted.outcome === 'opened') return undefined
        if (attempted.outcome === 'repeated') return attempted.turn
        // Behind all that came before it, also when that is another process's.
        await recovery.adopt()
        // It fails only by being aborted.
        await pause(attempted.isPaused ? PAUSED_POLL_MS : TAKEN_POLL_MS, undefined, { signal }).catch(
          () => {},
        )
        if (signal.aborted) throw new AppError('SHUTTING_DOWN')
      }
    },
  }
}
