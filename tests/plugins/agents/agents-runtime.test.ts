import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from '../../run/file-test.ts'
import { startServer } from '../../support/server.ts'
import { nextChange, probePlugin, setProbe } from './agents-probe.ts'

const server = await startServer(t, { plugins: { probe: probePlugin } })
const ann = await server.createUser({ username: 'ann' })
t.afterEach(() => setProbe({}))

const call = (method: string, path: string, body?: object) =>
  server.request(method, path, { token: ann.token, body })
const agents = () => server.db.collection('agents')

const create = (body: object): Promise<{ id: string; state: string; last_error: string | null }> =>
  server.call('POST', '/agents', body, ann.token)

const stateOf = async (id: string) => (await call('GET', `/agents/${id}/status`)).body.state as string

/** Switches all global providers on or off. */
async function enableProviders(enabled: boolean): Promise<void> {
  const { body: providers } = await server.request('GET', '/admin/providers')
  for (const { id } of providers)
    await server.request('PATCH', `/admin/providers/${id}`, { body: { enabled } })
}

/** Has `agents.stopping` wait; returns a promise that it was called, and a function that lets it continue. */
function holdStopping() {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const reached = new Promise<{ agent_id: string; reason: string }>((resolve) => {
    setProbe({
      'agents.stopping': async (payload) => {
        resolve(payload)
        await held
      },
    })
  })
  return { reached, release }
}

/** An operation whose server has died. */
const abandoned = (name: string) => ({ id: 'lost', name, holder: 'a server that died', until: 1 })

t.test('An agent is stopped, started and reloaded', async (t) => {
  const { id, state } = await create({ name: 'worker' })
  t.equal(state, 'running')
  const reasons: string[] = []
  setProbe({ 'agents.stopping': ({ reason }) => reasons.push(reason) })

  t.strictSame(await call('POST', `/agents/${id}/stop`).then(({ status, body }) => [status, body]), [204, ''])
  t.equal(await stateOf(id), 'stopped')
  t.equal((await call('POST', `/agents/${id}/stop`)).status, 204, 'stopping again is no error')
  t.equal((await call('POST', `/agents/${id}/reload`)).status, 204)
  t.equal(await stateOf(id), 'stopped', 'a reload wakes no agent that was stopped')
  t.strictSame(reasons, ['stop'])

  await rm(join(server.home, 'agents', id), { recursive: true })
  t.equal((await call('POST', `/agents/${id}/start`)).status, 204)
  t.equal(await stateOf(id), 'running')
  t.ok(
    (await stat(join(server.home, 'agents', id))).isDirectory(),
    'a start makes the folder if it is missing',
  )
  t.equal((await call('POST', `/agents/${id}/start`)).status, 204, 'starting again is no error')
  t.equal((await call('POST', `/agents/${id}/reload`)).status, 204)
  t.equal(await stateOf(id), 'running')
  t.strictSame(reasons, ['stop', 'reload'])
  await call('DELETE', `/agents/${id}`)
  t.strictSame(reasons, ['stop', 'reload', 'delete'])
})

t.test('The status shows the activity', async (t) => {
  const { id } = await create({ name: 'status' })
  const model = (await call('GET', '/models/active')).body.model
  const { body } = await call('GET', `/agents/${id}/status`)
  t.match(body, { state: 'running', last_error: null, channels: [], turns_active: 0, model })
  t.type(body.since, 'number')
  const channel = { id: 'c', kind: 'telegram', name: 'Bot', state: 'connected' }
  setProbe({
    'agents.activity': ({ agent_id }) => {
      t.equal(agent_id, id)
      return { channels: [channel], turns_active: 2 }
    },
  })
  t.match((await call('GET', `/agents/${id}/status`)).body, { channels: [channel], turns_active: 2 })

  await call('POST', '/providers', { name: 'own', kind: 'demo', models: [{ id: 'mine' }] })
  await call('PATCH', `/agents/${id}`, { default_model: 'own:mine' })
  t.equal(
    (await call('GET', `/agents/${id}/status`)).body.model,
    'own:mine',
    'settings apply without a reload',
  )
  await call('DELETE', `/agents/${id}`)
})

t.test('While an operation is in progress, every other one is refused', async (t) => {
  const { id } = await create({ name: 'busy' })
  const { reached, release } = holdStopping()
  const reload = call('POST', `/agents/${id}/reload`)
  t.match(await reached, { agent_id: id, reason: 'reload' })
  t.equal(await stateOf(id), 'stopping')

  const others = await Promise.all(
    ['POST reload', 'POST reload', 'POST start', 'POST stop', 'DELETE '].map((operation) => {
      const [method, name] = operation.split(' ') as [string, string]
      return call(method, `/agents/${id}${name && `/${name}`}`)
    }),
  )
  for (const { status, body } of others) {
    t.equal(status, 409)
    t.match(body.error, { code: 'AGENT_BUSY', details: { operation: 'reload' }, message: /reload/ })
  }
  t.equal(
    (await call('PATCH', `/agents/${id}`, { description: 'now' })).status,
    200,
    'settings can be changed',
  )
  t.equal((await call('GET', `/agents/${id}`)).body.state, 'stopping')
  const { id: other } = await create({ name: 'free' })
  t.equal((await call('POST', `/agents/${other}/start`)).status, 204, 'another agent is not concerned')

  release()
  t.equal((await reload).status, 204)
  t.equal(await stateOf(id), 'running')
  t.equal((await call('POST', `/agents/${id}/reload`)).status, 204)
  for (const agent of [id, other]) await call('DELETE', `/agents/${agent}`)
})

t.test('Each of several parallel operations succeeds or is refused as busy', async (t) => {
  const { id } = await create({ name: 'crowd' })
  const names = ['reload', 'stop', 'start', 'reload', 'reload', 'start', 'stop', 'reload']
  const replies = await Promise.all(names.map((name) => call('POST', `/agents/${id}/${name}`)))
  t.ok(replies.some(({ status }) => status === 204))
  for (const { status, body } of replies)
    if (status !== 204) t.match({ status, body }, { status: 409, body: { error: { code: 'AGENT_BUSY' } } })
  t.equal((await agents().findOne({ _id: id as never }))?.operation, null, 'no operation is left behind')
  t.ok(['running', 'stopped'].includes(await stateOf(id)))
  await call('DELETE', `/agents/${id}`)
})

t.test('A failed stop is reported and leaves the agent failed but not busy', async (t) => {
  const { id } = await create({ name: 'stuck' })
  setProbe({
    'agents.stopping': () => {
      throw new Error('turns cannot be stopped')
    },
  })
  const { status, body } = await call('POST', `/agents/${id}/stop`)
  t.match({ status, body }, { status: 500, body: { error: { code: 'INTERNAL_ERROR' } } })
  t.notMatch(JSON.stringify(body), 'turns cannot be stopped')
  t.match((await call('GET', `/agents/${id}/status`)).body, { state: 'failed', last_error: /stop/ })
  setProbe({})
  t.equal((await call('POST', `/agents/${id}/start`)).status, 204)
  t.match((await call('GET', `/agents/${id}/status`)).body, { state: 'running', last_error: null })
  await call('DELETE', `/agents/${id}`)
})

t.test('A start without a model or a folder fails with a reason', async (t) => {
  const { id } = await create({ name: 'helpless' })
  const active = await server.db.collection('model_settings').findOne({})
  await enableProviders(false)
  t.equal((await call('POST', `/agents/${id}/reload`)).status, 204)
  t.match((await call('GET', `/agents/${id}/status`)).body, {
    state: 'failed',
    last_error: /No model/,
    model: null,
  })
  const created = await create({ name: 'born-failed' })
  t.match(created, { state: 'failed', last_error: /No model/ })
  t.ok(active, 'a model is active, but its provider is off')

  await enableProviders(true)
  await server.restart()
  t.equal(await stateOf(id), 'running', 'what only wanted a model runs again before the server answers')
  t.equal(await stateOf(created.id), 'running')

  const folder = join(server.home, 'agents', id)
  await rm(folder, { recursive: true })
  await writeFile(folder, 'in the way')
  t.equal((await call('POST', `/agents/${id}/reload`)).status, 204)
  t.match((await call('GET', `/agents/${id}/status`)).body, { state: 'failed', last_error: /folder.*EEXIST/ })
  await rm(folder)
  t.equal((await call('POST', `/agents/${id}/start`)).status, 204)
  t.equal(await stateOf(id), 'running')
  for (const agent of [id, created.id]) await call('DELETE', `/agents/${agent}`)
})

t.test('A restart keeps the states of agents', async (t) => {
  const running = await create({ name: 'stays-up' })
  const stopped = await create({ name: 'stays-down' })
  const broken = await create({ name: 'breaks' })
  await call('POST', `/agents/${stopped.id}/stop`)
  const { body: earlier } = await call('GET', `/agents/${running.id}/status`)
  for (const { id } of [running, broken]) await rm(join(server.home, 'agents', id), { recursive: true })
  await writeFile(join(server.home, 'agents', broken.id), 'in the way')

  const noticed = nextChange(({ agent_id }) => agent_id === broken.id)
  await server.restart()
  t.equal(await stateOf(running.id), 'running')
  t.equal((await call('GET', `/agents/${running.id}/status`)).body.since, earlier.since)
  t.equal(await stateOf(stopped.id), 'stopped')
  await noticed
  t.match((await call('GET', `/agents/${broken.id}/status`)).body, { state: 'failed', last_error: /folder/ })
  t.ok((await readdir(join(server.home, 'agents'))).includes(running.id), 'its folder is there again')

  await rm(join(server.home, 'agents', broken.id))
  const mended = nextChange(({ agent_id }) => agent_id === broken.id)
  await server.restart()
  await mended
  t.equal(await stateOf(broken.id), 'running', 'what failed is tried again')
  for (const { id } of [running, stopped, broken]) await call('DELETE', `/agents/${id}`)
})

t.test('A server that starts recovers operations of others', async (t) => {
  const cases = [
    ['start', 'starting', 'running'],
    ['start', 'running', 'running'],
    ['stop', 'stopping', 'stopped'],
    ['reload', 'stopping', 'running'],
    ['reload', 'starting', 'running'],
    ['delete', 'stopping', undefined],
  ] as const
  const orphans = await Promise.all(
    cases.map(async ([operation, state, after]) => {
      const { id } = await create({ name: `${operation} at ${state}` })
      return { id, operation, state, after }
    }),
  )
  const { id: held } = await create({ name: 'held' })
  const alive = { ...abandoned('stop'), until: Math.floor(Date.now() / 1000) + 60 }

  const awaited = new Set(orphans.map(({ id, after }) => `${after ? 'changed' : 'deleted'} ${id}`))
  const recovered = new Promise<void>((resolve) => {
    const tell = (event: string) => {
      awaited.delete(event)
      if (awaited.size === 0) resolve()
    }
    setProbe({
      'agent.changed': ({ agent_id }) => tell(`changed ${agent_id}`),
      'agents.removal': ({ agent_id }) => tell(`deleted ${agent_id}`),
    })
  })
  const leave = (id: string, state: string, operation: object) =>
    agents().updateOne({ _id: id as never }, { $set: { state, operation } })
  await leave(held, 'stopping', alive)
  for (const { id, operation, state } of orphans) await leave(id, state, abandoned(operation))
  await server.restart()
  await recovered

  await t.test('What a server that died had begun is finished by the next', async (t) => {
    for (const { id, operation, state, after } of orphans) {
      if (after === undefined) {
        // The row goes right after the event.
        for (let agent: object | null = {}; agent; ) agent = await agents().findOne({ _id: id as never })
        t.equal((await call('GET', `/agents/${id}`)).status, 404, `${operation} is carried through`)
      } else {
        t.equal(await stateOf(id), after, `${operation} that got as far as ${state} ends in ${after}`)
        t.equal((await call('DELETE', `/agents/${id}`)).status, 204)
      }
    }
  })

  await t.test('An operation whose server is alive is left to it', async (t) => {
    t.match(await call('POST', `/agents/${held}/start`), {
      status: 409,
      body: { error: { details: { operation: 'stop' } } },
    })
    t.strictSame((await agents().findOne({ _id: held as never }))?.operation, alive)
    await agents().updateOne({ _id: held as never }, { $set: { operation: null } })
    await call('DELETE', `/agents/${held}`)
  })
})

t.test('A second server on the same database shares operations and disturbs nothing', async (t) => {
  const { id } = await create({ name: 'shared-between' })
  const stored = await agents().find().sort({ _id: 1 }).toArray()
  const { reached, release } = holdStopping()
  const reload = call('POST', `/agents/${id}/reload`)
  await reached
  const second = await startServer(t, { home: server.home })
  t.match(await second.request('POST', `/agents/${id}/stop`), {
    status: 409,
    body: { error: { code: 'AGENT_BUSY' } },
  })
  release()
  t.equal((await reload).status, 204)
  await second.stop()
  const after = await agents().find().sort({ _id: 1 }).toArray()
  const steady = (documents: object[]) => documents.map((document) => ({ ...document, state_since: 0 }))
  t.strictSame(steady(after), steady(stored))
  await call('DELETE', `/agents/${id}`)
})

t.test('A deletion first asks plugins, then removes row and folder', async (t) => {
  const { id } = await create({ name: 'doomed' })
  const folder = join(server.home, 'agents', id)
  await mkdir(join(folder, 'deep/er'), { recursive: true })
  await writeFile(join(folder, 'deep/er/file'), 'x')
  const socket = await server.connect(`/agents/${id}/echo`, { token: ann.token })
  const calls: string[] = []
  setProbe({
    'agents.stopping': ({ reason }) => calls.push(reason),
    'agents.removal': async ({ agent_id, owner_id }) => {
      calls.push('deleted')
      t.strictSame({ agent_id, owner_id }, { agent_id: id, owner_id: ann.id })
      t.ok(await agents().findOne({ _id: id as never }), 'the row is still there')
      t.ok(await stat(folder), 'and so is the folder')
    },
  })
  t.equal((await call('DELETE', `/agents/${id}`)).status, 204)
  t.strictSame(calls, ['delete', 'deleted'])
  await t.rejects(stat(folder), { code: 'ENOENT' })
  t.match(await socket.closed, { code: 1008, reason: 'AGENT_NOT_FOUND' })
})

t.test('A deletion that fails halfway is repeated, not undone', async (t) => {
  const { id } = await create({ name: 'half-gone' })
  setProbe({
    'agents.removal': () => {
      throw new Error('data cannot be removed')
    },
  })
  t.equal((await call('DELETE', `/agents/${id}`)).status, 500)
  t.match(await call('POST', `/agents/${id}/start`), {
    status: 409,
    body: { error: { details: { operation: 'delete' } } },
  })
  await agents().updateOne({ _id: id as never }, { $set: { 'operation.until': 1 } })
  setProbe({})
  // The job that recovers operations may come first.
  const { status } = await call('DELETE', `/agents/${id}`)
  t.ok([204, 404, 409].includes(status), `answered ${status}`)
  while ((await call('GET', `/agents/${id}`)).status !== 404) await pause(20)
})

t.test('A folder that cannot be removed does not keep the agent', async (t) => {
  const { id } = await create({ name: 'sticky' })
  const folders = join(server.home, 'agents')
  await rename(folders, `${folders}-aside`)
  await writeFile(folders, 'no folder at all')
  t.equal((await call('DELETE', `/agents/${id}`)).status, 204)
  t.equal((await call('GET', `/agents/${id}`)).status, 404)
  t.equal(await agents().findOne({ _id: id as never }), null)
  t.match(server.logged(), /workspace folder of a deleted agent could not be removed/)
  await rm(folders)
  await rename(`${folders}-aside`, folders)
})

t.test('An account is deleted with all its agents, including busy ones', async (t) => {
  const leaving = await server.createUser({ username: 'leaving' })
  const own = (method: string, path: string, body?: object) =>
    server.request(method, path, { token: leaving.token, body })
  const { id } = (await own('POST', '/agents', { name: 'second' })).body
  const { reached, release } = holdStopping()
  const reload = own('POST', `/agents/${id}/reload`)
  await reached
  const deleted: string[] = []
  setProbe({ 'agents.removal': ({ agent_id }) => deleted.push(agent_id) })
  const ids = (await agents().find({ owner_id: leaving.id }).toArray()).map(({ _id }) => String(_id))
  t.equal(ids.length, 2)
  await server.server.runtime.extensions['users.removal'].ask({
    user_id: leaving.id,
    username: leaving.username,
  })
  release()
  await reload
  t.strictSame(deleted.sort(), ids.sort())
  t.equal(await agents().countDocuments({ owner_id: leaving.id }), 0)
  const folders = await readdir(join(server.home, 'agents'))
  t.notOk(folders.some((name) => ids.includes(name)))
  t.equal((await call('GET', '/agents/assistant')).status, 200, 'others keep theirs')
})

t.test('A provider that agents refer to is not deleted', async (t) => {
  const made = await call('POST', '/providers', { name: 'needed', kind: 'demo', models: [{ id: 'm:1' }] })
  await call('POST', '/providers', { name: 'needed-not', kind: 'demo', models: [{ id: 'm' }] })
  const { id } = await create({ name: 'referrer', default_model: 'needed:m:1' })
  const refused = await call('DELETE', `/providers/${made.body.id}`)
  t.match(refused, { status: 409, body: { error: { code: 'PROVIDER_REFERENCED' } } })
  t.strictSame(refused.body.error.details.agents, [{ id, name: 'referrer' }])
  const rows: { id: string; name: string }[] = (await call('GET', '/providers')).body
  const other = rows.find(({ name }) => name === 'needed-not')!
  t.equal(
    (await call('DELETE', `/providers/${other.id}`)).status,
    204,
    'a name that only begins alike is another',
  )
  await call('PATCH', `/agents/${id}`, { default_model: null })
  t.equal((await call('DELETE', `/providers/${made.body.id}`)).status, 204)

  const global = await server.request('POST', '/admin/providers', {
    body: { name: 'all', kind: 'demo', models: [{ id: 'm' }] },
  })
  await call('PATCH', `/agents/${id}`, { default_model: 'all:m' })
  const kept = await server.request('DELETE', `/admin/providers/${global.body.id}`)
  t.match(kept, { status: 409, body: { error: { details: { agents: [{ id, name: 'referrer' }] } } } })
  await call('DELETE', `/agents/${id}`)
  t.equal((await server.request('DELETE', `/admin/providers/${global.body.id}`)).status, 204)
})

t.test('Actions on agents are audited', async (t) => {
  const { id } = await create({ name: 'watched' })
  await call('PATCH', `/agents/${id}`, { description: 'd' })
  for (const name of ['stop', 'start', 'reload', 'read']) await call('POST', `/agents/${id}/${name}`)
  await call('DELETE', `/agents/${id}`)
  const actions = ['create', 'update', 'stop', 'start', 'reload', 'delete']
  const records = await server.db.collection('audit_log').find({ target: id }).sort({ _id: 1 }).toArray()
  t.strictSame(
    records.map(({ action }) => action),
    actions.map((action) => `agent.${action}`),
  )
})
