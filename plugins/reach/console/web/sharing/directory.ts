import { keepPreviousData } from '@tanstack/react-query'
import type { components } from '#client'
import { api } from '../server/client.ts'

/** A person or a group that somebody can choose. */
export type DirectoryEntry = components['schemas']['DirectoryEntry']

/** Matches that are read at once; people who look for more type on. */
const MAX_MATCHES = 30

/** Searches people and groups by a part of their names; the matches of the search before are shown until the next ones. */
export function useDirectory(q: string, kind: DirectoryEntry['kind'] | undefined) {
  const query = { q, limit: MAX_MATCHES, ...(kind && { kind }) }
  return api.useQuery(
    'get',
    '/directory',
    { params: { query } },
    { placeholderData: keepPreviousData, staleTime: 10_000 },
  )
}

/** Returns with whom the account may share; undefined until it is read. */
export const useSharingRule = () => api.useQuery('get', '/directory/settings').data?.sharing

/** A key that is unique among people and groups. */
export const keyOf = ({ kind, id }: Pick<DirectoryEntry, 'kind' | 'id'>) => `${kind}:${id}`

/** The name that people know somebody or a group by. */
export const nameOf = ({ name, display_name }: Pick<DirectoryEntry, 'name' | 'display_name'>) =>
  display_name || name
