import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { readEvents } from '../../support/sse.ts'
import { createKnowledgeCalls } from '../tools/knowledge-calls.ts'

const chat = await startChat(t)
const { server, fake } = chat
const knowledge = createKnowledgeCalls(server)
const permissions = ['knowledge_bases']
const ann = await server.createUser({ username: 'ann', permissions })
const ben = await server.createUser({ username: 'ben', permissions })
const cleo = await server.createUser({ username: 'cleo' })
await server.call('PATCH', `/agents/${chat.agent_id}`, { is_shared: true })
const { body: group } = await server.request('POST', '/groups', { body: { name: 'Team' } })
const his = await chat.connect({ token: ben.token })

const call = (method: string, path: string, token: string, body?: unknown) =>
  server.request(method, `/projects${path}`, { token, body })
const create = async (settings: object = {}): Promise<string> =>
  (await call('POST', '', ann.token, { name: 'Trip', ...settings })).body.id
const share = (id: string, grants: object[], token = ann.token) => call('PUT', `/${id}/grants`, token, grants)
const join = (username: string) => server.request('PUT', `/groups/${group.id}/members/${username}`)
const leave = (username: string) => server.request('DELETE', `/groups/${group.id}/members/${username}`)
const isListed = async (id: string, token: string) =>
  (await call('GET', '?limit=200', token)).body.some((row: { id: string }) => row.id === id)
const system = () => String(fake.requests.at(-1)!.body.messages[0]!.content)
const tools = () => JSON.stringify(fake.requests.at(-1)!.body.tools ?? [])
const projectOf = async (thread_id: string, token: string) =>
  (await chat.threads('GET', `/${thread_id}`, { token })).body.project_id
const NOT_FOUND = { status: 404, body: { error: { code: 'PROJECT_NOT_FOUND' } } }

/** Returns the statuses of reading, changing, sharing and deleting a project. */
const statuses = async (id: string, token: string) => [
  (await call('GET', `/${id}`, token)).status,
  (await call('PATCH', `/${id}`, token, { description: 'Changed' })).status,
  (await share(id, [], token)).status,
  (await call('DELETE', `/${id}`, token)).status,
]

t.test('A project is shared with people and groups, to use or to edit it', async (t) => {
  const id = await create()
  t.strictSame(await statuses(id, ben.token), [404, 404, 404, 404])
  await join('cleo')
  await share(id, [
    { user: 'ben', access: 'use' },
    { group: group.id, access: 'edit' },
  ])
  t.strictSame(await statuses(id, ben.token), [200, 403, 403, 403])
  t.strictSame(await statuses(id, cleo.token), [200, 200, 403, 403])
  t.strictSame([await isListed(id, ben.token), await isListed(id, cleo.token)], [true, true])
  t.match((await call('GET', `/${id}`, ben.token)).body, {
    ...{ owner: 'ann', is_owner: false, can_edit: false, description: 'Changed' },
  })
  t.match((await call('GET', `/${id}`, cleo.token)).body, { owner: 'ann', can_edit: true })

  await leave('cleo')
  t.strictSame(await statuses(id, cleo.token), [404, 404, 404, 404])
  await share(id, [{ everyone: true, access: 'use' }])
  t.strictSame(await statuses(id, cleo.token), [200, 403, 403, 403])
  await share(id, [])
  t.strictSame(await statuses(id, ben.token), [404, 404, 404, 404])
  t.notOk(await isListed(id, cleo.token))
})

t.test('Threads in a shared project are private to each account', async (t) => {
  const id = await create({ instructions: 'By train.' })
  await share(id, [{ user: 'ben', access: 'use' }])
  const { thread_id } = await his.ask({ text: 'hello', project_id: id })
  t.match(system(), 'By train.')
  const listed = (token: string) => server.request('GET', `/threads?project_id=${id}`, { token })
  t.match((await listed(ben.token)).body, [{ thread_id }])
  t.strictSame((await listed(ann.token)).body, [])
  t.match(await listed(cleo.token), NOT_FOUND)
  t.match((await call('GET', `/${id}`, ben.token)).body, { thread_count: 1 })
  t.match((await call('GET', `/${id}`, ann.token)).body, { thread_count: 0 })
})

t.test('A turn searches only the knowledge bases of a project that its account may search', async (t) => {
  const base = await knowledge.create('Rules of Ann', { token: ann.token })
  const id = await create({ knowledge_base_ids: [base] })
  await share(id, [{ user: 'ben', access: 'edit' }])
  const { thread_id } = await his.ask({ text: 'hello', project_id: id })
  t.notMatch(tools(), 'Rules of Ann')
  const own = await knowledge.create('Rules of Ben', { token: ben.token })
  const set = (knowledge_base_ids: string[]) => call('PATCH', `/${id}`, ben.token, { knowledge_base_ids })
  t.match(await set([base, own]), { status: 200, body: { knowledge_base_ids: [base, own] } })
  await his.ask({ text: 'hello', thread_id })
  t.match(tools(), 'Rules of Ben')
  t.notMatch(tools(), 'Rules of Ann')

  const other = await knowledge.create('Diary of Ann', { token: ann.token })
  t.match(await set([base, other]), {
    status: 404,
    body: { error: { code: 'KNOWLEDGE_BASE_NOT_FOUND' } },
  })
})

t.test(
  'Threads of others leave a project that they no longer see, and those of its owner stay',
  async (t) => {
    const ways: [what: string, grant: object, revoke: (id: string) => Promise<unknown>][] = [
      ['the grant', { user: 'ben', access: 'use' }, (id) => share(id, [])],
      ['the membership', { group: group.id, access: 'edit' }, () => leave('ben')],
      ['the project', { user: 'ben', access: 'use' }, (id) => call('DELETE', `/${id}`, ann.token)],
    ]
    for (const [what, grant, revoke] of ways) {
      await join('ben')
      const id = await create({ instructions: 'By train.' })
      await share(id, [grant])
      const { body: own } = await chat.threads('POST', '', { token: ann.token, body: { project_id: id } })
      const { thread_id } = await his.ask({ text: 'hello', project_id: id })
      t.match(system(), 'By train.')
      await revoke(id)
      t.equal(await projectOf(thread_id, ben.token), null, `${what} is gone`)
      t.equal(await projectOf(own.thread_id, ann.token), what === 'the project' ? null : id)
      await his.ask({ text: 'hello', thread_id })
      t.notMatch(system(), 'By train.')
      const moved = await chat.threads('PATCH', `/${thread_id}`, {
        token: ben.token,
        body: { project_id: id },
      })
      t.match(moved, NOT_FOUND)
    }
  },
)

t.test('Threads leave the projects of a deleted account', async (t) => {
  const gone = await server.createUser({ username: 'gone' })
  const { body: project } = await call('POST', '', gone.token, { name: 'Theirs' })
  await share(project.id, [{ user: 'ben', access: 'use' }], gone.token)
  const { thread_id } = await his.ask({ text: 'hello', project_id: project.id })
  t.equal((await server.request('DELETE', '/users/gone')).status, 204)
  t.equal(await projectOf(thread_id, ben.token), null)
})

t.test('Whoever gains, has or loses a project is notified of it, and nobody else', async (t) => {
  const follow = async (token: string) => {
    const reader = await readEvents(t, `${server.url}/api/events`, { token })
    await reader.until(({ type }) => type === 'reset')
    return reader
  }
  const id = await create()
  const [gaining, other] = [await follow(ben.token), await follow(cleo.token)]
  const seen = (reader: typeof other) => reader.events.filter(({ data }) => data.project_id === id).length
  await share(id, [{ user: 'ben', access: 'use' }])
  await call('PATCH', `/${id}`, ann.token, { name: 'Journey' })
  await share(id, [])
  await call('PATCH', `/${id}`, ann.token, { name: 'Unseen' })
  const last = await create()
  await share(last, [{ everyone: true, access: 'use' }])
  for (const reader of [gaining, other]) await reader.until((event) => event.project_id === last)
  t.strictSame([seen(gaining), seen(other)], [3, 0])
})
