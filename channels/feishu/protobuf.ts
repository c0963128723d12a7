/** A field of a protobuf message; `encoded` includes its number and type. */
export interface Field {
  number: number
  /** A number, or the bytes of a string or message; undefined for types of fixed size, which are not used here. */
  value: number | Buffer | undefined
  encoded: Buffer
}

const MAX_VARINT_BYTES = 10
const MAX_FIELD_NUMBER = 2 ** 29 - 1

/** Far more than a frame has; a field in memory is larger than in the message. */
const MAX_FIELDS = 256

/** Reads the fields of a message; throws if the bytes are not one. Numbers above 2 ** 53 are rounded in `value`. */
export function readFields(bytes: Buffer): Field[] {
  const fields: Field[] = []
  let at = 0

  function readVarint(): number {
    let value = 0
    for (let index = 0; index < MAX_VARINT_BYTES && at < bytes.length; index += 1) {
      const byte = bytes[at++]!
      value += (byte & 127) * 128 ** index
      if (byte < 128) return value
    }
    throw new Error('a number is invalid')
  }

  function readBytes(length: number): Buffer {
    if (length > bytes.length - at) throw new Error('a field is truncated')
    at += length
    return bytes.subarray(at - length, at)
  }

  function readValue(type: number): Field['value'] {
    if (type === 0) return readVarint()
    if (type === 2) return readBytes(readVarint())
    if (type !== 1 && type !== 5) throw new Error('a field has an unknown type')
    readBytes(type === 1 ? 8 : 4)
    return undefined
  }

  while (at < bytes.length) {
    if (fields.length === MAX_FIELDS) throw new Error('there are too many fields')
    const start = at
    const tag = readVarint()
    const number = Math.floor(tag / 8)
    if (number === 0 || number > MAX_FIELD_NUMBER) throw new Error('a field number is invalid')
    const value = readValue(tag % 8)
    fields.push({ number, value, encoded: bytes.subarray(start, at) })
  }
  return fields
}

/** Encodes a field with a number, which is an integer from 0 to 2 ** 53. */
export const encodeNumber = (number: number, value: number): Field => ({
  number,
  value,
  encoded: Buffer.from([number * 8, ...encodeVarint(value)]),
})

/** Encodes a field with a string or a message. */
export function encodeBytes(number: number, content: string | readonly Field[]): Field {
  const value = typeof content === 'string' ? Buffer.from(content) : joinFields(content)
  const prefix = Buffer.from([number * 8 + 2, ...encodeVarint(value.length)])
  return { number, value, encoded: Buffer.concat([prefix, value]) }
}

/** Encodes a message, with the fields in the order of their numbers. */
export function joinFields(fields: readonly Field[]): Buffer {
  const ordered = fields.toSorted((one, other) => one.number - other.number)
  return Buffer.concat(ordered.map(({ encoded }) => encoded))
}

function encodeVarint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...encodeVarint(Math.floor(value / 128))]
}
