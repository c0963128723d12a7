import { JsonTooComplex, parseJson } from '#kernel'
import { toOutage, toRefusal } from './failure.ts'
import type { Scrubber } from './scrubber.ts'

/** A reply of the API; the result is in `data`, or beside it in older calls. */
export interface Reply {
  code: number
  msg?: string
  data?: Record<string, unknown>
  [field: string]: unknown
}

/** More than any reply except files. */
const MAX_BYTES = 4 * 1024 * 1024

/** Reads the text of a reply; throws if it exceeds the limit. */
export async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw toOutage(response.status)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Reads a reply or refusal; throws if the body is not a reply of the API. */
export async function readReply(response: Response): Promise<Reply> {
  const reply = parseRecord(await readText(response))
  if (typeof reply?.code !== 'number' || response.status >= 500) throw toOutage(response.status)
  return reply as Reply
}

/** Throws a `FeishuRefusal` for an unsuccessful reply. */
export function assertSuccess(response: Response, reply: Reply, { scrub }: Scrubber): void {
  if (reply.code === 0 && response.ok) return
  const resetAfter = response.headers.get('x-ogw-ratelimit-reset')
  throw toRefusal({ status: response.status, code: reply.code, resetAfter }, scrub(String(reply.msg ?? '')))
}

/** True for an object that is not an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses a JSON object; undefined if the text is not one, or has too many parts, as strangers may write it. */
export function parseRecord(text: unknown): Record<string, unknown> | undefined {
  if (typeof text !== 'string') return undefined
  try {
    const value = parseJson(text)
    return isRecord(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonTooComplex) return undefined
    throw error
  }
}

/** Returns a string that is not empty; undefined for other values. */
export const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Returns a number, also from a text; 0 for other values. */
export function toNumber(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : 0
}
