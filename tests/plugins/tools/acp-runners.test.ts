import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { startServer } from '../../support/server.ts'
import { invalid } from '../conversations/approval-calls.ts'

const server = await startServer(t)
const { admin } = server
const { token, id: user_id } = await server.createUser({ username: 'ann', permissions: ['acp_runners'] })
const other = await server.createUser({ username: 'bob' })
const put = (path: string, body: object, by = token) => server.request('PUT', path, { token: by, body })
const get = async (path: string, by = token) => (await server.request('GET', path, { token: by })).body

const DEFAULTS = {
  enabled: false,
  env: {},
  trusted: false,
  tool_parse_mode: 'update_detail',
  stdio_buffer_limit_bytes: 52428800,
}
const OPENCODE = { ...DEFAULTS, command: 'opencode', args: ['acp'] }
const forbidden = (details: object) => ({ status: 403, body: { error: { code: 'FORBIDDEN', details } } })
const NOT_FOUND = { status: 404, body: { error: { code: 'NOT_FOUND' } } }

t.test('Everybody has the built-in runners, switched off', async (t) => {
  t.strictSame(await get('/acp'), {
    runners: {
      opencode: OPENCODE,
      claude_code: { ...DEFAULTS, command: 'npx', args: ['-y', '@zed-industries/claude-agent-acp'] },
      codex: { ...DEFAULTS, command: 'npx', args: ['-y', '@zed-industries/codex-acp'] },
    },
  })
  t.strictSame(await get('/acp/opencode'), OPENCODE)
  for (const name of ['unheard-of', 'Open', '__proto__', 'constructor'])
    t.match(await server.request('GET', `/acp/${name}`, { token }), NOT_FOUND, name)
})

t.test('What an account sets is its own, and what it leaves out has its default', async (t) => {
  const settings = {
    enabled: true,
    trusted: true,
    tool_parse_mode: 'call_title',
    stdio_buffer_limit_bytes: 1024,
    env: { API_KEY: 'sk-of-ann-1234', EMPTY: '' },
  }
  const shown = {
    ...settings,
    command: 'opencode',
    args: ['acp'],
    env: { API_KEY: '••••1234', EMPTY: '••••' },
  }
  const answer = await put('/acp/opencode', settings)
  t.equal(answer.status, 200)
  t.strictSame(answer.body, shown)
  t.strictSame(await get('/acp/opencode'), shown)
  t.strictSame(await get('/acp/opencode', other.token), OPENCODE)
  t.strictSame((await put('/acp/opencode', { env: shown.env })).body, { ...OPENCODE, env: shown.env })
  t.strictSame((await put('/acp/opencode', {})).body, OPENCODE)
})

t.test('An environment stays with the program for which it was entered', async (t) => {
  const { acpRunners } = server.server.runtime.cradleOf('acp')
  const envOf = async () => (await acpRunners.open(user_id, 'opencode'))?.env
  const settings = { enabled: true, env: { KEY: 'sk-of-ann-1234' } }
  const { env } = (await put('/acp/opencode', settings)).body
  for (const program of [{ command: 'another' }, { args: ['other'] }]) {
    t.equal((await put('/acp/opencode', program, admin.token)).status, 200)
    t.strictSame(await envOf(), {}, 'a program that somebody else sets does not receive it')
    t.strictSame((await get('/acp/opencode')).env, {})
    t.match(await put('/acp/opencode', { env }), invalid('/env/KEY'))
    t.equal((await put('/acp/opencode', { command: '' }, admin.token)).status, 200)
    t.strictSame(await envOf(), settings.env, 'the former program does')
  }
  const own = (await put('/acp/opencode', { env: { KEY: 'of-the-admin' } }, admin.token)).body
  t.match(await put('/acp/opencode', { command: 'another', env: own.env }, admin.token), invalid('/env/KEY'))
  t.equal((await put('/acp/opencode', {}, admin.token)).status, 200)
  t.equal((await put('/acp/opencode', {})).status, 200)
})

t.test('A mask that is sent back keeps its value, and any other is refused', async (t) => {
  const { acpRunners } = server.server.runtime.cradleOf('acp')
  const envOf = async () => (await acpRunners.open(user_id, 'codex'))?.env
  await put('/acp/codex', { enabled: true, env: { ONE: 'the-first-value', TWO: 'short' } })
  const { env } = await get('/acp/codex')
  t.strictSame(env, { ONE: '••••alue', TWO: '••••' })
  await put('/acp/codex', { enabled: true, env: { ...env, THREE: 'new' } })
  t.strictSame(await envOf(), { ONE: 'the-first-value', TWO: 'short', THREE: 'new' })
  for (const [name, mask] of [
    ['ONE', '••••'],
    ['ONE', '••••ALUE'],
    ['FOUR', '••••alue'],
    ['constructor', '••••'],
  ])
    t.match(await put('/acp/codex', { env: { [name!]: mask } }), invalid(`/env/${name}`))
  t.match(
    await put('/acp', { runners: { codex: { env: { ONE: '••••nope' } } } }),
    invalid('/runners/codex/env/ONE'),
  )
  t.strictSame(await envOf(), { ONE: 'the-first-value', TWO: 'short', THREE: 'new' }, 'nothing was changed')
  await put('/acp/codex', { enabled: true, env: { THREE: env.TWO } })
  t.strictSame(await envOf(), { THREE: 'new' }, 'what is left out goes')
})

t.test('What a runner may be set to is bounded', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`NAME_${n}`, 'x']))
  const cases: [body: object, path: string][] = [
    [{ unknown: 1 }, '/unknown'],
    [{ tool_parse_mode: 'all' }, '/tool_parse_mode'],
    [{ stdio_buffer_limit_bytes: 1023 }, '/stdio_buffer_limit_bytes'],
    [{ stdio_buffer_limit_bytes: 64 * 1024 * 1024 + 1 }, '/stdio_buffer_limit_bytes'],
    [{ env: many }, '/env'],
    [{ env: { '1ST': 'x' } }, '/env'],
    [{ env: { 'A=B': 'x' } }, '/env'],
    [{ env: { [`A${'B'.repeat(128)}`]: 'x' } }, '/env'],
    [{ env: { NAME: 'x'.repeat(8193) } }, '/env/NAME'],
    [{ env: { NAME: 'a\0b' } }, '/env/NAME'],
    [{ env: { NAME: null } }, '/env/NAME'],
    [{ command: 'a\0b' }, '/command'],
    [{ command: 'relative/path' }, '/command'],
    [{ command: './opencode' }, '/command'],
    [{ args: ['a\0b'] }, '/args/0'],
    [{ args: Array(257).fill('x') }, '/args'],
  ]
  for (const [body, path] of cases) {
    t.match(await put('/acp/opencode', body, admin.token), invalid(path), JSON.stringify(body).slice(0, 80))
    const whole = invalid(`/runners/opencode${path}`)
    t.match(await put('/acp', { runners: { opencode: body } }, admin.token), whole)
  }
  t.match(await put('/acp', { runners: { 'No Name': {} } }, admin.token), invalid('/runners'))
  t.match(await put('/acp', {}), invalid('/runners'))
  const widest = { env: { ['A'.repeat(128)]: 'x'.repeat(8192) }, stdio_buffer_limit_bytes: 1024 }
  t.equal((await put('/acp/opencode', widest)).status, 200)
})

t.test('Variables that make another program of a runner are set by administrators only', async (t) => {
  const names = ['PATH', 'HOME', 'LD_PRELOAD', 'DYLD_INSERT_LIBRARIES', 'NODE_OPTIONS', 'BASH_ENV', 'ENV']
  names.push(
    'PYTHONPATH',
    'PERL5LIB',
    'RUBYOPT',
    'npm_config_registry',
    'NPM_CONFIG_PREFIX',
    'GIT_SSH',
    'path',
  )
  names.push('TMPDIR', 'SHELL', 'IFS', 'NODE_PATH', 'CLAUDE_CODE_EXECUTABLE', 'XDG_CONFIG_HOME')
  for (const name of names) {
    const body = { env: { HARMLESS: 'x', [name]: '/elsewhere' } }
    t.match(await put('/acp/codex', body), invalid(`/env/${name}`), name)
    t.match(await put('/acp', { runners: { codex: body } }), invalid(`/runners/codex/env/${name}`))
    t.equal((await put('/acp/codex', body, admin.token)).status, 200, name)
  }
  const [agent] = await get('/agents')
  await put(`/agents/${agent.id}/acp`, { runners: { codex: { env: { PATH: '/given' } } } }, admin.token)
  const { env } = await get('/acp/codex')
  t.equal((await put('/acp/codex', { env })).status, 200, 'what was given can be sent back')
  t.match(await put('/acp/codex', { env: { PATH: '/other' } }), invalid('/env/PATH'))
  t.equal(
    (await put('/acp/codex', { env: { ANTHROPIC_API_KEY: 'x', LOAD: 'y', NODE_ENV: 'z' } })).status,
    200,
  )
})

t.test('Only administrators say which program a runner is, for everybody', async (t) => {
  const same = { command: 'opencode', args: ['acp'] }
  t.equal((await put('/acp/opencode', same)).status, 200)
  t.equal((await put('/acp/opencode', { command: 'opencode' })).status, 200)
  t.match(
    await put('/acp/opencode', { command: '/bin/sh' }),
    forbidden({ name: 'opencode', field: 'command' }),
  )
  t.match(await put('/acp/opencode', { command: '' }), forbidden({ field: 'command' }))
  t.match(await put('/acp/opencode', { ...same, args: [] }), forbidden({ field: 'args' }))
  t.match(await put('/acp/opencode', { args: ['acp', '--more'] }), forbidden({ field: 'args' }))
  t.match(
    await put('/acp', { runners: { codex: { enabled: true }, opencode: { command: 'sh' } } }),
    forbidden({ name: 'opencode', field: 'command' }),
  )
  t.equal((await get('/acp/codex')).enabled, false, 'nothing of what is refused is done')
  t.match(await put('/acp/new', { command: 'sh' }), NOT_FOUND)
  t.match(await put('/acp', { runners: { new: { command: 'sh' } } }), NOT_FOUND)
  const zh = await server.request('PUT', '/acp/opencode', {
    token,
    body: { command: 'sh' },
    headers: { 'accept-language': 'zh' },
  })
  t.match(zh.body.error.message, /管理员/)

  const changed = { command: '/opt/opencode', args: ['acp', '--quiet'] }
  t.match(await put('/acp/opencode', { ...changed, enabled: true }, admin.token), {
    status: 200,
    body: changed,
  })
  t.match(await get('/acp/opencode'), { ...changed, enabled: false })
  t.match((await put('/acp/opencode', { enabled: true })).body, { ...changed, enabled: true })
  t.match((await put('/acp/opencode', { enabled: true }, admin.token)).body, changed, 'it stays')
  t.match((await put('/acp/opencode', { args: [] }, admin.token)).body, { ...changed, args: [] })
  t.match((await put('/acp/opencode', { command: '/opt/other' }, admin.token)).body, { args: [] })
  t.match((await put('/acp/opencode', { command: '' }, admin.token)).body, same, 'what is built in is back')
  t.match(await get('/acp/opencode'), { ...same, enabled: true }, 'settings are not of the program')
})

t.test('Administrators define further runners, and delete them with all settings', async (t) => {
  t.match(await put('/acp/mine', { enabled: true }, admin.token), NOT_FOUND)
  t.match(await put('/acp/mine', { command: '' }, admin.token), invalid('/command'))
  t.match(await put('/acp/Not-A-Name', { command: 'x' }, admin.token), NOT_FOUND)
  const mine = { command: 'mine', args: ['--acp'] }
  const made = await put(
    '/acp/mine',
    { ...mine, enabled: true, env: { KEY: 'secret-of-admin' } },
    admin.token,
  )
  t.strictSame(made.body, { ...DEFAULTS, ...mine, enabled: true, env: { KEY: '••••dmin' } })
  t.strictSame(await get('/acp/mine'), { ...DEFAULTS, ...mine })
  t.equal((await put('/acp/mine', { trusted: true })).status, 200)
  t.match(await put('/acp/mine', { command: '' }, admin.token), invalid('/command'))

  await put('/acp', { runners: {} }, admin.token)
  t.strictSame(
    await get('/acp/mine', admin.token),
    { ...DEFAULTS, ...mine },
    'what is left out is not deleted',
  )
  t.match(await get('/acp/mine'), { trusted: true })

  const remove = (name: string, by = token) => server.request('DELETE', `/acp/${name}`, { token: by })
  t.match(await remove('mine'), { status: 403, body: { error: { code: 'FORBIDDEN' } } })
  t.match(await remove('unheard-of'), NOT_FOUND)
  for (const by of [token, admin.token]) {
    const refused = await remove('codex', by)
    t.match(refused, forbidden({ name: 'codex' }))
    t.match(refused.body.error.message, /built in/)
  }
  t.equal((await remove('mine', admin.token)).status, 204)
  t.match(await remove('mine', admin.token), NOT_FOUND)
  t.match(await server.request('GET', '/acp/mine', { token }), NOT_FOUND)
  await put('/acp/mine', mine, admin.token)
  t.strictSame(await get('/acp/mine'), { ...DEFAULTS, ...mine }, 'its settings went with it')
})

t.test('All runners are set at once, and what was answered can be sent back', async (t) => {
  const { acpRunners } = server.server.runtime.cradleOf('acp')
  await put('/acp/codex', { enabled: true, env: { KEY: 'the-key-of-codex' } })
  const initial = await get('/acp')
  const sent = { runners: { ...initial.runners, opencode: { ...initial.runners.opencode, enabled: true } } }
  const { status, body } = await put('/acp', sent)
  t.equal(status, 200)
  t.strictSame(body, sent)
  t.strictSame((await acpRunners.open(user_id, 'codex'))?.env, { KEY: 'the-key-of-codex' })
  const left = (await put('/acp', { runners: { opencode: { enabled: true } } })).body.runners
  t.match([left.opencode.enabled, left.codex.enabled, left.codex.env], [true, false, {}])
  t.strictSame(await acpRunners.listEnabled(user_id), ['opencode'])
})

t.test("An agent's page shows its owner's runners, and whether it has the tool", async (t) => {
  const [agent] = await get('/agents')
  const path = `/agents/${agent.id}/acp`
  const toolOn = async () => {
    const { builtin } = await get(`/agents/${agent.id}/tool-settings`)
    return builtin.find(({ name }: { name: string }) => name === 'acp_runner')
  }
  t.strictSame(await get(path), { tool_enabled: false, runners: (await get('/acp')).runners })
  t.match(await toolOn(), { enabled: false, disableable: true, available: true })
  t.match(await put(path, { tool_enabled: true }), { status: 200, body: { tool_enabled: true } })
  t.match(await toolOn(), { enabled: true })
  const set = await put(path, { runners: { codex: { enabled: true } } })
  t.match(set.body, {
    tool_enabled: true,
    runners: { codex: { enabled: true }, opencode: { enabled: false } },
  })
  t.match((await get('/acp')).runners, { codex: { enabled: true } })

  const patch = `/agents/${agent.id}/tool-settings/acp_runner`
  await server.request('PATCH', patch, { token, body: { enabled: false } })
  t.match(await get(path), { tool_enabled: false })
  t.match(await put(path, { runners: { codex: { command: 'sh' } }, tool_enabled: true }), forbidden({}))
  t.match(await get(path), { tool_enabled: false }, 'nothing of what is refused is done')

  const seen = await put(path, { runners: { opencode: { trusted: true } } }, admin.token)
  t.match(seen.body.runners.opencode, { trusted: true })
  t.match((await get('/acp')).runners.opencode, { trusted: true }, "an administrator sets the owner's")
  t.match((await get('/acp', admin.token)).runners.opencode, { trusted: false })
})

t.test('No value of an environment is stored, written down or logged in the clear', async (t) => {
  const secret = 'canary-of-the-environment'
  await put('/acp/codex', { env: { KEY: secret } })
  await put('/acp', { runners: { codex: { env: { KEY: `${secret}-2` } } } })
  const [agent] = await get('/agents')
  await put(`/agents/${agent.id}/acp`, { runners: { codex: { env: { KEY: `${secret}-3` } } } })
  await put('/acp/codex', { env: { PATH: secret } })
  for (const { name } of await server.db.listCollections().toArray()) {
    const stored = JSON.stringify(await server.db.collection(name).find().toArray())
    t.notOk(stored.includes(secret), name)
  }
  t.notOk(server.logged().includes(secret))
  const rows = await get('/admin/audit-log?limit=200', admin.token)
  const actions = new Set(rows.map(({ action }: { action: string }) => action))
  for (const action of ['acp.runners_set', 'acp.runner_set', 'acp.runner_delete', 'agent.acp_set'])
    t.ok(actions.has(action), action)
})

t.test('What an account had goes with it', async (t) => {
  const home = join(server.home, 'acp', other.id)
  mkdirSync(join(home, 'cache'), { recursive: true })
  await put('/acp/codex', { enabled: true, env: { KEY: 'something' } }, other.token)
  t.equal(await server.db.collection('acp_runners').countDocuments({ user_id: other.id }), 1)
  t.equal((await server.request('DELETE', '/users/bob')).status, 204)
  t.equal(await server.db.collection('acp_runners').countDocuments({ user_id: other.id }), 0)
  t.notOk(existsSync(home))
})
