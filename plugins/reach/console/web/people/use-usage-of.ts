import { useQueries } from '@tanstack/react-query'
import { api } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { useAccount } from '../session/account.ts'
import type { Person } from './person.ts'

/** The most accounts of one question. */
const MAX_ACCOUNTS = 100

/** Returns the usage of accounts in the last 30 days, by their ids; undefined if only administrators may see it. */
export function useUsageOf(people: Person[] | undefined) {
  const isAdmin = useAccount().role === 'admin'
  const { features } = useFacts()
  const isShown = isAdmin && Boolean(features.usage)
  const ids = isShown && people ? people.map(({ id }) => id) : []
  const parts = Array.from({ length: Math.ceil(ids.length / MAX_ACCOUNTS) }, (_, index) =>
    ids.slice(index * MAX_ACCOUNTS, (index + 1) * MAX_ACCOUNTS),
  )
  const accounts = useQueries({
    queries: parts.map((part) => {
      const page = { granularity: 'total', limit: MAX_ACCOUNTS, user_ids: part.join(',') } as const
      return api.queryOptions('get', '/admin/usage', { params: { query: { window: 'last_30d', ...page } } })
    }),
    combine: (results) => results.flatMap(({ data }) => data?.accounts ?? []),
  })
  if (!isShown) return undefined
  return (id: string) => accounts.find(({ user_id }) => user_id === id)
}
