/** Creates a list of the rows or the columns of a table; a row or column that was not added is visible. */
export function createVisibility() {
  /** The ends of ranges that are all visible or all hidden, with the number of visible ones up to there. */
  const ends: { end: number; visible: number; isVisible: boolean }[] = []
  const countUntil = (position: number): number => {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]!.end < position) low = middle + 1
      else high = middle
    }
    const range = ends[low]
    const former = ends[low - 1] ?? { end: 0, visible: 0 }
    return former.visible + (!range || range.isVisible ? position - former.end : 0)
  }
  return {
    /** Adds a number of rows or columns. */
    add(count: number, isVisible: boolean): void {
      const last = ends.at(-1)
      const end = (last?.end ?? 0) + count
      const visible = (last?.visible ?? 0) + (isVisible ? count : 0)
      if (last?.isVisible === isVisible) Object.assign(last, { end, visible })
      else ends.push({ end, visible, isVisible })
    },
    /** Returns the number of rows or columns that were added. */
    count: () => ends.at(-1)?.end ?? 0,
    /** Returns the number of visible ones from `start` to before `end`. */
    countVisible: (start: number, end: number) => countUntil(end) - countUntil(start),
  }
}
