import type { ButtonPress, InboundFile, InboundMessage } from '#plugin-api'
import { type Media, readContent, type WhatsAppMessage } from './events.ts'

/** All that is needed to answer a message. */
export interface WhatsAppTarget {
  /** The number of a person, or the id of a group. */
  to: string
  is_group: boolean
  message_id: string
}

/** The subset of an event's `value` used here. */
export interface EventValue {
  metadata?: { phone_number_id?: string; display_phone_number?: string }
  contacts?: { wa_id?: string; profile?: { name?: string } }[]
  messages?: WhatsAppMessage[]
  statuses?: { id?: string; status?: string; recipient_id?: string; errors?: object[] }[]
}

/** Returns a press of a button; undefined for another message. */
export function readPress(message: WhatsAppMessage, value: EventValue): ButtonPress | undefined {
  const { from, interactive } = message
  const button = interactive?.button_reply?.id
  if (!from || !button) return undefined
  return { value: button, sender: toSender(from, value), conversation_id: message.group_id ?? from }
}

/** Returns a message of a person; undefined if it is none. */
export function readMessage(message: WhatsAppMessage, value: EventValue): InboundMessage | undefined {
  const { id, from, group_id, timestamp, context } = message
  const content = readContent(message)
  if (!id || !from || !content) return undefined
  const number = value.metadata?.display_phone_number?.replaceAll(/\D/g, '') ?? ''
  const addressed =
    group_id === undefined ? { text: content.text, isMentioned: true } : removeMention(content.text, number)
  const isReplyToUs = number !== '' && context?.from?.replaceAll(/\D/g, '') === number
  const files = content.media ? [toFile(content.media)] : []
  const isForwarded = context?.forwarded === true || context?.frequently_forwarded === true
  const isPassedOn = isForwarded && addressed.text.trim() !== ''
  const sent_at = Number(timestamp) * 1000
  const target: WhatsAppTarget = { to: group_id ?? from, is_group: group_id !== undefined, message_id: id }
  return {
    id,
    conversation: { id: group_id ?? from, type: group_id === undefined ? 'direct' : 'group' },
    sender: toSender(from, value),
    text: isPassedOn ? '' : addressed.text,
    mentioned: addressed.isMentioned || isReplyToUs,
    ...(Number.isFinite(sent_at) && sent_at > 0 && { sent_at }),
    ...(isPassedOn && { quote: { text: addressed.text, is_forwarded: true } }),
    files,
    ...(content.unreadable !== undefined && { unreadable: content.unreadable }),
    target: { ...target },
  }
}

function toSender(from: string, { contacts = [] }: EventValue) {
  const name = contacts.find(({ wa_id }) => wa_id === from)?.profile?.name
  return { id: from, ...(name && { name }) }
}

/** Removes the mention of a number from a text of a group. */
function removeMention(text: string, number: string): { text: string; isMentioned: boolean } {
  if (number === '') return { text, isMentioned: false }
  const mention = new RegExp(`@\\+?${number}(?!\\d)[ \\t]?`)
  return { text: text.replace(mention, '').trim(), isMentioned: mention.test(text) }
}

function toFile({ id, mime_type, filename, type }: Media & { type: string }): InboundFile {
  const media_type = mime_type?.split(';', 1)[0]?.trim()
  const extension = media_type ? EXTENSIONS[media_type] : undefined
  return {
    filename: filename ?? `${type}${extension ?? ''}`,
    ...(media_type && { media_type }),
    reference: { id: id! },
  }
}

/** Extensions of files that come without a name. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'video/mp4': '.mp4',
  'video/3gpp': '.3gp',
  'audio/ogg': '.ogg',
  'audio/mpeg': '.mp3',
  'audio/mp4': '.m4a',
  'audio/aac': '.aac',
  'audio/amr': '.amr',
}
