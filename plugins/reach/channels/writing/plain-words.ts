import { type Limits, measureEscaped } from './dialects.ts'
import { escapeSource, render } from './rendering.ts'

/** Share of the longest message that one of plain words takes: the platform may count otherwise than documented. */
const SHARE = 1 / 2

/**
 * Returns the words of a text without any marks, in messages of at most half the length, each cut after a line or a word:
 * the other form of a text that a platform refused.
 */
export function splitWords(markdown: string, limits: Limits): string[] {
  const max_length = Math.max(1, limits.max_length * SHARE)
  const messages: string[] = []
  // The first line keeps its margin, as it may be one of code.
  const withoutEmptyEnds = (text: string) => text.replace(/^\s*\n/, '').trimEnd()
  let words = withoutEmptyEnds(render(markdown, 'plain').toWellFormed())
  while (words !== '') {
    const end = findCut(words, { ...limits, max_length })
    messages.push(escapeSource(words.slice(0, end), limits.dialect).trimEnd())
    words = withoutEmptyEnds(words.slice(end))
  }
  return messages
}

/** Returns the end of a message: after a line or a word in its second half, else between two characters. */
function findCut(words: string, limits: Limits): number {
  let cost = 0
  let end = 0
  for (const character of words) {
    cost += measureEscaped(character, limits)
    if (cost > limits.max_length && end > 0) break
    end += character.length
  }
  if (end === words.length) return end
  const message = words.slice(0, end)
  const cut = [message.lastIndexOf('\n'), message.lastIndexOf(' ')].find((offset) => offset > end / 2)
  return cut === undefined ? end : cut + 1
}
