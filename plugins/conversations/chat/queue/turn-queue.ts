import { AppError, createKeyedQueue } from '#plugin-api'
import type { QueuedTurnDocument } from '../documents.ts'
import { toTurnUser } from '../loop/turn-tools.ts'
import type { Cradle } from '../manifest.ts'
import type { ThreadOwner } from '../threads/threads.ts'
import { createTurn, type Refusal, type TurnRequest } from '../turns/turn.ts'
import type { TurnOrder } from '../turns/turn-answer.ts'
import type { KnownTurn } from './client-messages.ts'

/** The most queued turns of one thread. */
const MAX_WAITING_IN_THREAD = 8
/** The interval at which this process reads threads with queued turns in which it runs none, in milliseconds. */
const POLL_MS = { first: 100, most: 1000 }

/** A queued turn, or the turn that the same client_message_id has already started or queued. */
export type Queued =
  | { outcome: 'queued'; queue_id: string; position: number }
  | { outcome: 'repeated'; turn: KnownTurn }

/** Starts stored turns in order, each once, as soon as their threads and accounts are free. */
export type TurnQueue = ReturnType<typeof createTurnQueue>

/** Creates the queue over the stored turns. The lease of a thread decides which process starts its next turn. */
export function createTurnQueue(cradle: Cradle) {
  const { agents, clientMessages, hub, ids, limits, log, queuedTurns, recovery, running, users } = cradle
  const { explainError } = cradle
  const inLine = createKeyedQueue().run
  const ofAccount = createKeyedQueue().run
  const watched = new Set<string>()
  /** The threads whose next turn waits for its account, by account. */
  const blocked = new Map<string, Set<string>>()
  let state: 'new' | 'at work' | 'ended' = 'new'
  let polling: NodeJS.Timeout | undefined
  let wait = POLL_MS.first

  const isFull = (user_id: string) => running.countOf(user_id) >= limits.of('running_turns')

  const block = (user_id: string, thread_id: string) => {
    const threads = blocked.get(user_id) ?? new Set()
    blocked.set(user_id, threads.add(thread_id))
  }
  const isBlocked = (thread_id: string) => [...blocked.values()].some((threads) => threads.has(thread_id))

  /** Returns the current request of a turn, or why it fails; undefined if that is not known yet. */
  const prepare = async ({
    user_id,
    agent_id,
    ...queued
  }: QueuedTurnDocument): Promise<TurnOrder | Refusal | undefined> => {
    const { content, documents, model, settings, locale, request_id, scopes } = queued
    const account = await users.find(user_id)
    // The process that removes an account or an agent removes its threads.
    if (!account) return undefined
    try {
      if (!account.enabled) throw new AppError('USER_DISABLED')
      const user = toTurnUser(account, scopes, cradle)
      const agent = await agents.findVisible(user, agent_id)
      const { state } = agent
      if (state === 'starting' || state === 'stopping') return undefined
      if (state !== 'running') throw new AppError('AGENT_NOT_RUNNING', { state })
      return { agent, user, content, documents, model, settings, locale, request_id }
    } catch (error) {
      if (error instanceof AppError) return { refusal: error, locale, request_id }
      throw error
    }
  }

  const tellRemoved = (thread_id: string, queue_id: string) =>
    hub.send(thread_id, { type: 'unqueued', thread_id, queue_id })

  /** Starts the next turn of a thread if it can start now. */
  const startNext = async (thread_id: string): Promise<void> => {
    while (state === 'at work' && !running.get(thread_id)) {
      const next = await queuedTurns.first(thread_id)
      if (!next) {
        const tail = await queuedTurns.tailOf(thread_id)
        // A turn that was added meanwhile has changed the tail, or is about to.
        if (await queuedTurns.first(thread_id)) continue
        if (tail !== undefined) await queuedTurns.clearMark(thread_id, tail)
        watched.delete(thread_id)
        return
      }
      const order = await prepare(next)
      if (!order) return
      if (isFull(next.user_id)) return block(next.user_id, thread_id)
      const { _id: turn_id, user_id, agent_id, client_message_id } = next
      const turn = createTurn({ thread_id, user_id, agent_id, client_message_id }, cradle)
      const { outcome } = await turn.openQueued(next, order)
      if (outcome === 'taken') return
      if (outcome === 'repeated') tellRemoved(thread_id, turn_id)
      if (outcome !== 'opened') continue
      turn.run(order).catch((error) => log.error({ error, turn_id }, 'a queued turn failed'))
      return
    }
  }

  const start = async (thread_id: string) => {
    try {
      await inLine(thread_id, () => startNext(thread_id))
    } catch (error) {
      log.error({ error, thread_id }, 'a queued turn could not be started; retrying')
    }
  }

  /** Starts turns that waited for their account, as long as it has room. */
  const startBlocked = async (user_id: string) => {
    const threads = blocked.get(user_id)
    for (const thread_id of threads ?? []) {
      if (isFull(user_id)) return
      threads!.delete(thread_id)
      await start(thread_id)
    }
    if (threads?.size === 0) blocked.delete(user_id)
  }

  const poll = async () => {
    // A turn that filled its account may disappear without an event of its end.
    for (const user_id of [...blocked.keys()]) await startBlocked(user_id)
    const threads = [...watched].filter((thread_id) => !running.get(thread_id) && !isBlocked(thread_id))
    if (threads.length === 0) return
    await recovery.adopt()
    const { free, missing } = await queuedTurns.listFree(threads)
    for (const thread_id of missing) {
      await queuedTurns.removeAllOf(thread_id)
      watched.delete(thread_id)
    }
    await Promise.all(free.map(start))
  }

  const schedule = (after = wait) => {
    clearTimeout(polling)
    if (state !== 'at work' || watched.size === 0) return
    polling = setTimeout(() => {
      wait = Math.min(wait * 2, POLL_MS.most)
      poll()
        .catch((error) => log.error({ error }, 'queued turns could not be watched'))
        .finally(() => schedule())
    }, after)
  }

  const watch = (thread_id: string) => {
    wait = POLL_MS.first
    if (!watched.has(thread_id)) {
      watched.add(thread_id)
      hub.expectOthers(thread_id)
    }
    schedule()
  }

  const watchAll = async () => {
    for (const thread_id of await queuedTurns.listThreads()) if (!watched.has(thread_id)) watch(thread_id)
  }

  running.onEnd(({ thread_id, user_id }) => {
    if (state !== 'at work') return
    // Turns that waited for the account come before the next one of the same thread.
    if (blocked.has(user_id)) {
      if (watched.has(thread_id)) block(user_id, thread_id)
      void startBlocked(user_id)
    } else if (watched.has(thread_id)) void start(thread_id)
  })

  return {
    /** Runs a job while no turn of that thread is being started, after earlier jobs of the thread. */
    inLine,
    /** True if an account runs as many turns in this process as it may. */
    isFull,
    /** Stores a turn as the last one of its thread. Throws THREAD_BUSY, TOO_MANY_TURNS, THREAD_NOT_FOUND. */
    add: (request: TurnRequest): Promise<Queued> =>
      ofAccount(request.user.id, async () => {
        const { thread_id, client_message_id } = request
        const owner = { user_id: request.user.id, agent_id: request.agent._id }
        const [inThread, waiting] = await Promise.all([
          queuedTurns.countInThread(thread_id),
          queuedTurns.countOfAccount(owner.user_id),
        ])
        if (inThread >= MAX_WAITING_IN_THREAD) throw new AppError('THREAD_BUSY', { waiting: inThread })
        const max = limits.of('waiting_turns')
        if (waiting >= max) throw new AppError('TOO_MANY_TURNS', { limit: 'waiting_turns', max })
        const turn_id = ids.make('trn_')
        const turn = { turn_id, thread_id, ...owner, first_seq: null }
        await queuedTurns.store(turn_id, request)
        const repeatedTurn =
          client_message_id === undefined ? undefined : await clientMessages.note(turn, client_message_id)
        if (repeatedTurn) {
          await queuedTurns.remove(turn_id)
          return { outcome: 'repeated', turn: repeatedTurn }
        }
        if (!(await queuedTurns.mark(turn))) {
          await queuedTurns.remove(turn_id)
          await clientMessages.forget(turn_id)
          throw new AppError('THREAD_NOT_FOUND')
        }
        watch(thread_id)
        if (isFull(owner.user_id) && !running.get(thread_id)) block(owner.user_id, thread_id)
        return { outcome: 'queued', queue_id: turn_id, position: inThread + 1 }
      }),
    /** Takes a turn back; false if it is not queued. */
    async takeBack(owner: ThreadOwner, thread_id: string, queue_id: string): Promise<boolean> {
      if (!(await queuedTurns.takeBack(owner, thread_id, queue_id))) return false
      await clientMessages.forget(queue_id)
      tellRemoved(thread_id, queue_id)
      // If it was the last queued turn, the thread is free again.
      void start(thread_id)
      return true
    },
    /** Removes the queued turns of a thread that is being removed. */
    async removeAllOf(thread_id: string): Promise<void> {
      watched.delete(thread_id)
      for (const { client_message_id, locale, request_id } of await queuedTurns.removeAllOf(thread_id)) {
        const error = explainError(new AppError('THREAD_NOT_FOUND'), locale, request_id)
        hub.send(thread_id, { type: 'error', thread_id, client_message_id, ...error })
      }
    },
    /** Starts the turns of a thread from now on, until none is queued. */
    watch,
    isWatched: (thread_id: string): boolean => watched.has(thread_id),
    /** Watches every thread with queued turns. */
    watchAll,
    /** Watches all threads; no turn is started before this call, which comes when every plugin is ready. */
    async begin(): Promise<void> {
      state = 'at work'
      await watchAll()
      schedule(0)
    },
    /** Starts no more turns. */
    end(): void {
      state = 'ended'
      clearTimeout(polling)
    },
  }
}
