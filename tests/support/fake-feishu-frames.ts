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

// The client library runs in this process too, and takes the long numbers out of what both share.
Reflect.set(protobuf.util, 'Long', undefined)
protobuf.configure()

const Frame = protobuf.parse(SCHEMA, { keepCase: true }).root.lookupType('pbbp2.Frame')

/** A frame of the long connection. */
export interface FeishuFrame {
  kind: 'control' | 'data'
  headers: Record<string, string>
  payload: Buffer
}

const METHODS = ['control', 'data'] as const

/** The number of the service in the address that the bot connects to. */
export const SERVICE = 33

/** Makes the bytes of a frame. */
export function encodeFrame({ kind, headers, payload }: FeishuFrame): Uint8Array {
  return Frame.encode({
    SeqID: 1,
    LogID: 1,
    service: SERVICE,
    method: METHODS.indexOf(kind),
    headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    payload,
  }).finish()
}

/** Reads a frame; throws if the bytes are not one. */
export function decodeFrame(bytes: Uint8Array): FeishuFrame & { service: number } {
  const { method, headers, payload, service } = Frame.toObject(Frame.decode(bytes), { arrays: true })
  return {
    kind: METHODS[method as 0 | 1],
    service,
    headers: Object.fromEntries(
      (headers as { key: string; value: string }[]).map(({ key, value }) => [key, value]),
    ),
    payload: Buffer.from(payload ?? []),
  }
}

/** Encodes an event as one frame, or as several if it is long. */
export function framesOf(event: unknown, deliveryId: string): Uint8Array[] {
  const bytes = Buffer.from(JSON.stringify(event))
  const size = 1500
  const sum = Math.ceil(bytes.length / size)
  return Array.from({ length: sum }, (_, seq) =>
    encodeFrame({
      kind: 'data',
      headers: {
        type: 'event',
        message_id: deliveryId,
        sum: String(sum),
        seq: String(seq),
        trace_id: `trace-${deliveryId}`,
      },
      payload: bytes.subarray(seq * size, (seq + 1) * size),
    }),
  )
}
