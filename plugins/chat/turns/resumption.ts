import { AppError, type Locale } from '#kernel'
import type { ThreadDocument } from '../documents.ts'
import {
  type ActionRequest,
  type Decision,
  type LedgerEvent,
  type PendingApproval,
  type ResolvedApproval,
  seqOf,
} from '../ledger/ledger-event.ts'
import { turnUserOf } from '../loop/turn-tools.ts'
import type { Cradle } from '../manifest.ts'
import type { RunningTurn, StopReason } from './running-turns.ts'
import { settleTurn, stoppedEnd } from './settlement.ts'
import type { StartedTurn } from './turn-execution.ts'
import type { Turn } from './turns.ts'

/** Goes on with turns that were paused. */
export interface Resumption {
  /** What the turn of a thread waits for, if it does. */
  pendingOf(thread: ThreadDocument): Promise<PendingApproval | null>
  /** All arguments of one request that the turn of a thread waits for; throws HITL_NOT_PENDING, NOT_FOUND. */
  argumentsOf(
    thread: ThreadDocument,
    pending_id: string,
    index: number,
  ): Promise<Pick<ActionRequest, 'id' | 'name' | 'args'>>
  /** Takes the turn on and runs it on by itself; throws HITL_NOT_PENDING where another decision was first. */
  decide(thread: ThreadDocument, pending: PendingApproval, decisions: Decision[]): Promise<void>
  /** Ends the turn of a thread; false where it is not paused, or not any more. */
  stop(thread: ThreadDocument): Promise<boolean>
  /** Rejects, in the users' names, what has waited too long. */
  expire(): Promise<void>
  /** Gives up the calls that are held for turns which nobody goes on with any more. */
  releaseHeld(): Promise<void>
  /** Goes on with a turn whose process died after a decision and before anything was done about it. */
  proceed(taken: { turn: Turn; thread: ThreadDocument }, events: readonly LedgerEvent[]): void
}

const EXPIRED: Record<Locale, string> = {
  en: 'Nobody decided in time, so this counts as rejected.',
  zh: '无人在规定时间内处理，视为拒绝。',
}

/** A turn whose log this process goes on with. */
type Entered = Omit<StartedTurn, 'before'>

/** Makes what goes on with paused turns. */
export function createResumption(cradle: Cradle): Resumption {
  const {
    ledger,
    turns,
    running,
    heldCalls,
    turnExecution,
    agents,
    users,
    clock,
    server,
    log: logger,
  } = cradle
  const { outcomes, recent, hub, explainError } = cradle
  const settlement = { outcomes, recent, hub, explainError }

  /** A place among the running turns; taken before the turn is, so that nobody here thinks it to be left alone. */
  const takePlace = (thread: ThreadDocument): RunningTurn => {
    const { _id: thread_id, agent_id, user_id } = thread
    const current = {
      thread_id,
      agent_id,
      user_id,
      client_message_id: undefined,
      abort: new AbortController(),
    }
    running.add(current)
    return current
  }

  /** Goes on with the log of a turn behind what is written of it. */
  const enter = (
    { turn, thread }: { turn: Turn; thread: ThreadDocument },
    before: readonly LedgerEvent[],
    current: RunningTurn,
  ): Entered => {
    const { thread_id, turn_id } = turn
    const log = ledger.open({
      thread_id,
      turn_id,
      lastSeq: seqOf(before.at(-1)!),
      before,
      onLost: () => current.abort.abort('lost' satisfies StopReason),
    })
    current.opened = { turn, log }
    return { turn, thread, log, current }
  }

  /** Runs a turn on whose decisions are durable. */
  const goOn = async (entered: Entered) => {
    const { turn, log, current } = entered
    const before = [...log.committed]
    const [started] = before
    const { input: content = [], model, locale = 'en' } = started!
    try {
      const [agent, user, isOurs] = await Promise.all([
        agents.find(turn.agent_id),
        users.find(turn.user_id),
        turns.proceed(turn),
      ])
      if (!isOurs) return
      if (agent?.state !== 'running')
        throw new AppError('AGENT_NOT_RUNNING', { state: agent?.state ?? 'deleted' })
      if (!user?.enabled) throw new AppError('USER_DISABLED')
      const order = { agent, user: turnUserOf(user), content, model, locale, request_id: turn.turn_id }
      await turnExecution.run(order, { ...entered, before })
    } catch (error) {
      const end = { type: 'error', error, locale, request_id: turn.turn_id } as const
      await settleTurn({ ...settlement, turn, log, end })
    } finally {
      running.remove(current)
    }
  }

  const goOnByItself = (entered: Entered) => {
    goOn(entered).catch((error) =>
      logger.error({ error, turn_id: entered.turn.turn_id }, 'a turn could not go on'),
    )
  }

  /** Goes on with a turn here, or where calls of it are held. */
  const goOnWhereHeld = async (entered: Entered, { active_turn }: ThreadDocument) => {
    const holder = active_turn?.paused?.held_by
    if (!holder || holder.node_id === server.node_id) return goOnByItself(entered)
    try {
      await turns.handOver(entered.turn, holder)
    } finally {
      running.remove(entered.current)
    }
  }

  /** Notes how the waiting ended; gives the turn where it is this process's now. */
  const resolve = async (
    thread: ThreadDocument,
    resolved: ResolvedApproval,
    allow: readonly string[] = [],
  ) => {
    const current = takePlace(thread)
    let entered: Entered | undefined
    try {
      entered = await enterResolved({ thread, resolved, allow, current })
      return entered
    } finally {
      if (!entered) running.remove(current)
    }
  }

  const enterResolved = async ({
    thread: { _id: thread_id, user_id, agent_id },
    resolved,
    allow,
    current,
  }: {
    thread: ThreadDocument
    resolved: ResolvedApproval
    allow: readonly string[]
    current: RunningTurn
  }): Promise<Entered | undefined> => {
    const resumed = await turns.resume({ user_id, agent_id }, thread_id, resolved.pending_id, allow)
    if (!resumed) return undefined
    const { turn_id, first_seq } = resumed.turn
    const events = await ledger.readTurn(thread_id, turn_id, first_seq)
    const asked = events.at(-1)
    // A process that was too slow to keep the turn may have resolved it: the recovery heeds what is written.
    if (asked?.type !== 'hitl_required' || asked.frame.pending_id !== resolved.pending_id) return undefined
    const entered = enter(resumed, events, current)
    entered.log.write('hitl_resolved', resolved, { ms: Math.max(0, clock.now() - asked.ts) })
    await entered.log.durable()
    return current.abort.signal.reason === ('lost' satisfies StopReason) ? undefined : entered
  }

  const findPause = async ({ _id, active_turn }: ThreadDocument) => {
    const event = active_turn?.paused && (await ledger.find(_id, active_turn.paused.seq))
    return event?.type === 'hitl_required' ? event : null
  }
  const pendingOf: Resumption['pendingOf'] = async (thread) => (await findPause(thread))?.frame ?? null

  return {
    pendingOf,
    async argumentsOf(thread, pending_id, index) {
      const pause = await findPause(thread)
      if (pause?.frame.pending_id !== pending_id) throw new AppError('HITL_NOT_PENDING')
      const request = pause.frame.action_requests[index]
      if (!request) throw new AppError('NOT_FOUND')
      const { id, name, args } = request
      const whole = pause.whole_args?.[index]
      return { id, name, args: whole === undefined ? args : JSON.parse(whole) }
    },
    async decide(thread, { pending_id, action_requests }, decisions) {
      const allow = decisions.flatMap((decision, index) =>
        decision.type === 'approve' && decision.for_thread ? [action_requests[index]!.name] : [],
      )
      const entered = await resolve(thread, { pending_id, outcome: 'decided', decisions }, allow)
      if (!entered) throw new AppError('HITL_NOT_PENDING')
      await goOnWhereHeld(entered, thread)
    },
    async stop(thread) {
      const { pending_id } = thread.active_turn!.paused!
      const entered = await resolve(thread, { pending_id, outcome: 'stopped', decisions: [] })
      if (!entered) return false
      const { turn, log, current } = entered
      heldCalls.abandon(({ turn_id }) => turn_id === turn.turn_id, 'stopped')
      const onSettled = () => running.remove(current)
      try {
        await settleTurn({ ...settlement, turn, log, end: stoppedEnd(log.committed), onSettled })
      } finally {
        onSettled()
      }
      return true
    },
    async expire() {
      for (const thread of await turns.listExpired()) {
        const [pending, user] = await Promise.all([pendingOf(thread), users.find(thread.user_id)])
        if (!pending) continue
        const { pending_id, action_requests } = pending
        const message = EXPIRED[user?.locale ?? 'en']
        const decisions = action_requests.map(() => ({ type: 'reject', message }) as const)
        const entered = await resolve(thread, { pending_id, outcome: 'expired', decisions })
        if (entered) await goOnWhereHeld(entered, thread)
      }
    },
    async releaseHeld() {
      const runsHere = ({ thread_id }: Turn) => running.get(thread_id) !== undefined
      const held = heldCalls.turns().filter((turn) => !runsHere(turn))
      if (held.length === 0) return
      const waiting = await turns.listWaiting(held)
      const isOver = (turn: Turn) => held.includes(turn) && !waiting.includes(turn.turn_id) && !runsHere(turn)
      heldCalls.abandon(isOver, 'lost')
    },
    proceed: (taken, events) => goOnByItself(enter(taken, events, takePlace(taken.thread))),
  }
}
