import { AppError } from '#kernel'

/** How many turns may wait behind the one that runs. */
const WAITING_LIMIT = 8

/** Keeps turns of one thread one after the other, in the order they came, and threads in parallel. */
export interface Lanes {
  /** Runs `job` when its turn comes; throws THREAD_BUSY at once where too many wait already. */
  enter(thread_id: string, job: (waited: boolean) => Promise<void>): Promise<void>
  /** Jobs that run or wait. */
  readonly size: number
}

/** Makes lanes with nobody in them. */
export function createLanes(): Lanes {
  const lanes = new Map<string, { tail: Promise<void>; length: number }>()
  let size = 0
  return {
    enter(thread_id, job) {
      const lane = lanes.get(thread_id) ?? { tail: Promise.resolve(), length: 0 }
      if (lane.length > WAITING_LIMIT) throw new AppError('THREAD_BUSY', { waiting: WAITING_LIMIT })
      lanes.set(thread_id, lane)
      const waited = lane.length > 0
      lane.length += 1
      size += 1
      const run = async () => {
        try {
          await job(waited)
        } finally {
          size -= 1
          lane.length -= 1
          if (lane.length === 0) lanes.delete(thread_id)
        }
      }
      const finished = waited ? lane.tail.then(run) : run()
      // Whoever entered hears of a failure; the next in line does not wait for it to be well.
      lane.tail = finished.catch(() => undefined)
      return finished
    },
    get size() {
      return size
    },
  }
}
