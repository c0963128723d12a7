import type { Nodes, Parents, Root } from 'mdast'

const BREAK = /^<br\s*\/?>$/i

/** A plugin of remark: the line breaks that models write as HTML, mostly in tables, are line breaks. */
export const remarkLineBreaks = () => (tree: Root) => replace(tree)

function replace(parent: Parents): void {
  const isFlow = parent.type === 'root' || parent.type === 'blockquote' || parent.type === 'listItem'
  parent.children = parent.children.flatMap((child: Nodes): Nodes[] => {
    if (child.type === 'html' && BREAK.test(child.value)) return isFlow ? [] : [{ type: 'break' }]
    if ('children' in child) replace(child)
    return [child]
  }) as typeof parent.children
}
