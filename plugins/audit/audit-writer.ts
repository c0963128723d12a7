import { setTimeout as pause } from 'node:timers/promises'
import { type AuditRecord, createGroupCommit, isDuplicateKey } from '#kernel'
import { chain, type Link, linkOf, START } from './chain.ts'
import type { AuditEntry } from './documents.ts'
import { createEntry } from './entry.ts'
import type { Cradle } from './manifest.ts'

/** Writes the log. */
export interface AuditWriter {
  /** Resolves when the record's row is durable; rejects with the database's error after about 5 s without it. */
  append(record: AuditRecord): Promise<void>
}

/** For how long a batch is tried again. */
const PATIENCE_MS = 5000
/** How often at least where only another process was first: one try may take as long, on a disk that stands still. */
const LEAST_TRIES = 5
const RETRY_MS = 50
/** The rows before it are in the journal already, and a head that lags behind is allowed. */
const NOT_AWAITED = { writeConcern: { w: 1, journal: false } }

interface Waiting {
  entry: AuditEntry
  resolve(): void
  reject(error: unknown): void
}

/**
 * Makes the writer: one a process chains what has come in and stores it together. Of several processes the one
 * whose row takes a place first has it; the others chain anew behind it.
 */
export function createAuditWriter({
  collections: { audit_log: rows, audit_head: heads },
  ids,
  log,
}: Pick<Cradle, 'collections' | 'ids' | 'log'>): AuditWriter {
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
        if (performance.now() > deadline && !(isConflict && tries < LEAST_TRIES)) {
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

  /** Makes the attempt at a batch; one that fails has stored none, some or all of it, and is to be called again. */
  const createStore = (entries: AuditEntry[]) => {
    let missing = entries
    let isUnclear = false
    return async () => {
      if (isUnclear) {
        missing = await findMissing(missing)
        last = undefined
      }
      const link = last ?? (await readEnd())
      if (missing.length === 0) {
        // This write is awaited, and with it all before it, so that what was found is durable as well.
        await raiseHead(link)
        return
      }
      isUnclear = true
      const chained = chain(link, missing)
      await rows.insertMany(chained)
      isUnclear = false
      missing = []
      last = linkOf(chained.at(-1)!)
      await raiseHead(last, NOT_AWAITED)
    }
  }

  const findMissing = async (entries: AuditEntry[]): Promise<AuditEntry[]> => {
    const entry_id = { $in: entries.map((entry) => entry.entry_id) }
    const found = await rows.find({ entry_id }, { projection: { entry_id: 1 } }).toArray()
    const stored = new Set(found.map((row) => row.entry_id))
    return entries.filter((entry) => !stored.has(entry.entry_id))
  }

  /** The row to chain to. Where the end of the log was cut off, the head keeps its places from being taken again. */
  const readEnd = async (): Promise<Link> => {
    const head = (await heads.findOne({ _id: 'newest' })) ?? START
    const newest = await rows.findOne(
      { _id: { $gt: head.seq } },
      { sort: { _id: -1 }, projection: { hash: 1 } },
    )
    // Rounded, so that a row that somebody put between two others does not make the numbers go on as fractions.
    return newest ? { seq: Math.floor(newest._id), hash: newest.hash } : head
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
    append: (record) =>
      new Promise((resolve, reject) => {
        commits.add({ entry: createEntry(record, ids.make()), resolve, reject })
      }),
  }
}
