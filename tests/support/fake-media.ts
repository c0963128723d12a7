import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Test } from '../run/file-test.ts'
import type { TestServer } from './server.ts'

/** A picture of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const RATE = 8000

/** Makes a WAV file of so many seconds, with a quiet tone. */
export function makeWav(seconds: number): Buffer {
  const samples = Math.round(seconds * RATE)
  const wav = Buffer.alloc(44 + samples * 2)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(36 + samples * 2, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(RATE, 24)
  wav.writeUInt32LE(RATE * 2, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(samples * 2, 40)
  for (let index = 0; index < samples; index += 1)
    wav.writeInt16LE(Math.round(800 * Math.sin((index / RATE) * 2 * Math.PI * 440)), 44 + index * 2)
  return wav
}

/** A call as it arrived: the fields of its JSON or its form, with its files as bytes. */
export interface MediaRequest {
  path: string
  fields: Record<string, string | number>
  files: { name: string; type: string; bytes: Buffer }[]
}

/** The answer to a call; JSON unless it is bytes. */
type MediaAnswer = { status?: number; body: object | Buffer; type?: string } | undefined

/** A running upstream that draws, speaks and transcribes over OpenAI's wire. */
export interface FakeMedia {
  url: string
  requests: MediaRequest[]
  /** Replaces the answers; the usual one is sent if it returns nothing. A promise delays it. */
  answer(script: (request: MediaRequest) => MediaAnswer | Promise<MediaAnswer>): void
}

const usual = ({ path }: MediaRequest): MediaAnswer => {
  if (path.startsWith('/v1/images/')) return { body: { data: [{ b64_json: PIXEL.toString('base64') }] } }
  if (path === '/v1/audio/speech') return { body: makeWav(0.3), type: 'audio/wav' }
  if (path === '/v1/audio/transcriptions')
    return { body: { text: ' Hello from the voice. ', language: 'english', duration: 2.5, segments: [] } }
  return { status: 404, body: { error: { message: `unknown: ${path}` } } }
}

async function readRequest(request: IncomingMessage): Promise<MediaRequest> {
  const bytes = await buffer(request)
  const type = String(request.headers['content-type'])
  const call: MediaRequest = { path: request.url!, fields: {}, files: [] }
  if (!type.startsWith('multipart/form-data'))
    return { ...call, fields: bytes.length > 0 ? JSON.parse(bytes.toString()) : {} }
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
  for (const [name, value] of form)
    if (typeof value === 'string') call.fields[name] = value
    else call.files.push({ name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) })
  return call
}

/** Starts the upstream, which ends with the test. */
export async function startFakeMedia(t: Test): Promise<FakeMedia> {
  const requests: MediaRequest[] = []
  let script: (request: MediaRequest) => MediaAnswer | Promise<MediaAnswer> = () => undefined
  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await readRequest(incoming)
    requests.push(request)
    const { status = 200, body, type } = (await script(request)) ?? usual(request)!
    const isBytes = Buffer.isBuffer(body)
    response.writeHead(status, { 'content-type': type ?? (isBytes ? 'audio/wav' : 'application/json') })
    response.end(isBytes ? body : JSON.stringify(body))
  }
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    answer: (next) => {
      script = next
    },
  }
}

/** The models of the upstream by the kinds of calls that they are for. */
export const MEDIA_MODELS = { image: 'studio:draw', speech: 'studio:speak', transcription: 'studio:whisper' }

/** Adds the upstream as a provider and chooses its models for the server. */
export async function useMedia({ call }: Pick<TestServer, 'call'>, base_url: string): Promise<void> {
  const models = Object.entries(MEDIA_MODELS).map(([model_kind, reference]) => {
    const id = reference.split(':')[1]!
    return { id, name: id, model_kind }
  })
  await call('POST', '/admin/providers', { name: 'studio', kind: 'openai-compatible', base_url, models })
  await call('PUT', '/models/defaults', MEDIA_MODELS)
}
