/** Measures working time, which does not pass while the work waits for a person. */
export type WorkClock = ReturnType<typeof createWorkClock>

/** Starts a clock that calls `onOver` after this working time. */
export function createWorkClock(milliseconds: number, onOver: () => void) {
  let left = milliseconds
  let waits = 0
  let isStopped = false
  let startedAt = 0
  let timer: NodeJS.Timeout | undefined
  const measure = () => (isStopped || waits > 0 ? left : left - (performance.now() - startedAt))
  const run = () => {
    if (isStopped || waits > 0) return
    startedAt = performance.now()
    timer = setTimeout(onOver, Math.max(0, left))
  }
  const halt = () => {
    left = measure()
    clearTimeout(timer)
  }
  run()
  return {
    /** Returns the milliseconds that are left. */
    millisecondsLeft: measure,

    /** Begins the whole time anew. */
    restart(): void {
      halt()
      left = milliseconds
      run()
    },

    /** Pauses the clock until the wait is over. */
    async pauseFor<Result>(wait: Promise<Result>): Promise<Result> {
      halt()
      waits += 1
      try {
        return await wait
      } finally {
        waits -= 1
        run()
      }
    },

    stop(): void {
      halt()
      isStopped = true
    },
  }
}
