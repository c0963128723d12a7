import type { InlineKeyboardMarkup } from 'grammy/types'
import {
  type Button,
  type ChannelConnection,
  ChannelFailure,
  type LiveMessage,
  type OutboundFile,
  type OutboundMessage,
} from '#plugin-api'
import type { TelegramClient } from './client.ts'
import { isRefusal } from './failure.ts'
import { asSent, asTarget, type Sent, type Target } from './places.ts'

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' }

/** Removes the marks from a text in Telegram's HTML. */
const toPlainText = (html: string): string =>
  html
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(lt|gt|amp|quot|#\d{1,7}|#x[\da-f]{1,6});/gi, (whole, name: string) =>
      name.startsWith('#') ? fromNumber(name.slice(1), whole) : (ENTITIES[name.toLowerCase()] ?? whole),
    )

function fromNumber(digits: string, whole: string): string {
  const code = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits)
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole
}

/** Replaces a text that is empty or has only marks. */
const EMPTY = '…'
const BUTTONS_A_ROW = 2
const STYLES = { primary: 'primary', danger: 'danger', default: undefined } as const

/** Telegram's limits for files and photos. */
const MAX_FILE_BYTES = 50 * 1024 * 1024
const MAX_PHOTO_BYTES = 10 * 1024 * 1024
/** Time limit for an upload, in milliseconds. */
const UPLOAD_MS = 120_000
const PHOTOS = new Set(['image/jpeg', 'image/png', 'image/webp'])

/** A text in the form of the API. */
interface Written {
  text: string
  parse_mode?: 'HTML'
}

/** The sending calls of a connection. */
type Outbound = Required<Pick<ChannelConnection, 'send' | 'live' | 'settle' | 'sendFile' | 'typing'>>

/** Creates the sending calls of a connection. */
export function createOutbound({ call }: TelegramClient): Outbound {
  async function send(target: Target, message: OutboundMessage, signal: AbortSignal): Promise<Sent> {
    return write(message.text, (written) =>
      call(async (api, until) => {
        const content = { ...written, ...createKeyboard(message.buttons) }
        const { chat, message_id } = await api.sendMessage({ ...toAddress(target), ...content }, until)
        return { chat_id: chat.id, message_id }
      }, signal),
    )
  }

  /** Changes a text; an edit without a keyboard removes the old one. */
  async function edit(sent: Sent, text: string, signal: AbortSignal): Promise<void> {
    try {
      await write(text, (written) =>
        call((api, until) => api.editMessageText({ ...sent, ...written }, until), signal),
      )
    } catch (error) {
      if (!isRefusal(error, /message is not modified/)) throw error
    }
  }

  function live(sent: Sent, begun?: string): LiveMessage {
    let shown = begun
    const show = async (text: string, signal: AbortSignal) => {
      if (text === shown) return
      await edit(sent, text, signal)
      shown = text
    }
    return { reference: { ...sent }, update: show, finish: show }
  }

  return {
    send: async (target, message, signal) => ({ ...(await send(asTarget(target), message, signal)) }),

    live: async (target, message, signal, begun) =>
      begun ? live(asSent(begun)) : live(await send(asTarget(target), message, signal), message.text),

    settle: (_target, sent, text, signal) => edit(asSent(sent), text, signal),

    async sendFile(target, file, signal) {
      if (file.bytes.length > MAX_FILE_BYTES)
        throw new ChannelFailure('unsupported', 'Telegram accepts files of up to 50 MB from bots.')
      const { InputFile } = await import('grammy')
      const address = toAddress(asTarget(target))
      const input = () => new InputFile(file.bytes, safeName(file))
      if (PHOTOS.has(file.media_type) && file.bytes.length <= MAX_PHOTO_BYTES)
        try {
          await call((api, until) => api.sendPhoto({ ...address, photo: input() }, until), signal, UPLOAD_MS)
          return
        } catch (error) {
          // Telegram refuses images of extreme proportions as photos; they are sent as files.
          if (!isRefusal(error, /photo|image|dimensions/i)) throw error
        }
      await call(
        (api, until) => api.sendDocument({ ...address, document: input() }, until),
        signal,
        UPLOAD_MS,
      )
    },

    async typing(target, signal) {
      const { chat_id, message_thread_id } = toAddress(asTarget(target))
      await call(
        (api, until) => api.sendChatAction({ chat_id, message_thread_id, action: 'typing' }, until),
        signal,
      )
    },
  }
}

/** Makes an attempt in HTML, and another in plain text if Telegram cannot parse it. */
async function write<Result>(html: string, attempt: (written: Written) => Promise<Result>): Promise<Result> {
  const plain = toPlainText(html)
  if (plain.trim() === '') return attempt({ text: EMPTY })
  try {
    return await attempt({ text: html, parse_mode: 'HTML' })
  } catch (error) {
    if (!isRefusal(error, /can't parse entities/)) throw error
    return attempt({ text: plain })
  }
}

const toAddress = ({ chat_id, thread_id, reply_to }: Target) => ({
  chat_id,
  ...(thread_id !== undefined && { message_thread_id: thread_id }),
  ...(reply_to !== undefined && {
    reply_parameters: { message_id: reply_to, allow_sending_without_reply: true },
  }),
})

function createKeyboard(buttons: Button[] = []): { reply_markup?: InlineKeyboardMarkup } {
  if (buttons.length === 0) return {}
  const keys = buttons.map(({ label, value, style }) => {
    const color = STYLES[style]
    return { text: label, callback_data: value, ...(color && { style: color }) }
  })
  const rows = Array.from({ length: Math.ceil(keys.length / BUTTONS_A_ROW) }, (_, row) =>
    keys.slice(row * BUTTONS_A_ROW, (row + 1) * BUTTONS_A_ROW),
  )
  return { reply_markup: { inline_keyboard: rows } }
}

/** Returns a filename that is safe in a header, into which the library writes it without escaping. */
const safeName = ({ filename }: OutboundFile) => filename.replace(/[\p{Cc}";\\/]/gu, '_') || 'file'
