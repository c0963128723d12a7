import { once } from 'node:events'
import { createParser } from 'eventsource-parser'
import type { Test } from 'tap'
import type { TestFrame } from './socket.ts'

/** One server-sent event with its data parsed. */
export interface SeenEvent {
  id: string | undefined
  event: string | undefined
  data: TestFrame
}

/** A stream of server-sent events that a client reads, or the answer that came instead. */
export interface EventReader {
  status: number
  headers: Headers
  /** The body of an answer that is no stream. */
  // biome-ignore lint/suspicious/noExplicitAny: what a body is, the test asserts
  body: any
  /** What came so far. */
  events: SeenEvent[]
  /** The first event, past or to come, whose data is accepted; throws once the stream has ended without it. */
  until(accept: (frame: TestFrame) => boolean): Promise<TestFrame>
  /** Waits for the end of the stream and gives the data of all its events. */
  rest(): Promise<TestFrame[]>
  /** Cuts the connection, as a client that goes away. */
  leave(): void
}

/** Calls an address that answers with server-sent events; resolves when the head of the answer is there. */
export async function readEvents(
  t: Pick<Test, 'teardown'>,
  url: string,
  { method = 'GET', token, body }: { method?: string; token: string; body?: unknown },
): Promise<EventReader> {
  const abort = new AbortController()
  t.teardown(() => abort.abort())
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: JSON.stringify(body),
    signal: abort.signal,
  })
  const { status, headers } = response
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const events: SeenEvent[] = []
  const news = new EventTarget()
  const read = async () => {
    const parser = createParser({
      onEvent: ({ id, event, data }) => void events.push({ id, event, data: JSON.parse(data) }),
      onError(error) {
        throw error
      },
    })
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      parser.feed(text)
      news.dispatchEvent(new Event('news'))
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
  // Whoever waits for the end hears of a failure.
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
          await once(news, 'news')
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
