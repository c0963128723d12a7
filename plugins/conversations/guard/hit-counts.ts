import type { Rule } from './rules.ts'

type Direction = 'request' | 'reply'

/** Counts the hits of rules since the start of this process. */
export type HitCounts = ReturnType<typeof createHitCounts>

/** Creates the counts, which are empty. */
export function createHitCounts() {
  const counts = new Map<string, { labels: Record<string, string>; value: number }>()
  return {
    add({ name: rule, action }: Rule, direction: Direction): void {
      const labels = { rule, action, direction }
      const key = Object.values(labels).join('\n')
      const count = counts.get(key) ?? { labels, value: 0 }
      count.value += 1
      counts.set(key, count)
    },
    /** Lists the counts as the metrics show them. */
    list: () =>
      [...counts.values()].map(({ labels, value }) => ({
        name: 'svc_guard_hits_total',
        help: 'Hits of the rules of the guard',
        labels,
        value,
        is_counter: true as const,
      })),
  }
}
