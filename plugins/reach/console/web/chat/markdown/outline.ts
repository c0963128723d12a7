import type { Element, Root } from 'hast'
import { readContent } from './read-content.ts'

/** The level of the first heading of an answer: the title of the conversation has the first level. */
const FIRST_LEVEL = 2
const LAST_LEVEL = 6

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/
/** A heading that begins with signs, or the line below a heading. */
const HEADING = /^ {0,3}(?:(#{1,6})(?:[ \t]|$)|(=+|-+)[ \t]*$)/

/**
 * Returns the outline after a block of Markdown: the depths of the headings that the next block is below, as digits.
 * Depths of Markdown may begin anywhere and leave others out; levels of the page do not.
 */
export function followHeadings(outline: string, block: string): string {
  if (FENCE.test(block)) return outline
  let depths = outline
  let isText = false
  for (const line of block.split('\n')) {
    const [, signs, underline] = HEADING.exec(line) ?? []
    if (signs) depths = enter(depths, signs.length)
    else if (underline && isText) depths = enter(depths, underline.startsWith('=') ? 1 : 2)
    isText = !signs && !underline && line.trim() !== ''
  }
  return depths
}

/** Returns the outline at a heading of a depth. */
function enter(outline: string, depth: number): string {
  const above = [...outline].filter((other) => Number(other) < depth)
  return [...above, depth].join('')
}

/** A plugin of rehype: headings have the levels of the page, and those without words, as while they are written, are left out. */
export const rehypeOutline = (outline: string) => (tree: Root) => {
  let depths = outline
  const visit = (parent: Root | Element) => {
    const children: typeof parent.children = []
    for (const child of parent.children) {
      const depth = child.type === 'element' && Number(/^h([1-6])$/.exec(child.tagName)?.[1])
      if (child.type === 'element' && depth) {
        if (readContent(child).trim() === '') continue
        depths = enter(depths, depth)
        child.tagName = `h${Math.min(FIRST_LEVEL + depths.length - 1, LAST_LEVEL)}`
      } else if (child.type === 'element') visit(child)
      children.push(child as Element)
    }
    parent.children = children
  }
  visit(tree)
}
