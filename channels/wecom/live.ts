import type { LiveMessage } from '#plugin-api'
import { type Calls, isAnswerRefused } from './calls.ts'
import type { Target } from './frame.ts'

/** Shown where there is nothing to see: a stream that ends without a visible character is shown as waiting for ever. */
const NOTHING = '…'

const hasInk = (text: string) => /[^\s\p{C}]/u.test(text)

/** A text of which something can be seen. */
export const visible = (text: string) => (hasInk(text) ? text : NOTHING)

/** One frame of a stream; each has the whole text. The same `id` changes the same message. */
export const streamFrame = (id: string, content: string, finish: boolean) => ({
  msgtype: 'stream',
  stream: { id, finish, content },
})

/** A message that is no answer. */
export const markdownMessage = (content: string) => ({ msgtype: 'markdown', markdown: { content } })

/** A stream that answers a message. Where the platform takes it no longer, its end goes as a message of its own. */
export function createLiveMessage(calls: Calls, target: Target, id: string): LiveMessage {
  let isFinished = false
  let isRefused = false

  return {
    reference: { stream_id: id },

    async update(text, signal) {
      if (isFinished || isRefused || !hasInk(text) || calls.isWaiting(target)) return
      try {
        await calls.answer(target, streamFrame(id, text, false), signal)
      } catch (error) {
        if (!isAnswerRefused(error)) throw error
        // What is shown stays; `finish` says the whole again elsewhere.
        isRefused = true
      }
    },

    async finish(text, signal) {
      if (isFinished) return
      const content = visible(text)
      const push = () => calls.push(target, markdownMessage(content), signal)
      if (isRefused) await push()
      else await calls.deliver(target, streamFrame(id, content, true), signal, push)
      isFinished = true
    },
  }
}
