import { createDecipheriv, createHash } from 'node:crypto'
import { isObject, type Logger, parseObject, toFilledText } from '#plugin-api'
import { createEventParts } from './event-parts.ts'
import { encodeReply, type Frame, readFrame } from './frame.ts'
import type { Scrubber } from './scrubber.ts'
import type { StreamSocket } from './stream-socket.ts'

/** Handles the body of an event; the result is the reply to the platform. */
export type EventHandler = (body: unknown) => Promise<unknown>

/** Limit of events in progress; beyond it the sockets are not read. */
const MAX_UNDERWAY = 64

/** The codes of replies. Feishu delivers an event again unless it was taken. */
const TAKEN = 200
const NOT_TAKEN = 500

/** Takes events from frames, and replies to them. */
export function createEventIntake({
  handlers,
  encryptKey,
  log,
  scrubber,
  life,
}: {
  /** The handlers by type of event; others are only acknowledged. */
  handlers: Readonly<Record<string, EventHandler>>
  encryptKey: string | undefined
  log: Logger
  scrubber: Scrubber
  life: AbortSignal
}) {
  const parts = createEventParts()
  const paused = new Set<StreamSocket>()
  let underway = 0
  life.addEventListener('abort', parts.clear, { once: true })

  function warn(error: unknown, text: string): void {
    if (!life.aborted) log.warn({ reason: scrubber.scrub(String(error)) }, text)
  }

  /** Handles an event; returns the payload of the reply. */
  async function handle(event: Buffer): Promise<string> {
    try {
      const { type, body } = readEvent(event, encryptKey)
      const handler = type !== undefined && Object.hasOwn(handlers, type) ? handlers[type] : undefined
      const result = await handler?.(body)
      const data = result === undefined ? undefined : Buffer.from(JSON.stringify(result)).toString('base64')
      return JSON.stringify({ code: TAKEN, data })
    } catch (error) {
      warn(error, 'an event of Feishu was not taken and will be delivered again')
      return JSON.stringify({ code: NOT_TAKEN })
    }
  }

  async function reply(event: Buffer, frame: Frame, socket: StreamSocket): Promise<void> {
    underway += 1
    if (underway >= MAX_UNDERWAY) {
      paused.add(socket)
      socket.pause()
    }
    const begunAt = performance.now()
    const payload = await handle(event)
    const elapsedMs = Math.round(performance.now() - begunAt)
    socket.send(encodeReply(frame, ['biz_rt', String(elapsedMs)], payload))
    underway -= 1
    for (const each of paused) each.resume()
    paused.clear()
  }

  return {
    /** Takes a frame; an unreadable one is logged. */
    take(bytes: Buffer, socket: StreamSocket): void {
      let frame: Frame
      let event: Buffer | undefined
      try {
        frame = readFrame(bytes)
        const { headers, payload } = frame
        if (!frame.isData || headers.get('type') !== 'event') return
        event = parts.add({
          message_id: headers.get('message_id'),
          sum: headers.get('sum'),
          seq: headers.get('seq'),
          payload,
        })
      } catch (error) {
        warn(error, 'Feishu sent an unreadable frame')
        return
      }
      if (event) void reply(event, frame, socket)
    },
  }
}

/** An event of the platform. */
interface PlatformEvent {
  type: string | undefined
  /** The fields that belong to this type of event. */
  body: unknown
}

const VECTOR_BYTES = 16

/**
 * Reads an event, in schema 2.0 or in the older form. Throws if it is unreadable; the message contains nothing of the
 * event.
 */
export function readEvent(bytes: Buffer, encryptKey: string | undefined): PlatformEvent {
  const record = toRecord(bytes)
  const encrypted = toFilledText(record.encrypt)
  const { schema, header, event } = encrypted ? toRecord(decrypt(encrypted, encryptKey)) : record
  if (schema !== undefined)
    return { type: isObject(header) ? toFilledText(header.event_type) : undefined, body: event }
  return { type: isObject(event) ? toFilledText(event.type) : undefined, body: event }
}

function toRecord(bytes: Buffer): Record<string, unknown> {
  const record = parseObject(bytes.toString())
  if (!record) throw new Error('the event is not a JSON object')
  return record
}

function decrypt(encrypted: string, encryptKey: string | undefined): Buffer {
  if (!encryptKey) throw new Error('the event is encrypted, and the channel has no Encrypt Key')
  const bytes = Buffer.from(encrypted, 'base64')
  const key = createHash('sha256').update(encryptKey).digest()
  try {
    const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, VECTOR_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(VECTOR_BYTES)), decipher.final()])
  } catch (cause) {
    throw new Error('the event cannot be decrypted with the Encrypt Key of the channel', { cause })
  }
}
