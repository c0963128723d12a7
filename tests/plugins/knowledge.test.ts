import t from '../run/file-test.ts'
import { startServer } from '../support/server.ts'
import { createKnowledgeCalls } from './knowledge-calls.ts'

const server = await startServer(t)
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
    is_shared: false,
    is_default: false,
    documents: 0,
    bytes: 0,
    chunks: 0,
    status: 'empty',
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
  t.equal(read.text.slice(hit.locator.start, hit.locator.end), hit.text)
  t.match(hit.text, /Country: Germany \| Days: 30\nCountry: Japan \| Days: 20/)
  t.match(hit.text, /function daysOf\(country\) {\n {2}return/)
  const place = read.places.find(({ heading }: { heading: string }) => heading?.endsWith('Hotels'))
  t.equal(place.heading, 'Handbook › Travel › Hotels')
  t.equal(read.text.slice(place.start, place.end), 'Hotels\n\nA night costs at most 120 euros.')

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
  const found = await settled(id)
  t.match(found['手册.md'], { status: 'ready' })
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
