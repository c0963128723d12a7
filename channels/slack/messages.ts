import { createHash } from 'node:crypto'
import type { LiveMessage, OutboundMessage } from '#plugin-api'
import type { SlackApi } from './api.ts'
import {
  buttonBlock,
  createSummary,
  escapeText,
  markdownBlock,
  plainBlocks,
  withoutBroadcasts,
} from './blocks.ts'
import { isAboutMarkup } from './error-codes.ts'
import { SlackRefusal } from './failure.ts'
import { toleratingLostThread } from './lost-thread.ts'

/** The destination of an answer; `conversation` is the id on the gateway's side. */
export type Target = { channel: string; conversation: string; thread_ts?: string }

/** A message of the bot in Slack's terms. */
export type Posted = { channel: string; ts: string }

/** Returns the id of a conversation: the channel, and the thread if there is one. */
export const toConversationId = (channel: string, thread?: string) =>
  thread ? `${channel}:${thread}` : channel

/** The bot's messages. */
export interface Messages {
  post(
    target: Target,
    message: Pick<OutboundMessage, 'text' | 'key' | 'buttons'>,
    signal: AbortSignal,
  ): Promise<Posted>
  /** Changes the text of a message without buttons. */
  change(posted: Posted, text: string, signal: AbortSignal): Promise<void>
  /** Replaces a message and its buttons by a text. */
  replace(posted: Posted, text: string, signal: AbortSignal): Promise<void>
  /** Sends a message that only one person sees. */
  whisper(
    place: { channel: string; thread_ts?: string; user: string },
    text: string,
    signal: AbortSignal,
  ): Promise<void>
}

/** Creates the sender of messages in Markdown, or in plain text if Slack refuses the markup. */
export function createMessages(api: SlackApi): Messages {
  async function withPlainFallback<Answer>(attempt: (isPlain: boolean) => Promise<Answer>): Promise<Answer> {
    try {
      return await attempt(false)
    } catch (error) {
      if (!(error instanceof SlackRefusal && isAboutMarkup(error.code))) throw error
      return await attempt(true)
    }
  }

  return {
    async post({ channel, thread_ts, conversation }, { text, key, buttons = [] }, signal) {
      const rows = buttons.length > 0 ? [buttonBlock(buttons, conversation)] : []
      const { ts } = await toleratingLostThread(thread_ts, (thread) =>
        withPlainFallback((isPlain) =>
          api.call<{ ts: string }>(
            'chat.postMessage',
            { channel, ...thread, client_msg_id: toUuid(key), ...createContent(text, rows, isPlain) },
            signal,
          ),
        ),
      )
      return { channel, ts }
    },

    async change({ channel, ts }, text, signal) {
      await withPlainFallback((isPlain) =>
        api.call('chat.update', { channel, ts, ...createContent(text, [], isPlain) }, signal),
      )
    },

    async replace({ channel, ts }, text, signal) {
      // Sent in blocks, because old blocks may stay if none are sent.
      await withPlainFallback((isPlain) =>
        api.call('chat.update', { channel, ts, ...inBlocks(text, [], isPlain) }, signal),
      )
    },

    async whisper({ thread_ts, ...place }, source, signal) {
      const text = escapeText(source.toWellFormed())
      await toleratingLostThread(thread_ts, (thread) =>
        api.call('chat.postEphemeral', { ...place, ...thread, text }, signal),
      )
    },
  }
}

function createContent(source: string, rows: object[], isPlain: boolean): Record<string, unknown> {
  // A growing text may end with a lone surrogate, which a form cannot encode.
  const text = source.toWellFormed()
  if (rows.length > 0) return inBlocks(text, rows, isPlain)
  return isPlain
    ? { text: escapeText(text), mrkdwn: false }
    : // Slack refuses it together with `text` or `blocks`.
      { markdown_text: withoutBroadcasts(text) }
}

const inBlocks = (text: string, rows: object[], isPlain: boolean) => ({
  text: createSummary(text),
  blocks: [...(isPlain ? plainBlocks(text) : [markdownBlock(withoutBroadcasts(text))]), ...rows],
})

/** Derives the UUID by which Slack recognizes a repeated message. */
function toUuid(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

/** Posts a live message, or continues one that was posted before. */
export async function beginLive(
  messages: Messages,
  { target, message, begun }: { target: Target; message: OutboundMessage; begun: Posted | undefined },
  signal: AbortSignal,
  until: (signal: AbortSignal) => AbortSignal,
): Promise<LiveMessage> {
  const posted = begun ?? (await messages.post(target, message, until(signal)))
  let shown = begun ? undefined : message.text
  const show = async (text: string, signal: AbortSignal) => {
    if (text === shown) return
    await messages.change(posted, text, until(signal))
    shown = text
  }
  return { reference: posted, update: show, finish: show }
}
