import type { InfiniteData } from '@tanstack/react-query'
import { type AccountEvent, onEvent } from '../server/events.ts'
import { queries, readAgain } from '../server/queries.ts'
import { createPublisher } from './store/publisher.ts'
import type { ThreadRow } from './thread-list.ts'

type Rows = InfiniteData<{ rows: ThreadRow[]; next: string | undefined }>

/** A thread that waits for a decision. */
export interface WaitingThread {
  agent_id: string
  thread_id: string
}

/** The threads of the account that wait for a decision, as the server said. */
export const waitingThreads = createPublisher<readonly WaitingThread[]>([])

/** Applies the events of threads: rows of lists change in place, and waiting threads are noted. */
export const followThreads = () => onEvent(receive)

function receive(event: AccountEvent): void {
  if (event.type === 'reset') waitingThreads.update(() => [])
  else if (event.type === 'thread.changed') changeRow(event)
  else if (event.type === 'approval.pending') {
    const { agent_id, thread_id } = event
    waitingThreads.update((all) => [...without(all, thread_id), { agent_id, thread_id }])
  } else if (event.type === 'approval.resolved' || event.type === 'thread.deleted')
    waitingThreads.update((all) => without(all, event.thread_id))
}

const without = (all: readonly WaitingThread[], thread_id: string) =>
  all.filter((waiting) => waiting.thread_id !== thread_id)

/** Changes the row of a thread; a list without the thread is read again. */
function changeRow({ type, agent_id, ...changes }: AccountEvent & { type: 'thread.changed' }): void {
  let isKnown = false
  let unread: number | undefined
  const change = (row: ThreadRow): ThreadRow => {
    if (row.thread_id !== changes.thread_id) return row
    isKnown = true
    unread = row.unread
    return { ...row, ...changes }
  }
  const predicate = ({ queryKey: [, path, init] }: { queryKey: readonly unknown[] }) =>
    path === '/agents/{id}/threads' && JSON.stringify(init ?? '').includes(JSON.stringify(agent_id))
  queries.setQueriesData<Rows>(
    { predicate },
    (lists) =>
      lists && { ...lists, pages: lists.pages.map((page) => ({ ...page, rows: page.rows.map(change) })) },
  )
  // A list that is being read at the moment may be older than the change.
  if (!isKnown || queries.isFetching({ predicate }) > 0) readAgain({ predicate })
  if (unread !== changes.unread)
    void queries.invalidateQueries({ queryKey: ['get', '/agents'], exact: false })
}
