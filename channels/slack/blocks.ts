import type { Button } from '#plugin-api'

/** What an actions block says of itself, so that a press knows its conversation. */
const PREFIX = 'conversation:'

/** The most that Slack puts into a notification; the message itself is in the blocks. */
const SUMMARY_LENGTH = 300

/** Code points in a section, which may have 3000 UTF-16 code units. */
const SECTION_LENGTH = 1500

/** The longest label of a button. */
const LABEL_LENGTH = 75

/** The message in markdown. */
export const markdownBlock = (text: string) => ({ type: 'markdown', text })

/** The message as it stands, for where Slack refuses the markdown. */
export const plainBlocks = (text: string) =>
  (text.match(new RegExp(`[^]{1,${SECTION_LENGTH}}`, 'gu')) ?? []).map((part) => ({
    type: 'section',
    text: { type: 'plain_text', text: part },
  }))

/** Buttons in a row; each press tells the conversation. */
export const buttonBlock = (buttons: readonly Button[], conversation: string) => ({
  type: 'actions',
  block_id: PREFIX + conversation,
  elements: buttons.map(({ label, value, style }, index) => ({
    type: 'button',
    action_id: `button:${index}`,
    text: { type: 'plain_text', text: label.slice(0, LABEL_LENGTH) },
    value,
    ...(style !== 'default' && { style }),
  })),
})

/** The conversation that a row of buttons was made for. */
export const conversationIn = (blockId: string | undefined): string | undefined =>
  blockId?.startsWith(PREFIX) ? blockId.slice(PREFIX.length) : undefined

/** Writes characters so that Slack's own markup sees none of it. */
export const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** A form cannot carry halves of characters, which a text has at its end while it is written. */
export const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** What a notification shows of a message that has blocks. */
export const summaryOf = (text: string) => escapeText(wellFormed(text.slice(0, SUMMARY_LENGTH)))

/** Takes from a model's words the power to ring at everybody's desk. */
export const withoutBroadcasts = (text: string) =>
  text.replace(/<!(?=channel|here|everyone|subteam\^)/g, '<\u200b!')
