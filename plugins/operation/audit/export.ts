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
  yield `\u{feff}${COLUMNS.join(',')}\r\n`
  let cursor: string | null = null
  for (let count = 0; count < MAX_EXPORT_ROWS; count += ROWS_AT_ONCE) {
    const { rows, next } = await auditLog.page({ ...query, limit: ROWS_AT_ONCE, ...(cursor && { cursor }) })
    const lines = rows.map((row) => {
      const cells = { ...row, time: new Date(row.ts * 1000).toISOString() }
      return `${COLUMNS.map((column) => toCell(cells[column])).join(',')}\r\n`
    })
    yield lines.join('')
    if (next === null) return
    cursor = next
  }
}

/** Spreadsheets run a cell that begins like a formula; a quote before it keeps it a text. */
const FORMULA_START = /^[=+\-@\t\r]/

function toCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const harmless = FORMULA_START.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
