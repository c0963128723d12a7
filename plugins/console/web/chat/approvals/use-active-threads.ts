import { useMemo, useSyncExternalStore } from 'react'
import { queries } from '../../server/queries.ts'
import type { ThreadRow } from '../thread-list.ts'

/** A thread whose turn runs or waits for a person. */
interface ActiveThread {
  agent_id: string
  thread_id: string
  title: string | null
}

const listen = (listener: () => void) => queries.getQueryCache().subscribe(listener)

/** The threads in the lists that were read whose turns run or wait for a person. */
export function useActiveThreads(): ActiveThread[] {
  const found = useSyncExternalStore(listen, () => JSON.stringify(readActive()))
  return useMemo(() => JSON.parse(found), [found])
}

function readActive(): ActiveThread[] {
  const lists = queries.getQueriesData<{ pages: { rows: ThreadRow[] }[] }>({
    queryKey: ['get', '/agents/{id}/threads'],
  })
  return lists.flatMap(([key, data]) => {
    const { params } = key[2] as { params: { path: { id: string } } }
    const rows = data?.pages?.flatMap((page) => page.rows) ?? []
    return rows
      .filter(({ turn_active }) => turn_active)
      .map(({ thread_id, title }) => ({ agent_id: params.path.id, thread_id, title }))
  })
}
