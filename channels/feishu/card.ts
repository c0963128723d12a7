import { type Button, cutText, isObject, toFilledText } from '#plugin-api'

/** The id of the card element with the text, used in changes. */
export const TEXT_ELEMENT = 'reply'

/** A card of schema 2.0. */
type Card = Record<string, unknown>

const MAX_SUMMARY = 100
const MAX_LABEL = 100

/** Returns the summary that the list of chats shows: the beginning of the text without marks. */
export function createSummary(text: string): { content: string } {
  const bare = cutText(text, 4 * MAX_SUMMARY).replace(/[*_`~#>|]+/g, '')
  return { content: cutText(bare.replace(/\s+/g, ' ').trim(), MAX_SUMMARY) || '…' }
}

const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/

/** Turns images into links: cards show only images that were uploaded to the platform. */
const linkImages = (text: string) =>
  text.replace(
    /!\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g,
    (_, label: string, address: string) => `[${label || address}](${address})`,
  )

/** Returns Markdown for a card. Tags that mention people are escaped, so that a model cannot notify everybody. */
export const toCardMarkdown = (text: string): string =>
  text
    .replace(/<(?=\/?at\b)/gi, '&#60;')
    .split(CODE)
    .map((part, index) => (index % 2 === 0 ? linkImages(part) : part))
    .join('')

const textElement = (text: string, plain: boolean) =>
  plain
    ? { tag: 'div', element_id: TEXT_ELEMENT, text: { tag: 'plain_text', content: text } }
    : { tag: 'markdown', element_id: TEXT_ELEMENT, content: toCardMarkdown(text) }

/** The value of a button, which a press returns. */
interface ButtonValue {
  press: string
  conversation_id: string
}

/** Reads the value of a pressed button; undefined if the button is not ours. */
export function readButtonValue(value: unknown): ButtonValue | undefined {
  if (!isObject(value)) return undefined
  const press = toFilledText(value.press)
  const conversation_id = toFilledText(value.conversation_id)
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
        text: { tag: 'plain_text', content: cutText(label, MAX_LABEL) },
        behaviors: [{ type: 'callback', value: { press: value, conversation_id } satisfies ButtonValue }],
      },
    ],
  })),
})

/** Creates a card for a text; `plain` if the platform refused its marks. */
export function createCard(
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
    // Only a shared card can be changed later.
    config: { update_multi: true, summary: createSummary(text) },
    body: { elements: [textElement(text, plain), ...row] },
  }
}

/** Creates a streaming card, which types out its growing text. */
export function createStreamingCard(text: string): Card {
  return {
    schema: '2.0',
    config: {
      update_multi: true,
      streaming_mode: true,
      // New text completes the earlier text at once, so that the typing never falls behind.
      streaming_config: {
        print_frequency_ms: { default: 50 },
        print_step: { default: 4 },
        print_strategy: 'fast',
      },
    },
    body: { elements: [textElement(text, false)] },
  }
}
