/** Time in which work is done; it stands while somebody is waited for. */
export interface WorkClock {
  /** Lets the clock stand until the wait is over. */
  standFor<Result>(wait: Promise<Result>): Promise<Result>
  stop(): void
}

/** Starts a clock that calls `onOver` when its time, in milliseconds, is over. */
export function createWorkClock(milliseconds: number, onOver: () => void): WorkClock {
  let left = milliseconds
  let waits = 0
  let isStopped = false
  let since = 0
  let timer: NodeJS.Timeout | undefined
  const go = () => {
    if (isStopped || waits > 0) return
    since = performance.now()
    timer = setTimeout(onOver, Math.max(0, left))
  }
  const stand = () => {
    if (waits === 1) left -= performance.now() - since
    clearTimeout(timer)
  }
  go()
  return {
    async standFor(wait) {
      waits += 1
      stand()
      try {
        return await wait
      } finally {
        waits -= 1
        go()
      }
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
