import { createDecipheriv } from 'node:crypto'
import { ChannelFailure } from '#plugin-api'

/** The longest file; the gateway's limit is lower. */
const MAX_BYTES = 64 * 1024 * 1024

/** The padding uses blocks twice as long as the cipher's. */
const PADDING_BLOCK = 32

/** Reads the Base64 key of a file. */
export function readKey(aeskey: string): Buffer {
  const key = Buffer.from(aeskey, 'base64')
  if (key.length !== 32)
    throw new ChannelFailure('unknown', 'The file of this message came without a valid key')
  return key
}

/** Decrypts AES-256-CBC with a key whose first half is the IV; buffers at most one padding block. */
export async function* decrypt(
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
