import type { Readable } from 'node:stream'
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { atBeat, JsonTooComplex, parseJson } from '#plugin-api'
import type { Chunk } from './chunk.ts'
import { readErrorBody, readWords } from './error-body.ts'
import { createEventLines } from './event-lines.ts'
import type { Failures } from './failure.ts'
import { createPartWriter } from './part-writer.ts'

/** The longest event that cannot be deep or large enough to harm; measuring the usual ones would cost as much as parsing. */
const HARMLESS_CHARS = 4096

/** The reads with words that come at once; a short answer is over by then. */
const BRISK_READS = 3

/** Creates the reader of a body of events, or of one whole answer, as stream parts. */
export function createEventReader(
  body: Readable,
  { failures, signal, startsInside }: { failures: Failures; signal?: AbortSignal; startsInside?: boolean },
) {
  const chunks = readChunks(body)
  const decoder = new TextDecoder()
  let parts: LanguageModelV3StreamPart[] = []
  let failure: Error | undefined
  let done = false
  /** True if the present read has brought words; and the reads that have. */
  let speaks = false
  let spoken = 0
  /** Words outside of an answer; they explain an answer that does not follow. */
  let words: string | undefined
  const writer = createPartWriter(addPart, { startsInside })
  const lines = createEventLines({
    onEvent: readEvent,
    onBroken: () => fail(failures.malformed('The upstream sent an event that is not valid JSON.')),
    onTooLong: () => fail(failures.malformed('The upstream sent an event that is too long.')),
  })

  /** Adds a part, or its text to the part before it. */
  function addPart(part: LanguageModelV3StreamPart): void {
    const isText = part.type === 'text-delta' || part.type === 'reasoning-delta'
    speaks ||= isText
    const last = parts.at(-1)
    const isMore = isText && last?.type === part.type && last.id === part.id && !part.providerMetadata
    if (isMore) last.delta += part.delta
    else parts.push(part)
  }

  function fail(error: Error): void {
    if (!done) failure ??= error
  }

  function readEvent(data: string, name: string): boolean {
    if (done || failure) return true
    if (data === '[DONE]') {
      finish(true)
      return true
    }
    let event: unknown
    try {
      event = data.length > HARMLESS_CHARS ? parseJson(data) : JSON.parse(data)
    } catch (cause) {
      if (cause instanceof JsonTooComplex)
        fail(failures.malformed('The upstream sent an event that is too complex.'))
      else if (/^\s*[[{]/.test(data) && !/^\s*\[[a-z]+\]/i.test(data)) return false
      else readText(data, name)
      return true
    }
    if (ERROR_EVENTS.includes(name))
      fail(failures.reported(readErrorBody(event) ?? describe(readWords(event))))
    else if (Array.isArray(event)) event.forEach(readChunk)
    else readChunk(event)
    return true
  }

  /** Reads an event that is not JSON: the error of a proxy, a heartbeat, or another form of the end. */
  function readText(data: string, name: string): void {
    if (/^\s*\[done\]\s*$/i.test(data)) finish(true)
    else if (ERROR_EVENTS.includes(name)) fail(failures.reported(describe(data)))
    else words = data
  }

  function readChunk(value: unknown): void {
    if (typeof value !== 'object' || value === null || done || failure) return
    const chunk = value as Chunk & { error?: unknown; base_resp?: unknown }
    const hasChoices = Array.isArray(chunk.choices) ? chunk.choices.length > 0 : chunk.choices
    if (chunk.error || (!hasChoices && (!chunk.usage || chunk.base_resp))) {
      const error = readErrorBody(chunk)
      if (error) {
        fail(failures.reported(error))
        return
      }
      words = readWords(chunk) ?? words
    }
    const error = writer.write(chunk)
    if (error) fail(failures.reported(readErrorBody({ error }) ?? describe()))
  }

  function finish(isDone: boolean): void {
    done = writer.finish(isDone)
    if (done) return
    if (words !== undefined) fail(failures.reported(describe(words)))
    else fail(failures.unfinished(writer.hasBegun))
  }

  async function read(): Promise<void> {
    const bytes = await chunks.next().catch((cause) => {
      if (signal?.aborted) throw cause
      lines.end()
      // After the end of the answer, no more than the usage is lost.
      done ||= !failure && writer.finish(false)
      if (!done) throw failure ?? failures.interrupted(cause)
      return undefined
    })
    if (bytes) return lines.add(decoder.decode(bytes, { stream: true }))
    lines.end()
    if (!done && !failure) finish(false)
  }

  /** Reads to the end, so that the connection can be reused; the answer is complete, so errors do not matter. */
  async function release(): Promise<void> {
    const laterBytes = await chunks.next().catch(() => undefined)
    if (laterBytes) chunks.cancel()
  }

  return {
    /** Returns the next parts, at least one, or undefined after the finish; throws the error of the stream. */
    async next(): Promise<LanguageModelV3StreamPart[] | undefined> {
      parts = []
      if (speaks) spoken += 1
      speaks = false
      if (spoken >= BRISK_READS && !done && !failure) await chunks.rest()
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

/** The names of events that report an error. */
const ERROR_EVENTS = ['error', 'exception']

const describe = (message = 'The upstream reported an error.') => ({ message: message.slice(0, 2000) })

/** The bytes that wait for a reader before the upstream has to. */
const MAX_WAITING = 1024 * 1024

/** Reads a body by its events: an iterator costs more for each part than everything else that is done with it. */
function readChunks(body: Readable) {
  let arrived: Uint8Array[] = []
  let bytes = 0
  let ended = false
  let failure: Error | undefined
  let wake = () => {}

  body.on('data', (chunk: Uint8Array) => {
    arrived.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_WAITING) body.pause()
    wake()
  })
  // After a cancellation, an error is the usual end, which nobody reads.
  body.on('error', (error) => {
    failure = error
    wake()
  })
  body.on('close', () => {
    ended = true
    wake()
  })
  body.on('end', () => {
    ended = true
    wake()
  })

  return {
    /** Returns everything that has arrived, at least one byte, or undefined after the end; throws the error of the body. */
    async next(): Promise<Uint8Array | undefined> {
      while (arrived.length === 0 && !ended && !failure)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      if (arrived.length > 0) {
        const joined = arrived.length === 1 ? arrived[0]! : Buffer.concat(arrived, bytes)
        arrived = []
        bytes = 0
        if (body.isPaused()) body.resume()
        return joined
      }
      if (failure) throw failure
      return undefined
    },
    /** Leaves what arrives to the socket until the next beat, unless the body ends before. */
    async rest(): Promise<void> {
      if (ended || failure) return
      body.pause()
      await new Promise<void>((resolve) => {
        wake = () => {
          if (ended || failure) resolve()
        }
        atBeat(resolve)
      })
      body.resume()
    },
    cancel: () => void body.destroy(),
  }
}
