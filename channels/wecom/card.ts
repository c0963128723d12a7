import type { TemplateCard } from '@wecom/aibot-node-sdk'
import type { Button } from '#plugin-api'

/** Characters of a card's text and of its title before the apps cut them off. */
const MAX_TEXT = 112
const MAX_TITLE = 26

/** Buttons of one card. */
const MAX_BUTTONS = 6

const STYLES: Record<Button['style'], number> = { primary: 1, default: 2, danger: 3 }

/** A card that says how a question ended leads somewhere, as the platform insists. */
const RESULT_ACTION = { type: 1, url: 'https://work.weixin.qq.com' } as const

const clip = (text: string, limit: number) => {
  const characters = [...text]
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : text
}

/** Cuts the beginning, so that the last line is left: it says how it ended. */
function clipToEnd(text: string): string {
  const end = text.slice(text.lastIndexOf('\n') + 1)
  const room = MAX_TEXT - [...end].length - 1
  if ([...text].length <= MAX_TEXT || room < 1) return clip(text, MAX_TEXT)
  return `${clip(text.slice(0, -end.length).trimEnd(), room)}\n${end}`
}

/** Whether a card shows all of this text. */
export const fitsCard = (text: string) => [...plainOf(text)].length <= MAX_TEXT

/** A question with its buttons. `task_id` is unique among all cards of the robot. */
export const questionCard = (task_id: string, text: string, buttons: readonly Button[]): TemplateCard => ({
  card_type: 'button_interaction',
  task_id,
  sub_title_text: clip(plainOf(text), MAX_TEXT) || '…',
  button_list: buttons
    .slice(0, MAX_BUTTONS)
    .map(({ label, value, style }) => ({ text: label, style: STYLES[style], key: value })),
})

/** What takes the place of a question. */
export const resultCard = (task_id: string, text: string, title?: string): TemplateCard => ({
  card_type: 'text_notice',
  task_id,
  ...(title && { main_title: { title: clip(title, MAX_TITLE) } }),
  sub_title_text: clipToEnd(plainOf(text)) || '…',
  card_action: RESULT_ACTION,
})

/** Markdown without its marks: a card shows them as they are. */
function plainOf(markdown: string): string {
  return markdown
    .replace(/^\s*(```|~~~).*$\n?/gm, '')
    .replace(/^\s{0,3}(#{1,6}|>)\s+/gm, '')
    .replace(/!?\[([^\]]*)\]\(([^)\s]*)\)/g, '$1 $2')
    .replace(/(\*\*|~~|`)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/\\([\\`*_{}[\]()#+\-.!>~|])/g, '$1')
    .trim()
}
