import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../kernel/errors.ts'
import { readBlueprint } from '../../kernel/loading/blueprint.ts'
import t, { type Test } from '../run/file-test.ts'
import {
  BUILT_IN_PLUGINS,
  bareConfig,
  createHome,
  pluginSource,
  routeSource,
  startKernel,
  toolSource,
} from '../support/kernel.ts'
import { installPlugin } from '../support/server.ts'

/** Returns the name in a plugin's manifest, else the name of its folder. */
const readName = (source: string, folder: string) =>
  /^\s*(?:export default \{)?.*?\bname: '([^']+)'/s.exec(source)?.[1] ?? folder

/** Reads the blueprint of a home that requires these plugins, which must be refused, and returns the error message. */
async function readRefusal(t: Test, plugins: Record<string, string>): Promise<string> {
  const required = Object.entries(plugins).flatMap(([folder, source]) => {
    const name = readName(source, folder)
    return BUILT_IN_PLUGINS.includes(name) ? [] : [[name, { required: true }]]
  })
  const home = createHome(t, bareConfig({ plugins: Object.fromEntries(required) }))
  for (const [name, source] of Object.entries(plugins)) installPlugin(home, name, source)
  const error = await readBlueprint({ home, env: {} }).then(
    () => t.fail('the plugins were accepted'),
    (cause: Error) => cause,
  )
  t.ok(error instanceof ConfigError, (error as Error).message)
  return (error as Error).message
}

/**
 * Reads the blueprint of a home with the plugins of all cases, none of which is required, and returns why a plugin of
 * each case was left out. Their names are numbered wherever they occur, so that all of them fit into one home.
 */
async function readReasons(t: Test, cases: readonly Record<string, string>[]): Promise<string[]> {
  const home = createHome(t, bareConfig())
  const folders = cases.map((plugins, index) =>
    Object.entries(plugins).map(([name, source]) => {
      const numbered = Object.keys(plugins).reduce(
        (text, other) => text.replaceAll(other, `${other}${index}`),
        source,
      )
      installPlugin(home, `${name}${index}`, numbered)
      return join(home, 'plugins', `${name}${index}`)
    }),
  )
  const { absent } = await readBlueprint({ home, env: {} })
  return folders.map((sources, index) => {
    const reasons = absent.flatMap(({ source, reason }) => (sources.includes(source) ? [reason] : []))
    return Object.keys(cases[index]!).reduce(
      (text, name) => text.replaceAll(`${name}${index}`, name),
      reasons.join(', '),
    )
  })
}

const tool = (
  more: string,
) => `host.extend('agents.tools', { name: 'saw', label: { en: 'Saw', zh: '锯' }, description: 'Saws.',
  input_schema: { type: 'object' }, disableable: true, execute() {}, ${more} })`

const expert = (
  more: string,
) => `const text = { en: 'a', zh: '一' }; host.extend('agents.experts', { id: 'sage', label: text,
  description: text, welcome_message: text, icon: 'leaf', color: '#00ff00', quick_prompts: [],
  task_examples: { en: ['a'], zh: ['一'] }, files: '/srv/sage', ${more} })`

const providerKind = (kind: string, more = '') =>
  `host.extend('providers.kinds', {
     kind: '${kind}', label: { en: 'a', zh: 'a' }, config_schema: {}, languageModel() {}, listModels() {}, ${more} })`

const channelKind = (kind: string, more = '') =>
  `host.extend('channels.kinds', {
     kind: '${kind}', label: { en: 'a', zh: 'a' },
     config_schema: { type: 'object', properties: {}, additionalProperties: false },
     capabilities: {
       direct: { dialect: 'plain', max_length: 10, length_unit: 'bytes' },
       group: { dialect: 'plain', max_length: 10, length_unit: 'bytes' },
     },
     probe() {}, open() {}, ${more} })`

t.test('an invalid manifest is refused with the plugin and the field', async (t) => {
  const manifest = (fields: string) => `export default { ${fields}, kernel: 1 }`
  const nameAndSummary = "name: 'weather', summary: 'Weather'"
  const label = "{ en: 'a', zh: 'a' }"
  const cases: [source: string, words: RegExp][] = [
    ['export default undefined', /its default export is not a manifest object/],
    ['export default null', /its default export is not a manifest object/],
    ['export const name = 1', /its default export is not a manifest object/],
    ['export default []', /its manifest is not valid: it must be object/],
    [manifest("summary: 'x', setup() {}"), /its manifest is not valid: \/name is missing/],
    [manifest("name: 'Bad Name', summary: 'x', setup() {}"), /\/name must match pattern/],
    [manifest("name: 'weather', setup() {}"), /\/summary is missing/],
    [manifest("name: 'weather', summary: '', setup() {}"), /\/summary must NOT have fewer than 1 char/],
    [manifest(nameAndSummary), /\/setup is missing/],
    [manifest(`${nameAndSummary}, setup: 1`), /\/setup must be a function/],
    [manifest(`${nameAndSummary}, setup() {}, start: 'now'`), /\/start must be a function/],
    [manifest(`${nameAndSummary}, setup() {}, stop: {}`), /\/stop must be a function/],
    [
      `export default { ${nameAndSummary}, setup() {}, kernel: 2 }`,
      /its manifest says kernel: 2, but this server has version 1 of the plugin contract/,
    ],
    [
      `export default { ${nameAndSummary}, setup() {} }`,
      /does not say for which plugin contract it was written: add "kernel: 1"/,
    ],
    [manifest(`${nameAndSummary}, async setup() {}`), /its setup is asynchronous; setup may only declare/],
    [
      manifest(`${nameAndSummary}, setup() {}, always: true`),
      /its manifest says "always", but only a built-in plugin runs while it is switched off/,
    ],
    [manifest(`${nameAndSummary}, setup() {}, version: 1`), /\/version must be string/],
    [manifest(`${nameAndSummary}, setup() {}, depends: 'auth'`), /\/depends must be array/],
    [
      manifest(`${nameAndSummary}, setup() {}, depend: []`),
      /\/depend is not a known key\. Did you mean "depends"\?$/,
    ],
    [manifest(`${nameAndSummary}, setup() {}, config: { key: 'text' }`), /\/config\/key must be object/],
    [
      manifest(`${nameAndSummary}, setup() {}, config: { key: { type: 'text' } }`),
      /its configuration has a schema that is not valid: \/properties\/key\/type must be equal to one of the allowed values: array, .*string$/,
    ],
    [
      manifest(`${nameAndSummary}, setup() {}, config: { key: { typ: 'string' } }`),
      /its configuration has a schema that is not valid: .*unknown keyword: "typ"/,
    ],
    [
      manifest(`${nameAndSummary}, setup() {}, errors: { bad: {} }`),
      /\/errors property name must be valid|pattern/,
    ],
    [
      manifest(`${nameAndSummary}, setup() {}, errors: { BAD: { status: 200, message: ${label} } }`),
      /\/status must be/,
    ],
    [
      manifest(`${nameAndSummary}, setup() {}, errors: { BAD: { status: 400, message: { en: 'a' } } }`),
      /\/errors\/BAD\/message\/zh is missing/,
    ],
    [
      manifest(
        `${nameAndSummary}, setup() {}, permissions: [{ key: 'A', category: 'c', label: ${label}, description: ${label} }]`,
      ),
      /\/permissions\/0\/key must match pattern/,
    ],
    [
      manifest(`${nameAndSummary}, setup() {}, permissions: [{ name: 'a' }]`),
      /\/permissions\/0\/key is missing/,
    ],
    [
      manifest(
        `${nameAndSummary}, setup() {}, permissions: [{ key: 'a', category: 'c', label: ${label}, description: ${label}, title: 1 }]`,
      ),
      /\/permissions\/0\/title is not a known key\. Known names: category, description, is_suggested, key, label$/,
    ],
    [
      manifest(`${nameAndSummary}, setup() {}, errors: { BAD: { status: 400, message: ${label}, text: 1 } }`),
      /\/errors\/BAD\/text is not a known key\. Known names: code, level, message, status$/,
    ],
    ['export default {', /failed to load: Unexpected/],
    ["throw new Error('no luck')", /failed to load: no luck/],
    ["import 'not-installed-anywhere'", /failed to load: Cannot find package 'not-installed-anywhere'/],
  ]
  const reasons = await readReasons(
    t,
    cases.map(([source]) => ({ weather: source })),
  )
  for (const [index, [, words]] of cases.entries()) {
    t.match(reasons[index], /^failed to load: /)
    t.match(reasons[index], words)
  }
  for (const name of ['weather', 'Bad Name'])
    t.match(
      await readRefusal(t, { weather: manifest(`name: '${name}', setup() {}`) }),
      new RegExp(`^plugin "${name}" \\(.*/plugins/weather\\) failed to load: its manifest is not valid: `),
    )
})

t.test('a folder without a plugin is refused by name', async (t) => {
  const home = createHome(t, bareConfig({ plugins: { weather: { required: true } } }))
  installPlugin(home, 'weather', pluginSource('weather', ''))
  rmSync(join(home, 'plugins/weather/index.js'))
  await t.rejects(startKernel(t, { home }), {
    message:
      /^plugin "weather" \(.*weather\) failed to load: .*\/weather\/index\.js does not exist: build it, or name another file as "exports" in .*package\.json$/,
  })
  writeFileSync(join(home, 'plugins/weather/package.json'), '{')
  await t.rejects(startKernel(t, { home }), {
    message: /^plugin "weather" \(.*weather\) failed to load: .*package\.json/,
  })
})

t.test('an invalid declaration is refused with the plugin and the field', async (t) => {
  const route = (fields: string) =>
    `host.routes([{ method: 'GET', path: '/x', summary: 's', guard: 'public', response: { 200: {} }, handler() {}, ${fields} }])`
  const socket = (fields: string) =>
    `host.socket({ path: '/x', summary: 's', guard: 'public', receive: {}, send: {}, handler() {}, ${fields} })`
  const job = (fields: string) => `host.job({ name: 'j', every_seconds: 1, run() {}, ${fields} })`
  const command = (fields: string) => `host.command({ name: 'c', summary: 's', run() {}, ${fields} })`
  const cases: [setup: string, words: RegExp][] = [
    ["throw new Error('set up badly')", /: set up badly$/],
    [route("method: 'post'"), /route post \/x is not valid: \/method must be equal to one of .*GET, POST/],
    [route("path: 'x'"), /route GET x is not valid: \/path must match pattern/],
    [route('summary: undefined'), /route GET \/x is not valid: \/summary is missing/],
    [route('response: {}'), /route GET \/x is not valid: \/response must NOT have fewer than 1 prop/],
    [route('response: { ok: {} }'), /route GET \/x is not valid: \/response must match pattern/],
    [route('handler: undefined'), /route GET \/x is not valid: \/handler is missing/],
    [route("handler: 'x'"), /route GET \/x is not valid: \/handler must be a function/],
    [
      route('audits: false'),
      /route GET \/x is not valid: \/audits is not a known key\. Did you mean "audit"\?/,
    ],
    [route('audit: true'), /route GET \/x is not valid: \/audit must be/],
    [route("audit: { action: 'x' }"), /route GET \/x is not valid: \/audit must/],
    [route('audit: false'), /route GET \/x is not valid: \/audit must/],
    [route("audit: { none: '' }"), /route GET \/x is not valid: \/audit must/],
    [socket('receive: undefined'), /socket \/x is not valid: \/receive is missing/],
    [
      socket("description: ''"),
      /socket \/x is not valid: \/description must NOT have fewer than 1 characters/,
    ],
    [socket("closes: { 999: 'late' }"), /socket \/x is not valid: \/closes/],
    [socket('handler: 1'), /socket \/x is not valid: \/handler must be a function/],
    [job('every_seconds: 0'), /job j is not valid: \/every_seconds must be > 0/],
    [job('every_seconds: undefined'), /job j is not valid: \/every_seconds is missing/],
    [job('run: 1'), /job j is not valid: \/run must be a function/],
    [command("name: ''"), /command {2}is not valid: \/name must match pattern/],
    [command('run: undefined'), /command c is not valid: \/run is missing/],
    ["host.routes('all')", /route undefined undefined is not valid: it must be object/],
    ['host.routes()', /is not iterable/],
    ["host.service('a', () => 1); host.service('a', () => 2)", /: service "a" is declared twice$/],
    ["host.collection('a'); host.collection('a')", /: collection "a" is declared twice$/],
    ["host.guard('a', { check() {} }); host.guard('a', { check() {} })", /: guard "a" is declared twice$/],
    ["host.collections('a')", /: the host has no "collections"\. Did you mean "collection"\?$/],
    [
      "host.guard('a', { argument: 'role', check() {} })",
      /\/argument must be equal to constant: permission$/,
    ],
    ["host.guard('a', {})", /guard a is not valid: \/check is missing/],
    [
      "host.register('toys', {})",
      /: the host has no "register"; host\.extend\(point, entry\) adds to other plugins/,
    ],
    [
      providerKind('sun', 'listModels: undefined'),
      /provider kind "sun" is not valid: \/listModels is missing/,
    ],
    [
      providerKind('sun', 'explainError: {}'),
      /provider kind "sun" is not valid: \/explainError must be a function/,
    ],
    [
      providerKind('sun', "config_schema: { type: 'x' }"),
      /provider kind "sun" has a schema that is not valid: /,
    ],
    [providerKind('sun', "label: 'Sun'"), /provider kind "sun" is not valid: \/label must be object/],
    ["host.extend('providers.kinds', null)", /provider kind "undefined" is not valid: it must be object/],
    [channelKind('sun', 'open: undefined'), /channel kind "sun" is not valid: \/open is missing/],
    [channelKind('sun', 'hook: {}'), /channel kind "sun" is not valid: \/hook must be a function/],
    [
      channelKind('sun', 'capabilities: { direct: {}, group: {} }'),
      /channel kind "sun" is not valid: \/capabilities\/direct\/dialect is missing/,
    ],
    [
      channelKind('sun', "config_schema: { type: 'object' }"),
      /channel kind "sun" is not valid: \/config_schema\/properties is missing/,
    ],
    [
      channelKind(
        'sun',
        "config_schema: { type: 'object', properties: { a: { type: 'x' } }, additionalProperties: false }",
      ),
      /channel kind "sun" has a schema that is not valid: /,
    ],
    ["host.extend('channels.kinds', null)", /channel kind "undefined" is not valid: it must be object/],
    ["host.extend('agents.tools', null)", /tool "undefined" is not valid: it must be object/],
    [tool("name: '1st'"), /tool "1st" is not valid: \/name must match pattern/],
    [tool('execute: undefined'), /tool "saw" is not valid: \/execute is missing/],
    [tool('needsApproval: true'), /tool "saw" is not valid: \/needsApproval must be a function/],
    [tool("input_schema: { type: 'x' }"), /tool "saw" has a schema that is not valid: /],
    [
      "host.extensionPoint('toys', { noun: 'toy' })",
      /: the name of its extension point "toys" must begin with "weather\."/,
    ],
    ["host.extend('agents.experts', null)", /expert "undefined" is not valid: it must be object/],
    [expert("color: 'red'"), /expert "sage" is not valid: \/color must match pattern/],
    [expert("needs: ['web search']"), /expert "sage" is not valid: \/needs\/0 must match pattern/],
    [
      expert("needs: ['recall', 'recall']"),
      /expert "sage" is not valid: \/needs must NOT have duplicate items/,
    ],
    [
      expert("quick_prompts: [{ title: text, description: text, prompt: text, needs: 'recall' }]"),
      /expert "sage" is not valid: \/quick_prompts\/0\/needs must be array/,
    ],
    [expert("files: 'here'"), /expert "sage" is not valid: \/files must be an absolute path/],
  ]
  const reasons = await readReasons(
    t,
    cases.map(([setup]) => ({ weather: pluginSource('weather', setup) })),
  )
  for (const [index, [, words]] of cases.entries()) {
    t.match(reasons[index], /^failed to load: /)
    t.match(reasons[index], words)
  }
  t.match(
    await readRefusal(t, { weather: pluginSource('weather', cases[0]![0]) }),
    /^plugin "weather" \(.*\/plugins\/weather\) failed to load: set up badly$/,
  )
})

t.test('an inconsistent route is refused with the plugin and the reason', async (t) => {
  const post = (fields: string) =>
    `host.routes([{ method: 'POST', path: '/weather', summary: 's', guard: 'public', audit: { none: 'a test' }, response: { 200: {} }, handler() {}, ${fields} }])`
  const cases: [setup: string, message: RegExp][] = [
    [post('guard: undefined'), /^route POST \/weather of plugin "weather" has no guard$/],
    [
      post("guard: 'night'"),
      /^route POST \/weather of plugin "weather" uses the guard "night", which no plugin/,
    ],
    [
      post("guard: ['night', 'x']"),
      /^route POST \/weather of plugin "weather" uses the guard "night", which no/,
    ],
    [
      "host.extend('weather.stars', {})",
      /^plugin "weather" extends "weather\.stars", but no plugin declares that extension point\. Known names: .*agents\.tools/,
    ],
    [
      post("guard: { permission: 'notes' }"),
      /^route POST \/weather of plugin "weather" has a guard that is not a name: write guard: 'user', or .*\['permission', 'notes'\]/,
    ],
    [post('guard: []'), /^route POST \/weather of plugin "weather" has a guard that is not a name/],
    [
      post("errors: ['NO_RAIN']"),
      /^route POST \/weather of plugin "weather" names the error NO_RAIN, which no/,
    ],
    [
      post('audit: undefined'),
      /^route POST \/weather of plugin "weather" changes something but names no audit/,
    ],
    [
      "host.socket({ path: '/weather', summary: 's', guard: 'night', receive: {}, send: {}, handler() {} })",
      /^socket \/weather of plugin "weather" uses the guard "night", which no plugin declares\. Known names: day, public$/,
    ],
    [
      "host.guard('day', { errors: ['NO_SUN'], check() {} })",
      /^guard day of plugin "weather" names the error NO_SUN, which no plugin declares$/,
    ],
    [
      "host.guard('noon', { after: 'night', check() {} })",
      /^guard noon of plugin "weather" uses the guard "night", which no plugin declares\. Did you mean "right"/,
    ],
    [
      "host.guard('dawn', { after: 'dusk', check() {} }); host.guard('dusk', { after: 'dawn', check() {} })",
      /^guard dawn of plugin "weather" follows guards in a circle: dawn -> dusk -> dawn$/,
    ],
    [
      `host.guard('grant', { argument: 'permission', check() {} }); ${post("guard: ['grant', 'rains']")}`,
      /^route POST \/weather of plugin "weather" needs the permission "rains", which no manifest declares\. Known names: /,
    ],
    [
      `host.guard('right', { argument: 'permission', check() {} }); ${post("guard: 'right'")}`,
      /^route POST \/weather of plugin "weather" uses the guard "right" without a permission: write guard: \['right', /,
    ],
    [
      "host.limit('rain', () => 1)",
      /counts the limit "rain", which its manifest does not name: add it to "limits"$/,
    ],
    [
      post("errors: ['NOT_FUND']"),
      /^route POST \/weather of plugin "weather" names the error NOT_FUND, which no plugin declares\. Did you mean "NOT_FOUND"\?$/,
    ],
    [
      post("body: { type: 'nothing' }"),
      /failed to load: route POST \/weather has a schema that is not valid: .*type/,
    ],
    [
      "host.socket({ path: '/weather', summary: 's', guard: 'public', receive: { a: { minimum: 'x' } }, send: {}, handler() {} })",
      /failed to load: socket \/weather has a schema that is not valid: .*minimum/,
    ],
  ]
  const reasons = await readReasons(
    t,
    cases.map(([setup]) => ({ weather: pluginSource('weather', setup) })),
  )
  for (const [index, [, message]] of cases.entries()) t.match(reasons[index], message)
  t.match(await readRefusal(t, { weather: pluginSource('weather', cases[0]![0]) }), cases[0]![1])
})

t.test('an event must be declared by exactly one manifest', async (t) => {
  const events = "events: ['weather.changed'],"
  const listening = pluginSource('flag', "host.on('weather.changd', () => {})")
  t.match(
    await readRefusal(t, { weather: pluginSource('weather', '', events), flag: listening }),
    /^plugin "flag" listens to "weather.changd", but no manifest names that event\. Did you mean "weather.changed"\?$/,
  )
  t.match(
    await readRefusal(t, {
      weather: pluginSource('weather', '', events),
      flag: listening.replace('changd', 'thundered'),
    }),
    /no manifest names that event\. Known names that begin with "weather\.": weather\.changed$/,
  )
  t.equal(
    await readRefusal(t, {
      weather: pluginSource('weather', '', events),
      flag: pluginSource('flag', '', events),
    }),
    'event "weather.changed" is declared by both flag and weather',
  )
})

t.test('a dependency cycle is reported with all of its plugins in order', async (t) => {
  const plugins = {
    a: pluginSource('a', '', "depends: ['b'],"),
    b: pluginSource('b', '', "depends: ['c'],"),
    c: pluginSource('c', '', "depends: ['b'],"),
  }
  t.equal(await readRefusal(t, plugins), 'plugins depend on each other: b -> c -> b')
  const itself = { a: pluginSource('a', '', "depends: ['a'],") }
  t.equal(await readRefusal(t, itself), 'plugins depend on each other: a -> a')
})

t.test('a missing dependency is refused with both names', async (t) => {
  const plugins = { weather: pluginSource('weather', '', "depends: ['sky'],") }
  t.equal(await readRefusal(t, plugins), 'plugin "weather" depends on "sky", but no plugin has that name')
  t.equal(
    await readRefusal(t, { weather: pluginSource('weather', '', "depends: ['agent'],") }),
    'plugin "weather" depends on "agent", but no plugin has that name. Did you mean "agents"?',
  )
})

t.test('a name declared by two plugins is refused with both owners', async (t) => {
  const error = "errors: { RAIN: { status: 400, message: { en: 'a', zh: 'a' } } },"
  const permission =
    "permissions: [{ key: 'rain', category: 'c', label: { en: 'a', zh: 'a' }, description: { en: 'a', zh: 'a' } }],"
  const post = (path: string, more = '') =>
    `host.routes([{ method: 'POST', path: '${path}', summary: 's', guard: 'public', audit: { none: 'a test' }, response: { 200: {} }, handler() {}, ${more} }])`
  const socket = (path: string) =>
    `host.socket({ path: '${path}', summary: 's', guard: 'public', receive: {}, send: {}, handler() {} })`
  const cases: [name: string, one: string, two?: string, manifest?: string][] = [
    ['service "sun"', "host.provide('sun', () => 1)"],
    ['collection "sun"', "host.collection('sun')"],
    ['guard "sun"', "host.guard('sun', { check() {} })"],
    ['job "sun"', "host.job({ name: 'sun', every_seconds: 1, run() {} })"],
    ['command "sun"', "host.command({ name: 'sun', summary: 's', run() {} })"],
    ['route "POST /sun/:"', post('/sun/:a'), post('/sun/:b')],
    ['operation "shine"', post('/a', "operation_id: 'shine'"), post('/b', "operation_id: 'shine'")],
    ['route "GET /sun"', socket('/sun')],
    ['route "GET /moon"', `host.routes([${routeSource('/moon', '1')}])`, socket('/moon')],
    ['error "RAIN"', '', '', error],
    ['permission "rain"', '', '', permission],
    ['tool "sun"', toolSource('sun')],
    ['provider kind "sun"', providerKind('sun')],
    ['expert "sage"', expert('')],
    ['channel kind "sun"', channelKind('sun')],
  ]
  const homes = cases.map(([, one, two = one, manifest = '']) => ({
    fern: pluginSource('fern', one, manifest),
    moss: pluginSource('moss', two, manifest),
  }))
  const refusal = (name: string) => `${name} is declared by both fern and moss`
  t.strictSame(
    await readReasons(t, homes),
    cases.map(([name]) => refusal(name)),
  )
  t.equal(await readRefusal(t, homes[0]!), refusal(cases[0]![0]))
})

t.test('a plugin cannot declare the names of the kernel', async (t) => {
  const error = "errors: { NOT_FOUND: { status: 404, message: { en: 'a', zh: 'a' } } },"
  t.equal(
    await readRefusal(t, { first: pluginSource('first', '', error) }),
    'error "NOT_FOUND" is declared by both the kernel and first',
  )
  const paths = ['/health', '/health/live']
  t.strictSame(
    await readReasons(
      t,
      paths.map((path) => ({ first: pluginSource('first', `host.routes([${routeSource(path, '1')}])`) })),
    ),
    paths.map((path) => `route "GET ${path}" is declared by both the kernel and first`),
  )
})
