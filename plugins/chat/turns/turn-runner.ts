import type { QueuedTurnDocument, TurnSettings } from '../documents.ts'
import type { TurnLog } from '../ledger/turn-log.ts'
import { toTurnSettings } from '../loop/call-settings.ts'
import type { Cradle } from '../manifest.ts'
import type { RunningTurn, StopReason } from './running-turns.ts'
import type { TurnOrder } from './turn-execution.ts'
import type { Opened, Resumed } from './turns.ts'

/** A user's message to an agent in a thread. */
export interface TurnRequest extends TurnOrder {
  thread_id: string
  client_message_id?: string
}

/** A turn that has its thread; `run` runs it to its end, `stop` ends it early. */
export interface StartableTurn {
  outcome: 'opened'
  log: TurnLog
  run(): Promise<void>
  stop(): Promise<void>
}

/** Starts turns and runs them to their end. */
export interface TurnRunner {
  /** Opens a turn if its thread is free and no turn is queued for it. The turn can be stopped from the call on. */
  open(request: TurnRequest): Promise<StartableTurn | Exclude<Opened, { outcome: 'opened' }>>
  /**
   * Opens the first queued turn of a thread. `order` is its request, or why it fails. The outcome is `taken` if another
   * turn has the thread, `gone` if the turn is no longer queued, and `repeated` if its message has started another turn
   * meanwhile.
   */
  openQueued(
    queued: QueuedTurnDocument,
    order: TurnOrder | { refusal: unknown },
  ): Promise<StartableTurn | { outcome: 'taken' | 'gone' | 'repeated' }>
}

/** Creates the runner of turns. */
export function createTurnRunner(cradle: Cradle): TurnRunner {
  const { agents, events, ledger, turns, queuedTurns, running, turnExecution, settlement, ids } = cradle

  /** Registers a running turn while `attempt` opens it, and keeps it registered if that succeeds. */
  const whileRunning = async <Attempted extends { outcome: string }>(
    place: Omit<RunningTurn, 'abort' | 'opened'>,
    attempt: (current: RunningTurn) => Promise<Attempted>,
  ): Promise<Attempted> => {
    const current: RunningTurn = { ...place, abort: new AbortController() }
    running.add(current)
    let attempted: Attempted | undefined
    try {
      attempted = await attempt(current)
      return attempted
    } finally {
      if (attempted?.outcome !== 'opened') running.remove(current)
    }
  }

  /** Writes the first event of a turn. */
  const begin = (
    { turn }: Resumed,
    {
      client_message_id,
      content: input,
      model,
      locale,
    }: Omit<QueuedTurnDocument, 'is_starting'> | TurnRequest,
    current: RunningTurn,
    settings: TurnSettings = {},
  ) => {
    const log = ledger.open({
      thread_id: turn.thread_id,
      turn_id: turn.turn_id,
      lastSeq: turn.first_seq - 1,
      onLost: () => current.abort.abort('lost' satisfies StopReason),
    })
    current.opened = { turn, log }
    const record = { input, model, locale, ...(Object.keys(settings).length > 0 && { settings }) }
    log.write('turn_started', { message_id: ids.make('msg_'), client_message_id }, record)
    const { first_seq, ...started } = turn
    // Listeners must not delay the turn.
    void log.durable({ urgent: false }).then(() => events.emit('turn.started', started))
    return log
  }

  const stop = (current: RunningTurn) => running.stop((turn) => turn === current, 'stopped')

  const untilEnd = async (current: RunningTurn, run: () => Promise<void>) => {
    try {
      await run()
    } finally {
      running.remove(current)
    }
  }

  return {
    open(request) {
      const { thread_id, user, agent, client_message_id } = request
      const owner = { user_id: user.id, agent_id: agent._id }
      return whileRunning({ thread_id, ...owner, client_message_id }, async (current) => {
        const opened = await turns.open(owner, thread_id, client_message_id, user.credential?.scopes)
        if (opened.outcome !== 'opened') return opened
        const { turn, thread } = opened
        const log = begin(opened, request, current, toTurnSettings(request, agents))
        return {
          outcome: 'opened',
          log,
          stop: () => stop(current),
          run: () =>
            untilEnd(current, () => turnExecution.run(request, { turn, thread, log, before: [], current })),
        }
      })
    },
    openQueued(queued, order) {
      const { _id: turn_id, thread_id, user_id, agent_id, client_message_id, locale, request_id } = queued
      const place = { thread_id, user_id, agent_id, client_message_id }
      return whileRunning(place, async (current) => {
        const opened = await turns.openQueued(queued)
        if (!opened) return { outcome: 'taken' }
        const { turn, thread } = opened
        const isThere = await queuedTurns.claim(turn_id)
        const known =
          isThere && client_message_id !== undefined ? await turns.note(turn, client_message_id) : undefined
        if (!isThere || known) {
          await queuedTurns.remove(turn_id)
          await turns.release(turn)
          return { outcome: known ? 'repeated' : 'gone' }
        }
        const settings = 'refusal' in order ? undefined : toTurnSettings(order, agents)
        const log = begin(opened, queued, current, settings)
        const run = async () => {
          await log.durable()
          if (current.abort.signal.reason === ('lost' satisfies StopReason)) return
          await queuedTurns.remove(turn_id)
          if ('refusal' in order) {
            const end = { type: 'error', error: order.refusal, locale, request_id } as const
            await settlement.end(turn, log, end, () => running.remove(current))
          } else await turnExecution.run(order, { turn, thread, log, before: [], current })
        }
        return { outcome: 'opened', log, stop: () => stop(current), run: () => untilEnd(current, run) }
      })
    },
  }
}
