/** A range of a document's text on one page and below the same headings. */
export interface Place {
  start: number
  end: number
  page?: number
  heading?: string
}

const haveSamePlace = (one: Place, other: Place): boolean =>
  one.page === other.page && one.heading === other.heading

/** Joins neighbouring ranges on the same page and below the same headings; the ranges may overlap. */
export function joinPlaces(ranges: Iterable<Place>): Place[] {
  const places: Place[] = []
  for (const { start, end, page, heading } of ranges) {
    const range: Place = { start, end, ...(page !== undefined && { page }), ...(heading && { heading }) }
    const last = places.at(-1)
    if (last && haveSamePlace(last, range)) last.end = Math.max(last.end, end)
    else if (!last || start >= last.end) places.push(range)
    else if (end > last.end) places.push({ ...range, start: last.end })
  }
  return places
}

/** Joins places as `joinPlaces` does, and headings without a text of their own with the text below them. */
export function joinWithHeadings(ranges: readonly (Place & { kind: string })[]): Place[] {
  const headings: (Place & { kind: string })[] = []
  const joined: Place[] = []
  for (const range of ranges) {
    const isBelow = ({ page, heading = '' }: Place) =>
      page === range.page && (range.heading ?? '').startsWith(heading)
    if (!headings.every(isBelow)) joined.push(...headings.splice(0))
    if (range.kind === 'heading') {
      headings.push(range)
      continue
    }
    joined.push({ ...range, start: headings.splice(0)[0]?.start ?? range.start })
  }
  return joinPlaces([...joined, ...headings])
}

/** Names a place for people and models: its page, and the headings above it. */
export const nameOfPlace = ({ page, heading }: Omit<Place, 'start' | 'end'>): string =>
  [...(page ? [`p. ${page}`] : []), ...(heading ? [heading] : [])].join(', ')
