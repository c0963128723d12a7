import { type Button, type JSONValue, type OutboundMessage, toFilledText } from '#plugin-api'
import type { Api } from './api.ts'
import { createNumber, defuseLinks, type Form, hasArrived, simplify } from './form.ts'
import { type Target, toPath } from './inbound.ts'

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

/** QQ accepts five rows of five buttons. */
const MAX_ROWS = 5
const MAX_IN_ROW = 5
/** Characters of a label; QQ refuses longer ones. */
const MAX_LABEL = 10
/** Buttons that fit side by side on a phone without being cut. */
const BUTTONS_PER_ROW = 2

const STYLES: Record<Button['style'], number> = { default: 0, primary: 1, danger: 3 }

const CALLBACK = 1
const ONLY_SOME = 0
const EVERYBODY = 2

/** Creates the keyboard of a message; undefined if it has no buttons. */
function createKeyboard({ scene }: Target, { buttons = [], pressers, key }: OutboundMessage) {
  if (buttons.length === 0) return undefined
  const permission =
    scene === 'groups' && pressers && pressers.length > 0
      ? { type: ONLY_SOME, specify_user_ids: [...pressers] }
      : { type: EVERYBODY }
  const drawn = buttons.slice(0, MAX_ROWS * MAX_IN_ROW).map(({ label, value, style }, index) => ({
    id: String(index + 1),
    render_data: { label: cut(label), visited_label: cut(`✓ ${label}`), style: STYLES[style] },
    action: { type: CALLBACK, data: value, permission, click_limit: 1, unsupport_tips: label },
    // After one button of a group is pressed, QQ disables the others.
    group_id: key,
  }))
  const inRow = Math.max(BUTTONS_PER_ROW, Math.ceil(drawn.length / MAX_ROWS))
  const rows = Array.from({ length: Math.ceil(drawn.length / inRow) }, (_, row) => ({
    buttons: drawn.slice(row * inRow, (row + 1) * inRow),
  }))
  return { content: { rows } }
}

function cut(label: string): string {
  const characters = [...label.toWellFormed()]
  return characters.length <= MAX_LABEL
    ? characters.join('')
    : `${characters.slice(0, MAX_LABEL - 1).join('')}…`
}
