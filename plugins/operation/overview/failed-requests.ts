import type { Cradle } from './manifest.ts'

const HOUR_MS = 3_600_000
const HOURS = 24

/** Counts the requests that this process answered with a server error. */
export type FailedRequests = ReturnType<typeof createFailedRequests>

/** Creates the count of the last day, by hours, since the start of the process. */
export function createFailedRequests({ clock }: Pick<Cradle, 'clock'>) {
  const counts = new Map<number, number>()
  const dropOld = (hour: number) => {
    for (const counted of counts.keys()) if (counted <= hour - HOURS) counts.delete(counted)
  }
  const currentHour = () => Math.floor(clock.now() / HOUR_MS)
  return {
    note(status: number) {
      if (status < 500) return
      const hour = currentHour()
      dropOld(hour)
      counts.set(hour, (counts.get(hour) ?? 0) + 1)
    },
    count(): number {
      dropOld(currentHour())
      return [...counts.values()].reduce((sum, count) => sum + count, 0)
    },
  }
}
