/** The option that every command has. */
export const JSON_OPTION = { flags: '--json', summary: 'print JSON' }

/** Characters that control a terminal or reorder its text; names that clients chose may have them. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
/** The same in JSON, whose own escapes and line breaks are no danger. */
const CONTROLS_IN_JSON = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Writes a value as one JSON document, which cannot control a terminal. */
export function printJson(stdout: NodeJS.WritableStream, value: unknown): void {
  stdout.write(`${JSON.stringify(value, null, 2).replace(CONTROLS_IN_JSON, escapeCharacter)}\n`)
}

/** Writes at least one row, with the columns aligned; the last column is not padded. Control characters are replaced. */
export function printTable(stdout: NodeJS.WritableStream, table: readonly (readonly string[])[]): void {
  const rows = table.map((row) => row.map((cell) => cell.replace(CONTROLS, '\ufffd')))
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  for (const row of rows)
    stdout.write(
      `${row.map((cell, column) => cell.padEnd(column === row.length - 1 ? 0 : widths[column]!)).join('  ')}\n`,
    )
}
