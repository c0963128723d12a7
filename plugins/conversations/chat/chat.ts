import { AppError } from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import { readAttachedDocuments } from './attached-documents.ts'
import type { Block, ThreadDocument, TurnSettings } from './documents.ts'
import { type PendingApproval, seqOf } from './ledger/ledger-event.ts'
import type { ReadEvent } from './ledger/ledger-reader.ts'
import { toTurnSettings } from './loop/call-settings.ts'
import type { Cradle } from './manifest.ts'
import type { KnownTurn } from './queue/client-messages.ts'
import { type FollowedTurn, followTurn } from './queue/followed-turn.ts'
import { sanitizeForStorage } from './sanitize.ts'
import { type EarlierStep, type StepEvent, toStepEvents } from './threads/earlier-turns.ts'
import type { ThreadOwner } from './threads/threads.ts'
import type { VersionRequest } from './threads/versions.ts'
import { choosePath } from './turns/path-change.ts'
import { createTurn, type Turn, type TurnRequest } from './turns/turn.ts'
import { reconcileHeldCalls, renewLeases } from './turns/turn-leases.ts'

/** The interval at which leases are renewed and requests of other processes are handled, in milliseconds. */
const RENEW_MS = 1000
/** The time that running turns have to end when the server stops, in milliseconds. */
const DRAIN_MS = 8000

/** A turn that was started: it runs, it is queued, or its message has started one before. */
export type StartedTurn =
  | {
      outcome: 'started'
      turn_id: string
      /** The seq of the event before the first one that the caller does not know. */
      after: number
      /** Resolves when the turn has ended or paused in this process. */
      ended: Promise<void>
    }
  | { outcome: 'queued'; turn_id: string; position: number; known_events: number }
  | { outcome: 'repeated'; turn_id: string; turn: KnownTurn }

/** The order for a turn: a message, and steps of the turn that happened elsewhere, after which it continues. */
export type StartRequest = Omit<TurnRequest, 'steps' | 'start'> & {
  steps?: readonly EarlierStep[]
  /** The message that this one is a version of, or the answer that is written anew, whose message replaces `content`. */
  version?: VersionRequest
}

/** The ways in which a turn is started. */
export interface StartOptions {
  /** True if the beginning of the turn has to be durable before the model is called. */
  isDurableFirst?: boolean
  /** True to throw THREAD_PAUSED if another turn of the thread waits for a person. */
  refusesPaused?: boolean
}

/** The conversations in this process. */
export type Chat = ReturnType<typeof createChat>

/** Creates the conversations of this process. */
export function createChat(cradle: Cradle) {
  const { clientMessages, foreignTurns, heldCalls, hub, ids, ledger, log, nodes, recovery, resumption } =
    cradle
  const { retention, running, signals, threads, turnLeases, turnQueue, versions } = cradle
  let isDraining = false
  let renewal: NodeJS.Timeout | undefined

  /**
   * Starts a turn, or queues it if its thread is taken, other turns wait for the thread, or the account has no free
   * slot.
   */
  const admit = async (request: TurnRequest) => {
    if (isDraining) throw new AppError('SHUTTING_DOWN')
    cradle.server.assertStorage()
    const { thread_id, user, agent, client_message_id, instructions, start } = request
    const owner = { user_id: user.id, agent_id: agent._id }
    const queue = async () => {
      // By the time of its turn, the thread may have another path.
      if (start) throw new AppError('THREAD_BUSY')
      if (instructions !== undefined) await threads.instruct(owner, thread_id, instructions)
      return turnQueue.add(request)
    }
    if (running.get(thread_id) || turnQueue.isFull(user.id)) return queue()
    const turn = createTurn({ thread_id, ...owner, client_message_id }, cradle)
    const opening = await turn.open(request)
    if (opening.outcome === 'taken') return queue()
    return opening.outcome === 'opened' ? { outcome: 'opened' as const, turn } : opening
  }

  /** Returns the order for a version: its start, and the question that is asked again. Throws THREAD_BUSY, MESSAGE_NOT_FOUND. */
  const startVersion = async (order: TurnRequest, version: VersionRequest): Promise<TurnRequest> => {
    const { thread_id, user, agent } = order
    const thread = await threads.get({ user_id: user.id, agent_id: agent._id }, thread_id)
    if (running.get(thread_id) || thread.active_turn) throw new AppError('THREAD_BUSY')
    const start = await versions.findStart(thread, version)
    if (!start.answered) return { ...order, start }
    const { content, documents, model, settings } = start.answered
    return {
      ...order,
      start,
      content,
      ...(documents && { documents }),
      ...((order.model ?? model) && { model: order.model ?? model }),
      settings: { ...settings, ...order.settings },
    }
  }

  const stop = async (thread: ThreadDocument): Promise<boolean> => {
    // A turn that was sent before the stop has its thread by then, or is queued.
    await turnQueue.inLine(thread._id, async () => undefined)
    if (thread.active_turn?.paused && (await resumption.stop(thread))) return true
    const current = running.get(thread._id)
    await running.stop((turn) => turn === current, 'stopped')
    const isAsked = current?.opened ? true : await turnLeases.requestStop(thread._id)
    // The turn may have been about to pause, and a pause cannot be aborted.
    const now = await threads.get(thread, thread._id)
    const turn_id = current?.opened?.lease.turn_id ?? thread.active_turn?.turn_id
    if (now.active_turn?.paused && now.active_turn.turn_id === turn_id) await resumption.stop(now)
    return isAsked
  }

  const cancelTurn = async ({
    thread_id,
    turn_id,
    user_id,
    agent_id,
  }: ThreadOwner & { thread_id: string; turn_id: string }): Promise<boolean> => {
    const owner = { user_id, agent_id }
    const isCurrent = ({ opened }: Turn) => opened?.lease.turn_id === turn_id
    const runsHere = running.list().some(isCurrent)
    await running.stop(isCurrent, 'stopped')
    if (await turnQueue.takeBack(owner, thread_id, turn_id)) return true
    const thread = await threads.get(owner, thread_id)
    return (thread.active_turn?.turn_id === turn_id && (await stop(thread))) || runsHere
  }

  /** Takes a queued turn back and throws THREAD_PAUSED if its thread waits for a person. */
  const takeBackIfPaused = async (owner: ThreadOwner, thread_id: string, turn_id: string) => {
    const { active_turn } = await threads.get(owner, thread_id)
    if (active_turn?.paused && (await turnQueue.takeBack(owner, thread_id, turn_id)))
      throw new AppError('THREAD_PAUSED')
  }

  const stopAgent = async (agent_id: string): Promise<void> => {
    await running.stop((turn) => turn.agent_id === agent_id, 'stopped')
    heldCalls.abandon((turn) => turn.agent_id === agent_id, 'stopped')
  }

  /** Closes the turns of a process that has died, and starts those that waited for it. */
  const takeOver = async () => {
    try {
      await recovery.adopt()
      await turnQueue.watchAll()
    } catch (error) {
      // The job does the same a little later.
      log.error({ error }, 'the turns of a dead process could not be taken over')
    }
  }

  return {
    /** Starts a turn, or queues it. Throws THREAD_BUSY, TOO_MANY_TURNS, THREAD_PAUSED, SHUTTING_DOWN. */
    async start(
      { steps = [], version, ...request }: StartRequest,
      { isDurableFirst = false, refusesPaused = false }: StartOptions = {},
    ): Promise<StartedTurn> {
      const { thread_id, user, agent, content, instructions } = request
      const stepEvents = sanitizeForStorage(steps.flatMap((step) => toStepEvents(step, ids))) as StepEvent[]
      let order: TurnRequest = {
        ...request,
        content: sanitizeForStorage(content) as Block[],
        ...(instructions !== undefined && { instructions: sanitizeForStorage(instructions) as string }),
        ...(stepEvents.length > 0 && { steps: stepEvents }),
      }
      /** The message and the steps of elsewhere. */
      const known_events = stepEvents.length > 0 ? stepEvents.length + 1 : 0
      const admitted = await turnQueue.inLine(thread_id, async () => {
        if (version) order = await startVersion(order, version)
        if (order.documents) return admit(order)
        // In line, so that a later message does not overtake one whose documents are being read.
        const documents = await readAttachedDocuments(
          { user_id: user.id, agent_id: agent._id },
          order.content,
          cradle,
        )
        if (documents.length > 0) order.documents = documents
        return admit(order)
      })
      if (admitted.outcome === 'repeated') return { ...admitted, turn_id: admitted.turn.turn_id }
      if (admitted.outcome === 'queued') {
        const { queue_id: turn_id, position } = admitted
        if (refusesPaused)
          await takeBackIfPaused({ user_id: user.id, agent_id: agent._id }, thread_id, turn_id)
        return { outcome: 'queued', turn_id, position, known_events }
      }
      const { turn } = admitted
      const { lease, log: turnLog } = turn.opened!
      const { turn_id, first_seq } = lease
      // Durable first: a retry after a crash must not call the model twice.
      const ended = isDurableFirst ? turnLog.durable().then(() => turn.run(order)) : turn.run(order)
      ended.catch((error) => log.error({ error, turn_id }, 'a turn failed'))
      return { outcome: 'started', turn_id, after: first_seq - 1 + known_events, ended }
    },
    /** Yields the events of a turn until it ends or pauses; see `followTurn`. */
    follow: (turn: FollowedTurn, signal: AbortSignal): AsyncGenerator<ReadEvent, void, void> =>
      followTurn(turn, signal, cradle),
    /**
     * Resumes a turn that waits for its program, with the results of its calls in their order; returns its id and the seq
     * of the event before those that follow. Throws HITL_NOT_PENDING if other results came first.
     */
    async answer(
      thread: ThreadDocument,
      pending: PendingApproval,
      {
        agent,
        results,
        settings: requested,
      }: { agent: AgentDocument; results: readonly string[]; settings: TurnSettings },
    ): Promise<{ turn_id: string; after: number }> {
      if (isDraining) throw new AppError('SHUTTING_DOWN')
      const settings = toTurnSettings({ agent, settings: requested }, cradle.agents)
      await resumption.answer(thread, pending, {
        results: results.map((result) => result.toWellFormed()),
        settings,
      })
      const { turn_id, paused } = thread.active_turn!
      return { turn_id, after: paused!.seq }
    },
    /**
     * Has a thread show the path through a message, to the newest message behind it; returns the thread. Throws THREAD_BUSY,
     * MESSAGE_NOT_FOUND, SHUTTING_DOWN.
     */
    choosePath: (thread: ThreadDocument, message_id: string): Promise<ThreadDocument> =>
      turnQueue.inLine(thread._id, async () => {
        if (isDraining) throw new AppError('SHUTTING_DOWN')
        return choosePath(thread, message_id, cradle)
      }),
    /** Ends the active turn of a thread; false if it has none. */
    stop,
    /** Ends the turn that this client message has started, or takes it back while it is queued; false if it has ended. */
    async cancel(
      { _id: thread_id, user_id, agent_id }: ThreadDocument,
      client_message_id: string,
    ): Promise<boolean> {
      await turnQueue.inLine(thread_id, async () => undefined)
      const turn = await clientMessages.findRepeated({ user_id, agent_id }, client_message_id)
      return turn !== null && cancelTurn(turn)
    },
    /** Ends a turn, or takes it back while it is queued; false if it has ended. */
    cancelTurn,
    stopAgent,
    /** The turn that this client message has started or waits to start, if any. */
    findRepeated: clientMessages.findRepeated,
    /** The threads of an account whose turns wait for a person. */
    listPaused: (user_id: string): Promise<ThreadDocument[]> =>
      cradle.collections.threads.find({ user_id, 'active_turn.paused': { $exists: true } }).toArray(),
    /** The time for which a turn waits for a person, in seconds. */
    approval_seconds: cradle.config.approval_seconds,
    /** The approval that the paused turn of a thread waits for; null if it waits for none. */
    readPending: resumption.readPending,
    /** Stores the decisions and resumes the turn; throws HITL_NOT_PENDING if another decision came first. */
    decide: resumption.decide,
    countActive: (agent_id: string): number =>
      running.list().filter((turn) => turn.opened && turn.agent_id === agent_id).length,
    /** The seq of the newest event of a thread; a reader that has seen everything continues after it. */
    positionOf(thread: ThreadDocument): number {
      const current = running.get(thread._id)?.opened
      if (!current) return thread.last_seq
      const last = current.log.committed.at(-1)
      return last ? seqOf(last) : current.lease.first_seq - 1
    },
    /** Removes hidden threads; their running turns are stopped first. */
    async purge(thread_ids: readonly string[]): Promise<void> {
      for (const thread_id of thread_ids) {
        signals.publish('thread.removed', { thread_id })
        await turnQueue.removeAllOf(thread_id)
        await running.stop((turn) => turn.thread_id === thread_id, 'stopped')
        heldCalls.abandon((turn) => turn.thread_id === thread_id, 'stopped')
        await Promise.all([
          retention.release(thread_id),
          ledger.remove(thread_id),
          clientMessages.remove(thread_id),
        ])
        await threads.remove(thread_id)
        hub.expectOthers(thread_id)
      }
    },
    /** Adopts the turns of dead processes and renews the leases of running ones. */
    async begin(): Promise<void> {
      const renew = () => renewLeases({ running, turnLeases, log })
      const reconcile = () => reconcileHeldCalls({ heldCalls, recovery, resumption, log })
      await recovery.adopt()
      renewal = setInterval(() => {
        void renew()
        void reconcile()
      }, RENEW_MS)
      foreignTurns.start()
      nodes.watchWork(() => running.list().length > 0)
      nodes.onGone(takeOver)
      signals.on('turn.unwanted', ({ thread_id }) => running.get(thread_id) && renew())
      signals.on('turn.resolved', reconcile)
      // Events that a removed thread still receives would stay in the ledger.
      signals.on('thread.removed', ({ thread_id }) =>
        running.stop((turn) => turn.thread_id === thread_id, 'lost'),
      )
      signals.on('agent.stopping', ({ agent_id }) => stopAgent(agent_id))
    },
    /** Refuses new turns, lets running ones finish for DRAIN_MS and stores the others as interrupted. */
    async drain(): Promise<void> {
      isDraining = true
      turnQueue.end()
      await Promise.race([running.idle(), new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())])
      await running.stop(() => true, 'shutdown')
      const heldTurns = heldCalls.turns()
      heldCalls.abandon(() => true, 'shutdown')
      clearInterval(renewal)
      await foreignTurns.stop()
      await ledger.idle()
      await turnLeases.releaseCalls(heldTurns)
    },
  }
}
