import { useMemo } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { readFirstWords } from './store/threads.ts'

/** A thread as lists show it. */
export type ThreadRow = components['schemas']['Thread']

/** The rows of a page of threads. */
const PAGE = 40

/** The threads with all agents, pinned ones first, then by their last activity. */
export const useThreads = () => useRows('/threads', { query: { limit: PAGE } })

/** The archived threads with all agents. */
export const useArchivedThreads = () =>
  useRows('/threads', { query: { limit: PAGE, archived: true } }, { staleTime: 0 })

/** The threads of a project. */
export const useProjectThreads = (project_id: string) =>
  useRows('/threads', { query: { limit: PAGE, project_id } }, { staleTime: 0 })

/** The title of a thread. */
export const titleOf = (row: Pick<ThreadRow, 'thread_id' | 'title'>): string =>
  row.title ?? readFirstWords(row.thread_id) ?? t('chat.new_thread')

/** A thread, from the list, or by itself if it is further down. */
export function useThreadRow(agent_id: string, thread_id: string | undefined): ThreadRow | undefined {
  const threads = useThreads()
  const listed = useMemo(
    () => threads.rows?.find((row) => row.thread_id === thread_id),
    [threads.rows, thread_id],
  )
  const single = api.useQuery(
    'get',
    '/agents/{id}/threads/{thread_id}',
    { params: { path: { id: agent_id, thread_id: thread_id ?? '' } } },
    { enabled: thread_id !== undefined && threads.rows !== undefined && !listed },
  )
  return listed ?? single.data
}
