import { type Json, toFilledText, toLine, toObject, toObjects, toScalarText, toText } from '#plugin-api'

/** A file of a message; its bytes are asked for by its id. */
export interface Media {
  type: string
  id: string
  mime_type?: string
  filename?: string
}

/** The content of a message; `unreadable` names content that cannot be read, if there is no other. */
export interface MessageContent {
  text: string
  media?: Media
  unreadable?: string
}

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'] as const

/** Types that are no messages: a reaction is attached to another message, and "system" tells of changed numbers. */
const NO_MESSAGES = ['reaction', 'system', 'request_welcome']

/** Reads the content of a message as the webhook delivers it; undefined for what is no message, such as a reaction. */
export function readContent(message: Json): MessageContent | undefined {
  const type = toFilledText(message.type) ?? 'unknown'
  if (NO_MESSAGES.includes(type)) return undefined
  return (
    readMedia(message) ??
    readWords(message) ?? {
      text: '',
      unreadable: type === 'unknown' || type === 'unsupported' ? 'message' : toLine(type),
    }
  )
}

function readMedia(message: Json): MessageContent | undefined {
  for (const type of MEDIA) {
    const { id, caption, mime_type, filename } = toObject(message[type])
    const media_id = toFilledText(id)
    if (media_id === undefined) continue
    const [typeOfFile, name] = [toFilledText(mime_type), toFilledText(filename)]
    return {
      text: toText(caption),
      media: {
        type,
        id: media_id,
        ...(typeOfFile && { mime_type: typeOfFile }),
        ...(name && { filename: name }),
      },
    }
  }
  return undefined
}

/** Reads the words of a message, or describes content that words can describe. */
function readWords(message: Json): MessageContent | undefined {
  const { body } = toObject(message.text)
  if (typeof body === 'string') return { text: body }
  const { button_reply, list_reply, nfm_reply } = toObject(message.interactive)
  const chosen =
    toFilledText(toObject(message.button).text) ??
    toFilledText(toObject(button_reply).title) ??
    toFilledText(toObject(list_reply).title) ??
    toFilledText(toObject(nfm_reply).body)
  if (chosen !== undefined) return { text: chosen }
  const { latitude, longitude, name, address } = toObject(message.location)
  const position = [latitude, longitude].map(toScalarText)
  if (position.some((part) => part !== ''))
    return { text: `[location: ${joinFilled([...position, name, address])}]` }
  const people = toObjects(message.contacts)
  if (people.length > 0) return { text: people.map(describeContact).join('\n') }
  if (message.order !== undefined) return { text: describeOrder(toObject(message.order)) }
  return undefined
}

/** Joins the texts that are not empty in one line. */
const joinFilled = (texts: readonly unknown[]) =>
  texts
    .map((text) => toLine(toText(text)))
    .filter((text) => text !== '')
    .join(', ')

function describeContact({ name, phones }: Json): string {
  const numbers = toObjects(phones).map(({ phone }) => phone)
  return `[contact: ${joinFilled([toObject(name).formatted_name, ...numbers])}]`
}

function describeOrder({ product_items, text }: Json): string {
  const items = toObjects(product_items).map(
    ({ product_retailer_id, quantity }) =>
      `${toScalarText(quantity) || '1'} × ${toText(product_retailer_id)}`,
  )
  return [`[order: ${joinFilled(items)}]`, toText(text)].filter((part) => part !== '').join('\n')
}
