import type { InfiniteData, Query } from '@tanstack/react-query'
import { client } from '../server/client.ts'
import { queries, readAgain } from '../server/queries.ts'
import type { ThreadRow } from './thread-list.ts'

type Rows = InfiniteData<{ rows: ThreadRow[]; next: string | undefined }>
type Changes = Pick<ThreadRow, 'thread_id' | 'archived' | 'project_id' | 'pinned' | 'last_active'> &
  Partial<ThreadRow>

/** The changes of threads whose rows are being read. */
const reading = new Map<string, Changes>()

const isThreadList = ({ queryKey: [, path] }: { queryKey: readonly unknown[] }) => path === '/threads'

const listLists = () =>
  queries.getQueryCache().findAll({ predicate: isThreadList }) as unknown as Query<Rows>[]

/** True if a list contains the threads of this project, archived or not. */
function isOfList({ queryKey: [, , init] }: Query<Rows>, { archived, project_id }: Changes): boolean {
  const { query = {} } = (init as { params?: { query?: Partial<ThreadRow> } }).params ?? {}
  if (query.project_id !== undefined && query.project_id !== project_id) return false
  return (query.archived ?? false) === archived
}

/** True if the place of a thread is among the rows of a list that were read. */
function isInReach({ pages }: Rows, { pinned, last_active }: Changes): boolean {
  const last = pages.at(-1)
  const lastRow = last?.rows.at(-1)
  return last?.next === undefined || lastRow === undefined || pinned || last_active >= lastRow.last_active
}

const includes = ({ pages }: Rows, thread_id: string) =>
  pages.some(({ rows }) => rows.some((row) => row.thread_id === thread_id))

/**
 * Shows a changed thread in the lists that it belongs to, and in no others. Lists are not read again for it, since an
 * account may have thousands of rows; only the row of a thread that no list has yet is read.
 */
export async function placeThread(agent_id: string, changes: Changes): Promise<void> {
  const { thread_id } = changes
  let isMissing = false
  for (const list of listLists()) {
    const isOf = isOfList(list, changes)
    // A list that is being read at the moment may be older than the change.
    if (list.state.fetchStatus === 'fetching') readAgain({ queryKey: list.queryKey, exact: true })
    const rows = list.state.data
    if (!rows) continue
    if (includes(rows, thread_id))
      setRows(list, (row) => (isOf ? { ...row, ...changes } : undefined), thread_id)
    else if (isOf && isInReach(rows, changes)) isMissing = true
  }
  if (!isMissing) return
  const isBeingRead = reading.has(thread_id)
  reading.set(thread_id, changes)
  if (isBeingRead) return
  const params = { path: { id: agent_id, thread_id } }
  const { data } = await client.GET('/agents/{id}/threads/{thread_id}', { params }).catch((error) => {
    reading.delete(thread_id)
    throw error
  })
  const latest = reading.get(thread_id)
  reading.delete(thread_id)
  if (data) insertThread({ ...data, ...latest })
}

/** Puts a thread into the lists that it belongs to and that do not have it; a list orders its rows itself. */
function insertThread(thread: ThreadRow): void {
  for (const list of listLists()) {
    const rows = list.state.data
    if (!rows || !isOfList(list, thread) || includes(rows, thread.thread_id)) continue
    const [first, ...others] = rows.pages
    if (first)
      queries.setQueryData<Rows>(list.queryKey, {
        ...rows,
        pages: [{ ...first, rows: [thread, ...first.rows] }, ...others],
      })
  }
}

/** Returns the row of a thread in a list. */
export const findRow = (thread_id: string): ThreadRow | undefined =>
  listLists()
    .flatMap(({ state }) => state.data?.pages ?? [])
    .flatMap(({ rows }) => rows)
    .find((row) => row.thread_id === thread_id)

/** Takes a thread out of all lists. */
export function dropThread(thread_id: string): void {
  for (const list of listLists()) {
    if (list.state.fetchStatus === 'fetching') readAgain({ queryKey: list.queryKey, exact: true })
    if (list.state.data && includes(list.state.data, thread_id)) setRows(list, () => undefined, thread_id)
  }
}

/** Changes the row of a thread in a list; undefined removes it. */
function setRows(
  { queryKey }: Query<Rows>,
  change: (row: ThreadRow) => ThreadRow | undefined,
  thread_id: string,
): void {
  queries.setQueryData<Rows>(
    queryKey,
    (lists) =>
      lists && {
        ...lists,
        pages: lists.pages.map((page) => ({
          ...page,
          rows: page.rows.flatMap((row) => (row.thread_id === thread_id ? (change(row) ?? []) : [row])),
        })),
      },
  )
}
