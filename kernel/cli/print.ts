/** The option that every command has. */
export const JSON_OPTION = { flags: '--json', summary: 'print JSON' }

/** Writes a value as one JSON document. */
export function printJson(stdout: NodeJS.WritableStream, value: unknown): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

/** Writes at least one row, with the columns aligned; the last column is not padded. */
export function printTable(stdout: NodeJS.WritableStream, rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  for (const row of rows)
    stdout.write(
      `${row.map((cell, column) => cell.padEnd(column === row.length - 1 ? 0 : widths[column]!)).join('  ')}\n`,
    )
}
