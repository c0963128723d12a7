import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { createHold, type Decide, startChat } from '../../support/chat.ts'
import type { TestFrame } from '../../support/socket.ts'

/** A plugin with three tools: a plain one, one that needs approval, and one that requires a permission. */
const gauge = `
const text = (en) => ({ en, zh: en })
const tool = (name, more) => ({
  name, label: { en: 'Gauge ' + name, zh: '仪表 ' + name }, description: 'Reads ' + name + '.', input_schema: { type: 'object' },
  disableable: true, execute: () => name + ' was read', ...more,
})
export default {
  kernel: 1,
  name: 'gauge',
  summary: 'Tools of a plugin from outside',
  permissions: [{ key: 'boiler', category: 'tools', label: text('Boiler'), description: text('Boiler') }],
  setup(host) {
    host.extend('agents.tools', tool('level'))
    host.extend('agents.tools', tool('valve', { needsApproval: (input) => !input.dry }))
    host.extend('agents.tools', tool('boiler', { permission: 'boiler' }))
    host.extend('agents.tools', tool('siren', { execute: () => '声'.repeat(40_000) }))
  },
}
`

const chat = await startChat(t, { plugins: { gauge } })
const { fake, server } = chat
const owner = await server.createUser({ username: 'owner' })
const stoker = await server.createUser({ username: 'stoker', permissions: ['boiler'] })

/** The fields of a tool's row that the tests check. */
interface Row {
  name: string
  enabled: boolean
  available: boolean
  disableable?: boolean
}

async function createAgent(body: object = {}, token = owner.token) {
  const name = `agent-${Math.random()}`
  const made = await server.request('POST', '/agents', { token, body: { name, ...body } })
  const path = `/agents/${made.body.id}/tool-settings`
  return {
    id: made.body.id as string,
    call: (method: string, more = '', body?: object, headers?: Record<string, string>) =>
      server.request(method, path + more, { token, body, headers }),
    change: (changes: object) => server.request('PATCH', `/agents/${made.body.id}`, { token, body: changes }),
  }
}

const onlyOf = (rows: Row[], accept: (row: Row) => boolean) => rows.filter(accept).map(({ name }) => name)
/** The tools that are off by default have tests of their own. */
const isOptIn = ({ name }: Row) => ['acp_runner', 'search_conversations'].includes(name)
const isOff = (row: Row) => !row.enabled && !isOptIn(row)
const isOn = ({ enabled }: Row) => enabled
const offered = (index = fake.requests.length - 1) =>
  (fake.requests[index]!.body.tools ?? []).map((tool) => tool.function.name)
const toolCall = (name: string, input: object = {}) => ({ name, arguments: input })

/** Has the model call a tool, and returns the result. */
async function tryTool(
  agent_id: string,
  name: string,
  { token = owner.token, input = {}, decide }: { token?: string; input?: object; decide?: Decide } = {},
) {
  const socket = await chat.connect({ agent_id, token })
  fake.next({ toolCalls: [toolCall(name, input)] }, { text: 'done' })
  const { frames, end } = await socket.ask({ text: `call ${name}` }, decide)
  t.equal(end.type, 'done')
  socket.close()
  return frames.find(({ type }) => type === 'tool_result')
}

t.test('Built-in tools are on, six of them always; tools of plugins are off', async (t) => {
  const { call } = await createAgent()
  const { status, body } = await call('GET')
  t.equal(status, 200)
  t.same(onlyOf(body.builtin, isOff), [])
  t.match(body.builtin.filter(isOptIn), Array(2).fill({ enabled: false, disableable: true }))
  t.same(onlyOf(body.builtin, ({ disableable }) => !disableable).sort(), [
    'glob',
    'grep',
    'ls',
    'read_file',
    'task',
    'write_todos',
  ])
  t.same(
    body.plugins.map(({ plugin_id, ...row }: Row & { plugin_id: string }) => [plugin_id, row]),
    ['level', 'valve', 'boiler', 'siren'].map((name) => [
      'gauge',
      {
        name,
        label: `Gauge ${name}`,
        description: `Reads ${name}.`,
        enabled: false,
        available: name !== 'boiler',
        set_up: true,
      },
    ]),
  )
  const zh = await call('GET', '', undefined, { 'accept-language': 'zh' })
  t.match(zh.body.plugins[0].label, '仪表 level')
})

t.test('A change takes effect at the next call, without a reload and within a turn', async (t) => {
  const { id, call } = await createAgent()
  t.match(await tryTool(id, 'level'), { is_error: true, output: /no tool "level"/ })
  t.notOk(offered().includes('level'), 'it is not offered either')

  const on = await call('PATCH', '/level', { enabled: true, source: 'plugin', plugin_id: 'gauge' })
  t.same([on.status, onlyOf(on.body.plugins, isOn)], [200, ['level']])
  t.match(await tryTool(id, 'level'), { is_error: false, output: 'level was read' })
  t.ok(offered().includes('level'))

  const socket = await chat.connect({ agent_id: id, token: owner.token })
  let release = () => {}
  const hold = new Promise<void>((resolve) => {
    release = resolve
  })
  const asked = fake.request(fake.requests.length)
  fake.next(
    { toolCalls: [toolCall('level')], hold },
    { toolCalls: [toolCall('write_file', { path: 'a.txt', content: 'a' })] },
    { text: 'done' },
  )
  const sent = socket.say({ text: 'while it is being switched off' })
  await asked
  await call('PATCH', '/level', { enabled: false })
  await call('PATCH', '/write_file', { enabled: false })
  release()
  const { frames } = await socket.seeTurn(sent)
  t.match(
    frames.filter(({ type }) => type === 'tool_result'),
    [
      { name: 'level', is_error: true },
      { name: 'write_file', is_error: true },
    ],
  )
  t.notOk(offered().includes('write_file'))
  t.ok(offered().includes('ls'))
})

t.test('The settings are replaced as a whole, and unknown tools are refused', async (t) => {
  const { call } = await createAgent()
  const put = (body: object) => call('PUT', '', body)
  const plugin = (name: string, enabled = true) => ({ plugin_id: 'gauge', name, enabled })
  const first = await put({ disabled_builtin: ['write_file'], plugins: [plugin('level'), plugin('valve')] })
  t.same(onlyOf(first.body.builtin, isOff), ['write_file'])
  t.same(onlyOf(first.body.plugins, isOn), ['level', 'valve'])
  t.same((await call('GET')).body, first.body)
  const second = await put({ disabled_builtin: [] })
  t.same(onlyOf(second.body.builtin, isOff), [])
  t.same(onlyOf(second.body.plugins, isOn), ['level', 'valve'], 'without plugins theirs stay as they are')
  const third = await put({
    disabled_builtin: ['write_file'],
    plugins: [plugin('level', false), plugin('valve')],
  })
  t.same(onlyOf(third.body.plugins, isOn), ['valve'])

  const invalid = (path: string) => ({
    status: 422,
    body: { error: { code: 'VALIDATION_FAILED', details: { issues: [{ path }] } } },
  })
  t.match(await put({ disabled_builtin: ['write_file', 'fly'] }), invalid('/disabled_builtin/1'))
  t.match(await put({ disabled_builtin: ['level'] }), invalid('/disabled_builtin/0'))
  t.match(await put({ disabled_builtin: [], plugins: [plugin('fly')] }), invalid('/plugins/0'))
  const other = { ...plugin('level'), plugin_id: 'workspace' }
  t.match(await put({ disabled_builtin: [], plugins: [other] }), invalid('/plugins/0'))
  t.match(await put({}), { status: 422 })
  const always = { status: 400, body: { error: { code: 'TOOL_NOT_DISABLEABLE', details: { name: 'ls' } } } }
  t.match(await put({ disabled_builtin: ['ls'] }), always)
  t.match(await call('PATCH', '/ls', { enabled: false }), always)
  t.equal((await call('PATCH', '/ls', { enabled: true })).status, 200)
  for (const [name, body] of [
    ['fly', { enabled: true }],
    ['level', { enabled: true, source: 'builtin' }],
    ['level', { enabled: true, plugin_id: 'workspace' }],
    ['write_file', { enabled: true, source: 'plugin' }],
  ] as const)
    t.match(await call('PATCH', `/${name}`, body), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
  t.same((await call('GET')).body, third.body, 'none of these changed anything')
})

t.test('Concurrent changes are all kept, and so are the settings of a plugin that is disabled', async (t) => {
  const { id, call } = await createAgent()
  await Promise.all(
    ['/write_file', '/edit_file', '/level', '/valve'].map((tool) =>
      call('PATCH', tool, { enabled: !/file/.test(tool) }),
    ),
  )
  const { body } = await call('GET')
  t.same(onlyOf(body.builtin, isOff).sort(), ['edit_file', 'write_file'])
  t.same(onlyOf(body.plugins, isOn).sort(), ['level', 'valve'])

  const agents = server.db.collection<{ _id: string }>('agents')
  const away = { plugin_id: 'away', name: 'far' }
  await agents.updateOne(
    { _id: id },
    { $set: { tool_settings: { disabled_builtin: ['near'], enabled_plugin: [away] } } },
  )
  t.equal((await call('PUT', '', { disabled_builtin: ['write_file'], plugins: [] })).status, 200)
  t.match(await agents.findOne({ _id: id }), {
    tool_settings: { disabled_builtin: ['write_file', 'near'], enabled_plugin: [away] },
  })
})

t.test('A call that needs approval runs without it only if the owner has said so', async (t) => {
  const { id, call, change } = await createAgent()
  await call('PATCH', '/valve', { enabled: true })
  const refuse = () => [{ type: 'reject', message: 'not now' }]
  t.match(await tryTool(id, 'valve', { decide: refuse }), { is_error: true, output: 'not now' })
  t.match(await tryTool(id, 'valve', { input: { dry: true } }), { is_error: false }, 'it depends on the call')
  t.equal((await change({ config: { tools_without_approval: ['level', 'valve'] } })).status, 200)
  t.match(await tryTool(id, 'valve'), { is_error: false, output: 'valve was read' })
  const config = { tools_without_approval: ['level', 'valve'], tools_with_approval: ['valve'] }
  t.equal((await change({ config })).status, 200)
  t.match(
    await tryTool(id, 'valve', { input: { dry: true }, decide: refuse }),
    { is_error: true },
    'the owner may have every call approved',
  )
  t.equal((await change({ config: { tools_without_approval: 'valve' } })).status, 422)
})

t.test('The result of a plugin’s tool is cut by bytes, between characters', async (t) => {
  const { id, call } = await createAgent()
  await call('PATCH', '/siren', { enabled: true })
  const { output } = (await tryTool(id, 'siren'))!
  t.match(output, /^声+\n\[cut after 65536 of 120000 bytes\]$/)
  t.equal(output.split('\n')[0].length, Math.floor(65_536 / 3))
})

t.test('A tool that requires a permission is for its holders, whoever owns the agent', async (t) => {
  const { id, call } = await createAgent({ is_shared: true })
  const { body } = await call('PATCH', '/boiler', { enabled: true })
  t.match(
    body.plugins.find(({ name }: Row) => name === 'boiler'),
    { enabled: true, available: false },
  )
  t.match(await tryTool(id, 'boiler'), { is_error: true })
  t.notOk(offered().includes('boiler'))
  t.match(await tryTool(id, 'boiler', { token: stoker.token }), { is_error: false })
  t.ok(offered().includes('boiler'))

  await server.request('PATCH', '/users/stoker', { body: { permissions: [] } })
  t.match(await tryTool(id, 'boiler', { token: stoker.token }), { is_error: true }, 'taken away, it is gone')
})

/** Accepts the first frame of the turn of a message. */
const startOf = (sent: string) => (frame: TestFrame) =>
  frame.type === 'turn_started' && frame.client_message_id === sent

t.test('A turn ends when its user loses access to the agent', async (t) => {
  const { id, change } = await createAgent({ is_shared: true })
  const guest = await server.createUser({ username: 'guest' })
  const shutOut = {
    'is not shared any more': () => change({ is_shared: false }),
    'acts for an account that was disabled': async () => {
      await change({ is_shared: true })
      return server.request('PATCH', '/users/guest', { body: { enabled: false } })
    },
  }
  for (const [title, act] of Object.entries(shutOut)) {
    await change({ is_shared: true })
    const socket = await chat.connect({ agent_id: id, token: guest.token })
    const { hold, release } = createHold()
    const next = fake.requests.length
    fake.next({ toolCalls: [toolCall('write_file', { path: 'a.txt', content: 'a' })], hold })
    const asked = fake.request(next)
    const { turn_id } = await socket.until(startOf(socket.say({ text: 'write' })))
    await asked
    t.equal((await act()).status, 200)
    const stopped = { turn_id, type: 'done' as const, 'frame.stop_reason': 'stopped' }
    const events = server.db.collection('events')
    await eventually(`an agent that ${title}`, async () => (await events.countDocuments(stopped)) > 0)
    release()
    t.equal(fake.requests.length, next + 1, 'no result of a tool is sent')
    socket.close()
  }
})
