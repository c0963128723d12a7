import { createHash } from 'node:crypto'
import type { OutboundMessage } from '#plugin-api'
import type { SlackApi } from './api.ts'
import {
  buttonBlock,
  escapeText,
  markdownBlock,
  plainBlocks,
  summaryOf,
  wellFormed,
  withoutBroadcasts,
} from './blocks.ts'
import { SlackRefusal } from './failure.ts'
import type { Posted, Target } from './target.ts'

/** Slack's words for a text that it cannot turn into a message. */
const REFUSED_MARKUP = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'invalid_arguments',
  'no_text',
])

/** The bot's messages. */
export interface Messages {
  post(
    target: Target,
    message: Pick<OutboundMessage, 'text' | 'key' | 'buttons'>,
    signal: AbortSignal,
  ): Promise<Posted>
  /** Changes the text of a message without buttons. */
  change(posted: Posted, text: string, signal: AbortSignal): Promise<void>
  /** Puts a text in the place of a message and its buttons. */
  replace(posted: Posted, text: string, signal: AbortSignal): Promise<void>
  /** Tells one person something that nobody else sees. */
  whisper(
    place: { channel: string; thread_ts?: string; user: string },
    text: string,
    signal: AbortSignal,
  ): Promise<void>
}

/** Sends and changes messages in markdown, or as they stand where Slack refuses the markup. */
export function createMessages(api: SlackApi): Messages {
  async function inMarkdownOrPlain<Answer>(attempt: (isPlain: boolean) => Promise<Answer>): Promise<Answer> {
    try {
      return await attempt(false)
    } catch (error) {
      if (!(error instanceof SlackRefusal && REFUSED_MARKUP.has(error.code))) throw error
      return await attempt(true)
    }
  }

  return {
    async post({ channel, thread_ts, conversation }, { text, key, buttons = [] }, signal) {
      const rows = buttons.length > 0 ? [buttonBlock(buttons, conversation)] : []
      const { ts } = await inMarkdownOrPlain((isPlain) =>
        api.call<{ ts: string }>(
          'chat.postMessage',
          { channel, thread_ts, client_msg_id: uuidOf(key), ...contentOf(text, rows, isPlain) },
          signal,
        ),
      )
      return { channel, ts }
    },

    async change({ channel, ts }, text, signal) {
      await inMarkdownOrPlain((isPlain) =>
        api.call('chat.update', { channel, ts, ...contentOf(text, [], isPlain) }, signal),
      )
    },

    async replace({ channel, ts }, text, signal) {
      // Old blocks may stay where none are given.
      await inMarkdownOrPlain((isPlain) =>
        api.call('chat.update', { channel, ts, ...inBlocks(text, [], isPlain) }, signal),
      )
    },

    async whisper(place, text, signal) {
      await api.call('chat.postEphemeral', { ...place, text: escapeText(wellFormed(text)) }, signal)
    },
  }
}

function contentOf(given: string, rows: object[], isPlain: boolean): Record<string, unknown> {
  const text = wellFormed(given)
  if (rows.length > 0) return inBlocks(text, rows, isPlain)
  return isPlain
    ? { text: escapeText(text), mrkdwn: false }
    : // Not together with `text` or `blocks`.
      { markdown_text: withoutBroadcasts(text) }
}

const inBlocks = (text: string, rows: object[], isPlain: boolean) => ({
  text: summaryOf(text),
  blocks: [...(isPlain ? plainBlocks(text) : [markdownBlock(withoutBroadcasts(text))]), ...rows],
})

/** Slack knows a message again by a UUID. */
function uuidOf(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
