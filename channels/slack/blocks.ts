import type { Button } from '#plugin-api'

/** The prefix of an action block's id, which contains the conversation for the press. */
const PREFIX = 'conversation:'

/** Characters of a notification; the whole message is in the blocks. */
const SUMMARY_LENGTH = 300

/** Code points of a section, which may have 3000 UTF-16 code units. */
const SECTION_LENGTH = 1500

/** The longest label of a button. */
const LABEL_LENGTH = 75

/** Creates a block in Markdown. */
export const markdownBlock = (text: string) => ({ type: 'markdown', text })

/** Creates blocks of plain text, used if Slack refuses the Markdown. */
export const plainBlocks = (text: string) =>
  (text.match(new RegExp(`[^]{1,${SECTION_LENGTH}}`, 'gu')) ?? []).map((part) => ({
    type: 'section',
    text: { type: 'plain_text', text: part },
  }))

/** Creates a row of buttons; its id contains the conversation. */
export const buttonBlock = (buttons: readonly Button[], conversation: string) => ({
  type: 'actions',
  block_id: PREFIX + conversation,
  elements: buttons.map(({ label, value, style }, index) => ({
    type: 'button',
    action_id: `button:${index}`,
    text: { type: 'plain_text', text: label.slice(0, LABEL_LENGTH).toWellFormed() },
    value,
    ...(style !== 'default' && { style }),
  })),
})

/** Returns the conversation from the id of a row of buttons. */
export const readConversation = (blockId: string | undefined): string | undefined =>
  blockId?.startsWith(PREFIX) ? blockId.slice(PREFIX.length) : undefined

/** Escapes a text for Slack's own markup. */
export const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Returns the text of a notification for a message with blocks. */
export const createSummary = (text: string) => escapeText(text.slice(0, SUMMARY_LENGTH).toWellFormed())

/** Breaks broadcast mentions, so that a model cannot notify everybody. */
export const withoutBroadcasts = (text: string) =>
  text.replace(/<!(?=channel|here|everyone|subteam\^)/g, '<\u200b!')
