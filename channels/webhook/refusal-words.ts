/** The most bytes of a reply that are read, and the most characters of its words that are kept. */
const MAX_BYTES = 4096
const MAX_WORDS = 200

/** Reads the words with which the other side refuses a call, in one line; empty for a page or a body that breaks off. */
export async function readRefusalWords({ body, headers }: Response): Promise<string> {
  if (!body) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      size += chunk.byteLength
      if (size >= MAX_BYTES) break
    }
  } catch {
    // The status is known, and says enough.
    return ''
  }
  if (headers.get('content-type')?.includes('html')) return ''
  const line = Buffer.concat(chunks)
    .subarray(0, MAX_BYTES)
    .toString()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  const words = [...line]
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS).join('')}…` : line
}
