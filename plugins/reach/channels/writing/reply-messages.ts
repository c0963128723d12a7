import { createHash } from 'node:crypto'
import type { ChannelCapabilities, JSONValue } from '#plugin-api'
import type { Sender } from './calls.ts'
import { createCutter, type Piece, truncate } from './cutter.ts'
import { type Limits, measure, measureEscaped } from './dialects.ts'
import { toFailure } from './failure.ts'
import { escapeSource, hasVisible, render } from './rendering.ts'

/** Returns the key of a message of a reply: 26 letters and digits, the same in every process. */
function createMessageKey(key: string, index: number): string {
  const hash = createHash('sha256').update(`${key}/${index}`).digest('hex')
  return BigInt(`0x${hash}`).toString(36).padStart(26, '0').slice(-26)
}

/** The delivered part of a reply; stored after each step, so that another process can continue. */
export interface WritingProgress {
  /** Number of messages that ended or were given up; it makes the key of the next one. */
  sent: number
  /** Characters of the source that these messages cover. */
  covered: number
  /** The live message that was begun, a `LiveProgress`; null if there is none. */
  live: JSONValue
}

/** The stored state of a live message. */
export type LiveProgress = {
  /** The kind's reference to the message; null if no other process can continue it. */
  reference: JSONValue
  /** In Unix milliseconds. */
  begun_at: number
  /** The end of the message in the source, if the edit limit decided it and not the text. */
  end?: number
}

/** Returns the state of the live message that was begun. */
export const readLive = ({ live }: WritingProgress) => live as LiveProgress | null

/** The messages of a reply: their progress, and sending more of them. */
export type ReplyMessages = ReturnType<typeof createReplyMessages>

/** Creates the messages of one reply. */
export function createReplyMessages({
  capabilities,
  target,
  key,
  begun,
  save,
  sender,
  cut_off_note = '',
}: {
  capabilities: ChannelCapabilities
  target: JSONValue
  key: string
  begun: WritingProgress
  save(progress: WritingProgress): Promise<void>
  sender: Pick<Sender, 'send'>
  cut_off_note?: string
}) {
  const { dialect, max_length, length_unit, max_replies = Number.POSITIVE_INFINITY } = capabilities
  const limits = { dialect, max_length, length_unit }
  const note = cut_off_note === '' ? '' : `\n${render(cut_off_note, dialect)}`
  const cutOffLimits = { ...limits, max_length: max_length - measure(length_unit, note) }
  let progress = begun
  /** True once the platform has refused a text: what follows is sent as plain words. */
  let isPlain = false

  const send = async (text: string, step: Partial<WritingProgress> = {}) => {
    await sender.send(target, { text, key: messages.key })
    await messages.advance({ sent: progress.sent + 1, ...step })
  }

  /** Sends the words of a piece in short messages; the last one that the platform takes says that more would follow. */
  const sendWords = async ({ source, end, is_last }: Piece, whole: number) => {
    const words = splitWords(source, limits)
    const room = Math.max(1, messages.left)
    const isCutOff = is_last ? words.length > room : words.length >= room
    const [last = '', ...others] = words.slice(0, room).reverse()
    for (const text of others.reverse()) await send(text)
    const ending = isCutOff ? `…\n${escapeSource(render(cut_off_note, 'plain'), dialect)}`.trimEnd() : ''
    if (last !== '' || isCutOff) await send(last + ending)
    await messages.advance({ covered: isCutOff ? whole : end })
  }

  const messages = {
    get progress(): WritingProgress {
      return progress
    },
    /** The key of the next or the live message. */
    get key(): string {
      return createMessageKey(key, progress.sent)
    },
    /** Number of messages that may still be sent, including this one. */
    get left(): number {
      return max_replies - progress.sent
    },

    /** Stores progress. */
    async advance(step: Partial<WritingProgress>) {
      progress = { ...progress, ...step }
      await save(progress)
    },

    /** Sends the rest of a complete reply. */
    async sendRest(markdown: string) {
      const cutter = createCutter(limits)
      while (markdown.slice(progress.covered).trim() !== '') {
        const piece = cutter.next(markdown, progress.covered, { is_whole: true })
        const isCutOff = messages.left <= 1 && !piece.is_last
        const text = isCutOff ? truncate(markdown, progress.covered, cutOffLimits) + note : piece.text
        const covered = isCutOff ? markdown.length : piece.end
        if (!hasVisible(text)) await messages.advance({ covered })
        else if (isPlain) await sendWords(piece, markdown.length)
        else
          try {
            await send(text, { covered })
          } catch (error) {
            if (!toFailure(error).is_about_text) throw error
            isPlain = true
          }
      }
    },
  }
  return messages
}

/** Share of the longest message that one of plain words takes: the platform may count otherwise than documented. */
const SHARE = 1 / 2

/**
 * Returns the words of a text without any marks, in messages of at most half the length, each cut after a line or a word:
 * the other form of a text that a platform refused.
 */
export function splitWords(markdown: string, limits: Limits): string[] {
  const max_length = Math.max(1, limits.max_length * SHARE)
  const messages: string[] = []
  // The first line keeps its margin, as it may be one of code.
  const withoutEmptyEnds = (text: string) => text.replace(/^\s*\n/, '').trimEnd()
  let words = withoutEmptyEnds(render(markdown, 'plain').toWellFormed())
  while (words !== '') {
    const end = findCut(words, { ...limits, max_length })
    messages.push(escapeSource(words.slice(0, end), limits.dialect).trimEnd())
    words = withoutEmptyEnds(words.slice(end))
  }
  return messages
}

/** Returns the end of a message: after a line or a word in its second half, else between two characters. */
function findCut(words: string, limits: Limits): number {
  let cost = 0
  let end = 0
  for (const character of words) {
    cost += measureEscaped(character, limits)
    if (cost > limits.max_length && end > 0) break
    end += character.length
  }
  if (end === words.length) return end
  const message = words.slice(0, end)
  const cut = [message.lastIndexOf('\n'), message.lastIndexOf(' ')].find((offset) => offset > end / 2)
  return cut === undefined ? end : cut + 1
}
