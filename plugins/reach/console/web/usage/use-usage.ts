import type { components } from '#client'
import { api } from '../server/client.ts'

/** Which part of the usage a query asks for. */
export interface UsageQuery {
  whose: 'own' | 'all'
  window: components['schemas']['UsageWindow']
  by: components['schemas']['UsageGranularity']
}

/** The usage of the caller in buckets, with the state of their limits. */
export const useOwnUsage = ({ window, by }: Omit<UsageQuery, 'whose'>, enabled = true) =>
  api.useQuery('get', '/usage/summary', { params: { query: { window, granularity: by } } }, { enabled })

/** The usage of the caller or of everybody, in buckets. */
export function useUsage({ whose, window, by }: UsageQuery) {
  const own = useOwnUsage({ window, by }, whose === 'own')
  const init = { params: { query: { window, granularity: by } } }
  const all = api.useQuery('get', '/admin/usage', init, { enabled: whose === 'all' })
  const { data, error, refetch } = whose === 'own' ? own : all
  return { data, error, refetch }
}
