import { useEffect } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'

/** A group of accounts, with its rights. */
export type Group = components['schemas']['Group']

/** The id of the group that the first start makes, and every new account joins. */
export const EVERYONE = 'grp_everyone'

/** The part of a group that a form edits. */
export interface GroupValues {
  name: string
  description: string | null
  permissions: string[]
  token_quota: number | null
  budget: Group['budget']
  is_default: boolean
}

/** The values of a new group. */
export const NEW_GROUP: GroupValues = {
  name: '',
  description: null,
  permissions: [],
  token_quota: null,
  budget: null,
  is_default: false,
}

/** The values of a stored group. */
export const valuesOf = ({
  name,
  description,
  permissions,
  token_quota,
  budget,
  is_default,
}: Group): GroupValues => ({ name, description, permissions, token_quota, budget, is_default })

/** The name of a group in the language of the page, which the first group has until it is renamed. */
export const groupNameOf = ({ id, name }: { id: string; name: string }) =>
  id === EVERYONE && name === 'everyone' ? t('people.everyone') : name

/** All groups, by name; undefined until the first of them are here. */
export function useGroups() {
  const query = useRows('/groups', { query: { limit: 200 } })
  const { hasNextPage, isFetchingNextPage, error, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !error) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, error, fetchNextPage])
  return query
}
