import type { QueuedTurnDocument } from '../documents.ts'
import { type EventRecord, type LedgerEvent, type ResolvedApproval, seqOf } from '../ledger/ledger-event.ts'
import { untilAnswered } from '../ledger/transient.ts'
import type { Settlement, TurnLog } from '../ledger/turn-log.ts'
import { type Request, toPendingApproval } from '../loop/approvals.ts'
import { toTurnSettings } from '../loop/call-settings.ts'
import { waitsForClient } from '../loop/client-tools.ts'
import { PAUSED } from '../loop/running-call.ts'
import type { Cradle } from '../manifest.ts'
import type { KnownTurn } from '../queue/client-messages.ts'
import type { StepEvent } from '../threads/earlier-turns.ts'
import { endOf, listRanges } from '../threads/paths.ts'
import { toTitle } from '../threads/thread-progress.ts'
import type { ThreadOwner } from '../threads/threads.ts'
import type { VersionStart } from '../threads/versions.ts'
import { answer, type TurnOrder } from './turn-answer.ts'
import type { LeasedThread, TurnLease } from './turn-leases.ts'
import { findReply, type TurnEnd, type TurnOutcome, toPausedTurn } from './turn-outcome.ts'

/** The thread that a turn is meant for, its owner, and the message that asks for the turn. */
export interface TurnPlace extends ThreadOwner {
  thread_id: string
  client_message_id?: string | undefined
}

/** A user's message to an agent in a thread. */
export interface TurnRequest extends TurnOrder {
  thread_id: string
  client_message_id?: string
  /** Replace the thread's instructions. */
  instructions?: string
  /** The steps of the turn that happened elsewhere, after which it continues. */
  steps?: readonly StepEvent[]
  /** The start of a version; without it, the turn continues from the end of the thread's path. */
  start?: VersionStart
}

/** The reason why a queued or decided turn ends before it is carried out. */
export interface Refusal extends Pick<TurnOrder, 'locale' | 'request_id'> {
  refusal: unknown
}

/** The reason why a turn ends before its reply is complete. */
export type StopReason = 'stopped' | 'shutdown' | 'lost' | typeof PAUSED

/** The outcome of opening a turn: it has its thread, its message was sent before, or the thread is not free. */
export type Opening = { outcome: 'opened' } | { outcome: 'repeated'; turn: KnownTurn } | { outcome: 'taken' }

/**
 * A turn in this process: `opening` until it has its thread, then `running` until it is `paused` or `ended`. It has also
 * ended here if it did not get its thread, or if another process has taken it over. A paused turn is resumed as a new one.
 */
export interface Turn extends TurnPlace {
  readonly state: 'opening' | 'running' | 'paused' | 'ended'
  /** The lease of its thread, the thread as it was then, and its log; undefined while it is opening. */
  readonly opened: (LeasedThread & { log: TurnLog }) | undefined
  /**
   * Takes the thread for a message if no turn has it or is queued for it, and writes the first event. Throws
   * THREAD_NOT_FOUND if the thread is not the owner's, or was removed.
   */
  open(request: TurnRequest): Promise<Opening>
  /**
   * Takes the thread for a queued message. The outcome is `gone` if it is no longer queued, and `repeated` if it has
   * started another turn meanwhile.
   */
  openQueued(
    queued: QueuedTurnDocument,
    order: TurnOrder | Refusal,
  ): Promise<{ outcome: 'opened' | 'taken' | 'gone' | 'repeated' }>
  /**
   * Takes over the paused turn of the thread and writes the decision, or the results of its program with the settings
   * that hold from now on; false if another one came first.
   */
  resume(
    resolved: ResolvedApproval,
    allow: readonly string[],
    record?: Pick<EventRecord, 'results' | 'settings'>,
  ): Promise<boolean>
  /** Continues a turn that this process has adopted, after its stored events. */
  adopt(leased: LeasedThread, earlierEvents: readonly LedgerEvent[]): void
  /** Carries out an order until the turn ends or pauses. */
  run(order: TurnOrder | Refusal): Promise<void>
  /** Stores the end of the turn and shows it. */
  end(end: TurnEnd): Promise<void>
  /** Ends the turn early and waits until that is stored; a lost turn is only ended in this process. */
  stop(reason: StopReason): Promise<void>
  /** Lets go of the turn in this process without an end, because another process has it. */
  leave(): void
  /** Aborted once the turn is to end early. */
  readonly signal: AbortSignal
  /** Resolves when the turn is paused or has ended in this process. */
  readonly left: Promise<void>
}

/** Creates a turn, which is one of this process from now on and can be stopped. */
export function createTurn(start: TurnPlace, cradle: Cradle): Turn {
  const { agents, clientMessages, clock, config, events, ids, ledger, queuedTurns, running } = cradle
  const { messages, titles, turnLeases, turnOutcomes, log: logger } = cradle
  const { thread_id, client_message_id, user_id, agent_id } = start
  const owner = { user_id, agent_id }
  const abort = new AbortController()
  const isLost = () => abort.signal.reason === ('lost' satisfies StopReason)
  let state: Turn['state'] = 'opening'
  let opened: Turn['opened']
  /** The id of the message that the turn answers. */
  let question_id = ''
  let isNew = false
  let isQueued = false
  let resolveLeft = () => {}
  const left = new Promise<void>((resolve) => {
    resolveLeft = resolve
  })

  const leaveAs = (last: 'paused' | 'ended') => {
    if (state === 'paused' || state === 'ended') return
    state = last
    running.remove(turn)
    resolveLeft()
  }

  /** Opens the log of a turn that has its thread. */
  const openLog = (leased: LeasedThread, earlierEvents: readonly LedgerEvent[] = []): TurnLog => {
    const { turn_id, first_seq } = leased.lease
    const last = earlierEvents.at(-1)
    const lastSeq = last ? seqOf(last) : first_seq - 1
    const opening = last ? [] : [turnLeases.toRestoreWrite(leased)]
    const log = ledger.open({ thread_id, turn_id, lastSeq, earlierEvents, opening })
    void log.lost.then(() => abort.abort('lost' satisfies StopReason))
    opened = { ...leased, log }
    state = 'running'
    return log
  }

  /** Finds the last message before a turn that has its thread. */
  const findPrevious = async (
    { thread }: LeasedThread,
    { start: version }: Pick<TurnRequest, 'start'> = {},
  ) => {
    if (version) return version.after_message_id
    if (thread.last_seq === 0) return null
    return thread.last_message_id ?? (await messages.findLast(listRanges(thread)))?._id ?? null
  }

  /** Writes the first event of a turn that has its thread. */
  const begin = (
    leased: LeasedThread,
    {
      content: input,
      documents,
      model,
      locale,
      steps = [],
      start: version,
    }: Pick<TurnRequest, 'content' | 'documents' | 'model' | 'locale' | 'steps' | 'start'>,
    order: TurnOrder | Refusal,
    after_message_id: string | null,
  ) => {
    const log = openLog(leased)
    const path = leased.thread.active_turn?.path
    isNew = steps.length === 0
    const settings = 'refusal' in order ? {} : toTurnSettings(order, agents)
    const record = {
      input,
      ...(documents && { documents }),
      ...(path && { after: endOf(path.slice(0, -1)) }),
      model,
      locale,
      ...(Object.keys(settings).length > 0 && { settings }),
    }
    question_id = version?.answered?.message_id ?? ids.make('msg_')
    log.write('turn_started', { message_id: question_id, client_message_id, after_message_id }, record)
    for (const { type, frame, record } of steps) log.write(type, frame, record)
    const { first_seq, ...started } = leased.lease
    // Listeners must not delay the turn.
    void log.durable({ urgent: false }).then(() => events.emit('turn.started', started))
  }

  /** Stores the message of a turn that has its thread; returns the other turn that the message has started before. */
  const noteMessage = async (lease: TurnLease) =>
    client_message_id === undefined ? undefined : clientMessages.note(lease, client_message_id)

  /** Tries to get the thread; the turn is over if that fails. */
  const attempt = async <Result>(take: () => Promise<Result>): Promise<Result> => {
    try {
      return await take()
    } finally {
      if (state === 'opening') leaveAs('ended')
    }
  }

  /** Stores the last event with all that follows from it. Only then others notice that the turn is over. */
  const settle = async (last: Settlement, outcome: TurnOutcome, next: 'paused' | 'ended'): Promise<void> => {
    try {
      if (!(await last.store(outcome.writes))) return leaveAs('ended')
    } catch (error) {
      const { lease } = opened!
      const { turn_id } = lease
      logger.error({ error, turn_id }, 'the outcome of a turn cannot be stored')
      const instead = last.replace(turnOutcomes.explainRefused(lease))
      return settle(instead, turnOutcomes.of(lease, instead.events), 'ended')
    }
    outcome.note()
    leaveAs(next)
    last.publish()
  }

  const pause = async (requests: Request[]) => {
    const { lease, log } = opened!
    const expires_at = clock.seconds() + config.approval_seconds
    const pending_id = ids.make('apr_')
    const approval = toPendingApproval(requests, { pending_id, thread_id, agent_id, expires_at })
    const { pending, whole_args } = approval
    const last = log.finish('hitl_required', pending, whole_args && { whole_args })
    const keepsCalls = requests.some(({ is_step }) => is_step)
    const write = turnLeases.toPauseWrite(lease, toPausedTurn(last.events.at(-1)!), keepsCalls)
    await settle(last, { writes: [write], note: () => {} }, 'paused')
    const { first_seq, ...paused } = lease
    if (turn.state === 'paused' && !waitsForClient(pending))
      void events.emit('approval.requested', { ...paused, pending_id, expires_at })
    // Whatever still runs in the turn's tools is aborted, except held calls.
    abort.abort(PAUSED)
  }

  const turn: Turn = {
    ...start,
    get state() {
      return state
    },
    get opened() {
      return opened
    },
    signal: abort.signal,
    left,
    open: (request) =>
      attempt(async () => {
        const leased = await turnLeases.take(owner, thread_id, {
          scopes: request.user.credential?.scopes,
          instructions: request.instructions,
          title: toTitle(request),
          continues: request.start?.path,
        })
        if (!leased) return { outcome: 'taken' }
        const repeatedTurn = await noteMessage(leased.lease)
        if (repeatedTurn) {
          await turnLeases.release(leased.lease)
          return { outcome: 'repeated', turn: repeatedTurn }
        }
        begin(leased, request, request, await findPrevious(leased, request))
        return { outcome: 'opened' }
      }),
    openQueued: (queued, order) =>
      attempt(async () => {
        const leased = await turnLeases.takeForQueued(queued)
        if (!leased) return { outcome: 'taken' }
        const isClaimed = await queuedTurns.claim(queued._id)
        const repeatedTurn = isClaimed ? await noteMessage(leased.lease) : undefined
        if (!isClaimed || repeatedTurn) {
          await queuedTurns.remove(queued._id)
          await turnLeases.release(leased.lease)
          return { outcome: repeatedTurn ? 'repeated' : 'gone' }
        }
        isQueued = true
        begin(leased, queued, order, await findPrevious(leased))
        return { outcome: 'opened' }
      }),
    async resume(resolved, allow, record) {
      let isResumed = false
      try {
        const { pending_id, outcome } = resolved
        const attempt = { attempt_id: ids.make('att_'), pending_id, allow }
        // The recovery leaves the thread alone as long as this turn is one of the process.
        const take = () => turnLeases.resume(owner, thread_id, attempt)
        const leased = await untilAnswered(take, abort.signal)
        if (!leased) return false
        const { first_seq, ...paused } = leased.lease
        const read = () => ledger.readTurn(thread_id, paused.turn_id, first_seq)
        const storedEvents = await untilAnswered(read, abort.signal)
        const requested = storedEvents.at(-1)
        // A process that was too slow to keep the turn may have resolved it: the recovery goes by the stored events.
        if (requested?.type !== 'hitl_required' || requested.frame.pending_id !== pending_id) return false
        const log = openLog(leased, storedEvents)
        const [started] = storedEvents
        if (started?.type === 'turn_started') question_id = started.frame.message_id
        log.write('hitl_resolved', resolved, { ms: Math.max(0, clock.now() - requested.ts), ...record })
        isResumed = await log.durable()
        if (isResumed && !waitsForClient(requested.frame))
          void events.emit('approval.resolved', { ...paused, pending_id, outcome })
        return isResumed
      } finally {
        if (!isResumed) leaveAs('ended')
      }
    },
    adopt: (leased, earlierEvents) => void openLog(leased, earlierEvents),
    async run(order) {
      const { lease, thread, log } = opened!
      try {
        if (isQueued) {
          // The message leaves the queue only once the beginning of its turn is durable.
          if (!(await log.durable())) return
          await queuedTurns.remove(lease.turn_id)
        }
        if ('refusal' in order) {
          const { refusal: error, locale, request_id } = order
          return await turn.end({ type: 'error', error, locale, request_id })
        }
        // The steps of elsewhere are read back like those from before a pause.
        if (!isNew && !(await log.durable())) return
        const earlierEvents = isNew ? [] : [...log.committed]
        const stage = { lease, thread, log, question_id, earlierEvents, signal: abort.signal }
        const end = await answer(order, stage, cradle)
        if (isLost()) return
        await (end.type === 'paused' ? pause(end.requests) : turn.end(end))
      } finally {
        leaveAs('ended')
      }
    },
    async end(end) {
      const { lease, log, thread } = opened!
      if (end.type === 'path_changed') {
        const { message_id, after } = end
        const last = log.finish('path_changed', { message_id }, { after })
        return settle(last, turnOutcomes.of(lease, last.events), 'ended')
      }
      const replyId = end.type === 'done' ? end.message_id : null
      await (replyId ?? log.durable())
      const message_id = replyId ?? findReply(lease, log.committed)
      const last =
        end.type === 'error'
          ? log.finish('error', { ...turnOutcomes.explain(end), message_id })
          : log.finish('done', {
              message_id,
              usage: { ...end.usage },
              stop_reason: end.stop_reason,
              ...(end.sources.length > 0 && { sources: [...end.sources] }),
            })
      await settle(last, turnOutcomes.of(lease, last.events), 'ended')
      if (end.type === 'done' && end.stop_reason !== 'stopped') void titles.consider(thread)
    },
    async stop(reason) {
      abort.abort(reason)
      await left
    },
    leave: () => leaveAs('ended'),
  }
  running.add(turn)
  return turn
}
