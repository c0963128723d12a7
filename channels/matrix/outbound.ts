import { randomUUID } from 'node:crypto'
import {
  createRecentSet,
  type JSONValue,
  type LiveMessage,
  type OutboundFile,
  type OutboundMessage,
  toWellFormedJSON,
} from '#plugin-api'
import { type MatrixApi, roomPath, toPath } from './api.ts'
import { AUTOMATED, type Content, type Relation } from './events.ts'
import { toHtml } from './html.ts'
import type { Target } from './inbound.ts'
import { uploadFile } from './media.ts'

/** Milliseconds for which a typing notice is shown. */
const TYPING_MS = 10_000

/** The longest content of an event, in bytes; the homeserver adds its own fields up to 64 KiB. */
const MAX_CONTENT_BYTES = 60_000

/** The longest text before an edited one, for clients that show no edits. */
const MAX_FALLBACK = 200

const REMEMBERED = 100

/** A sent message. */
export type Sent = { room_id: string; event_id: string }

/** Creates the sender of messages as `user_id`. */
export function createOutbound(api: MatrixApi, user_id: string) {
  /** Keys of messages that may have arrived. */
  const attempted = createRecentSet(REMEMBERED)
  /** The addresses of files that were uploaded, by the keys of their messages. */
  const uploaded = new Map<string, string>()

  /** Sends an event; with the same key it is sent once. */
  async function put(room_id: string, key: string, content: object, signal: AbortSignal): Promise<Sent> {
    const path = roomPath(room_id, 'send', 'm.room.message', key)
    const { event_id } = await api.call<{ event_id: string }>({ method: 'PUT', path, body: content }, signal)
    return { room_id, event_id }
  }

  const send = (target: Target, { text, key }: OutboundMessage, signal: AbortSignal): Promise<Sent> =>
    put(target.room_id, key, { ...createContent(text, target), ...createRelation(target) }, signal)

  const change = (
    { room_id, event_id }: Sent,
    target: Target,
    text: string,
    signal: AbortSignal,
  ): Promise<Sent> => put(room_id, randomUUID(), createEdit(text, target, event_id), signal)

  return {
    send: async (target: JSONValue, message: OutboundMessage, signal: AbortSignal) => ({
      ...(await send(target as Target, message, signal)),
    }),

    async live(
      to: JSONValue,
      message: OutboundMessage,
      signal: AbortSignal,
      begun?: JSONValue,
    ): Promise<LiveMessage> {
      const target = to as Target
      // A message that arrived at an earlier attempt has the text of that attempt.
      const isFirst = !begun && !attempted.has(message.key)
      attempted.add(message.key)
      const sent = (begun as Sent | undefined) ?? (await send(target, message, signal))
      let shown = isFirst ? message.text : undefined
      const show = async (text: string, until: AbortSignal) => {
        if (text === shown) return
        // The shown text is unknown until the change succeeds.
        shown = undefined
        await change(sent, target, text, until)
        shown = text
      }
      return { reference: { ...sent }, update: show, finish: show }
    },

    async settle(target: JSONValue, sent: JSONValue, text: string, signal: AbortSignal) {
      await change(sent as Sent, target as Target, text, signal)
    },

    async sendFile(to: JSONValue, file: OutboundFile, signal: AbortSignal) {
      const target = to as Target
      const url = uploaded.get(file.key) ?? (await uploadFile(api, file, signal))
      uploaded.set(file.key, url)
      if (uploaded.size > REMEMBERED) uploaded.delete(uploaded.keys().next().value!)
      const { filename, media_type, bytes } = file
      const content = {
        msgtype: toMessageType(media_type),
        body: filename,
        filename,
        url,
        info: { mimetype: media_type, size: bytes.length },
        'm.mentions': {},
        [AUTOMATED]: true,
        ...createRelation(target),
      }
      await put(target.room_id, file.key, content, signal)
    },

    async typing(target: JSONValue, signal: AbortSignal) {
      const path = `${roomPath((target as Target).room_id, 'typing')}${toPath(user_id)}` as const
      await api.call({ method: 'PUT', path, body: { typing: true, timeout: TYPING_MS } }, signal)
    },

    /** Says something in a room without being asked; other bots do not answer it. */
    notify: (room_id: string, key: string, text: string, signal: AbortSignal): Promise<Sent> =>
      put(room_id, key, { ...createContent(text, { room_id }), msgtype: 'm.notice' }, signal),
  }
}

/** Creates the content of a text; without its format if that would make the event too large. */
function createContent(text: string, { sender }: Target): Content {
  const plain: Content = {
    msgtype: 'm.text',
    body: text,
    // The person who asked is notified, and nobody whom the text names.
    'm.mentions': sender ? { user_ids: [sender] } : {},
    [AUTOMATED]: true,
  }
  const html = toHtml(text)
  if (html === undefined) return plain
  const formatted = { ...plain, format: 'org.matrix.custom.html', formatted_body: html }
  return Buffer.byteLength(toWellFormedJSON(formatted)) > MAX_CONTENT_BYTES ? plain : formatted
}

function createRelation({ thread, reply_to }: Target): { 'm.relates_to'?: Relation } {
  if (thread)
    return {
      'm.relates_to': {
        rel_type: 'm.thread',
        event_id: thread,
        is_falling_back: true,
        'm.in_reply_to': { event_id: reply_to ?? thread },
      },
    }
  return reply_to ? { 'm.relates_to': { 'm.in_reply_to': { event_id: reply_to } } } : {}
}

function createEdit(text: string, target: Target, event_id: string): Content {
  const content = createContent(text, target)
  return {
    msgtype: 'm.text',
    body: `* ${text.slice(0, MAX_FALLBACK).toWellFormed()}`,
    // A change notifies nobody again.
    'm.mentions': {},
    'm.new_content': content,
    [AUTOMATED]: true,
    'm.relates_to': { rel_type: 'm.replace', event_id },
  }
}

function toMessageType(media_type: string): string {
  if (media_type.startsWith('image/') && media_type !== 'image/svg+xml') return 'm.image'
  if (media_type.startsWith('audio/')) return 'm.audio'
  return media_type.startsWith('video/') ? 'm.video' : 'm.file'
}
