import { useEffect } from 'react'
import type { components } from '#client'
import { useRows } from '../server/pages.ts'

/** A saved prompt. */
export type Prompt = components['schemas']['Prompt']

const QUERY = { query: { limit: 200 } }

/** The prompts of the account by name, then those that others share; all of them, however many pages they are. */
export function usePrompts({ enabled = true }: { enabled?: boolean } = {}) {
  const list = useRows('/prompts', QUERY, { enabled })
  const { hasNextPage, isFetching, isError, fetchNextPage } = list
  const isIncomplete = enabled && hasNextPage && !isFetching && !isError
  useEffect(() => {
    if (isIncomplete) void fetchNextPage()
  }, [isIncomplete, fetchNextPage])
  return list
}
