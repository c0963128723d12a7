import { isUnavailable } from '#kernel'
import type { Cradle } from '../manifest.ts'
import type { StopReason } from './turn.ts'

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
