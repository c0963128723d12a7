import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { readBlueprint } from '../../kernel/blueprint.ts'
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

/** A home whose one plugin does this when the server starts, and this when it stops. */
function prepare(t: Test, { setup = '', manifest = '', config = {} } = {}): string {
  const home = createHome(t, bareConfig(config))
  installPlugin(home, 'weather', pluginSource('weather', setup, manifest))
  return home
}

/** The same, where it does not matter which database the server has. */
const prepareQuick = async (t: Test, { config = {}, ...more }: Parameters<typeof prepare>[1] = {}) =>
  prepare(t, { ...more, config: { ...config, database: { url: await createDatabaseUrl(t) } } })

t.test('serve welcomes with addresses and announcements, and stops in order when told to', async (t) => {
  const home = prepare(t, {
    setup: "host.on('server.starting', ({ announce }) => announce('sky', 'clear tonight'))",
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child, url, ended } = await spawnServer(t, home, [], { isCovering: signal === 'SIGTERM' })
    const note = join(home, 'server.json')
    t.match(JSON.parse(readFileSync(note, 'utf8')), { url, pid: child.pid, start_ms: { weather: Number } })
    t.equal(statSync(note).mode & 0o777, 0o600)
    t.equal((await fetch(`${url}/api/health/live`)).status, 200)
    child.kill(signal)
    const { code, stdout, stderr } = await ended
    t.equal(code, 0, stderr)
    t.notOk(existsSync(note), 'the note of a server that runs is gone')
    t.match(stderr, /^stopping; once more to stop at once$/m)
    t.match(stdout, new RegExp(`^ {2}address +${url}$`, 'm'))
    t.match(stdout, /^ {2}sky +clear tonight$/m)
    t.match(
      stdout,
      new RegExp(`^ {2}API docs +start with SVC_ENABLE_API_DOCS=1, then open ${url}/api/docs$`, 'm'),
    )
    t.match(stdout, new RegExp(`^ {2}API schema +${url}/api/openapi\\.json$`, 'm'))
    await t.rejects(fetch(`${url}/api/health/live`), 'the port is free again')
  }
})

t.test('serve names the page of the API where it is on', async (t) => {
  const { child, url, ended } = await spawnServer(
    t,
    await prepareQuick(t, { config: { enable_api_docs: true } }),
    [],
    { isCovering: true },
  )
  child.kill('SIGTERM')
  t.match((await ended).stdout, new RegExp(`^ {2}API docs +${url}/api/docs$`, 'm'))
})

t.test('serve --json prints one line for programs', async (t) => {
  const home = await prepareQuick(t, {
    setup: "host.on('server.starting', ({ announce }) => announce('sky', 'clear tonight'))",
  })
  const { child, url, ended } = await spawnServer(t, home, ['--json'], { isCovering: true })
  child.kill('SIGTERM')
  const { stdout, code } = await ended
  t.equal(code, 0)
  t.equal(stdout.split('\n').length, 2, 'one line')
  const described = JSON.parse(stdout)
  t.match(described, { url, pid: child.pid, version: /^\d/, announcements: { sky: 'clear tonight' } })
  t.type(described.start_ms.weather, 'number')
})

t.test('flags go over variables, and variables over the file', async (t) => {
  const home = await prepareQuick(t, { config: { http: { port: 1 }, log: { level: 'error' } } })
  const { child, ended } = await spawnServer(
    t,
    home,
    ['--port', '0', '--host', 'localhost', '--log-level', 'debug'],
    {
      env: { SVC_PORT: '2', SVC_HOST: '192.0.2.1', SVC_LOG_LEVEL: 'fatal' },
    },
  )
  child.kill('SIGTERM')
  const { stdout, stderr } = await ended
  t.match(stdout, /address +http:\/\/localhost:\d+$/m)
  t.match(stderr, /"msg":"listening"/)

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

t.test('a second signal ends a server that takes its time to stop', async (t) => {
  const home = await prepareQuick(t, { manifest: 'stop() { return new Promise(() => {}) },' })
  const { child, ended, output } = await spawnServer(t, home, [], { isCovering: true })
  child.kill('SIGTERM')
  while (!output().stderr.includes('stopping')) await once(child.stderr, 'data')
  child.kill('SIGINT')
  t.match(await ended, { code: 1, signal: null, stderr: /^stopping; once more/m })
})

t.test('a signal that comes while the server starts stops it once it has started', async (t) => {
  const home = await prepareQuick(t, { manifest: "start() { process.kill(process.pid, 'SIGTERM') }," })
  const { code, stdout, stderr } = await spawnCommand(home, ['serve'], {
    env: { SVC_PORT: '0' },
    isCovering: true,
  })
  t.equal(code, 0, stderr)
  t.match(stdout, /address +http/)
  t.notOk(existsSync(join(home, 'server.json')))
})

t.test('a port in use is told in one sentence, and the other server goes on', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  const home = await prepareQuick(t)
  const { code, stdout, stderr } = await spawnCommand(home, ['serve', '--port', String(port)], {
    isCovering: true,
  })
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(
    stderr,
    new RegExp(
      `svc: port ${port} is in use: is the server running already\\? SVC_PORT or --port chooses another\\n$`,
    ),
  )
  t.notOk(existsSync(join(home, 'server.json')))
  t.ok(other.listening)
})

t.test('a start that fails ends the process, whatever a plugin has left behind', async (t) => {
  const left = "setInterval(() => {}, 1e6); (await import('node:net')).createServer().listen(0, '127.0.0.1')"
  const home = await prepareQuick(t, {
    manifest: `async start({ log }) { ${left}; log.warn('the last line'); throw new Error('no sky') },`,
  })
  const { code, stdout, stderr } = await spawnCommand(home, ['serve'], { isCovering: true })
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(stderr, /"msg":"the last line"/, 'what was logged is written')
  t.match(stderr, /svc: .*plugin "weather" failed to start: no sky/)
})

t.test('a flag that is not valid stops the start in one sentence', async (t) => {
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

t.test('two servers on one home leave the note of the one that runs on', async (t) => {
  const home = prepare(t)
  const [row] = JSON.parse((await runCommand(home, ['plugins', '--json'])).stdout)
  t.equal(row.start_ms, null, 'no server runs yet')
  const first = await spawnServer(t, home)
  const second = await spawnServer(t, home)
  first.child.kill('SIGTERM')
  t.equal((await first.ended).code, 0)
  const note = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8'))
  t.equal(note.pid, second.child.pid)
  const rows = JSON.parse((await runCommand(home, ['plugins', '--json'])).stdout)
  const weather = rows.find(({ name }: { name: string }) => name === 'weather')
  t.equal(weather.start_ms, note.start_ms.weather, 'svc plugins shows the start of the server that runs')
  second.child.kill('SIGTERM')
  await second.ended
})
