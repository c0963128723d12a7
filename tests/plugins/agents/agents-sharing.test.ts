import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { createHold, startChat } from '../../support/chat.ts'

const chat = await startChat(t, { config: { plugins: { providers: { allow_hosts: ['127.0.0.1'] } } } })
const { server, fake } = chat
const ann = await server.createUser({ username: 'ann' })
const ben = await server.createUser({ username: 'ben' })

/** A provider of a user's own, with an upstream that knows its key. */
async function createProvider(token: string, api_key: string) {
  const upstream = await createFakeOpenAI()
  t.teardown(() => upstream.close())
  const models = [{ id: 'm', name: 'M' }]
  const body = { name: 'mine', kind: 'openai-compatible', base_url: upstream.url, api_key, models }
  const { status } = await server.request('POST', '/providers', { token, body })
  t.equal(status, 201)
  return upstream
}

t.test('A shared agent uses the providers of its caller, never its owner’s key', async (t) => {
  const owners = await createProvider(ann.token, 'key-of-ann')
  const { body: agent } = await server.request('POST', '/agents', {
    token: ann.token,
    body: { name: 'helper', default_model: 'mine:m', is_shared: true },
  })
  const ask = async (token: string) => {
    const socket = await chat.connect({ agent_id: agent.id, token })
    const { end } = await socket.ask({ text: 'hello' })
    socket.close()
    return end
  }
  t.equal((await ask(ann.token)).type, 'done')
  t.match(owners.requests.at(-1)!.headers.authorization, 'Bearer key-of-ann')
  const asked = owners.requests.length
  const active = fake.requests.length

  t.equal((await ask(ben.token)).type, 'done')
  t.equal(fake.requests.length, active + 1, 'who lacks the model gets the active one')

  const own = await createProvider(ben.token, 'key-of-ben')
  t.equal((await ask(ben.token)).type, 'done')
  t.match(
    own.requests.at(-1)!.headers.authorization,
    'Bearer key-of-ben',
    'the same name is the caller’s own',
  )
  t.equal(owners.requests.length, asked)

  const row = await server.request('GET', `/agents/${agent.id}`, { token: ben.token })
  t.match(row, { status: 200, body: { is_owner: false, owner: 'ann' } })
  t.notOk('system_prompt' in row.body || 'config' in row.body)
  t.equal(
    (await server.request('GET', `/agents/${agent.id}/tool-settings`, { token: ben.token })).status,
    403,
  )
})

t.test('What guests may see of an agent follows every change at once', async (t) => {
  const { body: agent } = await server.request('POST', '/agents', {
    token: ann.token,
    body: { name: 'seen', is_shared: true },
  })
  const see = async (key: string, token: string) =>
    (await server.request('GET', `/agents/${key}`, { token })).status
  const change = async (body: object) =>
    t.equal((await server.request('PATCH', `/agents/${agent.id}`, { token: ann.token, body })).status, 200)
  // Each answer is remembered for a moment.
  const seeAll = async () => [await see(agent.id, ben.token), await see('seen', ann.token)]
  t.strictSame(await seeAll(), [200, 200])
  await change({ is_shared: false })
  t.strictSame(await seeAll(), [404, 200])
  await change({ is_shared: true, name: 'renamed' })
  t.strictSame(await seeAll(), [200, 404])
  t.equal(await see('renamed', ann.token), 200)
  t.equal(await see('renamed', ben.token), 404, 'names are those of the owner')
  await server.request('DELETE', `/agents/${agent.id}`, { token: ann.token })
  t.strictSame(await seeAll(), [404, 404])
})

t.test('Guests can still read their threads of an agent that is no longer shared', async (t) => {
  const { body: agent } = await server.request('POST', '/agents', {
    token: ann.token,
    body: { name: 'opened', is_shared: true },
  })
  const { token } = ben
  const call = (method: string, path: string, body?: object, who = token) =>
    server.request(method, `/agents/${agent.id}${path}`, { token: who, body })
  const socket = await chat.connect({ agent_id: agent.id, token })
  const { thread_id } = (await socket.ask({ text: 'hello' })).end
  const history = (await call('GET', `/threads/${thread_id}/history`)).body
  t.equal(history.messages.length, 2)

  // A second turn waits for the first, whose answer is never finished.
  const { hold, release } = createHold()
  t.teardown(release)
  fake.next({ text: ['slow ', 'never'], hold, holdAfter: 1 })
  const asked = fake.request(fake.requests.length)
  socket.say({ thread_id, text: 'first' })
  await asked
  socket.say({ thread_id, text: 'second' })
  await socket.until(({ type }) => type === 'turn_queued')
  const unshared = await call('PATCH', '', { is_shared: false }, ann.token)
  t.equal(unshared.status, 200)
  t.match(await socket.closed, { code: 1008, reason: 'AGENT_NOT_FOUND' })
  const requests = fake.requests.length

  const read = async () => {
    const [list, history, events, exported, metrics] = [
      await call('GET', '/threads'),
      await call('GET', `/threads/${thread_id}/history`),
      await call('GET', `/threads/${thread_id}/trajectory`),
      await call('GET', `/threads/${thread_id}/trajectory/export`),
      await call('GET', `/threads/${thread_id}/trajectory/metrics`),
    ]
    for (const { status } of [list, history, events, exported, metrics]) t.equal(status, 200)
    return { list: list.body, history: history.body, exported: exported.body }
  }
  let seen = await read()
  // The running turn is stopped, and the waiting message is dropped.
  while (seen.history.turn_active || seen.history.messages.length < 6) seen = await read()
  t.match(seen.list, [{ thread_id }])
  t.match(seen.history.messages, [
    { content: [{ text: 'hello' }] },
    { status: 'complete' },
    { content: [{ text: 'first' }] },
    { content: [{ text: 'slow ' }], status: 'stopped' },
    { content: [{ text: 'second' }] },
    { content: [], status: 'failed', error: { code: 'AGENT_NOT_FOUND' } },
  ])
  t.match(seen.exported, 'hello')
  t.equal(fake.requests.length, requests)

  const gone = { status: 404, body: { error: { code: 'AGENT_NOT_FOUND' } } }
  t.match(await call('GET', ''), gone)
  t.match(await call('POST', '/threads'), gone)
  t.match(await call('PATCH', `/threads/${thread_id}`, { title: 'mine' }), gone)
  t.match(await call('POST', `/threads/${thread_id}/fork`, { assistant_turns_from_end: 1 }), gone)
  t.match(
    await chat.connect({ agent_id: agent.id, token }).catch((error) => error),
    gone,
    'no turn can be sent',
  )
  t.match(
    await call('GET', '/threads', undefined, (await server.createUser({ username: 'cid' })).token),
    gone,
  )
  t.match(await call('GET', `/threads/${thread_id}/history`, undefined, ann.token), {
    status: 404,
    body: { error: { code: 'THREAD_NOT_FOUND' } },
  })

  t.equal((await call('POST', `/threads/${thread_id}/read`)).status, 204)
  t.equal((await call('DELETE', `/threads/${thread_id}`)).status, 204, 'they are theirs to delete')
  t.match(await call('GET', '/threads'), gone, 'and with the last of them the agent is gone')
  await call('DELETE', '', undefined, ann.token)
})

t.test('Turns of an account end if it is disabled, or is no administrator any more', async (t) => {
  const owner = await server.createUser({ username: 'owner' })
  const body = { name: 'private' }
  const { id: agent_id } = (await server.request('POST', '/agents', { token: owner.token, body })).body
  const changes = [{ enabled: false }, { role: 'user' }]
  for (const [index, change] of changes.entries()) {
    const username = `boss${index}`
    const { token } = await server.createUser({ username, role: 'admin' })
    const socket = await chat.connect({ agent_id, token })
    const { hold, release } = createHold()
    t.teardown(release)
    fake.next({ text: ['slow ', 'never'], hold, holdAfter: 1 })
    socket.say({ text: 'go' })
    const { turn_id } = await socket.until(({ type }) => type === 'content')
    t.equal((await server.request('PATCH', `/users/${username}`, { body: change })).status, 200)
    const ended = { turn_id, type: 'done' as const, 'frame.stop_reason': 'stopped' }
    await eventually(
      'the turn is stopped',
      async () => (await server.db.collection('events').countDocuments(ended)) > 0,
    )
  }
})

t.test('only the owner decides if an agent is shared', async (t) => {
  const owner = await server.createUser({ username: 'keeper' })
  const made = await server.request('POST', '/agents', { token: owner.token, body: { name: 'kept' } })
  const change = (token: string, body: object) =>
    server.request('PATCH', `/agents/${made.body.id}`, { token, body })
  for (const is_shared of [true, false])
    t.match(await change(server.admin.token, { is_shared, description: 'x' }), {
      status: 403,
      body: { error: { code: 'FORBIDDEN', details: { field: 'is_shared' } } },
    })
  t.match(await change(server.admin.token, { description: 'of the admin' }), { status: 200 })
  t.match(await change(owner.token, { is_shared: true }), {
    status: 200,
    body: { is_shared: true, description: 'of the admin' },
  })
})

t.test('An agent is shared with people and groups, to use or to edit it', async (t) => {
  const { body: group } = await server.request('POST', '/groups', { body: { name: 'Team' } })
  const cleo = await server.createUser({ username: 'cleo' })
  await server.request('PUT', `/groups/${group.id}/members/cleo`)
  const { body: agent } = await server.request('POST', '/agents', {
    token: ann.token,
    body: { name: 'granted', system_prompt: 'Be brief.' },
  })
  const call = (method: string, path: string, token: string, body?: unknown) =>
    server.request(method, `/agents/${agent.id}${path}`, { token, body })
  const share = (grants: object[], token = ann.token) => call('PUT', '/grants', token, grants)
  const statuses = async (token: string) => [
    (await call('GET', '', token)).status,
    (await call('GET', '/grants', token)).status,
    (await call('PATCH', '', token, { description: 'Changed' })).status,
    (await share([], token)).status,
    (await call('DELETE', '', token)).status,
  ]
  const listed = async (token: string) =>
    (await server.request('GET', '/agents?limit=200', { token })).body.some(
      ({ id }: { id: string }) => id === agent.id,
    )

  t.strictSame((await call('GET', '/grants', ann.token)).body, [])
  t.strictSame(await statuses(ben.token), [404, 404, 404, 404, 404])
  t.strictSame(
    (
      await share([
        { user: 'BEN', access: 'use' },
        { group: 'team', access: 'edit' },
      ])
    ).body,
    [
      { user: 'ben', access: 'use', name: 'ben' },
      { group: group.id, access: 'edit', name: 'Team' },
    ],
  )
  t.strictSame(await statuses(ben.token), [200, 403, 403, 403, 403])
  t.strictSame(await statuses(cleo.token), [200, 200, 200, 403, 403])
  t.match((await call('GET', '', cleo.token)).body, {
    can_edit: true,
    is_owner: false,
    system_prompt: 'Be brief.',
  })
  t.match((await call('GET', '', ben.token)).body, { can_edit: false, is_shared: false })
  t.strictSame([await listed(ben.token), await listed(cleo.token)], [true, true])

  const { body: access } = await server.request('GET', '/users/cleo/access')
  const thing = access.things.find(({ id }: { id: string }) => id === agent.id)
  t.match(thing, { kind: 'agent', label: 'Agent', name: 'granted', access: 'edit', from: ['Team'] })

  await server.request('DELETE', `/groups/${group.id}/members/cleo`)
  t.strictSame(await statuses(cleo.token), [404, 404, 404, 404, 404])
  t.notOk(await listed(cleo.token))

  t.match((await share([{ everyone: true, access: 'use' }])).body, [{ everyone: true }])
  t.match((await call('GET', '', ann.token)).body, { is_shared: true })
  await call('PATCH', '', ann.token, { is_shared: false })
  t.strictSame((await call('GET', '/grants', ann.token)).body, [])
  t.strictSame((await statuses(ben.token))[0], 404)
})

t.test('Grants are refused with the place of what is wrong', async (t) => {
  const { body: agent } = await server.request('POST', '/agents', {
    token: ann.token,
    body: { name: 'refused' },
  })
  const share = (body: object[]) =>
    server.request('PUT', `/agents/${agent.id}/grants`, { token: ann.token, body })
  const refusal = (path: string) => ({ status: 422, body: { error: { details: { issues: [{ path }] } } } })
  const use = { access: 'use' }
  t.match(
    await share([
      { ...use, user: 'ben' },
      { ...use, user: 'nobody' },
    ]),
    refusal('/1/user'),
  )
  t.match(await share([{ ...use, group: 'nothing' }]), refusal('/0/group'))
  t.match(
    await share([
      { ...use, user: 'ben' },
      { ...use, user: 'Ben' },
    ]),
    refusal('/1'),
  )
  t.equal((await share([{ user: 'ben', access: 'own' }])).status, 422)
  t.equal((await share([use])).status, 422)
  t.equal((await share([{ ...use, user: 'ben', everyone: true }])).status, 422)
})

t.test('What somebody had open ends within a moment when it is no longer shared with them', async (t) => {
  const { body: group } = await server.request('POST', '/groups', { body: { name: 'Readers' } })
  await server.request('PUT', `/groups/${group.id}/members/ben`)
  const { body: agent } = await server.request('POST', '/agents', {
    token: ann.token,
    body: { name: 'revoked' },
  })
  const share = (grants: object[]) =>
    server.request('PUT', `/agents/${agent.id}/grants`, { token: ann.token, body: grants })
  const ways: [string, () => Promise<unknown>][] = [
    ['the grant', () => share([])],
    ['the membership', () => server.request('DELETE', `/groups/${group.id}/members/ben`)],
    ['the group', () => server.request('DELETE', `/groups/${group.id}`)],
  ]
  for (const [what, revoke] of ways) {
    await server.request('PUT', `/groups/${group.id}/members/ben`)
    await share([{ group: group.id, access: 'use' }])
    const { hold, release } = createHold()
    fake.next({ text: ['slow ', 'never'], hold, holdAfter: 1 })
    const socket = await chat.connect({ agent_id: agent.id, token: ben.token })
    socket.say({ text: 'hello' })
    await socket.until(({ type }) => type === 'content')
    await revoke()
    t.ok(await socket.closed, `${what} is gone`)
    release()
    const left = () =>
      server.db.collection('threads').countDocuments({ agent_id: agent.id, active_turn: { $ne: null } })
    await eventually('the turn has ended', async () => (await left()) === 0)
  }
})

t.test('An agent gets another owner, and its former one may still edit it', async (t) => {
  const dora = await server.createUser({ username: 'dora' })
  const body = { name: 'assistant-of-all', default_model: 'mine:m', is_shared: true }
  await server.request('POST', '/agents', { token: dora.token, body: { name: body.name } })
  const { body: agent } = await server.request('POST', '/agents', { token: ann.token, body })
  const transfer = (username: string, token: string) =>
    server.request('POST', `/agents/${agent.id}/transfer`, { token, body: { username } })
  t.match(await transfer('dora', ben.token), { status: 403 })
  t.match(await transfer('nobody', ann.token), { status: 422 })
  t.match(await transfer('Dora', ann.token), {
    status: 200,
    body: {
      owner: 'dora',
      name: 'assistant-of-all-2',
      is_owner: false,
      can_edit: true,
      default_model: null,
      is_shared: true,
    },
  })
  t.match(await transfer('ann', ann.token), { status: 403 })
  const { body: grants } = await server.request('GET', `/agents/${agent.id}/grants`, { token: dora.token })
  t.match(grants, [
    { everyone: true, access: 'use' },
    { user: 'ann', access: 'edit' },
  ])
  t.match(await server.request('POST', `/agents/${agent.id}/transfer`, { body: { username: 'ann' } }), {
    status: 200,
    body: { owner: 'ann', name: 'assistant-of-all-2' },
  })
})
