import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createPlainServer, type Server } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from '../../run/file-test.ts'
import { startDatabaseProxy } from '../../support/database-proxy.ts'
import { bareConfig, createHome, pluginSource, runCommand, startKernel } from '../../support/kernel.ts'
import { installPlugin } from '../../support/server.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'

type Finding = { check: string; ok: boolean; detail: string }

/** Returns the results of `svc doctor --json`, by the names of the checks. */
async function examine(home: string, { env }: Parameters<typeof runCommand>[2] = {}) {
  const { code, stdout, stderr } = await runCommand(home, ['doctor', '--json'], { env })
  if (!stdout) throw new Error(stderr)
  const findings: Finding[] = JSON.parse(stdout)
  return { code, ...Object.fromEntries(findings.map(({ check, ...result }) => [check, result])) }
}

/** The source of a job declaration in plain JavaScript. */
const job = (name: string) => `host.job({ name: '${name}', every_seconds: 60, run() {} })`

const anyPort = { env: { SVC_PORT: '0' } }

/** Starts a server that occupies a port. */
async function hold(t: Test, server: Server): Promise<{ env: { SVC_PORT: string } }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { env: { SVC_PORT: String((server.address() as AddressInfo).port) } }
}

t.test('a correct home passes every check', async (t) => {
  const home = createHome(t)
  t.match(await examine(home, anyPort), {
    code: 0,
    node: { ok: true, detail: process.versions.node },
    home: { ok: true, detail: home },
    disk: { ok: true, detail: /^[\d.]+ [KMGT]?B of [\d.]+ [KMGT]?B are free$/ },
    configuration: { ok: true, detail: /^\d+ keys$/ },
    plugins: { ok: true, detail: /^\d+ enabled, 1 switched off$/ },
    'secret key': { ok: true, detail: 'present, 0600' },
    extensions: { ok: true, detail: /\b\d+ provider kinds, .*\d+ channel kinds/ },
    database: { ok: true, detail: /^(embedded engine|MongoDB server), [\d.]+ ms$/ },
    port: { ok: true, detail: '127.0.0.1:0 is free' },
  })
})

t.test('each problem is reported, and the exit code is 1', async (t) => {
  const odd = createHome(t, { http: { prot: 1 } })
  chmodSync(odd, 0o777)
  const report = await examine(odd, anyPort)
  t.match(report, {
    code: 1,
    home: { ok: false, detail: /is writable by others/ },
    configuration: { ok: false, detail: /no key "http\.prot"/ },
    'secret key': { ok: true },
  })
  t.notOk('database' in report, 'checks that need the configuration are skipped')

  const home = createHome(t, bareConfig())
  installPlugin(home, 'one', pluginSource('one', `${job('saw')}; host.check('teeth', () => 'sharp')`))
  installPlugin(home, 'two', pluginSource('two', job('saw')))
  writeFileSync(join(home, 'secret.key'), 'short')
  writeFileSync(join(home, 'db'), 'a file')
  const { code, stdout } = await runCommand(home, ['doctor'], anyPort)
  t.equal(code, 1)
  const lines = [
    /^ok +configuration +\d+ keys$/m,
    /^FAIL +secret key +.* does not hold a key of 32 bytes$/m,
    /^FAIL +plugins +two: job "saw" is declared by both one and two$/m,
    /^FAIL +teeth +.* does not hold a key of 32 bytes$/m,
    /^FAIL +database +.*(EEXIST|ENOTDIR)/m,
    /^ok +port +127\.0\.0\.1:0 is free$/m,
  ]
  for (const line of lines) t.match(stdout, line)
})

t.test('the first cause is reported, and nothing that follows from it', async (t) => {
  const url = 'mongodb://ann:canary@127.0.0.1:9/svc?serverSelectionTimeoutMS=300'
  const home = createHome(t, bareConfig({ database: { url } }))
  const { code, stdout, stderr } = await runCommand(home, ['doctor'], anyPort)
  t.equal(code, 1)
  t.match(stdout, /^FAIL +database +the MongoDB server at 127\.0\.0\.1:9 cannot be reached/m)
  t.equal(stdout.match(/^FAIL/gm)!.length, 1)
  t.notMatch(stdout + stderr, /canary|MongoServer|secret key/)

  const full = createHome(t, bareConfig({ database: { url: await createDatabaseUrl(t) } }))
  t.match(await examine(full, { env: { ...anyPort.env, SVC_DISK_STOP_BELOW: '900000tb' } }), {
    code: 1,
    disk: { ok: false, detail: / free; below 900000tb \(disk\.stop_below\), writes are refused \(507/ },
    database: { ok: true },
  })

  const report = await examine('/proc/self')
  t.match(report, { code: 1, home: { ok: false, detail: /^the home \/proc\/self may not be written/ } })
  t.notOk('configuration' in report, 'everything else is in the home')
})

t.test('an unknown environment variable is reported with the most similar known one', async (t) => {
  const home = createHome(t, bareConfig({ database: { url: await createDatabaseUrl(t) } }))
  const read = {
    SVC_URL: 'http://127.0.0.1:1',
    SVC_API_KEY: 'x',
    SVC_PASSWORD: 'x',
    SVC_BACKUP_PASSPHRASE: 'x',
  }
  const env = { SVC_TRUST_PROXI: 'true', ...read, SVC_TEST_SEED: '1', OTHER: 'x' }
  t.match(await examine(home, { env: { ...anyPort.env, ...env } }), {
    configuration: {
      ok: false,
      detail: 'the variable SVC_TRUST_PROXI sets nothing; did you mean SVC_TRUST_PROXY?',
    },
    port: { ok: true },
  })
  const server = await startKernel(t, { home, env: { SVC_TRUST_PROXI: 'true' } })
  t.match(server.logged(), /the variable SVC_TRUST_PROXI sets nothing/)
})

t.test('plugins contribute checks, which run without a database', async (t) => {
  const home = createHome(t, bareConfig({ database: { url: await createDatabaseUrl(t) } }))
  const checks = `host.check('sky', async ({ server }) => 'clear above ' + server.home)
    host.check('wind', () => { throw new Error('it storms') })
    host.check('rain', ({ collections }) => collections.drops)
    host.collection('drops')`
  installPlugin(home, 'weather', pluginSource('weather', checks))
  t.match(await examine(home, anyPort), {
    code: 1,
    sky: { ok: true, detail: `clear above ${home}` },
    wind: { ok: false, detail: 'it storms' },
    rain: { ok: false, detail: /asks for the collection "drops" in a command without a database/ },
    database: { ok: true },
  })
})

t.test('a Node.js version that is too old is reported', async (t) => {
  const home = createHome(t, bareConfig({ database: { url: await createDatabaseUrl(t) } }))
  for (const [version, ok] of [
    ['18.20.4', false],
    ['20.18.9', false],
  ] as const) {
    const { restore } = t.intercept(process, 'versions', { value: { ...process.versions, node: version } })
    t.match(await examine(home, anyPort), { node: { ok, detail: version } })
    restore()
  }
})

t.test('a configured database server is checked', async (t) => {
  const database = await startDatabaseProxy(t)
  const home = createHome(t, bareConfig())
  for (const url of [database.url, database.url.replace(/\/[^/]*\?/, '/?')])
    t.match(
      await examine(home, { env: { ...anyPort.env, SVC_DATABASE_URL: url } }),
      { code: 0, database: { detail: /^MongoDB server, [\d.]+ ms$/ } },
      'the address may lack the name of a database',
    )
})

t.test('a port in use is a problem unless the server of this home uses it', async (t) => {
  const home = createHome(t, bareConfig({ database: { url: await createDatabaseUrl(t) } }))
  const server = await startKernel(t)
  const { port } = new URL(server.url)
  t.match(await examine(home, { env: { SVC_PORT: port } }), {
    code: 0,
    port: { detail: `127.0.0.1:${port} is used by a running server` },
  })
  const inUse = { code: 1, port: { ok: false, detail: /cannot be used: listen EADDRINUSE/ } }
  const other = await hold(
    t,
    createServer((_, response) => response.writeHead(404).end()),
  )
  t.match(await examine(home, other), inUse)
  const mute = await hold(
    t,
    createPlainServer((socket) => socket.destroy()),
  )
  const silent = await hold(
    t,
    createPlainServer((socket) => t.teardown(() => socket.destroy())),
  )
  for (const held of await Promise.all([examine(home, mute), examine(home, silent)])) t.match(held, inUse)
})
