import { createParser } from 'eventsource-parser'
import { useCallback, useEffect, useState } from 'react'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { renewToken } from '../session/token.ts'
import { type Event, mergeEvents } from './steps.ts'

const PAGE = 200
const RETRY_MS = 2_000

/** A thread of an agent. */
export interface ThreadPath {
  id: string
  thread_id: string
}

/** The events of a thread: the newest page at first, earlier ones on demand, and new ones as they happen. */
export function useEvents({ id, thread_id }: ThreadPath) {
  const [events, setEvents] = useState<Event[]>()
  const [hasEarlier, setEarlier] = useState(false)
  const [error, setError] = useState<unknown>()

  const load = useCallback(
    async (before_seq?: number) => {
      const query = { limit: PAGE, ...(before_seq === undefined ? {} : { before_seq }) }
      const params = { path: { id, thread_id }, query }
      const page = await send(client.GET('/agents/{id}/threads/{thread_id}/trajectory', { params }))
      setEarlier(page.has_more)
      setEvents((current = []) => mergeEvents(current, page.events))
      return page.events.at(-1)?.seq ?? 0
    },
    [id, thread_id],
  )

  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    const follow = async () => {
      let seq = await load()
      while (!signal.aborted) {
        await stream({ id, thread_id }, seq, signal, (event) => {
          seq = event.seq
          setEvents((current = []) => mergeEvents(current, [event]))
        }).catch(() => {})
        if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    setError(undefined)
    follow().catch((reason) => {
      if (!signal.aborted) setError(reason)
    })
    return () => leaving.abort()
  }, [id, thread_id, load, attempt])

  return {
    events,
    error,
    hasEarlier,
    loadEarlier: () => load(events?.[0]?.seq),
    retry: () => setAttempt(attempt + 1),
  }
}

/** Reads the stream of a thread to its end. */
async function stream(
  { id, thread_id }: ThreadPath,
  after_seq: number,
  signal: AbortSignal,
  onEvent: (event: Event) => void,
): Promise<void> {
  const path = `/api/agents/${encodeURIComponent(id)}/threads/${encodeURIComponent(thread_id)}/trajectory/stream`
  const headers = { authorization: `Bearer ${await renewToken()}`, accept: 'text/event-stream' }
  const response = await fetch(`${path}?after_seq=${after_seq}`, { headers, signal })
  if (!response.ok || !response.body) throw new TypeError(`The server answered ${response.status}.`)
  const parser = createParser({
    // The stream ends with an error, and the next one is refused if the reason remains.
    onEvent: ({ event, data }) => event !== 'error' && onEvent(JSON.parse(data)),
  })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    parser.feed(value)
  }
}
