import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../kernel/clock.ts'
import t from '../../run/file-test.ts'
import { packFolder, startRegistry, writePackage } from '../../support/fake-registry.ts'
import { pluginSource } from '../../support/kernel.ts'
import { createHome, installPlugin, startServer } from '../../support/server.ts'
import { createTwoFactorCalls, refusal } from '../../support/two-factor.ts'

const SETTINGS = `config: {
  greeting: { type: 'string', default: 'Hi', maxLength: 10, env: 'SVC_TEST_GREETING' },
  token: { type: 'string', writeOnly: true },
  depth: { type: 'object', additionalProperties: false, properties: { levels: { type: 'integer', minimum: 1 }, key: { type: 'string', writeOnly: true } } },
},`
const notes = pluginSource('notes', "host.collection('notes')", SETTINGS)
const server = await startServer(t, {
  config: { plugins: { notes: { token: 'tok-very-secret', unheard: undefined } } },
  plugins: { notes, reader: pluginSource('reader', '', "depends: ['notes'],"), broken: 'export default 1' },
})
const { home } = server
const file = join(home, 'config.json')
const readFile = () => JSON.parse(readFileSync(file, 'utf8'))
const get = async (name: string) => server.call('GET', `/admin/plugins/${name}`)
const patch = (name: string, body: object, headers = {}) =>
  server.request('PATCH', `/admin/plugins/${name}`, { body, headers })

t.test('the list has every plugin with its state, what it brings and its masked settings', async (t) => {
  const rows = await server.call('GET', '/admin/plugins')
  const byName = (name: string) => rows.find((row: { name: string }) => row.name === name)
  t.match(byName('chat'), {
    source: 'built-in',
    state: 'running',
    enabled: true,
    can_be_disabled: false,
    needs_restart: false,
    error: null,
  })
  t.ok(byName('chat').needed_by.includes('search'))
  t.ok(byName('chat').brings.routes.includes('GET /agents/:id/threads'))
  t.match(byName('notes'), {
    summary: 'The notes of a test',
    config: { greeting: 'Hi', token: '••••' },
    brings: { collections: ['notes'] },
    config_schema: { properties: { token: { writeOnly: true } } },
    needed_by: ['reader'],
  })
  t.notOk(JSON.stringify(rows).includes('tok-very-secret'))
  t.match(byName('broken'), { state: 'failed', error: /not a manifest object/ })
  t.strictSame((await server.request('GET', '/admin/plugins', { token: null })).status, 401)
})

t.test('a change keeps what was there, takes effect at the next start, and has an audit row', async (t) => {
  chmodSync(file, 0o640)
  const oldFile = readFile()
  const { headers } = await server.request('GET', '/admin/plugins/notes')
  const tag = { 'if-match': headers.get('etag')! }
  const body = { config: { greeting: 'Hello', token: '••••', depth: { levels: 2, key: 'k-secret' } } }
  const changed = await patch('notes', body, tag)
  t.equal(changed.status, 200, JSON.stringify(changed.body))
  t.match(changed.body, {
    config: { greeting: 'Hello', token: '••••', depth: { levels: 2, key: '••••' } },
    needs_restart: true,
  })
  t.strictSame(readFile(), {
    ...oldFile,
    plugins: {
      ...oldFile.plugins,
      notes: { token: 'tok-very-secret', greeting: 'Hello', depth: { levels: 2, key: 'k-secret' } },
    },
  })
  t.equal(statSync(file).mode & 0o777, 0o640)
  t.equal((await patch('notes', body, tag)).status, 412)
  await patch('notes', { config: { greeting: null, depth: { levels: 3, key: '••••' } } })
  t.strictSame(readFile().plugins.notes, { token: 'tok-very-secret', depth: { levels: 3, key: 'k-secret' } })
  await patch('notes', { config: { depth: null } })
  t.equal((await get('notes')).needs_restart, false, 'back to what runs')
  const rows = await server.call('GET', '/admin/audit-log?action=plugin.update')
  t.match(rows[0], { action: 'plugin.update', target: 'notes' })
  t.notOk(JSON.stringify(rows).includes('k-secret'))
})

t.test('a change that a start would refuse is refused, with the path of each wrong setting', async (t) => {
  const oldText = readFileSync(file, 'utf8')
  const wrong = await patch('notes', { config: { greeting: 'x'.repeat(11), depth: { levels: 0 }, other: 1 } })
  t.match(wrong, { status: 422, body: { error: { code: 'VALIDATION_FAILED' } } })
  t.strictSame(wrong.body.error.details.issues.map(({ path }: { path: string }) => path).sort(), [
    '/config/depth/levels',
    '/config/greeting',
    '/config/other',
  ])
  t.match(await patch('nothing', { enabled: true }), { status: 404 })
  t.match(await patch('chat', { enabled: false }), {
    status: 409,
    body: { error: { code: 'PLUGIN_NEEDED', details: { needed_by: /search/ } } },
  })
  t.match(await patch('plugins', { enabled: false }), { body: { error: { code: 'PLUGIN_KEPT_ON' } } })
  t.match(await patch('broken', { enabled: true }), { body: { error: { code: 'CONFIG_REFUSED' } } })
  t.equal(readFileSync(file, 'utf8'), oldText)
})

t.test('plugins are switched off in the order of their dependencies, and on again', async (t) => {
  t.match(await patch('notes', { enabled: false }), { body: { error: { code: 'PLUGIN_NEEDED' } } })
  t.match(await patch('reader', { enabled: false }), {
    status: 200,
    body: { enabled: false, needs_restart: true, state: 'running' },
  })
  t.match(await patch('notes', { enabled: false }), { status: 200, body: { enabled: false } })
  t.match(await patch('reader', { enabled: true }), {
    status: 422,
    body: { error: { code: 'CONFIG_REFUSED', details: { reason: /needs notes, which is off/ } } },
  })
  await patch('notes', { enabled: true })
  t.match(await patch('reader', { enabled: true }), { status: 200, body: { needs_restart: false } })
  t.strictSame(readFile().plugins.reader, undefined)
})

t.test('settings of the environment are shown as fixed, and stay', async (t) => {
  const fixed = await startServer(t, {
    home: createHome(t),
    plugins: { notes },
    env: { SVC_TEST_GREETING: 'Env' },
  })
  const row = await fixed.call('GET', '/admin/plugins/notes')
  t.match(row, { config: { greeting: 'Env' }, set_by: { greeting: 'env SVC_TEST_GREETING' } })
  t.match(await fixed.request('PATCH', '/admin/plugins/notes', { body: { config: { greeting: 'Mine' } } }), {
    status: 409,
    body: {
      error: { code: 'SETTING_FIXED', details: { path: 'greeting', set_by: 'env SVC_TEST_GREETING' } },
    },
  })
  writeFileSync(join(fixed.home, 'config.json'), '{ "packages": [')
  t.match(await fixed.request('PATCH', '/admin/plugins/notes', { body: { enabled: false } }), {
    status: 409,
    body: { error: { code: 'CONFIG_UNREADABLE' } },
  })
  t.match(await fixed.request('POST', '/admin/restart'), { body: { error: { code: 'RESTART_REFUSED' } } })
})

t.test('administrators cannot reach the machine by settings', async (t) => {
  for (const [name, config] of [
    ['plugins', { install: true }],
    ['shell', { sandbox: 'off' }],
    ['shell', { sandbox_folders: ['/'] }],
    ['console', { folder: '/etc' }],
  ] as const) {
    const [path] = Object.keys(config)
    t.match(await patch(name, { config }), {
      status: 409,
      body: { error: { code: 'SETTING_FIXED', details: { path, set_by: 'file config.json' } } },
    })
  }
  t.strictSame(readFile().plugins.plugins, undefined)
  t.equal((await patch('shell', { config: { max_seconds: 60 } })).status, 200)
  await patch('shell', { config: { max_seconds: null } })
})

t.test('a folder that was added shows as added, and a process of a test does not restart', async (t) => {
  installPlugin(home, 'late', pluginSource('late', ''))
  const rows = await server.call('GET', '/admin/plugins')
  t.match(
    rows.find(({ source }: { source: string }) => source === join(home, 'plugins/late')),
    { name: 'late', state: 'added', needs_restart: true },
  )
  t.match(await server.request('POST', '/admin/restart'), {
    body: { error: { code: 'RESTART_UNSUPPORTED' } },
  })
})

t.test('packages are installed and removed over the API only if that is allowed', async (t) => {
  t.match(await server.request('POST', '/admin/plugins', { body: { package: 'svc-x@1.0.0' } }), {
    status: 403,
    body: { error: { code: 'INSTALL_OFF' } },
  })
  const work = createHome(t)
  const marker = join(work, 'script-ran')
  const greet = packFolder(
    writePackage(work, {
      name: 'svc-greet',
      source: pluginSource('greet', '', 'limits: { greets: { default: 5, description: "Greetings" } },'),
      more: { scripts: { postinstall: `touch ${marker}` } },
    }),
  )
  const wrong = packFolder(writePackage(work, { name: 'svc-wrong', source: 'export default 5' }))
  const { env } = await startRegistry(t, [greet, wrong])
  const outer = { ...process.env }
  Object.assign(process.env, env)
  t.teardown(() => {
    for (const name of Object.keys(env)) {
      if (outer[name] === undefined) delete process.env[name]
      else process.env[name] = outer[name]
    }
  })
  const open = await startServer(t, { config: { plugins: { plugins: { install: true } } } })
  const install = (body: object, token?: string) =>
    open.request('POST', '/admin/plugins', { body, ...(token && { token }) })

  t.match(await install({ package: 'svc-greet' }), { status: 422 }, 'an exact version')
  t.match(await install({ package: 'svc-none@1.0.0' }), {
    status: 422,
    body: { error: { code: 'INSTALL_FAILED', details: { reason: /does not exist in the registry/ } } },
  })
  t.match(await install({ package: 'svc-greet@2.0.0' }), {
    body: { error: { details: { reason: /no such version/ } } },
  })
  t.match(await install({ package: 'svc-wrong@1.0.0' }), {
    body: { error: { details: { reason: /not a manifest object/ } } },
  })
  t.notOk(existsSync(join(open.home, 'node_modules/svc-wrong')))
  const [first, second] = await Promise.all([
    install({ package: 'svc-greet@1.0.0' }),
    install({ package: 'svc-greet@1.0.0' }),
  ])
  t.strictSame([first.status, second.status].sort(), [201, 409])
  t.match([first, second].find(({ status }) => status === 201)!.body, {
    source: 'svc-greet',
    version: '1.0.0',
    state: 'added',
    needs_restart: true,
  })
  t.notOk(existsSync(marker), 'no script of the package runs')
  const read = () => JSON.parse(readFileSync(join(open.home, 'config.json'), 'utf8'))
  t.strictSame(read().packages, ['svc-greet'])

  await open.restart()
  t.match(await open.call('GET', '/admin/plugins/greet'), { state: 'running', source: 'svc-greet' })
  await open.call('PATCH', '/admin/plugins/greet', { config: {} })
  t.match(await open.request('DELETE', '/admin/plugins/chat'), {
    body: { error: { code: 'PLUGIN_BUILT_IN' } },
  })

  const { setUp, codeOf } = createTwoFactorCalls(open, systemClock)
  const { secret } = await setUp(open.admin.token)
  t.strictSame(refusal(await open.request('DELETE', '/admin/plugins/greet')), {
    status: 403,
    code: 'TOTP_REQUIRED',
  })
  t.strictSame(refusal(await open.request('DELETE', '/admin/plugins/greet', { body: { code: '000000' } })), {
    status: 400,
    code: 'TOTP_INVALID',
  })
  t.match(await open.request('DELETE', '/admin/plugins/greet', { body: { code: codeOf(secret) } }), {
    status: 204,
  })
  t.strictSame(read().packages, undefined)
  t.match(await open.call('GET', '/admin/plugins/greet'), { state: 'removed', needs_restart: true })
})
