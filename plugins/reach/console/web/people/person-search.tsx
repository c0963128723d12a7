import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Search } from '../ui/icons.ts'
import type { Person } from './person.ts'

interface Props {
  label: string
  description?: string
  isBusy?: boolean
  onPick(username: string): void
}

/** The pause in typing after which the server is asked. */
const PAUSE_MS = 150

/** A field that finds an account by a part of its names. */
export function PersonSearch({ label, description, isBusy = false, onPick }: Props) {
  const [search, setSearch] = useState('')
  const typed = search.trim()
  const [q] = useDebouncedValue(typed, PAUSE_MS)
  const query = { limit: 20, sort: 'display_name', ...(q !== '' && { q }) } as const
  const matches = api.useQuery('get', '/users', { params: { query } }, { placeholderData: keepPreviousData })
  const isCurrent = q === typed && !matches.isPlaceholderData
  const isMatch = (person: Person) =>
    `${person.username} ${person.display_name ?? ''}`.toLowerCase().includes(typed.toLowerCase())
  // Enter must not choose somebody whom the text does not name, even before the server has answered.
  const people = matches.data?.filter((person) => isCurrent || isMatch(person)) ?? []
  return (
    <Select
      label={label}
      {...(description !== undefined && { description })}
      placeholder={t('people.find')}
      leftSection={<Search size={14} aria-hidden />}
      rightSection={null}
      searchable
      disabled={isBusy}
      value={null}
      openOnFocus={false}
      data-autofocus
      searchValue={search}
      onSearchChange={setSearch}
      // The server has searched.
      filter={({ options }) => options}
      data={
        people.map(({ username, display_name }) => ({
          value: username,
          label: !display_name || display_name === username ? username : `${display_name} (${username})`,
        })) ?? []
      }
      nothingFoundMessage={t(matches.isFetching ? 'common.loading' : 'forms.no_match')}
      onChange={(username) => {
        setSearch('')
        if (username !== null) onPick(username)
      }}
    />
  )
}
