import { parseObject, readBody } from '#plugin-api'
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
export async function readText({ body, status }: Response): Promise<string> {
  const bytes = await readBody(body, MAX_BYTES)
  if (!bytes) throw toOutage(status)
  return bytes.toString()
}

/** Reads a reply or refusal; throws if the body is not a reply of the API. */
export async function readReply(response: Response): Promise<Reply> {
  const reply = parseObject(await readText(response))
  if (typeof reply?.code !== 'number' || response.status >= 500) throw toOutage(response.status)
  return reply as Reply
}

/** Throws a `PlatformRefusal` for an unsuccessful reply. */
export function assertSuccess(response: Response, reply: Reply, { scrub }: Scrubber): void {
  if (reply.code === 0 && response.ok) return
  const resetAfter = response.headers.get('x-ogw-ratelimit-reset')
  throw toRefusal({ status: response.status, code: reply.code, resetAfter }, scrub(String(reply.msg ?? '')))
}
