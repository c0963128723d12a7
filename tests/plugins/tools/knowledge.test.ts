import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import { createHold, eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { amount, isLong, onlyLong } from '../../run/tier.ts'
import { PROVIDER, range } from '../../support/chat.ts'
import { runCommand } from '../../support/kernel.ts'
import { startServer } from '../../support/server.ts'
import { readEvents } from '../../support/sse.ts'
import { createKnowledgeCalls, type TestFile } from './knowledge-calls.ts'

const server = await startServer(t, { config: { plugins: { knowledge: { allow_hosts: ['127.0.0.1'] } } } })
const { create, list, request, search, settled, upload } = createKnowledgeCalls(server)

const permissions = ['knowledge_bases']
const writer = await server.createUser({ username: 'writer', permissions })
const reader = await server.createUser({ username: 'reader' })

const HANDBOOK = `# Handbook

## Travel

### Trains

The company pays for second class. Tickets are booked by the office.

### Hotels

A night costs at most 120 euros.

## Holidays

| Country | Days |
| --- | --- |
| Germany | 30 |
| Japan | 20 |

\`\`\`js
function daysOf(country) {
  return table[country]
}
\`\`\`
`

t.test('A knowledge base is created, shown, changed and deleted by its owner', async (t) => {
  const { token } = writer
  const made = await request('POST', '', { name: ' Rules ', description: 'Of the house' }, token)
  t.equal(made.status, 201)
  const { id, created_at, updated_at, ...row } = made.body
  t.strictSame(row, {
    name: 'Rules',
    description: 'Of the house',
    owner: 'writer',
    is_owner: true,
    can_edit: true,
    is_shared: false,
    is_default: false,
    documents: 0,
    bytes: 0,
    chunks: 0,
    searchable: 0,
    status: 'empty',
    is_rebuilding: false,
    embedding_model: null,
  })
  t.equal(updated_at, created_at)
  t.strictSame((await request('GET', `/${id}`, undefined, token)).body, made.body)
  t.match(await request('PATCH', `/${id}`, { is_default: true, description: null }, token), {
    status: 200,
    body: { is_default: true, description: null, name: 'Rules' },
  })
  t.match((await request('GET', '', undefined, token)).body, [{ id }])
  t.equal((await request('PATCH', `/${id}`, {}, token)).status, 422)
  t.equal((await request('POST', '', { name: ' ' }, token)).status, 422)
  t.equal((await request('POST', '', { name: 'x' }, reader.token)).status, 403)
  t.equal((await request('DELETE', `/${id}`, undefined, token)).status, 204)
  t.match(await request('GET', `/${id}`, undefined, token), {
    status: 404,
    body: { error: { code: 'KNOWLEDGE_BASE_NOT_FOUND' } },
  })
})

// These come first, because a change of the settings indexes all documents again.

t.test('With an embedding model, passages are found by their meaning as well', async (t) => {
  const upstream = await createFakeOpenAI()
  t.teardown(() => upstream.close())
  await server.request('POST', '/admin/providers', {
    body: { ...PROVIDER, name: 'vectors', base_url: upstream.url },
  })
  const id = await create('Meaning')
  await upload(id, [
    ['sea.txt', 'Whales sing.'],
    ['land.txt', 'Horses run.'],
  ])
  await settled(id)
  const put = (body: object) => request('PUT', '/settings', body)
  const rebuilt = () =>
    eventually('the new index', async () => !(await request('GET', '/settings')).body.is_rebuilding)
  const model = 'vectors:embedder'
  t.match(await put({ embedding_model: 'nobody:x' }), {
    status: 400,
    body: { error: { code: 'PROVIDER_NOT_VISIBLE' } },
  })
  t.match(await put({ embedding_model: null, chunk_tokens: 100, chunk_overlap: 50 }), { status: 422 })
  t.match(await put({ embedding_model: null }), { body: { chunk_tokens: 600, is_rebuilding: false } })
  const prefixes = { question_prefix: 'question: ', passage_prefix: 'passage: ' }
  t.match(await put({ embedding_model: model, chunk_tokens: 300, ...prefixes }), {
    status: 200,
    body: { embedding_model: model, chunk_tokens: 300, chunk_overlap: 60, is_rebuilding: true },
  })
  t.match(
    await search('whale', { knowledge_base_ids: [id] }),
    [{ filename: 'sea.txt' }],
    'the former one answers',
  )
  await rebuilt()
  t.match((await request('GET', `/${id}`)).body, { embedding_model: model, chunks: 2 })
  const hits = await search('Whales sing.', { knowledge_base_ids: [id] })
  t.match(
    hits,
    [{ filename: 'sea.txt' }, { filename: 'land.txt' }],
    'vectors also rank what has none of the words',
  )
  t.equal(hits.length, 2)
  t.match((await request('GET', '/settings')).body, prefixes)
  const embedded = upstream.embeddingRequests.flatMap(({ body }) => body.input)
  t.ok(embedded.includes('question: Whales sing.'))
  t.ok(embedded.includes('passage: sea.txt\n\nWhales sing.'))

  await upload(id, [['air.txt', 'Eagles fly.']])
  await settled(id)
  t.equal((await search('Eagles fly.', { knowledge_base_ids: [id] }))[0].filename, 'air.txt')

  const den = await create('Den')
  const filler = 'word '.repeat(45)
  await upload(den, [
    ['far.txt', `fox ${filler}red ${filler}fox ${filler}red`],
    ['near.txt', `red fox ${filler.repeat(3)}`],
  ])
  await settled(den)
  t.match(
    await search('red fox', { knowledge_base_ids: [den] }),
    [{ filename: 'near.txt' }, { filename: 'far.txt' }],
    'one has the words more often, the other the nearer vector and the words close together',
  )
  const { body: usage } = await server.request('GET', '/usage/summary?granularity=by_model')
  t.ok(JSON.stringify(usage).includes(model), 'the tokens are recorded')
  const { body: providers } = await server.request('GET', '/admin/providers')
  const { id: used } = providers.find(({ name }: { name: string }) => name === 'vectors')
  t.match(await server.request('DELETE', `/admin/providers/${used}`), {
    status: 409,
    body: { error: { code: 'PROVIDER_REFERENCED' } },
  })

  await put({ embedding_model: null })
  await rebuilt()
  t.equal((await search('Eagles fly.', { knowledge_base_ids: [id] })).length, 1, 'words alone again')
})

t.test('While an index replaces another one, every search finds what is there', async (t) => {
  const id = await create('Replaced')
  await upload(id, [['moon.txt', 'The moonstone glows.']])
  await settled(id)
  const settings = async () => (await request('GET', '/settings')).body
  const { embedding_model, chunk_tokens } = await settings()
  let isReplacing = true
  const seek = async () => {
    const counts = new Set<number>()
    while (isReplacing) counts.add((await search('moonstone', { knowledge_base_ids: [id] })).length)
    return [...counts]
  }
  const seeking = Promise.all(range(1, amount({ short: 2, long: 4 })).map(seek))
  for (const tokens of [200, ...(isLong ? [300, 400] : []), chunk_tokens]) {
    t.equal((await request('PUT', '/settings', { embedding_model, chunk_tokens: tokens })).status, 200)
    await eventually('the new index', async () => !(await settings()).is_rebuilding)
  }
  isReplacing = false
  for (const counts of await seeking) t.strictSame(counts, [1])
})

t.test(
  'A model that is chosen while another index becomes the active one leaves it in use',
  { skip: onlyLong },
  async (t) => {
    const upstream = await createFakeOpenAI()
    t.teardown(() => upstream.close())
    const [slowDocuments, slowAnswer, nextDocuments] = [createHold(), createHold(), createHold()]
    const asked: string[] = []
    const gate = createServer(async (incoming, response) => {
      const body = await text(incoming)
      const { model, input } = JSON.parse(body)
      const isProbe = [input].flat().includes('dimensions')
      asked.push(model)
      if (model === 'first' && !isProbe) await slowDocuments.hold
      if (model === 'second') await (isProbe ? slowAnswer : nextDocuments).hold
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${upstream.url}/embeddings`, { method: 'POST', headers, body })
      response.writeHead(answer.status, headers).end(await answer.text())
    })
    await once(gate.listen(0, '127.0.0.1'), 'listening')
    t.teardown(() => void gate.close())
    const { port } = gate.address() as AddressInfo
    await server.request('POST', '/admin/providers', {
      body: { ...PROVIDER, name: 'gated', base_url: `http://127.0.0.1:${port}/v1` },
    })
    const id = await create('Gated')
    await upload(id, [['owl.txt', 'Owls hoot at night.']])
    await settled(id)
    const put = (embedding_model: string | null) => request('PUT', '/settings', { embedding_model })
    const model = async () => (await request('GET', '/settings')).body
    const find = () => search('owls', { knowledge_base_ids: [id] })

    await put('gated:first')
    const changing = put('gated:second')
    await eventually('the second model is asked', () => asked.includes('second'))
    slowDocuments.release()
    await eventually('the first index', async () => !(await model()).is_rebuilding)
    slowAnswer.release()
    t.match(await changing, { status: 200, body: { embedding_model: 'gated:second', is_rebuilding: true } })
    t.match(await find(), [{ filename: 'owl.txt' }], 'the first index answers')
    nextDocuments.release()
    await eventually('the second index', async () => !(await model()).is_rebuilding)
    t.match(await find(), [{ filename: 'owl.txt' }])
    await put(null)
    await eventually('words alone', async () => !(await model()).is_rebuilding)
  },
)

t.test('Settings may change while documents are being indexed for those before', async (t) => {
  const id = await create('Busy')
  await upload(
    id,
    Array.from({ length: 6 }, (_, n) => [`note${n}.txt`, `Note ${n} is about tides.`]),
  )
  const { embedding_model, chunk_tokens } = (await request('GET', '/settings')).body
  for (const tokens of [...range(500, amount({ short: 503, long: 515 })), chunk_tokens]) {
    const replies = await Promise.all(
      range(1, 2).map(() => request('PUT', '/settings', { embedding_model, chunk_tokens: tokens })),
    )
    for (const { status, body } of replies) t.equal(status, 200, JSON.stringify(body))
    await pause(tokens % 8)
  }
  await eventually('the new index', async () => !(await request('GET', '/settings')).body.is_rebuilding)
  await settled(id)
  t.ok((await search('tides', { knowledge_base_ids: [id] })).length > 0)
})

t.test('Documents are read, cut and found with their places', async (t) => {
  const id = await create('House')
  const taken = await upload(id, [
    ['handbook.md', HANDBOOK],
    ['notes.txt', 'Nothing about trips.'],
  ])
  t.equal(taken.status, 202)
  t.match(taken.body, [
    { path: 'handbook.md', filename: 'handbook.md', media_type: 'text/markdown', status: 'queued' },
    { path: 'notes.txt' },
  ])
  const documents = await settled(id)
  const handbook = documents['handbook.md']
  t.match(handbook, { status: 'ready', progress: 1, chunks: 1, size: Buffer.byteLength(HANDBOOK) })
  t.match((await request('GET', `/${id}`)).body, { documents: 2, chunks: 2, status: 'ready' })

  const [hit] = await search('Who is paying for a train?', { knowledge_base_ids: [id] })
  t.match(hit, {
    knowledge_base_id: id,
    document_id: handbook.id,
    filename: 'handbook.md',
    path: 'handbook.md',
  })
  const { body: read } = await request('GET', `/${id}/documents/${handbook.id}/text`)
  t.equal(read.text.slice(hit.text_start, hit.text_start + hit.text.length), hit.text)
  t.equal(hit.locator.heading, 'Handbook › Travel › Trains')
  t.match(hit.text, /Country: Germany \| Days: 30\nCountry: Japan \| Days: 20/)
  t.match(hit.text, /function daysOf\(country\) {\n {2}return/)
  const heading = read.places.find(({ heading }: { heading: string }) => heading?.endsWith('Hotels'))
  t.equal(heading.heading, 'Handbook › Travel › Hotels')
  t.equal(read.text.slice(heading.start, heading.end), 'Hotels\n\nA night costs at most 120 euros.')

  const content = await fetch(`${server.url}/api/knowledge-bases/${id}/documents/${handbook.id}/content`, {
    headers: { authorization: `Bearer ${server.admin.token}` },
  })
  t.equal(await content.text(), HANDBOOK)
  t.match(content.headers.get('content-disposition'), /attachment; filename="handbook.md"/)
})

t.test('Chinese is found by its words', async (t) => {
  const id = await create('手册')
  const text =
    '# 员工手册\n\n员工出差乘坐高铁时，公司报销二等座的车票费用。\n\n## 休假\n\n每年有十五天带薪年假。\n'
  await upload(id, [['手册.md', text]])
  await upload(id, [['other.md', '今天的天气很好，我们去公园散步。']])
  const documents = await settled(id)
  t.match(documents['手册.md'], { status: 'ready' })
  const [hit] = await search('高铁车票怎么报销？', { knowledge_base_ids: [id] })
  t.match(hit, { filename: '手册.md' })
  t.match((await search('年假有几天', { knowledge_base_ids: [id] }))[0], { filename: '手册.md' })
})

t.test(
  'A document that is replaced is found until the new one is ready, and the same bytes are kept',
  async (t) => {
    const id = await create('Versions')
    const [first] = (await upload(id, [['a.txt', 'The zebra is striped.']], { path: 'zoo/' })).body
    t.equal(first.path, 'zoo/a.txt')
    await settled(id)
    const [same] = (await upload(id, [['a.txt', 'The zebra is striped.']], { path: 'zoo/' })).body
    t.match(same, { id: first.id, status: 'ready' })
    const [copied] = (await upload(id, [['b.txt', 'The zebra is striped.']])).body
    t.equal(copied.id, first.id, 'the same bytes are not stored twice')
    const [second] = (await upload(id, [['x.txt', 'The tiger is striped.']], { path: 'zoo/a.txt' })).body
    t.equal(second.id, first.id)
    await settled(id)
    t.match(await search('tiger', { knowledge_base_ids: [id] }), [{ document_id: first.id }])
    t.strictSame(await search('zebra', { knowledge_base_ids: [id] }), [])
    t.equal((await list(id)).length, 1)

    t.equal((await request('POST', `/${id}/documents/${first.id}/reindex`)).status, 202)
    t.equal((await request('POST', `/${id}/reindex`)).status, 202)
    await settled(id)
    t.equal((await search('tiger', { knowledge_base_ids: [id] })).length, 1)

    t.equal((await request('DELETE', `/${id}/documents/${first.id}`)).status, 204)
    t.strictSame(await search('tiger', { knowledge_base_ids: [id] }), [])
    t.equal((await request('GET', `/${id}/documents/${first.id}`)).status, 404)
  },
)

t.test('A shared base is read by everybody and changed by its owner alone', async (t) => {
  const { token } = writer
  const id = await create('Open', { token, is_shared: true })
  const hidden = await create('Closed', { token })
  await upload(id, [['a.txt', 'Giraffes eat leaves.']], { token })
  await upload(hidden, [['b.txt', 'Giraffes sleep little.']], { token })
  await settled(id, token)
  await settled(hidden, token)
  const asReader = { token: reader.token }
  t.match(await search('giraffe', asReader), [{ knowledge_base_id: id, text: 'Giraffes eat leaves.' }])
  t.match((await request('GET', `/${id}`, undefined, reader.token)).body, {
    is_owner: false,
    is_default: false,
  })
  t.match(await request('POST', '/search', { query: 'x', knowledge_base_ids: [id, hidden] }, reader.token), {
    status: 404,
    body: { error: { code: 'KNOWLEDGE_BASE_NOT_FOUND' } },
  })
  t.equal((await upload(id, [['c.txt', 'x']], { token: server.admin.token })).status, 403)
  await request('PATCH', `/${id}`, { is_shared: false }, token)
  t.strictSame(await search('giraffe', asReader), [])
  t.equal((await search('giraffe', { token })).length, 2)
  await request('DELETE', `/${id}`, undefined, token)
  t.equal((await search('giraffe', { token })).length, 1, 'nothing of a deleted base is found')
})

t.test('A web address is fetched within its rules', async (t) => {
  const site = createServer(({ url = '' }, response) => {
    const answers: Record<string, [number, Record<string, string>, string]> = {
      '/robots.txt': [
        200,
        { 'content-type': 'text/plain' },
        'User-agent: *\nDisallow: /private\nAllow: /private/open$',
      ],
      '/guide': [302, { location: '/pages/guide' }, ''],
      '/pages/guide': [200, { 'content-type': 'text/html' }, '<h1>Guide</h1><p>Penguins can swim.</p>'],
      '/private/open': [200, { 'content-type': 'text/plain' }, 'Penguins are open.'],
      '/private/away': [200, { 'content-type': 'text/plain' }, 'Penguins are private.'],
      '/picture': [200, { 'content-type': 'image/png' }, '\x89PNG\0'],
    }
    const [status, headers, body] = answers[url] ?? [404, {}, '']
    response.writeHead(status, headers).end(body)
  })
  await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve))
  const { port } = site.address() as AddressInfo
  t.teardown(() => site.close())
  const id = await create('Web')
  const add = (path: string) =>
    request('POST', `/${id}/documents`, { url: `http://127.0.0.1:${port}${path}` })
  const [guide] = (await add('/guide')).body
  t.match(guide, { path: `127.0.0.1:${port}/guide`, filename: 'guide', status: 'queued' })
  for (const path of ['/private/open', '/private/away', '/missing', '/picture'])
    t.equal((await add(path)).status, 202)
  const documents = await settled(id)
  const of = (path: string) => documents[`127.0.0.1:${port}${path}`]
  t.match(of('/guide'), { status: 'ready', media_type: 'text/html', url: `http://127.0.0.1:${port}/guide` })
  t.match(of('/private/open'), { status: 'ready' })
  t.match(of('/private/away'), { error: { code: 'DOCUMENT_REFUSED_BY_ROBOTS' } })
  t.match(of('/missing'), { error: { code: 'DOCUMENT_UNREACHABLE', message: /the server answered 404/ } })
  t.match(of('/picture'), { error: { code: 'DOCUMENT_UNSUPPORTED' } })
  t.match(await search('swimming penguins', { knowledge_base_ids: [id] }), [{ document_id: guide.id }, {}])
  t.match(await request('POST', `/${id}/documents`, { url: 'http://10.0.0.1/x' }), {
    status: 400,
    body: { error: { code: 'ADDRESS_NOT_ALLOWED' } },
  })
})

t.test('Changes of documents are followed', async (t) => {
  const id = await create('Followed')
  const { token } = server.admin
  const events = await readEvents(t, `${server.url}/api/knowledge-bases/${id}/events`, { token })
  const [document] = (await upload(id, [['a.txt', 'Owls see at night.']])).body
  const isReady = ({ document: row }: { document?: { status: string } }) => row?.status === 'ready'
  t.match(await events.until(isReady as never), {
    type: 'document.changed',
    document: { id: document.id, chunks: 1 },
  })
  await request('DELETE', `/${id}/documents/${document.id}`)
  t.match(await events.until(({ type }) => type === 'document.deleted'), { id: document.id })
  events.leave()
})

t.test('svc knowledge lists, adds, searches and rebuilds', async (t) => {
  const id = await create('Terminal')
  const env = { SVC_PASSWORD: server.admin.password }
  const svc = (...args: string[]) =>
    runCommand(
      server.home,
      ['knowledge', ...args, '--url', server.url, '--username', server.admin.username],
      { env },
    )
  const file = join(server.home, 'otters.md')
  writeFileSync(file, '# Otters\n\nOtters hold hands.')
  t.match(await svc('add', 'Terminal', file), { code: 0, stdout: /^otters\.md {2}queued\n$/, stderr: '' })
  await settled(id)
  t.match((await svc('list')).stdout, new RegExp(`${id} +Terminal +admin +1 +1 +ready`))
  t.match(await svc('search', id, 'holding', 'hands'), {
    code: 0,
    stdout: /^1\. otters\.md, Otters\n {3}Otters/,
  })
  t.match((await svc('rebuild', 'Terminal')).stdout, '"Terminal": documents to reprocess: 1')
  t.match(await svc('search', 'Nothing', 'x'), {
    code: 1,
    stderr: /The knowledge base "Nothing" does not exist/,
  })
  await settled(id)
})

t.test('A word that a new document repeats is found at once', async (t) => {
  const id = await create('Repeated')
  await upload(id, [['tide.txt', 'tide '.repeat(300)]])
  await settled(id)
  t.match(await search('tide', { knowledge_base_ids: [id] }), [{ filename: 'tide.txt' }])
})

t.test('A lost index is made again from the documents, and says so meanwhile', async (t) => {
  const id = await create('Lost')
  await upload(id, [
    ['a.txt', 'Hedgehogs roll up.'],
    ['b.txt', 'Moles dig.'],
  ])
  await settled(id)
  const { id: user_id } = await server.call('GET', '/auth/me')
  // Another server holds the account's work.
  const leases = server.db.collection<{ _id: string; until: number; holder: string }>('knowledge_leases')
  const holder = JSON.stringify({ machine: 'elsewhere', pid: 1, launch: 'x' })
  await leases.insertOne({ _id: user_id, holder, until: Date.now() + 3600_000 })
  // A document that waits meanwhile must not be taken for the whole index.
  await upload(await create('Waiting'), [['b.txt', 'Snails hide.']])
  await server.stop()
  rmSync(join(server.home, 'knowledge', 'index'), { recursive: true })
  await server.restart()

  const rebuilding = { status: 'indexing', is_rebuilding: true, searchable: 0, documents: 2, chunks: 0 }
  const row = await eventually('the notice of the loss', async () => {
    const { body } = await request('GET', `/${id}`)
    return body.is_rebuilding && body
  })
  t.match(row, rebuilding)
  t.match(await list(id), [{ status: 'queued', progress: 0 }, { status: 'queued' }])
  const ask = () => request('POST', '/search', { query: 'hedgehog', knowledge_base_ids: [id] })
  t.match(await ask(), {
    status: 503,
    body: { error: { code: 'KNOWLEDGE_INDEX_INCOMPLETE', message: /0 of 2 documents/ } },
  })

  await server.db.collection('knowledge_leases').deleteOne({ _id: user_id as never })
  const { body: hits } = await eventually('the new index', async () => {
    const reply = await ask()
    return reply.status === 200 && reply
  })
  t.match(hits, [{ path: 'a.txt' }])
  await settled(id)
  t.match((await request('GET', `/${id}`)).body, { status: 'ready', is_rebuilding: false, searchable: 2 })
})

/** A server whose index cannot be opened, and whose limits are small. */
const small = await startServer(t, {
  config: {
    limits: { knowledge_bases: 1, knowledge_documents: 2, knowledge_bytes: 100 },
    plugins: { knowledge: { store_url: 'nowhere://x' } },
  },
})
const smallCalls = createKnowledgeCalls(small)
const smallBase = await smallCalls.create('Waiting')

t.test('Without a usable index, the server runs and says so', async (t) => {
  t.equal((await smallCalls.upload(smallBase, [['a.txt', 'Text.']])).status, 202)
  t.match(await smallCalls.request('POST', '/search', { query: 'text' }), {
    status: 503,
    body: { error: { code: 'KNOWLEDGE_INDEX_UNAVAILABLE' } },
  })
  t.match((await small.request('GET', '/health')).body, { status: 'degraded' })
  const { stdout } = await runCommand(small.home, ['doctor'])
  t.match(stdout, /knowledge index/)
  const [document] = await smallCalls.list(smallBase)
  t.notMatch(document.status, /ready|failed/, 'the document waits')
})

t.test('Limits hold', async (t) => {
  const id = await create('Limited')
  t.match(await smallCalls.request('POST', '', { name: 'Two' }), {
    status: 409,
    body: { error: { details: { limit: 'knowledge_bases' } } },
  })
  const refused = (limit: string) => ({
    status: 409,
    body: { error: { code: 'LIMIT_REACHED', details: { limit } } },
  })
  const add = (...files: TestFile[]) => smallCalls.upload(smallBase, files)
  t.match(await add(['large.txt', 'x'.repeat(101)]), refused('knowledge_bytes'))
  t.equal((await add(['a.txt', 'a'], ['b.txt', 'b'])).status, 202)
  t.match(await add(['c.txt', 'c']), refused('knowledge_documents'))
  t.equal((await add(['b.txt', 'bb'])).status, 202, 'a document can be replaced')
  t.match(
    await upload(
      id,
      [
        ['a.txt', 'x'],
        ['b.txt', 'y'],
      ],
      { path: 'one.txt' },
    ),
    {
      status: 422,
      body: { error: { details: { issues: [{ path: '/path' }] } } },
    },
  )
  t.equal((await upload(id, [['a.txt', 'x']], { path: '../' })).body[0].path, 'a.txt')
  const many = Array.from({ length: 30 }, (_, n): [string, string] => [`${n}.txt`, 'x'.repeat(60_000)])
  t.match(await upload(id, many), {
    status: 422,
    body: { error: { details: { issues: [{ message: 'must hold at most 20 files' }] } } },
  })
})

t.test('Documents that come and go leave the index in order', async (t) => {
  const LAST = amount({ short: 1, long: 7 })
  const id = await create('Harbour')
  for (const n of range(0, LAST)) {
    const names = Array.from({ length: 6 }, (_, m) => `ship${n}x${m}`)
    await upload(
      id,
      names.map((name) => [`${name}.txt`, `The ${name} is in the harbour, by tide ${n % 3}.`]),
    )
    const documents = await settled(id)
    for (const name of names.filter((_, m) => m % 2 === 0))
      await request('DELETE', `/${id}/documents/${documents[`${name}.txt`]!.id}`)
  }
  t.equal((await search(`ship${LAST}x1`, { knowledge_base_ids: [id] })).length, 1)
  const { passageIndex, settings } = server.server.runtime.cradleOf('knowledge')
  await passageIndex.tidy((await settings.read()).active)
  t.notMatch(server.logged(), /could not be tidied/)
})

t.test('Passages that are moved by a tidying during a search are found', async (t) => {
  const id = await create('Quay')
  for (const name of ['north', 'south']) await upload(id, [[`${name}.txt`, `The ${name} quay is closed.`]])
  await settled(id)
  const { passageIndex } = server.server.runtime.cradleOf('knowledge')
  const { read } = passageIndex
  const counts: number[] = []
  passageIndex.read = async (index, rows) => {
    if (counts.length === 0) await passageIndex.tidy(index)
    const passages = await read(index, rows)
    counts.push(passages.length)
    return passages
  }
  t.teardown(() => Object.assign(passageIndex, { read }))
  t.equal((await search('north quay', { knowledge_base_ids: [id] })).length, 2)
  t.strictSame(counts, [0, 2])
})
