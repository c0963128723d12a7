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
import { toTurnUser } from '../loop/turn-tools.ts'
import type { Cradle } from '../manifest.ts'
import type { RunningTurn, StopReason } from './running-turns.ts'
import { toStoppedEnd } from './settlement.ts'
import type { StartedTurn } from './turn-execution.ts'
import type { Turn } from './turns.ts'

/** Resumes paused turns. */
export interface Resumption {
  /** Reads the approval that the turn of a thread waits for; null if it waits for none. */
  readPending(thread: ThreadDocument): Promise<PendingApproval | null>
  /** Reads all arguments of one request of a paused turn; throws HITL_NOT_PENDING, NOT_FOUND. */
  readArguments(
    thread: ThreadDocument,
    pending_id: string,
    index: number,
  ): Promise<Pick<ActionRequest, 'id' | 'name' | 'args'>>
  /** Takes over the turn and resumes it in the background; throws HITL_NOT_PENDING if another decision came first. */
  decide(thread: ThreadDocument, pending: PendingApproval, decisions: Decision[]): Promise<void>
  /** Ends the turn of a thread; false if it is not paused (any more). */
  stop(thread: ThreadDocument): Promise<boolean>
  /** Rejects, in the users' names, approvals that have expired. */
  expire(): Promise<void>
  /** Abandons held calls whose turns will not be resumed by anyone. */
  releaseHeld(): Promise<void>
  /** Resumes a turn whose process died after a decision and before acting on it. */
  proceed(taken: { turn: Turn; thread: ThreadDocument }, events: readonly LedgerEvent[]): void
}

const EXPIRED: Record<Locale, string> = {
  en: 'Nobody decided in time, so this counts as rejected.',
  zh: '无人在规定时间内处理，视为拒绝。',
}

/** A turn whose log this process continues. */
type Reopened = Omit<StartedTurn, 'before'>

/** Creates the resumption of paused turns. */
export function createResumption(cradle: Cradle): Resumption {
  const {
    ledger,
    turns,
    running,
    heldCalls,
    turnExecution,
    settlement,
    agents,
    users,
    events,
    clock,
    server,
    log: logger,
  } = cradle

  /**
   * Registers a running turn before the turn is taken over, so that this process does not take it for an abandoned one.
   */
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

  /** Reopens the log of a turn after its stored events. */
  const reopen = (
    { turn, thread }: { turn: Turn; thread: ThreadDocument },
    before: readonly LedgerEvent[],
    current: RunningTurn,
  ): Reopened => {
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

  /** Runs a turn whose decisions are durable. */
  const resume = async (reopened: Reopened) => {
    const { turn, thread, log, current } = reopened
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
      const turnUser = toTurnUser(user, thread.active_turn?.scopes, cradle)
      const order = { agent, user: turnUser, content, model, locale, request_id: turn.turn_id }
      await turnExecution.run(order, { ...reopened, before })
    } catch (error) {
      const end = { type: 'error', error, locale, request_id: turn.turn_id } as const
      await settlement.end(turn, log, end)
    } finally {
      running.remove(current)
    }
  }

  const resumeInBackground = (reopened: Reopened) => {
    resume(reopened).catch((error) =>
      logger.error({ error, turn_id: reopened.turn.turn_id }, 'a turn could not be resumed'),
    )
  }

  /** Resumes a turn in this process, or hands it to the process that holds its calls. */
  const resumeWhereHeld = async (reopened: Reopened, { active_turn }: ThreadDocument) => {
    const holder = active_turn?.paused?.held_by
    const isElsewhere = holder && holder.node_id !== server.node_id && !turns.isDead(holder)
    if (!isElsewhere) return resumeInBackground(reopened)
    try {
      await turns.handOver(reopened.turn, holder)
    } finally {
      running.remove(reopened.current)
    }
  }

  /** Writes the end of the wait; returns the turn if it belongs to this process now. */
  const resolve = async (
    thread: ThreadDocument,
    resolved: ResolvedApproval,
    allow: readonly string[] = [],
  ) => {
    const current = takePlace(thread)
    let reopened: Reopened | undefined
    try {
      reopened = await reopenResolved({ thread, resolved, allow, current })
      return reopened
    } finally {
      if (!reopened) running.remove(current)
    }
  }

  const reopenResolved = async ({
    thread: { _id: thread_id, user_id, agent_id },
    resolved,
    allow,
    current,
  }: {
    thread: ThreadDocument
    resolved: ResolvedApproval
    allow: readonly string[]
    current: RunningTurn
  }): Promise<Reopened | undefined> => {
    const resumed = await turns.resume({ user_id, agent_id }, thread_id, resolved.pending_id, allow)
    if (!resumed) return undefined
    const { first_seq, ...turn } = resumed.turn
    const before = await ledger.readTurn(thread_id, turn.turn_id, first_seq)
    const asked = before.at(-1)
    // A process that was too slow to keep the turn may have resolved it: the recovery goes by the stored events.
    if (asked?.type !== 'hitl_required' || asked.frame.pending_id !== resolved.pending_id) return undefined
    const reopened = reopen(resumed, before, current)
    reopened.log.write('hitl_resolved', resolved, { ms: Math.max(0, clock.now() - asked.ts) })
    await reopened.log.durable()
    if (current.abort.signal.reason === ('lost' satisfies StopReason)) return undefined
    const { pending_id, outcome } = resolved
    void events.emit('approval.resolved', { ...turn, pending_id, outcome })
    return reopened
  }

  const findPause = async ({ _id, active_turn }: ThreadDocument) => {
    const event = active_turn?.paused && (await ledger.find(_id, active_turn.paused.seq))
    return event?.type === 'hitl_required' ? event : null
  }
  const readPending: Resumption['readPending'] = async (thread) => (await findPause(thread))?.frame ?? null

  return {
    readPending,
    async readArguments(thread, pending_id, index) {
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
      const reopened = await resolve(thread, { pending_id, outcome: 'decided', decisions }, allow)
      if (!reopened) throw new AppError('HITL_NOT_PENDING')
      await resumeWhereHeld(reopened, thread)
    },
    async stop(thread) {
      const { pending_id } = thread.active_turn!.paused!
      const reopened = await resolve(thread, { pending_id, outcome: 'stopped', decisions: [] })
      if (!reopened) return false
      const { turn, log, current } = reopened
      heldCalls.abandon(({ turn_id }) => turn_id === turn.turn_id, 'stopped')
      const onSettled = () => running.remove(current)
      try {
        await settlement.end(turn, log, toStoppedEnd(log.committed), onSettled)
      } finally {
        onSettled()
      }
      return true
    },
    async expire() {
      for (const thread of await turns.listExpired()) {
        const [pending, user] = await Promise.all([readPending(thread), users.find(thread.user_id)])
        if (!pending) continue
        const { pending_id, action_requests } = pending
        const message = EXPIRED[user?.locale ?? 'en']
        const decisions = action_requests.map(() => ({ type: 'reject', message }) as const)
        const reopened = await resolve(thread, { pending_id, outcome: 'expired', decisions })
        if (reopened) await resumeWhereHeld(reopened, thread)
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
    proceed: (taken, events) => resumeInBackground(reopen(taken, events, takePlace(taken.thread))),
  }
}
