import { setTimeout as pause } from 'node:timers/promises'
import type { MongoBulkWriteError } from 'mongodb'
import { type AuditRecord, createGroupCommit, type ExtensionPoints, isDuplicateKey } from '#plugin-api'
import { chainEntries, type Link, START, toLink } from './chain.ts'
import type { AuditEntry } from './documents.ts'
import { createEntry } from './entry.ts'
import type { Cradle } from './manifest.ts'

/** Writes the log. */
export type AuditWriter = ReturnType<typeof createAuditWriter>

/** The time for which a batch is retried. */
const PATIENCE_MS = 5000
/** The minimum of tries while other processes win the race: on a busy machine, one try may use up all the time. */
const MIN_TRIES = 50
const RETRY_MS = 50
/** For writes of the head: its rows are in the journal already, and the head may lag behind them. */
const NOT_JOURNALED = { writeConcern: { w: 1, journal: false } }

interface Waiting {
  entry: AuditEntry
  resolve(): void
  reject(error: unknown): void
}

/**
 * Creates the writer. Each process has one, which chains the waiting entries and stores them as one batch. If several
 * processes write the same row number, the first one wins; the others chain their entries again behind its row.
 */
export function createAuditWriter({
  collections: { audit_log: rows, audit_head: heads },
  ids,
  log,
}: Pick<Cradle, 'collections' | 'ids' | 'log'>) {
  /** The newest row that this process stored. */
  let last: Link | undefined

  const commits = createGroupCommit<Waiting>(async (batch) => {
    const deadline = performance.now() + PATIENCE_MS
    const store = createStore(batch.map(({ entry }) => entry))
    for (let tries = 1; ; tries += 1) {
      try {
        await store()
        for (const { resolve } of batch) resolve()
        return
      } catch (error) {
        const isConflict = isDuplicateKey(error)
        if (performance.now() > deadline && !(isConflict && tries < MIN_TRIES)) {
          for (const { entry, reject } of batch) {
            const { payload, ...row } = entry
            const content = payload === null ? null : JSON.parse(payload)
            log.error(
              { error, row: { ...row, payload: content } },
              'a row of the audit log could not be stored',
            )
            reject(error)
          }
          return
        }
        if (!isConflict) await pause(RETRY_MS)
      }
    }
  })

  /** Creates the function that stores a batch. If it fails, any part may be stored: call it again to store the rest. */
  const createStore = (entries: AuditEntry[]) => {
    let missing = entries
    /** True if a write may have taken effect, now or later, without an answer. */
    let isUnclear = false
    return async () => {
      if (isUnclear) missing = await findMissing(missing)
      const link = last ?? (await readEnd())
      if (missing.length === 0) {
        // This write waits for the journal, so that the rows found before it are durable as well.
        await raiseHead(link)
        return
      }
      const chained = chainEntries(link, missing)
      last = undefined
      try {
        await rows.insertMany(chained)
      } catch (error) {
        if (isDuplicateKey(error)) missing = missing.slice((error as MongoBulkWriteError).insertedCount)
        else isUnclear = true
        throw error
      }
      missing = []
      last = toLink(chained.at(-1)!)
      await raiseHead(last, NOT_JOURNALED)
    }
  }

  const findMissing = async (entries: AuditEntry[]): Promise<AuditEntry[]> => {
    const entry_id = { $in: entries.map((entry) => entry.entry_id) }
    const storedRows = await rows.find({ entry_id }, { projection: { entry_id: 1 } }).toArray()
    const storedIds = new Set(storedRows.map((row) => row.entry_id))
    return entries.filter((entry) => !storedIds.has(entry.entry_id))
  }

  /** Reads the row to chain to. If the end of the log was removed, the head prevents that its numbers are reused. */
  const readEnd = async (): Promise<Link> => {
    const [head, newest] = await Promise.all([
      heads.findOne({ _id: 'newest' }),
      rows.findOne({ _id: { $gt: START.seq } }, { sort: { _id: -1 }, projection: { hash: 1 } }),
    ])
    const end = head ?? START
    // Rounded down, because somebody may have inserted a row with a fractional number.
    return newest && newest._id > end.seq ? { seq: Math.floor(newest._id), hash: newest.hash } : end
  }

  const raiseHead = async ({ seq, hash }: Link, options = {}) => {
    const isHigher = { $gt: [seq, { $ifNull: ['$seq', 0] }] }
    await heads.updateOne(
      { _id: 'newest' },
      [{ $set: { hash: { $cond: [isHigher, hash, '$hash'] }, seq: { $max: ['$seq', seq] } } }],
      { ...options, upsert: true },
    )
  }

  return {
    /** Resolves when the row of the record is durable; rejects with the database's error after about 5 s of retries. */
    append: (record: AuditRecord): Promise<void> =>
      new Promise((resolve, reject) => {
        commits.add({ entry: createEntry(record, ids.make()), resolve, reject })
      }),
  }
}

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
