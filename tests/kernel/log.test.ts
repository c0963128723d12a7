import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from '../run/file-test.ts'
import {
  bareConfig,
  createHome,
  pluginSource,
  routeSource,
  spawnServer,
  startKernel,
} from '../support/kernel.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

const SECRET_NAMES = [
  'password',
  'old_password',
  'new_password',
  'admin_password',
  'passwd',
  'secret',
  'client_secret',
  'app_secret',
  'clientSecret',
  'token',
  'access_token',
  'refresh_token',
  'bot_token',
  'accessToken',
  'X-Access-Token',
  'api_key',
  'apiKey',
  'x-api-key',
  'api-key',
  'private_key',
  'privateKey',
  'authorization',
  'Authorization',
  'Proxy-Authorization',
  'cookie',
  'Cookie',
  'set-cookie',
]

/** Logs a value through a plugin and returns the written entry. */
const logger = pluginSource(
  'logger',
  `host.routes([${routeSource('/log', "(cradle.log.error(globalThis.toLog, 'noted'), 'ok')")}])`,
)

t.test('secrets never reach the log', async (t) => {
  const server = await startKernel(t, { plugins: { logger } })
  const written = async (toLog: unknown) => {
    Object.assign(globalThis, { toLog })
    const length = server.logged().length
    t.equal((await server.request('GET', '/log')).status, 200)
    const entry = server
      .logged()
      .slice(length)
      .split('\n')
      .find((line) => line.includes('"noted"'))
    return JSON.parse(entry!)
  }
  const within = (value: unknown, depth: number): unknown =>
    depth === 0 ? value : { field: within(value, depth - 1) }

  await t.test('under any of their field names, at any depth', async (t) => {
    const canaries = Object.fromEntries(SECRET_NAMES.map((name) => [name, `canary of ${name}`]))
    for (const depth of [0, 1, 2, 3, 4, 5, 6, 7]) {
      const text = JSON.stringify(await written(within(canaries, depth)))
      for (const name of SECRET_NAMES) {
        t.notMatch(text, `canary of ${name}`, `${name} at ${depth}`)
        if (depth < 4) t.match(text, `"${name}":"[redacted]"`)
      }
    }
  })

  await t.test('in lists and nested lists', async (t) => {
    t.match(await written({ list: [{ token: 'canary' }, [{ secret: 'canary' }]] }), {
      list: [{ token: '[redacted]' }, [{ secret: '[redacted]' }]],
    })
  })

  await t.test('in errors to which HTTP clients attach the whole request', async (t) => {
    const failure = Object.assign(new Error('upstream failed', { cause: new Error('no route') }), {
      code: 'E_UPSTREAM',
      status: 502,
      details: { provider: 'p', api_key: 'canary' },
      config: { headers: { Authorization: 'Bearer canary' }, data: '{"app_secret":"canary"}' },
      request: { _header: 'POST / HTTP/1.1\r\nAuthorization: Bearer canary' },
    })
    for (const key of ['error', 'err']) {
      const entry = await written({ [key]: failure })
      t.match(entry[key], {
        type: 'Error',
        message: /upstream failed.*no route/,
        stack: /log\.test/,
        code: 'E_UPSTREAM',
        status: 502,
        details: { provider: 'p', api_key: '[redacted]' },
      })
      t.notMatch(JSON.stringify(entry), /canary/)
    }
    const several = await written({ error: new AggregateError([failure, { token: 'canary' }], 'two failed') })
    t.match(several.error, {
      type: 'AggregateError',
      message: 'two failed',
      errors: [{ code: 'E_UPSTREAM' }, { token: '[redacted]' }],
    })
    t.notMatch(JSON.stringify(several), /canary/)
  })

  await t.test('values that only look like secrets are kept', async (t) => {
    const kept = {
      tokens_used: 5,
      token_quota: 6,
      input_tokens: 7,
      token: null,
      secret: '',
      at: new Date(0),
      list: [1, null, 'text'],
    }
    t.match(await written(kept), { ...kept, at: '1970-01-01T00:00:00.000Z' })
    const circle: Record<string, unknown> = { name: 'circle' }
    circle.self = circle
    t.match(await written({ circle }), { circle: { name: 'circle' } })
  })
})

t.test('only entries at or above the configured level are written', async (t) => {
  for (const [level, written] of [
    ['warn', false],
    ['info', true],
  ] as const) {
    const server = await startKernel(t, { env: { SVC_LOG_LEVEL: level } })
    await server.request('GET', '/health/live')
    t.equal(server.logged().includes('"msg":"request"'), written, level)
    await server.stop()
  }
})

// The tests of `svc serve` check that the log is lines of JSON without a terminal.
t.test('the log is written to standard error, as readable text on a terminal', async (t) => {
  const home = createHome(t, bareConfig({ database: { url: await createDatabaseUrl(t) } }))
  const nodeArgs = ['--import', 'data:text/javascript,process.stderr.isTTY = true']
  const { child, ended } = await spawnServer(t, home, [], { nodeArgs, measuresCoverage: true })
  child.kill('SIGTERM')
  const { code, stdout, stderr } = await ended
  t.equal(code, 0)
  t.match(stderr, /INFO.*listening/)
  t.notMatch(stdout, /listening/)
})

t.test('modules behind links are found while the log goes to a pipe', async (t) => {
  const home = createHome(t)
  const write = (file: string, source: string) => {
    mkdirSync(join(home, file, '..'), { recursive: true })
    writeFileSync(join(home, file), source)
  }
  const log = new URL('../../kernel/log.js', import.meta.url)
  write(
    'main.mjs',
    `import { createLogger } from '${log}'\ncreateLogger({ level: 'warn' })\nimport('./link/index.mjs')`,
  )
  write('installed/server/index.mjs', "import '../dependency/index.mjs'")
  write('installed/dependency/index.mjs', "console.log('loaded')")
  symlinkSync(join(home, 'installed/server'), join(home, 'link'))
  const { stdout } = await promisify(execFile)(process.execPath, [join(home, 'main.mjs')])
  t.equal(stdout, 'loaded\n')
})

const isRoot = process.getuid?.() === 0

t.test('the log is written to a pipe of another user', { skip: !isRoot && 'needs root' }, async (t) => {
  const main = join(createHome(t), 'main.mjs')
  const program = `import { createLogOutput } from '${new URL('../../kernel/log-output.js', import.meta.url)}'
    process.seteuid(65534)
    const output = createLogOutput(2)
    process.seteuid(0)
    output.write('a line\\n')`
  writeFileSync(main, program)
  const { stdout } = await promisify(execFile)('sh', ['-c', '"$0" "$1" 2>&1 | cat', process.execPath, main])
  t.equal(stdout, 'a line\n')
})
