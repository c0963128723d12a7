import { once } from 'node:events'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { joinEngine } from '../../engine/engine.ts'
import type { Extensions } from '../../kernel/contract/extensions.ts'
import { definePlugin } from '../../kernel/contract/plugin.ts'
import { ConfigError } from '../../kernel/errors.ts'
import t, { type Test } from '../run/file-test.ts'
import {
  bareConfig,
  createHome,
  KEPT_ON,
  pluginSource,
  routeSource,
  runCommand,
  startKernel,
} from '../support/kernel.ts'
import { installPlugin, startServer } from '../support/server.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

/** The steps that plugins in this process have recorded. */
const diary: string[] = []
Object.assign(globalThis, { diary })
t.beforeEach(() => {
  diary.length = 0
})

/** Returns the database setting for a home, with a database of the pool. */
const databaseSetting = async (t: Test) => ({ url: await createDatabaseUrl(t) })

/** A plugin with an extension point. */
const BOX = pluginSource(
  'box',
  "host.extensionPoint('box.toys', { noun: 'toy', nameOf: ({ name }) => name })",
)

/** A plugin that records its steps. */
const diarist = (name: string, manifest = '', setup = '') =>
  pluginSource(
    name,
    setup,
    `start() { diary.push('start ${name}') }, stop() { diary.push('stop ${name}') }, ${manifest}`,
  )

t.test('plugins start after their dependencies and stop in reverse order', async (t) => {
  const plugins = {
    a: diarist('a', "depends: ['c'],"),
    b: diarist('b', "depends: ['a', 'c'],"),
    c: diarist('c'),
    d: pluginSource('d', ''),
  }
  const server = await startKernel(t, { plugins })
  t.same(diary, ['start c', 'start a', 'start b'])
  t.same([...server.server.runtime.startTimes.keys()], [...KEPT_ON, 'c', 'a', 'b', 'd'])
  await Promise.all([server.stop(), server.stop()])
  t.same(diary.slice(3), ['stop b', 'stop a', 'stop c'])
})

t.test('plugins passed as objects run like those found in folders', async (t) => {
  const guest = definePlugin({
    name: 'guest',
    summary: 'A guest',
    version: '1.2.3',
    kernel: 1,
    setup: (host) =>
      host.routes([
        {
          method: 'GET',
          path: '/guest',
          summary: 'Greet',
          guard: 'public',
          response: { 200: { type: 'object' } },
          handler: async () => ({ hello: 'guest' }),
        },
      ]),
  })
  const broken = definePlugin({
    name: 'broken',
    summary: 'A broken guest',
    kernel: 1,
    setup() {
      throw new Error('not today')
    },
  })
  const server = await startKernel(t, { given: [guest, broken] })
  t.same((await server.request('GET', '/guest')).body, { hello: 'guest' })
  const { facts, failed } = server.server.runtime
  const states = facts.plugins().filter(({ source }) => source === 'given')
  t.same(states, [
    { name: 'guest', version: '1.2.3', source: 'given', state: 'running' },
    { name: 'broken', version: '0.0.0', source: 'given', state: 'failed' },
  ])
  t.match(failed.get('broken'), /not today/)
})

t.test(
  'a required plugin that fails to start aborts the start, and the started plugins are stopped',
  async (t) => {
    const plugins = {
      a: diarist('a'),
      b: pluginSource('b', '', "start() { throw new Error('no way') },"),
      c: diarist('c'),
    }
    await t.rejects(startKernel(t, { plugins, config: { plugins: { b: { required: true } } } }), {
      message: 'plugin "b" failed to start: no way',
      cause: { message: 'no way' },
    })
    t.same(diary, ['start a', 'stop a'])
  },
)

t.test('an error in the configuration of a plugin stays one when its start fails', async (t) => {
  const strict = definePlugin({
    name: 'strict',
    summary: 'A plugin that reads its addresses when it starts',
    kernel: 1,
    setup() {},
    start() {
      throw new ConfigError('plugins.strict.address is not known')
    },
  })
  await t.rejects(
    startKernel(t, { given: [strict], config: { plugins: { strict: { required: true } } } }),
    new ConfigError('plugin "strict" failed to start: plugins.strict.address is not known'),
  )
})

t.test('a plugin that takes too long is reported by name, and its signal is aborted', async (t) => {
  const slow = (step: string) =>
    pluginSource(
      'slow',
      '',
      `${step}(cradle, signal) { return new Promise(() => signal.addEventListener('abort', () => diary.push(signal.reason.message))) },`,
    )
  const stepLimitMs = { start: 30, stop: 40 }
  const plugins = { a: diarist('a'), slow: slow('start') }
  await t.rejects(
    startKernel(t, { stepLimitMs, plugins, config: { plugins: { slow: { required: true } } } }),
    {
      message: 'plugin "slow" failed to start: plugin "slow" did not start within 30 ms',
    },
  )
  t.same(diary, ['start a', 'plugin "slow" did not start within 30 ms', 'stop a'])

  diary.length = 0
  const server = await startKernel(t, { stepLimitMs, plugins: { a: diarist('a'), slow: slow('stop') } })
  await server.stop()
  t.same(
    diary,
    ['start a', 'plugin "slow" did not stop within 40 ms', 'stop a'],
    'the other plugins are stopped',
  )
  t.match(server.logged(), /"message":"plugin \\"slow\\" failed to stop: .*plugin \\"slow\\" failed to stop"/)
})

t.test('a plugin can list the plugins that run, failed or are disabled', async (t) => {
  const plugins = {
    watcher: pluginSource('watcher', `host.routes([${routeSource('/plugins', 'cradle.server.plugins()')}])`),
    broken: pluginSource('broken', '', "start() { throw new Error('cannot start') },"),
    torn: "throw new Error('cannot load')",
    resting: pluginSource('resting', ''),
  }
  const config = { plugins: { resting: { enabled: false } } }
  const server = await startKernel(t, { plugins, config })
  const rows: { name: string; version: string; state: string }[] = (await server.request('GET', '/plugins'))
    .body
  t.match(
    rows.filter(({ name }) => name in plugins).sort((a, b) => a.name.localeCompare(b.name)),
    [
      { name: 'broken', version: '1.0.0', state: 'failed' },
      { name: 'resting', version: '1.0.0', state: 'disabled' },
      { name: 'torn', version: '', state: 'failed' },
      { name: 'watcher', version: '1.0.0', state: 'running' },
    ],
  )
})

t.test('a plugin that fails is logged and left out, with the plugins that depend on it', async (t) => {
  const route = (name: string) => `host.routes([${routeSource(`/${name}`, `'${name}'`)}])`
  const needing = (wanted: string) => `depends: ['${wanted}'],`
  const listener = "host.on('c.tested', () => diary.push('heard'))"
  const plugins = {
    unloaded: "throw new Error('cannot load')",
    badly: 'export default { name: "badly-made" }',
    undeclared: pluginSource('undeclared', "throw new Error('cannot declare')"),
    unstarted: pluginSource(
      'unstarted',
      `${listener}; ${route('unstarted')}`,
      "events: ['c.tested'], start() { throw new Error('cannot start') },",
    ),
    'needs-unloaded': diarist('needs-unloaded', needing('unloaded'), route('needs-unloaded')),
    'needs-undeclared': diarist('needs-undeclared', needing('undeclared'), route('needs-undeclared')),
    'needs-unstarted': diarist('needs-unstarted', needing('unstarted'), route('needs-unstarted')),
    further: diarist('further', needing('needs-unstarted'), route('further')),
    fine: diarist('fine', '', route('fine')),
  }
  // Settings of a plugin that cannot say which it has do not stop the start, and may be secrets.
  const config = { plugins: { unloaded: { enabled: true, token: 'hush' } } }
  const server = await startKernel(t, { plugins, config })
  t.same(diary, ['start fine'])
  const { stdout: settings } = await runCommand(server.home, ['config'])
  t.match(settings, /unloaded/)
  t.notMatch(settings, /hush/)
  const { status, body } = await server.request('GET', '/health')
  t.match({ status, body }, { status: 200, body: { status: 'degraded' } })
  t.same(body.plugins, {
    'api-docs': 'ok',
    doctor: 'ok',
    scaffold: 'ok',
    unloaded: 'failed',
    'badly-made': 'failed',
    undeclared: 'failed',
    'needs-unloaded': 'failed',
    'needs-undeclared': 'failed',
    unstarted: 'failed',
    'needs-unstarted': 'failed',
    further: 'failed',
    fine: 'ok',
  })
  const { body: api } = await server.request('GET', '/openapi.json')
  t.same(Object.keys(api.paths).sort(), [
    '/asyncapi.json',
    '/fine',
    '/health',
    '/health/live',
    '/health/ready',
    '/openapi.json',
  ])
  for (const name of Object.keys(plugins))
    t.equal((await server.request('GET', `/${name}`)).status, name === 'fine' ? 200 : 404, name)
  const log = server
    .logged()
    .split('\n')
    .filter((line) => line.includes('a plugin is left out'))
  t.equal(log.length, 8)
  for (const words of [
    /cannot load/,
    /summary/,
    /cannot declare/,
    /cannot start/,
    /needs unstarted, which failed/,
  ])
    t.match(log.join('\n'), words)

  const { stdout } = await runCommand(server.home, ['plugins', '--json'])
  const rows: { name: string; status: string; error: string | null }[] = JSON.parse(stdout)
  const findRow = (wanted: string) => rows.find(({ name }) => name === wanted)
  t.match(findRow('unloaded'), { status: 'failed', error: 'failed to load: cannot load' })
  t.match(findRow('unstarted'), {
    status: 'failed',
    error: 'plugin "unstarted" failed to start: cannot start',
  })
  t.match(findRow('further'), { status: 'failed', error: 'needs needs-unstarted, which failed' })
  t.match(findRow('fine'), { status: 'ok', error: null })
  const doctor = await runCommand(server.home, ['doctor'])
  t.equal(doctor.code, 1)
  t.match(doctor.stdout, /FAIL +plugins .*unloaded: failed to load: cannot load/)

  const home = createHome(
    t,
    bareConfig({
      database: await databaseSetting(t),
      plugins: { 'needs-unloaded': { required: true } },
    }),
  )
  installPlugin(home, 'unloaded', plugins.unloaded)
  installPlugin(home, 'needs-unloaded', plugins['needs-unloaded'])
  await t.rejects(startServer(t, { home }), {
    message: 'plugin "needs-unloaded" needs unloaded, which failed',
  })
  const { unstarted, 'needs-unstarted': needing_it } = plugins
  const required = { plugins: { 'needs-unstarted': { required: true } } }
  await t.rejects(
    startKernel(t, { plugins: { unstarted, 'needs-unstarted': needing_it }, config: required }),
    { message: 'plugin "needs-unstarted" needs unstarted, which failed' },
  )
})

t.test('routes stay closed if the plugin of their guard failed', async (t) => {
  const plugins = {
    doors: pluginSource(
      'doors',
      "host.guard('locked', { check() { throw host.error('FORBIDDEN') } })",
      "start() { throw new Error('out of order') },",
    ),
    hall: pluginSource('hall', '', "depends: ['doors'],"),
    room: pluginSource(
      'room',
      `host.routes([${routeSource('/room', "'open'", "guard: 'locked',")}])`,
      "depends: ['hall'],",
    ),
    shed: pluginSource('shed', `host.routes([${routeSource('/shed', "'open'", "guard: 'locked',")}])`),
  }
  const server = await startKernel(t, { plugins })
  const { body } = await server.request('GET', '/health')
  t.same(body.plugins, {
    'api-docs': 'ok',
    doctor: 'ok',
    scaffold: 'ok',
    doors: 'failed',
    hall: 'failed',
    room: 'failed',
    shed: 'failed',
  })
  for (const path of ['/room', '/shed']) t.equal((await server.request('GET', path)).status, 404)
  t.match(
    server.logged(),
    /"shed".*uses the guard \\"locked\\" without depending on its plugin: add \\"doors\\" to depends/,
  )
})

t.test('a disabled plugin leaves nothing behind, and neither do the plugins that depend on it', async (t) => {
  const all = (name: string) => `
    host.provide('${name}', () => diary.push('${name}'))
    host.collection('${name}_rows', { indexes: [{ key: { name: 1 } }] })
    host.guard('${name}', { check() { return {} } })
    host.routes([${routeSource(`/${name}`, `'${name}'`, `guard: '${name}',`)}])
    host.socket({ path: '/${name}/ws', summary: 's', guard: 'public', receive: {}, send: {}, handler() {} })
    host.on('c.tested', () => diary.push('${name} heard'))
    host.job({ name: '${name}', every_seconds: 60, run() { diary.push('${name} worked') } })
    host.command({ name: '${name}', summary: 'Do ${name}', run() {} })
    host.extend('box.toys', { name: '${name}' })
    host.health(() => {})`
  const manifest = (name: string, more = '') => `
    permissions: [{ key: '${name}', category: 'c', label: { en: 'a', zh: 'a' }, description: { en: 'a', zh: 'a' } }],
    errors: { ${name.toUpperCase()}: { status: 400, message: { en: 'a', zh: 'a' } } },
    config: { level: { type: 'integer', default: 1 } }, ${more}`
  const plugins = {
    box: BOX,
    off: diarist('off', manifest('off'), all('off')),
    needy: diarist('needy', manifest('needy', "depends: ['off'],"), all('needy')),
    on: diarist('on', manifest('on', "events: ['c.tested'],"), all('on')),
  }
  const config = { plugins: { off: { enabled: false, level: 5 } } }
  const server = await startKernel(t, { plugins, config })
  const { runtime } = server.server
  const toys = (runtime.extensions as Record<string, Extensions<unknown>>)['box.toys']!
  t.same(
    diary.filter((line) => !line.startsWith('on')),
    ['start on'],
  )
  t.same(Object.keys((await server.request('GET', '/health')).body.plugins), [...KEPT_ON, 'box', 'on'])
  const { body: api } = await server.request('GET', '/openapi.json')
  t.notMatch(JSON.stringify(api), /off|needy/)
  t.ok(api.paths['/on'])
  for (const name of ['off', 'needy']) {
    t.equal((await server.request('GET', `/${name}`)).status, 404)
    await t.rejects(server.connect(`/${name}/ws`), { message: 'refused with 404' })
    t.notOk(runtime.permissionCatalog.get(name))
    t.notOk(toys.get(name))
    t.notOk(runtime.blueprint.errors[name.toUpperCase()])
  }
  t.equal(toys.owner('on'), 'on')
  const collections = await server.db.listCollections().toArray()
  t.same(
    collections.map(({ name }) => name).filter((name) => name.endsWith('_rows')),
    ['on_rows'],
  )

  const { stdout } = await runCommand(server.home, ['plugins', '--json'])
  const rows: { name: string }[] = JSON.parse(stdout)
  const findRow = (wanted: string) => rows.find(({ name }) => name === wanted)
  t.match(findRow('off'), { enabled: false, status: 'off', error: 'switched off', version: '1.0.0' })
  t.match(findRow('needy'), {
    enabled: false,
    status: 'off',
    error: 'needs off, which is off',
    depends: ['off'],
  })
  t.match(findRow('on'), {
    status: 'ok',
    provides: ['on'],
    declares: { routes: ['GET /on'], collections: ['on_rows'], events: ['c.tested'] },
    extends: [{ point: 'box.toys', name: 'on' }],
  })
  t.match(findRow('box'), { points: { 'box.toys': ['on'] } })
  t.match(server.logged(), /"plugin":"needy","reason":"needs off, which is off","msg":"a plugin is left out"/)
  t.notMatch(server.logged(), /"plugin":"off","reason"/, 'disabled plugins are not logged')
  const help = await runCommand(server.home, ['help'])
  t.match(help.stdout, /Do on/)
  t.notMatch(help.stdout, /Do off|Do needy/)
})

t.test('a plugin that fails to load can be disabled', async (t) => {
  const config = { plugins: { unloaded: { enabled: false } } }
  const plugins = {
    unloaded: "throw new Error('cannot load')",
    needy: diarist('needy', "depends: ['unloaded'],"),
  }
  const server = await startKernel(t, { plugins, config })
  t.same(Object.keys((await server.request('GET', '/health')).body.plugins), KEPT_ON)
})

t.test('a plugin sees its own services and those of its dependencies, each created once', async (t) => {
  const ask = (name: string) => routeSource(`/ask/${name}`, `cradle.${name}`)
  const plugins = {
    bakery: pluginSource(
      'bakery',
      `host.provide('bread', ({ flour }) => ({ of: flour }))
       host.provide('flour', () => diary.push('milled'))
       host.service('oven', () => 'hot')
       host.routes([${routeSource('/bakery/oven', 'cradle.oven')}])`,
    ),
    guest: pluginSource(
      'guest',
      `host.service('oven', () => 'cold')
       host.routes([${ask('bread')}, ${ask('flour')}, ${ask('oven')}, ${routeSource('/ask/text', 'String(cradle)')}])`,
      "depends: ['bakery'],",
    ),
    thief: pluginSource(
      'thief',
      `host.routes([${routeSource('/steal', 'cradle.bread')}, ${ask('gold')},
      ${routeSource('/peek', 'cradle.oven')}])`,
    ),
  }
  const server = await startKernel(t, { plugins })
  t.same((await server.request('GET', '/ask/bread')).body, { of: 1 })
  t.equal((await server.request('GET', '/ask/flour')).body, 1)
  t.same(diary, ['milled'], 'the second reader receives the same instance')
  t.equal((await server.request('GET', '/bakery/oven')).body, 'hot')
  t.equal(
    (await server.request('GET', '/ask/oven')).body,
    'cold',
    'private services of two plugins can have the same name',
  )
  t.equal(
    (await server.request('GET', '/ask/text')).body,
    '[object Object]',
    'a cradle is an ordinary object',
  )
  for (const path of ['/steal', '/ask/gold', '/peek'])
    t.equal((await server.request('GET', path)).status, 500)
  t.match(
    server.logged(),
    /plugin \\"thief\\" asks for \\"bread\\" of plugin \\"bakery\\" without depending on it/,
  )
  t.match(server.logged(), /plugin \\"thief\\" asks for the service \\"gold\\", which no plugin provides/)
  t.match(
    server.logged(),
    /for the service \\"oven\\", which plugin \\"\w+\\" keeps to itself: host\.provide would/,
  )
})

t.test('a plugin can access only its own collections, with their indexes', async (t) => {
  const index = '{ indexes: [{ key: { name: 1 }, unique: true }] }'
  const tag = 'Object.prototype.toString.call(cradle.collections)'
  const plugins = {
    owner: pluginSource(
      'owner',
      `host.collection('rows', ${index})
       host.routes([${routeSource('/rows', 'cradle.collections.rows.countDocuments()')}, ${routeSource('/tag', tag)}])`,
    ),
    thief: pluginSource(
      'thief',
      `host.routes([${routeSource('/steal', 'cradle.collections.rows')}])`,
      "depends: ['owner'],",
    ),
  }
  const server = await startKernel(t, { plugins })
  t.equal((await server.request('GET', '/rows')).body, 0)
  t.equal((await server.request('GET', '/tag')).body, '[object Object]')
  t.equal((await server.request('GET', '/steal')).status, 500)
  t.match(server.logged(), /plugin \\"thief\\" asks for the collection \\"rows\\", which it does not own/)
  const indexes = await server.db.collection('rows').indexes()
  t.match(indexes, [{ key: { _id: 1 } }, { key: { name: 1 }, unique: true }])
})

t.test('listeners are called in the order of their plugins, even if some of them fail', async (t) => {
  const listening = (act: string) => `host.on('c.tested', async ({ word }, cradle) => { ${act} })`
  const plugins = {
    a: pluginSource(
      'a',
      `${listening("diary.push('a ' + word + ' ' + cradle.pitch)")}; host.service('pitch', () => 'high')`,
      "depends: ['b'],",
    ),
    b: pluginSource('b', listening("diary.push('b ' + word); if (word === 'bad') throw new Error('b fell')")),
    c: pluginSource(
      'c',
      `host.routes([${routeSource('/emit/:word', "cradle.events.emit('c.tested', request.params).then(() => 'ok')")},
         ${routeSource('/unheard', "cradle.events.emit('c.unheard', {}).then(() => 'ok')")},
         ${routeSource('/unnamed', "cradle.events.emit('c.unnamed', {})")}])`,
      "events: ['c.tested', 'c.unheard'],",
    ),
  }
  const server = await startKernel(t, { plugins })
  const emit = async (word: string) => (await server.request('GET', `/emit/${word}`)).body
  t.equal(await emit('good'), 'ok')
  t.same(diary, ['b good', 'a good high'])
  t.equal(await emit('bad'), 'ok', 'a listener cannot refuse an event')
  t.same(diary.slice(-2), ['b bad', 'a bad high'])
  t.match(server.logged(), /b fell.*"plugin":"b","event":"c.tested","msg":"a listener failed"/)
  t.equal((await server.request('GET', '/unheard')).body, 'ok')
  t.equal((await server.request('GET', '/unnamed')).status, 500)
  t.match(server.logged(), /no manifest names the event \\"c.unnamed\\": add it to \\"events\\" of yours/)
})

t.test(
  "functions of an extension point are called with their plugin's cradle, and failures are collected",
  async (t) => {
    const ask = (word: string, point = 'sums') =>
      routeSource(
        `/ask/${word}`,
        `cradle.extensions['box.${point}'].ask({ word: '${word}' }).catch((error) => [error.message, error.errors?.map((one) => one.message)])`,
      )
    const answer = (name: string, act: string, more = '') =>
      pluginSource(
        name,
        `host.service('own', () => '${name}'); host.extend('box.sums', async ({ word }, { own }) => { ${act} })`,
        more,
      )
    const plugins = {
      ann: answer(
        'ann',
        "if (word !== 'good') throw new Error('ann fell'); return own + word.length",
        "depends: ['bob'],",
      ),
      bob: answer('bob', "if (word === 'bad') throw new Error('bob fell'); return own"),
      box: pluginSource(
        'box',
        `host.extensionPoint('box.sums', { noun: 'sum' }); host.extensionPoint('box.empty', { noun: 'nothing' })
       host.routes([${ask('good')}, ${ask('poor')}, ${ask('bad')}, ${ask('nobody', 'empty')}])`,
      ),
    }
    const server = await startKernel(t, { plugins })
    const answers = async (word: string) => (await server.request('GET', `/ask/${word}`)).body
    t.same(await answers('good'), ['bob', 'ann4'])
    t.same(await answers('poor'), ['ann fell', null])
    t.same(await answers('bad'), ['2 plugins failed', ['bob fell', 'ann fell']])
    t.same(await answers('nobody'), [])
  },
)

t.test(
  'the ready hooks run when all plugins have started, and a plugin whose hook fails is left out',
  async (t) => {
    const job = (name: string) =>
      `host.job({ name: '${name}', every_seconds: 60, run() { diary.push('work ${name}') } })`
    const plugins = {
      a: pluginSource(
        'a',
        job('a'),
        "start() { diary.push('start a') }, ready(cradle, announce) { diary.push('ready a'); announce('sky', 'clear') },",
      ),
      b: pluginSource(
        'b',
        `${job('b')}; host.routes([${routeSource('/b', "'b'")}])`,
        "start() { diary.push('start b') }, ready() { throw new Error('not yet') },",
      ),
      c: pluginSource('c', '', "depends: ['b'], ready() { diary.push('ready c') },"),
    }
    const server = await startKernel(t, { plugins })
    while (!diary.includes('work a')) await new Promise(setImmediate)
    t.same(diary, ['start a', 'start b', 'ready a', 'work a'], 'jobs begin when all plugins are ready')
    t.same(
      server.server.announcements,
      [
        { label: 'API schema', text: `${server.url}/api/openapi.json` },
        { label: 'sky', text: 'clear' },
      ],
      'a function receives the address',
    )
    t.match((await server.request('GET', '/health')).body.plugins, { a: 'ok', b: 'failed', c: 'failed' })
    t.equal((await server.request('GET', '/b')).status, 404)
    t.match(server.logged(), /plugin \\"b\\" failed to get ready: not yet/)
    await t.rejects(startKernel(t, { plugins, config: { plugins: { b: { required: true } } } }), {
      message: 'plugin "b" failed to get ready: not yet',
    })
  },
)

t.test('the cradle contains the declarations of a plugin once setup has returned', async (t) => {
  const plugins = {
    late: pluginSource(
      'late',
      `host.service('own', () => 'mine')
       const read = () => host.cradle.own
       host.routes([{ method: 'GET', path: '/late', summary: 's', guard: 'public', response: { 200: {} }, handler: () => read() }])`,
    ),
    early: pluginSource('early', 'host.cradle.own'),
  }
  const server = await startKernel(t, { plugins })
  t.equal((await server.request('GET', '/late')).body, 'mine')
  t.match(server.logged(), /host\.cradle does not exist before the setup of every plugin is over/)
})

t.test('entries of an extension point can be found by name, with the plugin that added them', async (t) => {
  const toys = "cradle.extensions['box.toys']"
  const unnamed = "cradle.extensions['box.unnamed']"
  const expression = `[${toys}.names(), ${toys}.get('ball')?.size, ${toys}.owner('ball'), ${toys}.module('ball')?.slice(-13), ${toys}.module('kite') === undefined,
    ${toys}.get('kite') === undefined, ${toys}.owner('kite') === undefined, ${unnamed}.list(), ${unnamed}.names(), ${toys}.folder('ball')?.slice(-4), ${toys}.folder('kite') === undefined]`
  const plugins = {
    box: pluginSource(
      'box',
      `host.extensionPoint('box.toys', { noun: 'toy', nameOf: ({ name }) => name })
       host.extensionPoint('box.unnamed', { noun: 'thing' })
       host.routes([${routeSource('/toys', expression)}])`,
    ),
    ann: pluginSource(
      'ann',
      `host.extend('box.toys', { name: 'ball', size: 3 }); host.extend('box.unnamed', 'stone')`,
    ),
    bob: pluginSource('bob', "host.extend('box.toys', { name: 'cart' }); host.extend('box.unnamed', 'leaf')"),
    dan: pluginSource('dan', "host.extend('box.toys', undefined)"),
    cid: pluginSource(
      'cid',
      "host.extend('box.toys', { name: 'kite' })",
      "start() { throw new Error('no wind') },",
    ),
  }
  const server = await startKernel(t, { plugins })
  t.same((await server.request('GET', '/toys')).body, [
    ['ball', 'cart'],
    3,
    'ann',
    '/ann/index.js',
    true,
    true,
    true,
    ['stone', 'leaf'],
    ['ann', 'bob'],
    '/ann',
    true,
  ])
  t.match(server.logged(), /"plugin":"dan","reason":"\\"dan\\" cannot be loaded: /)
})

t.test('a plugin can read the facts of its server and its own configuration', async (t) => {
  const expression =
    '{ server: cradle.server, config: cradle.config, now: cradle.clock.now(), seconds: cradle.clock.seconds() }'
  const plugins = {
    facts: pluginSource(
      'facts',
      `host.routes([${routeSource('/facts', expression)}])`,
      "config: { size: { type: 'integer', default: 3 }, colour: { type: 'string' } },",
    ),
  }
  const config = {
    http: { public_url: 'https://svc.example' },
    plugins: { facts: { colour: 'red' } },
  }
  const startedAt = Date.now()
  const server = await startKernel(t, { plugins, config, env: { SVC_PUBLIC_URI: 'https://svc.example' } })
  t.match(server.logged(), /the variable SVC_PUBLIC_URI sets nothing; did you mean SVC_PUBLIC_URL\?/)
  const { body } = await server.request('GET', '/facts')
  t.same(body.config, { enabled: true, required: false, allow_hosts: [], size: 3, colour: 'red' })
  t.match(body.server, { home: server.home, version: /^\d+\.\d+\.\d+/, public_url: 'https://svc.example' })
  t.match(body.server.node_id, /^[\da-f-]{36}$/)
  t.ok(body.now >= startedAt && body.now <= Date.now())
  t.equal(body.seconds, Math.floor(body.now / 1000))
  t.ok(body.server.started_at <= body.seconds && body.server.started_at >= Math.floor(startedAt / 1000))
})

t.test('packages in the configuration are loaded from the entry file in their package.json', async (t) => {
  const forms: Record<string, object | undefined> = {
    'exports-string': { exports: './lib/entry.js' },
    'exports-dot': { exports: { '.': './lib/entry.js' }, main: './wrong.js' },
    'exports-conditions': { exports: { require: './wrong.cjs', import: './lib/entry.js' } },
    'exports-nested': { exports: { '.': { types: './x.d.ts', node: { import: './lib/entry.js' } } } },
    'exports-default': { exports: { default: './lib/entry.js' } },
    'exports-others': { exports: { './other': './wrong.js' }, main: 'lib/entry.js' },
    'only-main': { main: 'lib/entry.js' },
    '@scope/scoped': { main: 'lib/entry.js', version: '3.2.1' },
    'only-index': {},
    'no-manifest': undefined,
  }
  const packages = Object.keys(forms)
  const home = createHome(
    t,
    bareConfig({ database: await databaseSetting(t), packages: [...packages, 'linked'] }),
  )
  const install = (name: string, folder: string, manifest: object | undefined) => {
    const file = manifest && Object.keys(manifest).length > 0 ? 'lib/entry.js' : 'index.js'
    mkdirSync(join(folder, 'lib'), { recursive: true })
    if (manifest) writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', ...manifest }))
    else writeFileSync(join(home, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, file), diarist(name))
  }
  for (const [name, manifest] of Object.entries(forms))
    install(name.split('/').at(-1)!, join(home, 'node_modules', name), manifest)
  install('linked', join(home, 'elsewhere'), { main: 'lib/entry.js' })
  symlinkSync(join(home, 'elsewhere'), join(home, 'node_modules/linked'))

  const server = await startServer(t, { home, signIn: false })
  const names = [...packages.map((name) => name.split('/').at(-1)!), 'linked']
  t.same(
    diary,
    names.map((name) => `start ${name}`),
  )
  const plugins = server.server.runtime.plugins.filter(({ source }) => source !== 'built-in')
  t.match(
    plugins.find(({ plugin }) => plugin.name === 'scoped'),
    { source: '@scope/scoped', version: '3.2.1' },
  )
  t.match(
    plugins.find(({ source }) => source === 'exports-string'),
    { version: '0.0.0' },
  )
})

t.test('a required package that is missing or invalid is refused by name', async (t) => {
  const config = bareConfig({
    database: await databaseSetting(t),
    packages: ['@acme/weather'],
    plugins: { weather: { required: true } },
  })
  const home = createHome(t, config)
  await t.rejects(startServer(t, { home }), {
    message: `plugin "weather" (@acme/weather) failed to load: the package is not installed in ${home}`,
  })
  const folder = join(home, 'node_modules/@acme/weather')
  mkdirSync(join(folder, 'dist'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', main: 'dist/index.js' }))
  writeFileSync(join(folder, 'dist/index.js'), 'export default 1')
  await t.rejects(startServer(t, { home }), {
    message: 'plugin "weather" (@acme/weather) failed to load: its default export is not a manifest object',
  })
  const optional = { ...config, plugins: { ...config.plugins, weather: {} } }
  writeFileSync(join(home, 'config.json'), JSON.stringify(optional))
  const server = await startServer(t, { home, signIn: false })
  t.same((await server.request('GET', '/health')).body.plugins, {
    weather: 'failed',
    'api-docs': 'ok',
    doctor: 'ok',
    scaffold: 'ok',
  })
})

t.test('hidden folders and files beside the plugins are ignored', async (t) => {
  const home = createHome(t, bareConfig({ database: await databaseSetting(t) }))
  installPlugin(home, 'fine', diarist('fine'))
  installPlugin(home, '.hidden', "throw new Error('was loaded')")
  writeFileSync(join(home, 'plugins/notes.txt'), 'text')
  await startServer(t, { home, signIn: false })
  t.same(diary, ['start fine'])
})

t.test('a failed start leaves neither a database nor a port open', async (t) => {
  const home = createHome(t, bareConfig({ plugins: { late: { required: true } } }))
  installPlugin(home, 'late', pluginSource('late', '', "start() { throw new Error('too late') },"))
  await t.rejects(startServer(t, { home }), { message: /too late/ })
  const directory = join(home, 'db')
  const log = { info() {}, warn() {}, error() {} }
  const engine = await joinEngine({ directory, runtimeDirectory: join(home, 'runtime'), log })
  t.teardown(() => engine.close())

  writeFileSync(join(home, 'config.json'), JSON.stringify(bareConfig()))
  rmSync(join(home, 'plugins'), { recursive: true })
  mkdirSync(join(home, 'server.json'))
  const listening = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap').length
  const portsAtFirst = listening()
  const { stderr, code } = await runCommand(home, ['serve'], {
    env: { SVC_PORT: '0', SVC_LOG_LEVEL: 'silent' },
  })
  t.equal(code, 1)
  t.match(stderr, /EISDIR/)
  // A closed port is still listed until the next turn of the event loop.
  await new Promise(setImmediate)
  t.equal(listening(), portsAtFirst, 'no port is open')
})

t.test('running requests are answered before the database is closed', async (t) => {
  const plugins = {
    slow: pluginSource(
      'slow',
      `host.collection('rows')
       host.routes([${routeSource('/slow', "new Promise((resolve) => { globalThis.finishRequest = resolve; process.emit('slow') }).then(() => cradle.collections.rows.countDocuments())")}])`,
      'stop() { setImmediate(finishRequest) },',
    ),
  }
  const server = await startKernel(t, { plugins })
  const asked = once(process, 'slow')
  const answer = server.request('GET', '/slow')
  await asked
  const stopped = server.stop()
  t.match(await answer, { status: 200, body: 0 })
  await stopped
})

t.test('an error can be described for a later reader, and its cause is logged', async (t) => {
  const explain = (error: string, locale: string) => `cradle.explainError(${error}, '${locale}', 'req-7')`
  const described = ['RAIN', 'SNOW'].map((code) => `cradle.describeError('${code}', { mm: 4 }, 'en') ?? null`)
  const expression = `[${explain("host.error('RAIN', { mm: 3 })", 'zh')}, ${explain("new Error('the canary sang')", 'en')}, ${described}]`
  const errors = "errors: { RAIN: { status: 409, message: { en: '{mm} mm', zh: '{mm} 毫米' } } },"
  const plugins = {
    sky: pluginSource('sky', `host.routes([${routeSource('/explained', expression)}])`, errors),
  }
  const server = await startKernel(t, { plugins })
  const { body } = await server.request('GET', '/explained')
  t.match(body, [
    { code: 'RAIN', message: '3 毫米', details: { mm: 3 }, request_id: 'req-7' },
    { code: 'INTERNAL_ERROR', details: {}, request_id: 'req-7' },
    '4 mm',
    null,
  ])
  t.notMatch(JSON.stringify(body), /canary/)
  t.match(server.logged(), /the canary sang.*"request_id":"req-7","msg":"failed"/)
  t.notMatch(server.logged(), /"code":"RAIN"/)
})

t.test(
  'a name that is unknown while a plugin runs is reported with the name that may be meant',
  async (t) => {
    const asks: Record<string, [expression: string, sentence: string]> = {
      service: [
        'cradle.evnts',
        'asks for the service "evnts", which no plugin provides. Did you mean "events"?',
      ],
      own: [
        'cradle.pitcher',
        'asks for the service "pitcher", which no plugin provides. Did you mean "pitch"?',
      ],
      collection: [
        'cradle.collections.row',
        'the collection "row", which it does not own. Did you mean "rows"?',
      ],
      point: [
        "cradle.extensions['typos.toy'].list()",
        'no plugin that runs declares the extension point "typos.toy". Did you mean "typos.toys"?',
      ],
      event: ["cradle.events.emit('typos.hapened')", 'to "events" of yours. Did you mean "typos.happened"?'],
      limit: ["cradle.limits.of('typoes')", 'no manifest declares the limit "typoes". Did you mean "typos"?'],
      room: [
        "cradle.limits.assertRoom('typoes', 1)",
        'no manifest declares the limit "typoes". Did you mean',
      ],
      within: [
        "cradle.limits.within('typoes', 'ann', () => 1)",
        'no manifest declares the limit "typoes". Did',
      ],
      uncounted: [
        "cradle.limits.within('typos', 'ann', () => 1)",
        'nothing counts the limit "typos": declare host.limit in setup',
      ],
      error: [
        "Promise.reject(host.error('NOT_FUND'))",
        'no manifest declares the error "NOT_FUND". Did you mean "NOT_FOUND"?',
      ],
    }
    const routes = Object.entries(asks).map(([name, [expression]]) =>
      routeSource(`/typos/${name}`, expression),
    )
    const typos = pluginSource(
      'typos',
      `host.collection('rows'); host.service('pitch', () => 'high'); host.extensionPoint('typos.toys', { noun: 'toy' })
     host.routes([${routes}])`,
      "events: ['typos.happened'], limits: { typos: { default: 3, description: 'Typos' } },",
    )
    const server = await startKernel(t, { plugins: { typos } })
    for (const name of Object.keys(asks))
      t.equal((await server.request('GET', `/typos/${name}`)).status, 500, name)
    const log = server.logged().replaceAll('\\"', '"')
    for (const [, sentence] of Object.values(asks)) t.ok(log.includes(sentence), sentence)
  },
)
