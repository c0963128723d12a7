import { createHash } from 'node:crypto'
import type { KeptReply, RepeatableCall } from '../contract/extension-points.ts'
import type { Answers } from '../contract/extensions.ts'
import { isChosenReply, type Route, reply } from '../contract/route.ts'
import { watchWrites } from '../database/own-collections.ts'
import { AppError } from '../errors.ts'

/** The header of a reply that was kept from an earlier call. */
const REPLAYED = 'Idempotent-Replayed'

/** True for a route whose calls may have an `Idempotency-Key`. */
export const isRepeatable = ({ method, guard, stream, raw }: Route): boolean =>
  method === 'POST' && guard !== 'public' && !stream && !raw

/**
 * Runs the handler of a repeatable route unless the same call has been answered before. Returns the handler's result,
 * or the kept reply. Throws BAD_REQUEST for a malformed key.
 */
export async function performOnce(
  {
    key,
    account_id,
    parts,
    defaultStatus,
    hasFiles,
  }: {
    key: string
    account_id: string
    parts: readonly unknown[]
    defaultStatus: number
    /** True if the handler gets files, which it may store before it writes to the database. */
    hasFiles: boolean
  },
  point: Answers<RepeatableCall, Promise<KeptReply>>,
  handle: () => Promise<unknown>,
): Promise<{ result: unknown; isReplayed: boolean }> {
  // One plugin at most keeps replies: two would both run the handler.
  const [keep] = point.list()
  if (!keep) return { result: await handle(), isReplayed: false }
  if (!/^[\x21-\x7e]{1,128}$/.test(key))
    throw new AppError('BAD_REQUEST', { reason: 'Idempotency-Key must be 1 to 128 visible ASCII characters' })
  const fingerprint = createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
  let isReplayed = true
  const watch = watchWrites()
  const perform = async (): Promise<KeptReply> => {
    isReplayed = false
    const result = await watch.run(handle)
    if (!isChosenReply(result)) return { status: defaultStatus, headers: {}, body: result }
    const { status, headers, body } = result
    return { status, headers, body }
  }
  const { status, headers, body } = await keep({
    account_id,
    key,
    fingerprint,
    perform,
    hasWritten: () => hasFiles || watch.hasWritten(),
  })
  return {
    result: reply(status, body, { ...headers, ...(isReplayed && { [REPLAYED]: 'true' }) }),
    isReplayed,
  }
}
