import { randomUUID } from 'node:crypto'
import { createWriteStream, mkdirSync, readdirSync, rmSync, statSync, type WriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Transform, type TransformCallback } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { AppError } from '../errors.ts'
import type { Issue } from '../schema.ts'
import type { UploadSpec } from './route.ts'

/** A file that a request brought: it lies at `path` until the reply is made, unless the handler moves it away. */
export interface UploadedFile {
  path: string
  /** As the client names it, without folders; to be checked before it is used as a name. */
  filename: string
  media_type: string
  /** In bytes. */
  size: number
}

/** Receives the file of a request, as its route takes it. */
export type UploadReader = (request: IncomingMessage, spec: UploadSpec) => Promise<UploadedFile>

/** The one field that a form has. */
const FIELD = 'file'
/** The most bytes of a form besides the file itself. */
const FRAME_BYTES = 64 * 1024
/** The age from which on a file can only be left from a crash, in milliseconds. */
const STALE_MS = 24 * 3600_000

/** Makes a reader that stores files in a folder; it throws BODY_TOO_LARGE, BAD_FORM, VALIDATION_FAILED and the like. */
export function createUploadReader(folder: string): UploadReader {
  let isPrepared = false

  return async (request, { max_bytes, as }) => {
    const [receive, frame] = as === 'body' ? [receiveBody, 0] : [receiveForm, FRAME_BYTES]
    if (Number(request.headers['content-length'] ?? 0) > max_bytes + frame) throw tooLarge(max_bytes)
    if (!isPrepared) prepare(folder)
    isPrepared = true
    const path = join(folder, randomUUID())
    // Whoever writes to it learns that it failed, also before.
    const sink = createWriteStream(path, { mode: 0o600 }).on('error', () => undefined)
    try {
      const described = await receive(request, sink, max_bytes)
      return { ...described, path, size: (await stat(path)).size }
    } catch (error) {
      sink.destroy()
      // It may still be opening the file, which would come after it was removed.
      if (!sink.closed) await new Promise<void>((resolve) => sink.once('close', resolve))
      await rm(path, { force: true })
      throw error
    }
  }
}

/** The name and media type of the file, as the request states them. */
type Described = Pick<UploadedFile, 'filename' | 'media_type'>

/** Stores the body. Unlike a pipeline, it leaves the request open, so that its answer arrives. */
async function receiveBody(
  request: IncomingMessage,
  sink: WriteStream,
  maxBytes: number,
): Promise<Described> {
  const { 'content-encoding': encoding = 'identity', 'content-type': media_type = '' } = request.headers
  if (encoding !== 'identity')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { expected: 'no Content-Encoding' })
  let size = 0
  const bounded = new Transform({
    transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback) {
      size += chunk.length
      done(size > maxBytes ? tooLarge(maxBytes) : null, chunk)
    },
  })
  request.pipe(bounded)
  finished(request, { writable: false }).catch((cause) =>
    bounded.destroy(new AppError('CLIENT_LEFT', {}, { cause })),
  )
  try {
    await pipeline(bounded, sink)
  } finally {
    request.unpipe(bounded)
  }
  return { filename: FIELD, media_type }
}

/** Stores the file of a form. */
async function receiveForm(
  request: IncomingMessage,
  sink: WriteStream,
  maxBytes: number,
): Promise<Described> {
  const form = openForm(request, maxBytes)
  const issues: Issue[] = []
  const refuse = (issue: Issue) => void issues.push(issue)
  let file: Described | undefined
  let stored: Promise<void> | undefined
  const failed = new AbortController()

  const received = new Promise<void>((resolve, reject) => {
    form
      .on('file', (name, stream, filename, _, media_type) => {
        stream.once('limit', () => reject(tooLarge(maxBytes)))
        if (name !== FIELD) refuse(unknownField(name))
        else file = { filename: filename ?? FIELD, media_type }
        stored = pipeline(stream, sink, { signal: failed.signal })
        stored.catch(reject)
      })
      .on('field', (name) => refuse(unknownField(name)))
      .on('filesLimit', () => refuse({ path: '', rule: 'maxProperties', message: 'must hold one file' }))
      .on('partsLimit', () => refuse({ path: '', rule: 'maxProperties', message: 'must hold one file' }))
      .on('error', (cause) => reject(new AppError('BAD_FORM', {}, { cause })))
      .on('finish', () => resolve(stored))
    finished(request, { writable: false }).catch((cause) => reject(new AppError('BAD_FORM', {}, { cause })))
    request.pipe(form)
  })
  try {
    await received
    if (!file && issues.length === 0) refuse({ path: `/${FIELD}`, rule: 'required', message: 'is missing' })
    if (issues.length > 0) throw new AppError('VALIDATION_FAILED', { issues })
    return file!
  } catch (error) {
    request.unpipe(form)
    failed.abort()
    await stored?.catch(() => 'why is known already')
    throw error
  }
}

function openForm({ headers }: IncomingMessage, maxBytes: number): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: {
        files: 1,
        fileSize: maxBytes,
        parts: 4,
        fieldSize: 1024,
        headerPairs: 16,
        headerSize: 16_384,
      },
    })
  } catch (cause) {
    throw new AppError('BAD_FORM', {}, { cause })
  }
}

/** Makes the folder and removes what a crash has left in it. */
function prepare(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats && Date.now() - stats.mtimeMs > STALE_MS) rmSync(path, { force: true })
  }
}

const tooLarge = (limit: number) => new AppError('BODY_TOO_LARGE', { limit })

const unknownField = (name: string): Issue => ({
  path: `/${name.slice(0, 64)}`,
  rule: 'additionalProperties',
  message: 'is not known',
})
