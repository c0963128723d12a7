/** Spreadsheets run a cell that begins like a formula; a quote before it keeps it a text. */
const FORMULA_START = /^[=+\-@\t\r]/

/** Begins a file of CSV: without this mark, Excel takes UTF-8 for the code page of the computer. */
export const CSV_START = '\u{feff}'

/** Writes a line of CSV for spreadsheets, as RFC 4180 says; null is an empty cell. */
export const toCsvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(toCell).join(',')}\r\n`

function toCell(value: string | number | null): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  const harmless = FORMULA_START.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
