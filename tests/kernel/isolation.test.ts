import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import {
  confine,
  type ForeignFolder,
  findCulprit,
  runAs,
  takeActivePlugins,
} from '../../kernel/contract/isolation.ts'
import { readBlueprint } from '../../kernel/loading/blueprint.ts'
import { createLogger } from '../../kernel/log.ts'
import { watchStalls } from '../../kernel/server/stall-watch.ts'
import t, { type Test } from '../run/file-test.ts'
import { bareConfig, createHome, pluginSource, routeSource, spawnServer } from '../support/kernel.ts'
import { installPlugin } from '../support/server.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

/** A plugin with a route that causes an uncaught error, in a different way for each parameter. */
const careless = `
// Blocks like code that computes, but leaves the processor to others.
const sleeper = new Int32Array(new SharedArrayBuffer(4))
const later = { timer: () => setTimeout(() => { throw new Error('from a timer') }),
  promise: () => { Promise.reject(new Error('from a promise')) },
  text: () => { Promise.reject('from a promise without a stack') },
  loop: () => { for (const end = Date.now() + 2000; Date.now() < end; ) Atomics.wait(sleeper, 0, 0, 10); },
  microtask: () => queueMicrotask(() => { throw new Error('from a microtask') }) }
setTimeout(() => { throw new Error('while it was loaded') })
${pluginSource(
  'careless',
  `setTimeout(() => { throw new Error('while it was declared') })
   host.routes([${routeSource('/careless/:way', 'void later[request.params.way](), true')}])
   host.job({ name: 'careless', every_seconds: 3600, run() { setTimeout(() => { throw new Error('from a job') }) } })`,
)}`

/** Starts a server with this plugin. `preloadSource` is the source of a module that its process loads first. */
async function run(t: Test, { preloadSource = '', nodeArgs = [] as string[] } = {}) {
  const home = createHome(t, bareConfig({ database: { url: await createDatabaseUrl(t) } }))
  installPlugin(home, 'careless', careless)
  const preload = join(home, 'preload.mjs')
  writeFileSync(preload, preloadSource)
  return spawnServer(t, home, [], { nodeArgs: ['--import', preload, ...nodeArgs], measuresCoverage: true })
}

t.test(
  'uncaught errors of an external plugin are logged with its name and do not end the server',
  async (t) => {
    const { url, child, ended, output } = await run(t)
    const get = (path: string) => fetch(`${url}/api${path}`)
    for (const way of ['timer', 'promise', 'text', 'microtask'])
      t.equal((await get(`/careless/${way}`)).status, 200)
    const messages = [
      'from a timer',
      'from a promise',
      'from a promise without a stack',
      'from a microtask',
      'from a job',
      'while it was loaded',
      'while it was declared',
    ]
    const faults = () =>
      output()
        .stderr.split('\n')
        .filter((line) => line.includes('a plugin did not catch an error'))
    while (faults().length < messages.length) await once(child.stderr, 'data')
    for (const message of messages)
      t.ok(
        faults().some((line) => line.includes(message) && line.includes('"plugin":"careless"')),
        message,
      )
    t.equal((await get('/careless/loop')).status, 200)
    while (!output().stderr.includes('blocks the event loop')) await once(child.stderr, 'data')
    t.match(
      output().stderr,
      /"plugins":\["careless"\],"ms":\d{4,},"msg":"a plugin blocks the event loop for more than a second"/,
    )
    t.match(await (await get('/health')).json(), { status: 'degraded', plugins: { careless: 'degraded' } })
    child.kill()
    t.match(await ended, { code: 0 })
  },
)

t.test('a plugin is at work until the promises of its calls are settled', async (t) => {
  // Plugins of other tests in this process may still be at work.
  const takeActive = () => takeActivePlugins().filter((name) => ['busy', 'quick'].includes(name))
  const work = new EventEmitter()
  const ended = runAs('busy', () => once(work, 'done'))
  t.equal(
    runAs('quick', () => 7),
    7,
  )
  t.same(takeActive(), ['busy', 'quick'])
  t.same(takeActive(), ['busy'])
  work.emit('done')
  await ended
  t.same(takeActive(), ['busy'], 'it ended its work since the last look')
  t.same(takeActive(), [])
})

t.test('a stall during which a plugin was not at work does not name it', async (t) => {
  takeActivePlugins()
  const lines = new PassThrough({ encoding: 'utf8' })
  const watch = watchStalls(createLogger({ level: 'info', destination: lines }))
  t.teardown(() => watch.stop())
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
  const keepAlive = setInterval(() => undefined, 1000)
  const [line] = await once(lines, 'data')
  clearInterval(keepAlive)
  t.match(JSON.parse(line), { ms: Number, msg: /blocks the event loop/ })
  t.notMatch(JSON.parse(line).plugins.join(), /busy|quick/)
})

t.test('the event loop is not watched while a debugger can stop it', async (t) => {
  const { url, child, ended, output } = await run(t, { nodeArgs: ['--inspect=127.0.0.1:0'] })
  for (let n = 0; n < 2; n++) t.equal((await fetch(`${url}/api/careless/loop`)).status, 200)
  child.kill()
  await ended
  t.notMatch(output().stderr, /blocks the event loop/)
})

t.test('an uncaught error of the server itself stops it gracefully', async (t) => {
  const preloadSource = "process.on('SIGHUP', () => setTimeout(() => { throw new Error('preloadSource') }))"
  const { child, ended } = await run(t, { preloadSource })
  child.kill('SIGHUP')
  const { code, stderr } = await ended
  t.equal(code, 1)
  t.match(stderr, /^Stopping because of an error.$/m)
  t.match(stderr, /"level":(60|"fatal").*preloadSource.*an error that nobody caught ends the server/)
})

t.test('an uncaught error of the server itself during its start ends the process at once', async (t) => {
  const preloadSource = `const waiting = setInterval(() => {
    if (process.listenerCount('uncaughtException') === 0) return
    clearInterval(waiting)
    throw new Error('preloadSource, early')
  })`
  await t.rejects(run(t, { preloadSource }), /svc: Error: preloadSource, early/)
})

t.test('an error belongs to the folder in its stack, and to nobody without one', async (t) => {
  const folders: ForeignFolder[] = [{ name: 'theirs', folder: '/srv/theirs' }]
  const thrownIn = (file: string) =>
    Object.assign(new Error('x'), { stack: `Error: x\n    at file://${file}:1:2` })
  t.equal(findCulprit(thrownIn('/srv/theirs/index.js'), folders), 'theirs')
  t.equal(findCulprit(thrownIn('/srv/theirs-too/index.js'), folders), undefined)
  t.equal(findCulprit('a text', folders), undefined)
})

t.test('a declaration that contains itself is refused in a sentence', async (t) => {
  const declarations: [name: string, setup: string, path: RegExp][] = [
    [
      'looping',
      `const body = { type: 'object', properties: { a: { type: 'string' } } }
       body.properties.self = body
       host.routes([{ method: 'POST', path: '/looping', summary: 's', guard: 'public', body, response: {}, handler() {} }])`,
      /its declaration contains itself at \/0\/0\/body\/properties\/self;/,
    ],
    [
      'listing',
      'const list = []; list.push(list); host.routes(list)',
      /its declaration contains itself at \/0\/0;/,
    ],
    [
      'deep',
      'let deep = {}; for (let level = 0; level < 20000; level++) deep = { deep }; host.routes([deep])',
      /its declaration is nested too deeply at \/0\/0\/deep/,
    ],
  ]
  const home = createHome(t, bareConfig())
  const loop = "const loop = { type: 'object', properties: {} }; loop.properties.loop = loop;"
  for (const [name, manifest] of [
    ['configured', 'config: { loop },'],
    ['versioned', 'kernel: loop,'],
  ] as const) {
    installPlugin(home, name, loop + pluginSource(name, '', manifest))
    declarations.push([
      name,
      '',
      /its declaration contains itself at \/(config\/loop|kernel)\/properties\/loop;/,
    ])
  }
  for (const [name, setup] of declarations.slice(0, 3)) installPlugin(home, name, pluginSource(name, setup))
  const { absent } = await readBlueprint({ home, env: {} })
  const reasonOf = (plugin: string) => absent.find(({ name }) => name === plugin)?.reason
  for (const [name, , reason] of declarations) t.match(reasonOf(name), reason, name)

  const shared = { type: 'string' }
  const set = new Set([1])
  t.equal((confine('twice', { set }) as { set: unknown }).set, set, 'an object with a class stays the same')
  t.strictSame(confine('twice', { a: shared, b: [shared, null] }), { a: shared, b: [shared, null] })
})
