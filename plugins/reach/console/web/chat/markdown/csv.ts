/** A cell that programs for tables would run as a formula. */
const FORMULA = /^[\s]*[=+\-@＝＋－＠]/
const NUMBER = /^\s*[-+]?[\d.,' \u00a0\u202f]*\d\s?%?\s*$/

/** Writes rows as CSV, in which no cell is a formula. */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => cells.map(writeCell).join(',')).join('\r\n')

/** The mark that tells spreadsheet programs that a file is in UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

/** Makes a file of rows, which spreadsheet programs open. */
export const toCsvFile = (rows: readonly (readonly string[])[]): Blob =>
  new Blob([BYTE_ORDER_MARK, toCsv(rows)], { type: 'text/csv' })

function writeCell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
