import type { JSONValue, OutboundMessage } from '#plugin-api'
import type { Api } from './api.ts'
import { textOf } from './fields.ts'
import { type Form, hasArrived, numberFor, plainer } from './form.ts'
import { keyboardOf } from './keyboard.ts'
import { defuseLinks } from './links.ts'
import { pathOf, type Target } from './target.ts'

/** QQ's sorts of messages. */
const PLAIN = 0
const MARKDOWN = 2
const MEDIA = 7

/** Sends a message, more plainly where QQ refuses a part of its form; gives its id, or null where QQ had it before. */
export function sendMessage(
  api: Api,
  target: Target,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<JSONValue> {
  const keyboard = keyboardOf(target, message)
  return deliver(api, target, message.key, signal, (form) => {
    const text = form.links ? message.text : defuseLinks(message.text)
    return {
      ...(form.markdown
        ? { msg_type: MARKDOWN, markdown: { content: text } }
        : { msg_type: PLAIN, content: text }),
      ...(form.keyboard && keyboard && { keyboard }),
    }
  })
}

/** Sends a file that was uploaded before. */
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
  contentOf: (form: Form) => object,
): Promise<JSONValue> {
  let form: Form = { passive: true, markdown: true, links: true, keyboard: true }
  for (;;) {
    const { msg_id, event_id } = target
    const answering = form.passive && { msg_id, event_id, msg_seq: numberFor(key, form) }
    try {
      const body = { ...contentOf(form), ...answering }
      const sent = await api.call('POST', pathOf(target, 'messages'), { body, what: 'the message', signal })
      return textOf(sent.id) ?? null
    } catch (error) {
      if (hasArrived(form, error)) return null
      const next = plainer(form, error)
      if (!next) throw error
      form = next
    }
  }
}
