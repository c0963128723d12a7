import { createHash } from 'node:crypto'
import type { AuditDocument, AuditEntry } from './documents.ts'

/** A row that others are chained to. */
export interface Link {
  seq: number
  hash: string
}

/** What the first row is chained to. */
export const START: Link = { seq: 0, hash: '' }

/**
 * The hash of a row: SHA-256, in hexadecimal, over `JSON.stringify([previous, fields])` in UTF-8, where `previous` is
 * the hash of the row before ('' before the first) and `fields` the `[name, value]` pairs of everything that the
 * database holds of the row but its hash, in order of their names by code units.
 */
export function hashOf(previous: string, { hash, ...row }: Omit<AuditDocument, 'hash'> & { hash?: unknown }) {
  const fields = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([previous, fields]))
    .digest('hex')
}

/** Gives entries their places and hashes behind `link`. */
export function chain(link: Link, entries: readonly AuditEntry[]): AuditDocument[] {
  let { seq, hash } = link
  return entries.map((entry) => {
    seq += 1
    const fields = { _id: seq, ...entry }
    hash = hashOf(hash, fields)
    return { ...fields, hash }
  })
}

/** The row as one that others are chained to. */
export const linkOf = ({ _id, hash }: Pick<AuditDocument, '_id' | 'hash'>): Link => ({ seq: _id, hash })
