/** Elements whose content is not shown. */
const HIDDEN = new Set(
  'script style template iframe object canvas audio video rt rp rtc meta link xml dialog annotation annotation-xml'.split(
    ' ',
  ),
)
/** Elements before and after which a paragraph ends. */
const BLOCKS = new Set(
  'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset header hgroup hr html legend li main menu nav noframes noscript ol optgroup p pre search section summary table tr ul'.split(
    ' ',
  ),
)
const STYLE_HIDES =
  /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|mso-hide\s*:\s*all|(font-size|opacity)\s*:\s*0*\.?0*(px|pt|r?em|%)?\s*(;|!|$)|(left|right|top|text-indent)\s*:\s*-\d{4,}|clip\s*:\s*rect\(\s*[01](px)?[\s,]+[01])/i
/** Styles that hide together: nothing of what is too large for the element is shown, and it has no size. */
const STYLE_CUTS = /(^|;)\s*overflow(-[xy])?\s*:\s*(hidden|clip)/i
const STYLE_HAS_NO_SIZE = /(^|;)\s*(max-)?(height|width)\s*:\s*[01](px|pt|r?em|%)?\s*(;|!|$)/i

/** True if some declarations of style hide an element. */
export const hidesByStyle = (style: string): boolean =>
  STYLE_HIDES.test(style) || (STYLE_CUTS.test(style) && STYLE_HAS_NO_SIZE.test(style))

/** The attributes of an element. */
export type Attributes = Readonly<Record<string, string>>

/** True if an element is a paragraph or contains some. */
export const isBlock = (name: string): boolean => BLOCKS.has(name)

/** True if an element is hidden from all readers. Scripts often show the page itself, so its body never is. */
export function isHidden(name: string, attributes: Attributes): boolean {
  if (name === 'body' || name === 'html') return false
  if (name === 'dialog' && 'open' in attributes) return false
  return (
    HIDDEN.has(name) ||
    ('hidden' in attributes && attributes.hidden !== 'until-found') ||
    attributes['aria-hidden'] === 'true' ||
    hidesByStyle(attributes.style ?? '')
  )
}

/** Returns the level of a heading, or undefined. */
export function findLevel(name: string, attributes: Attributes): number | undefined {
  if (/^h[1-6]$/.test(name)) return Number(name[1])
  if (attributes.role === 'heading') return Number(attributes['aria-level']) || 2
  return /\bMsoTitle\b/.test(attributes.class ?? '') ? 1 : undefined
}

/**
 * The parts of a page, which are chosen by how much text they have: its main part by three marks, other text, its
 * head, foot and sides, and what is read only if there is nothing else.
 */
export const ZONES = ['main', 'role', 'article', 'body', 'edge', 'last'] as const
export type Zone = (typeof ZONES)[number]

const ZONE_BY_ROLE: Record<string, Zone> = {
  main: 'role',
  navigation: 'last',
  banner: 'edge',
  contentinfo: 'edge',
  complementary: 'edge',
}
const ZONE_BY_NAME: Record<string, Zone> = {
  main: 'main',
  article: 'article',
  header: 'edge',
  footer: 'edge',
  aside: 'edge',
  nav: 'last',
  noscript: 'last',
  noframes: 'last',
}

/** Returns the part of a page that an element is in: the head and the foot of the main part belong to it. */
export function findZone(name: string, { role = '' }: Attributes, parent: Zone): Zone {
  const own = ZONE_BY_ROLE[role] ?? ZONE_BY_NAME[name]
  if (!own) return parent
  if (parent === 'last' || own === 'last') return 'last'
  return parent === 'body' || ZONES.indexOf(own) < ZONES.indexOf(parent) ? own : parent
}
