import { AppError, type Locale } from '#plugin-api'
import type { ThreadDocument, TurnSettings } from '../documents.ts'
import type {
  ActionRequest,
  Decision,
  LedgerEvent,
  PendingApproval,
  ResolvedApproval,
} from '../ledger/ledger-event.ts'
import { untilAnswered } from '../ledger/transient.ts'
import { waitsForClient } from '../loop/client-tools.ts'
import { toTurnUser } from '../loop/turn-tools.ts'
import type { Cradle } from '../manifest.ts'
import { createTurn, type Refusal, type Turn } from '../turns/turn.ts'
import type { TurnOrder } from '../turns/turn-answer.ts'
import type { LeasedThread, TurnLease } from '../turns/turn-leases.ts'
import { toStoppedEnd } from '../turns/turn-outcome.ts'

const EXPIRED: Record<Locale, string> = {
  en: 'Rejected automatically: nobody decided in time.',
  zh: '逾期无人处理，已自动拒绝。',
}

/** Resumes paused turns. */
export type Resumption = ReturnType<typeof createResumption>

/** Creates the resumption of paused turns. */
export function createResumption(cradle: Cradle) {
  const { agents, heldCalls, ledger, running, server, turnLeases, users, log: logger } = cradle

  const createTurnOf = ({ _id: thread_id, agent_id, user_id }: ThreadDocument) =>
    createTurn({ thread_id, agent_id, user_id }, cradle)

  /** Returns the order of a decided turn, or why it cannot be carried out; null if it is no longer ours. */
  const prepare = async ({ opened, signal }: Turn) => {
    const { lease, thread, log } = opened!
    const { input: content = [], documents, model, locale = 'en' } = log.committed[0]!
    const request_id = lease.turn_id
    try {
      const begin = () => Promise.all([users.find(lease.user_id), turnLeases.proceed(lease)])
      const [user, isOurs] = await untilAnswered(begin, signal)
      if (!isOurs) return null
      if (!user?.enabled) throw new AppError('USER_DISABLED')
      const turnUser = toTurnUser(user, thread.active_turn?.scopes, cradle)
      const agent = await untilAnswered(() => agents.findVisible(turnUser, lease.agent_id), signal)
      if (agent.state !== 'running') throw new AppError('AGENT_NOT_RUNNING', { state: agent.state })
      return { agent, user: turnUser, content, documents, model, locale, request_id } satisfies TurnOrder
    } catch (refusal) {
      return { refusal, locale, request_id } satisfies Refusal
    }
  }

  /** Runs a turn whose decisions are durable, in the background. */
  const run = (turn: Turn) => {
    prepare(turn)
      .then((order) => order && turn.run(order))
      .catch((error) =>
        logger.error({ error, turn_id: turn.opened!.lease.turn_id }, 'a turn could not be resumed'),
      )
      .finally(turn.leave)
  }

  /** Resumes a turn in this process, or hands it to the process that holds its calls. */
  const runWhereHeld = async (turn: Turn, { active_turn }: ThreadDocument) => {
    const holder = active_turn?.paused?.held_by
    const isElsewhere = holder && holder.node_id !== server.node_id && !turnLeases.isDead(holder)
    if (!isElsewhere) return run(turn)
    try {
      await untilAnswered(() => turnLeases.handOver(turn.opened!.lease, holder), turn.signal)
    } finally {
      turn.leave()
    }
  }

  /** Writes the end of the wait; returns the turn if it belongs to this process now. */
  const resolve = async (
    thread: ThreadDocument,
    resolved: ResolvedApproval,
    allow: readonly string[] = [],
    record?: { results: string[]; settings: TurnSettings },
  ) => {
    const turn = createTurnOf(thread)
    return (await turn.resume(resolved, allow, record)) ? turn : undefined
  }

  const findPause = async ({ _id, active_turn }: ThreadDocument) => {
    const event = active_turn?.paused && (await ledger.find(_id, active_turn.paused.seq))
    return event?.type === 'hitl_required' ? event : null
  }
  const readPending = async (thread: ThreadDocument): Promise<PendingApproval | null> =>
    (await findPause(thread))?.frame ?? null

  const stop = async (thread: ThreadDocument): Promise<boolean> => {
    const { pending_id } = thread.active_turn!.paused!
    const turn = await resolve(thread, { pending_id, outcome: 'stopped', decisions: [] })
    if (!turn) return false
    const { lease, log } = turn.opened!
    heldCalls.abandon(({ turn_id }) => turn_id === lease.turn_id, 'stopped')
    try {
      await turn.end(toStoppedEnd(log.committed))
    } finally {
      turn.leave()
    }
    return true
  }

  return {
    /** Reads the approval that the turn of a thread waits for; null if it waits for none. */
    readPending,
    /** Reads all arguments of one request of a paused turn; throws HITL_NOT_PENDING, NOT_FOUND. */
    async readArguments(
      thread: ThreadDocument,
      pending_id: string,
      index: number,
    ): Promise<Pick<ActionRequest, 'id' | 'name' | 'args'>> {
      const pause = await findPause(thread)
      if (pause?.frame.pending_id !== pending_id) throw new AppError('HITL_NOT_PENDING')
      const request = pause.frame.action_requests[index]
      if (!request) throw new AppError('NOT_FOUND')
      const { id, name, args } = request
      const whole = pause.whole_args?.[index]
      return { id, name, args: whole === undefined || request.for_client ? args : JSON.parse(whole) }
    },
    /** Takes over the turn and resumes it in the background; throws HITL_NOT_PENDING if another decision came first. */
    async decide(
      thread: ThreadDocument,
      { pending_id, action_requests }: PendingApproval,
      decisions: Decision[],
    ): Promise<void> {
      const allow = decisions.flatMap((decision, index) =>
        decision.type === 'approve' && decision.for_thread ? [action_requests[index]!.name] : [],
      )
      const turn = await resolve(thread, { pending_id, outcome: 'decided', decisions }, allow)
      if (!turn) throw new AppError('HITL_NOT_PENDING')
      await runWhereHeld(turn, thread)
    },
    /** Resumes a turn with the results of its program's tools, like `decide`; `settings` hold from now on. */
    async answer(
      thread: ThreadDocument,
      { pending_id }: PendingApproval,
      { results, settings }: { results: string[]; settings: TurnSettings },
    ): Promise<void> {
      // The results are stored beside the frame: readers receive them with the results of the calls.
      const decisions = results.map(() => ({ type: 'respond', message: '' }) as const)
      const resolved = { pending_id, outcome: 'decided' as const, decisions }
      const turn = await resolve(thread, resolved, [], { results, settings })
      if (!turn) throw new AppError('HITL_NOT_PENDING')
      await runWhereHeld(turn, thread)
    },
    /** Ends the turn of a thread; false if it is not paused (any more). */
    stop,
    /** Rejects, in the users' names, approvals that have expired; a turn whose program has left ends. */
    async expire(): Promise<void> {
      for (const thread of await turnLeases.listExpired()) {
        const [pending, user] = await Promise.all([readPending(thread), users.find(thread.user_id)])
        if (!pending) continue
        if (waitsForClient(pending)) {
          await stop(thread)
          continue
        }
        const { pending_id, action_requests } = pending
        const message = EXPIRED[user?.locale ?? 'en']
        const decisions = action_requests.map(() => ({ type: 'reject', message }) as const)
        const turn = await resolve(thread, { pending_id, outcome: 'expired', decisions })
        if (turn) await runWhereHeld(turn, thread)
      }
    },
    /** Abandons held calls whose turns will not be resumed by anyone. */
    async releaseHeld(): Promise<void> {
      const runsHere = ({ thread_id }: TurnLease) => running.get(thread_id) !== undefined
      const heldLeases = heldCalls.turns().filter((lease) => !runsHere(lease))
      if (heldLeases.length === 0) return
      const waiting = await turnLeases.listWaiting(heldLeases)
      const isOver = (lease: TurnLease) =>
        heldLeases.includes(lease) && !waiting.includes(lease.turn_id) && !runsHere(lease)
      heldCalls.abandon(isOver, 'lost')
    },
    /** Resumes a turn whose process died after a decision and before acting on it. */
    proceed(leased: LeasedThread, events: readonly LedgerEvent[]): void {
      const turn = createTurnOf(leased.thread)
      turn.adopt(leased, events)
      run(turn)
    },
  }
}
