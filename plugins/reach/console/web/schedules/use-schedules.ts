import { useQueries } from '@tanstack/react-query'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import type { Rows } from '../ui/list.tsx'
import type { ListedSchedule } from './schedule-form.ts'

const RUNNING_MS = 2_000
/** The server needs a moment to start what is due. */
const START_MS = 1_500
/** Timers of browsers go no further. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The own schedules with some agents, the next one first. They are read again when one runs or is due. */
export function useSchedules(agentIds: string[]): Rows<ListedSchedule> {
  return useQueries({
    queries: agentIds.map((id) => ({
      queryKey: ['get', '/agents/{id}/cron', id],
      queryFn: async (): Promise<ListedSchedule[]> => {
        const init = { params: { path: { id }, query: { limit: 200 } } }
        const rows = await send(client.GET('/agents/{id}/cron', init))
        return rows.map((row) => ({ ...row, agent_id: id }))
      },
      refetchInterval: ({ state }: { state: { data?: ListedSchedule[] | undefined } }) =>
        untilChange(state.data ?? []),
    })),
    combine: (results) => ({
      rows: results.every(({ data }) => data)
        ? results.flatMap(({ data }) => data ?? []).toSorted((left, right) => rank(left) - rank(right))
        : undefined,
      error: results.find(({ error }) => error)?.error ?? null,
      refetch: () => Promise.all(results.map(({ refetch }) => refetch())),
    }),
  })
}

const rank = ({ next_run_at }: ListedSchedule) => next_run_at ?? Number.POSITIVE_INFINITY

/** The milliseconds until a list may be different; false if nothing in it changes by itself. */
function untilChange(rows: ListedSchedule[]): number | false {
  if (rows.some(({ last_status }) => last_status === 'running')) return RUNNING_MS
  const next = Math.min(...rows.map(rank))
  if (next === Number.POSITIVE_INFINITY) return false
  return Math.min(Math.max(next * 1000 - Date.now(), 0) + START_MS, MAX_TIMER_MS)
}
