import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import { createHold, eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { PROVIDER, range } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { startServer } from '../../support/server.ts'
import { createKnowledgeCalls } from './knowledge-calls.ts'

const clock = createTestClock()
const config = { plugins: { knowledge: { allow_hosts: ['127.0.0.1'] } } }
const server = await startServer(t, { clock, config })
const { create, list, request, search, settled, upload } = createKnowledgeCalls(server)

/** A fault of the upstream, for texts that match; undefined while it works. */
let fault: { answer(response: ServerResponse): void; only?: RegExp } | undefined
let failures = 0
/** The requests to the upstream, and the hold that its answers wait for. */
const asked: string[] = []
let hold: Promise<void> | undefined

const upstream = await createFakeOpenAI()
/** A proxy of a fake of OpenAI that answers texts to embed with a fault. */
const gate = createServer(async (incoming, response) => {
  const body = await text(incoming)
  if (fault && (!fault.only || fault.only.test(body))) {
    failures += 1
    return fault.answer(response)
  }
  asked.push(body)
  await hold
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${upstream.url}/embeddings`, { method: 'POST', headers, body })
  response.writeHead(answer.status, headers).end(await answer.text())
})
await once(gate.listen(0, '127.0.0.1'), 'listening')
t.teardown(async () => {
  gate.close()
  gate.closeAllConnections()
  await upstream.close()
})
const { port } = gate.address() as AddressInfo
for (const name of ['vectors', 'others'])
  await server.request('POST', '/admin/providers', {
    body: { ...PROVIDER, name, base_url: `http://127.0.0.1:${port}/v1` },
  })

const refuse = (status: number, code: string) => (response: ServerResponse) => {
  const headers = { 'content-type': 'application/json' }
  response.writeHead(status, headers).end(JSON.stringify({ error: { message: 'Refused', code } }))
}
const choose = (embedding_model: string | null) => request('PUT', '/settings', { embedding_model })
const isRebuilding = async () => (await request('GET', '/settings')).body.is_rebuilding

/** Waits until an attempt at a document has failed. */
const attemptsOf = async (path: string) =>
  (await server.db.collection('knowledge_documents').findOne({ path }))?.work?.attempts

/** Lets the pause before the next attempt pass, and wakes the queue. */
const retry = () => {
  clock.advance(120)
  server.server.runtime.cradleOf('knowledge').queue.wake()
}

const base = await create('Failing')
await choose('vectors:embedder')
await eventually('the index with vectors', async () => !(await isRebuilding()))
await upload(base, [['calm.txt', 'The lagoon is calm.']])
await settled(base)

for (const [name, answer] of [
  ['a limit of the rate', refuse(429, 'rate_limit_exceeded')],
  ['an outage', refuse(500, 'server_error')],
  ['a cut connection', (response: ServerResponse) => void response.socket!.destroy()],
] as const)
  t.test(`After ${name}, a document is tried again and becomes ready`, async (t) => {
    const path = `${name.replaceAll(' ', '-')}.txt`
    fault = { answer, only: /Pelicans/ }
    await upload(base, [[path, `Pelicans dive after ${name}.`]])
    await eventually('the first attempt', async () => (await attemptsOf(path)) === 1)
    fault = undefined
    retry()
    t.match((await settled(base))[path], { status: 'ready', chunks: 1 })
    const hits = await search(`after ${name}`, { knowledge_base_ids: [base] })
    t.equal(hits.filter((hit) => hit.path === path).length, 1, 'it is found once')
  })

t.test('A failure that lasts ends a document at once with its reason, and words still answer', async (t) => {
  const longVector = (response: ServerResponse) => {
    const data = [{ object: 'embedding', index: 0, embedding: [1, 2, 3] }]
    const headers = { 'content-type': 'application/json' }
    response.writeHead(200, headers).end(JSON.stringify({ object: 'list', model: 'embedder', data }))
  }
  for (const [path, answer, code, message] of [
    ['key.txt', refuse(401, 'invalid_api_key'), 'EMBEDDING_FAILED', /rejected the API key/],
    ['model.txt', refuse(404, 'model_not_found'), 'EMBEDDING_FAILED', /does not offer this model/],
    [
      'length.txt',
      longVector,
      'EMBEDDING_DIMENSIONS_CHANGED',
      /vectors of 3 numbers, but .* vectors of \d+\./,
    ],
  ] as const) {
    fault = { answer }
    failures = 0
    await upload(base, [[path, `Herons wait, says ${path}.`]])
    t.match((await settled(base))[path], { status: 'failed', error: { code, message } })
    t.equal(failures, 1, 'it is not tried again')
    t.match((await search('lagoon', { knowledge_base_ids: [base] }))[0], { path: 'calm.txt' })
  }
  fault = undefined
  const { body } = await request('POST', `/${base}/reindex`)
  t.ok(body, 'the owner asks for it once more')
  t.match((await settled(base))['key.txt'], { status: 'ready', error: null })
})

t.test('An upstream that stays unavailable ends a document after the last attempt', async (t) => {
  fault = { answer: refuse(503, 'overloaded'), only: /Storks/ }
  await upload(base, [['stork.txt', 'Storks fly south.']])
  for (let attempt = 1; attempt < 5; attempt += 1) {
    await eventually(`attempt ${attempt}`, async () => (await attemptsOf('stork.txt')) === attempt)
    retry()
  }
  t.match((await settled(base))['stork.txt'], {
    status: 'failed',
    error: { code: 'EMBEDDING_FAILED', message: /The provider is down/ },
  })
  fault = undefined
})

t.test('While the next model fails, the former index answers and no document is failed', async (t) => {
  const { length } = await list(base)
  fault = { answer: refuse(401, 'invalid_api_key'), only: /"other-model".*(lagoon|Herons)/ }
  failures = 0
  t.match(await choose('others:other-model'), { status: 200, body: { is_rebuilding: true } })
  await eventually('attempts that failed', () => failures >= 2)
  await eventually('a document that waits', async () => (await attemptsOf('calm.txt')) === 1)
  t.ok(await isRebuilding(), 'the next index is not used')
  t.equal((await list(base)).filter(({ status }) => status === 'ready').length, length - 1)
  t.match((await search('lagoon', { knowledge_base_ids: [base] }))[0], { path: 'calm.txt' })
  await upload(base, [['fresh.txt', 'Herons nest near the estuary.']])
  t.match((await settled(base))['fresh.txt'], { status: 'ready', chunks: 1 })
  t.match((await search('estuary', { knowledge_base_ids: [base] }))[0], { path: 'fresh.txt' })
  fault = undefined
  retry()
  await eventually('the index of the next model', async () => !(await isRebuilding()))
  t.match((await request('GET', `/${base}`)).body, { embedding_model: 'others:other-model' })
  for (const [word, path] of [
    ['lagoon', 'calm.txt'],
    ['estuary', 'fresh.txt'],
  ] as const)
    t.match((await search(word, { knowledge_base_ids: [base] }))[0], { path })
})

t.test('A change of the model is not limited by the quotas of accounts', async (t) => {
  const { token } = await server.createUser({ username: 'poor', permissions: ['knowledge_bases'] })
  const poor = await create('Poor', { token })
  await upload(poor, [['early.txt', 'Flamingos rest on one leg.']], { token })
  t.match(await settled(poor, token), { 'early.txt': { status: 'ready' } })
  t.equal((await server.request('PATCH', '/users/poor', { body: { token_quota: 1 } })).status, 200)
  await upload(poor, [['late.txt', 'Flamingos are pink.']], { token })
  t.match(await settled(poor, token), { 'late.txt': { error: { code: 'TOKEN_QUOTA_EXCEEDED' } } })
  await choose('vectors:embedder')
  await eventually('the index of the next model', async () => !(await isRebuilding()))
  t.match(await settled(poor, token), { 'early.txt': { status: 'ready', error: null } })
  t.match(await search('flamingos', { token }), [{ path: 'early.txt' }])
})

t.test('A web address that fails for a while is fetched again', async (t) => {
  let answers: Record<string, number> = { '/robots.txt': 503 }
  const site = createServer(({ url = '' }, response) => {
    const status = answers[url] ?? 200
    if (status === 0) return void response.destroy()
    response.writeHead(url === '/robots.txt' && status === 200 ? 404 : status).end('Penguins can swim.')
  })
  await once(site.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => site.close())
  const address = `127.0.0.1:${(site.address() as AddressInfo).port}/penguins`
  const web = await create('Web')
  await request('POST', `/${web}/documents`, { url: `http://${address}` })
  const faults = [
    [{ '/penguins': 429 }, /robots\.txt was answered 503/],
    [{ '/penguins': 0 }, /the server answered 429/],
    [{}, /UND_ERR_SOCKET/],
  ] as const
  for (const [index, [next, reason]] of faults.entries()) {
    await eventually(`attempt ${index + 1}`, async () => (await attemptsOf(address)) === index + 1)
    t.match(await list(web), [{ status: 'queued', error: { code: 'DOCUMENT_UNREACHABLE', message: reason } }])
    answers = next
    retry()
  }
  t.match(await settled(web), { [address]: { status: 'ready', error: null } })
})

t.test('Accounts take turns: many documents of some do not hold up the one of another', async (t) => {
  const permissions = ['knowledge_bases']
  const busy = ['busy', 'busier'].map((username) => server.createUser({ username, permissions }))
  const people = [...(await Promise.all(busy)), await server.createUser({ username: 'patient', permissions })]
  const bases = await Promise.all(people.map(({ token }) => create('Turns', { token })))
  const send = (index: number, names: string[]) =>
    upload(
      bases[index]!,
      names.map((name) => [`${name}.txt`, `Turn of ${name}.`]),
      { token: people[index]!.token },
    )
  asked.length = 0
  const gate = createHold()
  hold = gate.hold
  await send(0, ['busy0'])
  await send(1, ['busier0'])
  await eventually('work on one document of each', () => asked.length === 2)
  for (const [index, name] of ['busy', 'busier'].entries())
    await send(
      index,
      range(1, amount({ short: 5, long: 15 })).map((n) => `${name}${n}`),
    )
  t.equal(asked.length, 2, 'one document of an account is worked on at a time')
  await send(2, ['patient0'])
  const nextGate = createHold()
  hold = nextGate.hold
  gate.release()
  await eventually('work on the next documents', () => asked.length === 4)
  nextGate.release()
  hold = undefined
  for (const [index, { token }] of people.entries()) await settled(bases[index]!, token)
  const order = asked.flatMap((body) => /Turn of (\w+)/.exec(body)?.[1] ?? [])
  t.equal(new Set(order).size, order.length, 'each is embedded once')
  const position = order.indexOf('patient0')
  t.ok(position >= 2 && position <= 3, `the one document was number ${position + 1} of ${order.length}`)
})

t.test('Documents that take long hold up no others', async (t) => {
  const stuck: ServerResponse[] = []
  fault = { answer: (response) => void stuck.push(response), only: /Glaciers/ }
  const neighbor = await server.createUser({ username: 'neighbor', permissions: ['knowledge_bases'] })
  const accounts = await Promise.all(
    [server.admin.token, neighbor.token].map(async (token) => ({
      token,
      id: await create('Hard', { token }),
    })),
  )
  for (const { id, token } of accounts) {
    await upload(id, [['hard0.txt', 'Glaciers creep.']], { token })
    await upload(id, [['hard1.txt', 'Glaciers calve.']], { token })
    await upload(id, [['easy.txt', 'Brooks babble.']], { token })
  }
  const statesOf = async ({ id, token }: (typeof accounts)[number]) =>
    Object.fromEntries((await list(id, token)).map(({ path, status }) => [path, status]))
  for (const account of accounts) {
    const states = await eventually('the easy document', async () => {
      const states = await statesOf(account)
      return states['easy.txt'] === 'ready' && states
    })
    t.notMatch(Object.values(states).join(), /failed/)
    t.equal(Object.values(states).filter((state) => state === 'ready').length, 1, 'the hard ones continue')
  }
  fault = undefined
  for (const response of stuck) if (!response.destroyed) response.socket?.destroy()
  for (const { id, token } of accounts)
    await eventually('the hard documents', async () => {
      retry()
      return (await list(id, token)).every(({ status }) => status === 'ready')
    })
})
