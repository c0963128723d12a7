import { createDecipheriv, createHash } from 'node:crypto'
import { isObject, parseObject, toFilledText } from '#toolbox'

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
