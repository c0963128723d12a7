import type { Element, Root } from 'hast'

const OPENING = /^(`{3,}|~{3,})/
const CLOSING = /^[\s>]*(`{3,}|~{3,})\s*$/

/** A plugin of rehype: marks code whose fence is closed, which nothing is added to. */
export const rehypeClosedCode = () => (tree: Root, file: { value: unknown }) => {
  const source = String(file.value)
  const visit = (parent: Root | Element) => {
    for (const child of parent.children) {
      if (child.type !== 'element') continue
      if (child.tagName === 'pre') child.properties.dataClosed = isClosed(readSource(child, source))
      else visit(child)
    }
  }
  visit(tree)
}

const readSource = ({ position }: Element, source: string) =>
  source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0)

function isClosed(code: string): boolean {
  const [, opening = ''] = OPENING.exec(code) ?? []
  const [, closing = ''] =
    CLOSING.exec(
      code
        .slice(code.indexOf('\n') + 1)
        .split('\n')
        .at(-1)!,
    ) ?? []
  return opening !== '' && code.includes('\n') && closing.startsWith(opening)
}
