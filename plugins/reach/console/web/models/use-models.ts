import { useEffect } from 'react'
import type { components } from '#client'
import { useRows } from '../server/pages.ts'

type ListedKind = components['schemas']['ListedModelKind']

/** All models of a kind that the account can use; without one, the models that chat. */
export function useModels({ enabled = true, kind = 'chat' }: { enabled?: boolean; kind?: ListedKind } = {}) {
  const list = useRows('/models', { query: { limit: 200, kind } }, { enabled })
  const { rows = [], hasNextPage, isFetching, isError, fetchNextPage } = list
  const isIncomplete = enabled && hasNextPage && !isFetching && !isError
  useEffect(() => {
    if (isIncomplete) void fetchNextPage()
  }, [isIncomplete, fetchNextPage])
  return rows
}
