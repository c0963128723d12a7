import { toLine } from '#plugin-api'

/** A file of a message; its bytes are asked for by its id. */
export interface Media {
  id?: string
  mime_type?: string
  filename?: string
  caption?: string
  voice?: boolean
}

/** A message as the webhook delivers it. WhatsApp adds types, so only the fields are examined. */
export interface WhatsAppMessage {
  id?: string
  from?: string
  group_id?: string
  timestamp?: string
  type?: string
  text?: { body?: string }
  image?: Media
  video?: Media
  audio?: Media
  document?: Media
  sticker?: Media
  location?: { latitude?: number; longitude?: number; name?: string; address?: string }
  contacts?: { name?: { formatted_name?: string }; phones?: { phone?: string }[] }[]
  button?: { text?: string }
  interactive?: {
    button_reply?: { id?: string; title?: string }
    list_reply?: { title?: string }
    nfm_reply?: { body?: string }
  }
  order?: { product_items?: { product_retailer_id?: string; quantity?: number }[]; text?: string }
  context?: { from?: string; id?: string; forwarded?: boolean; frequently_forwarded?: boolean }
}

/** The content of a message; `unreadable` names content that cannot be read, if there is no other. */
export interface MessageContent {
  text: string
  media?: Media & { type: string }
  unreadable?: string
}

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'] as const

/** Reads the content of a message; undefined for what is no message, such as a reaction. */
export function readContent(message: WhatsAppMessage): MessageContent | undefined {
  const { type = 'unknown', text, location, contacts, button, interactive, order } = message
  for (const name of MEDIA) {
    const media = message[name]
    if (media?.id) return { text: media.caption ?? '', media: { ...media, type: name } }
  }
  // A reaction is attached to another message, and "system" tells of changed numbers.
  if (type === 'reaction' || type === 'system' || type === 'request_welcome') return undefined
  if (text?.body !== undefined) return { text: text.body }
  if (button?.text !== undefined) return { text: button.text }
  const chosen = interactive?.button_reply ?? interactive?.list_reply
  if (chosen?.title !== undefined) return { text: chosen.title }
  if (interactive?.nfm_reply) return { text: interactive.nfm_reply.body ?? '' }
  if (location) {
    const address = [location.name, location.address].filter(Boolean).map((part) => toLine(part!))
    return { text: `[location: ${[`${location.latitude}, ${location.longitude}`, ...address].join(', ')}]` }
  }
  if (contacts) {
    const people = contacts.map(({ name, phones = [] }) =>
      [name?.formatted_name, ...phones.map(({ phone }) => phone)]
        .filter(Boolean)
        .map((part) => toLine(part!)),
    )
    return { text: people.map((person) => `[contact: ${person.join(', ')}]`).join('\n') }
  }
  if (order) {
    const items = order.product_items?.map(
      ({ product_retailer_id = '?', quantity = 1 }) => `${quantity} × ${toLine(product_retailer_id)}`,
    )
    return { text: [`[order: ${items?.join(', ') ?? ''}]`, order.text].filter(Boolean).join('\n') }
  }
  return { text: '', unreadable: type === 'unknown' || type === 'unsupported' ? 'message' : toLine(type) }
}
