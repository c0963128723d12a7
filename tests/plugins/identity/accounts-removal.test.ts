import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { createHold, startChat } from '../../support/chat.ts'
import { startServer, type TestServer } from '../../support/server.ts'

/** The number of times that two administrators act on each other at once, in each way. */
const ROUNDS = amount({ short: 1, long: 8 })
/** The number of simultaneous deletions of one account. */
const DELETIONS = amount({ short: 4, long: 10 })

/** A plugin that fails to remove its data of one account. */
const STUBBORN = `export default {
  kernel: 1,
  name: 'stubborn', summary: 'Keeps an account', depends: ['users'],
  setup(host) {
    host.extend('users.removal', ({ username }) => { if (username === 'kept') throw new Error('not her') })
  },
}`

const { server, fake, connect, agent_id: shared_id } = await startChat(t, { plugins: { stubborn: STUBBORN } })

/** Signals between servers hold only ids, and later ones overwrite them. */
const TRANSIENT = 'signals'

/** Finds a text in the database and in the file names of the home. */
async function traces({ db, home }: TestServer, text: string): Promise<string[]> {
  // With their types, links to folders are not followed: one leads to this whole package.
  const locations = readdirSync(home, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => join(parentPath, name).slice(home.length))
    .filter((path) => path.includes(text))
  const collections = (await db.listCollections().toArray()).filter(({ name }) => name !== TRANSIENT)
  for (const { name } of collections)
    for await (const document of db.collection(name).find())
      if (JSON.stringify(document).includes(text)) locations.push(`${name}: ${JSON.stringify(document)}`)
  return locations
}

t.test('a deletion that a crash interrupted is finished, one that had not begun is not', async (t) => {
  const gone = await server.createUser({ username: 'gone' })
  const begun = await server.createUser({ username: 'begun' })
  const users = server.db.collection<{ _id: string }>('users')
  const deletions = server.db.collection<{ _id: string }>('user_deletions')
  await users.deleteOne({ _id: gone.id })
  for (const { id: _id, username } of [gone, begun])
    await deletions.insertOne({ _id, ...{ username, begun_at: 0 } })
  await server.restart()
  const { db } = server
  while ((await db.collection('user_deletions').countDocuments()) > 0)
    await new Promise((resolve) => setTimeout(resolve, 20))
  t.strictSame(await traces(server, gone.id), [])
  t.ok(await server.login('begun', begun.password))
})

t.test('a deletion that cannot be finished does not block others', async (t) => {
  t.teardown(() => server.db.collection('user_deletions').deleteMany())
  for (const username of ['kept', 'released']) {
    const { id: _id } = await server.createUser({ username })
    await server.db.collection<{ _id: string }>('users').deleteOne({ _id })
    await server.db
      .collection<{ _id: string }>('user_deletions')
      .insertOne({ _id, ...{ username, begun_at: 0 } })
  }
  await server.restart()
  const left = async () => (await server.db.collection('user_deletions').distinct('username')) as string[]
  while ((await left()).includes('released')) await new Promise((resolve) => setTimeout(resolve, 20))
  t.strictSame(await left(), ['kept'])
  while (!server.logged().includes('not her')) await new Promise((resolve) => setTimeout(resolve, 20))
})

t.test('an account whose creation a crash interrupted gets its assistant', async (t) => {
  const late = await server.createUser({ username: 'late' })
  const agents = () => server.db.collection('agents').countDocuments({ owner_id: late.id })
  await server.db.collection('agents').deleteMany({ owner_id: late.id })
  await server.db
    .collection<{ _id: string }>('users')
    .updateOne({ _id: late.id }, { $set: { creation_pending: true, created_at: 0 } })
  await server.restart()
  while ((await agents()) === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  t.match(await server.request('GET', '/users/late'), { status: 200 })
})

let second: TestServer
// Starts after the recovery tests, because it could do the recovery instead of the restarted server.
t.before(async () => {
  second = await startServer(t, { home: server.home })
})

t.test('a deleted account leaves nothing, in any collection or folder', async (t) => {
  const ann = await server.createUser({ username: 'ann', permissions: ['users'] })
  const carl = await server.createUser({ username: 'carl' })
  const asAnn = async (method: string, path: string, body?: object) => {
    const reply = await server.request(method, path, { token: ann.token, body })
    t.ok(reply.status < 300, `${method} ${path} ${JSON.stringify(reply.body)}`)
    return reply.body
  }

  const agent = await asAnn('POST', '/agents', { name: 'mine' })
  await asAnn('PATCH', `/agents/${agent.id}`, { is_shared: true })
  await server.request('PATCH', `/agents/${shared_id}`, { body: { is_shared: true } })
  writeFileSync(join(server.home, 'agents', agent.id, 'note.txt'), 'hers')
  await asAnn('POST', '/providers', {
    name: 'own',
    kind: 'openai-compatible',
    base_url: 'https://example.org/v1',
    models: [{ id: 'm' }],
    api_key: 'sk-ann',
  })
  if (server.server.runtime.blueprint.plugins.some(({ plugin }) => plugin.name === 'invites'))
    await asAnn('POST', '/users/invites', { note: 'from ann' })
  await server.request('POST', '/auth/login', {
    token: null,
    body: { username: 'ann', password: 'wrong-password-1' },
  })

  await asAnn('POST', '/prompts', { name: 'hers', text: 'Hello', shared: true })
  const { id: project_id } = await asAnn('POST', '/projects', { name: 'hers' })
  const own = await connect({ token: ann.token, agent_id: agent.id })
  const { thread_id: hers } = await own.ask({ text: 'hello', project_id })
  const guest = await connect({ token: carl.token, agent_id: agent.id })
  const { thread_id: his } = await guest.ask({ text: 'hello' })
  const visitor = await connect({ token: ann.token, agent_id: shared_id })
  const { thread_id: visit } = await visitor.ask({ text: 'hello' })
  fake.next({ text: ['a', 'b'], ...createHold(), holdAfter: 1 })
  visitor.say({ text: 'still running' })
  await visitor.until(({ type, content }) => type === 'content' && content === 'a')
  const elsewhere = await second.connect(`/agents/${agent.id}/chat/ws`, { token: ann.token })
  t.ok((await traces(server, ann.id)).length > 5, 'there is something to be removed')

  t.match(await server.request('DELETE', '/users/ann'), { status: 204, body: '' })
  const isLeft = (trace: string) => (location: string) => {
    // Usage of the agent by others stays in their accounts.
    if (location.startsWith('usage')) return trace === agent.id || trace === his
    return location.startsWith('audit_log') && trace !== ann.id
  }
  for (const trace of [ann.id, agent.id, hers, his, visit])
    t.strictSame(
      (await traces(server, trace)).filter((location) => !isLeft(trace)(location)),
      [],
    )
  t.notOk(existsSync(join(server.home, 'agents', agent.id)))
  for (const socket of [own, visitor, elsewhere]) t.match(await socket.closed, { code: 4401 })
  for (const { request } of [server, second])
    t.match(await request('GET', '/auth/me', { token: ann.token }), { status: 401 })
  await t.rejects(server.login('ann', ann.password))
  t.match(await server.request('DELETE', '/users/ann'), { status: 404 })
  t.equal((await server.request('GET', '/auth/me', { token: carl.token })).status, 200, 'others stay')

  const again = { username: 'ann', password: 'another-secret-2' }
  t.equal((await server.request('POST', '/users', { body: again })).status, 201, 'the name is free')
  const token = await server.login('ann', again.password)
  t.match(
    (await server.request('GET', '/agents', { token })).body.filter(
      (row: { is_owner: boolean }) => row.is_owner,
    ),
    [{ name: 'assistant' }],
  )
})

t.test('of several simultaneous deletions of one account, one succeeds', async (t) => {
  await server.createUser({ username: 'wanted' })
  const replies = await Promise.all(
    Array.from({ length: DELETIONS }, (_, index) =>
      (index % 2 ? server : second).request('DELETE', '/users/wanted'),
    ),
  )
  const statuses = replies.map(({ status }) => status).sort()
  t.strictSame(statuses, [204, ...Array.from({ length: DELETIONS - 1 }, () => 404)])
})

// Runs last, because it replaces the administrator whose token the other tests use.
t.test('the last enabled administrator remains, even when two disable each other at once', async (t) => {
  const { users } = server.server.runtime.cradleOf('users')
  const names = ['admin', 'ben']
  await server.createUser({ username: 'ben', role: 'admin' })
  const acts: [
    name: string,
    act: (node: TestServer, token: string, name: string) => Promise<{ status: number }>,
  ][] = [
    [
      'demote',
      (node, token, name) => node.request('PATCH', `/users/${name}`, { token, body: { role: 'user' } }),
    ],
    [
      'disable',
      (node, token, name) => node.request('PATCH', `/users/${name}`, { token, body: { enabled: false } }),
    ],
    ['delete', (node, token, name) => node.request('DELETE', `/users/${name}`, { token })],
  ]
  for (const [what, act] of acts)
    for (let round = 1; round <= ROUNDS; round++) {
      const tokens = await Promise.all(
        names.map((name) => server.login(name, name === 'ben' ? 'ben-password-1' : server.admin.password)),
      )
      const replies = await Promise.all([act(server, tokens[0]!, 'ben'), act(second, tokens[1]!, 'admin')])
      const statuses = replies.map(({ status }) => status)
      const left = await server.db.collection('users').find({ role: 'admin', enabled: true }).toArray()
      t.equal(left.length, 1, `${what}: one is left, ${statuses}`)
      t.equal(statuses.filter((status) => status < 300).length, 1, `${what}: one succeeded, ${statuses}`)
      for (const username of names) {
        const user = await users.findByUsername(username)
        if (user) await users.update(user._id, { role: 'admin', enabled: true })
        else
          await users.create({
            username,
            password: username === 'ben' ? 'ben-password-1' : server.admin.password,
            role: 'admin',
          })
      }
    }

  const ben = (await users.findByUsername('ben'))!
  await users.update(ben._id, { enabled: false })
  const admin = (await users.findByUsername('admin'))!
  await t.rejects(users.update(admin._id, { enabled: false }), { code: 'LAST_ADMINISTRATOR' })
  await t.rejects(users.remove(admin), { code: 'LAST_ADMINISTRATOR' })
})
