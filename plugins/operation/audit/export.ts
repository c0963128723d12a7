import { CSV_START, toCsvLine } from '#plugin-api'
import type { AuditLog, AuditQuery } from './audit-log.ts'

/** The most rows of one file; spreadsheets open about a million. */
export const MAX_EXPORT_ROWS = 500_000
const ROWS_AT_ONCE = 500

const COLUMNS = [
  'id',
  'time',
  'actor',
  'action',
  'object',
  'target',
  'status',
  'ip',
  'credential',
  'request_id',
  'hash',
] as const

/** Yields rows as lines of CSV, the newest first, and reads the next page only when the reader has taken the last. */
export async function* toCsv(
  auditLog: Pick<AuditLog, 'page'>,
  query: Omit<AuditQuery, 'limit' | 'cursor'>,
): AsyncGenerator<string> {
  yield CSV_START + toCsvLine(COLUMNS)
  let cursor: string | null = null
  for (let count = 0; count < MAX_EXPORT_ROWS; count += ROWS_AT_ONCE) {
    const { rows, next } = await auditLog.page({ ...query, limit: ROWS_AT_ONCE, ...(cursor && { cursor }) })
    const lines = rows.map((row) => {
      const cells = { ...row, time: new Date(row.ts * 1000).toISOString() }
      return toCsvLine(COLUMNS.map((column) => cells[column]))
    })
    yield lines.join('')
    if (next === null) return
    cursor = next
  }
}
