import { isObject, parseObject } from '#toolbox'
import type { Fields } from './message-content.ts'

/** Deeper than the elements of any card. */
const MAX_DEPTH = 10

/** The platform's text in place of a card that it does not return. */
const UPGRADE_NOTE = '请升级至最新版本客户端，以查看内容'

/** Reads a card: its texts, one per line, without its buttons. Undefined if it has none. */
export function readCard(fields: Fields): string | undefined {
  // The API returns the card as it was sent as a text in one of these fields.
  const card = parseObject(fields.user_dsl) ?? parseObject(fields.json_card) ?? fields
  const text = listTexts(card).join('\n')
  return text.trim() === '' || text.includes(UPGRADE_NOTE) ? undefined : text
}

/** Fields with texts or elements, in the order in which a card shows them. */
const PARTS = [
  'header',
  'title',
  'subtitle',
  'body',
  'i18n_elements',
  'elements',
  'columns',
  'fields',
  'text',
  'content',
]

function listTexts(node: unknown, depth = 0): string[] {
  if (depth > MAX_DEPTH) return []
  if (Array.isArray(node)) return node.flatMap((item) => listTexts(item, depth + 1))
  if (!isObject(node) || node.tag === 'button') return []
  return PARTS.flatMap((name) => {
    const part = name === 'i18n_elements' ? firstLanguage(node[name]) : node[name]
    return typeof part === 'string' ? (part === '' ? [] : [part]) : listTexts(part, depth + 1)
  })
}

/** Returns the elements in one language: the others say the same. */
const firstLanguage = (byLanguage: unknown): unknown =>
  isObject(byLanguage) ? Object.values(byLanguage)[0] : undefined
