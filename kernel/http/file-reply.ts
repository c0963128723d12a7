import { Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Context } from 'koa'
import type { Download, FileReply } from '../contract/route.ts'
import { AppError } from '../errors.ts'
import { listsTag } from './request-facts.ts'

/** Sends a file while it is made. */
export function sendDownload(context: Context, { filename, media_type, content }: Download): void {
  describe(context, { filename, media_type, is_inline: false })
  context.body = Readable.from(content, { objectMode: false })
}

/** Sends a stored file: 200, 206 for a range of it, 304 where the client has it, or RANGE_NOT_SATISFIABLE. */
export async function sendFile(context: Context, reply: FileReply): Promise<void> {
  const { size, etag, file } = reply
  context.set({ ETag: `"${etag}"`, 'Accept-Ranges': 'bytes', 'Cache-Control': 'private, no-cache' })
  // Koa ignores the condition if the request has `Cache-Control: no-cache`, which `fetch` sends.
  if (listsTag(context.get('If-None-Match'), etag, { weak: true })) {
    await file.close()
    context.status = 304
    return
  }
  const range = rangeOf(context, size)
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range && start > end) {
    await file.close()
    context.set('Content-Range', `bytes */${size}`)
    throw new AppError('RANGE_NOT_SATISFIABLE', { size })
  }
  describe(context, reply)
  if (range) {
    context.status = 206
    context.set('Content-Range', `bytes ${start}-${end}/${size}`)
  }
  const length = end + 1 - start
  const body = exactly(length)
  // An empty file has no last byte to name.
  const bytes = length > 0 ? file.createReadStream({ start, end }) : Readable.from([])
  if (length === 0) await file.close()
  // The body reports the failure, as the pipeline destroys it.
  pipeline(bytes, body).catch(() => undefined)
  context.body = body
  context.length = length
}

/** The types that browsers run or apply if a page of this origin names the file, whatever else the reply says. */
const ACTIVE_TYPE = /^(text|application)\/(x-)?((java|ecma|j|live)script|css|wasm)/i

/** The headers that keep a browser from running what a file holds, and name it in any language (RFC 6266). */
function describe(
  context: Context,
  { filename, media_type, is_inline }: Pick<FileReply, 'filename' | 'media_type' | 'is_inline'>,
): void {
  context.type = ACTIVE_TYPE.test(media_type) ? 'application/octet-stream' : media_type
  const fallback = filename.replace(/[^\x20-\x7e]/g, '?')
  context.attachment(filename, { type: is_inline ? 'inline' : 'attachment', fallback })
  context.set({ 'Content-Security-Policy': 'sandbox', 'Referrer-Policy': 'no-referrer' })
}

/** Passes bytes on and fails if there are fewer than were promised, so that the reply does not look complete. */
function exactly(length: number): Transform {
  let missing = length
  return new Transform({
    transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback) {
      missing -= chunk.length
      done(null, chunk)
    },
    flush: (done) => done(missing > 0 ? new Error('the file became shorter while it was sent') : null),
  })
}

/**
 * The range that is asked for, `end` before `start` if the file has none of it. Undefined unless one range of this
 * version is wanted: several at once, and what is malformed, may be ignored (RFC 9110, 14.2).
 */
function rangeOf(context: Context, size: number): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(context.get('Range')) ?? []
  if (context.method !== 'GET' || (!first && !last)) return undefined
  const version = context.get('If-Range')
  if (version && version !== context.response.get('ETag')) return undefined
  if (!first) return { start: Math.max(0, size - Number(last)), end: size - 1 }
  if (last && Number(last) < Number(first)) return undefined
  return { start: Number(first), end: Math.min(last ? Number(last) : Infinity, size - 1) }
}
