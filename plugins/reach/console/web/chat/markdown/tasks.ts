import type { Element, Root } from 'hast'
import { t } from '../../i18n/words.ts'
import { readContent } from './read-content.ts'

/** The longest name of a check box. */
const MAX_CHARS = 120

/** A plugin of rehype: check boxes of task lists are named by their tasks. */
export const rehypeTasks = () => (tree: Root) => {
  const visit = (parent: Root | Element) => {
    for (const child of parent.children) {
      if (child.type !== 'element') continue
      if (child.properties.className?.toString().includes('task-list-item')) nameBox(child)
      visit(child)
    }
  }
  visit(tree)
}

function nameBox(item: Element) {
  const own = item.children.filter((child) => child.type !== 'element' || !/^[uo]l$/.test(child.tagName))
  const words = own.map(readContent).join('').replace(/\s+/g, ' ').trim()
  const box = findBox(item)
  if (box) box.properties.ariaLabel = words.slice(0, MAX_CHARS) || t('answers.task')
}

/** Finds the box of a task, which is in a paragraph if its list is loose. */
function findBox({ children }: Element): Element | undefined {
  const elements = children.filter((child) => child.type === 'element')
  const [first] = elements
  if (first?.tagName === 'p') return findBox(first)
  return elements.find(({ tagName }) => tagName === 'input')
}
