import { ChannelFailure, type JSONValue, type LiveMessage, type OutboundMessage } from '#plugin-api'
import type { Api } from './api.ts'
import { codeOf } from './failure.ts'
import { textOf } from './fields.ts'
import { type Form, hasArrived, numberFor, plainer } from './form.ts'
import { defuseWords } from './links.ts'
import { pathOf, type Target } from './target.ts'

const WRITING = 1
const DONE = 10

/** QQ refuses a text that does not go on from what it has shown, and one for a stream that is over. */
const FIXED = 40007

/** What another process needs to go on with a stream. */
interface Reference {
  stream_msg_id: string
  msg_seq: number
  form: Form
  /** Unix milliseconds. */
  begun_at: number
}

/** Begins a message that grows, or goes on with the one that `begun` refers to. */
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
  // Frames are numbered upwards, and nobody has sent as many of them as milliseconds have passed.
  let index = earlier ? Math.max(0, Date.now() - earlier.begun_at) + 1 : 0
  /** The part of the text that was shown, and how it was shown. */
  let taken = ''
  let shown = ''
  let isDone = false
  let hasBegunAnew = false
  let msg_seq = earlier?.msg_seq ?? numberFor(message.key, form)

  /** How a text is shown, and how much of it: what is shown already stays, because QQ lets nobody change it. */
  function formed(text: string, isLast: boolean): { content_raw: string; part: string } {
    if (form.links || !text.startsWith(taken)) return { content_raw: text, part: text }
    // The end of an address that is still being written cannot be told from a word.
    const isWhole = isLast || shown === ''
    const rest = isWhole ? text.slice(taken.length) : text.slice(taken.length).replace(/\S+$/, '')
    return { content_raw: shown + defuseWords(rest), part: taken + rest }
  }

  /** Within a stream only links can be given up: the rest is as it began. */
  function giveUpLinks(error: unknown): void {
    const next = plainer(form, error)
    if (!next || next.links === form.links) throw error
    form = next
    // Half an address may have been shown, and what comes next must not complete it.
    if (/\S$/.test(shown)) shown += ' '
  }

  /** Another form for the first words, or another number where their id was lost on the way. */
  function beginAnew(error: unknown): void {
    const isLost = hasArrived(form, error) && !hasBegunAnew
    const next = isLost ? form : plainer(form, error)
    if (!next) throw error
    hasBegunAnew ||= isLost
    form = next
    index = 0
    msg_seq = numberFor(hasBegunAnew ? `${message.key} anew` : message.key, form)
  }

  async function put(text: string, input_state: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { content_raw, part } = formed(text, input_state === DONE)
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
        const path = pathOf(target, 'stream_messages')
        const sent = await api.call('POST', path, { body, what: 'the growing message', signal })
        stream_msg_id = textOf(sent.id) ?? stream_msg_id
        taken = part
        shown = content_raw
        return
      } catch (error) {
        if (stream_msg_id) giveUpLinks(error)
        else beginAnew(error)
      }
    }
  }

  const begun_at = earlier?.begun_at ?? Date.now()
  if (!earlier) await put(message.text, WRITING, signal)
  if (!stream_msg_id) throw new ChannelFailure('unknown', 'QQ gave the growing message no id.')

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
        // Another process had finished it before it could say so.
        if (!earlier || codeOf(error) !== FIXED) throw error
      }
      isDone = true
    },
  }
}
