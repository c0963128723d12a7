import type { Nodes } from 'hast'

/** Returns the words of a node as somebody reads them: of a picture its text, of a formula its TeX. */
export function readContent(node: Nodes): string {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return 'children' in node ? readAll(node.children) : ''
  if (node.tagName === 'img') return String(node.properties.alt ?? '')
  if (node.properties.className?.toString().includes('katex-html')) return ''
  // The formula is there in signs as well.
  if (node.tagName === 'semantics') return readAll(node.children.slice(-1))
  return readAll(node.children)
}

const readAll = (nodes: readonly Nodes[]) => nodes.map(readContent).join('')
