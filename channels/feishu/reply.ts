import { outageOf, refusalOf } from './failure.ts'
import type { Scrubber } from './scrubber.ts'

/** A reply of the API; what it gives lies in `data`, or beside it with the older calls. */
export interface Reply {
  code: number
  msg?: string
  data?: Record<string, unknown>
  [field: string]: unknown
}

/** More than any reply that is not a file. */
const MAX_BYTES = 4 * 1024 * 1024

/** The text of a reply; throws where it is longer than any should be. */
export async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw outageOf(response.status)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Reads what the platform says, be it a refusal or not; throws where it is no reply of the API. */
export async function readReply(response: Response): Promise<Reply> {
  const reply = parseRecord(await readText(response))
  if (typeof reply?.code !== 'number' || response.status >= 500) throw outageOf(response.status)
  return reply as Reply
}

/** Throws what a reply that is no success comes to. */
export function assertSuccess(response: Response, reply: Reply, { scrub }: Scrubber): void {
  if (reply.code === 0 && response.ok) return
  const resetAfter = response.headers.get('x-ogw-ratelimit-reset')
  throw refusalOf({ status: response.status, code: reply.code, resetAfter }, scrub(String(reply.msg ?? '')))
}

/** A value that is an object, and no array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object that a JSON text is, if it is one. */
export function parseRecord(text: unknown): Record<string, unknown> | undefined {
  if (typeof text !== 'string') return undefined
  try {
    const value = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    // What is no JSON is no object either: the caller says what that means.
    return undefined
  }
}

/** A text that is not empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
