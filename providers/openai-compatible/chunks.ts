import type { Readable } from 'node:stream'

/** The bytes that wait for a reader before the upstream has to. */
const MAX_WAITING = 1024 * 1024

/** Reads a body by its events: an iterator costs more for each part than everything else that is done with it. */
export function readChunks(body: Readable) {
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
    cancel: () => void body.destroy(),
  }
}
