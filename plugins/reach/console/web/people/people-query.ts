import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { WordKey } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'

/** The accounts that a list shows: all, those with a property, or the members of a group, by its id. */
export type PeopleFilter = keyof typeof FILTERS | (string & {})

/** The filters by a property of an account, with the query of each. */
export const FILTERS = {
  all: { label: 'people.filter_all', query: {} },
  admin: { label: 'people.filter_admin', query: { role: 'admin' } },
  disabled: { label: 'people.filter_disabled', query: { enabled: false } },
} as const satisfies Record<string, { label: WordKey; query: Record<string, string | boolean> }>

/** The columns that a list can be sorted by. */
export type SortKey = 'display_name' | 'last_seen'
/** The order of a list; `-` reverses it. */
export type Sort = SortKey | `-${SortKey}`

/** The pause in typing after which the server is asked, in milliseconds. */
const PAUSE_MS = 150

const queryOf = (filter: PeopleFilter) =>
  filter in FILTERS ? FILTERS[filter as keyof typeof FILTERS].query : { group: filter }

/** The accounts that fit a search and a filter, in an order; the server searches and sorts. */
export function usePeople() {
  const [search, setSearch] = useState('')
  const [filter, setFilter] = useState<PeopleFilter>('all')
  const [sort, setSort] = useState<Sort>('display_name')
  const [q] = useDebouncedValue(search.trim(), PAUSE_MS)
  const query = { ...queryOf(filter), sort, ...(q !== '' && { q }) }
  const rows = useRows('/users', { query }, { keepsRows: true })
  return { ...rows, search: { text: search, onChange: setSearch }, filter, setFilter, sort, setSort }
}
