import { useEffect } from 'react'
import { useRows } from '../server/pages.ts'

const QUERY = { query: { limit: 200 } }

/** All models that agents of the account can use. */
export function useModels({ enabled = true }: { enabled?: boolean } = {}) {
  const list = useRows('/models', QUERY, { enabled })
  const { rows = [], hasNextPage, isFetching, isError, fetchNextPage } = list
  const isIncomplete = enabled && hasNextPage && !isFetching && !isError
  useEffect(() => {
    if (isIncomplete) void fetchNextPage()
  }, [isIncomplete, fetchNextPage])
  return rows
}
