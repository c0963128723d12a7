import { useQueries } from '@tanstack/react-query'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import type { Rows } from '../ui/list.tsx'
import type { Channel } from './channel-form.ts'

/** The channels of some agents, by name. Events of the server say when their states change. */
export function useChannels(agentIds: string[]): Rows<Channel> {
  return useQueries({
    queries: agentIds.map((id) => ({
      queryKey: ['get', '/agents/{id}/channels', id],
      queryFn: () =>
        send<Channel[]>(
          client.GET('/agents/{id}/channels', { params: { path: { id }, query: { limit: 200 } } }),
        ),
    })),
    combine: (results) => ({
      rows: results.every(({ data }) => data)
        ? results
            .flatMap(({ data }) => data ?? [])
            .toSorted((left, right) => left.name.localeCompare(right.name))
        : undefined,
      error: results.find(({ error }) => error)?.error ?? null,
      refetch: () => Promise.all(results.map(({ refetch }) => refetch())),
    }),
  })
}
