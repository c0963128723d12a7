import protobuf from 'protobufjs'

const SCHEMA = `
  syntax = "proto2";
  package pbbp2;
  message Header { required string key = 1; required string value = 2; }
  message Frame {
    required uint64 SeqID = 1;
    required uint64 LogID = 2;
    required int32 service = 3;
    required int32 method = 4;
    repeated Header headers = 5;
    optional string payload_encoding = 6;
    optional string payload_type = 7;
    optional bytes payload = 8;
    optional string LogIDNew = 9;
  }
`

const Frame = protobuf.parse(SCHEMA, { keepCase: true }).root.lookupType('pbbp2.Frame')

/** A frame of the long connection. */
export interface FeishuFrame {
  kind: 'control' | 'data'
  headers: Record<string, string>
  payload: Buffer
}

/** The fields that a reply repeats; the ids are decimal numbers of up to 64 bits. */
export interface FrameMarks {
  SeqID: string
  LogID: string
  service: number
  payload_encoding?: string
  payload_type?: string
  LogIDNew?: string
}

const METHODS = ['control', 'data'] as const

/** The number of the service in the address that the bot connects to. */
export const SERVICE = 33

let frames = 0n

/** Makes marks that no other frame has; their ids are too long for a double. */
export function createMarks(): FrameMarks {
  frames += 1n
  return {
    SeqID: String(2n ** 64n - frames),
    LogID: String(2n ** 53n + 2n * frames - 1n),
    service: SERVICE,
    payload_encoding: '',
    payload_type: 'json',
    LogIDNew: `20260101-${frames}`,
  }
}

/** Makes the bytes of a frame. */
export function encodeFrame({ kind, headers, payload }: FeishuFrame, marks = createMarks()): Uint8Array {
  const message = Frame.fromObject({
    ...marks,
    method: METHODS.indexOf(kind),
    headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    payload,
  })
  return Frame.encode(message).finish()
}

/** Reads a frame; throws if the bytes are not one. */
export function decodeFrame(bytes: Uint8Array): FeishuFrame & { marks: FrameMarks } {
  const { method, headers, payload, ...marks } = Frame.toObject(Frame.decode(bytes), {
    arrays: true,
    longs: String,
  })
  return {
    kind: METHODS[method as 0 | 1],
    marks: marks as FrameMarks,
    headers: Object.fromEntries(
      (headers as { key: string; value: string }[]).map(({ key, value }) => [key, value]),
    ),
    payload: Buffer.from(payload ?? []),
  }
}

/** Encodes an event as one frame, or as several if it is long. */
export function framesOf(event: unknown, deliveryId: string, marks?: FrameMarks): Uint8Array[] {
  const bytes = Buffer.from(JSON.stringify(event))
  const size = 1500
  const sum = Math.ceil(bytes.length / size)
  return Array.from({ length: sum }, (_, seq) =>
    encodeFrame(
      {
        kind: 'data',
        headers: {
          type: 'event',
          message_id: deliveryId,
          sum: String(sum),
          seq: String(seq),
          trace_id: `trace-${deliveryId}`,
        },
        payload: bytes.subarray(seq * size, (seq + 1) * size),
      },
      marks,
    ),
  )
}
