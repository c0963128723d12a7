import type { TemplateCard } from '@wecom/aibot-node-sdk'
import type { Button } from '#plugin-api'

/** Characters of a card's text and title that the apps show. */
const MAX_TEXT = 112
const MAX_TITLE = 26

/** WeCom's limit for buttons of a card. */
const MAX_BUTTONS = 6

const STYLES: Record<Button['style'], number> = { primary: 1, default: 2, danger: 3 }

/** The action of a result card, which the platform requires. */
const RESULT_ACTION = { type: 1, url: 'https://work.weixin.qq.com' } as const

const clip = (text: string, limit: number) => {
  const characters = [...text]
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : text
}

/** Truncates the text before its last line, which contains the outcome. */
function clipToEnd(text: string): string {
  const end = text.slice(text.lastIndexOf('\n') + 1)
  const room = MAX_TEXT - [...end].length - 1
  if ([...text].length <= MAX_TEXT || room < 1) return clip(text, MAX_TEXT)
  return `${clip(text.slice(0, -end.length).trimEnd(), room)}\n${end}`
}

/** True if a card can show the whole text. */
export const fitsCard = (text: string) => [...toPlainText(text)].length <= MAX_TEXT

/** Creates a question with buttons. `task_id` is unique among all cards of the robot. */
export const questionCard = (task_id: string, text: string, buttons: readonly Button[]): TemplateCard => ({
  card_type: 'button_interaction',
  task_id,
  sub_title_text: clip(toPlainText(text), MAX_TEXT) || '…',
  button_list: buttons
    .slice(0, MAX_BUTTONS)
    .map(({ label, value, style }) => ({ text: label.toWellFormed(), style: STYLES[style], key: value })),
})

/** Creates the card that replaces a question. */
export const resultCard = (task_id: string, text: string, title?: string): TemplateCard => ({
  card_type: 'text_notice',
  task_id,
  ...(title && { main_title: { title: clip(title.toWellFormed(), MAX_TITLE) } }),
  sub_title_text: clipToEnd(toPlainText(text)) || '…',
  card_action: RESULT_ACTION,
})

/** Removes the marks of Markdown, which a card would show. */
function toPlainText(markdown: string): string {
  return markdown
    .toWellFormed()
    .replace(/^[^\S\n]*(```|~~~).*$\n?/gm, '')
    .replace(/^\s{0,3}(#{1,6}|>)\s+/gm, '')
    .replace(/!?\[([^[\]]*)\]\(([^)\s]*)\)/g, '$1 $2')
    .replace(/(\*\*|~~|`)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/\\([\\`*_{}[\]()#+\-.!>~|])/g, '$1')
    .trim()
}
