import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { AppError } from '../errors.ts'
import { CLOSE, type OpenSocketDirectory } from '../socket/directory.ts'
import type { ErrorReply } from './error-reply.ts'

/** The parts that sending a Response needs. */
interface WebReplyParts {
  /** Aborted when the reader has left or may no longer read. */
  reading: AbortController
  /** The guard context of the reader, and the guards once more; they throw if the reader may no longer read. */
  context: object
  checkReader(): Promise<void>
  sockets: OpenSocketDirectory
  /** Returns an error after the headers as the reader sees it. */
  explain(error: unknown): ErrorReply
}

/** The time in which the body of an ended reply may say why it ended, in milliseconds. */
const FAREWELL_MS = 1000

/** Sends a Response of the web platform as it comes, to its end or until the reader may no longer read. */
export function sendWebReply(
  reply: Context,
  { status, headers, body }: Response,
  { reading, context, checkReader, sockets, explain }: WebReplyParts,
): void {
  for (const [name, value] of headers) reply.set(name, value)
  if (body) {
    const reader = body.getReader()
    const chunks = Readable.from(chunksOf(reader))
    const leave = () => void reader.cancel().catch(() => undefined)
    const close = (_code: number, _reason: string, error?: AppError) => reading.abort(error)
    const recheck = () =>
      void checkReader().catch((error) => {
        if (explain(error).status < 500) close(CLOSE.sessionEnded, '', error)
      })
    const entry = { context, close, recheck }
    sockets.add(entry)
    reading.signal.addEventListener('abort', () => {
      setTimeout(leave, reply.res.closed ? 0 : FAREWELL_MS).unref()
    })
    chunks.once('close', () => {
      sockets.remove(entry)
      leave()
    })
    reply.body = chunks
  } else reply.body = null
  // Koa takes a reply without a body for a 204.
  reply.status = status
  // The first bytes may be long in coming.
  if (body) reply.flushHeaders()
}

async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
}
