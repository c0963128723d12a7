/** The longest answer that is read, in bytes. */
const MAX_BYTES = 1024 * 1024

/** The whole body of an answer; null where it is longer than a megabyte, whose rest is not read. */
export async function readBody({ body }: Response): Promise<Buffer<ArrayBuffer> | null> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body ?? []) {
    length += piece.byteLength
    // Leaving the loop cancels the rest.
    if (length > MAX_BYTES) return null
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
