import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { Chat } from '#client'
import { client } from '../../server/client.ts'
import { isFollowingEvents } from '../../server/events.ts'
import { queries } from '../../server/queries.ts'
import { onWake } from '../../server/wake.ts'
import { createPublisher } from './publisher.ts'
import { createThreadStore, readText, type ThreadStore } from './thread-store.ts'
import { createView, type ThreadView } from './thread-view.ts'

/** The threads that are followed besides the one in view, so that one can go back to them at once. */
const MAX_OPEN = 6

const chats = new Map<string, Chat>()
/** The threads that were opened last, the newest at the end. */
const stores = new Map<string, ThreadStore>()
/** True while the connection to an agent is lost. */
const lost = createPublisher<ReadonlySet<string>>(new Set())

/** The one connection to an agent, for all of its threads. */
function openChat(agent_id: string): Chat {
  const existing = chats.get(agent_id)
  if (existing) return existing
  const chat = client.chat(agent_id, {
    patience_ms: Number.POSITIVE_INFINITY,
    onState: (state) =>
      lost.update((agents) => {
        const others = [...agents].filter((agent) => agent !== agent_id)
        return new Set(state === 'lost' ? [...others, agent_id] : others)
      }),
  })
  chats.set(agent_id, chat)
  onWake(chat.retryNow)
  return chat
}

/** Returns the state of a thread, which is followed from now on. */
export function openThread(agent_id: string, thread_id: string, { isNew = false } = {}): ThreadStore {
  const existing = stores.get(thread_id)
  const isUsable = existing && existing.read().error === undefined
  const store = isUsable
    ? existing
    : createThreadStore({
        chat: openChat(agent_id),
        agent_id,
        thread_id,
        isNew,
        onAccepted: () => refreshThreads(agent_id),
        onTurn: () => refreshThreads(agent_id),
      })
  stores.delete(thread_id)
  stores.set(thread_id, store)
  const [oldest] = stores.keys()
  if (stores.size > MAX_OPEN && oldest !== undefined) closeThread(oldest)
  return store
}

/** The beginning of the first message of a thread that is open; the server names the thread so after its first turn. */
export function readFirstWords(thread_id: string): string | undefined {
  const { turns = [], outgoing = [] } = stores.get(thread_id)?.read() ?? {}
  const content = turns[0]?.messages[0]?.content ?? outgoing[0]?.content ?? []
  return readText(content).trim().split('\n')[0]?.slice(0, 80) || undefined
}

/** Stops following a thread, for example because it was deleted. */
export function closeThread(thread_id: string): void {
  stores.get(thread_id)?.close()
  stores.delete(thread_id)
}

/** The time in which several changes have lists read again once; the server also needs a moment to store them. */
const REFRESH_MS = 300
const refreshing = new Map<string, ReturnType<typeof setTimeout>>()

/** Reads the lists that show the threads of an agent again, unless the server says what has changed. */
export function refreshThreads(agent_id: string): void {
  if (isFollowingEvents()) return
  clearTimeout(refreshing.get(agent_id))
  const timer = setTimeout(() => {
    const ofAgent = JSON.stringify(agent_id)
    void queries.invalidateQueries({
      predicate: ({ queryKey: [, path, init] }) =>
        path === '/agents' ||
        path === '/threads' ||
        (String(path).startsWith('/agents/{id}/threads') && JSON.stringify(init ?? '').includes(ofAgent)),
    })
  }, REFRESH_MS)
  refreshing.set(agent_id, timer)
}

/** The state of a thread, which is followed from now on; undefined before a conversation has a thread. */
export const useThreadStore = (agent_id: string, thread_id: string | undefined): ThreadStore | undefined =>
  useMemo(
    () => (thread_id === undefined ? undefined : openThread(agent_id, thread_id)),
    [agent_id, thread_id],
  )

const NOTHING = createView('', true)
const ignore = () => () => {}

/** A part of the view of a thread; the component renders again when that part changes. */
export const useThread = <Part>(store: ThreadStore | undefined, select: (view: ThreadView) => Part): Part =>
  useSyncExternalStore(store?.listen ?? ignore, () => select(store?.read() ?? NOTHING))

/** True while the connection to an agent is lost. */
export const useIsLost = (agent_id: string): boolean =>
  useSyncExternalStore(lost.listen, () => lost.read().has(agent_id))

/** Marks the replies of a thread as read while it is in view. */
export function useMarkRead(
  { agent_id, thread_id }: ThreadStore,
  active: string | undefined,
  isUnread: boolean,
) {
  useEffect(() => {
    if (!isUnread || active !== undefined || document.hidden) return
    const path = { id: agent_id, thread_id }
    client
      .POST('/agents/{id}/threads/{thread_id}/read', { params: { path } })
      .then(() => refreshThreads(agent_id))
      .catch(() => {})
  }, [agent_id, thread_id, active, isUnread])
}
