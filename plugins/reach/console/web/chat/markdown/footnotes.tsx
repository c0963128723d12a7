import type { Element, Root } from 'hast'
import type { MouseEvent, ReactNode } from 'react'
import type { Options } from 'react-markdown'
import { t } from '../../i18n/words.ts'

/** Options for the footnotes of one answer: ids that no other answer has, and labels in the language of the page. */
export const footnoteOptions = (id: string): NonNullable<Options['remarkRehypeOptions']> => ({
  clobberPrefix: `${id}-`,
  footnoteBackLabel: (index, again) =>
    t('answers.back_to_text', { number: `${index + 1}${again > 1 ? `-${again}` : ''}` }),
})

/** A plugin of rehype: footnotes are a group with a name instead of a chapter with a heading. */
export const rehypeFootnotes = () => (tree: Root) => {
  for (const node of tree.children) {
    if (node.type !== 'element' || !('dataFootnotes' in node.properties)) continue
    node.tagName = 'div'
    node.properties = { className: ['footnotes'], role: 'group', ariaLabel: t('answers.footnotes') }
    node.children = node.children.filter((child) => child.type !== 'element' || child.tagName !== 'h2')
    for (const list of node.children)
      for (const item of list.type === 'element' ? list.children : [])
        if (item.type === 'element') item.properties.tabIndex = -1
  }
}

/** True for a link from a text to its footnote, or back. */
export const isFootnoteLink = (link: Element | undefined): link is Element =>
  link !== undefined && ('dataFootnoteRef' in link.properties || 'dataFootnoteBackref' in link.properties)

/** A link between a text and its footnote. The address of the page stays, because it is the conversation. */
export function FootnoteLink({ link, children }: { link: Element; children: ReactNode }) {
  const { href, id, ariaLabel, dataFootnoteRef } = link.properties
  const jump = (event: MouseEvent) => {
    event.preventDefault()
    const target = document.getElementById(decodeURIComponent(String(href).slice(1)))
    target?.scrollIntoView({ block: 'nearest' })
    target?.focus({ preventScroll: true })
  }
  const label =
    dataFootnoteRef === undefined ? String(ariaLabel) : t('answers.footnote', { number: readNumber(link) })
  return (
    <a href={String(href)} id={id === undefined ? undefined : String(id)} aria-label={label} onClick={jump}>
      {children}
    </a>
  )
}

const readNumber = ({ children: [text] }: Element) => (text?.type === 'text' ? text.value : '')
