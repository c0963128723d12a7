import { createHash } from 'node:crypto'
import type { AuditDocument, AuditEntry } from './documents.ts'

/** The part of a row that the next row is chained to. */
export interface Link {
  seq: number
  hash: string
}

/** The link that the first row is chained to. */
export const START: Link = { seq: 0, hash: '' }

/**
 * Returns the hash of a row: SHA-256, in hexadecimal, over `JSON.stringify([previous, fields])` in UTF-8. `previous` is
 * the hash of the previous row ('' for the first row); `fields` are the `[name, value]` pairs of all stored fields of
 * the row except `hash`, sorted by name in the order of UTF-16 code units.
 */
export function hashRow(
  previous: string,
  { hash, ...row }: Omit<AuditDocument, 'hash'> & { hash?: unknown },
) {
  const fields = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([previous, fields]))
    .digest('hex')
}

/** Returns the rows of entries, numbered and hashed behind `link`. */
export function chainEntries(link: Link, entries: readonly AuditEntry[]): AuditDocument[] {
  let { seq, hash } = link
  return entries.map((entry) => {
    seq += 1
    const fields = { _id: seq, ...entry }
    hash = hashRow(hash, fields)
    return { ...fields, hash }
  })
}

/** Returns the link to a row. */
export const toLink = ({ _id, hash }: Pick<AuditDocument, '_id' | 'hash'>): Link => ({ seq: _id, hash })
