import t from '../../run/file-test.ts'
import { createHold, startChat } from '../../support/chat.ts'
import { fakeTool, startFakeMcp } from '../../support/fake-mcp.ts'
import { readEvents } from '../../support/sse.ts'

const mcp = await startFakeMcp()
t.teardown(() => mcp.close())
const look = fakeTool('look', { annotations: { readOnlyHint: true } })
mcp.tools = [look]
const chat = await startChat(t, {
  config: { plugins: { connectors: { allow_hosts: ['127.0.0.1'], call_seconds: 5 } } },
})
const { server, fake } = chat
const permissions = ['connectors']
const ann = await server.createUser({ username: 'ann', permissions })
const ben = await server.createUser({ username: 'ben', permissions })
const cleo = await server.createUser({ username: 'cleo', permissions })
await server.call('PATCH', `/agents/${chat.agent_id}`, { is_shared: true })
const { body: group } = await server.request('POST', '/groups', { body: { name: 'Team' } })
const his = await chat.connect({ token: ben.token })

const call = (method: string, path: string, token: string, body?: unknown) =>
  server.request(method, `/connectors${path}`, { token, body })
const make = async (name: string, more: object = {}, token = ann.token): Promise<string> =>
  (await call('POST', '', token, { name, kind: 'mcp', config: { url: mcp.url }, ...more })).body.id
const share = (id: string, grants: object[], token = ann.token) => call('PUT', `/${id}/grants`, token, grants)
const join = (username: string) => server.request('PUT', `/groups/${group.id}/members/${username}`)
const leave = (username: string) => server.request('DELETE', `/groups/${group.id}/members/${username}`)
const isListed = async (id: string, token: string) =>
  (await call('GET', '?limit=200', token)).body.some((row: { id: string }) => row.id === id)
const use = (name: string) => ({ toolCalls: [{ name, arguments: {} }] })
const offered = () =>
  (fake.requests.at(-1)!.body.tools ?? [])
    .map((tool) => tool.function.name)
    .filter((name: string) => name.includes('__'))
const credentialsOf = (connector_id: string) =>
  server.db.collection('connector_credentials').countDocuments({ connector_id })

/** Returns the statuses of reading, changing, testing, sharing and deleting a connector. */
const statuses = async (id: string, token: string) => [
  (await call('GET', `/${id}`, token)).status,
  (await call('PATCH', `/${id}`, token, { config: {} })).status,
  (await call('POST', `/${id}/test`, token)).status,
  (await share(id, [], token)).status,
  (await call('DELETE', `/${id}`, token)).status,
]

t.test('A connector is shared with people and groups, to use or to edit it', async (t) => {
  const id = await make('granted')
  t.strictSame(await statuses(id, ben.token), [404, 404, 404, 404, 404])
  await join('cleo')
  await share(id, [
    { user: 'ben', access: 'use' },
    { group: group.id, access: 'edit' },
  ])
  t.strictSame(await statuses(id, ben.token), [200, 403, 403, 403, 403])
  t.strictSame(await statuses(id, cleo.token), [200, 200, 200, 403, 403])
  t.strictSame([await isListed(id, ben.token), await isListed(id, cleo.token)], [true, true])
  t.match((await call('GET', `/${id}`, ben.token)).body, {
    ...{ owner: 'ann', is_owner: false, can_edit: false, config: {} },
  })
  t.match((await call('GET', `/${id}`, cleo.token)).body, {
    ...{ is_owner: false, can_edit: true, config: { url: mcp.url } },
  })
  t.match(await call('PATCH', `/${id}`, cleo.token, { is_default: true }), {
    status: 403,
    body: { error: { details: { field: 'is_default' } } },
  })
  await leave('cleo')
  t.strictSame(await statuses(id, cleo.token), [404, 404, 404, 404, 404])
  await share(id, [{ everyone: true, access: 'use' }])
  t.strictSame(await statuses(id, cleo.token), [200, 403, 403, 403, 403])
  await share(id, [])
  t.strictSame(await statuses(id, ben.token), [404, 404, 404, 404, 404])
  t.notOk(await isListed(id, cleo.token))
})

t.test('A global connector is everybody’s until an administrator sets a list', async (t) => {
  const { token } = server.admin
  const id = await make('common', { scope: 'global', is_default: true }, token)
  const offeredTo = async () => {
    await his.ask({ text: 'hello' })
    return offered()
  }
  t.match((await call('GET', `/${id}/grants`, token)).body, [{ everyone: true, access: 'use' }])
  t.strictSame([await isListed(id, ben.token), await isListed(id, cleo.token)], [true, true])
  t.strictSame(await offeredTo(), ['common__look'])

  await share(id, [{ user: 'cleo', access: 'use' }], token)
  t.strictSame([await isListed(id, ben.token), await isListed(id, cleo.token)], [false, true])
  t.equal((await call('GET', `/${id}`, ben.token)).status, 404)
  t.strictSame(await offeredTo(), [], 'also not by default')

  await share(id, [], token)
  t.notOk(await isListed(id, cleo.token))
  t.match((await call('GET', `/${id}`, token)).body, { is_owner: true, can_edit: true })
  t.equal((await call('DELETE', `/${id}`, token)).status, 204)
})

t.test('Others use a shared connector with credentials of their own, until it is revoked', async (t) => {
  const headers = { Authorization: 'Bearer of-the-owner' }
  const id = await make('guarded', { config: { url: mcp.url, headers } })
  const grant = { user: 'ben', access: 'use' }
  await share(id, [grant])
  const own = { headers: { Authorization: 'Bearer of-ben' } }
  const initialCount = mcp.calls.length
  fake.next(use('guarded__look'), { text: 'ok' })
  const sent = his.say({ text: 'go', connector_ids: [id] })
  t.match((await his.seePause(sent)).action_requests, [
    { authorization_required: { connector_id: id, fields: ['Authorization'] } },
  ])
  t.equal((await call('PUT', `/${id}/credentials`, ben.token, own)).status, 204)
  const { frames } = await his.seeTurn(sent)
  t.match(
    frames.filter(({ type }) => type === 'tool_result'),
    [{ output: 'look is done', is_error: false }],
  )
  const sentWith = mcp.calls.slice(initialCount).map((one) => one.headers.authorization)
  t.strictSame([...new Set(sentWith)], [own.headers.Authorization])

  const { hold, release } = createHold()
  fake.next({ ...use('guarded__look'), hold }, { text: 'ok' })
  const running = his.say({ text: 'go', connector_ids: [id] })
  await his.until((frame) => frame.type === 'turn_started' && frame.client_message_id === running)
  const calls = mcp.of('tools/call').length
  await share(id, [])
  release()
  const { frames: framesOfRun } = await his.seeTurn(running)
  t.match(
    framesOfRun.filter(({ type }) => type === 'tool_result'),
    [{ is_error: true }],
  )
  t.equal(mcp.of('tools/call').length, calls, 'the next call is not made')
  t.equal(await credentialsOf(id), 0, 'their credentials are removed')
  t.equal((await call('PUT', `/${id}/credentials`, ben.token, own)).status, 404)
  const { end } = await his.ask({ text: 'hello', connector_ids: [id] })
  t.match(end, { code: 'CONNECTOR_NOT_FOUND' })
})

t.test(
  'Credentials go with the membership of a group, and stay for those who still use an agent',
  async (t) => {
    const id = await make('ours')
    const own = { headers: { 'X-Key': 'of-ben' } }
    await share(id, [{ group: group.id, access: 'use' }])
    await join('ben')
    t.equal((await call('PUT', `/${id}/credentials`, ben.token, own)).status, 204)
    await leave('ben')
    t.equal(await credentialsOf(id), 0)

    const { body: agent } = await server.request('POST', '/agents', {
      token: ann.token,
      body: { name: 'clerk', is_shared: true },
    })
    const connectors = [{ id }]
    await server.call('PUT', `/agents/${agent.id}/connectors`, { connectors }, ann.token)
    t.equal((await call('PUT', `/${id}/credentials`, ben.token, own)).status, 204)
    await share(id, [])
    t.equal(await credentialsOf(id), 1, 'the agent has it by right of its owner')
    const through = await chat.connect({ agent_id: agent.id, token: ben.token })
    await through.ask({ text: 'hello' })
    t.strictSame(offered(), ['ours__look'])
  },
)

t.test('An agent loses a connector that its owner may no longer use', async (t) => {
  const id = await make('lent')
  await share(id, [{ user: 'ben', access: 'use' }])
  const { body: agent } = await server.request('POST', '/agents', {
    token: ben.token,
    body: { name: 'clerk', is_shared: true },
  })
  const connectors = [{ id }]
  await server.call('PUT', `/agents/${agent.id}/connectors`, { connectors }, ben.token)
  const hers = await chat.connect({ agent_id: agent.id, token: cleo.token })
  await hers.ask({ text: 'hello' })
  t.strictSame(offered(), ['lent__look'])
  const key = { headers: { 'X-Key': 'of-cleo' } }
  t.equal((await call('PUT', `/${id}/credentials`, cleo.token, key)).status, 204)
  await share(id, [])
  await hers.ask({ text: 'hello' })
  t.strictSame(offered(), [])
  t.equal(await credentialsOf(id), 0)
  t.equal((await call('PUT', `/${id}/credentials`, cleo.token, key)).status, 404)
  t.strictSame(await server.call('GET', `/agents/${agent.id}/connectors`, undefined, ben.token), {
    connectors: [],
  })
})

t.test('No secret follows to the address that an editor has chosen', async (t) => {
  const other = await startFakeMcp()
  t.teardown(() => other.close())
  other.tools = [look]
  const headers = { 'X-Key': 'key-of-the-owner' }
  const id = await make('moving', { config: { url: mcp.url, headers } })
  await share(id, [
    { user: 'ben', access: 'edit' },
    { user: 'cleo', access: 'use' },
  ])
  await call('PUT', `/${id}/credentials`, cleo.token, { headers: { 'X-Key': 'key-of-cleo' } })
  const mask = (await call('GET', `/${id}`, ben.token)).body.config.headers
  t.notMatch(JSON.stringify(mask), 'owner')
  const move = (more: object) => call('PATCH', `/${id}`, ben.token, { config: { url: other.url, ...more } })
  t.equal((await move({})).status, 422)
  t.equal((await move({ headers: mask })).status, 422)

  const initialCount = mcp.calls.length
  const probe = { kind: 'mcp', config: { url: mcp.url, headers: mask }, connector_id: id }
  t.match(await call('POST', '/probe', ben.token, probe), { status: 200, body: { ok: false } })
  t.match(await call('POST', `/${id}/test`, ben.token), { status: 200, body: { ok: false } })
  t.equal(mcp.calls.length, initialCount, 'an editor does not use the key of the owner')

  t.equal((await move({ headers: { 'X-Key': 'another' } })).status, 200)
  t.equal(await credentialsOf(id), 0)
  t.notMatch(JSON.stringify(other.calls.map((one) => one.headers)), /key-of/)
})

t.test('Whoever gains, has or loses a connector is notified of it, and nobody else', async (t) => {
  const follow = async (token: string) => {
    const reader = await readEvents(t, `${server.url}/api/events`, { token })
    await reader.until(({ type }) => type === 'reset')
    return reader
  }
  const id = await make('followed')
  const [gaining, other] = [await follow(ben.token), await follow(cleo.token)]
  const seen = (reader: typeof other) => reader.events.filter(({ data }) => data.connector_id === id).length
  await share(id, [{ user: 'ben', access: 'use' }])
  await call('PATCH', `/${id}`, ann.token, { name: 'renamed' })
  await share(id, [])
  await call('PATCH', `/${id}`, ann.token, { name: 'unseen' })
  const last = await make('last')
  await share(last, [{ everyone: true, access: 'use' }])
  for (const reader of [gaining, other]) await reader.until((event) => event.connector_id === last)
  t.strictSame([seen(gaining), seen(other)], [3, 0])
})
