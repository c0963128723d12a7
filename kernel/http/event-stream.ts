import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { ErrorReply } from '../error-reply.ts'
import type { OpenSocketDirectory } from '../socket/directory.ts'

/** One item of a stream of server-sent events: `id` is what a client that comes back names as the last it saw. */
export interface ServerSentEvent {
  id?: string
  event: string
  /** Any JSON value. */
  data: unknown
}

/** What a stream of events is run with. */
export interface EventStreamParts {
  items: AsyncIterable<ServerSentEvent>
  /** Aborted when the reader has left or may no longer read. */
  reading: AbortController
  /** The guard context of the reader, and the guards once more; they throw where the reader may no longer read. */
  context: object
  checkReader(): Promise<void>
  sockets: OpenSocketDirectory
  explain(error: unknown): ErrorReply
  /** Milliseconds between two comments, which keep connections open that nothing is said on. */
  heartbeatMs: number
}

const COMMENT = ':\n\n'

/** Makes the body of a reply that sends items as they come, each only when the reader has room for it. */
export function openEventStream({
  items,
  reading,
  context,
  checkReader,
  sockets,
  explain,
  heartbeatMs,
}: EventStreamParts): PassThrough {
  const { signal } = reading
  const body = new PassThrough()
  // The headers leave with the first write, and the first item may be long in coming.
  body.write(COMMENT)
  const heartbeat = setInterval(() => body.writableNeedDrain || body.write(COMMENT), heartbeatMs)
  /** An error behind the headers is the last item. */
  const fail = (error: unknown) => {
    if (signal.aborted) return
    body.write(textOf({ event: 'error', data: explain(error).body }))
    reading.abort()
  }
  const entry = {
    context,
    close: () => reading.abort(),
    recheck: () =>
      void checkReader().catch((error) => {
        // With the database away nothing was found out.
        if (explain(error).status < 500) fail(error)
      }),
  }
  sockets.add(entry)
  signal.addEventListener('abort', () => {
    clearInterval(heartbeat)
    sockets.remove(entry)
    body.end()
  })
  body.once('close', () => reading.abort())

  const send = async () => {
    try {
      for await (const item of items) {
        if (signal.aborted) return
        if (!body.write(textOf(item))) await once(body, 'drain', { signal })
      }
      reading.abort()
    } catch (error) {
      fail(error)
    }
  }
  void send()
  return body
}

const textOf = ({ id, event, data }: ServerSentEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
