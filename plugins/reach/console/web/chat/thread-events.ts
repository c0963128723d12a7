import { type AccountEvent, onEvent } from '../server/events.ts'
import { queries, readAgain } from '../server/queries.ts'
import { dropThread, findRow, placeThread } from './listed-threads.ts'
import { createPublisher } from './store/publisher.ts'
import type { ThreadRow } from './thread-list.ts'

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
  } else if (event.type === 'approval.resolved' || event.type === 'thread.deleted') {
    waitingThreads.update((all) => without(all, event.thread_id))
    if (event.type === 'thread.deleted') dropThread(event.thread_id)
  }
}

const without = (all: readonly WaitingThread[], thread_id: string) =>
  all.filter((waiting) => waiting.thread_id !== thread_id)

/** Changes the row of a thread, wherever it is shown. */
function changeRow({ type, agent_id, ...changes }: AccountEvent & { type: 'thread.changed' }): void {
  const { thread_id, unread } = changes
  const isUnreadChanged = findRow(thread_id)?.unread !== unread
  // The list is read again if the row cannot be.
  placeThread(agent_id, changes).catch(() =>
    readAgain({ predicate: ({ queryKey: [, path] }) => path === '/threads' }),
  )
  queries.setQueriesData<ThreadRow>(
    { predicate: ({ queryKey: [, path] }) => path === '/agents/{id}/threads/{thread_id}' },
    (row) => (row?.thread_id === thread_id ? { ...row, ...changes } : row),
  )
  if (isUnreadChanged) void queries.invalidateQueries({ queryKey: ['get', '/agents'], exact: false })
}
