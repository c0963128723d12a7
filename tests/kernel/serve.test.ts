import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { readBlueprint } from '../../kernel/loading/blueprint.ts'
import { startServer } from '../../kernel/server/server.ts'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../run/file-test.ts'
import {
  bareConfig,
  createHome,
  pluginSource,
  runCommand,
  spawnCommand,
  spawnServer,
} from '../support/kernel.ts'
import { installPlugin } from '../support/server.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

/** Creates a home with a plugin that has this source for its start and its stop. */
function prepare(t: Test, { setup = '', manifest = '', config = {} } = {}): string {
  const home = createHome(t, bareConfig(config))
  installPlugin(home, 'weather', pluginSource('weather', setup, manifest))
  return home
}

/** Like `prepare`, with a database of the pool instead of an engine of its own. */
const prepareQuick = async (t: Test, { config = {}, ...more }: Parameters<typeof prepare>[1] = {}) =>
  prepare(t, { ...more, config: { ...config, database: { url: await createDatabaseUrl(t) } } })

const STORES = "async start({ collections }) { await collections.clouds.insertOne({ _id: 'cirrus' }) },"
const ANNOUNCE = "ready(cradle, announce) { announce('sky', 'clear tonight') },"

t.test(
  'two servers on one home print a welcome, maintain the server note, and stop gracefully',
  async (t) => {
    const setup = "host.pages({ path: '/', label: 'page', locate: () => undefined })"
    const config = { plugins: { 'api-docs': { enabled: true } } }
    const home = prepare(t, { manifest: ANNOUNCE, setup, config })
    const note = join(home, 'server.json')
    const readNote = () => JSON.parse(readFileSync(note, 'utf8'))
    const [row] = JSON.parse((await runCommand(home, ['plugins', '--json'])).stdout)
    t.equal(row.start_ms, null, 'no server is running yet')

    type Spawned = Awaited<ReturnType<typeof spawnServer>>
    const checkRunning = async ({ child, url }: Spawned) => {
      t.match(readNote(), { url, pid: child.pid, start_ms: { weather: Number } })
      t.equal(statSync(note).mode & 0o777, 0o600)
      t.equal((await fetch(`${url}/api/health/live`)).status, 200)
    }
    const stop = async ({ child, url, ended }: Spawned, signal: NodeJS.Signals, docs: string) => {
      child.kill(signal)
      const { code, stdout, stderr } = await ended
      t.equal(code, 0, stderr)
      t.match(stderr, /^Stopping. Press Ctrl-C again to force.$/m)
      t.match(stdout, new RegExp(`^ {2}page +${url}/\n {2}address +${url}$`, 'm'), 'a page comes first')
      t.match(stdout, /^ {2}sky +clear tonight$/m)
      t.match(stdout, new RegExp(`^ {2}API docs +${docs}${url}/api/docs$`, 'm'))
      t.match(stdout, new RegExp(`^ {2}API schema +${url}/api/openapi\\.json$`, 'm'))
      await t.rejects(fetch(`${url}/api/health/live`), 'the port is free again')
    }

    const first = await spawnServer(t, home, [], { measuresCoverage: true })
    await checkRunning(first)
    const second = await spawnServer(t, home, [], {
      env: { SVC_ENABLE_API_DOCS: '1' },
      measuresCoverage: true,
    })
    await checkRunning(second)

    await stop(first, 'SIGTERM', 'start with SVC_ENABLE_API_DOCS=1, then open ')
    t.equal(readNote().pid, second.child.pid)
    const rows = JSON.parse((await runCommand(home, ['plugins', '--json'])).stdout)
    const weather = rows.find(({ name }: { name: string }) => name === 'weather')
    t.equal(
      weather.start_ms,
      readNote().start_ms.weather,
      'svc plugins shows the start times of the running server',
    )

    await stop(second, 'SIGINT', '')
    t.notOk(existsSync(note), 'the server note is removed when no server runs')
  },
)

t.test('a server that receives a signal during its start', async (t) => {
  const home = await prepareQuick(t, {
    manifest: `${ANNOUNCE} start() { process.kill(process.pid, 'SIGTERM') },`,
    config: { http: { port: 1 }, log: { level: 'error' } },
  })
  const { child, ended } = await spawnServer(
    t,
    home,
    ['--json', '--port', '0', '--host', 'localhost', '--log-level', 'debug'],
    { env: { SVC_PORT: '2', SVC_HOST: '192.0.2.1', SVC_LOG_LEVEL: 'fatal' }, measuresCoverage: true },
  )
  const { code, stdout, stderr } = await ended

  t.test('stops as soon as it has started', async (t) => {
    t.equal(code, 0, stderr)
    t.notOk(existsSync(join(home, 'server.json')))
  })

  t.test('prints one line for programs with --json, and its log to standard error', async (t) => {
    t.equal(stdout.split('\n').length, 2, 'one line')
    const described = JSON.parse(stdout)
    t.match(described, { pid: child.pid, version: /^\d/, announcements: { sky: 'clear tonight' } })
    t.type(described.start_ms.weather, 'number')
    t.match(stderr, /^\{"level":30,"time":\d+,.*"msg":"listening"\}$/m)
    t.notMatch(stdout, /listening/)
  })

  t.test('prefers flags to environment variables and the file', async (t) => {
    t.match(JSON.parse(stdout), { url: /^http:\/\/localhost:\d+$/ })
    t.match(stderr, /"msg":"listening"/)
  })
})

t.test('flags override variables, and variables override the file', async (t) => {
  const home = await prepareQuick(t, { config: { http: { port: 1 }, log: { level: 'error' } } })
  const { config } = await readBlueprint({
    home,
    env: { SVC_PORT: '2', SVC_LOG_LEVEL: 'warn' },
    flags: { port: '3', host: undefined, 'log-level': '' },
  })
  const sources = config
    .rows()
    .flatMap(({ key, value, source }) => (source === 'default' ? [] : [[key, value, source]]))
  t.strictSame(
    sources.filter(([key]) => /^(http|log)\./.test(key as string)),
    [
      ['http.port', 3, 'flag --port'],
      ['log.level', 'warn', 'env SVC_LOG_LEVEL'],
    ],
  )
})

t.test('a second signal ends a server that is slow to stop', async (t) => {
  const home = await prepareQuick(t, { manifest: 'stop() { return new Promise(() => {}) },' })
  const { child, ended, output } = await spawnServer(t, home, [], { measuresCoverage: true })
  child.kill('SIGTERM')
  while (!output().stderr.includes('Stopping')) await once(child.stderr, 'data')
  child.kill('SIGINT')
  t.match(await ended, { code: 1, signal: null, stderr: /^Stopping. Press Ctrl-C again/m })
})

t.test('a port in use is reported in one sentence, and the other server keeps running', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  const home = await prepareQuick(t)
  const { code, stdout, stderr } = await runCommand(home, ['serve', '--port', String(port)])
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(
    stderr,
    new RegExp(
      `svc: port ${port} is in use: is the server already running\\? Set SVC_PORT or --port to use another one\\n$`,
    ),
  )
  t.notOk(existsSync(join(home, 'server.json')))
  t.ok(other.listening)
})

t.test('a failed start ends the process although a plugin left a timer and a port open', async (t) => {
  const left = "setInterval(() => {}, 1e6); (await import('node:net')).createServer().listen(0, '127.0.0.1')"
  const home = await prepareQuick(t, {
    config: { plugins: { weather: { required: true } } },
    manifest: `async start({ log }) { ${left}; log.warn('the last line'); throw new Error('no sky') },`,
  })
  const { code, stdout, stderr } = await spawnCommand(home, ['serve'], { measuresCoverage: true })
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(stderr, /"msg":"the last line"/, 'the log has been written')
  t.match(stderr, /svc: .*plugin "weather" failed to start: no sky/)
})

t.test('an invalid flag stops the start with one sentence', async (t) => {
  const home = prepare(t)
  const cases: [args: string[], stderr: RegExp][] = [
    [['--port', 'abc'], /^svc: http\.port \(flag --port\) must be integer\n$/],
    [['--port', '70000'], /^svc: http\.port \(flag --port\) must be <= 65535\n$/],
    [['--log-level', 'loud'], /^svc: log\.level \(flag --log-level\) must be equal to one of .*silent\n$/],
    [['--port'], /option '--port <number>' argument missing/],
    [['--colour'], /unknown option '--colour'/],
  ]
  for (const [args, stderr] of cases)
    t.match(await runCommand(home, ['serve', ...args]), { code: 1, stdout: '', stderr }, args.join(' '))
  t.notOk(existsSync(join(home, 'db')), 'no database was opened')
})

t.test('a start on a home with a database', async (t) => {
  const home = prepare(t, { setup: "host.collection('clouds')", manifest: STORES })
  const db = join(home, 'db')
  const serve = () => runCommand(home, ['serve'])
  const start = (port: string, env: Record<string, string> = {}) =>
    startServer({ home, env, flags: { port }, logTo: new Writable({ write: (_, __, done) => done() }) })
  /** Lists the processes that were given the database. */
  const listEngines = () =>
    readdirSync('/proc').filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0${db}\0`)
      } catch {
        // It is not a process, or has ended.
        return false
      }
    })
  await (await start('0')).stop()

  await t.test('that fails ends the engine that it launched before it read the configuration', async (t) => {
    await t.rejects(start('abc'), { message: /^http\.port \(flag --port\) must be integer$/ })
    // A busy machine takes longer than a start waits for it.
    while (listEngines().length > 0) await pause(10)
  })

  await t.test('that fails when the engine is open closes it', async (t) => {
    const engine = new URL('../../engine/engine.js', import.meta.url).href
    const joining = JSON.stringify({ directory: db, runtimeDirectory: join(home, 'runtime') })
    const log = '{ info() {}, warn() {}, error() {} }'
    // The plugin keeps the engine for many of the attempts with which the server joins it.
    const source = `import { joinEngine } from '${engine}'
      const joined = await joinEngine({ ...${joining}, log: ${log} })
      await new Promise((resolve) => setTimeout(resolve, 300))
      await joined.close()
      ${pluginSource('patient', '')}`
    installPlugin(home, 'patient', source)
    t.teardown(() => rmSync(join(home, 'plugins/patient'), { recursive: true }))
    await t.rejects(start('abc'), { message: /^http\.port \(flag --port\) must be integer$/ })
    // A busy machine takes longer than a start waits for it.
    while (listEngines().length > 0) await pause(10)
  })

  await t.test('that uses a database server launches no engine', async (t) => {
    const server = await start('0', { SVC_DATABASE_URL: await createDatabaseUrl(t) })
    t.strictSame(listEngines(), [])
    await server.stop()
  })

  await t.test('whose files are damaged fails with a sentence', async (t) => {
    const files = readdirSync(db).filter((name) => /^(collection|index)-.*wt$/.test(name))
    const advice =
      'and left no message, which happens when files are damaged; "svc restore" makes a home from a backup'

    for (const file of files) truncateSync(join(db, file), 100)
    const late = await serve()
    t.equal(late.code, 1)
    t.match(late.stderr, `svc: the database in ${db} cannot be used, because its engine ended ${advice}`)
    t.notMatch(late.stderr, /^ {4}at /m, 'no stack')

    truncateSync(join(db, 'WiredTiger.wt'), 100)
    const early = await serve()
    t.equal(early.code, 1)
    t.match(
      early.stderr,
      /^svc: the database in .* cannot be used, because its engine ended \((14|SIG\w+)\) and .*\n$/,
    )
  })
})

t.test('a server that listens has its plugins load what their first use needs', async (t) => {
  const home = await prepareQuick(t, {
    manifest: `
      async warm({ server, log }) {
        const { writeFileSync } = await import('node:fs')
        writeFileSync(server.home + '/warm', 'yes')
        throw new Error('too cold')
      },`,
  })
  const { child, url, ended } = await spawnServer(t, home, [], { measuresCoverage: true })
  await eventually('the hook ran', () => existsSync(join(home, 'warm')))
  t.equal((await fetch(`${url}/api/health/live`)).status, 200, 'its failure harms nothing')
  child.kill('SIGTERM')
  const { code, stderr } = await ended
  t.equal(code, 0, stderr)
  t.notMatch(stderr, /too cold/)
})
