import type { JSONValue, OutboundMessage } from '#plugin-api'
import { toFilledText } from '#toolbox'
import type { Api } from './api.ts'
import { createNumber, defuseLinks, type Form, hasArrived, simplify } from './form.ts'
import { type Target, toPath } from './inbound.ts'
import { createKeyboard } from './keyboard.ts'

/** QQ's message types. */
const PLAIN = 0
const MARKDOWN = 2
const MEDIA = 7

/** Sends a message, without the features that QQ refuses. Returns its id, or null if QQ had received it before. */
export function sendMessage(
  api: Api,
  target: Target,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<JSONValue> {
  const keyboard = createKeyboard(target, message)
  return deliver(api, target, message.key, signal, (form) => {
    const written = message.text.toWellFormed()
    const text = form.links ? written : defuseLinks(written)
    return {
      ...(form.markdown
        ? { msg_type: MARKDOWN, markdown: { content: text } }
        : { msg_type: PLAIN, content: text }),
      ...(form.keyboard && keyboard && { keyboard }),
    }
  })
}

/** Sends an uploaded file. */
export async function sendMedia(
  api: Api,
  target: Target,
  { file_info, key }: { file_info: string; key: string },
  signal: AbortSignal,
): Promise<void> {
  await deliver(api, target, key, signal, () => ({ msg_type: MEDIA, media: { file_info } }))
}

async function deliver(
  api: Api,
  target: Target,
  key: string,
  signal: AbortSignal,
  createContent: (form: Form) => object,
): Promise<JSONValue> {
  let form: Form = { passive: true, markdown: true, links: true, keyboard: true }
  for (;;) {
    const { msg_id, event_id } = target
    const answering = form.passive && { msg_id, event_id, msg_seq: createNumber(key, form) }
    try {
      const body = { ...createContent(form), ...answering }
      const sent = await api.call('POST', toPath(target, 'messages'), { body, what: 'the message', signal })
      return toFilledText(sent.id) ?? null
    } catch (error) {
      if (hasArrived(form, error)) return null
      const next = simplify(form, error)
      if (!next) throw error
      form = next
    }
  }
}
