import { setImmediate as pause } from 'node:timers/promises'
import { createJsonMeter, JsonTooComplex } from '#plugin-api'
import { ConnectorFailure } from './failure.ts'

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
/** The bytes after which the server does other work, as each may be an event to look at. */
const SLICE_BYTES = 16 * 1024

/** Returns the failure of an answer with more bytes than are read. */
export const toTooLarge = (maxBytes: number, options?: ErrorOptions) =>
  new ConnectorFailure(
    'too_large',
    `The server sent more than ${maxBytes / 1024 / 1024} MiB in one answer, which is the limit.`,
    options,
  )

/** Returns the failure of an answer that would take too long to parse. */
export const toTooComplex = (cause: JsonTooComplex) =>
  new ConnectorFailure('too_large', `The server sent an answer that is not read: ${cause.message}.`, {
    cause,
  })

/**
 * Returns a `fetch` whose replies end with an error after so many bytes, or JSON of so many levels or values.
 * `onTooLarge` receives the failure too, because readers of streams may swallow it. In a stream that a server keeps
 * open, each event may have as many.
 */
export const boundedFetch =
  (
    fetch: typeof globalThis.fetch,
    maxBytes: number,
    onTooLarge: (failure: ConnectorFailure) => void = () => undefined,
  ): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body) return response
    const isEvents = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
    const isKeptOpen = isEvents && (init?.method ?? 'GET') === 'GET'
    const meter = createJsonMeter()
    const count = isKeptOpen ? createEventCount(meter.reset) : createTotal()
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        async transform(chunk, controller) {
          try {
            for (let start = 0; start < chunk.length; start += SLICE_BYTES) {
              const slice = chunk.subarray(start, start + SLICE_BYTES)
              if (count(slice) > maxBytes) throw toTooLarge(maxBytes)
              meter.add(slice)
              controller.enqueue(slice)
              await pause()
            }
          } catch (error) {
            const failure =
              error instanceof JsonTooComplex ? toTooComplex(error) : (error as ConnectorFailure)
            controller.error(failure)
            onTooLarge(failure)
          }
        },
      }),
    )
    return replaceBody(response, counted)
  }

/**
 * Returns a response with another body; relative addresses in its headers keep the address of the first one as their
 * base.
 */
export function replaceBody(
  { status, statusText, headers, url }: Response,
  body: ConstructorParameters<typeof Response>[0],
  changed: ResponseInit = {},
): Response {
  const response = new Response(body, { status, statusText, headers, ...changed })
  return Object.defineProperty(response, 'url', { value: url })
}

/** Returns a function that counts the bytes of all chunks. */
function createTotal(): (chunk: Uint8Array) => number {
  let total = 0
  return ({ byteLength }) => {
    total += byteLength
    return total
  }
}

/** Returns a function that counts the bytes of the longest event in a chunk; an empty line ends an event. */
function createEventCount(onEnd: () => void): (chunk: Uint8Array) => number {
  let size = 0
  let isLineEmpty = true
  return (chunk) => {
    let longest = 0
    for (const byte of chunk) {
      size += 1
      if (byte === CARRIAGE_RETURN) continue
      if (byte === LINE_FEED && isLineEmpty) {
        longest = Math.max(longest, size)
        size = 0
        onEnd()
      }
      isLineEmpty = byte === LINE_FEED
    }
    return Math.max(longest, size)
  }
}
