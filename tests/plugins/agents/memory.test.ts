import t from '../../run/file-test.ts'
import { startServer } from '../../support/server.ts'
import { readEvents } from '../../support/sse.ts'

const MAX_MEMORIES = 12

const server = await startServer(t, { config: { limits: { memories: MAX_MEMORIES } } })
const { token: ann } = await server.createUser({ username: 'ann' })
const { token: bob } = await server.createUser({ username: 'bob' })

const memories = (method: string, path = '', body?: object, token = ann) =>
  server.request(method, `/memories${path}`, { body, token })
const save = async (text: string, more: object = {}, token = ann) => {
  const { status, body } = await memories('POST', '', { text, scope: 'me', ...more }, token)
  if (status !== 201) throw new Error(`the memory was answered ${status} ${JSON.stringify(body)}`)
  return body
}
const textsOf = async (query = '', token = ann): Promise<string[]> =>
  (await memories('GET', query, undefined, token)).body.map(({ text }: { text: string }) => text)
const createAgent = (name: string, token = ann, more: object = {}) =>
  server.request('POST', '/agents', { token, body: { name, ...more } }).then(({ body }) => body)
const refusal = (path: string) => ({
  status: 422,
  body: { error: { code: 'VALIDATION_FAILED', details: { issues: [{ path }] } } },
})
const NOT_FOUND = { status: 404, body: { error: { code: 'MEMORY_NOT_FOUND' } } }

t.afterEach(async () => {
  for (const token of [ann, bob]) await memories('DELETE', '', undefined, token)
})

t.test('A memory is saved, read, changed and deleted', async (t) => {
  const { status, body } = await memories('POST', '', { text: ' Prefers\nmetric\tunits ', scope: 'me' })
  t.equal(status, 201)
  t.strictSame(body, {
    id: body.id,
    text: 'Prefers metric units',
    scope: 'me',
    agent_id: null,
    agent_name: null,
    state: 'kept',
    source: null,
    created_at: body.created_at,
    updated_at: body.created_at,
  })
  t.match(await memories('GET', `/${body.id}`), { status: 200, body })
  t.match(await memories('PATCH', `/${body.id}`, { text: 'Prefers Kelvin' }), {
    status: 200,
    body: { id: body.id, text: 'Prefers Kelvin', state: 'kept' },
  })
  t.strictSame(await textsOf(), ['Prefers Kelvin'])
  t.equal((await memories('DELETE', `/${body.id}`)).status, 204)
  t.match(await memories('GET', `/${body.id}`), NOT_FOUND)
  t.match(await memories('DELETE', `/${body.id}`), NOT_FOUND)
})

t.test('A memory belongs to one account', async (t) => {
  const { id } = await save('Has two cats')
  for (const [method, body] of [['GET'], ['PATCH', { text: 'Has a dog' }], ['DELETE']] as const)
    t.match(await memories(method, `/${id}`, body, bob), NOT_FOUND, method)
  t.equal((await memories('DELETE', '', undefined, bob)).status, 204)
  t.strictSame(await textsOf('', bob), [])
  t.strictSame(await textsOf(), ['Has two cats'])
})

t.test('A text is one line that can be seen', async (t) => {
  for (const text of ['', ' ', '\n\t', '\u0000\u0007', '\u200b\u2028', 'x'.repeat(301)])
    t.match(await memories('POST', '', { text, scope: 'me' }), refusal('/text'), encodeURI(text))
  const { text } = await save('a\u2028b\u0085c\u0000d\u202ee\r\nf')
  t.equal(text, 'a b c d e f')
  t.equal((await save('𐍈'.repeat(300))).text, '𐍈'.repeat(300))
})

t.test('A text is stored once in each scope, however it is written', async (t) => {
  const agent = await createAgent('cook')
  const first = await save('Eats no meat')
  t.strictSame(await save(' Eats  no meat '), first)
  t.match(await save('Eats no meat', { scope: 'agent', agent_id: agent.id }), { agent_name: 'cook' })
  const other = await save('Eats no fish')
  t.match(await memories('PATCH', `/${other.id}`, { text: 'Eats no meat' }), {
    status: 409,
    body: { error: { code: 'MEMORY_EXISTS' } },
  })
  t.strictSame(await textsOf('?scope=me'), ['Eats no fish', 'Eats no meat'])
  const saved = await Promise.all(Array.from({ length: 4 }, () => save('At once')))
  t.equal(new Set(saved.map(({ id }) => id)).size, 1)
})

t.test('A memory of an agent names an agent that the account can use', async (t) => {
  const own = await createAgent('tutor')
  const foreign = await createAgent('private', bob)
  const named = await save('Learns French', { scope: 'agent', agent_id: 'tutor' })
  t.match(named, { scope: 'agent', agent_id: own.id, agent_name: 'tutor' })
  const post = (more: object) => memories('POST', '', { text: 'x', ...more })
  t.match(await post({ scope: 'agent' }), refusal('/agent_id'))
  t.match(await post({ scope: 'me', agent_id: own.id }), refusal('/agent_id'))
  for (const agent_id of [foreign.id, 'nobody'])
    t.match(await post({ scope: 'agent', agent_id }), {
      status: 404,
      body: { error: { code: 'AGENT_NOT_FOUND' } },
    })
})

t.test(
  'Memories of an agent that is no longer shared are kept, those of a deleted agent are not',
  async (t) => {
    const agent = await createAgent('shared', bob, { is_shared: true })
    const kept = await save('Works at night', { scope: 'agent', agent_id: agent.id })
    await save('Works by day', { scope: 'agent', agent_id: agent.id }, bob)
    t.equal(kept.agent_name, 'shared')
    await server.request('PATCH', `/agents/${agent.id}`, { token: bob, body: { is_shared: false } })
    t.match((await memories('GET', `/${kept.id}`)).body, { agent_id: agent.id, agent_name: null })
    await server.request('DELETE', `/agents/${agent.id}`, { token: bob })
    t.strictSame(await textsOf(), [])
    t.strictSame(await textsOf('', bob), [])
  },
)

t.test('The list comes newest first, in pages, and is searched by parts of the text', async (t) => {
  const agent = await createAgent('guide')
  for (const text of ['Lives in Zürich', 'Speaks français', '喜欢喝绿茶', 'Rides a bike in Zurich'])
    await save(text)
  await save('Walks in Zürich', { scope: 'agent', agent_id: agent.id })
  t.strictSame(await textsOf('?q=ZURICH'), ['Walks in Zürich', 'Rides a bike in Zurich', 'Lives in Zürich'])
  t.strictSame(await textsOf('?q=zur%20liv'), ['Lives in Zürich'])
  t.strictSame(await textsOf(`?q=${encodeURIComponent('绿茶')}`), ['喜欢喝绿茶'])
  t.strictSame(await textsOf('?q=.*'), [])
  t.strictSame(await textsOf('?q=zurich&scope=me'), ['Rides a bike in Zurich', 'Lives in Zürich'])
  t.strictSame(await textsOf('?scope=agent'), ['Walks in Zürich'])
  t.strictSame(await textsOf(`?agent_id=${agent.id}`), ['Walks in Zürich'])
  t.strictSame(await textsOf(`?agent_id=${agent.id}&scope=me`), [])
  t.strictSame(await textsOf('?state=proposed'), [])
  const first = await memories('GET', '?limit=3')
  const cursor = /cursor=([^&>]+)/.exec(first.headers.get('link') ?? '')?.[1]
  t.equal(first.body.length, 3)
  t.strictSame(await textsOf(`?limit=3&cursor=${cursor}`), ['Speaks français', 'Lives in Zürich'])
})

t.test('All memories, those of a scope or of an agent are deleted at once', async (t) => {
  const [one, two] = [await createAgent('one'), await createAgent('two')]
  await save('of all')
  for (const { id, name } of [one, two]) await save(`of ${name}`, { scope: 'agent', agent_id: id })
  t.equal((await memories('DELETE', `?scope=agent&agent_id=${one.id}`)).status, 204)
  t.strictSame(await textsOf(), ['of two', 'of all'])
  t.equal((await memories('DELETE', '?scope=me')).status, 204)
  t.strictSame(await textsOf(), ['of two'])
  t.equal((await memories('DELETE')).status, 204)
  t.strictSame(await textsOf(), [])
})

t.test('An account has a limit of memories', async (t) => {
  for (let n = 0; n < MAX_MEMORIES; n += 1) await save(`Memory ${n}`)
  t.match(await memories('POST', '', { text: 'One more', scope: 'me' }), {
    status: 409,
    body: { error: { code: 'LIMIT_REACHED', details: { limit: 'memories', max: MAX_MEMORIES } } },
  })
  t.match(await memories('POST', '', { text: 'Memory 3', scope: 'me' }), { status: 201 })
})

t.test('A change needs the current version if the request names one', async (t) => {
  const { id } = await save('Version 1')
  const { headers } = await memories('GET', `/${id}`)
  const tag = headers.get('etag')!
  const change = (text: string) =>
    server.request('PATCH', `/memories/${id}`, { token: ann, body: { text }, headers: { 'If-Match': tag } })
  t.match(await change('Version 2'), { status: 200 })
  t.match(await change('Version 3'), { status: 412, body: { error: { code: 'PRECONDITION_FAILED' } } })
  t.match(await memories('PATCH', `/${id}`, { state: 'proposed' }), refusal('/state'))
})

t.test('Open pages are notified of changes', async (t) => {
  const open = async (token: string) => {
    const reader = await readEvents(t, `${server.url}/api/events`, { token })
    await reader.until(({ type }) => type === 'reset')
    return reader
  }
  const [hers, his] = [await open(ann), await open(bob)]
  await save('Notified')
  await hers.until(({ type }) => type === 'memory.changed')
  await save('Notified as well', {}, bob)
  await his.until(({ type }) => type === 'memory.changed')
  t.equal(his.events.filter(({ event }) => event === 'memory.changed').length, 1)
})

t.test('The memories of a deleted account are removed', async (t) => {
  const { id, token } = await server.createUser({ username: 'carl' })
  await save('Will leave', {}, token)
  await server.call('DELETE', `/users/${id}`)
  t.equal(await server.db.collection('memories').countDocuments({ user_id: id }), 0)
})
