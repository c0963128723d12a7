import { ChannelFailure, type OutboundFile, type OutboundMessage } from '#plugin-api'
import type { GraphApi } from './api.ts'
import type { WhatsAppConfig } from './config.ts'
import type { WhatsAppTarget } from './inbound.ts'

/** The limits of a message with buttons. */
const MAX_BUTTONS = 3
const MAX_TITLE = 20
const MAX_BODY = 1024

/** The forms of files that WhatsApp shows, with the largest size of each in bytes; all others are documents. */
const SHOWN: readonly [type: 'image' | 'video' | 'audio', media_types: RegExp, max_bytes: number][] = [
  ['image', /^image\/(?:jpeg|png)$/, 5 * 1024 * 1024],
  ['video', /^video\/(?:mp4|3gpp)$/, 16 * 1024 * 1024],
  ['audio', /^audio\/(?:aac|mp4|mpeg|amr|ogg)$/, 16 * 1024 * 1024],
]

/** Creates the sender of messages from a number. */
export function createSending(api: GraphApi, { phone_number_id }: Pick<WhatsAppConfig, 'phone_number_id'>) {
  const post = ({ to, is_group, message_id }: WhatsAppTarget, content: object, signal: AbortSignal) => {
    const message = {
      messaging_product: 'whatsapp',
      recipient_type: is_group ? 'group' : 'individual',
      to,
      // In a group it must be clear whom the agent answers.
      ...(is_group && { context: { message_id } }),
      ...content,
    }
    return api.post(`${phone_number_id}/messages`, message, signal)
  }

  const sendText = async (target: WhatsAppTarget, text: string, signal: AbortSignal): Promise<void> => {
    await post(target, { type: 'text', text: { body: text, preview_url: false } }, signal)
  }

  const sendButtons = async (
    target: WhatsAppTarget,
    { text, buttons = [] }: OutboundMessage,
    signal: AbortSignal,
  ): Promise<void> => {
    const [head, body] = splitBody(text)
    if (head !== '') await sendText(target, head, signal)
    const action = {
      buttons: buttons.slice(0, MAX_BUTTONS).map(({ label, value }) => ({
        type: 'reply',
        reply: { id: value, title: cutTitle(label) },
      })),
    }
    await post(
      target,
      { type: 'interactive', interactive: { type: 'button', body: { text: body }, action } },
      signal,
    )
  }

  return {
    sendText,
    /** Sends a message, with its buttons if it has any. */
    send: (target: WhatsAppTarget, message: OutboundMessage, signal: AbortSignal): Promise<void> =>
      message.buttons && message.buttons.length > 0 && !target.is_group
        ? sendButtons(target, message, signal)
        : sendText(target, message.text, signal),
    /** Uploads a file and sends it. */
    async sendFile(
      target: WhatsAppTarget,
      { filename, media_type, bytes }: OutboundFile,
      signal: AbortSignal,
    ): Promise<void> {
      if (bytes.length === 0) throw new ChannelFailure('unsupported', 'WhatsApp does not accept empty files.')
      const name = filename.toWellFormed()
      const form = new FormData()
      form.set('messaging_product', 'whatsapp')
      form.set('type', media_type)
      form.set('file', new Blob([bytes as Uint8Array<ArrayBuffer>], { type: media_type }), name)
      const { id } = await api.upload(`${phone_number_id}/media`, form, signal)
      const type =
        SHOWN.find(([, types, most]) => types.test(media_type) && bytes.length <= most)?.[0] ?? 'document'
      await post(target, { type, [type]: { id, ...(type === 'document' && { filename: name }) } }, signal)
    },
    /** Marks the message as read and shows that an answer is written, for up to 25 seconds. */
    async showTyping({ message_id, is_group }: WhatsAppTarget, signal: AbortSignal): Promise<void> {
      const indicator = is_group ? {} : { typing_indicator: { type: 'text' } }
      const read = { messaging_product: 'whatsapp', status: 'read', message_id, ...indicator }
      await api.post(`${phone_number_id}/messages`, read, signal)
    },
  }
}

/** Divides the text of a message with buttons, whose body is short: what comes before is sent as a message of its own. */
function splitBody(text: string): [head: string, body: string] {
  if (text.length <= MAX_BODY) return ['', text]
  const line = text.indexOf('\n', text.length - MAX_BODY)
  const start = line < 0 || line + 1 >= text.length ? text.length - MAX_BODY : line + 1
  return [text.slice(0, start).trimEnd(), text.slice(start).trim()]
}

const cutTitle = (label: string) => {
  const characters = [...label]
  return characters.length > MAX_TITLE ? `${characters.slice(0, MAX_TITLE - 1).join('')}…` : label
}
