/** The place of something on a page. */
export interface Box {
  left: number
  top: number
  width: number
  height: number
}

/** A part of a page; one whose place is not known has no box. */
export interface Placed {
  box?: Box | undefined
}

/** The most parts that are put in order by their places. */
const MAX_PARTS = 500
/** The part of a box at each side that may overlap another one. */
const OVERLAP = 0.1

/** Returns the parts of a page in the order in which a person reads them, from the order of the file. */
export function toReadingOrder<Part extends Placed>(parts: readonly Part[]): Part[] {
  if (parts.length > MAX_PARTS || parts.some(({ box }) => box === undefined)) return [...parts]
  const entries = parts.map((part, index) => ({ part, index, box: part.box! }))
  return order(entries).map(({ part }) => part)
}

interface Entry<Part> {
  part: Part
  /** The number of the part in the file. */
  index: number
  box: Box
}

/** Divides parts by gaps into rows, or into columns, and orders each of those in turn. */
function order<Part>(entries: readonly Entry<Part>[]): Entry<Part>[] {
  if (entries.length < 2) return [...entries]
  const rows = divide(entries, ({ top, height }) => [top, height])
  const columns = divide(entries, ({ left, width }) => [left, width])
  if (rows.length < 2 && columns.length < 2)
    return entries.toSorted((one, other) => one.box.top - other.box.top || one.box.left - other.box.left)
  if (rows.length < 2) return columns.flatMap(order)
  const byRows = rows.flatMap(order)
  if (columns.length < 2) return byRows
  // A grid is read by rows or by columns: rather as it was made.
  const byColumns = columns.flatMap(order)
  return countSteps(byColumns) > countSteps(byRows) ? byColumns : byRows
}

/** Divides parts by the gaps between them in one direction. */
function divide<Part>(
  entries: readonly Entry<Part>[],
  extentOf: (box: Box) => [start: number, length: number],
): Entry<Part>[][] {
  const extents = entries
    .map((entry) => {
      const [start, length] = extentOf(entry.box)
      return { entry, start: start + length * OVERLAP, end: start + length * (1 - OVERLAP) }
    })
    .sort((one, other) => one.start - other.start)
  const groups: Entry<Part>[][] = []
  let end = Number.NEGATIVE_INFINITY
  for (const extent of extents) {
    if (extent.start >= end) groups.push([])
    groups.at(-1)!.push(extent.entry)
    end = Math.max(end, extent.end)
  }
  return groups
}

/** Counts the parts that follow each other in the file, too. */
const countSteps = <Part>(entries: readonly Entry<Part>[]) =>
  entries.filter(({ index }, position) => position > 0 && index === entries[position - 1]!.index + 1).length
