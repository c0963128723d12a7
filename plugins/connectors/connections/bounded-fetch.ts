import { ConnectorFailure } from './failure.ts'

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** Returns the failure of an answer with more bytes than are read. */
export const toTooLarge = (maxBytes: number, options?: ErrorOptions) =>
  new ConnectorFailure(
    'too_large',
    `The server sent more than ${maxBytes / 1024 / 1024} MiB in one answer, which is the limit.`,
    options,
  )

/**
 * Returns a `fetch` whose replies end with an error after so many bytes, of which `onTooLarge` is notified, too, because
 * readers of streams may swallow it. In a stream that a server keeps open, each event may have as many.
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
    const count = isKeptOpen ? createEventCount() : createTotal()
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          if (count(chunk) <= maxBytes) return controller.enqueue(chunk)
          const failure = toTooLarge(maxBytes)
          controller.error(failure)
          onTooLarge(failure)
        },
      }),
    )
    const { status, statusText, headers, url } = response
    return Object.defineProperty(new Response(counted, { status, statusText, headers }), 'url', {
      value: url,
    })
  }

/** Returns what counts the bytes of all chunks. */
function createTotal(): (chunk: Uint8Array) => number {
  let total = 0
  return ({ byteLength }) => {
    total += byteLength
    return total
  }
}

/** Returns what counts the bytes of the longest event in a chunk; an empty line ends an event. */
function createEventCount(): (chunk: Uint8Array) => number {
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
      }
      isLineEmpty = byte === LINE_FEED
    }
    return Math.max(longest, size)
  }
}
