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
  let words = render(markdown, 'plain').toWellFormed().trim()
  while (words !== '') {
    const end = findCut(words, { ...limits, max_length })
    messages.push(escapeSource(words.slice(0, end), limits.dialect).trim())
    words = words.slice(end).trim()
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
  const cut = Math.max(message.lastIndexOf('\n'), message.lastIndexOf(' '))
  return cut > end / 2 ? cut : end
}
