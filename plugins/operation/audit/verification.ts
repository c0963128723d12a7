import { setImmediate } from 'node:timers/promises'
import { hashRow, type Link, START, toLink } from './chain.ts'
import type { Cradle } from './manifest.ts'

/** The first row that differs from its original, and the kind of the difference. */
interface Fault {
  id: string
  fault: 'changed' | 'missing' | 'inserted' | 'cut_off'
  /** Describes the fault to a person. */
  message: string
}

/**
 * The result of a check: `rows` intact rows, the newest of which has `hash`; `removed` rows before them were removed
 * because they were old, or by somebody who made it look so.
 */
export interface Verdict {
  whole: boolean
  rows: number
  removed: number
  hash: string | null
  broken: Fault | null
}

const ROWS_PER_STEP = 1000

interface VerificationOptions {
  signal?: AbortSignal
}

/** Verifies the log. */
export type AuditVerification = ReturnType<typeof createAuditVerification>

/** Creates the check of the whole log, which holds one batch of rows in memory at a time. */
export function createAuditVerification({
  collections: { audit_log: rows, audit_head: heads },
}: Pick<Cradle, 'collections'>) {
  /** Verifies the log and yields the number of rows that were found intact from time to time. */
  async function* steps({ signal }: VerificationOptions = {}): AsyncGenerator<number, Verdict> {
    // Read before the rows, so that it cannot name a row that was added after the check.
    const head = (await heads.findOne({ _id: 'newest' })) ?? START
    const base = (await heads.findOne({ _id: 'base' })) ?? START
    let last: Link = { seq: base.seq, hash: base.hash }
    let broken: Fault | null = null
    for await (const row of rows.find().sort({ _id: 1 })) {
      // A removal of old rows that was interrupted is completed the next time.
      if (Number.isSafeInteger(row._id) && row._id > 0 && row._id <= base.seq) continue
      broken = findFault(row, last, head)
      if (broken) break
      last = toLink(row)
      if ((last.seq - base.seq) % ROWS_PER_STEP > 0) continue
      yield last.seq - base.seq
      // Other work gets its turn between two steps, however fast the rows come.
      await setImmediate()
      signal?.throwIfAborted()
    }
    if (!broken && last.seq < head.seq) broken = describeGap('cut_off', last.seq + 1, head.seq)
    const { seq, hash } = last
    return {
      whole: broken === null,
      rows: seq - base.seq,
      removed: base.seq,
      hash: seq === 0 ? null : hash,
      broken,
    }
  }

  return {
    steps,
    /** Reads the log from its first row to the first faulty one or the end. Rows may be added meanwhile. */
    async verify(): Promise<Verdict> {
      const running = steps()
      for (;;) {
        const step = await running.next()
        if (step.done) return step.value
      }
    },
  }
}

type Row = Parameters<typeof hashRow>[1] & { hash: string }

function findFault(row: Row, last: Link, head: Link): Fault | null {
  const id = String(row._id)
  const expectedSeq = last.seq + 1
  if (!Number.isSafeInteger(row._id) || row._id < expectedSeq)
    return { id, fault: 'inserted', message: `row ${id} was inserted` }
  if (row._id > expectedSeq) return describeGap('missing', expectedSeq, row._id - 1)
  if (hashRow(last.hash, row) !== row.hash)
    return expectedSeq > head.seq
      ? { id, fault: 'inserted', message: `row ${id} was inserted, or changed` }
      : { id, fault: 'changed', message: `row ${id} was changed${blamePrevious(last)}` }
  if (expectedSeq === head.seq && row.hash !== head.hash)
    return { id, fault: 'changed', message: `row ${id} was changed and given a new hash` }
  return null
}

/** Names the previous row too: if it was changed and hashed again, only the next row no longer matches. */
const blamePrevious = ({ seq }: Link) => (seq === 0 ? '' : `, or row ${seq} was and has a new hash`)

function describeGap(fault: 'missing' | 'cut_off', first: number, last: number): Fault {
  const what = first === last ? `row ${first} is missing` : `rows ${first} to ${last} are missing`
  return { id: String(first), fault, message: fault === 'cut_off' ? `${what} at the end of the log` : what }
}
