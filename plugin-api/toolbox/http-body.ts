import type { Deadline } from '#kernel'

type Body = AsyncIterable<Uint8Array> | null

/** Reads a whole body; undefined if it has more than `maxBytes`, the rest of which is not read. */
export async function readBody(body: Body, maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body ?? []) {
    bytes += piece.byteLength
    if (bytes > maxBytes) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/**
 * Returns a body in pieces. `extend` is called around each piece, so that the time of its deadline is that of a piece,
 * and `release` at the end, also if the reader leaves early. Errors are converted by `toFailure`.
 */
export async function* readPieces(
  body: Body,
  toFailure: (error: unknown) => unknown,
  { extend, release }: Partial<Pick<Deadline, 'extend' | 'release'>> = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const piece of body ?? []) {
      extend?.()
      yield piece
      extend?.()
    }
  } catch (error) {
    throw toFailure(error)
  } finally {
    release?.()
  }
}

/** Returns the media type of a body without parameters; undefined if the headers name none, or only "any bytes". */
export function readMediaType(headers: Headers): string | undefined {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim()
  return type && type !== 'application/octet-stream' ? type : undefined
}

/** Encodes a form: the guarded fetch does not accept the global FormData. */
export async function encodeForm(
  form: FormData,
): Promise<{ headers: { 'content-type': string }; body: Uint8Array<ArrayBuffer> }> {
  const encoded = new Response(form)
  return {
    headers: { 'content-type': encoded.headers.get('content-type')! },
    body: new Uint8Array(await encoded.arrayBuffer()),
  }
}

/** Returns the pause that a `Retry-After` header asks for, in seconds or as a date, in milliseconds. */
export function readRetryAfter(headers: Headers, now = Date.now()): number | undefined {
  const header = headers.get('retry-after')?.trim()
  if (!header) return undefined
  // Without the name of a month, other numbers would be read as dates.
  const time = /[a-z]/i.test(header) ? Date.parse(header) : Number.NaN
  const pause = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : time - now
  return Number.isFinite(pause) ? Math.max(0, Math.ceil(pause)) : undefined
}

/** Detects the format of a picture by its first bytes; senders state none or a wrong one. */
export function detectPictureType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (start.startsWith('\x89PNG')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('GIF8')) return 'image/gif'
  return /^RIFF.{4}WEBP$/s.test(start) ? 'image/webp' : undefined
}

/** Detects the format of audio by its first bytes; undefined for AMR, SILK and other formats that few models take. */
export function detectAudioType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (/^RIFF.{4}WAVE$/s.test(start)) return 'audio/wav'
  if (start.startsWith('OggS')) return 'audio/ogg'
  if (start.startsWith('fLaC')) return 'audio/flac'
  if (start.startsWith('ID3')) return 'audio/mpeg'
  if (start.startsWith('ftyp', 4)) return 'audio/mp4'
  if (start.startsWith('\x1aE\xdf\xa3')) return 'audio/webm'
  const [first = 0, second = 0] = bytes
  // A frame begins with eleven or twelve ones; a frame of AAC has no layer.
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined
  return (second & 0xf6) === 0xf0 ? 'audio/aac' : 'audio/mpeg'
}
