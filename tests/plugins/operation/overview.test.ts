import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { createIds } from '../../../kernel/ids.ts'
import type { AgentDocument } from '../../../plugins/agents/agents/types.ts'
import type { ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import { createTurnLeases } from '../../../plugins/conversations/chat/turns/turn-leases.ts'
import type { UserDocument } from '../../../plugins/identity/users/types.ts'
import type { NodeDocument } from '../../../plugins/operation/signals/types.ts'
import t from '../../run/file-test.ts'
import { isLong, onlyLong } from '../../run/tier.ts'
import { chatUrl, connectChat, createHold, startChat } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { createHome, pluginSource, runCommand } from '../../support/kernel.ts'
import { databaseEnvironment, startServer, type TestServer } from '../../support/server.ts'
import { spawnService } from '../../support/service-process.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'

const NOTHING = {
  agent_count: 0,
  agents: { running: 0, stopped: 0, starting: 0, failed: 0 },
  threads: 0,
  turns_active: 0,
  channels: { connected: 0, failed: 0 },
}

const clock = createTestClock()
const chat = await startChat(t, { clock })
const { server, fake } = chat
const { facts } = server.server.runtime

const read = ({ call }: Pick<TestServer, 'call'>) => call('GET', '/admin/overview')

const nodeIds = async (server: TestServer): Promise<string[]> =>
  (await read(server)).nodes.map(({ id }: { id: string }) => id)
const idOf = ({ server }: TestServer) => server.runtime.facts.node_id
const nodesIn = ({ db }: TestServer) => db.collection<NodeDocument>('nodes')

/** Runs `svc admin overview` on a home and returns its output. */
async function svc(home: string, ...options: string[]): Promise<string> {
  const env = databaseEnvironment(home)
  const { code, stdout, stderr } = await runCommand(home, ['admin', 'overview', ...options], { env })
  if (code !== 0) throw new Error(`svc admin overview ended with ${code}: ${stderr}`)
  return stdout
}

t.test('svc admin overview shows the same as the route', async (t) => {
  await server.createUser({ username: 'ann' })
  t.teardown(() => server.request('DELETE', '/users/ann'))
  const withoutSeen = ({ nodes, process: _, ...others }: { nodes: NodeDocument[]; process?: object }) => ({
    ...others,
    nodes: nodes.map(({ seen_at: _, ...node }) => node),
  })
  const answer = await read(server)
  t.strictSame(withoutSeen(JSON.parse(await svc(server.home, '--json'))), withoutSeen(answer))
  t.equal(await nodesIn(server).countDocuments(), 1, 'a command is no node')

  const lines = (await svc(server.home)).split('\n')
  const since = new Date(answer.started_at * 1000).toISOString().slice(0, 19)
  t.match(lines, [
    `version        ${answer.version} (${answer.commit})`,
    `running since  ${since}Z`,
    'users          2',
    'tokens used    0',
    'agents         2 (2 running)',
    'threads        0',
    'active turns   0',
    'channels       0 connected, 0 failed',
    /^stored {9}conversations \d+\.\d MB, usage \d+\.\d MB, audit \d+\.\d MB, workspaces \d+\.\d MB, documents 0\.0 MB$/,
    'last backup    never',
    '',
    /^node {34}host +pid +version +started +seen$/,
    new RegExp(
      `^${idOf(server)}  \\S+ +${process.pid} +${answer.version} \\(${answer.commit}\\) +${since}Z  \\S+Z$`,
    ),
    '',
    /^plugin +version +state$/,
    /^users +\S+ +running$/,
  ])
})

t.test('The overview counts what there is', async (t) => {
  const { nodes, bytes, process: answering, ...figures } = await read(server)
  t.ok(answering.memory_bytes > 10_000_000)
  t.equal(answering.failed_requests, 0)
  t.match(bytes, { conversations: 0, usage: 0, documents: 0 })
  t.ok(bytes.audit > 0 && bytes.workspaces > 0)
  t.equal(nodes.length, 1)
  t.match(nodes, [{ id: facts.node_id, host: hostname(), pid: process.pid, seen_at: Number }])
  t.strictSame(figures, {
    ...NOTHING,
    user_count: 1,
    agent_count: 1,
    agents: { ...NOTHING.agents, running: 1 },
    tokens_used: 0,
    last_backup_at: null,
    started_at: facts.started_at,
    version: facts.version,
    commit: facts.commit,
    plugins: facts.plugins().map(({ name, version, state }) => ({ name, version, state })),
  })

  await t.test('accounts and their tokens', async (t) => {
    const ann = await server.createUser({ username: 'ann' })
    const users = server.db.collection<UserDocument>('users')
    await users.updateOne({ username: 'admin' }, { $set: { tokens_used: 3_000_000_000 } })
    await users.updateOne({ _id: ann.id }, { $set: { tokens_used: 12 } })
    t.match(await read(server), {
      user_count: 2,
      tokens_used: 3_000_000_012,
      agent_count: 2,
      agents: { running: 2 },
    })
  })

  await t.test('agents of all owners in each state', async (t) => {
    const create = async (name: string) =>
      (await server.request('POST', '/agents', { body: { name } })).body.id as string
    const stopped = await create('stopped')
    await server.request('POST', `/agents/${stopped}/stop`)
    const agents = server.db.collection<AgentDocument>('agents')
    for (const [name, state] of [
      ['starts elsewhere', 'starting'],
      ['stops elsewhere', 'stopping'],
    ] as const) {
      const operation = { id: name, name: 'reload', holder: 'another', until: 4_000_000_000 } as const
      await agents.updateOne({ _id: await create(name) }, { $set: { state, operation } })
    }
    const { body: providers } = await server.request('GET', '/admin/providers')
    const enable = async (enabled: boolean) => {
      for (const { id } of providers)
        await server.request('PATCH', `/admin/providers/${id}`, { body: { enabled } })
    }
    await enable(false)
    for (const name of ['one', 'two', 'three']) await create(name)
    await enable(true)

    const { agent_count, agents: states } = await read(server)
    t.strictSame(states, { running: 2, stopped: 2, starting: 1, failed: 3 })
    t.equal(agent_count, 8)
    t.equal(agent_count, await agents.countDocuments())

    await server.request('DELETE', `/agents/${stopped}`)
    t.match(await read(server), { agent_count: 7, agents: { stopped: 1 } })
  })

  await t.test('threads, without those that are being removed', async (t) => {
    const [gone, hidden] = [await chat.createThread(), await chat.createThread()]
    await chat.createThread()
    t.equal((await read(server)).threads, 3)
    await chat.threads('DELETE', `/${gone}`)
    t.equal((await read(server)).threads, 2)
    const { chat: service, threads } = server.server.runtime.cradleOf('chat')
    t.strictSame(await threads.hide({ _id: hidden }), [hidden])
    t.equal((await read(server)).threads, 1)
    await service.purge([hidden])
  })
})

t.test('Only administrators are shown the overview', async (t) => {
  const plain = await server.createUser({ username: 'plain' })
  const manager = await server.createUser({ username: 'manager', permissions: ['users'] })
  const get = async (token: string | null) => {
    const { status, body } = await server.request('GET', '/admin/overview', { token })
    return [status, body.error?.code]
  }
  t.strictSame(await get(plain.token), [403, 'FORBIDDEN'])
  t.strictSame(await get(manager.token), [403, 'FORBIDDEN'])
  t.strictSame(await get(null), [401, 'AUTH_FAILED'])
  const second = await server.createUser({ username: 'second', role: 'admin' })
  t.strictSame(await get(second.token), [200, undefined])
})

t.test('Disabled plugins count nothing, and are listed with failed ones', async (t) => {
  const lame = pluginSource('lame', '', `start() { throw new Error('too lame') },`)
  const without = (name: string) =>
    startServer(t, {
      config: { plugins: { [name]: { enabled: false } } },
      plugins: { lame },
    })
  const statesOf = ({ plugins }: { plugins: { name: string; state: string }[] }) =>
    Object.fromEntries(plugins.map(({ name, state }) => [name, state]))

  const withoutAgents = await read(await without('agents'))
  t.match(withoutAgents, { ...NOTHING, user_count: 1 })
  t.match(statesOf(withoutAgents), {
    overview: 'running',
    agents: 'disabled',
    chat: 'disabled',
    lame: 'failed',
  })

  if (!isLong) return
  const withoutChat = await read(await without('chat'))
  t.match(withoutChat, { agent_count: 1, threads: 0, turns_active: 0 })
  t.match(statesOf(withoutChat), { agents: 'running', chat: 'disabled', lame: 'failed' })
})

t.test('Servers on one database are listed and their turns counted while they run', async (t) => {
  const spawned = isLong ? await spawnService(t, server.home) : undefined
  const pid = spawned?.pid ?? (await leaveKilledNode())

  await t.test('turns while they run, whichever server runs them', { skip: onlyLong }, async (t) => {
    const holds = [createHold(), createHold()]
    fake.next(...holds.map(({ hold }) => ({ text: ['half ', 'said'], hold, holdAfter: 1 })))
    const sockets = [
      await chat.connect(),
      await connectChat(t, chatUrl(spawned!.url, chat.agent_id, server.admin.token)),
    ]
    const turns: (() => Promise<unknown>)[] = []
    for (const [index, socket] of sockets.entries()) {
      const sent = socket.say({ thread_id: await chat.createThread(), text: 'talk' })
      await socket.until(({ content }) => content === 'half ')
      t.equal((await read(server)).turns_active, index + 1)
      turns.push(() => socket.seeTurn(sent))
    }
    const headers = { authorization: `Bearer ${server.admin.token}` }
    t.match(await (await fetch(`${spawned!.url}/api/admin/overview`, { headers })).json(), {
      turns_active: 2,
    })

    const threads = server.db.collection<ThreadDocument>('threads')
    const clock = createTestClock()
    const later = createTurnLeases({ threads, clock, ids: createIds(), node_id: facts.node_id })
    t.equal(await later.countLive(), 2)
    clock.advance(60)
    t.equal(await later.countLive(), 0, 'those whose servers have gone silent run no more')

    for (const [index, see] of turns.entries()) {
      holds[index]!.release()
      await see()
      t.equal((await read(server)).turns_active, 1 - index)
    }
  })

  await t.test('a killed one disappears after 15 s without a heartbeat', async (t) => {
    const { nodes } = await read(server)
    t.same(new Set(nodes.map(({ pid }: NodeDocument) => pid)), new Set([process.pid, pid]))
    await spawned?.kill()
    // The database removes it as well, but by a clock that the test does not move.
    t.teardown(() => nodesIn(server).deleteOne({ pid }))
    clock.advance(16)
    const now = clock.seconds()
    const { nodes: left } = await read(server)
    t.strictSame(
      left.map(({ id }: { id: string }) => id),
      [idOf(server)],
    )
    t.ok(left[0].seen_at >= now)
    const removal = { key: { delete_at: 1 }, expireAfterSeconds: 0 }
    t.match(await nodesIn(server).indexes(), [{ key: { _id: 1 } }, removal])
  })

  const oneOnly = await nodesIn(server).createIndex({ pid: 1 }, { unique: true })
  const other = await startServer(t, { home: server.home, clock })

  await t.test('a heartbeat that fails is logged and does no harm to the next ones', async (t) => {
    t.match(other.logged(), /the heartbeat of this server failed/)
    t.strictSame(await nodesIn(server).findOne({ _id: idOf(other) }), null)
    t.ok((await nodeIds(other)).includes(idOf(other)), 'the one that answers is always listed')

    await nodesIn(server).dropIndex(oneOnly)
    clock.advance(100)
    const now = clock.seconds()
    await beatSince(server, now)
    const beat = await beatSince(other, now)
    t.equal(beat.delete_at.getTime(), (beat.seen_at + 15) * 1000)
    t.strictSame(await nodeIds(server), [idOf(server), idOf(other)])
  })

  await t.test('a stopped one disappears at once', async (t) => {
    const both = [idOf(server), idOf(other)]
    t.strictSame(await nodeIds(server), both, 'the longest running comes first')
    t.strictSame(await nodeIds(other), both)
    t.equal((await read(other)).started_at, other.server.runtime.facts.started_at)
    t.equal((await read(server)).started_at, facts.started_at)
    await other.stop()
    t.strictSame(await nodeIds(server), [idOf(server)])
  })
})

/** Leaves the entry of a server whose process was killed; returns the number of that process. */
async function leaveKilledNode(): Promise<number> {
  const own = (await nodesIn(server).findOne({ _id: idOf(server) }))!
  const pid = process.pid + 1
  await nodesIn(server).insertOne({ ...own, _id: 'killed', pid })
  return pid
}

/** Waits for a heartbeat of a server at or after a time. */
async function beatSince(server: TestServer, seconds: number): Promise<NodeDocument> {
  for (;;) {
    const node = await nodesIn(server).findOne({ _id: idOf(server), seen_at: { $gte: seconds } })
    if (node) return node
    await pause(100)
  }
}

t.test('svc admin overview works before the first start', async (t) => {
  t.match(JSON.parse(await svc(createHome(t, { database: { url: await createDatabaseUrl(t) } }), '--json')), {
    ...NOTHING,
    user_count: 0,
    tokens_used: 0,
    started_at: null,
    nodes: [],
  })
})

// Must come last, because it stops the server of all tests.
t.test('svc admin overview shows what is stored without a server', async (t) => {
  const answer = await read(server)
  await server.stop()
  const { started_at, nodes, ...figures } = JSON.parse(await svc(server.home, '--json'))
  t.strictSame({ started_at, nodes }, { started_at: null, nodes: [] })
  const { started_at: _, nodes: __, process: ___, ...earlierFigures } = answer
  const { running, starting, stopped, failed } = earlierFigures.agents
  t.ok(running > 0)
  t.strictSame(figures, {
    ...earlierFigures,
    agents: { running: 0, starting: 0, stopped: running + starting + stopped, failed },
    turns_active: 0,
    channels: { ...earlierFigures.channels, connected: 0 },
  })
  const text = await svc(server.home)
  t.match(text, /^running since {2}no server is running$/m)
  t.notMatch(text, /agents +\d+ \(.*running/)
})

t.test('Counts of several plugins add up, and their lists follow each other', async (t) => {
  const countingPlugin = (name: string, counts: string, activity: string) => `export default {
    kernel: 1, name: '${name}', summary: 'Counts', setup(host) {
      host.extend('overview.counts', async () => (${counts}))
      host.extend('agents.activity', () => (${activity}))
    } }`
  const server = await startServer(t, {
    plugins: {
      north: countingPlugin(
        'north',
        '{ turns_active: 2, channels: { connected: 1, failed: 2 } }',
        "{ turns_active: 2, channels: [{ id: 'n', kind: 'fax', name: 'North', state: 'connected' }] }",
      ),
      south: countingPlugin(
        'south',
        '{ threads: 5, turns_active: 3, agents: { running: 4 }, channels: { connected: 10, failed: 20 } }',
        "{ turns_active: 3, channels: [{ id: 's', kind: 'fax', name: 'A South', state: 'failed' }] }",
      ),
      silent: countingPlugin('silent', 'undefined', 'undefined'),
      yearly: `export default {
        kernel: 1, name: 'yearly', summary: 'Quotas by year', setup(host) {
          host.extend('usage.quota_window', () => 'year')
        } }`,
    },
  })
  const { agents, agent_count, threads, turns_active, channels, plugins } = await read(server)
  t.match(
    plugins.find(({ name }: { name: string }) => name === 'yearly'),
    { state: 'failed' },
    'a point that takes one answer refuses a second one',
  )
  t.strictSame([agents, agent_count], [{ running: 5, stopped: 0, starting: 0, failed: 0 }, 5])
  t.strictSame([threads, turns_active, channels], [5, 5, { connected: 11, failed: 22 }])

  const { body: owned } = await server.request('GET', '/agents')
  const { status, body } = await server.request('GET', `/agents/${owned[0].id}/status`)
  t.match([status, body.turns_active], [200, 5])
  t.strictSame(
    body.channels.map(({ name }: { name: string }) => name),
    ['A South', 'North'],
  )
})
