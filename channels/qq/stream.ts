import {
  ChannelFailure,
  type JSONValue,
  type LiveMessage,
  type OutboundMessage,
  toFilledText,
} from '#plugin-api'
import type { Api } from './api.ts'
import { readCode } from './failure.ts'
import { createNumber, defuseWords, type Form, hasArrived, simplify } from './form.ts'
import { type Target, toPath } from './inbound.ts'

const WRITING = 1
const DONE = 10

/** The code for a text that does not begin with the shown text, and for a stream that has ended. */
const FIXED = 40007

/** The reference with which another process continues a stream. */
interface Reference {
  stream_msg_id: string
  msg_seq: number
  form: Form
  /** In Unix milliseconds. */
  begun_at: number
}

/** Begins a streamed message, or continues the one that `begun` refers to. */
export async function openStream(
  api: Api,
  target: Target,
  message: OutboundMessage,
  signal: AbortSignal,
  begun?: JSONValue,
): Promise<LiveMessage> {
  const earlier = (begun ?? undefined) as Reference | undefined
  let form: Form = earlier?.form ?? { passive: true, markdown: true, links: true, keyboard: true }
  let stream_msg_id = earlier?.stream_msg_id
  // Frame numbers must increase. Another process has sent fewer frames than milliseconds have passed.
  let index = earlier ? Math.max(0, Date.now() - earlier.begun_at) + 1 : 0
  /** The source of the shown text, and the text as it was shown. */
  let shownSource = ''
  let shown = ''
  let isDone = false
  let hasRestarted = false
  let msg_seq = earlier?.msg_seq ?? createNumber(message.key, form)

  /** Returns the text to show and its source. Shown text stays as it is, because QQ does not let it change. */
  function toContent(text: string, isLast: boolean): { content_raw: string; part: string } {
    if (form.links || !text.startsWith(shownSource)) return { content_raw: text, part: text }
    // An incomplete address at the end looks like a word, so the last word is held back.
    const isWhole = isLast || shown === ''
    const added = isWhole
      ? text.slice(shownSource.length)
      : text.slice(shownSource.length).replace(/\S+$/, '')
    return { content_raw: shown + defuseWords(added), part: shownSource + added }
  }

  /** Drops links after a refusal; other features cannot change within a stream. */
  function giveUpLinks(error: unknown): void {
    const next = simplify(form, error)
    if (!next || next.links === form.links) throw error
    form = next
    // A space separates half an address that may have been shown from the text that would complete it.
    if (/\S$/.test(shown)) shown += ' '
  }

  /** Restarts with a reduced form, or with another number if the id of the first frame was lost. */
  function restart(error: unknown): void {
    const isLost = hasArrived(form, error) && !hasRestarted
    const next = isLost ? form : simplify(form, error)
    if (!next) throw error
    hasRestarted ||= isLost
    form = next
    index = 0
    msg_seq = createNumber(hasRestarted ? `${message.key} anew` : message.key, form)
  }

  async function put(markdown: string, input_state: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { content_raw, part } = toContent(markdown.toWellFormed(), input_state === DONE)
      if (input_state === WRITING && stream_msg_id && content_raw === shown) return
      const body = {
        input_mode: 'replace',
        input_state,
        index,
        content_type: form.markdown ? 'markdown' : 'text',
        content_raw,
        ...(form.passive && { msg_id: target.msg_id }),
        msg_seq,
        ...(stream_msg_id && { stream_msg_id }),
      }
      try {
        index += 1
        const path = toPath(target, 'stream_messages')
        const sent = await api.call('POST', path, { body, what: 'the streamed message', signal })
        stream_msg_id = toFilledText(sent.id) ?? stream_msg_id
        shownSource = part
        shown = content_raw
        return
      } catch (error) {
        if (stream_msg_id) giveUpLinks(error)
        else restart(error)
      }
    }
  }

  const begun_at = earlier?.begun_at ?? Date.now()
  if (!earlier) await put(message.text, WRITING, signal)
  if (!stream_msg_id) throw new ChannelFailure('unknown', 'QQ returned no id for the streamed message.')

  return {
    reference: { stream_msg_id, msg_seq, form: { ...form }, begun_at },
    async update(text, signal) {
      if (!isDone) await put(text, WRITING, signal)
    },
    async finish(text, signal) {
      if (isDone) return
      try {
        await put(text, DONE, signal)
      } catch (error) {
        // Another process has finished the message but could not store that.
        if (!earlier || readCode(error) !== FIXED) throw error
      }
      isDone = true
    },
  }
}
