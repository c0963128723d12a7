import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { components } from '#client'
import { language } from '../i18n/language.ts'
import { readToken, renewToken, SignedOut } from '../session/token.ts'
import { queries } from './queries.ts'

const MIN_DELAY_MS = 1_000
const MAX_DELAY_MS = 30_000

/** An event of the account, by its type. */
export type AccountEvent = components['schemas']['AccountEvent']

/** The paths whose lists and objects an event of the server has changed; `/*` means all below. */
const CHANGED: Partial<Record<AccountEvent['type'], string[]>> = {
  'thread.deleted': ['/agents', '/agents/{id}/threads'],
  'agent.changed': ['/agents', '/agents/{id}', '/agents/{id}/status'],
  'agent.deleted': ['/agents'],
  'channel.changed': ['/agents/{id}/channels', '/agents/{id}/channels/*'],
  'approval.resolved': ['/agents/{id}/cron', '/agents/{id}/cron/*'],
  'usage.changed': ['/usage', '/usage/*', '/admin/usage', '/auth/me'],
}

let isLive = false
const listeners = new Set<(event: AccountEvent) => void>()

/** True while the server says what changes, so that lists need not be read again after an own change. */
export const isFollowingEvents = () => isLive

/** Calls a listener with each event of the account. */
export function onEvent(listener: (event: AccountEvent) => void): void {
  listeners.add(listener)
}

/** Reads the events of the account until it is aborted, and has lists read again that have changed. */
export async function followEvents(signal: AbortSignal): Promise<void> {
  let lastEventId: string | undefined
  let failures = 0
  let hasBegun = false
  const receive = ({ id, data }: EventSourceMessage) => {
    lastEventId = id ?? lastEventId
    failures = 0
    isLive = true
    const event: AccountEvent = JSON.parse(data)
    // At the first stream of a page nothing that it shows is old.
    if (event.type === 'reset' && hasBegun) void queries.invalidateQueries()
    hasBegun = true
    refresh(CHANGED[event.type] ?? [])
    for (const listener of listeners) listener(event)
  }
  while (!signal.aborted) {
    try {
      const isServed = await readEvents({ lastEventId, receive, signal })
      if (!isServed) return
    } catch (error) {
      if (signal.aborted || error instanceof SignedOut) return
    } finally {
      isLive = false
    }
    failures += 1
    const delay = Math.min(MIN_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS)
    await new Promise((resolve) => setTimeout(resolve, delay * (0.5 + Math.random() / 2)))
  }
}

/** Reads one stream to its end; returns false if this server has no events. */
async function readEvents({
  lastEventId,
  receive,
  signal,
}: {
  lastEventId: string | undefined
  receive(event: EventSourceMessage): void
  signal: AbortSignal
}): Promise<boolean> {
  const open = async (refused?: string) => {
    const headers = {
      authorization: `Bearer ${await renewToken(refused)}`,
      accept: 'text/event-stream',
      'accept-language': language,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    }
    return fetch('/api/events', { headers, signal })
  }
  let response = await open()
  if (response.status === 401) response = await open(readToken())
  if (response.status === 404) return false
  if (!response.ok || !response.body) throw new TypeError(`The server answered ${response.status}.`)
  const parser = createParser({ onEvent: receive })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return true
    parser.feed(value)
  }
}

/** Reads the lists and objects of these paths again, if they are shown. */
function refresh(paths: string[]): void {
  const isChanged = (path: unknown) =>
    paths.some((changed) =>
      changed.endsWith('*') ? String(path).startsWith(changed.slice(0, -1)) : path === changed,
    )
  if (paths.length > 0)
    void queries.invalidateQueries({ predicate: ({ queryKey: [, path] }) => isChanged(path) })
}
