import { type Attributes, isBlock } from './html-elements.ts'

/** An element of a page that contains paragraphs, with what its texts have in all. */
export interface Region {
  parent?: Region
  name: string
  /** The words of its class and id, in small letters. */
  hints: readonly string[]
  /** The characters outside of links, and in them. */
  text: number
  linked: number
  links: number
  /** True if it has the main heading, or the element that is marked as the main part. */
  isCentral: boolean
}

/** The longest class or id that is looked at. */
const MAX_HINT_CHARS = 200

/** Creates the region of an element. */
export function createRegion(name: string, attributes: Attributes, parent?: Region): Region {
  const { class: classes = '', id = '', role = '' } = attributes
  const hint = `${name.includes('-') ? name : ''} ${classes.slice(0, MAX_HINT_CHARS)} ${id.slice(0, MAX_HINT_CHARS)} ${role.slice(0, MAX_HINT_CHARS)}`
  const hints =
    hint
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  return { parent, name, hints, text: 0, linked: 0, links: 0, isCentral: false }
}

/** Elements that are a region only if they are named, because a page may have very many. */
const SINGLE = new Set(['p', 'li', 'dt', 'dd', 'tr', 'pre', 'hr'])

/** True if an element is a region: what contains paragraphs, named paragraphs, and elements of the page's own. */
export const isRegion = (name: string, { class: classes, id, role }: Attributes): boolean =>
  SINGLE.has(name) ? Boolean(classes || id || role) : isBlock(name) || name === 'td' || name.includes('-')

const wordsOf = (text: string) => new Set(text.trim().split(/\s+/))

/** Words for what is seldom a part of the text, whatever its length. */
const FOREIGN = wordsOf(`
  ad ads advert adverts advertisement advertising adslot sponsor sponsored promo promotion promoted
  cookie cookies consent gdpr cmp dialog alertdialog modal popup overlay
  newsletter newsletters subscribe subscription signup paywall paybox
  share sharing sharebar social comment comments commentlist disqus respond webmentions reactions feedback signature
  related recommended recommendation recommendations recommends similar popular trending
  breadcrumb breadcrumbs crumb crumbs pagination pager skip jump navbox editsection catlinks`)

/** Words for what frames a text if it is short or mostly links. */
const FRAME = wordsOf(`
  nav navbar navigation menu menus topbar usernav sidenav header head masthead top bar banner notice
  footer foot bottom copyright legal imprint sidebar side widget widgets complementary contentinfo
  tools toolbar actions buttons tags taglist toc contents catalog login search
  meta metadata byline author rating votes stats statistics counter disclosure disclaimer announcement`)

/** The most text of a frame that is not mostly links, in characters. */
const MAX_FRAME_CHARS = 150
/** The share of links from which on a region is a list of them, and a frame is mostly links. */
const LIST_SHARE = 0.6
const FRAME_SHARE = 0.35
/** The average length of links, in characters, below which a list of them is a menu. */
const MAX_MENU_CHARS = 25
const MIN_MENU_LINKS = 3

const shareOfLinks = ({ text, linked }: Region): number => linked / Math.max(1, text + linked)

const CENTRAL = new Set(['html', 'body', 'main'])

/**
 * Returns the word that shows that a region is not a part of the text, `menu` or `list` for links; undefined if it may
 * be one.
 */
export function findForeignHint(region: Region): string | undefined {
  const { name, hints, text, linked, links, isCentral } = region
  if (isCentral || CENTRAL.has(name)) return undefined
  const foreign = hints.find((hint) => FOREIGN.has(hint))
  if (foreign) return foreign
  const share = shareOfLinks(region)
  const frame = name === 'footer' ? name : hints.find((hint) => FRAME.has(hint))
  if (frame && (share > FRAME_SHARE || text <= MAX_FRAME_CHARS)) return frame
  if (share <= LIST_SHARE || links === 0 || SINGLE.has(name)) return undefined
  return links >= MIN_MENU_LINKS && linked / links < MAX_MENU_CHARS ? 'menu' : 'list'
}
