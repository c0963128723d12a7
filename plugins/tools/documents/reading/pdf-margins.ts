import type { Piece } from './pdf-lines.ts'

/** The text of a page by its direction; the first has most of it. */
export interface PageText {
  layers: Piece[][]
  /** The height of the first direction's page. */
  height: number
}

/** The lines from each edge of a page that may be its head or foot. */
const MARGIN_LINES = 3
/** The part of a page's height from each edge in which heads and feet are. */
const MARGIN = 0.15
/** The pages on which a line is repeated before it is a head or foot. */
const MIN_PAGES = 3
/** The letters of a text that says the number of a page, e.g. "Seite 3 von 7". */
const MAX_NUMBER_LETTERS = 12
/** The part of a page's height from each edge in which a number alone is that of the page. */
const EDGE = 0.12
/** The same for the number that a page has if the first one is 1. */
const OWN_EDGE = 0.25
const PAGE_NUMBER = /^[-–—\s]*\d{1,4}(\s?[/／]\s?\d{1,4})?[-–—\s]*$/
/** The distance of lines at the same height, in points. */
const SAME_HEIGHT = 4

/** Removes the heads and feet that are repeated on the pages, but for the first of each that has words. */
export function removeHeadsAndFeet(pages: readonly PageText[]): void {
  const places = new Map<string, { page: number; piece: Piece }[]>()
  for (const [page, { layers, height }] of pages.entries())
    for (const piece of listMargins(layers[0] ?? [], height)) {
      const key = `${toPattern(piece.text)}@${Math.round(piece.y / SAME_HEIGHT)}`
      const list = places.get(key)
      if (list) list.push({ page, piece })
      else places.set(key, [{ page, piece }])
    }
  const needed = Math.min(MIN_PAGES, Math.max(2, pages.length))
  const removed = new Set<Piece>()
  for (const repeated of places.values()) {
    if (new Set(repeated.map(({ page }) => page)).size < needed) continue
    const texts = new Set(repeated.map(({ piece }) => piece.text))
    const letters = repeated[0]!.piece.text.match(/\p{L}/gu)?.length ?? 0
    const isNumber = letters === 0 || (texts.size > 1 && letters <= MAX_NUMBER_LETTERS)
    for (const { piece } of isNumber ? repeated : repeated.slice(1)) removed.add(piece)
  }
  for (const [page, { layers, height }] of pages.entries()) {
    const pieces = (layers[0] ?? []).filter((piece) => !removed.has(piece))
    if (isPageNumber(pieces.at(-1), pieces.at(-2), height, page + 1)) pieces.pop()
    if (isPageNumber(pieces[0], pieces[1], height, page + 1)) pieces.shift()
    layers[0] = pieces
  }
}

/** Tells if the first or last piece of a page is a number alone at its edge. */
function isPageNumber(
  piece: Piece | undefined,
  next: Piece | undefined,
  height: number,
  page: number,
): boolean {
  if (!piece || !next || !PAGE_NUMBER.test(piece.text)) return false
  const edge = height * (piece.text === String(page) ? OWN_EDGE : EDGE)
  return (piece.y < edge || piece.y > height - edge) && Math.abs(next.y - piece.y) > piece.size * 1.5
}

/** Returns the pieces of the first and last lines of a page that are near its edges. */
function listMargins(pieces: readonly Piece[], height: number): Piece[] {
  const ys = [...new Set(pieces.map(({ y }) => Math.round(y)))].sort((a, b) => a - b)
  const upper = ys[Math.min(MARGIN_LINES, ys.length) - 1] ?? 0
  const lower = ys[Math.max(0, ys.length - MARGIN_LINES)] ?? 0
  return pieces.filter(
    ({ y }) =>
      (y < height * MARGIN && Math.round(y) <= upper) ||
      (y > height * (1 - MARGIN) && Math.round(y) >= lower),
  )
}

/** Returns a text as it is on each page: numbers are not told apart. */
const toPattern = (text: string) => text.replace(/\d+|\b[ivxlc]+\b/gi, '#').replace(/\s+/g, ' ')
