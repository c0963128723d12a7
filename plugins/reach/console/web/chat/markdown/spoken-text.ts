import type { Nodes, Root } from 'mdast'
import remarkCjk from 'remark-cjk-friendly/parseOnly'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { t } from '../../i18n/words.ts'
import { splitBlocks } from './blocks.ts'
import { isBounded } from './bounds.ts'
import { remarkGfm } from './gfm.ts'
import { nameLanguage } from './language-names.ts'
import { splitSpans } from './spans.ts'

/** The part of an answer that is read. */
const MAX_SOURCE_CHARS = 4_000

const parser = unified().use(remarkParse).use(remarkGfm).use(remarkCjk)

/** Returns the beginning of an answer as a screen reader says it: words and sentences, without marks of Markdown. */
export function toSpokenText(markdown: string, maxChars: number): string {
  let spoken = ''
  for (const block of splitBlocks(markdown.slice(0, MAX_SOURCE_CHARS))) {
    spoken += ` ${isBounded(block) ? speakBlock(block) : block.replace(/[^\p{L}\p{N}\p{P}\s]|[#*_|`~<>[\]]/gu, ' ')}`
    if (spoken.length > maxChars) break
  }
  return cut(spoken.replace(/\s+/g, ' ').trim(), maxChars)
}

function speakBlock(block: string): string {
  const text = splitSpans(block)
    .map(({ text, tex }) => (tex === undefined ? text : t('answers.formula')))
    .join('')
  return speak(parser.parse(text) as Root)
}

function speak(node: Nodes): string {
  switch (node.type) {
    case 'text':
    case 'inlineCode':
      return node.value
    case 'html':
      return node.value.replace(/<[^<>]*>/g, ' ')
    case 'break':
      return ' '
    case 'image':
      return node.alt ?? ''
    case 'code':
      return endSentence(
        node.lang ? t('answers.code_in', { language: nameLanguage(node.lang) }) : t('answers.code'),
      )
    case 'definition':
    case 'footnoteDefinition':
    case 'footnoteReference':
    case 'thematicBreak':
      return ''
    case 'link': {
      const words = node.children.map(speak).join('')
      return URL.canParse(words) ? new URL(words).host : words
    }
    case 'paragraph':
    case 'heading':
      return endSentence(node.children.map(speak).join(''))
    case 'tableRow':
      return endSentence(
        node.children
          .map(speak)
          .filter((cell) => cell.trim() !== '')
          .join(', '),
      )
    case 'root':
    case 'blockquote':
    case 'list':
    case 'listItem':
    case 'table':
      return node.children.map(speak).join(' ')
    default:
      return 'children' in node ? node.children.map(speak).join('') : ''
  }
}

/** Ends a sentence, so that a screen reader pauses. */
function endSentence(text: string): string {
  const words = text.trim()
  return words === '' || /[\p{Po}…]$/u.test(words) ? words : `${words}.`
}

/** Cuts a text between two words if it is too long. */
function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const part = text.slice(0, maxChars - 1)
  const space = part.lastIndexOf(' ')
  return `${space > maxChars / 2 ? part.slice(0, space) : part.replace(/[\ud800-\udbff]$/, '')}…`
}
