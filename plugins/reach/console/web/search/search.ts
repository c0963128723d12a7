import { useEffect } from 'react'
import type { components } from '#client'
import { useRows } from '../server/pages.ts'

/** A message, or a title, that contains the words of a search. */
export type Hit = components['schemas']['SearchResult']

/** A part of a snippet. */
export type SnippetPart = Hit['snippet'][number]

/** The words and filters of a search. */
export interface SearchQuery {
  q: string
  agent_id?: string | undefined
  project_id?: string | undefined
  /** The first and the last day, as ISO dates in the time zone of the browser. */
  from?: string | undefined
  to?: string | undefined
}

/** The hits of a search; none without words. */
export function useHits({ q, from, to, ...filters }: SearchQuery, { limit = 30, enabled = true } = {}) {
  const query = {
    ...filters,
    q: q.trim(),
    limit,
    from: from && readSeconds(`${from}T00:00:00`),
    to: to && readSeconds(`${to}T23:59:59`),
  }
  const isOn = enabled && query.q !== ''
  const hits = useRows('/search', { query }, { enabled: isOn, staleTime: 0 })
  // A page may be empty although there are further ones.
  const isEmpty = hits.rows?.length === 0 && hits.hasNextPage
  const { fetchNextPage, isFetchingNextPage } = hits
  useEffect(() => {
    if (isEmpty && !isFetchingNextPage) void fetchNextPage()
  }, [isEmpty, isFetchingNextPage, fetchNextPage])
  return isEmpty ? { ...hits, rows: undefined } : hits
}

/** A time in the time zone of the browser, in Unix seconds. */
const readSeconds = (time: string) => Math.floor(new Date(time).getTime() / 1000)

/** The address of a hit: its conversation, at the message. */
export const addressOf = ({ agent_id, thread_id, message_id }: Hit) => ({
  to: '/chat/$agent/$thread' as const,
  params: { agent: agent_id, thread: thread_id },
  search: { message: message_id ?? undefined },
})
