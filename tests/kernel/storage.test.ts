import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isStorageFull } from '../../kernel/database/driver-errors.ts'
import { createLogger } from '../../kernel/log.ts'
import { createLogOutput } from '../../kernel/log-output.ts'
import { createStorage, explainUnwritable } from '../../kernel/server/storage.ts'
import t from '../run/file-test.ts'
import {
  bareConfig,
  createHome,
  pluginSource,
  routeSource,
  runCommand,
  spawnServer,
  startKernel,
} from '../support/kernel.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

/** More than any disk has. */
const ALL = '900000tb'

const shelf = pluginSource(
  'shelf',
  `host.guard('open', { check: () => ({}) })
   const route = (method, path, handler) => ({
     method, path, handler, summary: 's', guard: 'open', response: { 200: {} },
     ...(method !== 'GET' && { audit: { none: 'a test' } }),
   })
   host.routes([
     route('GET', '/things', () => []),
     route('POST', '/things', () => ({})),
     route('DELETE', '/things', () => ({})),
     ${routeSource('/filled', "process.getBuiltinModule('node:fs').writeFileSync('/dev/full', 'x')")},
   ])`,
)

t.test('health tells the free space, and that it is low', async (t) => {
  const roomy = await startKernel(t, { env: { SVC_DISK_WARN_BELOW: '1b' } })
  const { body } = await roomy.request('GET', '/health')
  t.match(body, { status: 'ok', disk: { free_bytes: Number, low: false } })
  t.equal(roomy.server.runtime.facts.droppedLogLines(), 0)
  t.match(await roomy.request('GET', '/health/ready'), { status: 200, body: { status: 'ok' } })
  const tight = await startKernel(t, { env: { SVC_DISK_WARN_BELOW: ALL } })
  t.match(await tight.request('GET', '/health'), {
    status: 200,
    body: { status: 'degraded', disk: { low: true } },
  })
  t.match(tight.logged(), /the disk is almost full/)
})

t.test('while the disk is full nothing new is stored, and all else works', async (t) => {
  const server = await startKernel(t, { plugins: { shelf }, env: { SVC_DISK_STOP_BELOW: ALL } })
  t.match(await server.request('POST', '/things'), {
    status: 507,
    body: { error: { code: 'STORAGE_FULL', message: /server’s disk is full/ } },
  })
  t.equal((await server.request('GET', '/things')).status, 200)
  t.equal((await server.request('DELETE', '/things')).status, 200)
})

t.test('a write that fails because the disk is full is answered with STORAGE_FULL', async (t) => {
  const server = await startKernel(t, { plugins: { shelf } })
  t.match(await server.request('GET', '/filled'), { status: 507, body: { error: { code: 'STORAGE_FULL' } } })
  const codes = [{ code: 'EDQUOT' }, { code: 14_031 }, { code: 'EIO' }]
  const failures = codes.map((code) => Object.assign(new Error('no'), code))
  t.strictSame(failures.map(isStorageFull), [true, true, false])
  t.ok(isStorageFull(new Error('outer', { cause: failures[0] })))
})

t.test('the space is watched, and a file system without a size is never low', async (t) => {
  const lines: string[] = []
  const log = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } })
  const settings = { warn_below: ALL, stop_below: '1b' }
  const storage = createStorage({ home: createHome(t), settings, log, watchMs: 5 })
  storage.watch()
  t.match(lines, [/almost full/])
  settings.warn_below = '1b'
  while (lines.length < 2) await pause(5)
  t.match(lines[1], /the disk has space again/)
  storage.stop()
  const endless = createStorage({ home: '/proc', settings: { warn_below: ALL, stop_below: ALL }, log })
  t.strictSame(endless.state(), { free_bytes: null, low: false })
  endless.assertRoom()
  const gone = createStorage({ home: '/proc/gone', settings, log })
  t.strictSame(gone.state(), { free_bytes: null, low: false })
  t.match(lines[2], /the free space could not be measured/)
})

t.test('a home that cannot be written is explained in a sentence', async (t) => {
  const { code, stderr } = await runCommand('/sys/kernel', ['doctor'], {})
  t.equal(code, 1)
  t.match(stderr, /^(svc: the home \/sys\/kernel (is read-only|may not be written)|)/)
  const fail = (facts: object) => Object.assign(new Error('failed'), facts)
  t.equal(
    explainUnwritable(fail({ code: 'EROFS', path: '/h/db/engine.log' }), '/h'),
    'the home /h is read-only (/h/db/engine.log); SVC_HOME chooses another folder',
  )
  t.equal(
    explainUnwritable(fail({ code: 'ENOSPC', syscall: 'write' }), '/h'),
    'a file cannot be written, because the disk is full',
  )
  t.match(
    explainUnwritable(fail({ code: 'ENOSPC', syscall: 'copyfile', path: '/a', dest: '/h/a' }), '/h'),
    /the home \/h cannot be written, because the disk is full \(\/h\/a\)/,
  )
  t.equal(explainUnwritable(fail({ code: 'ENOSPC' }), '/h'), undefined, 'neither a file nor a write')
  const home = createHome(t)
  for (const folder of [home, join(home, 'absent')]) {
    const absent = fail({ code: 'ENOENT', syscall: 'mkdir', path: join(folder, 'db') })
    t.equal(explainUnwritable(absent, folder), undefined, 'another reason')
  }
  t.equal(explainUnwritable(fail({ code: 'EROFS', path: '/elsewhere' }), '/h'), '/elsewhere is read-only')
  t.equal(explainUnwritable(new Error('another'), '/h'), undefined)
})

t.test('the log of a server whose disk is full neither blocks nor ends it', async (t) => {
  const home = createHome(t, bareConfig({ database: { url: await createDatabaseUrl(t) } }))
  const preload = `import { closeSync, openSync } from 'node:fs'; closeSync(2); openSync('/dev/full', 'w')`
  const { child, url, ended } = await spawnServer(t, home, [], {
    nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(preload)}`],
    measuresCoverage: true,
  })
  for (let n = 0; n < 20; n++) t.equal((await fetch(`${url}/api/health/live`)).status, 200)
  child.kill('SIGTERM')
  t.equal((await ended).code, 0)
})

t.test('lines that wait too long for a reader are dropped, counted and reported', async (t) => {
  const path = join(createHome(t), 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const output = createLogOutput(openSync(path, constants.O_WRONLY))
  const line = `${'x'.repeat(50_000)}\n`
  for (let n = 0; n < 40; n++) output.write(line)
  t.ok(output.dropped > 10 && output.dropped < 30, `${output.dropped} lines were dropped`)
  output.write('a short one\n')
  let text = ''
  const buffer = Buffer.alloc(65_536)
  while (!text.includes('a short one')) {
    await pause(5)
    try {
      text += buffer.toString('utf8', 0, readSync(reader, buffer))
    } catch (error) {
      t.match(error, { code: 'EAGAIN' })
    }
  }
  t.match(text, `"dropped":${output.dropped},"msg":"lines of the log were dropped"`)
  const droppedAtFirst = output.dropped
  closeSync(reader)
  output.write('to nobody\n')
  while (output.dropped === droppedAtFirst) await pause(5)
  output.write('to nobody again\n')
  t.equal(output.dropped, droppedAtFirst + 2)
})
