import type { IndexDescription } from 'mongodb'

/** A row of the log without its number and hash. */
export interface AuditEntry {
  /** Unique; used to find out whether a write whose reply was lost has stored the entry. */
  entry_id: string
  /** Unix seconds. */
  ts: number
  actor: string | null
  action: string
  target: string | null
  /** JSON text, because text comes back from the database exactly as it was hashed. */
  payload: string | null
  status: number
  ip: string | null
  request_id: string | null
  /** Missing in rows of sessions and commands. */
  credential?: string
}

/** One row of the log; `_id` is its number, from 1 without gaps. */
export interface AuditDocument extends AuditEntry {
  _id: number
  /** Covers this row and the hash of the previous row. */
  hash: string
}

/**
 * The ends of the chain: `newest` is the newest row that is known to be stored, `base` the last row that was removed
 * because it was old. Their numbers only increase.
 */
export interface AuditHeadDocument {
  _id: 'newest' | 'base'
  seq: number
  hash: string
}

/** The order in which rows are read; rows of the same second are in the order of their numbers. */
export const NEWEST_FIRST = { ts: -1, _id: -1 } as const

/** The indexes that queries use, and the index that prevents storing an entry twice. */
export const auditIndexes: IndexDescription[] = [
  { key: { entry_id: 1 }, unique: true },
  { key: NEWEST_FIRST },
  { key: { actor: 1, ...NEWEST_FIRST } },
  { key: { action: 1, ...NEWEST_FIRST } },
  { key: { target: 1, ...NEWEST_FIRST } },
]

declare module '#kernel/types' {
  interface Collections {
    audit: {
      audit_log: AuditDocument
      audit_head: AuditHeadDocument
    }
  }
}
