import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

/** The size of the vectors of the model. */
const DIMENSIONS = 384
/** The bytes of the digest of a text, the key of its vector. */
const DIGEST_BYTES = 12
const RECORD_BYTES = DIGEST_BYTES + DIMENSIONS

const digestOf = (text: string) =>
  createHash('sha256').update(text).digest().subarray(0, DIGEST_BYTES).toString('base64')

/** Vectors that a real model has made once, by their texts. */
export interface StoredVectors {
  /** The base URL of an upstream that serves them. */
  url: string
  /** Returns the vector of a text; texts without one are noted, and get a vector that means nothing. */
  get(text: string): number[]
  /** The number of texts without a vector. */
  missing(): number
  close(): void
}

/**
 * Reads vectors and serves them as an embedding model does. Texts without one are appended to the file `wanted`, one JSON
 * string a line, if it is given.
 */
export async function serveStoredVectors(file: string, wanted?: string): Promise<StoredVectors> {
  const bytes = gunzipSync(readFileSync(file))
  const places = new Map<string, number>()
  for (let at = 0; at < bytes.length; at += RECORD_BYTES)
    places.set(bytes.toString('base64', at, at + DIGEST_BYTES), at + DIGEST_BYTES)
  const unknown = new Set<string>()
  const get = (text: string): number[] => {
    const at = places.get(digestOf(text))
    if (at !== undefined) return [...new Int8Array(bytes.buffer, bytes.byteOffset + at, DIMENSIONS)]
    if (!unknown.has(text) && wanted) appendFileSync(wanted, `${JSON.stringify(text)}\n`)
    unknown.add(text)
    return Array.from({ length: DIMENSIONS }, (_, n) => (n === 0 ? 1 : 0))
  }
  const http = createServer(async (request, response) => {
    const { input, model } = (await json(request)) as { input: string | string[]; model: string }
    const data = [input].flat().map((text, index) => ({ object: 'embedding', index, embedding: get(text) }))
    response.writeHead(200, { 'content-type': 'application/json' })
    const usage = { prompt_tokens: 1, total_tokens: 1 }
    response.end(JSON.stringify({ object: 'list', model, data, usage }))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    get,
    missing: () => unknown.size,
    close() {
      http.close()
      http.closeAllConnections()
    },
  }
}
