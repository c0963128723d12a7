import { group } from './equations.ts'
import { ReadingFailure } from './reading-failure.ts'

/** Elements of MathML whose content is not part of the formula as it is shown. */
const SKIPPED = new Set(['annotation', 'annotation-xml', 'mphantom'])
/** Elements that contain text; space between other elements is not part of the formula. */
const TOKENS = new Set(['mi', 'mn', 'mo', 'ms', 'mtext'])
/** Marks the end of a script: a letter or a number after it is not part of it. */
const SCRIPT_END = '\u2062'
/** The longest formula: each element around a part copies it. */
const MAX_CHARS = 50_000

interface Node {
  name: string
  parts: string[]
}

/** Turns a formula in MathML into a line of text. */
export type Formula = ReturnType<typeof createFormula>

/** Creates a formula, which takes the elements of MathML in their order. */
export function createFormula() {
  const nodes: Node[] = [{ name: 'math', parts: [] }]
  let skipped = 0
  let length = 0
  return {
    open(name: string): void {
      if (skipped > 0 || SKIPPED.has(name)) skipped += 1
      else nodes.push({ name, parts: [] })
    },
    text(text: string): void {
      length += text.length
      if (length > MAX_CHARS) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
      const node = nodes.at(-1)!
      if (skipped === 0 && TOKENS.has(node.name)) node.parts.push(text.replace(/[ \t\r\n]+/g, ' '))
    },
    close(): void {
      if (skipped > 0) skipped -= 1
      else if (nodes.length > 1) {
        const node = nodes.pop()!
        const text = toText(node)
        if (text !== '' || isPositional(nodes.at(-1)!)) nodes.at(-1)!.parts.push(text)
      }
    },
    /** Returns the text of the formula. */
    toString: () =>
      nodes[0]!.parts
        .join('')
        .replace(/\u2062(?=[\p{L}\p{N}])/gu, ' ')
        .replaceAll(SCRIPT_END, '')
        .replace(/\s+/g, ' ')
        .trim(),
  }
}

/** True if the place of an element among the others tells its meaning. */
const isPositional = ({ name }: Node) =>
  /^m(?:frac|sup|sub|subsup|root|under|over|underover|multiscripts)$/.test(name)

function toText({ name, parts }: Node): string {
  const own = parts.filter((part) => isPositional({ name, parts }) || part.trim() !== '')
  const [base = '', first = '', second = ''] = own.map((part) => part.trim())
  switch (name) {
    case 'mfrac':
      return `${toGroup(base)}/${toGroup(first)}`
    case 'msup':
    case 'mover':
      return `${toGroup(base)}^${toGroup(first)}${SCRIPT_END}`
    case 'msub':
    case 'munder':
      return `${toGroup(base)}_${toGroup(first)}${SCRIPT_END}`
    case 'msubsup':
    case 'munderover':
      return `${toGroup(base)}_${toGroup(first)}^${toGroup(second)}${SCRIPT_END}`
    case 'msqrt':
      return `√(${own.join('')})`
    case 'mroot':
      return `√[${first}](${base})`
    case 'mo':
      // Products and functions have signs that are not shown.
      return parts.join('').replace(/[\u2061-\u2064\s]/g, '')
    case 'mtable':
      return own.join('; ')
    case 'mtr':
    case 'mlabeledtr':
      return own.join(', ')
    case 'mfenced':
      return `(${own.join(', ')})`
    case 'mspace':
      return ' '
    case 'mi':
    case 'mn':
    case 'mtext':
      return parts.join('').replace(/^ | $/g, '')
    default:
      return own.join('')
  }
}

/** Puts a part in brackets unless it is a single sign, number or word. */
function toGroup(part: string): string {
  const text = part.replaceAll(SCRIPT_END, '')
  return [...text].length === 1 ? text : group(text)
}
