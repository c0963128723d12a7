import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeSilence } from '#plugin-api'
import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import { PIXEL, SPOKEN } from '../../../plugin-api/testing/media-samples.ts'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../../run/file-test.ts'
import { createHold } from '../../support/chat.ts'
import { startServer } from '../../support/server.ts'
import { studio } from '../../support/studio.ts'

const KEY = 'sk-canary-0123456789abcdef'
const IDS = [
  'chatty',
  'flux-image',
  'kokoro-tts',
  'whisper-1',
  'bge-reranker-v2-m3',
  'text-embedding-3-small',
]
const CHOICES = {
  image: 'media:flux-image',
  speech: 'media:kokoro-tts',
  transcription: 'media:whisper-1',
  rerank: 'media:bge-reranker-v2-m3',
}
const NOTHING = { image: null, speech: null, transcription: null, rerank: null }
const kind = 'openai-compatible'

const server = await startServer(t, { given: [studio], env: { SVC_ALLOW_HOSTS: '127.0.0.1' } })
const ada = await server.createUser({ username: 'ada' })
const bob = await server.createUser({ username: 'bob' })

const ask = (name: string, body: object, token = ada.token) =>
  server.request('POST', `/studio/${name}`, { body, token })
const choose = (body: object) => server.request('PUT', '/models/defaults', { body })
const usageOf = async ({ token }: { token: string }, query = '') =>
  server.call('GET', `/usage/summary${query}`, undefined, token)

const audio = makeSilence(3).toString('base64')
const CALLS = {
  draw: { prompt: 'A red fox' },
  speak: { text: 'Good day' },
  transcribe: { audio, media_type: 'audio/wav' },
  rerank: { query: 'red fox', documents: ['a blue sky', 'the red fox', 'a red sky'] },
}

/** A provider of the server whose models are chosen, and its upstream; both go with the test. */
async function startMedia(t: Test, fields: object = {}) {
  const fake = await createFakeOpenAI({ apiKey: KEY, models: IDS })
  const body = { name: 'media', kind, base_url: fake.url, api_key: KEY, ...fields }
  const provider = await server.call('POST', '/admin/providers', body)
  t.teardown(async () => {
    await server.request('DELETE', `/admin/providers/${provider.id}`)
    await fake.close()
  })
  await eventually('the models are listed', async () => (await choose(CHOICES)).status === 200)
  return { fake, path: `/admin/providers/${provider.id}` }
}

t.test('without a choice the server draws, speaks, transcribes and ranks nothing', async (t) => {
  t.strictSame(await server.call('GET', '/models/defaults', undefined, ada.token), NOTHING)
  for (const [name, body] of Object.entries(CALLS)) {
    const reply = await ask(name, body)
    t.match(reply, { status: 409, body: { error: { code: 'MODEL_NOT_CHOSEN' } } }, name)
    t.match(reply.body.error.message, /administrator can choose/)
  }
  t.match(await usageOf(ada), { totals: { model_calls: 0 } })
})

t.test('administrators choose models of the server, of the kind of the field', async (t) => {
  const { path } = await startMedia(t)
  t.strictSame(await server.call('GET', '/models/defaults', undefined, ada.token), CHOICES)
  t.match(await server.request('PUT', '/models/defaults', { token: ada.token, body: CHOICES }), {
    status: 403,
  })

  const own = {
    name: 'mine',
    kind,
    base_url: 'http://192.31.196.7/v1',
    models: [{ id: 'tts', model_kind: 'speech' }],
  }
  await server.call('POST', '/providers', own, bob.token)
  for (const speech of [
    'media:flux-image',
    'media:chatty',
    'media:none',
    'nobody:tts-1',
    'mine:tts',
    'demo:demo',
  ])
    t.match(await choose({ image: null, speech }), {
      status: 400,
      body: { error: { code: 'MODEL_NOT_SUITABLE' } },
    })
  for (const body of [{}, { chat: 'media:chatty' }, { speech: 1 }, { speech: '' }, []])
    t.match(await choose(body), { status: 422 }, JSON.stringify(body))
  t.strictSame(await server.call('GET', '/models/defaults'), CHOICES, 'a refused choice changes nothing')

  t.strictSame((await choose({ rerank: null })).body, { ...CHOICES, rerank: null })
  t.strictSame((await choose({ rerank: CHOICES.rerank })).body, CHOICES)
  const { body: rows } = await server.request('GET', '/admin/audit-log?action=model.defaults&limit=2')
  t.match(rows, [{ action: 'model.defaults', actor: /admin/ }, { action: 'model.defaults' }])

  await server.call('PATCH', path, { name: 'studio' })
  t.match(
    await server.call('GET', '/models/defaults'),
    { speech: 'studio:kokoro-tts' },
    'a choice follows a rename',
  )
  await server.call('PATCH', path, { name: 'media', enabled: false })
  t.strictSame(await server.call('GET', '/models/defaults'), { ...NOTHING, disabled: CHOICES })
  t.match(await ask('speak', CALLS.speak), { status: 409, body: { error: { code: 'MODEL_NOT_CHOSEN' } } })
  await server.call('PATCH', path, { enabled: true, models: [{ id: 'kokoro-tts', model_kind: 'speech' }] })
  const { speech, ...others } = CHOICES
  t.strictSame(await server.call('GET', '/models/defaults'), { ...NOTHING, speech, disabled: others })
  await server.call('DELETE', path)
  t.strictSame(await server.call('GET', '/models/defaults'), { ...NOTHING, disabled: CHOICES })
  t.strictSame((await choose({ image: null, speech: null, transcription: null, rerank: null })).body, NOTHING)
})

t.test('pictures are drawn and changed, texts spoken, speech written down, documents ranked', async (t) => {
  const { fake } = await startMedia(t)
  t.strictSame((await ask('draw', { ...CALLS.draw, size: '512x512' })).body, [
    { data: PIXEL, media_type: 'image/png' },
  ])
  await ask('draw', { prompt: 'Make it blue', inputs: [{ data: PIXEL, media_type: 'image/png' }] })
  t.match((await ask('speak', { ...CALLS.speak, voice: 'nova', format: 'wav' })).body, {
    media_type: 'audio/wav',
  })
  t.match((await ask('speak', CALLS.speak)).body, { media_type: 'audio/mpeg' })
  const transcript = await ask('transcribe', { ...CALLS.transcribe, language: 'de' })
  t.strictSame(transcript.body, { text: SPOKEN, language: 'de', seconds: 1.5 })
  t.strictSame((await ask('rerank', CALLS.rerank)).body, [
    { index: 1, score: 1 },
    { index: 2, score: 0.5 },
  ])
  t.match(
    fake.mediaRequests.map(({ path, body }) => [path, body]),
    [
      ['/v1/images/generations', { model: 'flux-image', prompt: 'A red fox', size: '512x512', n: 1 }],
      ['/v1/images/edits', { prompt: 'Make it blue', image: { media_type: 'image/png' } }],
      ['/v1/audio/speech', { model: 'kokoro-tts', input: 'Good day', voice: 'nova', response_format: 'wav' }],
      ['/v1/audio/speech', { response_format: 'mp3' }],
      ['/v1/audio/transcriptions', { model: 'whisper-1', language: 'de', file: { filename: 'audio.wav' } }],
      ['/v1/rerank', { model: 'bge-reranker-v2-m3', query: 'red fox', top_n: 2 }],
    ],
  )
  t.ok(fake.mediaRequests.every(({ headers }) => headers.authorization === `Bearer ${KEY}`))
  t.notOk(server.logged().includes(KEY))
})

t.test('each account pays for its own calls, which are counted and priced', async (t) => {
  const carl = await server.createUser({ username: 'carl' })
  const models = [
    { id: 'flux-image', model_kind: 'image', price: { image: 0.04 } },
    { id: 'kokoro-tts', model_kind: 'speech', price: { million_characters: 15 } },
    { id: 'whisper-1', model_kind: 'transcription', price: { minute: 0.006 } },
    { id: 'bge-reranker-v2-m3', model_kind: 'rerank', price: { input: 2 } },
  ]
  const { path } = await startMedia(t, { models })
  const earlier = await usageOf(ada)
  for (const [name, body] of Object.entries(CALLS))
    t.match(await ask(name, body, carl.token), { status: 200 })
  const { totals, quota } = await usageOf(carl)
  // 3 + 1500 for the picture, 3 for the words, 20 + 5 for two seconds and what was said, 14 for the documents.
  const tokens = { input_tokens: 39, output_tokens: 1505, total_tokens: 1544, estimated_tokens: 1544 }
  t.match(totals, { ...tokens, model_calls: 4, pictures: 1, characters: 8, seconds: 2 })
  const amount = Number((0.04 + (8 * 15) / 1e6 + (2 * 0.006) / 60 + (13 * 2) / 1e6).toFixed(9))
  t.strictSame([totals.cost, totals.unpriced_calls], [{ amount, currency: 'USD' }, 0])
  t.equal(quota.used, totals.total_tokens)
  t.strictSame((await usageOf(ada)).totals, earlier.totals)

  const { buckets } = await usageOf(carl, '?granularity=by_model')
  const speech = buckets.find(({ key }: { key: string }) => key === CHOICES.speech)
  t.match(speech, { characters: 8, model_calls: 1 })
  t.notOk('pictures' in speech)
  const { accounts } = await server.call('GET', '/admin/usage?username=carl')
  t.match(accounts, [{ username: 'carl', pictures: 1, characters: 8, seconds: 2, cost: totals.cost }])
  const rows = await server.db.collection('usage').find({ user_id: carl.id }).toArray()
  t.strictSame(rows.map(({ purpose }) => purpose).sort(), ['image', 'rerank', 'speech', 'transcription'])

  const { models: rowsOfModels } = await server.call('GET', path)
  t.match(rowsOfModels[0].price, { image: 0.04, input: null, currency: 'USD' })
  const sentBack = await server.call('PATCH', path, { models: rowsOfModels })
  t.strictSame(sentBack.models, rowsOfModels, 'a row that is sent back keeps its price')
  t.match((await server.request('GET', '/models?kind=image')).body, [{ price: { image: 0.04 } }])
  for (const price of [{ image: -1 }, { image: 'free' }, { per_picture: 1 }, { image: 1, currency: 'euro' }])
    t.match(await server.request('PATCH', path, { body: { models: [{ id: 'x', price }] } }), { status: 422 })
})

t.test('an account without tokens left is refused before the upstream is called', async (t) => {
  const { fake } = await startMedia(t)
  const dora = await server.createUser({ username: 'dora' })
  await server.call('PATCH', '/users/dora', { token_quota: 2 })
  for (const [name, body] of Object.entries(CALLS))
    t.match(
      await ask(name, body, dora.token),
      { status: 429, body: { error: { code: 'TOKEN_QUOTA_EXCEEDED', details: { quota: 2 } } } },
      name,
    )
  t.equal(fake.mediaRequests.length, 0)
  t.match(await ask('speak', CALLS.speak, ada.token), { status: 200 })
  await server.call('PATCH', '/users/dora', { token_quota: 4 })
  t.match(await ask('speak', CALLS.speak, dora.token), { status: 200 })
  t.match(await ask('speak', { text: 'k' }, dora.token), { status: 429 })
})

t.test('a refusal of the upstream ends a call as it ends a turn, and costs nothing', async (t) => {
  const { fake } = await startMedia(t)
  const erin = await server.createUser({ username: 'erin' })
  const refusals = [
    [{ status: 401 }, 502, 'MODEL_AUTH_FAILED'],
    [{ status: 402 }, 502, 'MODEL_QUOTA_EXHAUSTED'],
    [{ status: 429 }, 503, 'MODEL_RATE_LIMITED'],
    [{ status: 500 }, 502, 'MODEL_UNAVAILABLE'],
    [{ status: 404, error: { code: 'model_not_found' } }, 502, 'MODEL_NOT_FOUND'],
    [{ status: 400, error: { message: `The key ${KEY} is fine` } }, 502, 'MODEL_CALL_FAILED'],
  ] as const
  for (const [script, status, code] of refusals)
    for (const [name, body] of Object.entries(CALLS)) {
      fake.next(script)
      const reply = await ask(name, body, erin.token)
      t.match(reply, { status, body: { error: { code, details: { provider: 'media' } } } }, `${name} ${code}`)
      t.notOk(JSON.stringify(reply.body).includes(KEY), 'the key is not told')
    }
  t.match(await usageOf(erin), { totals: { model_calls: 0 } })
  await fake.close()
  for (const [name, body] of Object.entries(CALLS))
    t.match(await ask(name, body), { status: 502, body: { error: { code: 'MODEL_UNAVAILABLE' } } })
})

t.test('a call ends when its client leaves', async (t) => {
  const { fake } = await startMedia(t)
  for (const [index, [name, body]] of Object.entries(CALLS).entries()) {
    const { hold, release } = createHold()
    fake.next({ hold })
    const abort = new AbortController()
    const request = fetch(`${server.url}/api/studio/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: abort.signal,
    }).catch(() => undefined)
    const call = await eventually('the upstream is called', () => fake.mediaRequests[index])
    abort.abort()
    await Promise.all([request, call.aborted])
    release()
  }
})

/** An upstream that answers every call in its own way. */
async function startOdd(t: Test, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const upstream = createServer((request, response) => {
    request.resume()
    request.once('end', () => answer(request, response))
  })
  await once(upstream.listen(0, '127.0.0.1'), 'listening')
  const models = Object.entries(CHOICES).map(([model_kind, id]) => ({ id: id.slice(6), model_kind }))
  const base_url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`
  const { id } = await server.call('POST', '/admin/providers', { name: 'media', kind, base_url, models })
  t.teardown(async () => {
    await server.request('DELETE', `/admin/providers/${id}`)
    upstream.closeAllConnections()
    upstream.close()
  })
  t.match(await choose(CHOICES), { status: 200 })
}

/** The answers of upstreams that are broken, by their names. */
const ODD: Record<string, { type: string; body: string | Buffer }> = {
  page: { type: 'text/html', body: '<!doctype html><title>Sign in</title>' },
  nothing: { type: 'application/json', body: '' },
  'an empty object': { type: 'application/json', body: '{}' },
  null: { type: 'application/json', body: 'null' },
  'half of an object': { type: 'application/json', body: '{"data":[{"b64_' },
  'empty lists': { type: 'application/json', body: '{"data":[],"results":[],"text":7}' },
  'wrong types': {
    type: 'application/json',
    body: '{"data":[{"b64_json":"PGh0bWw+"}],"results":[{"index":9,"relevance_score":"x"}],"text":[]}',
  },
  'a page in Base64': {
    type: 'application/json',
    body: '{"data":[{"b64_json":"<html>"}],"results":[null],"text":null}',
  },
  'the same document twice': {
    type: 'application/json',
    body: '{"data":[{"b64_json":""}],"results":[{"index":0,"relevance_score":1},{"index":0,"relevance_score":1}]}',
  },
}

for (const [name, { type, body }] of Object.entries(ODD))
  t.test(`an upstream that answers with ${name} fails the call`, async (t) => {
    await startOdd(t, (_, response) => response.writeHead(200, { 'content-type': type }).end(body))
    for (const [call, request] of Object.entries(CALLS)) {
      const reply = await ask(call, request)
      t.equal(reply.status, 502, `${call}: ${JSON.stringify(reply.body)}`)
      t.match(reply.body.error.code, /^MODEL_(CALL_FAILED|RESULT_INVALID|UNAVAILABLE)$/, call)
    }
  })

t.test('an answer without end is cut at its limit', async (t) => {
  const piece = Buffer.alloc(1024 * 1024, 'A')
  let isOpen = 0
  await startOdd(t, (_, response) => {
    isOpen += 1
    response.once('close', () => {
      isOpen -= 1
    })
    response.writeHead(200, { 'content-type': 'application/json' })
    const write = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', write)
    write()
  })
  for (const [name, body] of Object.entries(CALLS)) {
    const { status, body: answer } = await ask(name, body)
    t.match(
      [status, answer.error],
      [502, { code: 'MODEL_RESULT_INVALID', details: { problem: 'too_large' } }],
      name,
    )
  }
  await eventually('the upstream is left', () => isOpen === 0)
})

t.test('a provider is tested by a model of any kind', async (t) => {
  const { fake, path } = await startMedia(t)
  const test = async (body: object) => (await server.request('POST', `${path}/test`, { body })).body
  for (const [model_kind, reference] of Object.entries(CHOICES)) {
    const model_id = reference.slice(6)
    t.match(await test({ model_id }), { ok: true, model: model_id })
    t.match(await test({ model_kind }), { ok: true, model: model_id })
  }
  t.match(await test({ model_kind: 'image' }), { note: /drew none/ })
  t.notOk(
    fake.mediaRequests.some(({ path }) => path.includes('images')),
    'a test draws nothing',
  )
  t.match(await test({ model_id: 'other', model_kind: 'image' }), { ok: false, reason: 'model_not_found' })
  fake.next({ status: 401 })
  t.match(await test({ model_kind: 'speech' }), { ok: false, reason: 'auth', status: 401 })

  await server.call('DELETE', path)
  await startOdd(t, (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'))
  const { body: providers } = await server.request('GET', '/admin/providers')
  const { id } = providers.find(({ name }: { name: string }) => name === 'media')
  for (const model_kind of ['speech', 'transcription', 'rerank'])
    t.match(
      await server.request('POST', `/admin/providers/${id}/test`, { body: { model_kind } }),
      { status: 200, body: { ok: false, reason: 'bad_request' } },
      model_kind,
    )
  const demo = providers.find(({ name }: { name: string }) => name === 'demo')
  const refused = await server.request('POST', `/admin/providers/${demo.id}/test`, {
    body: { model_kind: 'speech' },
  })
  t.match(refused.body, { ok: false, detail: /do not offer such models/ })
})

t.test('an account tests such models of its own provider, whose address is checked', async (t) => {
  const fake = await createFakeOpenAI({ apiKey: KEY, models: IDS })
  t.teardown(() => fake.close())
  const draft = { kind, base_url: fake.url, api_key: KEY }
  for (const model_id of ['kokoro-tts', 'whisper-1', 'bge-reranker-v2-m3']) {
    const { body } = await server.request('POST', '/providers/probe', {
      token: bob.token,
      body: { ...draft, model_id },
    })
    t.match(body, { ok: true, model: model_id })
  }
  t.match(fake.mediaRequests[1]!.body, { file: { filename: 'audio.wav' } })
})

t.test('agents and pickers know only models that chat', async (t) => {
  await startMedia(t)
  const { body } = await server.request('GET', '/models?q=media:')
  t.strictSame(
    body.map(({ model }: { model: string }) => model),
    ['chatty'],
  )
  for (const [model_kind, reference] of Object.entries(CHOICES)) {
    const { body: rows } = await server.request('GET', `/models?kind=${model_kind}`)
    t.match(rows, [{ id: reference, model_kind }])
    t.match(await server.request('PUT', '/models/active', { body: { model: reference } }), { status: 400 })
    const agent = { name: `a-${model_kind}`, default_model: reference }
    t.match(await server.request('POST', '/agents', { body: agent, token: ada.token }), { status: 400 })
  }
  const all = (await server.request('GET', '/models?q=media:&kind=any')).body
  t.same(all.map(({ model }: { model: string }) => model).sort(), IDS.toSorted())
  const kinds = (await server.request('GET', '/providers/kinds')).body
  const row = kinds.find((one: { kind: string }) => one.kind === kind)
  t.strictSame(row.model_kinds, ['chat', 'embedding', 'image', 'speech', 'transcription', 'rerank'])
})
