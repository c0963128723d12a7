import type { SearchFailureReason } from '#plugin-api'

/** The searches of this process by engine and outcome. */
export type SearchCounters = ReturnType<typeof createSearchCounters>

/** Creates the counters. Engines and outcomes are few, so that their number is bounded. */
export function createSearchCounters() {
  const counts = new Map<string, { kind: string; outcome: string; value: number }>()
  return {
    note(kind: string, outcome: 'ok' | SearchFailureReason): void {
      const key = `${kind} ${outcome}`
      const count = counts.get(key) ?? { kind, outcome, value: 0 }
      counts.set(key, count)
      count.value += 1
    },
    /** Lists the counts as figures of the metrics. */
    list: () =>
      [...counts.values()].map(({ kind, outcome, value }) => ({
        name: 'svc_web_searches_total',
        help: 'Calls of search engines that ended',
        labels: { kind, outcome },
        value,
        is_counter: true as const,
      })),
  }
}
