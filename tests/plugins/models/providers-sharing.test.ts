import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { createHold, MODEL, startChat } from '../../support/chat.ts'
import { startServer } from '../../support/server.ts'

const CORP = 'corp:strong'
const RATE_LIMITED = { status: 429, headers: { 'retry-after': '3600' } }

const chat = await startChat(t, {
  config: { plugins: { providers: { allow_hosts: ['127.0.0.1'] }, chat: { title_model: 'off' } } },
})
const { server, fake } = chat
const { token: admin } = server.admin
const ann = await server.createUser({ username: 'ann' })
const ben = await server.createUser({ username: 'ben' })
const cleo = await server.createUser({ username: 'cleo' })
const dora = await server.createUser({ username: 'dora' })
const { body: group } = await server.request('POST', '/groups', { body: { name: 'Team' } })
await server.request('PUT', `/groups/${group.id}/members/cleo`)

const upstream = await createFakeOpenAI()
t.teardown(() => upstream.close())
const models = [{ id: 'strong' }, { id: 'spare' }, { id: 'voice', model_kind: 'speech' }]
const corp = await server.call('POST', '/admin/providers', {
  ...{ name: 'corp', kind: 'openai-compatible', base_url: upstream.url, models },
})

const share = (grants: object[], id = corp.id) => server.call('PUT', `/admin/providers/${id}/grants`, grants)
const grantTo = (...usernames: string[]) => share(usernames.map((user) => ({ user, access: 'use' })))
const shareWithAll = () => share([{ everyone: true, access: 'use' }])

/** Tells what an account finds of the shared provider. */
async function look(token: string) {
  const names = async (path: string) =>
    (await server.request('GET', `${path}?limit=200`, { token })).body.map(
      (row: { name: string; id: string }) => (path === '/models' ? row.id : row.name),
    )
  const status = async (method: string, path: string, body?: object) =>
    (await server.request(method, path, { token, body })).status
  const name = `agent-${Math.random()}`
  return {
    provider: (await names('/providers')).includes('corp'),
    models: (await names('/models')).includes(CORP),
    read: await status('GET', `/providers/${corp.id}`),
    test: await status('POST', `/providers/${corp.id}/test`, { model_id: 'strong' }),
    change: await status('PATCH', `/providers/${corp.id}`, { enabled: false }),
    choose: await status('POST', '/agents', { name, default_model: CORP }),
  }
}
const ALL = { provider: true, models: true, read: 200, test: 200, change: 403, choose: 201 }
const NOTHING = { provider: false, models: false, read: 404, test: 404, change: 404, choose: 400 }

const createAgent = (owner: { token: string }, body: object = {}) =>
  server.call('POST', '/agents', { name: `agent-${Math.random()}`, ...body }, owner.token)

/** Runs a turn, and returns its end with the model that each upstream was asked for. */
async function ask(agent_id: string, token: string, more: object = {}) {
  const counts = [fake.requests.length, upstream.requests.length]
  const socket = await chat.connect({ agent_id, token })
  const { end, thread_id } = await socket.ask({ text: 'hello', ...more })
  socket.close()
  return {
    end,
    thread_id,
    calls: [fake.requests.length - counts[0]!, upstream.requests.length - counts[1]!],
  }
}

t.test('A provider of the server is everybody’s until it is shared with some', async (t) => {
  t.match(await server.call('GET', `/admin/providers/${corp.id}/grants`), [{ everyone: true, access: 'use' }])
  t.strictSame(await look(ben.token), ALL)
  await share([])
  t.strictSame(await look(ben.token), NOTHING)
  t.match(await look(admin), { provider: true, models: true, read: 200, choose: 201 })

  await share([
    { user: 'ben', access: 'use' },
    { group: 'Team', access: 'use' },
  ])
  t.strictSame([await look(ben.token), await look(cleo.token)], [ALL, ALL])
  t.strictSame(await look(ann.token), NOTHING)
  const { body: access } = await server.request('GET', '/users/cleo/access')
  t.match(
    access.things.filter(({ id }: { id: string }) => id === corp.id),
    [{ kind: 'provider', access: 'use', from: ['Team'] }],
  )
  await server.request('DELETE', `/groups/${group.id}/members/cleo`)
  t.strictSame(await look(cleo.token), NOTHING)
  await server.request('PUT', `/groups/${group.id}/members/cleo`)
  t.strictSame(await look(cleo.token), ALL)

  await shareWithAll()
  t.strictSame(await look(ann.token), ALL)
  await grantTo('ben')
  t.strictSame([await look(ann.token), await look(ben.token)], [NOTHING, ALL])
})

t.test('Administrators alone share providers of the server, and only for use', async (t) => {
  const put = (id: string, body: object[], token = admin) =>
    server.request('PUT', `/admin/providers/${id}/grants`, { token, body })
  t.equal((await put(corp.id, [], ben.token)).status, 403)
  t.match(await put(corp.id, [{ user: 'ben', access: 'edit' }]), {
    status: 422,
    body: { error: { details: { issues: [{ path: '/0/access' }] } } },
  })
  const body = { name: 'own', kind: 'openai-compatible', base_url: upstream.url }
  const own = await server.call('POST', '/providers', body, ann.token)
  t.match(own, { can_edit: true })
  t.equal((await put(own.id, [])).status, 404, 'the provider of an account is nobody else’s')
  const { body: rows } = await server.request('GET', '/providers', { token: ben.token })
  t.match(
    rows.find(({ name }: { name: string }) => name === 'corp'),
    { can_edit: false },
  )
})

t.test('An account may name a provider like one of the server that it does not see', async (t) => {
  await grantTo('ben')
  const body = { name: 'corp', kind: 'openai-compatible', base_url: fake.url, models: [{ id: 'strong' }] }
  t.equal((await server.request('POST', '/providers', { token: ben.token, body })).status, 409)
  await server.call('POST', '/providers', body, dora.token)
  const agent = await createAgent(dora, { default_model: CORP, is_shared: true })
  t.match(await ask(agent.id, dora.token), { end: { type: 'done' }, calls: [1, 0] })
  t.match(
    await ask(agent.id, ben.token),
    { end: { type: 'done' }, calls: [0, 1] },
    'the name is the caller’s',
  )
  const active = await ask(agent.id, cleo.token)
  t.match(active, { end: { type: 'done' }, calls: [1, 0] })
  t.equal(fake.requests.at(-1)!.body.model, 'm', 'and never the owner’s key, but the active model')
})

t.test('The models of a shared agent are used by right of its owner', async (t) => {
  await grantTo('ann')
  const agent = await createAgent(ann, {
    default_model: CORP,
    is_shared: true,
    config: { fallback_models: ['corp:spare'] },
  })
  t.match(await ask(agent.id, ben.token), { end: { type: 'done' }, calls: [0, 1] })
  const usage = await server.call('GET', '/usage/summary', undefined, ben.token)
  t.ok(usage.totals.model_calls > 0, 'the guest pays')

  upstream.next(RATE_LIMITED, { text: 'from the fallback' })
  const fallen = await ask(agent.id, ben.token)
  t.match(fallen, { end: { type: 'done' }, calls: [0, 2] })
  t.equal(upstream.requests.at(-1)!.body.model, 'spare')

  const refused = { error: { code: 'PROVIDER_NOT_VISIBLE' } }
  const choose = (body: object) =>
    server.request('PATCH', `/agents/${agent.id}/threads/${fallen.thread_id}`, { token: ben.token, body })
  t.match(await choose({ model: CORP }), { status: 400, body: refused }, 'a model of his own choice')
  t.match(await choose({ model: MODEL }), { status: 200 })
  const socket = await chat.connect({ agent_id: agent.id, token: ben.token })
  socket.send({ type: 'user_turn', client_message_id: 'chosen', text: 'hello', model: CORP })
  t.match(await socket.until(({ type }) => type === 'error'), { code: 'PROVIDER_NOT_VISIBLE' })
  socket.close()

  await grantTo('cleo')
  const lost = await ask(agent.id, ann.token)
  t.match(lost, { end: { type: 'error', code: 'MODEL_DISABLED' }, calls: [0, 0] })
  t.match(
    await ask(agent.id, ben.token),
    { end: { type: 'done' }, calls: [1, 0] },
    'the active model is his own',
  )
})

t.test('A turn that waits for a person goes on with the model of the agent', async (t) => {
  await grantTo('ann')
  const agent = await createAgent(ann, {
    default_model: CORP,
    is_shared: true,
    config: { tools_with_approval: ['ls'] },
  })
  upstream.next({ toolCalls: [{ name: 'ls', arguments: {} }] }, { text: 'done' })
  const asked = upstream.requests.length
  const socket = await chat.connect({ agent_id: agent.id, token: ben.token })
  const { end } = await socket.ask({ text: 'list' }, () => [{ type: 'approve' }])
  t.match(end, { type: 'done' })
  t.equal(upstream.requests.length, asked + 2)
  socket.close()
})

t.test('The next call of a running turn is refused when the right is gone', async (t) => {
  const own = await createAgent(ben, { name: 'own' })
  const sharedAgent = await createAgent(ann, { default_model: CORP, is_shared: true })
  const cases = [
    { agent_id: own.id, model: CORP, has: ['ben'], title: 'by the right of the caller' },
    { agent_id: sharedAgent.id, has: ['ann'], title: 'by the right of the owner' },
  ]
  for (const { agent_id, model, has, title } of cases) {
    await grantTo(...has)
    const { hold, release } = createHold()
    const toolCalls = [{ name: 'ls', arguments: {} }]
    upstream.next({ text: ['I ', 'look'], toolCalls, hold, holdAfter: 1 })
    const asked = upstream.requests.length
    const socket = await chat.connect({ agent_id, token: ben.token })
    const turn = socket.ask({ text: 'hello', model })
    await socket.until(({ type }) => type === 'content')
    await grantTo('cleo')
    release()
    t.match((await turn).end, { type: 'error', code: 'PROVIDER_NOT_VISIBLE' }, title)
    t.equal(upstream.requests.length, asked + 1)
    socket.close()
  }
})

t.test('A conversation whose model is no longer for its account says so', async (t) => {
  await grantTo('ben')
  const agent = await createAgent(ben)
  const { thread_id } = await server.call('POST', `/agents/${agent.id}/threads`, {}, ben.token)
  await server.call('PATCH', `/agents/${agent.id}/threads/${thread_id}`, { model: CORP }, ben.token)
  t.match(await ask(agent.id, ben.token, { thread_id }), { end: { type: 'done' }, calls: [0, 1] })
  await share([])
  t.match(await ask(agent.id, ben.token, { thread_id }), {
    end: { type: 'error', code: 'MODEL_DISABLED' },
    calls: [0, 0],
  })
})

t.test('Without the provider of the active model an account has no model', async (t) => {
  const own = await createAgent(ben)
  await server.call('PUT', '/models/active', { model: CORP })
  await grantTo('ann')
  const active = (token: string) => server.call('GET', '/models/active', undefined, token)
  t.strictSame(await active(ann.token), { model: CORP })
  t.strictSame(await active(ben.token), { model: null })
  t.strictSame(await active(admin), { model: CORP })
  const agent = await createAgent(ann, { is_shared: true })
  t.match(await ask(agent.id, ann.token), { end: { type: 'done' }, calls: [0, 1] })
  const NO_MODEL = { end: { type: 'error', code: 'NO_MODEL' }, calls: [0, 0] }
  t.match(await ask(agent.id, ben.token), NO_MODEL)
  t.match(await ask(own.id, ben.token), NO_MODEL)
  const polish = await server.request('POST', `/agents/${own.id}/chat/polish`, {
    token: ben.token,
    body: { prompt: 'Make it good' },
  })
  t.match(polish, { status: 409, body: { error: { code: 'NO_MODEL' } } })
  const answer = await server.request('POST', '/v1/chat/completions', {
    token: ben.token,
    body: { model: own.id, messages: [{ role: 'user', content: 'hello' }] },
  })
  t.match([answer.status, answer.body.error.code], [409, 'NO_MODEL'])
  await server.call('PUT', '/models/active', { model: MODEL })
})

t.test('A schedule runs with a model as long as its account may use it', async (t) => {
  await grantTo('ben')
  const agent = await createAgent(ben)
  const path = `/agents/${agent.id}/cron`
  const body = { name: 'daily', prompt: 'Do it.', schedule: { every_seconds: 86_400 }, model: CORP }
  const { id } = await server.call('POST', path, body, ben.token)
  const run = async (count: number) => {
    await server.call('POST', `${path}/${id}/run-now`, {}, ben.token)
    return eventually('the run has ended', async () => {
      const runs = await server.call('GET', `${path}/${id}/runs`, undefined, ben.token)
      return runs.length === count && runs[0].ended_at !== null && runs[0]
    })
  }
  const asked = upstream.requests.length
  t.match(await run(1), { status: 'succeeded' })
  await share([])
  t.match(await run(2), { status: 'failed', error: { code: 'MODEL_DISABLED' } })
  t.equal(upstream.requests.length, asked + 1)
  const refused = await server.request('POST', path, { token: ben.token, body: { ...body, name: 'next' } })
  t.match(refused, { status: 400, body: { error: { code: 'PROVIDER_NOT_VISIBLE' } } })
})

t.test('The models that speak are those of their provider’s accounts', async (t) => {
  await server.call('PUT', '/models/defaults', { speech: 'corp:voice' })
  await grantTo('ann')
  const speak = async (token: string) => {
    const { body } = await server.request('GET', '/voice', { token })
    const defaults = await server.call('GET', '/models/defaults', undefined, token)
    return { offered: body.speech, speech: defaults.speech, disabled: defaults.disabled }
  }
  t.match(await speak(ann.token), { offered: true, speech: 'corp:voice' })
  t.strictSame(await speak(ben.token), { offered: false, speech: null, disabled: undefined })
  t.match(await server.request('POST', '/speech', { token: ben.token, body: { text: 'Good day' } }), {
    status: 409,
    body: { error: { code: 'MODEL_NOT_CHOSEN' } },
  })
  await server.call('PUT', '/models/defaults', { speech: null })
})

t.test('Another server learns of a change as well', async (t) => {
  await grantTo('ben')
  const second = await startServer(t, { home: server.home })
  const see = async () =>
    (await second.request('GET', '/models?limit=200', { token: ben.token })).body.some(
      ({ id }: { id: string }) => id === CORP,
    )
  t.ok(await see())
  await share([])
  await eventually('the model is gone', async () => !(await see()))
  await share([{ group: 'Team', access: 'use' }])
  await server.request('PUT', `/groups/${group.id}/members/ben`)
  await eventually('the model is back', see)
  await server.request('DELETE', `/groups/${group.id}/members/ben`)
  await eventually('the model is gone with the membership', async () => !(await see()))
})
