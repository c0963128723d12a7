import { readEquation } from './equations.ts'
import { ReadingFailure } from './reading-failure.ts'
import { withoutPrefixes, type XmlElement } from './xml-tree.ts'

/** The most elements of an equation. */
const MAX_ELEMENTS = 100_000

/** Collects the elements of an equation among the other elements of a file. */
export function createEquationCollector() {
  const open: (XmlElement & { children: XmlElement[]; text: string })[] = []
  let count = 0
  return {
    /** Adds an element; returns false if it does not belong to an equation. */
    open(name: string, attributes: Readonly<Record<string, string>>): boolean {
      if (open.length === 0 && name !== 'oMath') return false
      count = open.length === 0 ? 1 : count + 1
      if (count > MAX_ELEMENTS) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
      const element = { name, attributes: withoutPrefixes(attributes), children: [], text: '' }
      open.at(-1)?.children.push(element)
      open.push(element)
      return true
    },

    /** Adds text; returns false if it does not belong to an equation. */
    text(text: string): boolean {
      const element = open.at(-1)
      if (element) element.text += text
      return element !== undefined
    },

    /** Ends an element; returns undefined if it does not belong to an equation, and the equation if that ends. */
    close(): string | undefined {
      const element = open.pop()
      if (!element) return undefined
      return open.length === 0 ? readEquation(element) : ''
    },
  }
}
