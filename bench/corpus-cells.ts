import type { Expectation, ExpectedTable } from './corpus.ts'

/** The cells of a document that were read under their heads. */
export interface CellScore {
  expected: number
  matched: number
  /** The rows of which a cell is missing, as the reader should print them. */
  missing: string[]
}

/** A cell with the heads of its columns. */
interface Cell {
  heads: string[]
  value: string
}

/** Returns how many cells of an expected row a table of a reading has under their heads. */
type RowMatcher = (row: readonly Cell[]) => number

const tidy = (text: string) => text.normalize('NFKC').replace(/\s+/g, ' ').trim()
/** Prints a cell under its first head, or its first heads. */
const print = ({ heads, value }: Cell, count = 1) =>
  heads[0] ? `${heads.slice(0, count).join(', ')}: ${value}` : value

/**
 * Scores the cells of a text whose rows are lines as `Head: value | Head: value`. A cell that covers several columns may
 * have its first head alone, or all of them: `Head, Head: value`.
 */
export function scorePrintedCells(expected: Expectation, text: string): CellScore {
  const lines = text.split('\n').map((line) => `| ${tidy(line)} |`)
  return scoreCells(expected, (row) => {
    const counts = lines.map(
      (line) =>
        row.filter((cell) =>
          [1, cell.heads.length].some((count) => line.includes(`| ${print(cell, count)} |`)),
        ).length,
    )
    return Math.max(0, ...counts)
  })
}

/** Scores the cells of tables as grids: a value counts if its head is in the same column of a row above. */
export function scoreGridCells(expected: Expectation, grids: readonly string[][][]): CellScore {
  return scoreCells(expected, (row) => Math.max(0, ...grids.map((grid) => matchGrid(grid, row))))
}

function matchGrid(grid: readonly string[][], row: readonly Cell[]): number {
  const heads = new Map<string, Set<number>>()
  let best = 0
  for (const cells of grid) {
    const count = row.filter(({ heads: [head], value }) => {
      const name = head!.split(' › ').at(-1)!
      return cells.some((cell, x) => tidy(cell) === value && (name === '' || heads.get(name)?.has(x)))
    }).length
    best = Math.max(best, count)
    for (const [x, cell] of cells.entries()) {
      const name = tidy(cell)
      heads.set(name, (heads.get(name) ?? new Set()).add(x))
    }
  }
  return best
}

function scoreCells({ text = [] }: Expectation, match: RowMatcher): CellScore {
  const score: CellScore = { expected: 0, matched: 0, missing: [] }
  for (const part of text) {
    if (typeof part === 'string') continue
    for (const row of listRows(part)) {
      const matched = match(row)
      score.expected += row.length
      score.matched += matched
      if (matched < row.length) score.missing.push(row.map((cell) => print(cell)).join(' | '))
    }
  }
  return score
}

/** Returns the cells of each row that have a value: one that covers several rows is in each of them. */
function listRows({ heads, rows }: ExpectedTable): Cell[][] {
  const above: string[] = []
  return rows.map((row) =>
    row.flatMap((cell, x) => {
      if (cell !== '^') above[x] = cell === '<' ? '' : tidy(cell)
      let end = x + 1
      while (row[end] === '<') end += 1
      return above[x] ? [{ heads: heads.slice(x, end).map(tidy), value: above[x] }] : []
    }),
  )
}
