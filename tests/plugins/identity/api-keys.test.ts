import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { createHold, startChat } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { runCommand } from '../../support/kernel.ts'
import { readPages, startServer, type TestReply, type TestServer } from '../../support/server.ts'
import { connectSocket, type TestFrame } from '../../support/socket.ts'
import { readEvents } from '../../support/sse.ts'
import { startEditor } from '../reach/editor-run.ts'
import { start } from '../reach/terminal-run.ts'

const DAY = 86_400
/** The requests that a caller may send at once. */
const BURST = amount({ short: 150, long: 300 })

/** A plugin with a permission, and a tool that needs it. */
const vault = `
const text = { en: 'Vault', zh: '金库' }
export default {
  kernel: 1,
  name: 'vault', summary: 'A tool that needs a permission', depends: ['agents'],
  permissions: [{ key: 'vault', category: 'tools', label: text, description: text }],
  setup(host) {
    host.extend('agents.tools', {
      name: 'open_vault', label: text, description: 'Opens the vault', permission: 'vault', disableable: true,
      input_schema: { type: 'object', properties: { asks: { type: 'boolean' } } },
      needsApproval: ({ asks }) => asks === true,
      execute: () => 'opened',
    })
  },
}`

const clock = createTestClock()
const chat = await startChat(t, {
  clock,
  plugins: { vault },
  config: {
    limits: { requests_per_minute: 60, requests_burst: BURST },
    http: { trust_proxy: true },
    plugins: { auth: { access_token_ttl_seconds: 31_536_000 } },
  },
})
const { server, fake, agent_id } = chat
const second = await startServer(t, { home: server.home, clock })
const settings = {
  disabled_builtin: [],
  plugins: [{ plugin_id: 'vault', name: 'open_vault', enabled: true }],
}
await server.request('PUT', `/agents/${agent_id}/tool-settings`, { body: settings })

const ENDED = { code: 4401, reason: 'session ended' }
const AUTH_FAILED = { status: 401, code: 'AUTH_FAILED' }
const refusal = ({ status, body }: TestReply) => ({ status, code: body?.error?.code })
const me = (token: string, { request }: Pick<TestServer, 'request'> = server) =>
  request('GET', '/auth/me', { token })

/** Waits until a server has noticed what another process changed. */
const seeRefusal = (token: string, expected: { status: number; code: string }, node: TestServer) =>
  eventually(`${expected.code} of the other server`, async () => {
    const { status, code } = refusal(await me(token, node))
    return status === expected.status && code === expected.code
  })

let made = 0
/** Creates a key and returns the reply to its creation. */
const createKey = async (
  scopes: string[],
  { token, ...more }: { token?: string; [field: string]: unknown } = {},
) => {
  made += 1
  const body = await server.call('POST', '/auth/api-keys', { name: `key ${made}`, scopes, ...more }, token)
  return body as { id: string; name: string; key: string; expires_at: number | null }
}
const deleteKey = ({ id }: { id: string }, token?: string) =>
  server.request('DELETE', `/auth/api-keys/${id}`, { token })

/** Opens a socket with a token and waits until it answers. */
const open = async ({ url }: Pick<TestServer, 'url'>, token: string, agent = agent_id) => {
  const socket = await connectSocket(
    t,
    `${url.replace('http', 'ws')}/api/agents/${agent}/chat/ws?token=${token}`,
  )
  socket.send({ type: 'ping' })
  await socket.next('pong')
  return socket
}
const agentOf = async (token: string): Promise<string> =>
  (await server.request('GET', '/agents', { token })).body[0].id

t.test('A key is shown once, and stored as a hash', async (t) => {
  const { token } = await server.createUser({ username: 'ann', permissions: ['vault'] })
  const body = { name: 'build', scopes: ['chat', 'vault'], expires_in_days: 30 }
  const created = await server.request('POST', '/auth/api-keys', { token, body })
  t.equal(created.status, 201)
  const { key, ...row } = created.body
  t.match(key, new RegExp(`^svc_${row.id}_[0-9a-f]{64}$`))
  t.strictSame(Object.keys(row).sort(), ['created_at', 'expires_at', 'id', 'name', 'scopes'])
  t.equal(row.expires_at, row.created_at + 30 * DAY)
  const forever = await createKey(['read'], { token })
  t.equal(forever.expires_at, null)
  t.equal((await me(key)).status, 200)

  const [page, next] = await readPages(server, '/auth/api-keys?limit=1', { token })
  t.match([page!.body, next!.body], [[{ id: forever.id, last_used_at: null }], [row]], 'newest first')
  t.notOk('key' in page!.body[0])
  t.match((await me(token)).body.limits.api_keys, { used: 2, max: 20 })

  const collections = await server.db.listCollections().toArray()
  const stored = await Promise.all(collections.map(({ name }) => server.db.collection(name).find().toArray()))
  const secret = key.split('_').at(-1)
  const { stdout } = await runCommand(server.home, ['config', '--json'])
  for (const [name, text] of [
    ['the database', JSON.stringify(stored)],
    ['the log', server.logged()],
    ['svc config', stdout],
  ]) {
    t.ok(text!.length > 100)
    t.notOk(text!.includes(secret), `the secret is not in ${name}`)
  }
})

t.test('A key cannot exceed its account, whenever it is used', async (t) => {
  const { token, id } = await server.createUser({ username: 'bob', permissions: ['users'] })
  const create = (body: object) => server.request('POST', '/auth/api-keys', { token, body })
  const unknown = await create({ name: 'a', scopes: ['read', 'session', 'constructor'] })
  t.match(unknown, {
    status: 422,
    body: { error: { details: { issues: [{ path: '/scopes/1' }, { path: '/scopes/2' }] } } },
  })
  t.match(await create({ name: 'a', scopes: ['users', 'vault', 'admin'] }), {
    status: 403,
    body: { error: { code: 'FORBIDDEN', details: { missing: ['vault', 'admin'] } } },
  })
  for (const [field, value] of [
    ['scopes', []],
    ['scopes', ['read', 'read']],
    ['name', ' a'],
    ['name', 'a\n'],
    ['name', ''],
    ['name', 'a'.repeat(65)],
    ['expires_in_days', 0],
    ['expires_in_days', 366],
    ['key', 'x'],
  ] as const)
    t.match(await create({ name: 'a', scopes: ['read'], [field]: value }), {
      status: 422,
      body: { error: { details: { issues: [{ path: new RegExp(`^/${field}`) }] } } },
    })

  const { key } = await createKey(['users'], { token })
  const invite = () => server.request('POST', '/users/invites', { token: key, body: {} })
  t.equal((await invite()).status, 201)
  t.match(await server.request('PATCH', '/users/bob', { token: key, body: { email: 'b@example.org' } }), {
    status: 403,
    body: { error: { details: { scope: 'session' } } },
  })
  const { users } = server.server.runtime.cradleOf('users')
  await users.update(id, { permissions: [] })
  t.match(await invite(), { status: 403, body: { error: { details: { permission: 'users' } } } })
})

t.test('Names are unique within an account, and their number is limited', async (t) => {
  const { token } = await server.createUser({ username: 'cleo' })
  const create = (name: string) =>
    server.request('POST', '/auth/api-keys', { token, body: { name, scopes: ['read'] } })
  const answers = await Promise.all(Array.from({ length: 5 }, () => create('same')))
  t.equal(answers.filter(({ status }) => status === 201).length, 1)
  t.equal(answers.filter(({ body }) => body.error?.code === 'API_KEY_NAME_TAKEN').length, 4)
  for (let n = 1; n < 20; n += 1) t.equal((await create(`key-${n}`)).status, 201)
  t.match(await create('one more'), { status: 409, body: { error: { code: 'LIMIT_REACHED' } } })
  const { body } = await server.request('GET', '/auth/api-keys', { token })
  await deleteKey(body[0], token)
  t.equal((await create('one more')).status, 201)
})

t.test('A key is a bearer token of requests and sockets, and is never renewed', async (t) => {
  const { key } = await createKey(['chat'], { expires_in_days: 1 })
  clock.advance(DAY - 60)
  const { status, headers } = await me(key)
  t.equal(status, 200)
  t.equal(headers.get('x-access-token'), null)
  const url = `${server.url.replace('http', 'ws')}/api/agents/${agent_id}/chat/ws`
  for (const [query, protocols, authorization] of [
    [`?token=${key}`, [], undefined],
    ['', ['svc', `bearer.${key}`], undefined],
    ['', [], `Bearer ${key}`],
  ] as const) {
    const socket = await connectSocket(t, url + query, [...protocols], authorization ? { authorization } : {})
    t.equal(socket.webSocket.protocol, protocols[0] ?? '')
    socket.send({ type: 'ping' })
    t.ok(await socket.next('pong'))
  }
  const { key: reading } = await createKey(['read', 'write'])
  const refused = await open(server, reading).catch((error) => error)
  t.match(refused, { status: 403, body: { error: { details: { scope: 'chat' } } } })
})

t.test('Wrong keys are refused, and count against their address', async (t) => {
  const { key, id } = await createKey(['read'])
  const headers = { 'x-forwarded-for': '10.9.9.9' }
  const other = await createKey(['read'])
  const swapped = `svc_${id}_${other.key.split('_').at(-1)}`
  for (const token of [swapped, key.slice(0, -1), `${key}0`, key.toUpperCase(), `svc_${id}_`, 'svc', 'a.b'])
    t.strictSame(refusal(await server.request('GET', '/auth/me', { token, headers })), AUTH_FAILED, token)
  const call = () => server.request('GET', '/auth/me', { token: swapped, headers })
  const answers = await Promise.all(Array.from({ length: BURST + 20 }, call))
  const [answer] = answers.filter(({ status }) => status !== 401)
  t.strictSame(refusal(answer!), { status: 429, code: 'RATE_LIMITED' })
  t.equal((await server.request('GET', '/auth/me', { token: key, headers })).status, 200)
})

t.test('Deleting a key refuses its requests at once, and ends its connections everywhere', async (t) => {
  const { token } = await server.createUser({ username: 'dora' })
  const agent = await agentOf(token)
  const key = await createKey(['chat'], { token })
  const other = await createKey(['chat'], { token })
  const { body: thread } = await server.request('POST', `/agents/${agent}/threads`, { token: key.key })
  const path = `/api/agents/${agent}/threads/${thread.thread_id}/trajectory/stream`
  const streams = await Promise.all(
    [server, second].map(({ url }) => readEvents(t, url + path, { token: key.key })),
  )
  const sockets = await Promise.all([server, second].map((node) => open(node, key.key, agent)))
  const bystander = await open(second, other.key, agent)
  for (const node of [server, second]) t.equal((await me(key.key, node)).status, 200)
  t.equal((await deleteKey(key, token)).status, 204)
  t.strictSame(refusal(await me(key.key)), AUTH_FAILED)
  await seeRefusal(key.key, AUTH_FAILED, second)
  for (const socket of sockets) t.strictSame(await socket.closed, ENDED)
  for (const stream of streams) await stream.rest()
  bystander.send({ type: 'ping' })
  t.ok(await bystander.next('pong'))
  t.strictSame(refusal(await deleteKey(key, token)), { status: 404, code: 'NOT_FOUND' })
})

t.test('A key expires with its connections', async (t) => {
  const key = await createKey(['chat'], { expires_in_days: 2 })
  const sockets = await Promise.all([server, second].map((node) => open(node, key.key)))
  clock.advance(2 * DAY - 60)
  t.equal((await me(key.key)).status, 200)
  clock.advance(60)
  for (const node of [server, second])
    t.strictSame(refusal(await me(key.key, node)), { status: 401, code: 'TOKEN_EXPIRED' })
  for (const socket of sockets) t.strictSame(await socket.closed, ENDED)
  const { body } = await server.request('GET', '/auth/api-keys')
  t.match(
    body.find(({ id }: { id: string }) => id === key.id),
    { expires_at: key.expires_at },
    'its owner still sees it',
  )
})

t.test('A key rests while its account is disabled, and ends with it', async (t) => {
  const { token, id } = await server.createUser({ username: 'eric' })
  const agent = await agentOf(token)
  const { key } = await createKey(['chat'], { token })
  const sockets = await Promise.all([server, second].map((node) => open(node, key, agent)))
  const { users } = server.server.runtime.cradleOf('users')
  for (const node of [server, second]) t.equal((await me(key, node)).status, 200)
  await users.update(id, { enabled: false })
  t.strictSame(refusal(await me(key)), { status: 403, code: 'USER_DISABLED' })
  await seeRefusal(key, { status: 403, code: 'USER_DISABLED' }, second)
  for (const socket of sockets) t.strictSame(await socket.closed, ENDED)
  await users.update(id, { enabled: true })
  t.equal((await me(key)).status, 200)
  await eventually('the key works again', async () => (await me(key, second)).status === 200)
  const last = await open(second, key, agent)
  t.equal((await server.request('DELETE', '/users/eric')).status, 204)
  t.strictSame(refusal(await me(key)), AUTH_FAILED)
  await seeRefusal(key, AUTH_FAILED, second)
  // Deleting the agent may close the socket first.
  t.match((await last.closed).code, /^(4401|1008)$/)
  t.equal(await server.db.collection('api_keys').countDocuments({ user_id: id }), 0)
})

t.test('Keys survive a change of the password, but not its reset by a manager', async (t) => {
  const { token, id, password } = await server.createUser({ username: 'fay' })
  const { key } = await createKey(['read'], { token })
  const body = { old_password: password, new_password: 'another-secret-2' }
  t.equal((await server.request('POST', '/auth/change-password', { token, body })).status, 204)
  t.equal((await me(key)).status, 200)
  const { users } = server.server.runtime.cradleOf('users')
  await users.setPassword(id, 'another-secret-3', { must_change_password: true })
  t.strictSame(refusal(await server.request('GET', '/agents', { token: key })), {
    status: 403,
    code: 'PASSWORD_CHANGE_REQUIRED',
  })
  const reset = { new_password: 'another-secret-4' }
  t.equal((await server.request('POST', '/users/fay/reset-password', { body: reset })).status, 204)
  t.strictSame(refusal(await me(key)), AUTH_FAILED)
})

t.test('A key that is created while the password is reset does not survive it', async (t) => {
  const { token, id } = await server.createUser({ username: 'hal' })
  const { body: sessions } = await server.request('GET', '/auth/sessions', { token })
  const { users, passwordChanges } = server.server.runtime.cradleOf('auth')
  const { apiKeys } = server.server.runtime.cradleOf('api-keys')
  const { username, role, permissions, token_quota, budget, timezone } = (await users.find(id))!
  const rights = { role, permissions, groups: [], token_quota, budget, timezone, memory: true }
  const caller = { id, username, ...rights, locale: null, must_change_password: false }
  // As a request does whose guards have run before the reset.
  const create = (name: string) =>
    apiKeys.create({ ...caller, session_id: sessions[0].id }, { name, scopes: ['read'] })
  await create('before')
  await passwordChanges.reset(id, 'another-secret-2')
  await t.rejects(create('after'), { code: 'AUTH_FAILED' })
  t.equal(await server.db.collection('api_keys').countDocuments({ user_id: id }), 0)
})

t.test('The last use of a key is noted once a minute', async (t) => {
  const { key, id } = await createKey(['read'])
  const lastUse = async () => {
    const { apiKeys } = server.server.runtime.cradleOf('api-keys')
    await apiKeys.idle()
    const { body } = await server.request('GET', '/auth/api-keys')
    return body.find((row: { id: string }) => row.id === id).last_used_at
  }
  t.equal(await lastUse(), null)
  await me(key)
  const first = await lastUse()
  t.ok(first <= clock.seconds() && first > clock.seconds() - 60)
  clock.advance(50 - (clock.seconds() - first))
  await me(key)
  t.equal(await lastUse(), first)
  clock.advance(10)
  await me(key)
  t.ok((await lastUse()) >= first + 60)
})

t.test('The audit log names the keys that were created, and those that calls were made with', async (t) => {
  const { key, name, id } = await createKey(['chat'])
  await server.request('POST', `/agents/${agent_id}/threads`, { token: key })
  await server.request('PATCH', '/auth/me', { token: key, body: { display_name: 'Eve' } })
  await deleteKey({ id })
  const { body } = await server.request('GET', '/admin/audit-log?limit=4')
  t.match(body, [
    { action: 'auth.delete_api_key', target: id, payload: { name }, credential: null },
    { action: 'auth.update_profile', actor: 'admin', credential: name, status: 403 },
    { action: 'thread.create', actor: 'admin', credential: name, status: 201 },
    { action: 'auth.create_api_key', target: id, payload: { name, scopes: ['chat'] }, credential: null },
  ])
})

t.test('Operators list and delete the keys of an account by their names', async (t) => {
  const { token, id: user_id } = await server.createUser({ username: 'otto' })
  const { key, name } = await createKey(['chat'], { token, expires_in_days: 3 })
  const other = await createKey(['read'], { token })
  const svc = (...args: string[]) => runCommand(server.home, ['api-key', ...args])
  const { body } = await server.request('GET', '/auth/api-keys', { token })
  t.strictSame(JSON.parse((await svc('list', 'otto', '--json')).stdout), body)
  const { stdout: table } = await svc('list', user_id)
  t.match(table, new RegExp(`^name .*\\n${other.name} +read .* - +-\\n${name} +chat .*\\n$`))
  t.notMatch(table, key.split('_').at(-1)!)

  const agent = await agentOf(token)
  const socket = await open(server, key, agent)
  t.match(await svc('delete', 'Otto', name), {
    code: 0,
    stdout: `The API key "${name}" of otto was deleted.\n`,
  })
  t.match(await socket.closed, ENDED)
  t.strictSame(refusal(await me(key)), AUTH_FAILED)
  t.equal((await me(other.key)).status, 200)
  const unknown = [
    ['delete', 'otto', name],
    ['delete', 'nobody', name],
    ['list', 'nobody'],
  ]
  for (const args of unknown.slice(0, amount({ short: 1, long: 3 })))
    t.match(await svc(...args), { code: 1, stdout: '', stderr: /does not exist/ })
  const { body: rows } = await server.request('GET', '/admin/audit-log?action=auth.delete_api_key')
  t.match(
    rows.find(({ target }: { target: string }) => target === `Otto/${name}`),
    { actor: /^os:/, status: 0 },
  )
})

const CALL = { toolCalls: [{ id: 'call', name: 'open_vault', arguments: {} }] }
const offered = () => fake.requests.at(-1)!.body.tools?.map((tool) => tool.function.name) ?? []
const resultIn = (frames: readonly TestFrame[]) => frames.find(({ type }) => type === 'tool_result')
const opened = { output: 'opened', is_error: false }

t.test('A turn has the tools that its key allows', async (t) => {
  const { token, id } = await server.createUser({ username: 'gina', permissions: ['vault'] })
  const own = await agentOf(token)
  await server.request('PUT', `/agents/${own}/tool-settings`, { token, body: settings })
  const useWith = async (key: string) => {
    const socket = await chat.connect({ token: key, agent_id: own })
    fake.next(CALL, { text: 'done' })
    const { frames } = await socket.ask({ text: 'open it' })
    return { isOffered: offered().includes('open_vault'), result: resultIn(frames) }
  }
  const [plain, full] = [await createKey(['chat'], { token }), await createKey(['chat', 'vault'], { token })]
  t.match(await useWith(plain.key), { isOffered: false, result: { is_error: true } })
  t.match(await useWith(full.key), { isOffered: true, result: opened })
  const { users } = server.server.runtime.cradleOf('users')
  await users.update(id, { permissions: [] })
  t.match(await useWith(full.key), { isOffered: false, result: { is_error: true } })
})

t.test('A turn that waited in the queue keeps to its key', async (t) => {
  const { key } = await createKey(['chat'])
  const thread_id = await chat.createThread()
  const [session, keyed] = [await chat.connect(), await chat.connect({ token: key })]
  const { hold, release } = createHold()
  fake.next({ text: ['first ', 'second'], hold, holdAfter: 1 })
  session.say({ thread_id, text: 'go' })
  await session.until(({ content }) => content === 'first ')
  const [limited, unlimited] = [
    keyed.say({ thread_id, text: 'open it' }),
    (await keyed.until(({ type }) => type === 'turn_queued')) && session.say({ thread_id, text: 'open it' }),
  ]
  await session.until(
    ({ type, client_message_id }) => type === 'turn_queued' && client_message_id === unlimited,
  )
  fake.next(CALL, { text: 'no' }, CALL, { text: 'yes' })
  release()
  t.match(resultIn((await session.seeTurn(limited)).frames), { is_error: true })
  t.match(resultIn((await session.seeTurn(unlimited)).frames), opened)
})

t.test('A turn keeps to its key after a pause, whoever decides', async (t) => {
  const { key } = await createKey(['chat'])
  const keyed = await chat.connect({ token: key })
  const thread_id = await chat.createThread()
  const ask = { toolCalls: [{ id: 'ask', name: 'ask_user_question', arguments: { question: 'Really?' } }] }
  fake.next(ask, CALL, { text: 'done' })
  const sent = keyed.say({ thread_id, text: 'open it' })
  await keyed.seePause(sent)
  await server.restart()
  const decided = await chat.decide(thread_id, [{ type: 'respond', message: 'yes' }])
  t.equal(decided.status, 200)
  const frames = await decided.rest()
  const results = frames.filter(({ type }) => type === 'tool_result')
  t.match(results, [{ output: 'yes' }, { tool_call_id: 'call', is_error: true }], JSON.stringify(frames))
})

t.test('A key cannot allow a call that its own turns could not make', async (t) => {
  const [plain, full] = [await createKey(['chat']), await createKey(['chat', 'vault'])]
  const thread_id = await chat.createThread()
  const session = await chat.connect()
  fake.next({ toolCalls: [{ id: 'call', name: 'open_vault', arguments: { asks: true } }] }, { text: 'done' })
  await session.seePause(session.say({ thread_id, text: 'open it' }))
  const missing = { status: 403, body: { error: { code: 'FORBIDDEN', details: { scope: 'vault' } } } }
  const edited = { type: 'edit', edited_action: { name: 'open_vault', args: { asks: true } } }
  for (const decision of [{ type: 'approve' }, edited])
    t.match(await chat.decide(thread_id, [decision], { token: plain.key }), missing)
  const allow = (token: string) =>
    chat.threads('PATCH', `/${thread_id}`, { token, body: { allowed_tools: ['open_vault'] } })
  t.match(await allow(plain.key), missing)
  t.equal((await allow(full.key)).status, 200)
  const decided = await chat.decide(thread_id, [{ type: 'approve' }], { token: full.key })
  t.match(resultIn(await decided.rest()), opened)
})

t.test('svc chat and svc acp use the key in SVC_API_KEY, and store nothing', async (t) => {
  const { key } = await createKey(['chat'])
  const talk = async (SVC_API_KEY: string) => {
    const run = start(t, { url: server.url, message: 'Hello', env: { SVC_API_KEY, SVC_PASSWORD: '' } })
    const code = await run.code
    t.strictSame(readdirSync(run.home), [])
    return { code, ...run.written }
  }
  fake.next({ text: 'Hello yourself.' })
  t.match(await talk(key), { code: 0, stdout: 'Hello yourself.\n' })
  t.match(await talk(`${key.slice(0, -1)}x`), { code: 1, stdout: '', stderr: /not valid/ })

  const editor = await startEditor(t, { url: server.url, env: { SVC_API_KEY: key } })
  t.ok(await editor.begin())
  t.notOk(existsSync(join(editor.home, 'cli-session.json')))
})

// The tests below end sessions and run without the plugin.

t.test('Keys outlive a rotation of the secret of tokens', async (t) => {
  const { key } = await createKey(['read'])
  const { url } = server.server.runtime.blueprint.config.values.database
  const env: Record<string, string> = url ? { SVC_DATABASE_URL: url } : {}
  t.equal((await runCommand(server.home, ['admin', 'rotate-jwt-secret'], { env })).code, 0)
  await seeRefusal(server.admin.token, AUTH_FAILED, server)
  t.equal((await me(key)).status, 200)

  const path = join(server.home, 'config.json')
  const config = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(
    path,
    JSON.stringify({ ...config, plugins: { ...config.plugins, 'api-keys': { enabled: false } } }),
  )
  await server.restart()
  t.strictSame(refusal(await me(key)), AUTH_FAILED, 'without the plugin there are none')
})
