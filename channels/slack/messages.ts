import { createHash } from 'node:crypto'
import { type LiveMessage, type OutboundMessage, PlatformRefusal } from '#plugin-api'
import type { SlackApi } from './api.ts'
import {
  buttonBlock,
  createSummary,
  escapeText,
  markdownBlock,
  plainBlocks,
  withoutBroadcasts,
} from './blocks.ts'
import { isAboutMarkup, isAboutThread } from './failure.ts'

/** The destination of an answer; `conversation` is the id on the gateway's side. */
export type Target = { channel: string; conversation: string; thread_ts?: string }

/** A message of the bot in Slack's terms. */
export type Posted = { channel: string; ts: string }

/** Returns the id of a conversation: the channel, and the thread if there is one. */
export const toConversationId = (channel: string, thread?: string) =>
  thread ? `${channel}:${thread}` : channel

/** Creates the sender of messages in Markdown, or in plain text if Slack refuses the markup. */
export function createMessages(api: SlackApi) {
  async function withPlainFallback<Answer>(attempt: (isPlain: boolean) => Promise<Answer>): Promise<Answer> {
    try {
      return await attempt(false)
    } catch (error) {
      if (!(error instanceof PlatformRefusal && isAboutMarkup(error.code))) throw error
      return await attempt(true)
    }
  }

  return {
    async post(
      { channel, thread_ts, conversation }: Target,
      { text, key, buttons = [] }: Pick<OutboundMessage, 'text' | 'key' | 'buttons'>,
      signal: AbortSignal,
    ): Promise<Posted> {
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

    /** Changes the text of a message without buttons. */
    async change({ channel, ts }: Posted, text: string, signal: AbortSignal): Promise<void> {
      await withPlainFallback((isPlain) =>
        api.call('chat.update', { channel, ts, ...createContent(text, [], isPlain) }, signal),
      )
    },

    /** Replaces a message and its buttons by a text. */
    async replace({ channel, ts }: Posted, text: string, signal: AbortSignal): Promise<void> {
      // Sent in blocks, because old blocks may stay if none are sent.
      await withPlainFallback((isPlain) =>
        api.call('chat.update', { channel, ts, ...inBlocks(text, [], isPlain) }, signal),
      )
    },

    /** Sends a message that only one person sees. */
    async whisper(
      { thread_ts, ...address }: { channel: string; thread_ts?: string; user: string },
      source: string,
      signal: AbortSignal,
    ): Promise<void> {
      const text = escapeText(source.toWellFormed())
      await toleratingLostThread(thread_ts, (thread) =>
        api.call('chat.postEphemeral', { ...address, ...thread, text }, signal),
      )
    },
  }
}

/** Sends something into a thread, or beside it if the thread was deleted or takes no replies. */
export async function toleratingLostThread<Answer>(
  thread_ts: string | undefined,
  send: (thread: { thread_ts?: string }) => Promise<Answer>,
): Promise<Answer> {
  if (!thread_ts) return await send({})
  try {
    return await send({ thread_ts })
  } catch (error) {
    if (!(error instanceof PlatformRefusal && isAboutThread(error.code))) throw error
    return await send({})
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

/** Derives the UUID that lets Slack recognize a repeated message. */
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

/** The sender of the bot's messages. */
export type Messages = ReturnType<typeof createMessages>

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
