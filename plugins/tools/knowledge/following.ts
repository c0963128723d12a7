import { setTimeout as pause } from 'node:timers/promises'
import type { Locale, ServerSentEvent } from '#kernel'
import type { Reader } from './bases.ts'
import type { Cradle } from './manifest.ts'
import { toDocumentRow } from './rows.ts'
import type { BaseDocument } from './types.ts'

/** The interval at which changes of other processes are looked for, in milliseconds. */
const POLL_MS = 2000
/** The shortest interval between two looks, so that many steps of progress need few. */
const PACE_MS = 100
const BATCH = 200

/**
 * Yields the documents of a base that are not ready, then each that changes; ends when the base is not readable any
 * more.
 */
export async function* followDocuments(
  {
    base: { _id: base_id },
    caller,
    locale,
    signal,
  }: { base: BaseDocument; caller: Reader; locale: Locale; signal: AbortSignal },
  cradle: Cradle,
): AsyncGenerator<ServerSentEvent> {
  const { bases, changes, clock, documents, settings } = cradle
  const follower = changes.follow(base_id)
  const sent = new Map<string, number>()
  let since = clock.now()
  try {
    let changed = await documents.listUnready(base_id, BATCH)
    while (!signal.aborted) {
      const { active } = await settings.recent()
      for (const document of changed) {
        since = Math.max(since, document.changed_at)
        if (sent.get(document._id) === document.changed_at) continue
        sent.set(document._id, document.changed_at)
        const row = toDocumentRow(document, active.id, locale, cradle)
        yield { event: 'document.changed', data: { type: 'document.changed', document: row } }
      }
      // Only changes of the latest moment can be found once more.
      for (const [id, at] of sent) if (at < since) sent.delete(id)
      const deleted = await follower.next(changed.length === BATCH ? 0 : POLL_MS, signal)
      for (const id of deleted) yield { event: 'document.deleted', data: { type: 'document.deleted', id } }
      if (signal.aborted || (await bases.listReadable(caller, [base_id], 1)).length === 0) return
      await pause(PACE_MS)
      changed = await documents.listChanged(base_id, since, BATCH)
    }
  } finally {
    follower.leave()
  }
}
