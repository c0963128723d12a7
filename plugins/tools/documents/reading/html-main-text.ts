import { findForeignHint, type Region } from './html-regions.ts'
import type { Piece } from './html-table.ts'

/** A shorter page has nothing but text, in characters. */
const MIN_PAGE_CHARS = 150
/** The text that must remain: this share of the page, or as many characters. */
const MIN_REST_SHARE = 0.25
const MIN_REST_CHARS = 200
/** A list of links is left out beside this much text, in characters, and if it is at most this share of it. */
const MIN_PROSE_CHARS = 400
const MAX_LIST_SHARE = 0.5
/** The share of the text that the region of the main text has. */
const MAIN_SHARE = 0.7
/** A paragraph outside of the main region is a part of the text from this length on, in characters. */
const MIN_PARAGRAPH_CHARS = 80
const MAX_LINKED_SHARE = 0.25
/** The longest line about rights, in characters. */
const MAX_RIGHTS_CHARS = 300
const RIGHTS = /^(©|\(c\) ?\d|copyright\b)|\ball rights reserved\b|版权所有|無断転載/i

/** The levels of headings. */
const LEVELS = 6

/** Elements that are read as a whole. */
const WHOLE = new Set([
  'p',
  'ul',
  'ol',
  'dl',
  'dd',
  'li',
  'table',
  'tbody',
  'tr',
  'pre',
  'blockquote',
  'figure',
  'details',
])

/** Returns the pieces of a web page that are its text, without menus, boxes and what else surrounds it. */
export function selectMainText(pieces: readonly Piece[], regions: readonly Region[], title = ''): Piece[] {
  sumUp(pieces, regions)
  const [page] = regions
  if (!page || page.text + page.linked < MIN_PAGE_CHARS) return [...pieces]
  const foreign = findForeign(regions)
  const remaining = pieces.filter(({ region, block }) => !foreign.has(region) && !isRights(block.text))
  const main = findMain(remaining, regions)
  const isInMain = ({ region }: Piece) => main.has(region)
  const isName = ({ block }: Piece) =>
    (block.kind === 'heading' && block.level === 1) || (block.text.length > 3 && title.startsWith(block.text))
  // Between the name of a text and its body are a summary, a date or a price.
  const begin = remaining.findLastIndex(isName)
  const end = remaining.findIndex((piece, index) => index > begin && isInMain(piece))
  const isBetween = ({ text, linked }: Piece, index: number) =>
    begin >= 0 && index > begin && index < end && text > linked
  const selected = new Set(
    remaining.filter(
      (piece, index) => isInMain(piece) || isProse(piece) || isName(piece) || isBetween(piece, index),
    ),
  )
  const headings = new Set(remaining.filter(({ block }) => block.kind === 'heading'))
  const content = dropBareHeadings(pieces, { selected, headings })
  return content.some(({ block }) => block.kind !== 'heading') ? content : [...pieces]
}

const isRights = (text: string) => text.length <= MAX_RIGHTS_CHARS && RIGHTS.test(text)

const isProse = ({ block, text, linked }: Piece) => {
  if (block.kind === 'code' || block.kind === 'row') return true
  return block.kind === 'text' && text >= MIN_PARAGRAPH_CHARS && linked < text * MAX_LINKED_SHARE
}

/** Counts the texts of all regions; a region comes after the one that it is in. */
function sumUp(pieces: readonly Piece[], regions: readonly Region[]): void {
  for (const region of regions) Object.assign(region, { text: 0, linked: 0, links: 0 })
  for (const { block, text, linked, links, region } of pieces) {
    region.text += text
    region.linked += linked
    region.links += links
    if (block.kind === 'heading' && block.level === 1) region.isCentral = true
  }
  for (const region of regions.toReversed()) {
    if (!region.parent) continue
    region.parent.text += region.text
    region.parent.linked += region.linked
    region.parent.links += region.links
    region.parent.isCentral ||= region.isCentral
  }
}

/** Returns the regions that are not a part of the text. */
function findForeign(regions: readonly Region[]): Set<Region> {
  const total = regions[0]?.text ?? 0
  const least = Math.min(MIN_REST_CHARS, total * MIN_REST_SHARE)
  const hints = new Map<Region, string>()
  for (const region of regions) {
    const hint = findForeignHint(region)
    if (hint) hints.set(region, hint)
  }
  const select = (isChosen: (region: Region, hint: string) => boolean) => {
    const chosen = new Set<Region>()
    const sizes = new Map<string, number>()
    let remaining = total
    for (const region of regions) {
      const hint = hints.get(region)
      const isInner = region.parent !== undefined && chosen.has(region.parent)
      if (!isInner && !(hint && isChosen(region, hint))) continue
      chosen.add(region)
      if (isInner) continue
      remaining -= region.text
      sizes.set(hint!, (sizes.get(hint!) ?? 0) + region.text)
    }
    return { chosen, sizes, remaining }
  }
  const trusted = new Set(hints.values())
  for (;;) {
    const sure = select((_, hint) => hint !== 'list' && trusted.has(hint))
    if (sure.remaining >= least || sure.sizes.size === 0) {
      const isList = ({ text, linked }: Region) =>
        sure.remaining >= MIN_PROSE_CHARS && text + linked <= sure.remaining * MAX_LIST_SHARE
      return select((region, hint) => trusted.has(hint) && (hint !== 'list' || isList(region))).chosen
    }
    // A word for most of the text is not foreign on this page.
    const [most] = [...sure.sizes].reduce((largest, entry) => (entry[1] > largest[1] ? entry : largest))
    trusted.delete(most)
  }
}

/** Returns the smallest region that has most of the text, with all regions in it. */
function findMain(pieces: readonly Piece[], regions: readonly Region[]): Set<Region> {
  sumUp(pieces, regions)
  const total = regions[0]?.text ?? 0
  let main = regions[0]
  for (const region of regions)
    if (region.parent === main && region.text >= total * MAIN_SHARE && !WHOLE.has(region.name)) main = region
  const inner = new Set<Region>()
  for (const region of regions)
    if (region === main || (region.parent && inner.has(region.parent))) inner.add(region)
  return inner
}

/**
 * Returns the selected pieces with the headings above them, and without those below which everything was left out.
 */
function dropBareHeadings(
  pieces: readonly Piece[],
  { selected, headings }: Record<'selected' | 'headings', ReadonlySet<Piece>>,
): Piece[] {
  const content: Piece[] = []
  /** By level, what there is until the next heading of that level or a higher one. */
  const sections = Array.from({ length: LEVELS + 1 }, () => ({ isKept: false, isDropped: false }))
  for (const piece of pieces.toReversed()) {
    const { block } = piece
    if (block.kind !== 'heading') {
      const isKept = selected.has(piece)
      if (isKept) content.push(piece)
      for (const section of sections) section[isKept ? 'isKept' : 'isDropped'] = true
      continue
    }
    const level = Math.min(LEVELS, Math.max(1, block.level))
    const { isKept, isDropped } = sections[level]!
    const isShown = isKept ? headings.has(piece) : selected.has(piece) && (!isDropped || level === 1)
    if (isShown) content.push(piece)
    for (const section of sections.slice(level)) Object.assign(section, { isKept: false, isDropped: false })
  }
  return content.reverse()
}
