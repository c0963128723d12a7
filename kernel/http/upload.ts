import { createHash, type Hash, randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { createWriteStream, mkdirSync, readdirSync, rmSync, statSync, type WriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Transform, type TransformCallback } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { BusboyHeaders, BusboyInstance } from '@fastify/busboy'
import type { Upload, UploadedFile, UploadSpec } from '../contract/route.ts'
import { AppError } from '../errors.ts'
import type { Issue } from '../schema.ts'

/** The field of a form that contains files. */
const FIELD = 'file'
/** The most bytes of any other field. */
const MAX_FIELD_BYTES = 4096
/** The most bytes of a form besides the file itself. */
const FRAME_BYTES = 64 * 1024
/** The age from which on a file can only be left from a crash, in milliseconds. */
const STALE_MS = 24 * 3600_000

/** Creates a reader that stores the files of a request in a folder, as its route takes them; it throws BODY_TOO_LARGE, BAD_FORM, VALIDATION_FAILED and the like. */
export function createUploadReader(folder: string) {
  let isPrepared = false

  return async (request: IncomingMessage, spec: UploadSpec): Promise<Upload> => {
    const { max_bytes, max_files = 1, as, media_type } = spec
    const isForm = /^multipart\//i.test(request.headers['content-type'] ?? '')
    const isWholeBody = as === 'body' || (media_type !== undefined && !isForm)
    const frame = isWholeBody ? 0 : FRAME_BYTES
    if (Number(request.headers['content-length'] ?? 0) > max_bytes * max_files + frame)
      throw tooLarge(max_bytes)
    if (!isPrepared) prepare(folder)
    isPrepared = true
    const sinks: HashedSink[] = []
    const openSink = (): HashedSink => {
      // The pipeline reports the failure; this listener only prevents an uncaught error.
      const sink = createWriteStream(join(folder, randomUUID()), { mode: 0o600 }).on('error', () => undefined)
      const opened = { sink, hash: createHash('sha256') }
      sinks.push(opened)
      return opened
    }
    try {
      const received = isWholeBody
        ? { files: [await receiveBody(request, openSink(), max_bytes)], fields: {} }
        : await receiveForm(request, openSink, spec)
      const files = received.files.map(async (described, index) => {
        const { sink, hash } = sinks[index]!
        const path = String(sink.path)
        return { ...described, path, size: (await stat(path)).size, digest: hash.digest('base64url') }
      })
      return { files: await Promise.all(files), fields: received.fields }
    } catch (error) {
      await Promise.all(sinks.map(discard))
      throw error
    }
  }
}

/** Closes a file and removes it. */
async function discard({ sink }: HashedSink): Promise<void> {
  sink.destroy()
  // If the file is still being opened, it would be created after its removal.
  if (!sink.closed) await new Promise<void>((resolve) => sink.once('close', resolve))
  await rm(sink.path, { force: true })
}

/** The name and media type of the file, as the request states them. */
type Described = Pick<UploadedFile, 'filename' | 'media_type'>

/** A file that is being stored, and the hash of what has been stored. */
interface HashedSink {
  sink: WriteStream
  hash: Hash
}

/** Stores the body. Unlike a pipeline, it leaves the request open, so that its answer arrives. */
async function receiveBody(
  request: IncomingMessage,
  { sink, hash }: HashedSink,
  maxBytes: number,
): Promise<Described> {
  const { 'content-encoding': encoding = 'identity', 'content-type': media_type = '' } = request.headers
  if (encoding !== 'identity')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { expected: 'no Content-Encoding' })
  let size = 0
  const bounded = new Transform({
    transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback) {
      size += chunk.length
      hash.update(chunk)
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

/** Stores the files of a form. */
async function receiveForm(
  request: IncomingMessage,
  openSink: () => HashedSink,
  spec: UploadSpec,
): Promise<{ files: Described[]; fields: Record<string, string> }> {
  const { max_bytes, max_files = 1, fields: fieldNames = [] } = spec
  const form = await openForm(request, spec)
  const issues: Issue[] = []
  const refuse = (issue: Issue) => void issues.push(issue)
  const files: Described[] = []
  const fields: Record<string, string> = {}
  const stored: Promise<void>[] = []
  const failed = new AbortController()
  // Avoids MaxListenersExceededWarning, as each file adds a listener.
  setMaxListeners(0, failed.signal)
  const message = max_files === 1 ? 'must hold one file' : `must hold at most ${max_files} files`
  const tooMany = new AppError('VALIDATION_FAILED', {
    issues: [{ path: '', rule: 'maxProperties', message }],
  })

  const received = new Promise<void>((resolve, reject) => {
    form
      .on('file', (name, stream, filename, _, media_type) => {
        stream.once('limit', () => reject(tooLarge(max_bytes)))
        if (name !== FIELD) refuse(unknownField(name))
        files.push({ filename: filename ?? FIELD, media_type })
        const { sink, hash } = openSink()
        stream.on('data', (chunk: Buffer) => hash.update(chunk))
        const storing = pipeline(stream, sink, { signal: failed.signal })
        storing.catch(reject)
        stored.push(storing)
      })
      .on('field', (name, value, _, isCut) => {
        if (!fieldNames.includes(name)) refuse(unknownField(name))
        else if (isCut) refuse({ path: `/${name}`, rule: 'maxLength', message: 'is too long' })
        fields[name] = value
      })
      // The parser does not read what exceeds its limits, so that a form which is large enough would never end.
      .on('filesLimit', () => reject(tooMany))
      .on('partsLimit', () => reject(tooMany))
      .on('error', (cause) => reject(new AppError('BAD_FORM', {}, { cause })))
      // Also after an error, when nobody would wait for a promise that is made here.
      .on('finish', resolve)
    finished(request, { writable: false }).catch((cause) => reject(new AppError('BAD_FORM', {}, { cause })))
    request.pipe(form)
  })
  try {
    await received
    await Promise.all(stored)
    if (files.length === 0 && issues.length === 0)
      refuse({ path: `/${FIELD}`, rule: 'required', message: 'is missing' })
    if (issues.length > 0) throw new AppError('VALIDATION_FAILED', { issues })
    return { files, fields }
  } catch (error) {
    request.unpipe(form)
    failed.abort()
    // The first error is rethrown below.
    await Promise.allSettled(stored)
    throw error
  }
}

async function openForm(
  { headers }: IncomingMessage,
  { max_bytes, max_files = 1, fields = [] }: UploadSpec,
): Promise<BusboyInstance> {
  // Loaded with the first form, not at each start.
  const { Busboy } = await import('@fastify/busboy')
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: {
        files: max_files,
        fileSize: max_bytes,
        parts: max_files + fields.length + 3,
        fieldSize: MAX_FIELD_BYTES,
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
