import { AppError } from '#kernel'

/** How many turns may wait behind the one that runs. */
const WAITING_LIMIT = 8

/** The place of a job whose turn it is. */
export interface Place {
  /** Whether others were before it. */
  waited: boolean
  /** Notes that somebody who is not in line has the thread, so that this job waits like those behind it; or no more. */
  wait(isWaiting: boolean): void
}

/** Keeps turns of one thread one after the other, in the order they came, and threads in parallel. */
export interface Lanes {
  /** Runs `job` when its turn comes; throws THREAD_BUSY, at once, where too many wait already. */
  enter(thread_id: string, job: (place: Place) => Promise<void>): Promise<void>
}

interface Lane {
  isWaiting: boolean
  others: { start(): void; refuse(error: AppError): void }[]
}

/** Makes lanes with nobody in them. */
export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>()
  const busy = () => new AppError('THREAD_BUSY', { waiting: WAITING_LIMIT })

  const run = async (
    thread_id: string,
    lane: Lane,
    job: (place: Place) => Promise<void>,
    waited: boolean,
  ) => {
    const wait: Place['wait'] = (isWaiting) => {
      lane.isWaiting = isWaiting
      // The last one was let in before that was known.
      if (isWaiting && lane.others.length === WAITING_LIMIT) lane.others.pop()!.refuse(busy())
    }
    try {
      await job({ waited, wait })
    } finally {
      lane.isWaiting = false
      const next = lane.others.shift()
      if (next) next.start()
      else lanes.delete(thread_id)
    }
  }

  return {
    enter(thread_id, job) {
      const lane = lanes.get(thread_id)
      if (!lane) {
        const first: Lane = { isWaiting: false, others: [] }
        lanes.set(thread_id, first)
        return run(thread_id, first, job, false)
      }
      if (lane.others.length + (lane.isWaiting ? 1 : 0) >= WAITING_LIMIT) throw busy()
      const turn = new Promise<void>((start, refuse) => lane.others.push({ start, refuse }))
      return turn.then(() => run(thread_id, lane, job, true))
    },
  }
}
