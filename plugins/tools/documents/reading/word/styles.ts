import type { Archive } from '../archive.ts'
import { findChild, findValue, isOn, visitElements, type XmlElement } from '../xml-tree.ts'

/** The properties of a style, and those that it inherits. */
export interface Style {
  /** The level of headings in this style, from 1; undefined for other text. */
  heading?: number
  numId?: string
  ilvl?: number
  /** The styles from this one to the one that all are based on, which levels of lists name. */
  ids: readonly string[]
  isHidden?: boolean
  /** True for the style of code, whose lines keep their indentation. */
  isCode?: boolean
}

/** The styles of a document by their ids. */
export interface Styles {
  /** Returns the style of a paragraph, which is the default one if it names none. */
  findParagraphStyle(id: string | undefined): Style
  /** Returns the style of an id. */
  findStyle(id: string): Style
}

/** The outline level of text that is not a heading. */
const BODY_LEVEL = 9

/** The names of headings in the languages of programs that translate them. */
const HEADING =
  /^(?:heading|überschrift|titre|título|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|címsor|titlu|başlık|заголовок|заглавие|επικεφαλίδα|标题|標題|見出し|제목|đầu đề|หัวเรื่อง|judul|כותרת|عنوان)\s*([1-9])$/iu
const TITLE = /^(?:title|titel|titre|título|titolo|название|标题|標題|表題|제목|заголовок)$/iu
const SUBTITLE =
  /^(?:subtitle|untertitel|sous-titre|subtítulo|sottotitolo|副标题|副標題|副題|부제|подзаголовок)$/iu

const CODE =
  /^(?:source code|code( block)?|preformatted( text)?|html[ -](preformatted|code|vorformatiert)|macro( text)?)$/i

/** Returns the level of headings in a style of this name; the title is above sections, whose level it shares. */
function findNamedLevel(name: string): number | undefined {
  const clean = name.trim().replaceAll('_', ' ')
  const level = HEADING.exec(clean)?.[1]
  if (level) return Number(level)
  if (TITLE.test(clean)) return 1
  return SUBTITLE.test(clean) ? 2 : undefined
}

/** Returns the level of a heading by the outline level of its paragraph or style. */
export function findOutlineLevel(properties: XmlElement | undefined): number | undefined {
  const value = findValue(properties, 'outlineLvl')
  const level = value === undefined ? Number.NaN : Number(value)
  return level >= 0 && level <= BODY_LEVEL && Number.isInteger(level) ? level + 1 : undefined
}

/** True if an outline level, counted from 1, is that of text that is not a heading. */
export const isBodyLevel = (level: number): boolean => level > BODY_LEVEL

/** Reads the styles of a document. */
export function readStyles(archive: Archive, file: string | undefined): Styles {
  const elements = new Map<string, XmlElement>()
  let defaultId: string | undefined
  if (file !== undefined)
    visitElements(archive, file, 'styles', (element) => {
      const { styleId, type = 'paragraph' } = element.attributes
      if (element.name !== 'style' || styleId === undefined) return
      elements.set(styleId, element)
      const isDefault = /^(1|true|on)$/.test(element.attributes.default ?? '')
      if (isDefault && type === 'paragraph') defaultId = styleId
    })

  const styles = new Map<string, Style>()
  const find = (id: string): Style => {
    const style = styles.get(id) ?? resolve(id)
    styles.set(id, style)
    return style
  }

  function resolve(id: string): Style {
    const ids: string[] = []
    const properties: Omit<Style, 'ids'> = {}
    for (let next: string | undefined = id; next !== undefined; ) {
      const element: XmlElement | undefined = elements.get(next)
      if (!element || ids.length > MAX_BASES || ids.includes(next)) break
      ids.push(next)
      const paragraph = findChild(element, 'pPr')
      properties.heading ??= findOutlineLevel(paragraph) ?? findNamedLevel(findValue(element, 'name') ?? '')
      properties.isCode ||= CODE.test(findValue(element, 'name') ?? '')
      properties.isHidden ??= isOn(findChild(element, 'rPr', 'vanish'))
      properties.ilvl ??= toNumber(findValue(paragraph, 'numPr', 'ilvl'))
      properties.numId ??= findValue(paragraph, 'numPr', 'numId')
      next = findValue(element, 'basedOn')
    }
    return toStyle(properties, ids)
  }

  return {
    findParagraphStyle(id) {
      if (id !== undefined && elements.has(id)) return find(id)
      // The id of a style that is missing may still say what it means.
      const heading = findNamedLevel(id ?? '')
      if (heading !== undefined) return { heading, ids: [] }
      return defaultId === undefined ? NO_STYLE : find(defaultId)
    },
    findStyle: find,
  }
}

/** The most styles that one is based on, directly or not. */
const MAX_BASES = 20

const NO_STYLE: Style = { ids: [] }

const toNumber = (text: string | undefined): number | undefined =>
  text === undefined || !/^\d+$/.test(text) ? undefined : Number(text)

const toStyle = ({ heading, ...style }: Omit<Style, 'ids'>, ids: string[]): Style => ({
  ...style,
  ids,
  ...(heading !== undefined && !isBodyLevel(heading) && { heading }),
})
