import { hashOf, type Link, linkOf, START } from './chain.ts'
import type { Cradle } from './manifest.ts'

/** What is wrong with the first row that is not as it was written. */
export interface Fault {
  id: string
  fault: 'changed' | 'missing' | 'inserted' | 'cut_off'
  /** One sentence for a person. */
  message: string
}

/** What a walk through the log has found: `rows` whole ones, of which the newest has `hash`. */
export interface Verdict {
  whole: boolean
  rows: number
  hash: string | null
  broken: Fault | null
}

/** Checks the log. */
export type AuditVerification = ReturnType<typeof createAuditVerification>

/** Makes the check of the whole log; it holds one batch of rows at a time. */
export function createAuditVerification({
  collections: { audit_log: rows, audit_head: heads },
}: Pick<Cradle, 'collections'>) {
  return {
    /** Walks from the first row to the last, or to the first that does not fit. Rows may be added meanwhile. */
    async verify(): Promise<Verdict> {
      // Before the rows, so that it cannot name one that the walk does not reach.
      const head = (await heads.findOne({ _id: 'newest' })) ?? START
      let last: Link = START
      let broken: Fault | null = null
      for await (const row of rows.find().sort({ _id: 1 })) {
        broken = faultIn(row, last, head)
        if (broken) break
        last = linkOf(row)
      }
      if (!broken && last.seq < head.seq) broken = describeGap('cut_off', last.seq + 1, head.seq)
      const { seq, hash } = last
      return { whole: broken === null, rows: seq, hash: seq === 0 ? null : hash, broken }
    },
  }
}

type Row = Parameters<typeof hashOf>[1] & { hash: string }

function faultIn(row: Row, last: Link, head: Link): Fault | null {
  const id = String(row._id)
  const place = last.seq + 1
  if (!Number.isSafeInteger(row._id) || row._id < place)
    return { id, fault: 'inserted', message: `row ${id} was inserted` }
  if (row._id > place) return describeGap('missing', place, row._id - 1)
  if (hashOf(last.hash, row) !== row.hash)
    return place > head.seq
      ? { id, fault: 'inserted', message: `row ${id} was inserted, or changed` }
      : { id, fault: 'changed', message: `row ${id} was changed${orBefore(last)}` }
  if (place === head.seq && row.hash !== head.hash)
    return { id, fault: 'changed', message: `row ${id} was changed and given a new hash` }
  return null
}

/** A row that was changed and hashed anew shows by the next one only, which then does not follow from it. */
const orBefore = ({ seq }: Link) => (seq === 0 ? '' : `, or row ${seq} was and has a new hash`)

function describeGap(fault: 'missing' | 'cut_off', first: number, last: number): Fault {
  const what = first === last ? `row ${first} is missing` : `rows ${first} to ${last} are missing`
  return { id: String(first), fault, message: fault === 'cut_off' ? `${what} at the end of the log` : what }
}
