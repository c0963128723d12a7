/** Measures working time; it is paused while the work waits for a person. */
export interface WorkClock {
  /** Pauses the clock until the wait is over. */
  pauseFor<Result>(wait: Promise<Result>): Promise<Result>
  stop(): void
}

/** Starts a clock that calls `onOver` after this working time. */
export function createWorkClock(milliseconds: number, onOver: () => void): WorkClock {
  let left = milliseconds
  let waits = 0
  let isStopped = false
  let since = 0
  let timer: NodeJS.Timeout | undefined
  const run = () => {
    if (isStopped || waits > 0) return
    since = performance.now()
    timer = setTimeout(onOver, Math.max(0, left))
  }
  const pause = () => {
    if (waits === 1) left -= performance.now() - since
    clearTimeout(timer)
  }
  run()
  return {
    async pauseFor(wait) {
      waits += 1
      pause()
      try {
        return await wait
      } finally {
        waits -= 1
        run()
      }
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
