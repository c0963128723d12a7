import type { ChannelCapabilities, JSONValue } from '#plugin-api'
import { createCutter } from './cutter.ts'
import { messageKey } from './message-keys.ts'
import type { Sender } from './sending.ts'
import { cutOff } from './splitting.ts'

/** What of a reply has been delivered; stored after each step, so that another process can go on. */
export interface WritingProgress {
  /** Messages that have ended, or were given up; the next one has the key of this number. */
  sent: number
  /** Characters of the source that they cover. */
  covered: number
  /** What it takes to go on with the live message that was begun; null where there is none. */
  live: JSONValue
}

/** What `live` holds. */
export type LiveProgress = {
  /** The kind's reference of the message; null where no other process can go on with it. */
  reference: JSONValue
  /** In Unix milliseconds. */
  begun_at: number
  /** Where the message ends, once that was decided by the clock and not by the text. */
  end?: number
}

/** The live message that was begun. */
export const liveIn = ({ live }: WritingProgress) => live as LiveProgress | null

/** How far the messages of a reply are, and the means to send more. */
export interface ReplyMessages {
  readonly progress: WritingProgress
  /** The key of the message that comes next, or is live. */
  readonly key: string
  /** How many more messages may be sent, this one included. */
  readonly left: number
  /** Stores how far the reply is. */
  advance(step: Partial<WritingProgress>): Promise<void>
  /** Sends all that is left of a whole reply. */
  sendRest(markdown: string): Promise<void>
}

/** Makes the messages of one reply. */
export function createReplyMessages({
  capabilities,
  target,
  key,
  begun,
  save,
  sender,
}: {
  capabilities: ChannelCapabilities
  target: JSONValue
  key: string
  begun: WritingProgress
  save(progress: WritingProgress): Promise<void>
  sender: Pick<Sender, 'send'>
}): ReplyMessages {
  const { dialect, max_length, length_unit, max_replies = Number.POSITIVE_INFINITY } = capabilities
  const limits = { dialect, max_length, length_unit }
  let progress = begun

  const messages: ReplyMessages = {
    get progress() {
      return progress
    },
    get key() {
      return messageKey(key, progress.sent)
    },
    get left() {
      return max_replies - progress.sent
    },

    async advance(step) {
      progress = { ...progress, ...step }
      await save(progress)
    },

    async sendRest(markdown) {
      const cutter = createCutter(limits)
      while (markdown.slice(progress.covered).trim() !== '') {
        const piece = cutter.next(markdown, progress.covered, { is_whole: true })
        const isCutOff = messages.left <= 1 && !piece.is_last
        const text = isCutOff ? cutOff(markdown, progress.covered, limits) : piece.text
        const covered = isCutOff ? markdown.length : piece.end
        // What shows nothing cannot be sent.
        const isSent = text.trim() !== ''
        if (isSent) await sender.send(target, { text, key: messages.key })
        await messages.advance({ sent: progress.sent + (isSent ? 1 : 0), covered })
      }
    },
  }
  return messages
}
