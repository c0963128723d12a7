import type { ExtensionPoints } from '#kernel'
import { toLink } from './chain.ts'
import type { Cradle } from './manifest.ts'

const DAY_SECONDS = 86_400

/** Removes the beginning of the log. */
export type AuditPruning = ReturnType<typeof createAuditPruning>

/**
 * Creates the removal. The link of the last row that is removed is stored first: the chain begins behind it from then
 * on. Rows that a crash leaves before it are removed the next time.
 */
export function createAuditPruning({
  collections: { audit_log: rows, audit_head: heads },
  config: { keep_days },
  clock,
}: Pick<Cradle, 'collections' | 'config' | 'clock'>) {
  const prune: ExtensionPoints['retention.prunings'] = async ({ dry_run }) => {
    const kind = 'audit rows'
    if (keep_days === undefined) return { kind, keep_days: null, count: 0 }
    const ts = { $gte: clock.seconds() - keep_days * DAY_SECONDS }
    const projection = { _id: 1 } as const
    // The newest row stays in any case: the head, which new rows are chained to, may be behind it.
    const firstKept =
      (await rows.findOne({ ts }, { sort: { _id: 1 }, projection })) ??
      (await rows.findOne({}, { sort: { _id: -1 }, projection }))
    const last = firstKept && (await rows.findOne({ _id: { $lt: firstKept._id } }, { sort: { _id: -1 } }))
    if (!last) return { kind, keep_days, count: 0 }
    const removed = { _id: { $lte: last._id } }
    if (dry_run) return { kind, keep_days, count: await rows.countDocuments(removed) }
    const { seq, hash } = toLink(last)
    await heads.updateOne({ _id: 'base' }, { $set: { seq, hash } }, { upsert: true })
    const { deletedCount: count } = await rows.deleteMany(removed)
    return { kind, keep_days, count }
  }
  return prune
}
