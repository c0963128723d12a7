import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { readEvents } from '../../support/sse.ts'
import { createKnowledgeCalls } from './knowledge-calls.ts'

const chat = await startChat(t)
const { server, fake } = chat
const { request, create, upload, settled, search } = createKnowledgeCalls(server)
const permissions = ['knowledge_bases']
const ann = await server.createUser({ username: 'ann', permissions })
const ben = await server.createUser({ username: 'ben', permissions })
const cleo = await server.createUser({ username: 'cleo', permissions })
await server.call('PATCH', `/agents/${chat.agent_id}`, { is_shared: true })
const { body: group } = await server.request('POST', '/groups', { body: { name: 'Team' } })

const share = (id: string, grants: object[], token = ann.token) =>
  server.request('PUT', `/knowledge-bases/${id}/grants`, { token, body: grants })
const join = (username: string) => server.request('PUT', `/groups/${group.id}/members/${username}`)
const leave = (username: string) => server.request('DELETE', `/groups/${group.id}/members/${username}`)
const tools = () => JSON.stringify(fake.requests.at(-1)!.body.tools ?? [])
const NOT_FOUND = { status: 404, body: { error: { code: 'KNOWLEDGE_BASE_NOT_FOUND' } } }

/** Creates a base of Ann with one document. */
async function createFilled(name: string, text: string): Promise<string> {
  const id = await create(name, { token: ann.token })
  await upload(id, [['rules.txt', text]], { token: ann.token })
  await settled(id, ann.token)
  return id
}

/** Returns the statuses of reading, searching, changing, adding, sharing and deleting, for an account. */
const statuses = async (id: string, token: string) => [
  (await request('GET', `/${id}`, undefined, token)).status,
  (await request('GET', `/${id}/documents`, undefined, token)).status,
  (await request('POST', '/search', { query: 'x', knowledge_base_ids: [id] }, token)).status,
  (await request('PATCH', `/${id}`, { description: 'Changed' }, token)).status,
  (await upload(id, [['more.txt', 'More']], { token })).status,
  (await share(id, [], token)).status,
  (await request('DELETE', `/${id}`, undefined, token)).status,
]
const NONE = [404, 404, 404, 404, 404, 404, 404]
const USE = [200, 200, 200, 403, 403, 403, 403]
const EDIT = [200, 200, 200, 200, 202, 403, 403]

t.test('A knowledge base is shared with people and groups, to use or to edit it', async (t) => {
  const id = await create('Granted', { token: ann.token })
  const listed = async (token: string) =>
    (await request('GET', '?limit=200', undefined, token)).body.some((row: { id: string }) => row.id === id)
  t.strictSame(await statuses(id, ben.token), NONE)
  await join('cleo')
  await share(id, [
    { user: 'ben', access: 'use' },
    { group: group.id, access: 'edit' },
  ])
  t.strictSame(await statuses(id, ben.token), USE)
  t.strictSame(await statuses(id, cleo.token), EDIT)
  t.strictSame([await listed(ben.token), await listed(cleo.token)], [true, true])
  t.match((await request('GET', `/${id}`, undefined, ben.token)).body, {
    ...{ owner: 'ann', is_owner: false, can_edit: false, is_shared: false, description: 'Changed' },
  })
  t.match((await request('GET', `/${id}`, undefined, cleo.token)).body, { is_owner: false, can_edit: true })
  for (const field of ['is_shared', 'is_default'])
    t.match(await request('PATCH', `/${id}`, { [field]: true }, cleo.token), {
      status: 403,
      body: { error: { details: { field } } },
    })
  await leave('cleo')
  t.strictSame(await statuses(id, cleo.token), NONE)

  t.match(await request('PATCH', `/${id}`, { is_shared: true }, ann.token), { body: { is_shared: true } })
  t.match((await request('GET', `/${id}/grants`, undefined, ann.token)).body, [
    { user: 'ben' },
    { group: group.id },
    { everyone: true, access: 'use' },
  ])
  t.strictSame(await statuses(id, cleo.token), USE)
  await share(id, [])
  t.strictSame(await statuses(id, ben.token), NONE)
  t.strictSame([await listed(ben.token), await listed(cleo.token)], [false, false])
})

t.test('Documents that were open are not found once the base is no longer shared', async (t) => {
  const id = await createFilled('Open', 'Giraffes eat leaves.')
  await share(id, [{ user: 'ben', access: 'edit' }])
  const [document] = (await request('GET', `/${id}/documents`, undefined, ben.token)).body
  const open = `/${id}/documents/${document.id}`
  const paths = [`/${id}`, `/${id}/documents`, open, `${open}/text`, `${open}/content`]
  for (const path of paths) t.equal((await request('GET', path, undefined, ben.token)).status, 200, path)
  const follower = await readEvents(t, `${server.url}/api/knowledge-bases/${id}/events`, {
    token: ben.token,
  })
  t.match(await search('giraffe', { token: ben.token }), [{ knowledge_base_id: id }])
  await share(id, [])
  for (const path of paths) t.match(await request('GET', path, undefined, ben.token), NOT_FOUND)
  t.match(await request('DELETE', open, undefined, ben.token), NOT_FOUND)
  t.match(await request('POST', `/${id}/reindex`, undefined, ben.token), NOT_FOUND)
  t.strictSame(await search('giraffe', { token: ben.token }), [])
  await follower.rest()
})

t.test('A search in a turn ends with its grant, and one by right of the agent’s owner goes on', async (t) => {
  const id = await createFilled('House rules', 'Giraffes eat leaves.')
  await share(id, [{ user: 'ben', access: 'use' }])
  const his = await chat.connect({ token: ben.token })
  const ask = (more: object) => his.ask({ text: 'hello', ...more })
  const { thread_id } = await ask({ knowledge_base_ids: [id] })
  t.match(tools(), 'House rules')
  await share(id, [])
  await ask({ thread_id })
  t.notMatch(tools(), 'House rules')
  his.send({
    ...{ type: 'user_turn', text: 'hello', client_message_id: 'c', thread_id },
    knowledge_base_ids: [id],
  })
  t.match(await his.until(({ type }) => type === 'error'), { code: 'KNOWLEDGE_BASE_NOT_FOUND' })

  const { body: agent } = await server.request('POST', '/agents', {
    token: ann.token,
    body: { name: 'librarian', is_shared: true, knowledge_base_ids: [id] },
  })
  const through = await chat.connect({ agent_id: agent.id, token: ben.token })
  await through.ask({ text: 'hello' })
  t.match(tools(), 'House rules')
})

t.test('An editor pays for the vectors of what they add', async (t) => {
  const upstream = await createFakeOpenAI()
  t.teardown(() => upstream.close())
  const models = [{ id: 'embedder', name: 'Embedder' }]
  await server.call('POST', '/admin/providers', {
    ...{ name: 'vectors', kind: 'openai-compatible', base_url: upstream.url, api_key: 'k', models },
  })
  await request('PUT', '/settings', { embedding_model: 'vectors:embedder' })
  await eventually('the index', async () => !(await request('GET', '/settings')).body.is_rebuilding)
  const callsOf = async ({ token }: { token: string }): Promise<number> => {
    const { body } = await server.request('GET', '/usage/summary?granularity=by_model', { token })
    return body.buckets.find(({ key }: { key: string }) => key === 'vectors:embedder')?.model_calls ?? 0
  }
  const id = await create('Paid', { token: ann.token })
  await share(id, [{ user: 'cleo', access: 'edit' }])
  const callsOfOwner = await callsOf(ann)
  await upload(id, [['sea.txt', 'Whales sing.']], { token: cleo.token })
  await settled(id, ann.token)
  t.strictSame([await callsOf(cleo), await callsOf(ann)], [1, callsOfOwner])
  await upload(id, [['land.txt', 'Horses run.']], { token: ann.token })
  await settled(id, ann.token)
  t.strictSame([await callsOf(cleo), await callsOf(ann)], [1, callsOfOwner + 1])
})

t.test('Whoever gains, has or loses a knowledge base is notified of it, and nobody else', async (t) => {
  const follow = async (token: string) => {
    const reader = await readEvents(t, `${server.url}/api/events`, { token })
    await reader.until(({ type }) => type === 'reset')
    return reader
  }
  const id = await create('Followed', { token: ann.token })
  const [gaining, other] = [await follow(ben.token), await follow(cleo.token)]
  const isAbout = (base_id: string) => (event: object) =>
    'knowledge_base_id' in event && event.knowledge_base_id === base_id
  const seen = (reader: typeof other) => reader.events.filter(({ data }) => isAbout(id)(data)).length
  await share(id, [{ user: 'ben', access: 'use' }])
  await request('PATCH', `/${id}`, { name: 'Renamed' }, ann.token)
  await share(id, [])
  await request('DELETE', `/${id}`, undefined, ann.token)
  const last = await create('Last', { token: ann.token, is_shared: true })
  for (const reader of [gaining, other]) await reader.until(isAbout(last))
  t.strictSame([seen(gaining), seen(other)], [3, 0])
})
