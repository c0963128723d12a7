import { SPOKEN } from '../../../plugin-api/testing/media-samples.ts'
import { createHold, eventually } from '../../../plugin-api/testing/waiting.ts'
import { makeSilence } from '../../../plugin-api/toolbox/silence.ts'
import t from '../../run/file-test.ts'
import { answerJson, startFakeMedia, useMedia } from '../../support/fake-media.ts'
import { startServer } from '../../support/server.ts'

const server = await startServer(t)
const media = await startFakeMedia(t)

const MIB = 1024 * 1024

/** Calls a route of the plugin and returns the reply. */
async function call(
  path: string,
  body: FormData | object,
  { token = server.admin.token, signal }: { token?: string | null; signal?: AbortSignal } = {},
) {
  const isForm = body instanceof FormData
  const reply = await fetch(`${server.url}/api${path}`, {
    method: 'POST',
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(!isForm && { 'content-type': 'application/json' }),
    },
    body: isForm ? body : JSON.stringify(body),
    signal,
  })
  const bytes = Buffer.from(await reply.arrayBuffer())
  const isJson = reply.headers.get('content-type')?.startsWith('application/json')
  return { status: reply.status, headers: reply.headers, bytes, body: isJson && JSON.parse(String(bytes)) }
}

/** Makes the form of a transcription. */
function formOf(bytes: Uint8Array, { language, name = 'file' }: { language?: string; name?: string } = {}) {
  const form = new FormData()
  form.set(name, new File([new Uint8Array(bytes)], 'speech.bin', { type: 'application/octet-stream' }))
  if (language !== undefined) form.set('language', language)
  return form
}

t.test('without models the plugin says whom to ask', async (t) => {
  t.strictSame(await server.call('GET', '/voice'), { transcription: false, speech: false })
  for (const reply of [
    await call('/transcriptions', formOf(makeSilence(1))),
    await call('/speech', { text: 'Hello' }),
  ])
    t.match(reply, {
      status: 409,
      body: { error: { code: 'MODEL_NOT_CHOSEN', message: /An administrator can choose one/ } },
    })
  await useMedia(server, media.url)
  t.strictSame(await server.call('GET', '/voice'), { transcription: true, speech: true })
})

t.test('audio is transcribed, by its bytes and not by its name', async (t) => {
  const audio = makeSilence(1)
  const { status, body } = await call('/transcriptions', formOf(audio, { language: 'de' }))
  t.equal(status, 200, JSON.stringify(body))
  t.strictSame(body, { text: SPOKEN, language: 'de', seconds: 1.5 })
  const [request] = media.requests.slice(-1)
  t.match(request, { path: '/audio/transcriptions', fields: { model: 'whisper', language: 'de' } })
  t.equal(request!.fields.file.media_type, 'audio/wav')
  t.same(Buffer.from(request!.fields.file.bytes), audio)
})

t.test('a request that cannot be served costs nothing', async (t) => {
  const count = media.requests.length
  const several = formOf(makeSilence(1))
  several.append('file', new File(['x'], 'second.wav'))
  const refusals: [path: string, body: FormData | object, status: number, code: string][] = [
    ['/transcriptions', formOf(Buffer.from('#!AMR\nwhat few models take')), 415, 'AUDIO_NOT_SUPPORTED'],
    ['/transcriptions', formOf(Buffer.from('<html></html>')), 415, 'AUDIO_NOT_SUPPORTED'],
    ['/transcriptions', formOf(Buffer.alloc(0)), 415, 'AUDIO_NOT_SUPPORTED'],
    ['/transcriptions', formOf(Buffer.alloc(25 * MIB + 1)), 413, 'BODY_TOO_LARGE'],
    ['/transcriptions', formOf(makeSilence(1), { language: 'english' }), 422, 'VALIDATION_FAILED'],
    ['/transcriptions', formOf(makeSilence(1), { name: 'audio' }), 422, 'VALIDATION_FAILED'],
    ['/transcriptions', new FormData(), 422, ''],
    ['/transcriptions', several, 422, 'VALIDATION_FAILED'],
    ['/transcriptions', {}, 415, ''],
    ['/speech', { text: '' }, 422, 'VALIDATION_FAILED'],
    ['/speech', { text: ' \n ' }, 422, 'VALIDATION_FAILED'],
    ['/speech', { text: 'x'.repeat(4097) }, 422, 'VALIDATION_FAILED'],
    ['/speech', { text: 'x', voice: 'a voice' }, 422, 'VALIDATION_FAILED'],
    ['/speech', { text: 'x', format: 'midi' }, 422, 'VALIDATION_FAILED'],
    ['/speech', { text: 'x', speed: 2 }, 422, 'VALIDATION_FAILED'],
  ]
  for (const [path, body, status, code] of refusals) {
    const reply = await call(path, body)
    t.equal(reply.status, status, `${code} ${JSON.stringify(reply.body).slice(0, 200)}`)
    if (code) t.equal(reply.body.error.code, code)
  }
  t.equal((await call('/speech', { text: 'x' }, { token: null })).status, 401)
  t.equal(media.requests.length, count)
})

t.test('a text is spoken', async (t) => {
  const { status, headers, bytes } = await call('/speech', { text: 'Hello', voice: 'nova', format: 'opus' })
  t.equal(status, 200)
  t.equal(headers.get('content-type'), 'audio/wav', 'as the bytes say')
  t.match(headers.get('content-disposition'), /speech\.wav/)
  t.same(bytes, makeSilence(1))
  t.match(media.requests.at(-1), {
    path: '/audio/speech',
    fields: { model: 'speak', input: 'Hello', voice: 'nova', response_format: 'opus' },
  })
  await call('/speech', { text: 'Hello' })
  t.match(media.requests.at(-1)!.fields, { response_format: 'mp3' })
})

t.test('failures of the upstream are those of other model calls', async (t) => {
  media.answer(() => answerJson({ error: { message: 'Incorrect API key' } }, 401))
  t.match(await call('/speech', { text: 'Hello' }), {
    status: 502,
    body: { error: { code: 'MODEL_AUTH_FAILED' } },
  })
  media.answer(() => ({ body: '<html>not audio</html>', type: 'text/html' }))
  t.match(await call('/speech', { text: 'Hello' }), {
    status: 502,
    body: { error: { code: 'MODEL_RESULT_INVALID' } },
  })
  media.answer(() => answerJson({ text: '' }))
  t.match(await call('/transcriptions', formOf(makeSilence(1))), {
    status: 200,
    body: { text: '', language: null },
  })
  media.answer(() => undefined)
})

t.test('a client that leaves ends its call, and others need not wait', async (t) => {
  const hold = createHold()
  media.answer(async ({ path }) => {
    if (path.endsWith('/transcriptions')) await hold.hold
    return undefined
  })
  const count = media.requests.length
  const leaving = new AbortController()
  const waiting = [1, 2, 3].map(() =>
    call('/transcriptions', formOf(makeSilence(1)), { signal: leaving.signal }).catch((error) => error.name),
  )
  await eventually('two of them are being transcribed', () => media.requests.length === count + 2)
  t.equal((await call('/speech', { text: 'Hello' })).status, 200)
  leaving.abort()
  t.strictSame(await Promise.all(waiting), ['AbortError', 'AbortError', 'AbortError'])
  hold.release()
  media.answer(() => undefined)
  t.equal((await call('/transcriptions', formOf(makeSilence(1)))).status, 200, 'their places are free again')
  t.equal(media.requests.length, count + 4, 'the third was never sent')
})

t.test('each account pays for its own calls, within its quota', async (t) => {
  const ann = await server.createUser({ username: 'ann' })
  await call('/transcriptions', formOf(makeSilence(5)), { token: ann.token })
  await call('/speech', { text: 'Hello' }, { token: ann.token })
  t.match(await server.call('GET', '/usage/summary', undefined, ann.token), { totals: { model_calls: 2 } })
  await server.call('PATCH', `/users/${ann.id}`, { token_quota: 1 })
  t.match(await call('/speech', { text: 'Hello' }, { token: ann.token }), {
    status: 429,
    body: { error: { code: 'TOKEN_QUOTA_EXCEEDED' } },
  })
})

t.test('an API key needs the scope to chat', async (t) => {
  const keyOf = async (scopes: string[]) =>
    (await server.call('POST', '/auth/api-keys', { name: scopes.join(), scopes })).key as string
  const read = await keyOf(['read'])
  t.equal((await call('/speech', { text: 'Hello' }, { token: read })).status, 403)
  t.equal((await call('/transcriptions', formOf(makeSilence(1)), { token: read })).status, 403)
  t.equal((await call('/speech', { text: 'Hello' }, { token: await keyOf(['chat']) })).status, 200)
})
