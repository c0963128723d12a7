/** A cell that programs for tables would run as a formula. */
const FORMULA = /^[\s]*[=+\-@＝＋－＠]/
const NUMBER = /^\s*[-+]?[\d.,' \u00a0\u202f]*\d\s?%?\s*$/

/** Writes rows as CSV, in which no cell is a formula. */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => cells.map(writeCell).join(',')).join('\r\n')

function writeCell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
