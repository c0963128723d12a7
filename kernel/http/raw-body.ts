import type { IncomingMessage } from 'node:http'
import { AppError } from '../errors.ts'

/** Reads a body as it comes; throws BODY_TOO_LARGE if it has more than `limit` bytes. */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  const tooLarge = () => new AppError('BODY_TOO_LARGE', { limit })
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge()
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > limit) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('CLIENT_LEFT', {}, { cause: error })
  }
  return Buffer.concat(chunks, length)
}
