import { pipeline, type Readable } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { StreamedAnswer } from '#plugin-api'

const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = constants

/** Returns the body of an answer as it was before a proxy compressed it, which no request asks for. */
export function decompress({ headers, body }: StreamedAnswer): Readable {
  const decoder = chooseDecoder(String(headers['content-encoding'] ?? ''))
  if (!decoder) return body
  // The reader of the decoder gets the error.
  return pipeline(body, decoder, () => undefined)
}

function chooseDecoder(encoding: string) {
  const flushed = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }
  if (/\bgzip\b/i.test(encoding)) return createGunzip(flushed)
  if (/\bdeflate\b/i.test(encoding)) return createInflate(flushed)
  if (/\bbr\b/i.test(encoding)) return createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH })
  return undefined
}
