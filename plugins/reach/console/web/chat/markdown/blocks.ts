import { isBounded } from './bounds.ts'

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const MATH = /^\s*\$\$\s*$/
/** A definition of a link or footnote, which applies to the whole text. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m

/**
 * Splits Markdown at blank lines between its blocks, so that each can be parsed by itself. Code, formulas and lists
 * stay whole, and so does a text with definitions, unless it is too large to be parsed as one block.
 */
export function splitBlocks(text: string): string[] {
  if (DEFINITION.test(text) && isBounded(text)) return [text]
  const blocks: string[] = []
  let lines: string[] = []
  let fence: string | undefined
  let isMath = false
  let isBlank = false

  for (const line of text.split('\n')) {
    const continuesList = LIST_ITEM.test(lines[0] ?? '') && (LIST_ITEM.test(line) || /^\s/.test(line))
    if (isBlank && line.trim() !== '' && lines.length > 0 && !continuesList) {
      blocks.push(lines.join('\n').trimEnd())
      lines = []
    }
    const mark = FENCE.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
    } else if (isMath) isMath = !MATH.test(line)
    else if (mark) fence = mark
    else isMath = MATH.test(line)
    if (lines.length > 0 || line.trim() !== '') lines.push(line)
    isBlank = fence === undefined && !isMath && line.trim() === ''
  }
  if (lines.length > 0) blocks.push(lines.join('\n').trimEnd())
  return blocks
}
