import type { APIMessage } from 'discord-api-types/v10'
import {
  type Button,
  type LiveMessage,
  type OutboundFile,
  type OutboundMessage,
  PlatformRefusal,
} from '#plugin-api'
import type { DiscordApi } from './api.ts'
import { ARCHIVED_THREAD } from './failure.ts'
import type { DiscordTarget } from './inbound.ts'

const MAX_LABEL = 80
const BUTTONS_A_ROW = 5
const MAX_NONCE = 25

const STYLES: Record<Button['style'], number> = { primary: 1, default: 2, danger: 4 }

/** A message sent by the bot. */
export type SentMessage = {
  channel_id: string
  message_id: string
}

/** Prevents notifications of people and roles named in the text. */
export const NO_MENTIONS = { allowed_mentions: { parse: [] } }

/** Creates the sender of the bot's messages. */
export function createOutbox(api: DiscordApi) {
  /** Makes a call; if the thread is archived, opens it and makes the call again. */
  async function reopening<Answer>(channel_id: string, signal: AbortSignal, call: () => Promise<Answer>) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof PlatformRefusal && error.code === ARCHIVED_THREAD)) throw error
      await reopen(channel_id, signal, error)
      return await call()
    }
  }

  /** Opens an archived thread; throws the first refusal if a moderator has locked it. */
  async function reopen(channel_id: string, signal: AbortSignal, refusal: PlatformRefusal): Promise<void> {
    try {
      await api.call({ method: 'patch', path: `/channels/${channel_id}`, body: { archived: false } }, signal)
    } catch (error) {
      throw error instanceof PlatformRefusal ? refusal : error
    }
  }

  async function post(
    { channel_id }: DiscordTarget,
    body: { content?: string; components?: unknown[] },
    key: string,
    signal: AbortSignal,
    file?: OutboundFile,
  ): Promise<{ sent: SentMessage; content: string }> {
    const { id, content } = await reopening(channel_id, signal, () =>
      api.call<APIMessage>(
        {
          method: 'post',
          path: `/channels/${channel_id}/messages`,
          body: { ...body, ...NO_MENTIONS, nonce: key.slice(-MAX_NONCE), enforce_nonce: true },
          ...(file && { files: [{ name: file.filename, contentType: file.media_type, data: file.bytes }] }),
        },
        signal,
      ),
    )
    return { sent: { channel_id, message_id: id }, content }
  }

  async function change(
    { channel_id, message_id }: SentMessage,
    body: { content: string; components?: unknown[] },
    signal: AbortSignal,
  ): Promise<void> {
    const path = `/channels/${channel_id}/messages/${message_id}` as const
    await reopening(channel_id, signal, () =>
      api.call({ method: 'patch', path, body: { ...body, ...NO_MENTIONS } }, signal),
    )
  }

  return {
    async send(target: DiscordTarget, { text, key, buttons = [] }: OutboundMessage, signal: AbortSignal) {
      const components = buttons.length > 0 && { components: toRows(buttons) }
      return (await post(target, { content: text, ...components }, key, signal)).sent
    },

    async sendFile(target: DiscordTarget, file: OutboundFile, signal: AbortSignal) {
      await post(target, {}, file.key, signal, file)
    },

    settle: (sent: SentMessage, text: string, signal: AbortSignal) =>
      change(sent, { content: text, components: [] }, signal),

    async live(
      target: DiscordTarget,
      message: OutboundMessage,
      signal: AbortSignal,
      begun?: SentMessage,
    ): Promise<LiveMessage> {
      const first = begun
        ? { sent: begun }
        : await post(target, { content: message.text }, message.key, signal)
      const { sent } = first
      // Differs from this message's text if a message with the same key existed already.
      let shown = 'content' in first ? first.content : undefined
      const show = async (text: string, until: AbortSignal) => {
        if (text === shown) return
        // The shown text is unknown until the change succeeds.
        shown = undefined
        await change(sent, { content: text }, until)
        shown = text
      }
      return { reference: { ...sent }, update: show, finish: show }
    },

    typing: ({ channel_id }: DiscordTarget, signal: AbortSignal) =>
      api.call<void>({ method: 'post', path: `/channels/${channel_id}/typing` }, signal),
  }
}

function toRows(buttons: readonly Button[]) {
  const all = buttons.map(({ label, value, style }) => ({
    type: 2,
    style: STYLES[style],
    label: label.slice(0, MAX_LABEL),
    custom_id: value,
  }))
  const rows = Math.ceil(all.length / BUTTONS_A_ROW)
  return Array.from({ length: rows }, (_, row) => ({
    type: 1,
    components: all.slice(row * BUTTONS_A_ROW, (row + 1) * BUTTONS_A_ROW),
  }))
}
