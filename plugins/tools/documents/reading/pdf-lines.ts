import type { Glyph } from './pdf-glyphs.ts'
import { RIGHT_TO_LEFT, toLogicalText } from './pdf-right-to-left.ts'

/** A piece of a line: text without wide gaps. `y` is its baseline, and grows downwards. */
export interface Piece {
  text: string
  x0: number
  x1: number
  y: number
  size: number
  isBold: boolean
  /** Its widest gap: the number of characters up to it, and the places between which it is. */
  gap?: { at: number; x0: number; x1: number }
}

/** Lengths relative to the size of type. */
const SAME_LINE = 0.36
const SAME_RUN = 0.12
/** Gaps from which on two pieces are not one. */
const PIECE_GAP = 0.45
/** The widest gap that may be one between words if a line has several. */
const WIDEST_WORD_GAP = 0.8
/** The widest gap between words that are spread over a line. */
const JUSTIFIED_GAP = 1.7
/** Gaps from which on there is a space between two letters. */
const WORD_GAP = 0.17
/** The gap of two ideographs from which on a space separates them. */
const WIDE_GAP = 0.7
/** The same for an ideograph and a letter, which programs keep apart without a space. */
const MIXED_GAP = 0.35
/** A space that takes less than this is none. */
const NO_GAP = 0.04
/** The distance of a character that is drawn twice, and of a text, for shadows. */
const SAME_GLYPH = 0.14
const SAME_TEXT = 0.4
/** Type that is smaller by this factor may be raised or lowered. */
const RAISED_SIZE = 0.86

/** The greatest distance of raised type to its baseline, in points. */
const MAX_RAISE = 40
/** The most rows or lines near another one that are compared with it. */
const MAX_NEAR = 200

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f\uff01-\uff60]/u
const MARK = /^\p{M}/u

/** Characters that follow each other on a line. */
interface Run {
  glyphs: Glyph[]
  x0: number
  x1: number
  y: number
  size: number
}

/** Joins the characters of a page to pieces of lines, from the upper to the lower ones. */
export function toPieces(glyphs: readonly Glyph[]): Piece[] {
  const groups = joinRows(toRuns(removeDoubles(glyphs))).flatMap(splitRow)
  const pieces = attachRaised(groups).map(toPiece)
  return removeDoubledPieces(pieces.filter(({ text }) => text !== '')).sort(
    (a, b) => a.y - b.y || a.x0 - b.x0,
  )
}

/** Leaves out what is drawn a second time at almost the same place, to look bold or to have a shadow. */
function removeDoubles(glyphs: readonly Glyph[]): Glyph[] {
  const runs = new Map<number, Glyph[]>()
  for (const glyph of glyphs) {
    const run = runs.get(glyph.run)
    if (run) run.push(glyph)
    else runs.set(glyph.run, [glyph])
  }
  const isDoubledRun = createDoubleCheck(SAME_TEXT)
  const isDoubledGlyph = createDoubleCheck(SAME_GLYPH)
  const glyphsOnce: Glyph[] = []
  for (const run of runs.values()) {
    const text = run.map((glyph) => glyph.text).join('')
    const first = run.find((glyph) => glyph.text !== ' ')
    if (!first) {
      glyphsOnce.push(...run)
      continue
    }
    if (text.trim().length > 1 && isDoubledRun(text.trim(), first)) continue
    for (const glyph of run)
      if (glyph.text === ' ' || glyph.width === 0 || !isDoubledGlyph(glyph.text, glyph))
        glyphsOnce.push(glyph)
  }
  return glyphsOnce
}

/** Creates a check if a text has been at almost the same place already; it remembers each one. */
function createDoubleCheck(distance: number) {
  const places = new Map<string, Map<number, Glyph[]>>()
  return (text: string, glyph: Glyph): boolean => {
    const { x, y, size } = glyph
    const reach = Math.min(distance * size, CELL)
    const cells = places.get(text) ?? new Map<number, Glyph[]>()
    places.set(text, cells)
    const isDoubled = (other: Glyph) => {
      const isNear = Math.abs(other.x - x) < reach && Math.abs(other.y - y) < reach
      const isNarrow = text.length === 1 && Math.abs(other.x - x) >= glyph.width * 0.6
      return isNear && !isNarrow && Math.abs(other.size - size) < size * 0.2
    }
    for (let column = toCell(x - reach); column <= toCell(x + reach); column += 1)
      for (let row = toCell(y - reach); row <= toCell(y + reach); row += 1)
        if (cells.get(column * CELLS + row)?.some(isDoubled)) return true
    const own = toCell(x) * CELLS + toCell(y)
    const list = cells.get(own)
    // A few are enough: the check must not become quadratic.
    if (!list) cells.set(own, [glyph])
    else if (list.length < 8) list.push(glyph)
    return false
  }
}

/** The sides of the cells in which characters are searched, and more cells than a page has in one direction. */
const CELL = 24
const CELLS = 1_000_003
const toCell = (coordinate: number) => Math.floor(coordinate / CELL)

/** Joins characters that follow each other, in the order in which the document draws them. */
function toRuns(glyphs: readonly Glyph[]): Run[] {
  const runs: Run[] = []
  let run: Run | undefined
  let last: Glyph | undefined
  let hasSpace = false
  for (const glyph of glyphs) {
    const { x, y, width, size } = glyph
    if (glyph.text === ' ') {
      // A space is seen by the place that it takes.
      run?.glyphs.push(glyph)
      hasSpace = true
      continue
    }
    if (run && last && !hasSpace && follows(last, glyph)) {
      run.glyphs.push(glyph)
      run.x0 = Math.min(run.x0, x)
      run.x1 = Math.max(run.x1, x + width)
    } else {
      run = { glyphs: [glyph], x0: x, x1: x + width, y, size }
      runs.push(run)
    }
    last = glyph
    hasSpace = false
  }
  return runs
}

function follows(last: Glyph, { text, x, y, width, size }: Glyph): boolean {
  if (Math.abs(y - last.y) > SAME_RUN * size && !(MARK.test(text) && Math.abs(y - last.y) < size))
    return false
  if (Math.abs(size - last.size) > 0.15 * size) return false
  const forward = x - (last.x + last.width)
  if (forward > -0.5 * size && forward < WORD_GAP * size) return true
  if (MARK.test(text)) return Math.abs(x - last.x) < size * 1.5
  const backward = last.x - (x + width)
  const isRightToLeft = RIGHT_TO_LEFT.test(text) || RIGHT_TO_LEFT.test(last.text)
  return isRightToLeft && backward > -0.3 * size && backward < WORD_GAP * size
}

/** Puts the runs of one baseline together, across the page. */
function joinRows(runs: Run[]): Run[][] {
  const sorted = [...runs].sort((a, b) => a.y - b.y)
  const rows: Run[][] = []
  let open: { runs: Run[]; y: number; size: number }[] = []
  for (const run of sorted) {
    open = open.filter(({ y, size }) => run.y - y <= SAME_LINE * Math.max(size, run.size)).slice(-MAX_NEAR)
    const row = open.find(
      ({ y, size }) =>
        run.y - y <= SAME_LINE * Math.min(size, run.size) && size < run.size * 2 && run.size < size * 2,
    )
    if (row) row.runs.push(run)
    else {
      const created = { runs: [run], y: run.y, size: run.size }
      rows.push(created.runs)
      open.push(created)
    }
  }
  return rows
}

/** Splits the runs of a row at its wide gaps. */
function splitRow(row: Run[]): Run[][] {
  const runs = [...row].sort((a, b) => a.x0 - b.x0)
  const size = Math.max(...runs.map((run) => run.size))
  const gaps: number[] = []
  let end = runs[0]!.x1
  for (const run of runs.slice(1)) {
    gaps.push(run.x0 - end)
    end = Math.max(end, run.x1)
  }
  const widestWordGap = gaps.length > 3 ? WIDEST_WORD_GAP : PIECE_GAP
  const wordGaps = gaps.filter((gap) => gap > NO_GAP * size && gap < widestWordGap * size)
  const widest = Math.max(PIECE_GAP * size, median(wordGaps) * 1.9)
  const groups: Run[][] = [[runs[0]!]]
  for (const [index, gap] of gaps.entries()) {
    const run = runs[index + 1]!
    if (gap < widest || isJustified(gaps, index, size, runs)) groups.at(-1)!.push(run)
    else groups.push([run])
  }
  return groups
}

/** Tells if a wide gap is one between words that are spread over a line: it is as wide as one beside it. */
function isJustified(gaps: readonly number[], index: number, size: number, runs: readonly Run[]): boolean {
  const gap = gaps[index]!
  if (gap > JUSTIFIED_GAP * size || !(isWord(runs[index]!) || isWord(runs[index + 1]!))) return false
  return [index - 1, index + 1].some((other) => Math.abs((gaps[other] ?? 0) - gap) < gap * 0.08)
}

const isWord = ({ glyphs }: Run) => glyphs.some(({ text }) => /\p{L}/u.test(text))

const startOf = (group: readonly Run[]) => group.reduce((least, { x0 }) => Math.min(least, x0), Infinity)
const endOf = (group: readonly Run[]) => group.reduce((most, { x1 }) => Math.max(most, x1), -Infinity)

/** Adds small raised or lowered type to the line beside it, e.g. the numbers of footnotes. */
function attachRaised(groups: Run[][]): Run[][] {
  const entries = groups
    .map((runs) => ({ runs, y: runs[0]!.y, size: Math.max(...runs.map(({ size }) => size)), isTaken: false }))
    .sort((a, b) => a.y - b.y)
  const boxes = entries.map(({ runs }) => [startOf(runs), endOf(runs)] as const)
  for (const [index, small] of entries.entries()) {
    const [x0, x1] = boxes[index]!
    let best: { distance: number; line: (typeof entries)[number] } | undefined
    for (const step of [-1, 1])
      for (let other = index + step; Math.abs(other - index) < MAX_NEAR; other += step) {
        const line = entries[other]
        if (!line || Math.abs(line.y - small.y) > MAX_RAISE) break
        if (line.isTaken || small.size > line.size * RAISED_SIZE) continue
        if (Math.abs(line.y - small.y) > line.size * 0.6) continue
        const [start, end] = boxes[other]!
        const reach = 0.3 * line.size
        if (x0 > end + reach || x1 < start - reach) continue
        const distance = Math.abs(line.y - small.y)
        if (!best || distance < best.distance) best = { distance, line }
      }
    if (!best) continue
    best.line.runs.push(...small.runs)
    small.isTaken = true
  }
  return entries.filter(({ isTaken }) => !isTaken).map(({ runs }) => runs)
}

/** Converts the runs of a line to its text, with spaces where the words are apart. */
function toPiece(group: Run[]): Piece {
  const runs = [...group].sort((a, b) => a.x0 - b.x0)
  const size = mainSize(runs)
  const glyphs = runs.flatMap((run) => run.glyphs)
  const isRightToLeft = glyphs.some(({ text }) => RIGHT_TO_LEFT.test(text))
  const ordered = isRightToLeft ? sortByPlace(glyphs) : glyphs
  const inked = ordered.filter(({ text }) => text !== ' ')
  const gaps = inked.slice(1).flatMap((glyph, index) => {
    const last = inked[index]!
    return MARK.test(glyph.text) ? [] : [(glyph.x - last.x - last.width) / size]
  })
  // Letters that are spaced out are not words.
  const usual = gaps.length > 4 ? Math.max(0, median(gaps)) : 0
  const hasSpaces = ordered.length - inked.length >= Math.max(1, inked.length / 14)
  const threshold = usual + (hasSpaces && usual < WORD_GAP ? WORD_GAP * 1.25 : WORD_GAP)
  const texts: string[] = []
  let widest: Piece['gap']
  let length = 0
  let hasSpace = false
  let last: Glyph | undefined
  for (const glyph of ordered) {
    if (glyph.text === ' ') {
      hasSpace = true
      continue
    }
    if (last) {
      const gap = (glyph.x - last.x - last.width) / Math.max(last.size, glyph.size)
      const wide = Number(WIDE.test(last.text)) + Number(WIDE.test(glyph.text))
      const isSpaced = hasSpace && (isRightToLeft || gap > usual + NO_GAP)
      const isApart =
        (wide === 2 ? gap > WIDE_GAP : gap > Math.max(threshold, wide * MIXED_GAP) || isSpaced) ||
        isNoteMark(last, glyph, texts)
      if (isApart && !MARK.test(glyph.text)) {
        const x0 = last.x + last.width
        if (!widest || glyph.x - x0 > widest.x1 - widest.x0) widest = { at: length, x0, x1: glyph.x }
        texts.push(' ')
        length += 1
      }
    }
    texts.push(glyph.text)
    length += glyph.text.length
    if (!MARK.test(glyph.text) || glyph.width > 0) last = glyph
    hasSpace = false
  }
  const weight = inked.filter(({ isBold }) => isBold).length
  const main = runs.find((run) => run.size === size)!
  return {
    text: (isRightToLeft ? toLogicalText(texts) : texts.join('')).trim(),
    x0: startOf(runs),
    x1: endOf(runs),
    y: main.y,
    size: Math.round(size * 2) / 2,
    isBold: weight > inked.length * 0.9,
    ...(widest && !isRightToLeft && { gap: widest }),
  }
}

/**
 * Tells if one of two characters is the raised number of a footnote: after a word, or before the note. Numbers of units
 * and formulas are part of them.
 */
function isNoteMark(last: Glyph, glyph: Glyph, texts: readonly string[]): boolean {
  const isRaised = (mark: Glyph, base: Glyph) =>
    mark.size < base.size * RAISED_SIZE && mark.y < base.y - base.size * 0.15 && /^[\d*†‡]$/.test(mark.text)
  if (isRaised(glyph, last)) return /\p{L}{4}$|[.,;:!?)”"]$/u.test(texts.slice(-4).join(''))
  return isRaised(last, glyph) && /^[\d*†‡]{1,3}$/.test(texts.join('')) && /\p{L}/u.test(glyph.text)
}

/** Sorts characters from left to right; marks are added to the nearest letters. */
function sortByPlace(glyphs: readonly Glyph[]): Glyph[] {
  const middle = ({ x, width }: Glyph) => x + width / 2
  const sorted = glyphs.filter(({ text }) => !MARK.test(text)).sort((a, b) => middle(a) - middle(b))
  const marks = glyphs.filter(({ text }) => MARK.test(text)).sort((a, b) => middle(a) - middle(b))
  const letters = sorted.map((glyph) => ({ ...glyph }))
  let index = 0
  for (const mark of marks) {
    const distance = (at: number) => Math.abs(middle(letters[at]!) - middle(mark))
    while (index + 1 < letters.length && distance(index + 1) <= distance(index)) index += 1
    if (letters[index]) letters[index]!.text += mark.text
  }
  return letters
}

/** Returns the size that most characters of a line have. */
function mainSize(runs: readonly Run[]): number {
  const counts = new Map<number, number>()
  for (const { size, glyphs } of runs) counts.set(size, (counts.get(size) ?? 0) + glyphs.length)
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))[0]
}

/** Leaves out a line that is drawn a second time over itself. */
function removeDoubledPieces(pieces: Piece[]): Piece[] {
  const byText = new Map<string, Piece[]>()
  return pieces.filter((piece) => {
    const others = byText.get(piece.text)
    if (!others) {
      byText.set(piece.text, [piece])
      return true
    }
    const isDoubled = others.some(
      ({ x0, y, size }) => Math.abs(y - piece.y) < size * 0.5 && Math.abs(x0 - piece.x0) < size * 0.5,
    )
    if (!isDoubled && others.length < 64) others.push(piece)
    return !isDoubled
  })
}

/** Returns the middle one of numbers, the smaller one of two. */
export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)] ?? 0
}
