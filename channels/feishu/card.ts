import type { Button } from '#plugin-api'
import { isRecord, textOf } from './reply.ts'

/** The element of a card that holds the text; its id names it in changes. */
export const TEXT_ELEMENT = 'reply'

/** A card of schema 2.0. */
export type Card = Record<string, unknown>

const MAX_SUMMARY = 100
const MAX_LABEL = 100

/** What the list of chats shows of a message: the beginning of its text, without marks. */
export function summaryOf(text: string): { content: string } {
  const bare = text.slice(0, 4 * MAX_SUMMARY).replace(/[*_`~#>|]+/g, '')
  return { content: bare.replace(/\s+/g, ' ').trim().slice(0, MAX_SUMMARY) }
}

const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/

/** An image must lie with the platform; one from elsewhere becomes a link. */
const linkImages = (text: string) =>
  text.replace(
    /!\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g,
    (_, label: string, address: string) => `[${label || address}](${address})`,
  )

/** Markdown for a card; a model may not call everybody, so a tag that mentions people is shown as it is written. */
export const markdownOf = (text: string): string =>
  text
    .replace(/<(?=\/?at\b)/gi, '&#60;')
    .split(CODE)
    .map((part, index) => (index % 2 === 0 ? linkImages(part) : part))
    .join('')

const textElement = (text: string, plain: boolean) =>
  plain
    ? { tag: 'div', element_id: TEXT_ELEMENT, text: { tag: 'plain_text', content: text } }
    : { tag: 'markdown', element_id: TEXT_ELEMENT, content: markdownOf(text) }

/** What a button hands back when it is pressed. */
export interface ButtonValue {
  press: string
  conversation_id: string
}

/** Reads what a pressed button hands back; undefined where it is none of ours. */
export function readButtonValue(value: unknown): ButtonValue | undefined {
  if (!isRecord(value)) return undefined
  const press = textOf(value.press)
  const conversation_id = textOf(value.conversation_id)
  return press && conversation_id ? { press, conversation_id } : undefined
}

const buttonRow = (buttons: readonly Button[], conversation_id: string) => ({
  tag: 'column_set',
  flex_mode: 'flow',
  columns: buttons.map(({ label, value, style }) => ({
    tag: 'column',
    width: 'auto',
    elements: [
      {
        tag: 'button',
        type: style,
        text: { tag: 'plain_text', content: label.slice(0, MAX_LABEL) },
        behaviors: [{ type: 'callback', value: { press: value, conversation_id } satisfies ButtonValue }],
      },
    ],
  })),
})

/** Makes a card of a text; `plain` where the platform refused its marks. */
export function cardOf(
  text: string,
  {
    buttons = [],
    conversation_id = '',
    plain = false,
  }: { buttons?: readonly Button[]; conversation_id?: string; plain?: boolean } = {},
): Card {
  const row = buttons.length > 0 ? [buttonRow(buttons, conversation_id)] : []
  return {
    schema: '2.0',
    // Only a card that all see alike can be changed later.
    config: { update_multi: true, summary: summaryOf(text) },
    body: { elements: [textElement(text, plain), ...row] },
  }
}

/** Makes a card whose text is typed out as it grows. */
export function streamingCardOf(text: string): Card {
  return {
    schema: '2.0',
    config: {
      update_multi: true,
      streaming_mode: true,
      // What came before is shown at once when more comes, so that the typing never falls behind.
      streaming_config: {
        print_frequency_ms: { default: 50 },
        print_step: { default: 4 },
        print_strategy: 'fast',
      },
    },
    body: { elements: [textElement(text, false)] },
  }
}
