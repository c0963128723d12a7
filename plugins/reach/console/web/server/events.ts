import type { components } from '#client'
import { readSession } from '../session/token.ts'
import { followStream } from './event-stream.ts'
import { queries, readAgain } from './queries.ts'
import { wake } from './wake.ts'

/** An event of the account, by its type. */
export type AccountEvent = components['schemas']['AccountEvent']

/** The paths whose lists and objects an event of the server has changed; `/*` means all below. */
const CHANGED: Partial<Record<AccountEvent['type'], string[]>> = {
  'thread.deleted': ['/agents'],
  'agent.changed': ['/agents', '/agents/{id}', '/agents/{id}/status'],
  'agent.deleted': ['/agents', '/agents/{id}'],
  'channel.changed': ['/agents/{id}/channels', '/agents/{id}/channels/*'],
  'connector.changed': ['/connectors'],
  'knowledge_base.changed': ['/knowledge-bases', '/knowledge-bases/{id}'],
  'project.changed': ['/projects', '/projects/{id}', '/threads', '/agents/{id}/threads'],
  'memory.changed': ['/memories', '/memories/{id}'],
  'prompt.changed': ['/prompts', '/prompts/{id}'],
  'webhook.changed': ['/webhooks', '/webhooks/*'],
  'approval.resolved': ['/agents/{id}/cron', '/agents/{id}/cron/*'],
  'usage.changed': ['/usage', '/usage/*', '/admin/usage', '/auth/me'],
}

/** A message between the tabs of a browser, of which one reads the events for all. */
type TabMessage =
  | { type: 'event'; id: string | undefined; event: AccountEvent }
  | { type: 'lost' }
  /** A tab was opened, and the reader answers with the approvals that wait. */
  | { type: 'joined' }
  | { type: 'waiting'; id: string | undefined; events: AccountEvent[] }

let isLive = false
let hadReset = false
let lastId: string | undefined
/** The approvals that wait, by their threads. */
const waiting = new Map<string, AccountEvent>()
const listeners = new Set<(event: AccountEvent) => void>()

/** True while the server says what changes, so that lists need not be read again after an own change. */
export const isFollowingEvents = () => isLive

/** Calls a listener with each event of the account. */
export function onEvent(listener: (event: AccountEvent) => void): void {
  listeners.add(listener)
}

/** Follows the events of the account until it is aborted: the tabs of a browser share one stream. */
export async function followEvents(signal: AbortSignal): Promise<void> {
  const user = readSession()?.user.id
  // Browsers have locks in secure contexts only; elsewhere each tab has a stream of its own.
  if (!navigator.locks || user === undefined) return readEvents(signal, () => {})
  const name = `svc.events.${user}`
  const channel = new BroadcastChannel(name)
  const tell = (message: TabMessage) => channel.postMessage(message)
  let isReader = false
  signal.addEventListener('abort', () => channel.close())
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.type === 'event') {
      if (!isLive) wake()
      receive(data.event, data.id)
    } else if (data.type === 'lost') isLive = false
    else if (data.type === 'joined') {
      if (isReader && isLive) tell({ type: 'waiting', id: lastId, events: [...waiting.values()] })
    } else {
      isLive = true
      lastId = data.id
      for (const event of data.events) receive(event, data.id)
    }
  }
  tell({ type: 'joined' })
  const read = () => {
    isReader = true
    return readEvents(signal, tell)
  }
  await navigator.locks.request(name, { signal }, read).catch((error) => {
    if (!signal.aborted) throw error
  })
}

/** Reads the events of the account and passes them on to other tabs. */
const readEvents = (signal: AbortSignal, tell: (message: TabMessage) => void) =>
  followStream({
    address: '/api/events',
    signal,
    // Connections of chats may be waiting for the server that has just answered.
    onOpen: wake,
    readLastId: () => lastId,
    receive: ({ id, data }) => {
      const event: AccountEvent = JSON.parse(data)
      tell({ type: 'event', id, event })
      receive(event, id)
    },
    onLost: () => {
      isLive = false
      if (!signal.aborted) tell({ type: 'lost' })
    },
  })

function receive(event: AccountEvent, id: string | undefined): void {
  lastId = id ?? lastId
  isLive = true
  if (event.type === 'reset') {
    waiting.clear()
    // Lists that were read before this stream may have changed in between; the facts only if the server was restarted.
    void queries.invalidateQueries({ predicate: ({ queryKey: [, path] }) => hadReset || path !== '/console' })
    hadReset = true
  } else if (event.type === 'approval.pending') waiting.set(event.thread_id, event)
  else if (event.type === 'approval.resolved' || event.type === 'thread.deleted')
    waiting.delete(event.thread_id)
  refresh(CHANGED[event.type] ?? [])
  for (const listener of listeners) listener(event)
}

/** Reads the lists and objects of these paths again, if they are shown. */
function refresh(paths: string[]): void {
  const isChanged = (path: unknown) =>
    paths.some((changed) =>
      changed.endsWith('*') ? String(path).startsWith(changed.slice(0, -1)) : path === changed,
    )
  if (paths.length > 0) readAgain({ predicate: ({ queryKey: [, path] }) => isChanged(path) })
}
