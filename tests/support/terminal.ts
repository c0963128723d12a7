const ESCAPE = String.fromCharCode(27)
/** Moves upwards, other sequences, and characters. */
const PARTS = new RegExp(`${ESCAPE}\\[(\\d+)A|${ESCAPE}\\[([\\d;?]*[A-Za-z])|[^${ESCAPE}]`, 'gu')

/** Returns the rows that a terminal of this size shows after it received a text; styles are left out. */
export function showOnTerminal(text: string, { columns = 100 } = {}): string[] {
  const rows: string[][] = [[]]
  let row = 0
  let column = 0
  const moveTo = (line: number) => {
    row = Math.max(0, line)
    while (rows.length <= row) rows.push([])
  }
  for (const [part, up, sequence] of text.matchAll(PARTS)) {
    if (up !== undefined) moveTo(row - Number(up))
    else if (sequence === 'J') rows.splice(row, rows.length, rows[row]!.slice(0, column))
    else if (sequence !== undefined) continue
    else if (part === '\r') column = 0
    else if (part === '\n') {
      moveTo(row + 1)
      column = 0
    } else {
      const isWide = /[\p{Script=Han}\u3000-\u303f\uff01-\uff60]|\p{Emoji_Presentation}/u.test(part)
      if (column + (isWide ? 2 : 1) > columns) {
        moveTo(row + 1)
        column = 0
      }
      rows[row]![column] = part
      if (isWide) rows[row]![column + 1] = ''
      column += isWide ? 2 : 1
    }
  }
  return rows.map((cells) =>
    Array.from(cells, (cell) => cell ?? ' ')
      .join('')
      .trimEnd(),
  )
}
