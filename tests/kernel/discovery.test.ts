import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHost } from '../../kernel/contract/host.ts'
import { readBlueprint } from '../../kernel/loading/blueprint.ts'
import type { Trial } from '../../kernel/loading/discovery.ts'
import { listPlugins } from '../../plugins/operation/scaffold/plugin-rows.ts'
import t, { type Test } from '../run/file-test.ts'
import { bareConfig, createHome, pluginSource, routeSource, startKernel } from '../support/kernel.ts'
import { installPlugin } from '../support/server.ts'

/** A plugin with an extension point whose entries can be folders of their own. */
const BOX = pluginSource(
  'box',
  `host.extensionPoint('box.toys', {
     noun: 'toy', nameOf: ({ name }) => name, folder: 'toys',
   })
   host.extensionPoint('box.stickers', { noun: 'sticker' })`,
)

const install = (folder: string, source: string, manifest: object = {}) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', ...manifest }))
  writeFileSync(join(folder, 'index.js'), source)
}

/** Creates a home with the plugin above. */
function createBox(t: Test, config: Parameters<typeof bareConfig>[0] = {}): string {
  const home = createHome(t, bareConfig(config))
  installPlugin(home, 'box', BOX)
  return home
}

/** Lists the rows of `svc plugins` without the built-in ones. */
async function listRows(home: string, trial?: Trial) {
  const blueprint = await readBlueprint({ home, env: {}, trial })
  return listPlugins(blueprint).filter(({ source }) => source !== 'built-in')
}

t.test('a built-in plugin keeps its name when a package uses the same name', async (t) => {
  const config = { packages: ['parrot'] }
  const home = createHome(t, config)
  const kind = `export default { kind: 'demo', label: { en: 'a', zh: 'a' }, config_schema: { type: 'object' },
    languageModel() {}, listModels() {} }`
  install(join(home, 'node_modules/parrot'), kind, { svc: { extends: 'providers.kinds' } })
  t.match(await listRows(home), [
    { name: 'parrot', error: 'provider kind "demo" is declared by both providers/demo and parrot' },
  ])
})

t.test('a folder on trial is loaded from its own location, as a plugin or as an entry', async (t) => {
  const home = createBox(t)
  const folder = join(home, 'elsewhere')
  install(folder, "export default { name: 'yo-yo', price: 1 }")
  const [, asPlugin] = await listRows(home, { folder })
  t.match(asPlugin, { source: folder, status: 'failed', error: /\/summary is missing$/ })
  const [, asToy] = await listRows(home, { folder, point: 'box.toys' })
  t.match(asToy, { source: folder, status: 'ok', extends: [{ point: 'box.toys', name: 'yo-yo' }] })
  const [, asNothing] = await listRows(home, { folder, point: 'box.stickers' })
  t.match(asNothing, { source: folder, status: 'ok', extends: [{ point: 'box.stickers' }] })
})

t.test('a plugin or folder with the name of another plugin is left out and listed by its path', async (t) => {
  const home = createHome(t, { plugins: { users: { password_memory_kib: 8 } } })
  for (const folder of ['a', 'b']) installPlugin(home, folder, pluginSource('weather', ''))
  installPlugin(home, 'users', "throw new Error('no users')")
  install(join(home, 'channels/auth'), "throw new Error('no channel')")
  t.match(
    (await listRows(home)).map(({ name, status, error }) => [name, status, error]),
    [
      ['weather', 'ok', null],
      [join(home, 'plugins/b'), 'failed', /two plugins are named "weather": .*\/a and .*\/b$/],
      [join(home, 'plugins/users'), 'failed', 'failed to load: no users'],
      [join(home, 'channels/auth'), 'failed', /^channels\/auth .* failed to load: no channel$/],
    ],
  )
})

t.test('a folder that comes with the server is switched off by its name, which no other has', async (t) => {
  const home = createHome(t, { plugins: { bedrock: { enabled: false }, telegram: { enabled: false } } })
  installPlugin(home, 'telegram', pluginSource('telegram', ''))
  installPlugin(home, 'slack', pluginSource('slack', ''))
  const kind = `export default { kind: 'bedrock', label: { en: 'a', zh: 'a' }, config_schema: { type: 'object' },
    languageModel() {}, listModels() {} }`
  install(join(home, 'providers/bedrock'), kind)
  const blueprint = await readBlueprint({ home, env: {} })
  const kindNames = blueprint.entries.map(({ owner, source }) => [owner, source])
  t.notHas(kindNames, [['providers/bedrock', 'built-in']])
  const names = ['bedrock', 'telegram', 'slack', join(home, 'providers/bedrock')]
  const rows = listPlugins(blueprint)
    .filter(({ name }) => names.includes(name))
    .map(({ name, source, status, error }) => [name, source, status, error])
    .sort()
  t.match(rows, [
    [join(home, 'providers/bedrock'), join(home, 'providers/bedrock'), 'ok', null],
    ['bedrock', 'built-in', 'off', 'switched off'],
    ['slack', join(home, 'plugins/slack'), 'failed', /its name is that of an entry of "channels.kinds"/],
    ['slack', 'built-in', 'ok', null],
    ['telegram', join(home, 'plugins/telegram'), 'off', 'switched off'],
    ['telegram', 'built-in', 'off', 'switched off'],
  ])
})

t.test('a plugin may use another copy of this package than the server', async (t) => {
  const { reply } = await import(new URL('../../kernel/contract/route.js?copy', import.meta.url).href)
  const { AppError } = await import(new URL('../../kernel/errors.js?copy', import.meta.url).href)
  Object.assign(globalThis, { copy: { reply, AppError } })
  const plugins = {
    foreign: pluginSource(
      'foreign',
      `host.routes([
         ${routeSource('/chosen', "copy.reply(202, { text: 'later' })").replace('{ 200: {} }', '{ 200: {}, 202: {} }')},
         ${routeSource('/refused', "Promise.reject(new copy.AppError('NOT_FOUND'))")},
       ])`,
    ),
  }
  const server = await startKernel(t, { plugins })
  t.match(await server.request('GET', '/chosen'), { status: 202, body: { text: 'later' } })
  t.match(await server.request('GET', '/refused'), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
  for (const value of [null, undefined, 'NOT_FOUND', new Error('NOT_FOUND')])
    t.notOk((value as unknown) instanceof AppError)
})

t.test('an error of syntax has its file and line', async (t) => {
  const home = createHome(t, bareConfig())
  install(join(home, 'plugins/cut'), 'export default {\n  name: ')
  install(join(home, 'plugins/rain'), "import './drops.js'")
  writeFileSync(join(home, 'plugins/rain/drops.js'), '\nconst drops = ]')
  install(join(home, 'plugins/dry'), "import 'wet'")
  install(join(home, 'plugins/dry/node_modules/wet'), 'const wet = ]')
  const rows = await listRows(home)
  const errors = Object.fromEntries(rows.map(({ name, error }) => [name, error]))
  t.match(errors, {
    cut: /Unexpected end of input \(.*\/cut\/index\.js:2\)$/,
    rain: /Unexpected token '\]' \(.*\/rain\/drops\.js:2\)$/,
    dry: /Unexpected token '\]'$/,
  })
})

t.test('a plugin may be compiled to CommonJS', async (t) => {
  const home = createHome(t, bareConfig())
  const exported = pluginSource('old', '').replace('export default', 'exports.default =')
  install(
    join(home, 'plugins/old'),
    `Object.defineProperty(exports, '__esModule', { value: true }); ${exported}`,
  )
  writeFileSync(join(home, 'plugins/old/package.json'), '{ "name": "old", "version": "1.0.0" }')
  const rows = await listRows(home)
  t.match(
    rows.find(({ name }) => name === 'old'),
    { status: 'ok', error: null },
  )
})

t.test('what is declared after setup is refused, however the word was kept', async (t) => {
  const words = [
    'provide',
    'service',
    'collection',
    'migration',
    'guard',
    'limit',
    'routes',
    'socket',
    'pages',
    'on',
    'job',
    'command',
    'extensionPoint',
    'extend',
    'health',
    'check',
  ] as const
  const home = createHome(t, bareConfig())
  installPlugin(home, 'late', pluginSource('late', `globalThis.late = { host, collection: host.collection }`))
  await readBlueprint({ home, env: {} })
  const { late } = globalThis as unknown as {
    late: { host: Record<string, (...args: unknown[]) => void>; collection(name: string): void }
  }
  const refused = (word: string) =>
    new RegExp(`^host\\.${word} declares nothing after setup: call it in setup$`)
  for (const word of words) t.throws(() => late.host[word]!('notes'), refused(word), word)
  t.throws(() => late.collection('notes'), refused('collection'), 'a word that was taken from the host')
  t.ok(late.host.error!('NOT_FOUND'), 'errors are still made')

  const builtIn = createHost('ours', { isBuiltIn: true })
  const { job } = builtIn.host
  builtIn.declarations.close()
  t.throws(
    () => job({ name: 'tidy', every_seconds: 1, run() {} }),
    refused('job'),
    'of a built-in plugin, too',
  )
})

t.test('a start that declares something, now or later, is reported', async (t) => {
  const source = (start: string) => `let late
${pluginSource('late', 'late = host.job', `start() { ${start} },`)}`
  const server = await startKernel(t, {
    plugins: { late: source("late({ name: 'x', every_seconds: 1, run() {} })") },
  })
  t.match(await server.request('GET', '/health'), { body: { plugins: { late: 'failed' } } })
  t.match(server.logged(), /host\.job declares nothing after setup: call it in setup/)
})
