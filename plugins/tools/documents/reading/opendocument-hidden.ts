import type { Attributes, Styles } from './opendocument-styles.ts'

/** Elements whose content is not text of the document as it is shown. */
const HIDDEN = new Set(
  'tracked-changes ruby-text forms scripts event-listeners binary-data page-thumbnail content-validations'.split(
    ' ',
  ),
)
/** The frames that are on every slide, and the picture of a slide above its notes. */
const REPEATED_FRAME = /^(?:header|footer|date-time|page-number|page|handout)$/
const PAGE_EDGE = /^(?:header|footer)(?:-left|-first)?$/

/** True if an element is a head or a foot of pages. */
export const isPageEdge = (tag: string): boolean => PAGE_EDGE.test(tag)

/** True if the content of an element is not shown, or is a prompt that waits for a text. */
export function isHidden(tag: string, attributes: Attributes, styles: Styles): boolean {
  const isHiddenNow = attributes['text:is-hidden'] === 'true'
  switch (tag) {
    case 'table':
      return styles.find('table', attributes['table:style-name']).isHidden === true
    case 'span':
      return styles.find('text', attributes['text:style-name']).isHidden === true
    case 'hidden-text':
      return isHiddenNow
    case 'section':
      return isHiddenNow || attributes['text:display'] === 'none'
    default:
      return (
        HIDDEN.has(tag) ||
        attributes['presentation:placeholder'] === 'true' ||
        REPEATED_FRAME.test(attributes['presentation:class'] ?? '') ||
        (isPageEdge(tag) && attributes['style:display'] === 'false')
      )
  }
}
