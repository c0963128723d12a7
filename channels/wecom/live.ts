import type { LiveMessage } from '#plugin-api'
import { type Calls, isAnswerRefused } from './calls.ts'
import type { Target } from './frame.ts'

/** Replaces an invisible text: a stream that ends without a visible character is shown as waiting without end. */
const PLACEHOLDER = '…'

const hasInk = (text: string) => /[^\s\p{C}]/u.test(text)

/** Returns the text, or a placeholder if nothing of it is visible. */
export const toVisible = (text: string) => (hasInk(text) ? text : PLACEHOLDER)

/** Creates a frame of a stream, which has the whole text; the same `id` changes the same message. */
export const createStreamFrame = (id: string, content: string, finish: boolean) => ({
  msgtype: 'stream',
  stream: { id, finish, content: content.toWellFormed() },
})

/** Creates a message that is not an answer. */
export const createMarkdown = (content: string) => ({
  msgtype: 'markdown',
  markdown: { content: content.toWellFormed() },
})

/** Creates a stream that answers a message. If the platform refuses it, `finish` sends a separate message. */
export function createLiveMessage(calls: Calls, target: Target, id: string): LiveMessage {
  let isFinished = false
  let isRefused = false

  return {
    reference: { stream_id: id },

    async update(text, signal) {
      if (isFinished || isRefused || !hasInk(text) || calls.isWaiting(target)) return
      try {
        await calls.answer(target, createStreamFrame(id, text, false), signal)
      } catch (error) {
        if (!isAnswerRefused(error)) throw error
        // The shown text stays; `finish` sends the whole text in another message.
        isRefused = true
      }
    },

    async finish(text, signal) {
      if (isFinished) return
      const content = toVisible(text)
      const push = () => calls.push(target, createMarkdown(content), signal)
      if (isRefused) await push()
      else await calls.deliver(target, createStreamFrame(id, content, true), signal, push)
      isFinished = true
    },
  }
}
