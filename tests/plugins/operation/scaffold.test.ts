import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { createHome, pluginSource, runCommand } from '../../support/kernel.ts'

/** Writes a folder with these files into a new home, and returns what `svc plugin check` says of it. */
async function check(t: Test, path: string, files: Record<string, string>, ...options: string[]) {
  const home = createHome(t)
  const folder = join(home, path)
  for (const [name, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return runCommand(home, ['plugin', 'check', folder, ...options])
}

const channelKind = (fields = '') => `export default {
  kind: 'kite', label: { en: 'Kite', zh: '风筝' },
  config_schema: { type: 'object', properties: {}, additionalProperties: false },
  capabilities: {
    direct: { dialect: 'plain', max_length: 10, length_unit: 'bytes' },
    group: { dialect: 'plain', max_length: 10, length_unit: 'bytes' },
  },
  probe() {}, open() {}, ${fields}
}`

const linesOf = (source: string) => source.split('\n').filter((line) => line !== '').length

t.test('a new folder has all that its template has, under its name', { skip: onlyLong }, async (t) => {
  const home = createHome(t)
  const made = async (template: string) => {
    const { code, stderr } = await runCommand(home, [
      'plugin',
      'new',
      template,
      `my-${template}`,
      '--in',
      home,
    ])
    t.same([code, stderr], [0, ''])
    const folder = join(home, `my-${template}`)
    t.same(
      ['.gitignore', 'README.md', 'node_modules', 'package.json', 'src', 'test', 'tsconfig.json'],
      readdirSync(folder).sort(),
    )
    const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|json|md)$/.test(file) && !file.startsWith('node_modules'))
      .map((file) => readFileSync(join(folder, file), 'utf8'))
    t.notMatch(texts.join('\n'), /\{\{|__SNAKE__/, 'no placeholder is left')
    const source = readFileSync(join(folder, 'src/index.ts'), 'utf8')
    return { manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), source }
  }
  const { version, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const tools = JSON.parse(readFileSync('tests/package.json', 'utf8')).dependencies

  const channel = await made('channel')
  t.match(channel.manifest, { name: 'my-channel', type: 'module', svc: { extends: 'channels.kinds' } })
  t.same(channel.manifest.devDependencies, {
    '@types/node': devDependencies['@types/node'],
    'agent-platform-service': `^${version}`,
    typescript: tools.typescript,
  })
  const provider = await made('provider')
  t.match(provider.manifest.svc, { extends: 'providers.kinds' })
  t.ok(linesOf(provider.source) <= 15)
  const engine = await made('search-engine')
  t.notOk('svc' in engine.manifest)
  t.ok(linesOf(engine.source) <= 35)
  const feature = await made('feature')
  t.notOk('svc' in feature.manifest)
  t.ok(linesOf(feature.source) <= 50)
})

t.test('a feature has a module of the console if it is asked for', async (t) => {
  const home = createHome(t)
  const make = (name: string, ...options: string[]) =>
    runCommand(home, ['plugin', 'new', 'feature', name, ...options, '--in', home])
  const read = (path: string) => readFileSync(join(home, path), 'utf8')
  t.match(await make('plain'), { code: 0 })
  t.match(await make('shown', '--console'), { code: 0 })
  t.notMatch(read('plain/src/index.ts'), /slots/)
  t.match(read('shown/src/index.ts'), /console\.slots.*console\/note\.js.*permission: 'shown'/s)
  t.match(read('shown/console/note.ts'), /request\('POST', '\/shown'/)
  t.match(JSON.parse(read('shown/package.json')), {
    files: ['dist/src', 'dist/console'],
    scripts: { build: 'tsc && tsc -p console' },
  })
  t.notMatch(read('shown/src/index.ts') + read('shown/test/console.test.ts'), /\{\{|__[A-Z]+__/)
})

t.test('a folder with something in it, a bad name and an unknown template are refused', async (t) => {
  const home = createHome(t)
  mkdirSync(join(home, 'empty'))
  const make = (...args: string[]) => runCommand(home, ['plugin', 'new', ...args, '--in', home])
  t.match(await make('feature', 'empty'), { code: 0 })
  t.match(await make('feature', 'empty'), {
    code: 1,
    stdout: '',
    stderr: `svc: ${join(home, 'empty')} is not empty: choose another name, or remove the folder\n`,
  })
  for (const name of ['Notes', '../notes', '1st', 'a_b', 'a'.repeat(65)])
    t.match(await make('feature', name), { code: 1, stderr: `svc: "${name}" is not a valid name: ` })
  t.match(await make('tool', 'hammer'), {
    code: 1,
    stderr: 'svc: "tool" is not a template: use channel, provider, search-engine, feature\n',
  })
  t.notOk(existsSync(join(home, 'hammer')))
  t.match(await make('channel', 'kite', '--console'), {
    code: 1,
    stderr: 'svc: "--console" is for a feature: a channel has no module of the console\n',
  })
})

t.test('check shows what a plugin brings', async (t) => {
  const plugin = pluginSource(
    'sky',
    `host.provide('weather', () => 1)
     host.extensionPoint('sky.clouds', { noun: 'cloud' })
     host.job({ name: 'sky.tidy', every_seconds: 60, run() {} })`,
    "version: '2.1.0', depends: ['auth'],",
  )
  const shown = await check(t, 'sky', { 'index.js': plugin })
  t.same([shown.code, shown.stderr], [0, ''])
  t.match(
    shown.stdout,
    /^sky 2\.1\.0 loads\. It provides:\n\n +services +weather\n +jobs +sky\.tidy\n +extension points +sky\.clouds\n\nIts start and ready hooks were not run: .*\n$/,
  )
  const { stdout } = await check(t, 'sky', { 'index.js': plugin }, '--json')
  t.match(JSON.parse(stdout), { name: 'sky', status: 'ok', provides: ['weather'] })
  const elsewhere = await check(t, 'cloud', { 'index.js': plugin })
  t.match(elsewhere.stdout, /settings are at plugins\.sky: its name, not its folder "cloud"/)
  t.match(await check(t, 'calm', { 'index.js': pluginSource('calm', '') }), { stdout: /nothing/ })
})

t.test('check loads the plugins that a folder depends on from beside it', async (t) => {
  const tide = pluginSource('tide', "host.provide('level', () => 1)", "depends: ['moon'],")
  const files = {
    'index.js': pluginSource('harbour', "host.on('tide.turned', () => {})", "depends: ['tide'],"),
    '../tide/index.js': tide,
    '../tide/package.json': '{"type":"module"}',
    '../moon/index.js': pluginSource('moon', '', "events: ['tide.turned'],"),
    '../moon/package.json': '{"type":"module"}',
  }
  t.match(await check(t, 'harbour', files), { code: 0, stdout: /^harbour 0.0.0 loads/ })
  t.match(await check(t, 'harbour', { ...files, '../moon/index.js': pluginSource('moon', '') }), {
    code: 1,
    stderr:
      /harbour: plugin "harbour" listens to "tide.turned", but no manifest names that event\. Known names: account/,
  })
  t.match(await check(t, 'harbour', { 'index.js': files['index.js'] }), {
    code: 1,
    stderr: /harbour: plugin "harbour" depends on "tide", but no plugin has that name/,
  })
})

t.test('check takes a kind by its package.json, by the folder it is in, or by its form', async (t) => {
  const brought = { code: 0, stdout: /^(pigeon|dragon) .* loads.*extensions +kite \(channels\.kinds\)\n/ms }
  const named = '{"type":"module","svc":{"extends":"channels.kinds"}}'
  t.match(await check(t, 'pigeon', { 'package.json': named, 'index.js': channelKind() }), brought)
  t.match(await check(t, 'channels/pigeon', { 'index.js': channelKind() }), brought)
  t.match(await check(t, 'dragon', { 'index.js': channelKind() }), brought)
})

t.test('check says in one sentence what is wrong, and what to change', async (t) => {
  const route = (fields: string) =>
    `host.routes([{ method: 'POST', path: '/sky', summary: 's', response: { 200: {} }, handler() {}, ${fields} }])`
  const cases: [path: string, files: Record<string, string>, sentence: RegExp][] = [
    [
      'sky',
      {},
      /^svc: sky: failed to load: .*\/sky\/index\.js does not exist: build it, or name another file/,
    ],
    [
      'sky',
      { 'index.js': 'export default {\n  name: ' },
      /^svc: sky: failed to load: Unexpected end of input \(.*\/sky\/index\.js:2\)$/m,
    ],
    [
      'sky',
      { 'index.js': "import './rain.js'", 'rain.js': '\nconst drops = ]' },
      /^svc: sky: failed to load: Unexpected token ']' \(.*\/sky\/rain\.js:2\)$/m,
    ],
    [
      'sky',
      { 'index.js': pluginSource('sky', '', "config: { wind: { type: 'breeze' } },") },
      /type must be equal to one of the allowed values: array, boolean, integer/,
    ],
    ['sky', { 'index.js': "import 'clouds'" }, /^svc: sky: failed to load: Cannot find package 'clouds'/],
    [
      'sky',
      { 'index.js': pluginSource('sky', '', 'permission: [],') },
      /^svc: sky: failed to load: its manifest is not valid: \/permission is not a known key\. Did you mean "permissions"\?/,
    ],
    [
      'sky',
      { 'index.js': pluginSource('sky', route("guard: { permission: 'sky' }, audit: 'sky.add'")) },
      /^svc: sky: route POST \/sky of plugin "sky" has a guard that is not a name: write .*\['permission', 'notes'\]/,
    ],
    [
      'sky',
      { 'index.js': pluginSource('sky', route("guard: 'user', audit: 'sky.add'")) },
      /^svc: sky: route POST \/sky of plugin "sky" uses the guard "user" without depending on its plugin: add "auth" to/,
    ],
    [
      'sky',
      { 'index.js': pluginSource('sky', route("guard: 'public'")) },
      /^svc: sky: route POST \/sky of plugin "sky" changes something but names no audit action/,
    ],
    [
      'sky',
      { 'index.js': pluginSource('users', '') },
      /^svc: .*\/sky: failed to load: two plugins are named "users": built-in and .*\/sky$/m,
    ],
    [
      'channels/sky',
      { 'index.js': channelKind('open: undefined') },
      /^svc: sky: channels\/sky .* failed to load: channel kind "kite" is not valid: \/open is missing$/m,
    ],
    [
      'sky',
      { 'index.js': channelKind('open: undefined') },
      /\/name is missing; if it is not a plugin, name its extension point in package\.json: "svc": \{ "extends": "channels\.kinds" or "providers\.kinds" \}$/m,
    ],
    [
      'sky',
      { 'package.json': '{"type":"module","svc":{"extends":"channel.kinds"}}', 'index.js': channelKind() },
      /no plugin declares the extension point "channel\.kinds", which its package\.json extends\. Did you mean "channels\.kinds"\?$/m,
    ],
  ]
  for (const [path, files, sentence] of cases) {
    const refused = await check(t, path, files)
    t.match(refused, { code: 1, stdout: '', stderr: sentence })
    t.equal(refused.stderr.trimEnd().split('\n').length, 1)
  }
  const { code, stdout } = await check(t, 'sky', {}, '--json')
  t.match({ code, row: JSON.parse(stdout) }, { code: 1, row: { name: 'sky', status: 'failed' } })
})

t.test('check loads CommonJS modules', async (t) => {
  const source = pluginSource('sky', "host.job({ name: 'sky.tidy', every_seconds: 60, run() {} })")
  const exported = source.replace('export default', 'module.exports =')
  const compiled = `Object.defineProperty(exports, '__esModule', { value: true }); ${source.replace('export default', 'exports.default =')}`
  for (const text of [exported, compiled])
    t.match(await check(t, 'sky', { 'package.json': '{}', 'index.js': text }), {
      code: 0,
      stdout: /jobs +sky\.tidy/,
    })
  const refused = await check(t, 'sky', { 'index.js': exported })
  t.match(refused, { code: 1, stderr: /module is not defined in ES module scope/ })
})

t.test('check --start says what fails in start, ready and stop', async (t) => {
  const checkStart = (hooks: string, more: Record<string, string> = {}) =>
    check(t, 'sky', { 'index.js': pluginSource('sky', '', hooks), ...more }, '--start')
  t.match(await checkStart("async start() { throw new Error('no wind') },"), {
    code: 1,
    stdout: '',
    stderr: 'svc: sky: plugin "sky" failed to start: no wind\n',
  })
  t.match(await checkStart("stop() { throw new Error('no calm') },"), {
    code: 1,
    stderr: /^svc: sky: plugin "sky" failed to stop: .*no calm\n$/,
  })
  t.match(
    await checkStart("depends: ['moon'], ready() { setTimeout(() => { throw new Error('too late') }) },", {
      '../moon/index.js': pluginSource('moon', ''),
      '../moon/package.json': '{"type":"module"}',
    }),
    { code: 1, stderr: 'svc: sky: a plugin did not catch an error: too late\n' },
  )
  t.match(await checkStart('start() {}, ready() {}, stop() {},'), {
    code: 0,
    stdout: /A server started and stopped with it\.\n$/,
  })
  t.match(await check(t, 'channels/kite', { 'index.js': channelKind() }, '--start'), {
    code: 0,
    stdout: /A server started and stopped with it\./,
  })
  t.match(await checkStart('start() { process.exit(3) },'), {
    code: 1,
    stderr: 'svc: sky: its server ended with exit code 3\n',
  })
})
