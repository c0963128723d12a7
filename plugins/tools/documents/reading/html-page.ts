import { ZONES, type Zone } from './html-elements.ts'
import type { Piece } from './html-table.ts'

/** The part of the other text that a main part must have, so that it is more than the shell of a page. */
const MIN_MAIN = 0.5

/** Returns the pieces that are the content of a page: its main part, or all but its menus. */
export function chooseContent(pieces: readonly Piece[]): Piece[] {
  const sizes = Object.fromEntries(ZONES.map((zone) => [zone, 0])) as Record<Zone, number>
  for (const { block, zone } of pieces) sizes[zone] += block.text.trim().length
  const all = sizes.main + sizes.role + sizes.article + sizes.body
  const main = (['main', 'role', 'article'] as const).find(
    (zone) => sizes[zone] > 0 && sizes[zone] >= (all - sizes[zone]) * MIN_MAIN,
  )
  const hasContent = all + sizes.edge > 0
  return pieces.filter(({ zone }) => (main ? zone === main : zone !== 'last' || !hasContent))
}

/** Returns the absolute address of a link; empty if the link does not lead to another page. */
export function toAddress(href: string | undefined, base: string | undefined): string {
  if (!href || href.startsWith('#') || !URL.canParse(href, base)) return ''
  const url = new URL(href, base)
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : ''
}
