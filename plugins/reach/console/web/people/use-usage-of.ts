import { api } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { useAccount } from '../session/account.ts'
import type { Person } from './person.ts'

/** Returns the usage of accounts in the last 30 days, by their ids; undefined to those who may not see it. */
export function useUsageOf(people: Person[] | undefined) {
  const isAdmin = useAccount().role === 'admin'
  const { features } = useFacts()
  const isShown = isAdmin && Boolean(features.usage)
  const query = { window: 'last_30d', granularity: 'total', limit: 200 } as const
  // The accounts come first.
  const { data } = api.useQuery(
    'get',
    '/admin/usage',
    { params: { query } },
    { enabled: isShown && people !== undefined },
  )
  if (!isShown) return undefined
  return (id: string) => data?.accounts.find(({ user_id }) => user_id === id)
}
