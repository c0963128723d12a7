import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { StreamItem } from '../contract/route.ts'
import type { AppError } from '../errors.ts'
import type { OpenSocketDirectory } from '../socket/directory.ts'
import type { ErrorBody, ErrorReply } from './error-reply.ts'

/** The parts that a stream of events needs. */
interface EventStreamParts {
  items: AsyncIterable<StreamItem>
  /** Throws if the data of an item may not be sent. */
  check(data: unknown): void
  /** Aborted when the reader has left or may no longer read. */
  reading: AbortController
  /** The guard context of the reader, and the guards once more; they throw if the reader may no longer read. */
  context: object
  checkReader(): Promise<void>
  sockets: OpenSocketDirectory
  /** Returns an error after the headers as the reader sees it. */
  explain(error: unknown): ErrorReply
  /** Returns the last item of a stream that an error has cut short. */
  toErrorItem(body: ErrorBody): StreamItem
  /** Milliseconds between two comments, which keep idle connections open. */
  heartbeatMs: number
}

const COMMENT = ':\n\n'
/** The most characters that are collected for one write. */
const MAX_COLLECTED_CHARS = 16_384

/**
 * Sends items as the body of a reply as they come, each only when the reader has room for it; those that come at the
 * same time leave in one write.
 */
export function sendEvents(
  reply: ServerResponse,
  {
    items,
    check,
    reading,
    context,
    checkReader,
    sockets,
    explain,
    toErrorItem,
    heartbeatMs,
  }: EventStreamParts,
): void {
  const { signal } = reading
  let collected = ''
  let verdict: Promise<void> | undefined
  let isUnclear = false

  const takeCollected = () => {
    const text = collected
    collected = ''
    return text
  }
  const flush = () => {
    if (collected !== '') reply.write(takeCollected())
  }
  const write = (text: string) => {
    // nextTick runs after pending promises, so all ready items are in one write.
    if (collected === '') process.nextTick(flush)
    collected += text
    if (collected.length >= MAX_COLLECTED_CHARS) flush()
  }
  /** Ends the stream after the data that the reader has not taken yet. */
  const end = (last = '') => {
    clearInterval(heartbeat)
    sockets.remove(entry)
    const lastText = takeCollected() + last
    if (!reply.writableEnded && !reply.destroyed) reply.end(lastText)
  }
  const cutShort = (error?: ErrorReply) => {
    end(error && textOf(toErrorItem(error.body)))
    reading.abort()
  }
  const recheck = () => {
    isUnclear = false
    verdict = checkReader().catch((error) => {
      const refusal = explain(error)
      // The check itself failed, e.g. because the database is unavailable: the next item or comment repeats it.
      if (refusal.status >= 500) isUnclear = true
      else cutShort(refusal)
    })
  }
  const beat = () => {
    if (isUnclear) recheck()
    if (!reply.writableNeedDrain) write(COMMENT)
  }
  const send = async () => {
    for await (const item of items) {
      if (reply.writableNeedDrain) await once(reply, 'drain', { signal })
      if (isUnclear) recheck()
      if (verdict) await verdict
      if (signal.aborted) return
      if (typeof item !== 'string') check(item.data)
      write(textOf(item))
    }
    end()
  }

  // The headers leave with the first write, and the first item may be long in coming.
  write(COMMENT)
  const heartbeat = setInterval(beat, heartbeatMs)
  const entry = {
    context,
    close: (_code: number, _reason: string, error?: AppError) => cutShort(error && explain(error)),
    recheck,
  }
  sockets.add(entry)
  signal.addEventListener('abort', () => end())
  send().catch((error) => {
    const isOfAbort = signal.aborted && (error === signal.reason || error?.name === 'AbortError')
    if (!isOfAbort) cutShort(explain(error))
  })
  if (signal.aborted || reply.req.method === 'HEAD') cutShort()
}

/** True if a handler's result is a stream of events. */
export const isEventStream = (content: unknown): content is AsyncIterable<StreamItem> =>
  typeof content === 'object' && content !== null && Symbol.asyncIterator in content

function textOf(item: StreamItem): string {
  if (typeof item === 'string') return `data: ${item.replaceAll('\n', '\ndata: ')}\n\n`
  const { id, event, data } = item
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`
  return `${head}data: ${JSON.stringify(data)}\n\n`
}
