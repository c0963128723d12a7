import { ConnectorFailure } from './failure.ts'

/** Returns a `fetch` whose replies end with an error after so many bytes; streams that a server keeps open are not counted. */
export const boundedFetch =
  (fetch: typeof globalThis.fetch, maxBytes: number): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body || (init?.method ?? 'GET') === 'GET') return response
    let left = maxBytes
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          left -= chunk.byteLength
          if (left >= 0) return controller.enqueue(chunk)
          controller.error(
            new ConnectorFailure('too_large', `The server sent more than ${maxBytes} bytes in one reply.`),
          )
        },
      }),
    )
    const { status, statusText, headers, url } = response
    return Object.defineProperty(new Response(counted, { status, statusText, headers }), 'url', {
      value: url,
    })
  }
