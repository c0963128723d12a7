import type { IndexDescription } from 'mongodb'

/** What is known of a call or a command before its row has a place in the log. */
export interface AuditEntry {
  /** Unique to the entry: tells whether a write whose answer was lost has stored it. */
  entry_id: string
  /** Unix seconds. */
  ts: number
  actor: string | null
  action: string
  target: string | null
  /** JSON text, as that comes back from the database exactly as it was hashed. */
  payload: string | null
  status: number
  ip: string | null
  request_id: string | null
}

/** One row of the log; `_id` is its place, from 1 without gaps. */
export interface AuditDocument extends AuditEntry {
  _id: number
  /** Of this row and the hash of the row before. */
  hash: string
}

/** The newest row that is known to be stored; there is one, `newest`, and it only rises. */
export interface AuditHeadDocument {
  _id: 'newest'
  seq: number
  hash: string
}

/** Rows are read newest first, those of one second by their place in the log. */
export const NEWEST_FIRST = { ts: -1, _id: -1 } as const

/** The indexes by which rows are read, and the one that keeps an entry from being stored twice. */
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
