import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { amount, roundRobin } from '../../run/tier.ts'
import { startServer } from '../../support/server.ts'
import { probePlugin, setProbe } from './agents-probe.ts'

const server = await startServer(t, { plugins: { probe: probePlugin } })
const ann = await server.createUser({ username: 'ann' })
const ben = await server.createUser({ username: 'ben' })

const ROW_FIELDS = [
  'id',
  'name',
  'description',
  'persona_mbti',
  'default_model',
  'system_prompt',
  'template_name',
  'is_shared',
  'knowledge_base_ids',
  'is_owner',
  'can_edit',
  'owner',
  'state',
  'last_error',
  'unread_count',
  'welcome_message',
  'icon',
  'color',
  'config',
  'managed_by',
  'managed_file',
  'created_at',
  'updated_at',
].sort()

/** The fields that guests do not see. */
const PRIVATE_FIELDS = ['system_prompt', 'config', 'knowledge_base_ids']
/** The fields that lists leave out. */
const LONG_FIELDS = ['system_prompt', 'config', 'welcome_message', 'knowledge_base_ids']
const LIST_FIELDS = ROW_FIELDS.filter((field) => !LONG_FIELDS.includes(field))

/** Creates an agent and returns its row. */
const create = (body: object, token = ann.token) => server.call('POST', '/agents', body, token)

const namesOf = (rows: { name: string }[]) => rows.map(({ name }) => name)

t.test('A new account has a running assistant', async (t) => {
  for (const { token, username } of [server.admin, ann, ben]) {
    const { status, body } = await server.request('GET', '/agents', { token })
    t.equal(status, 200)
    t.equal(body.length, 1)
    t.match(body[0], {
      name: 'assistant',
      template_name: 'general-assistant',
      owner: username,
      is_owner: true,
      is_shared: false,
      state: 'running',
      last_error: null,
      unread_count: 0,
    })
    t.ok(body[0].description)
    t.strictSame(Object.keys(body[0]).sort(), LIST_FIELDS)
    t.ok((await server.request('GET', `/agents/${body[0].id}`, { token })).body.welcome_message)
  }
})

t.test('The assistant speaks the language of its user', async (t) => {
  const { users } = server.server.runtime.cradleOf('users')
  const { _id, username } = await users.create({ username: 'mei', password: 'mei-password-1', locale: 'zh' })
  const token = await server.login(username, 'mei-password-1')
  const { body } = await server.request('GET', '/agents/assistant', { token })
  t.match(body.description, /\p{Script=Han}/u)
  t.match(body.welcome_message, /\p{Script=Han}/u)
  const { extensions } = server.server.runtime
  await extensions['users.creation'].ask({ user_id: _id, username })
  t.strictSame(
    namesOf((await server.request('GET', '/agents', { token })).body),
    ['assistant'],
    'it is made once',
  )
})

t.test('An agent is created, read, changed and deleted', async (t) => {
  const startedAt = Math.floor(Date.now() / 1000)
  const created = await create({ name: 'plain' })
  t.strictSame(Object.keys(created).sort(), ROW_FIELDS)
  t.match(created, {
    owner: 'ann',
    is_owner: true,
    is_shared: false,
    state: 'running',
    config: {},
    unread_count: 0,
  })
  for (const field of [
    'description',
    'persona_mbti',
    'default_model',
    'system_prompt',
    'template_name',
    'icon',
  ])
    t.equal(created[field], null, `${field} is null unless it is set`)
  t.ok(created.created_at >= startedAt && created.updated_at === created.created_at)
  t.equal((await stat(join(server.home, 'agents', created.id))).mode & 0o777, 0o700)

  const path = `/agents/${created.id}`
  t.strictSame((await server.request('GET', path, { token: ann.token })).body, created)
  t.strictSame((await server.request('GET', '/agents/plain', { token: ann.token })).body, created)

  const changes = {
    name: '  Café 助手 🤖 ',
    description: 'd',
    persona_mbti: 'INTJ',
    default_model: (await server.request('GET', '/models', { token: ann.token })).body[0].id,
    system_prompt: 'Be brief.',
    template_name: 'general-assistant',
    is_shared: true,
    icon: 'bot',
    color: '#123456',
    welcome_message: 'Hi',
    config: { temperature: 0.5, top_p: 1, max_output_tokens: 500, max_steps: 3, reasoning: 'low' },
  }
  const changed = await server.request('PATCH', path, { token: ann.token, body: changes })
  t.equal(changed.status, 200)
  t.match(changed.body, { ...changes, name: 'Café 助手 🤖', state: 'running' })
  t.strictSame((await server.request('GET', path, { token: ann.token })).body, changed.body)
  const byName = `/agents/${encodeURIComponent('Café 助手 🤖')}`
  t.equal((await server.request('GET', byName, { token: ann.token })).body.id, created.id)

  const cleared = await server.request('PATCH', path, {
    token: ann.token,
    body: {
      ...Object.fromEntries(Object.keys(changes).map((field) => [field, null])),
      name: 'n',
      is_shared: false,
      config: {},
    },
  })
  t.equal(cleared.status, 200)
  t.match(cleared.body, {
    name: 'n',
    persona_mbti: null,
    default_model: null,
    template_name: null,
    config: {},
  })
  const { updated_at: _, ...same } = cleared.body
  t.match(
    (await server.request('PATCH', path, { token: ann.token, body: {} })).body,
    same,
    'no field, no change',
  )

  t.equal((await server.request('DELETE', path, { token: ann.token })).status, 204)
  for (const [method, suffix] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['GET', '/status'],
    ['POST', '/start'],
  ] as const) {
    const gone = await server.request(method, path + suffix, {
      token: ann.token,
      body: method === 'PATCH' ? {} : undefined,
    })
    t.match(
      gone,
      { status: 404, body: { error: { code: 'AGENT_NOT_FOUND' } } },
      `${method} ${suffix} finds nothing`,
    )
  }
  t.notOk((await readdir(join(server.home, 'agents'))).includes(created.id), 'its folder is gone')
})

t.test('Invalid bodies are refused and change nothing', async (t) => {
  const { id } = await create({ name: 'strict' })
  const { body: agent } = await server.request('GET', `/agents/${id}`, { token: ann.token })
  const table: [fields: Record<string, unknown>, path: string, why: string][] = [
    [{ name: '' }, '/name', 'an empty name'],
    [{ name: '   ' }, '/name', 'a name of spaces'],
    [{ name: 'x'.repeat(65) }, '/name', 'a name of 65 characters'],
    [{ name: 'a/b' }, '/name', 'a name with a slash'],
    [{ name: 'a\nb' }, '/name', 'a name with a control character'],
    [{ name: 'a\u0000' }, '/name', 'a name with a NUL'],
    [{ name: 7 }, '/name', 'a name that is a number'],
    [{ name: null }, '/name', 'a name that is null'],
    [{ persona_mbti: 'ABCD' }, '/persona_mbti', 'an unknown persona'],
    [{ persona_mbti: 'intj' }, '/persona_mbti', 'a persona in lower case'],
    [{ template_name: 'unheard-of' }, '/template_name', 'an unknown template'],
    [{ system_prompt: 'x'.repeat(100_001) }, '/system_prompt', 'a prompt of 100,001 characters'],
    [{ is_shared: 'yes' }, '/is_shared', 'sharing that is text'],
    [{ is_shared: null }, '/is_shared', 'sharing that is null'],
    [{ config: [] }, '/config', 'a config that is a list'],
    [{ config: null }, '/config', 'a config that is null'],
    [{ config: { $where: 1 } }, '/config/$where', 'a setting that does not exist'],
    [{ config: { max_tokens: 100 } }, '/config/max_tokens', 'a setting by another name'],
    [{ config: { temperature: 2.1 } }, '/config/temperature', 'a temperature above 2'],
    [{ config: { temperature: '1' } }, '/config/temperature', 'a temperature that is text'],
    [{ config: { top_p: -0.1 } }, '/config/top_p', 'a share below 0'],
    [{ config: { max_output_tokens: 0 } }, '/config/max_output_tokens', 'answers of no tokens'],
    [{ config: { max_output_tokens: 1.5 } }, '/config/max_output_tokens', 'half a token'],
    [{ config: { max_steps: 0 } }, '/config/max_steps', 'turns of no steps'],
    [{ config: { max_steps: 101 } }, '/config/max_steps', 'turns of 101 steps'],
    [{ config: { reasoning: 'extreme' } }, '/config/reasoning', 'an unknown level'],
    [{ config: { tools_with_approval: 'ls' } }, '/config/tools_with_approval', 'a tool that is in no list'],
    [{ owner_id: 'x' }, '/owner_id', 'a field that does not exist'],
    [{ state: 'stopped' }, '/state', 'the state'],
    [{ id: 'x' }, '/id', 'the id'],
  ]
  for (const [index, [fields, path, why]] of table.entries()) {
    const calls = [
      ['POST', '/agents', { name: 'new', ...fields }],
      ['PATCH', `/agents/${id}`, fields],
    ] as const
    for (const [method, url, body] of roundRobin(calls, index)) {
      const reply = await server.request(method, url, { token: ann.token, body })
      t.match(
        reply,
        { status: 422, body: { error: { code: 'VALIDATION_FAILED' } } },
        `${method} refuses ${why}`,
      )
      t.equal(reply.body.error.details.issues?.[0].path, path, `and names ${path}`)
    }
  }
  t.match(await server.request('POST', '/agents', { token: ann.token, body: {} }), {
    status: 422,
    body: { error: { details: { issues: [{ path: '/name', rule: 'required' }] } } },
  })
  t.strictSame((await server.request('GET', `/agents/${id}`, { token: ann.token })).body, agent)
  await server.request('DELETE', `/agents/${id}`, { token: ann.token })
})

t.test('Values at the limits are accepted', async (t) => {
  const body = {
    name: '界'.repeat(64),
    system_prompt: '🙂'.repeat(100_000),
    config: {
      temperature: 2,
      top_p: 0,
      max_output_tokens: 1,
      max_steps: 100,
      tools_with_approval: Array.from({ length: 256 }, (_, n) => `tool-${n}`),
    },
    persona_mbti: '_default',
  }
  const created = await create(body)
  t.match(created, body)
  await server.request('DELETE', `/agents/${created.id}`, { token: ann.token })
})

t.test('An agent whose config was stored before it had a schema is shown and can be changed', async (t) => {
  const { id } = await create({ name: 'old' })
  const config = { nested: { list: [1] }, temperature: 'hot', max_steps: 2 }
  await server.db.collection<{ _id: string }>('agents').updateOne({ _id: id }, { $set: { config } })
  const request = (method: string, body?: object) =>
    server.request(method, `/agents/${id}`, { token: ann.token, body })
  t.match(await request('GET'), { status: 200, body: { config } })
  t.match(await request('PATCH', { description: 'x' }), { status: 200, body: { config } })
  t.strictSame((await request('PATCH', { config: { max_steps: 5 } })).body.config, { max_steps: 5 })
  await request('DELETE')
})

t.test('A default model must be one that the owner sees', async (t) => {
  const { id } = await create({ name: 'models' })
  const unknown = ['nobody:gpt', 'demo', 'demo:no-such-model', ':', '', 'x'.repeat(500)]
  for (const [index, default_model] of unknown.entries()) {
    const refused = { status: 400, body: { error: { code: 'PROVIDER_NOT_VISIBLE' } } }
    const calls = [
      ['POST', '/agents', { name: 'x', default_model }],
      ['PATCH', `/agents/${id}`, { default_model }],
    ] as const
    for (const [method, path, body] of roundRobin(calls, index)) {
      const reply = await server.request(method, path, { token: ann.token, body })
      t.match(reply, refused, `${method} refuses "${default_model.slice(0, 20)}"`)
    }
  }
  await server.request('POST', '/providers', {
    token: ben.token,
    body: { name: 'bens', kind: 'demo', models: [{ id: 'm' }] },
  })
  const { id: benId } = await create({ name: 'x', default_model: 'bens:m' }, ben.token)
  const anns = { token: ann.token, body: { default_model: 'bens:m' } }
  t.equal(
    (await server.request('PATCH', `/agents/${id}`, anns)).status,
    400,
    "somebody else's provider is not visible",
  )
  const admins = { body: { default_model: 'bens:m' } }
  t.equal((await server.request('PATCH', `/agents/${id}`, admins)).status, 400, 'also for an administrator')
  t.equal(
    (await server.request('PATCH', `/agents/${benId}`, admins)).status,
    200,
    "what counts is the owner's view",
  )
  for (const [agent, { token }] of [
    [id, ann],
    [benId, ben],
  ] as const)
    await server.request('DELETE', `/agents/${agent}`, { token })
})

const CREATIONS = amount({ short: 10, long: 50 })

t.test(`Exactly one of ${CREATIONS} parallel creations with the same name succeeds`, async (t) => {
  const replies = await Promise.all(
    Array.from({ length: CREATIONS }, () =>
      server.request('POST', '/agents', { token: ann.token, body: { name: 'race' } }),
    ),
  )
  const created = replies.filter(({ status }) => status === 201)
  t.equal(created.length, 1)
  const refused = replies.filter(({ status }) => status === 409)
  t.equal(refused.length, CREATIONS - 1)
  t.match(refused[0]!.body.error, { code: 'AGENT_NAME_TAKEN', message: /"race"/, details: { name: 'race' } })
  t.equal(await server.db.collection('agents').countDocuments({ name: 'race' }), 1)
  const folders = (await readdir(join(server.home, 'agents'))).filter((name) => name !== '.removed')
  t.equal(
    folders.length,
    await server.db.collection('agents').countDocuments(),
    'only what exists has a folder',
  )

  const other = await create({ name: 'other' })
  const renamed = await server.request('PATCH', `/agents/${other.id}`, {
    token: ann.token,
    body: { name: ' race ' },
  })
  t.match(renamed, { status: 409, body: { error: { code: 'AGENT_NAME_TAKEN' } } })
  t.equal((await create({ name: 'race' }, ben.token)).owner, 'ben', 'names are unique within one account')
  t.equal((await create({ name: 'Race' })).name, 'Race', 'and exact')
  for (const name of ['race', 'Race', 'other'])
    await server.request('DELETE', `/agents/${name}`, { token: ann.token })
  await server.request('DELETE', '/agents/race', { token: ben.token })
})

t.test('Somebody else’s unshared agent looks like one that does not exist', async (t) => {
  const { id } = await create({ name: 'private' })
  const missing = await server.request('GET', '/agents/01ARZ3NDEKTSV4RRFFQ69G5FAV', { token: ben.token })
  const routes = [
    'GET ',
    'PATCH ',
    'DELETE ',
    'POST /start',
    'POST /stop',
    'POST /reload',
    'POST /read',
    'GET /status',
  ]
  for (const [index, route] of routes.entries()) {
    const [method, suffix] = route.split(' ') as [string, string]
    for (const key of roundRobin([id, 'private'], index)) {
      const body = method === 'PATCH' ? { name: 'mine' } : undefined
      const reply = await server.request(method, `/agents/${key}${suffix}`, { token: ben.token, body })
      t.equal(reply.status, 404, `${route} of ${key}`)
      t.strictSame({ ...reply.body.error, request_id: '' }, { ...missing.body.error, request_id: '' })
    }
    t.equal((await server.request(method, `/agents/${id}${suffix}`, { token: null })).status, 401)
  }
  t.notOk(namesOf((await server.request('GET', '/agents', { token: ben.token })).body).includes('private'))
  t.equal((await server.request('POST', '/agents', { token: null, body: { name: 'x' } })).status, 401)
  t.equal((await server.request('GET', '/agents', { token: null })).status, 401)
  await server.request('DELETE', `/agents/${id}`, { token: ann.token })
})

t.test('A shared agent can be opened by others but not changed', async (t) => {
  const body = { name: 'team', is_shared: true, system_prompt: 'only for me', config: { reasoning: 'high' } }
  const { id } = await create(body)
  const seen = await server.request('GET', `/agents/${id}`, { token: ben.token })
  t.equal(seen.status, 200)
  t.strictSame(
    Object.keys(seen.body).sort(),
    ROW_FIELDS.filter((field) => !PRIVATE_FIELDS.includes(field)),
  )
  t.match(seen.body, { owner: 'ann', is_owner: false, is_shared: true })
  const list = await server.request('GET', '/agents', { token: ben.token })
  t.strictSame(namesOf(list.body), ['assistant', 'team'], "one's own come first")
  t.notOk(JSON.stringify(list.body).includes('only for me'))
  t.equal(
    (await server.request('GET', '/agents/team', { token: ben.token })).status,
    404,
    'names are of one’s own',
  )

  for (const route of [
    'PATCH ',
    'DELETE ',
    'POST /start',
    'POST /stop',
    'POST /reload',
    'POST /read',
    'GET /status',
  ]) {
    const [method, suffix] = route.split(' ') as [string, string]
    const reply = await server.request(method, `/agents/${id}${suffix}`, {
      token: ben.token,
      body: method === 'PATCH' ? { is_shared: false } : undefined,
    })
    t.match(reply, { status: 403, body: { error: { code: 'FORBIDDEN' } } }, `${route} is the owner's`)
  }
  t.match((await server.request('GET', `/agents/${id}`, { token: ann.token })).body, body)

  const CLOSED = { code: 1008, reason: 'AGENT_NOT_FOUND' }
  const [socket, own] = [
    await server.connect(`/agents/${id}/echo`, { token: ben.token }),
    await server.connect(`/agents/${id}/echo`, { token: ann.token }),
  ]
  socket.send({ type: 'say' })
  t.equal((await socket.next('said')).name, 'team')
  await server.request('PATCH', `/agents/${id}`, { token: ann.token, body: { is_shared: false } })
  own.send({ type: 'say' })
  t.equal((await server.request('GET', `/agents/${id}`, { token: ben.token })).status, 404)
  t.strictSame(await socket.closed, CLOSED, 'the socket of a guest is closed at once')
  t.equal((await own.next('said')).name, 'team', 'that of the owner is not')
  await server.request('DELETE', `/agents/${id}`, { token: ann.token })
  t.strictSame(await own.closed, CLOSED, 'nobody has a socket to an agent that is deleted')
})

t.test('The id wins over a name that imitates it', async (t) => {
  const shared = await create({ name: 'real', is_shared: true })
  const imitation = await create({ name: shared.id }, ben.token)
  t.equal((await server.request('GET', `/agents/${shared.id}`, { token: ben.token })).body.id, shared.id)
  await server.request('PATCH', `/agents/${shared.id}`, { token: ann.token, body: { is_shared: false } })
  t.equal((await server.request('GET', `/agents/${shared.id}`, { token: ben.token })).body.id, imitation.id)
  await server.request('DELETE', `/agents/${shared.id}`, { token: ann.token })
  await server.request('DELETE', `/agents/${imitation.id}`, { token: ben.token })
})

t.test('An administrator sees and changes every agent, and lists all of them', async (t) => {
  const { id } = await create({ name: 'anns', system_prompt: 'p' })
  const all = await server.request('GET', '/agents?scope=all')
  t.equal(all.body.length, await server.db.collection('agents').countDocuments())
  t.match(
    all.body.find((row: { id: string }) => row.id === id),
    { owner: 'ann', is_owner: false },
  )
  t.match((await server.request('GET', `/agents/${id}`)).body, { owner: 'ann', system_prompt: 'p' })
  t.strictSame(namesOf((await server.request('GET', '/agents')).body), ['assistant'], 'mine is the default')
  t.strictSame(namesOf((await server.request('GET', '/agents?scope=mine')).body), ['assistant'])
  const refused = await server.request('GET', '/agents?scope=all', { token: ann.token })
  t.match(refused, { status: 403, body: { error: { code: 'FORBIDDEN' } } })
  t.equal((await server.request('GET', '/agents?scope=everything')).status, 422)
  t.equal((await server.request('GET', '/agents?scop=all')).status, 422)
  t.equal((await server.request('GET', '/agents/anns')).status, 404, 'a name is looked up among one’s own')
  const changed = await server.request('PATCH', `/agents/${id}`, { body: { description: 'by admin' } })
  t.match(changed.body, { description: 'by admin', owner: 'ann' })
  t.equal((await server.request('GET', `/agents/${id}/status`)).status, 200)
  t.equal((await server.request('DELETE', `/agents/${id}`)).status, 204)
})

t.test('Plugins count unread replies, with one query for a list', async (t) => {
  const { id } = await create({ name: 'chatty' })
  let questions = 0
  setProbe({
    'agents.unread_counts': ({ user_id, agent_ids }) => {
      questions++
      t.equal(user_id, ann.id)
      t.ok(agent_ids.includes(id))
      return new Map([[id, 3]])
    },
  })
  const list = await server.request('GET', '/agents', { token: ann.token })
  t.equal(questions, 1)
  t.equal(list.body.find((row: { id: string }) => row.id === id).unread_count, 3)
  t.equal((await server.request('GET', `/agents/${id}`, { token: ann.token })).body.unread_count, 3)

  const reads: object[] = []
  setProbe({ 'agents.read_marks': (payload) => reads.push(payload) })
  t.equal((await server.request('POST', `/agents/${id}/read`, { token: ann.token })).status, 204)
  t.strictSame(reads, [{ agent_id: id, user_id: ann.id }])
  setProbe({})
  await server.request('DELETE', `/agents/${id}`, { token: ann.token })
})

t.test('An agent of an account that was deleted meanwhile is removed', async (t) => {
  const { agents } = server.server.runtime.cradleOf('agents')
  const orphan = agents.create({ id: 'gone', username: 'gone' }, { name: 'orphan' }, { locale: 'en' })
  await t.rejects(orphan, { code: 'NOT_FOUND' })
  t.equal(await server.db.collection('agents').countDocuments({ owner_id: 'gone' }), 0)
})
