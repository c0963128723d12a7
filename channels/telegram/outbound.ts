import type { InlineKeyboardMarkup } from 'grammy/types'
import {
  type Button,
  type ChannelConnection,
  ChannelFailure,
  type ChannelLink,
  type LiveMessage,
  type OutboundFile,
  type OutboundMessage,
} from '#plugin-api'
import type { TelegramClient } from './client.ts'
import { createDelivery } from './delivery.ts'
import { isRefusal, readMigration } from './failure.ts'
import { asSent, asTarget, type Sent, type Target } from './places.ts'

/** Replaces a text without anything visible, which Telegram refuses. */
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

/** Creates the sending calls of a connection; `link` receives the groups that were replaced by supergroups. */
export function createOutbound({ call }: TelegramClient, link: Pick<ChannelLink, 'moved' | 'log'>): Outbound {
  const deliver = createDelivery(link)

  const send = (
    target: Target,
    { text, buttons }: Pick<OutboundMessage, 'text' | 'buttons'>,
    signal: AbortSignal,
  ): Promise<Sent> =>
    write(text, (written) =>
      deliver(target, (address) =>
        call(async (api, until) => {
          const content = { ...written, ...createKeyboard(buttons) }
          const { chat, message_id } = await api.sendMessage({ ...address, ...content }, until)
          return { chat_id: chat.id, message_id }
        }, signal),
      ),
    )

  /**
   * Changes a text and returns the message that shows it. An edit without a keyboard removes the old one. The messages
   * of a group that became a supergroup cannot be changed, so the text is sent there.
   */
  async function edit(sent: Sent, text: string, signal: AbortSignal): Promise<Sent> {
    try {
      await write(text, (written) =>
        call((api, until) => api.editMessageText({ ...sent, ...written }, until), signal),
      )
    } catch (error) {
      if (readMigration(error) !== undefined) return send({ chat_id: sent.chat_id }, { text }, signal)
      if (!isRefusal(error, /message is not modified|MESSAGE_NOT_MODIFIED/i)) throw error
    }
    return sent
  }

  function live(begun: Sent, firstText?: string): LiveMessage {
    let sent = begun
    let shown = firstText
    const show = async (text: string, signal: AbortSignal) => {
      if (text === shown) return
      sent = await edit(sent, text, signal)
      shown = text
    }
    return {
      get reference() {
        return { ...sent }
      },
      update: show,
      finish: show,
    }
  }

  return {
    send: async (target, message, signal) => ({ ...(await send(asTarget(target), message, signal)) }),

    live: async (target, message, signal, begun) =>
      begun ? live(asSent(begun)) : live(await send(asTarget(target), message, signal), message.text),

    async settle(_target, sent, text, signal) {
      await edit(asSent(sent), text, signal)
    },

    async sendFile(target, file, signal) {
      if (file.bytes.length > MAX_FILE_BYTES)
        throw new ChannelFailure('unsupported', 'Telegram accepts files of up to 50 MB from bots.')
      const { InputFile } = await import('grammy')
      const input = () => new InputFile(file.bytes, safeName(file))
      await deliver(asTarget(target), async (address) => {
        if (PHOTOS.has(file.media_type) && file.bytes.length <= MAX_PHOTO_BYTES)
          try {
            await call(
              (api, until) => api.sendPhoto({ ...address, photo: input() }, until),
              signal,
              UPLOAD_MS,
            )
            return
          } catch (error) {
            if (!isAboutPhoto(error)) throw error
          }
        await call(
          (api, until) => api.sendDocument({ ...address, document: input() }, until),
          signal,
          UPLOAD_MS,
        )
      })
    },

    typing: (target, signal) =>
      deliver(asTarget(target), async ({ chat_id, message_thread_id }) => {
        await call(
          (api, until) => api.sendChatAction({ chat_id, message_thread_id, action: 'typing' }, until),
          signal,
        )
      }),
  }
}

/**
 * True if an image was refused only as a photo, e.g. for its proportions, or because the group allows files and no
 * photos; it is sent as a file.
 */
const isAboutPhoto = (error: unknown) => isRefusal(error, /photo|image|dimensions/i)

/** Makes an attempt in HTML, and another in plain text if Telegram cannot parse it. */
async function write<Result>(html: string, attempt: (written: Written) => Promise<Result>): Promise<Result> {
  const text = html.toWellFormed()
  const plain = toPlainText(text)
  if (!isVisible(plain)) return attempt({ text: EMPTY })
  try {
    return await attempt({ text, parse_mode: 'HTML' })
  } catch (error) {
    if (!isRefusal(error, /can't parse entities/i)) throw error
    return attempt({ text: plain.toWellFormed() })
  }
}

function createKeyboard(buttons: Button[] = []): { reply_markup?: InlineKeyboardMarkup } {
  if (buttons.length === 0) return {}
  const keys = buttons.map(({ label, value, style }) => {
    const color = STYLES[style]
    return { text: label.toWellFormed(), callback_data: value, ...(color && { style: color }) }
  })
  const rows = Array.from({ length: Math.ceil(keys.length / BUTTONS_A_ROW) }, (_, row) =>
    keys.slice(row * BUTTONS_A_ROW, (row + 1) * BUTTONS_A_ROW),
  )
  return { reply_markup: { inline_keyboard: rows } }
}

/** Returns a filename that is safe in a header, into which the library writes it without escaping. */
const safeName = ({ filename }: OutboundFile) =>
  filename.toWellFormed().replace(/[\p{Cc}";\\/]/gu, '_') || 'file'

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' }

/** Characters that take no space or only space: blanks, marks without a width, fillers, and the blank of Braille. */
const INVISIBLE = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800\ufffc]/gu

/** Removes the marks from a text in Telegram's HTML. */
const toPlainText = (html: string): string =>
  html
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(lt|gt|amp|quot|#\d{1,7}|#x[\da-f]{1,6});/gi, (whole, name: string) =>
      name.startsWith('#') ? fromNumber(name.slice(1), whole) : (ENTITIES[name.toLowerCase()] ?? whole),
    )

/** True if a reader would see anything of a text. */
const isVisible = (text: string): boolean => text.replace(INVISIBLE, '') !== ''

function fromNumber(digits: string, whole: string): string {
  const code = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits)
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole
}
