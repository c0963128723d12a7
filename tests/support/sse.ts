import { once } from 'node:events'
import { createParser } from 'eventsource-parser'
import type { Test } from '../run/file-test.ts'
import type { TestFrame } from './socket.ts'

/** The time without an event after which a wait fails, in milliseconds. */
const SILENCE_MS = 120_000

/** One server-sent event with its data parsed. */
export interface ReceivedEvent {
  id: string | undefined
  event: string | undefined
  data: TestFrame
}

/** A client's stream of server-sent events, or the response that came instead of a stream. */
export interface EventReader {
  status: number
  headers: Headers
  /** The body of a response that is not a stream. */
  // biome-ignore lint/suspicious/noExplicitAny: the test asserts the form of the body
  body: any
  /** The events received so far. */
  events: ReceivedEvent[]
  /**
   * Waits for the first event whose data is accepted, received or not. Throws if the stream ends without it, or nothing
   * comes for two minutes.
   */
  until(accept: (frame: TestFrame) => boolean): Promise<TestFrame>
  /** Waits for the end of the stream and returns the data of all its events. */
  rest(): Promise<TestFrame[]>
  /** Closes the connection. */
  leave(): void
}

/** Sends a request that is answered with server-sent events. Resolves when the response head has arrived. */
export async function readEvents(
  t: Pick<Test, 'teardown'>,
  url: string,
  {
    method = 'GET',
    token,
    body,
    headers: more,
  }: { method?: string; token: string; body?: unknown; headers?: Record<string, string> },
): Promise<EventReader> {
  const abort = new AbortController()
  t.teardown(() => abort.abort())
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...more,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: JSON.stringify(body),
    signal: abort.signal,
  })
  const { status, headers } = response
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const events: ReceivedEvent[] = []
  const news = new EventTarget()
  const read = async () => {
    const parser = createParser({
      onEvent: ({ id, event, data }) => void events.push({ id, event, data: JSON.parse(data) }),
      onError(error) {
        throw error
      },
    })
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      const firstIndex = events.length
      parser.feed(text)
      // Comments are heartbeats, not events.
      if (events.length > firstIndex) news.dispatchEvent(new Event('news'))
    }
  }
  let hasEnded = !isStream
  const ended = (isStream ? read() : Promise.resolve())
    .catch((error) => {
      if (!abort.signal.aborted) throw error
    })
    .finally(() => {
      hasEnded = true
      news.dispatchEvent(new Event('news'))
    })
  // The error is reported to the callers that await `ended`.
  ended.catch(() => undefined)
  return {
    status,
    headers,
    body: isStream ? undefined : await response.json(),
    events,
    async until(accept) {
      for (let index = 0; ; index += 1) {
        while (index >= events.length) {
          if (hasEnded) {
            await ended
            throw new Error(`the stream has ended; its last event: ${JSON.stringify(events.at(-1))}`)
          }
          await once(news, 'news', { signal: AbortSignal.timeout(SILENCE_MS) }).catch((cause) => {
            const seen = events.map(({ data }) => JSON.stringify(data)).join('\n')
            throw new Error(`nothing came any more; all events:\n${seen}`, { cause })
          })
        }
        if (accept(events[index]!.data)) return events[index]!.data
      }
    },
    async rest() {
      await ended
      return events.map(({ data }) => data)
    },
    leave: () => abort.abort(),
  }
}
