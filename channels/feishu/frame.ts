import { encodeBytes, encodeNumber, type Field, joinFields, readFields } from './protobuf.ts'

/** A frame of the long connection, the protobuf message `pbbp2.Frame`. */
export interface Frame {
  /** True for a part of an event, false for a pong. */
  isData: boolean
  headers: Map<string, string>
  payload: Buffer
  /** All fields, which a reply repeats byte for byte: the ids are 64-bit numbers. */
  fields: readonly Field[]
}

const SEQ_ID = 1
const LOG_ID = 2
const SERVICE = 3
const METHOD = 4
const HEADER = 5
const PAYLOAD = 8
const LOG_ID_NEW = 9

const HEADER_KEY = 1
const HEADER_VALUE = 2

/** The values of METHOD. */
const CONTROL = 0
const DATA = 1

/** Reads a frame; throws if the bytes are not one. */
export function readFrame(bytes: Buffer): Frame {
  const fields = readFields(bytes)
  if (!fields.every(hasExpectedType)) throw new Error('a field has another type')
  if (
    ![SEQ_ID, LOG_ID, SERVICE, METHOD].every((required) => fields.some(({ number }) => number === required))
  )
    throw new Error('a required field is missing')
  const headers = fields.filter(({ number }) => number === HEADER).map(({ value }) => readHeader(value))
  return {
    isData: findValue(fields, METHOD) === DATA,
    headers: new Map(headers),
    payload: toBytes(findValue(fields, PAYLOAD)),
    fields,
  }
}

/** True for numbers in the first fields, texts and bytes in the others, and anything in fields of later versions. */
const hasExpectedType = ({ number, value }: Field) =>
  number > LOG_ID_NEW || (number <= METHOD ? typeof value === 'number' : Buffer.isBuffer(value))

function readHeader(value: Field['value']): [key: string, value: string] {
  const pair = readFields(toBytes(value))
  return [toBytes(findValue(pair, HEADER_KEY)).toString(), toBytes(findValue(pair, HEADER_VALUE)).toString()]
}

/** Returns the value of a field, the last one if there are several. */
const findValue = (fields: readonly Field[], searched: number) =>
  fields.findLast(({ number }) => number === searched)?.value

const toBytes = (value: Field['value']): Buffer => (Buffer.isBuffer(value) ? value : Buffer.alloc(0))

const encodeHeader = (key: string, value: string) =>
  encodeBytes(HEADER, [encodeBytes(HEADER_KEY, key), encodeBytes(HEADER_VALUE, value)])

/** Encodes the reply to a frame, which is the frame with one more header and another payload. */
export function encodeReply(
  { fields }: Frame,
  header: [key: string, value: string],
  payload: string,
): Buffer {
  const repeated = fields.filter(({ number }) => number !== PAYLOAD)
  return joinFields([...repeated, encodeHeader(...header), encodeBytes(PAYLOAD, payload)])
}

/** Encodes the ping to a service. */
export const encodePing = (service: number): Buffer =>
  joinFields([
    encodeNumber(SEQ_ID, 0),
    encodeNumber(LOG_ID, 0),
    encodeNumber(SERVICE, service),
    encodeNumber(METHOD, CONTROL),
    encodeHeader('type', 'ping'),
  ])
