import {
  type ButtonPress,
  type InboundFile,
  type InboundMessage,
  type Json,
  toFilledText,
  toObject,
  toObjects,
  toScalarText,
  toText,
} from '#plugin-api'
import { type Media, readContent } from './events.ts'

/** All that is needed to answer a message. */
export interface WhatsAppTarget {
  /** The number of a person, or the id of a group. */
  to: string
  is_group: boolean
  message_id: string
}

/** Returns a press of a button; undefined for another message. `value` is that of the event with the message. */
export function readPress(message: Json, value: Json): ButtonPress | undefined {
  const from = toFilledText(message.from)
  const button = toFilledText(toObject(toObject(message.interactive).button_reply).id)
  if (from === undefined || button === undefined) return undefined
  return {
    value: button,
    sender: toSender(from, value),
    conversation_id: toFilledText(message.group_id) ?? from,
  }
}

/** Returns a message of a person; undefined if it is none. `value` is that of the event with the message. */
export function readMessage(message: Json, value: Json): InboundMessage | undefined {
  const [id, from, group_id] = [message.id, message.from, message.group_id].map(toFilledText)
  const content = readContent(message)
  if (id === undefined || from === undefined || !content) return undefined
  const context = toObject(message.context)
  const number = toDigits(toObject(value.metadata).display_phone_number)
  const addressed =
    group_id === undefined ? { text: content.text, isMentioned: true } : removeMention(content.text, number)
  const isReplyToUs = number !== '' && toDigits(context.from) === number
  const isForwarded = context.forwarded === true || context.frequently_forwarded === true
  const isPassedOn = isForwarded && addressed.text.trim() !== ''
  const sent_at = Number(toScalarText(message.timestamp)) * 1000
  const target: WhatsAppTarget = { to: group_id ?? from, is_group: group_id !== undefined, message_id: id }
  return {
    id,
    conversation: { id: group_id ?? from, type: group_id === undefined ? 'direct' : 'group' },
    sender: toSender(from, value),
    text: isPassedOn ? '' : addressed.text,
    mentioned: addressed.isMentioned || isReplyToUs,
    ...(sent_at > 0 && sent_at < LAST_TIME && { sent_at }),
    ...(isPassedOn && { quote: { text: addressed.text, is_forwarded: true } }),
    files: content.media ? [toFile(content.media)] : [],
    ...(content.unreadable !== undefined && { unreadable: content.unreadable }),
    target: { ...target },
  }
}

/** The latest time that a date can have, in Unix milliseconds. */
const LAST_TIME = 8_640_000_000_000_000

const toDigits = (value: unknown) => toText(value).replaceAll(/\D/g, '')

function toSender(from: string, value: Json) {
  const contact = toObjects(value.contacts).find(({ wa_id }) => wa_id === from)
  const name = toFilledText(toObject(contact?.profile).name)
  return { id: from, ...(name && { name }) }
}

/** Removes the mention of a number from a text of a group. */
function removeMention(text: string, number: string): { text: string; isMentioned: boolean } {
  if (number === '') return { text, isMentioned: false }
  const mention = new RegExp(`@\\+?${number}(?!\\d)[ \\t]?`)
  return { text: text.replace(mention, '').trim(), isMentioned: mention.test(text) }
}

function toFile({ id, mime_type, filename, type }: Media): InboundFile {
  const media_type = mime_type?.split(';', 1)[0]?.trim()
  const extension = media_type ? EXTENSIONS[media_type] : undefined
  return {
    filename: filename ?? `${type}${extension ?? ''}`,
    ...(media_type && { media_type }),
    reference: { id },
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
