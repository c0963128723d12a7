import type { QuotedMessage } from '#plugin-api'
import { type BlockParts, toMarkup } from './block-text.ts'
import { escapeText } from './blocks.ts'
import { listFiles, type SlackFile } from './inbound-files.ts'
import { readText } from './inbound-text.ts'

/** An attachment of a message: a shared message, the preview of a link, or content of another program. */
export interface Attachment {
  is_share?: boolean
  is_msg_unfurl?: boolean
  from_url?: string
  original_url?: string
  author_name?: string
  pretext?: string
  title?: string
  title_link?: string
  text?: string
  fields?: { title?: string; value?: string }[]
  footer?: string
  fallback?: string
  blocks?: BlockParts[]
  message_blocks?: { message?: { blocks?: BlockParts[] } }[]
  files?: SlackFile[]
}

const isShared = ({ is_share, is_msg_unfurl }: Attachment) => is_share || is_msg_unfurl

/** Reads the messages that were shared with a message. */
export function readShared(attachments: readonly Attachment[], botId: string): QuotedMessage | undefined {
  const shared = attachments.filter(isShared)
  const files = shared.map((attachment) => listFiles(attachment.files))
  const texts = shared.flatMap((attachment, index) => [
    readText(readSharedMarkup(attachment), botId, { keepsMention: true }).text,
    ...files[index]!.descriptions,
  ])
  const text = texts.filter(Boolean).join('\n\n')
  const readable = files.flatMap((each) => each.files)
  if (!text && readable.length === 0) return undefined
  const sender = shared.find(({ author_name }) => author_name)?.author_name
  return {
    text,
    is_forwarded: true,
    ...(sender && { sender }),
    ...(readable.length > 0 && { files: readable }),
  }
}

function readSharedMarkup({ text, message_blocks = [], blocks = [], fallback = '' }: Attachment): string {
  const inner = message_blocks.flatMap(({ message }) => message?.blocks ?? [])
  return text || toMarkup([...inner, ...blocks]) || fallback
}

/**
 * Returns the content of other programs in Slack's own markup. The preview of a link repeats what is behind a link in
 * the text, so it counts only if there is no text.
 */
export const describeAttachments = (attachments: readonly Attachment[], hasText: boolean): string =>
  attachments
    .filter((attachment) => !isShared(attachment))
    .filter(({ from_url, original_url }) => !hasText || !(from_url || original_url))
    .map(describeAttachment)
    .filter(Boolean)
    .join('\n\n')

function describeAttachment(attachment: Attachment): string {
  const { author_name = '', pretext, title, title_link, text, fields = [], footer = '' } = attachment
  const heading = title && title_link ? `<${title_link}|${title}>` : (title ?? title_link)
  const rows = fields.map((field) => [field.title, field.value].filter(Boolean).join(': '))
  const parts = [pretext, escapeText(author_name), heading, text, ...rows, escapeText(footer)]
  return toMarkup(attachment.blocks ?? []) || parts.filter(Boolean).join('\n') || (attachment.fallback ?? '')
}
