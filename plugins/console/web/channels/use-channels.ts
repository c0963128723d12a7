import { useQueries } from '@tanstack/react-query'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import type { Rows } from '../ui/list.tsx'
import type { Channel } from './channel-form.ts'

/** The time after a change in which a connection that is being made is asked for. */
const CONNECTING_MS = 60_000
const POLL_MS = 1_500

/** The channels of some agents, by name. While one has just begun to connect, its state is read again. */
export function useChannels(agentIds: string[]): Rows<Channel> {
  return useQueries({
    queries: agentIds.map((id) => ({
      queryKey: ['get', '/agents/{id}/channels', id],
      queryFn: () =>
        send<Channel[]>(
          client.GET('/agents/{id}/channels', { params: { path: { id }, query: { limit: 200 } } }),
        ),
      refetchInterval: ({ state }: { state: { data?: Channel[] | undefined } }) =>
        state.data?.some(isConnecting) ? POLL_MS : (false as const),
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

const isConnecting = ({ enabled, runtime, updated_at }: Channel) =>
  enabled &&
  (runtime.state === 'connecting' || runtime.state === 'disconnected') &&
  Date.now() - Math.max(updated_at, runtime.since) * 1000 < CONNECTING_MS
