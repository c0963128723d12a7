import { crc32 } from 'node:zlib'

/** A message of an AWS event stream: its headers that are texts, and its payload. */
export interface Frame {
  headers: Record<string, string>
  payload: Uint8Array
}

/** The bytes of the lengths and their checksum, and of the checksum at the end. */
const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4

/** The longest message; a length above it means that the bytes are no event stream. */
const MAX_FRAME_BYTES = 24 * 1024 * 1024

/** The sizes of the values of headers by their type; -1 for those that begin with their length. */
const VALUE_BYTES = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16]
const TEXT_TYPE = 7

/** Creates a splitter of bytes into frames; what is not a valid frame is returned as bytes. */
export function createFrameSplitter() {
  let buffered = Buffer.alloc(0)
  let isBroken = false

  /** Takes the next frame, or the bytes from which no frame can be read. */
  function take(): Frame | Uint8Array | undefined {
    if (isBroken) return takeAll()
    if (buffered.length < PRELUDE_BYTES) return undefined
    const length = buffered.readUInt32BE(0)
    if (length < PRELUDE_BYTES + CHECKSUM_BYTES || length > MAX_FRAME_BYTES) isBroken = true
    if (isBroken) return takeAll()
    if (buffered.length < length) return undefined
    const bytes = buffered.subarray(0, length)
    buffered = buffered.subarray(length)
    return readFrame(bytes) ?? bytes
  }

  function takeAll(): Uint8Array | undefined {
    const bytes = buffered
    buffered = Buffer.alloc(0)
    return bytes.length > 0 ? bytes : undefined
  }

  return {
    /** Adds bytes and returns what they complete. */
    *split(bytes: Uint8Array): Generator<Frame | Uint8Array> {
      buffered = buffered.length > 0 ? Buffer.concat([buffered, bytes]) : Buffer.from(bytes)
      for (let next = take(); next; next = take()) yield next
    },
    /** Returns the bytes that are left. */
    end: takeAll,
  }
}

/** Reads a whole frame; undefined if a checksum is wrong. */
function readFrame(bytes: Buffer): Frame | undefined {
  const end = bytes.length - CHECKSUM_BYTES
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) return undefined
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) return undefined
  const payloadStart = PRELUDE_BYTES + bytes.readUInt32BE(4)
  const headers: Record<string, string> = {}
  let position = PRELUDE_BYTES
  while (position < payloadStart) {
    const nameEnd = position + 1 + bytes.readUInt8(position)
    const name = bytes.toString('utf8', position + 1, nameEnd)
    const type = bytes.readUInt8(nameEnd)
    const size = VALUE_BYTES[type]
    if (size === undefined) return undefined
    const valueStart = nameEnd + (size < 0 ? 3 : 1)
    position = valueStart + (size < 0 ? bytes.readUInt16BE(nameEnd + 1) : size)
    if (type === TEXT_TYPE) headers[name] = bytes.toString('utf8', valueStart, position)
  }
  return { headers, payload: bytes.subarray(payloadStart, end) }
}

/** Encodes an event or an exception of this type. */
export function encodeFrame(kind: 'event' | 'exception', type: string, payload: object): Uint8Array {
  const headers = Buffer.concat([
    encodeHeader(':message-type', kind),
    encodeHeader(`:${kind}-type`, type),
    encodeHeader(':content-type', 'application/json'),
  ])
  const body = Buffer.from(JSON.stringify(payload))
  const bytes = Buffer.alloc(PRELUDE_BYTES + headers.length + body.length + CHECKSUM_BYTES)
  bytes.writeUInt32BE(bytes.length, 0)
  bytes.writeUInt32BE(headers.length, 4)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8)
  headers.copy(bytes, PRELUDE_BYTES)
  body.copy(bytes, PRELUDE_BYTES + headers.length)
  const end = bytes.length - CHECKSUM_BYTES
  bytes.writeUInt32BE(crc32(bytes.subarray(0, end)), end)
  return bytes
}

function encodeHeader(name: string, value: string): Buffer {
  const text = Buffer.from(value)
  const size = Buffer.alloc(3)
  size.writeUInt8(TEXT_TYPE, 0)
  size.writeUInt16BE(text.length, 1)
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), size, text])
}
