import { isUnavailable } from '#plugin-api'
import type { Cradle } from '../manifest.ts'
import type { StopReason, Turn } from './turn.ts'

/** The turns of this process, by thread. */
export type RunningTurns = ReturnType<typeof createRunningTurns>

/** Creates an empty record. */
export function createRunningTurns() {
  const byThread = new Map<string, Turn[]>()
  const counts = new Map<string, number>()
  const listeners: ((ended: Turn) => void)[] = []

  const list = () => [...byThread.values()].flat()

  const count = (user_id: string, change: 1 | -1) => {
    const next = (counts.get(user_id) ?? 0) + change
    if (next === 0) counts.delete(user_id)
    else counts.set(user_id, next)
  }

  return {
    add(turn: Turn): void {
      byThread.set(turn.thread_id, [...(byThread.get(turn.thread_id) ?? []), turn])
      count(turn.user_id, 1)
    },
    remove(turn: Turn): void {
      const turns = byThread.get(turn.thread_id) ?? []
      if (!turns.includes(turn)) return
      count(turn.user_id, -1)
      const others = turns.filter((other) => other !== turn)
      if (others.length > 0) byThread.set(turn.thread_id, others)
      else byThread.delete(turn.thread_id)
      if (turn.opened) for (const listener of listeners) listener(turn)
    },
    /** Returns the turn that has the thread, or else a turn that is about to take it. */
    get(thread_id: string): Turn | undefined {
      const turns = byThread.get(thread_id)
      return turns?.find(({ opened }) => opened) ?? turns?.at(-1)
    },
    list,
    countOf: (user_id: string): number => counts.get(user_id) ?? 0,
    /** Calls a listener with each turn that had its thread and has ended or paused. */
    onEnd: (listener: (ended: Turn) => void): void => void listeners.push(listener),
    /** Ends the matching turns early and waits until they are settled. */
    async stop(match: (turn: Turn) => boolean, reason: StopReason): Promise<void> {
      await Promise.all(
        list()
          .filter(match)
          .map((turn) => turn.stop(reason)),
      )
    },
    /** Resolves when no turn runs. */
    async idle(): Promise<void> {
      await Promise.all(list().map(({ left }) => left))
    },
  }
}

/** The interval at which the threads that are read here are compared with the database, in milliseconds. */
const LOOK_MS = 10_000
/** The threads that are compared at once. */
const BATCH = 1000

declare module '../../../operation/signals/types.ts' {
  interface Facts {
    /** A turn has begun or is resumed. */
    'turn.begun': { thread_id: string }
    /** A person has decided about a paused turn, or it was stopped. */
    'turn.resolved': { thread_id: string }
    /** The turn of a thread has been asked to stop. */
    'turn.unwanted': { thread_id: string }
    /** A thread is being removed. */
    'thread.removed': { thread_id: string }
    /** The turns of an agent must end. */
    'agent.stopping': { agent_id: string }
  }
}

/** Lets the readers here follow the turns that other processes run. */
export type ForeignTurns = ReturnType<typeof createForeignTurns>

/** Creates it: signals tell at once, and a look at the database seldom. */
export function createForeignTurns({
  collections: { threads },
  hub,
  running,
  nodes,
  signals,
  log,
}: Pick<Cradle, 'collections' | 'hub' | 'running' | 'nodes' | 'signals' | 'log'>) {
  let timer: NodeJS.Timeout | undefined
  let looking = Promise.resolve()

  const compare = async (thread_ids: readonly string[]) => {
    const fields = { last_seq: 1, 'active_turn.turn_id': 1 } as const
    const cursor = threads.find({ _id: { $in: [...thread_ids] } }, { projection: fields })
    for (const { _id, last_seq, active_turn } of await cursor.toArray())
      if (!running.get(_id)) hub.expectOthers(_id, active_turn ? undefined : last_seq)
  }

  const look = async () => {
    try {
      const read = hub.threads().filter((thread_id) => !running.get(thread_id))
      for (let start = 0; start < read.length; start += BATCH) await compare(read.slice(start, start + BATCH))
    } catch (error) {
      if (!isUnavailable(error)) log.error({ error }, 'the threads that are read could not be compared')
    }
  }

  const lookNow = () => {
    looking = looking.then(look)
  }

  return {
    start(): void {
      signals.on('turn.begun', ({ thread_id }) => hub.expectOthers(thread_id))
      signals.on('thread.removed', ({ thread_id }) => hub.expectOthers(thread_id))
      running.onEnd(({ thread_id, signal }) => {
        if (signal.reason === ('lost' satisfies StopReason)) hub.expectOthers(thread_id)
      })
      signals.onMissed(lookNow)
      timer = setInterval(() => {
        if (nodes.peers > 0) lookNow()
      }, LOOK_MS)
    },
    async stop(): Promise<void> {
      clearInterval(timer)
      await looking
    },
  }
}
