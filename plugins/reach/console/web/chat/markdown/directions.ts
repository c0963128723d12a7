import type { Nodes, Root } from 'hast'

/** Elements whose text runs in the direction of its first letter, which the browser looks up. */
const TEXTS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'th', 'td'])
/** Elements around them, whose first letter a browser does not see. */
const AROUND = new Set(['ul', 'ol', 'blockquote', 'table'])
const LETTER = /\p{L}/u
const RIGHT_TO_LEFT = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u

/** A plugin of rehype: Hebrew and Arabic run from right to left, each block by itself. */
export const rehypeDirections = () => (tree: Root) => {
  direct(tree)
}

/** Sets the directions in a node; returns the first letter in it. */
function direct(node: Nodes): string | undefined {
  if (node.type === 'text') return LETTER.exec(node.value)?.[0]
  if (!('children' in node)) return undefined
  let letter: string | undefined
  for (const child of node.children) {
    const first = direct(child)
    letter ??= first
  }
  if (node.type === 'element' && TEXTS.has(node.tagName)) node.properties.dir = 'auto'
  if (node.type === 'element' && AROUND.has(node.tagName))
    node.properties.dir = letter && RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr'
  return letter
}
