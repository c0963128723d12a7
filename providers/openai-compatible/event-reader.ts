import type { Readable } from 'node:stream'
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { createParser } from 'eventsource-parser'
import { readChunks } from './chunks.ts'
import type { Failures } from './failure.ts'
import { type Chunk, createPartWriter } from './part-writer.ts'

/** The longest event; tool arguments that contain a whole file arrive in one event. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024

/** Reads the events of one answer as stream parts. */
interface EventReader {
  /** Returns the next parts, at least one, or undefined after the finish; throws the error of the stream. */
  next(): Promise<LanguageModelV3StreamPart[] | undefined>
  cancel(): void
}

/** Creates the reader of a body of events. */
export function createEventReader(
  body: Readable,
  { failures, signal }: { failures: Failures; signal?: AbortSignal },
): EventReader {
  const chunks = readChunks(body)
  const decoder = new TextDecoder()
  let parts: LanguageModelV3StreamPart[] = []
  let failure: Error | undefined
  let done = false
  const writer = createPartWriter((part) => parts.push(part))
  const parser = createParser({ onEvent, onError, maxBufferSize: MAX_EVENT_CHARS })

  function onEvent({ data }: { data: string }): void {
    if (done || failure) return
    if (data === '[DONE]') {
      finish()
      return
    }
    let chunk: Chunk
    try {
      chunk = JSON.parse(data) ?? {}
    } catch (cause) {
      failure = failures.malformed('The upstream sent an event that is not valid JSON.', cause)
      return
    }
    if (chunk.error) failure = failures.reported(chunk.error)
    else writer.write(chunk)
  }

  function onError({ type }: { type: string }): void {
    if (type === 'max-buffer-size-exceeded')
      failure = failures.malformed('The upstream sent an event that is too long.')
  }

  function finish(): void {
    done = writer.finish()
    if (!done) failure = failures.unfinished()
  }

  async function read(): Promise<void> {
    const bytes = await chunks.next().catch((cause) => {
      if (signal?.aborted) throw cause
      throw failures.interrupted(cause)
    })
    if (bytes) return parser.feed(decoder.decode(bytes, { stream: true }))
    // Some upstreams omit the blank line after their last event.
    parser.feed('\n\n')
    if (!done && !failure) finish()
  }

  /** Reads to the end, so that the connection can be reused; the answer is complete, so errors do not matter. */
  async function release(): Promise<void> {
    const rest = await chunks.next().catch(() => undefined)
    if (rest) chunks.cancel()
  }

  return {
    async next() {
      parts = []
      while (parts.length === 0 && !failure && !done) await read()
      if (done && parts.length > 0) void release()
      if (parts.length > 0) return parts
      if (!failure) return undefined
      chunks.cancel()
      throw failure
    },
    cancel: chunks.cancel,
  }
}
