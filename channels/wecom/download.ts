import { createDecipheriv } from 'node:crypto'
import {
  ChannelFailure,
  type ChannelSettings,
  createDeadline,
  detectPictureType,
  type InboundContent,
  type JSONValue,
  readPieces,
  toObject,
  toText,
} from '#plugin-api'
import { toFetchFailure, toReason } from './failure.ts'

/** Time limit for a whole file, in milliseconds. */
const DOWNLOAD_MS = 120_000

/** Downloads a file of a message and decrypts it as a stream. */
export async function downloadFile(
  { fetch }: Pick<ChannelSettings, 'fetch'>,
  reference: JSONValue,
  aborted: AbortSignal,
): Promise<InboundContent> {
  const { url, aeskey, type } = toObject(reference)
  // Checked here because the error of `fetch` for an invalid address contains the signed address.
  if (!/^https?:/.test(toText(url)) || !URL.canParse(toText(url)))
    throw new ChannelFailure('not_found', 'The file of this message has no address')
  const key = readKey(toText(aeskey))
  const { signal, release } = createDeadline([aborted], { milliseconds: DOWNLOAD_MS })
  try {
    const response = await fetch(toText(url), { signal })
    if (!response.ok || !response.body) {
      await response.body?.cancel()
      throw new ChannelFailure(
        toReason(response.status),
        `The file could not be downloaded (HTTP status ${response.status}); WeCom stores files for five minutes`,
      )
    }
    const filename = readFilename(response.headers.get('content-disposition'))
    const plain = decrypt(
      readPieces(response.body, (error) => toFetchFailure(error, aborted), { release }),
      key,
    )
    if (type !== 'image') return { bytes: plain, ...(filename && { filename }) }
    const first = await plain.next()
    // The platform does not send the type of an image.
    const media_type = first.done ? undefined : detectPictureType(first.value)
    return {
      bytes: rejoin(first, plain),
      ...(filename && { filename }),
      ...(media_type && { media_type }),
    }
  } catch (error) {
    release()
    throw toFetchFailure(error, aborted)
  }
}

async function* rejoin(first: IteratorResult<Uint8Array>, others: AsyncGenerator<Uint8Array>) {
  try {
    if (first.done) return
    yield first.value
    yield* others
  } finally {
    await others.return(undefined)
  }
}

/** Reads the name from a Content-Disposition header; it may be percent-encoded in both of its forms. */
function readFilename(header: string | null): string | undefined {
  const name =
    /filename\*=utf-8''([^;\s]+)/i.exec(header ?? '')?.[1] ??
    /filename="([^"]+)"/i.exec(header ?? '')?.[1] ??
    /filename=([^;\s]+)/i.exec(header ?? '')?.[1]
  try {
    return name && decodeURIComponent(name)
  } catch {
    // An invalid percent encoding is part of the name.
    return name
  }
}

/** The longest file; the gateway's limit is lower. */
const MAX_BYTES = 64 * 1024 * 1024

/** The padding uses blocks twice as long as the cipher's. */
const PADDING_BLOCK = 32

/** Reads the Base64 key of a file. */
function readKey(aeskey: string): Buffer {
  const key = Buffer.from(aeskey, 'base64')
  if (key.length !== 32)
    throw new ChannelFailure('unknown', 'The file of this message came without a valid key')
  return key
}

/** Decrypts AES-256-CBC with a key whose first half is the IV; buffers at most one padding block. */
async function* decrypt(
  source: AsyncIterable<Uint8Array>,
  key: Buffer,
): AsyncGenerator<Uint8Array, void, undefined> {
  const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
  let lastBlock = Buffer.alloc(0)
  let total = 0
  for await (const chunk of source) {
    total += chunk.length
    if (total > MAX_BYTES) throw new ChannelFailure('unsupported', 'The file is larger than 64 MB')
    const plain = Buffer.concat([lastBlock, decipher.update(chunk)])
    const ready = Math.max(0, plain.length - PADDING_BLOCK)
    if (ready > 0) yield plain.subarray(0, ready)
    lastBlock = plain.subarray(ready)
  }
  const isWhole = total > 0 && total % 16 === 0
  const ending = isWhole ? Buffer.concat([lastBlock, decipher.final()]) : lastBlock
  const padding = ending.at(-1) ?? 0
  const isPadded =
    padding > 0 &&
    padding <= Math.min(PADDING_BLOCK, ending.length) &&
    ending.subarray(-padding).every((byte) => byte === padding)
  if (!isWhole || !isPadded)
    throw new ChannelFailure('unknown', 'The file of this message is truncated or does not match its key')
  if (ending.length > padding) yield ending.subarray(0, ending.length - padding)
}
