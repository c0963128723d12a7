import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from '../run/file-test.ts'
import {
  bareConfig,
  CLI,
  createEnvironment,
  createHome,
  pluginSource,
  runCommand,
} from '../support/kernel.ts'
import { installPlugin } from '../support/server.ts'
import { nodeCommand } from '../support/service-process.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

// The last two tests wait for timeouts, so they run in parallel.
t.jobs = 2

t.test('a command succeeds although the reader closes the pipe early', async (t) => {
  const child = spawn(...nodeCommand([CLI, 'config']), {
    env: createEnvironment(createHome(t, bareConfig()), {}),
  })
  child.stdout.destroy()
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  t.strictSame({ code, stderr }, { code: 0, stderr: '' })
})

t.test('a command that leaves a timer running ends once its output has been read', async (t) => {
  const home = createHome(t, bareConfig())
  const run = "run({ stdout }) { setInterval(() => {}, 1e6); stdout.write('x'.repeat(1e6)) }"
  const command = `host.command({ name: 'flood', summary: 'Flood', database: false, ${run} })`
  installPlugin(home, 'river', pluginSource('river', command))
  const child = spawn(...nodeCommand([CLI, 'flood']), { env: createEnvironment(home, {}) })
  t.teardown(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  await once(child.stdout, 'readable')
  // Longer than the process would wait for the leftover timer.
  await pause(500)
  let length = 0
  for await (const chunk of child.stdout) length += chunk.length
  t.equal(length, 1e6)
  t.same(await ended, [0, null])
})

t.test(
  'a command fails if its output cannot be written for another reason',
  { skip: existsSync('/dev/full') ? false : '/dev/full does not exist' },
  async (t) => {
    const child = spawn(...nodeCommand([CLI, 'config']), {
      env: createEnvironment(createHome(t, bareConfig()), {}),
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    })
    let stderr = ''
    child.stderr!.on('data', (chunk) => {
      stderr += chunk
    })
    const [code] = await once(child, 'close')
    t.not(code, 0)
    t.match(stderr, /ENOSPC/)
  },
)

t.test('a home that cannot be created is reported in one sentence', async (t) => {
  const file = join(createHome(t), 'file')
  writeFileSync(file, 'mine')
  for (const home of [file, join(file, 'home'), '/proc/home'])
    t.match(await runCommand(home, ['doctor']), {
      code: 1,
      stdout: '',
      stderr: new RegExp(`^svc: the home ${home} cannot be made: E(EXIST|NOTDIR|NOENT): .*\\n$`),
    })
  t.equal(readFileSync(file, 'utf8'), 'mine')
})

t.test('doctor reports a database that does not answer', { buffered: true }, async (t) => {
  const SVC_DATABASE_URL = 'mongodb://user:canary@127.0.0.1:9/svc'
  const { code, stdout, stderr } = await runCommand(createHome(t, bareConfig()), ['doctor'], {
    env: { SVC_DATABASE_URL, SVC_PORT: '0' },
  })
  t.equal(code, 1)
  t.match(
    stdout,
    /^FAIL +database +the MongoDB server at 127\.0\.0\.1:9 cannot be reached: connect ECONNREFUSED/m,
  )
  t.match(stdout, /^ok +port /m, 'the other checks still run')
  t.notMatch(stdout + stderr, /canary/)
})

t.test(
  'doctor does not wait for a process that holds the port and never answers',
  { buffered: true },
  async (t) => {
    const silent = createServer((stream) => stream.resume().on('error', () => stream.destroy()))
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    t.teardown(() => silent.close())
    const { port } = silent.address() as { port: number }
    const home = createHome(t, bareConfig({ database: { url: await createDatabaseUrl(t) } }))
    const { code, stdout } = await runCommand(home, ['doctor'], {
      env: { SVC_PORT: String(port) },
    })
    t.equal(code, 1)
    t.match(stdout, new RegExp(`^FAIL +port +127\\.0\\.0\\.1:${port} cannot be used: .*EADDRINUSE`, 'm'))
  },
)
