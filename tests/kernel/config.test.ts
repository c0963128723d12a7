import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '../run/file-test.ts'
import { bareConfig, createHome, pluginSource, runCommand, startKernel } from '../support/kernel.ts'
import { installPlugin, startServer } from '../support/server.ts'

const tuned = pluginSource(
  'tuned',
  '',
  `config: {
    size: { type: 'integer', minimum: 1, default: 3, env: 'TUNED_SIZE' },
    ratio: { type: 'number', env: 'TUNED_RATIO' },
    names: { type: 'array', items: { type: 'string' }, default: [], env: 'TUNED_NAMES' },
    sizes: { type: 'array', items: { type: 'integer' }, default: [], env: 'TUNED_SIZES' },
    key: { type: 'string', writeOnly: true, env: 'TUNED_KEY' },
    map: { type: 'object', additionalProperties: { type: 'integer' }, default: {} },
    box: { type: 'object', properties: { size: { type: 'integer', default: 7 } }, default: {} },
    deep: {
      type: 'object', additionalProperties: false,
      properties: { on: { type: 'boolean', default: true, env: 'TUNED_ON' } },
    },
  },`,
)

type Row = { key: string; value?: unknown; source: string; env?: string }

/** Returns the rows of `svc config --json` for this configuration file and these environment variables. */
async function list(t: Test, config: object, env: Record<string, string> = {}): Promise<Row[]> {
  const home = createHome(t, config)
  installPlugin(home, 'tuned', tuned)
  const { stdout, stderr, code } = await runCommand(home, ['config', '--json'], { env })
  t.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

const findRow = (rows: Row[], wanted: string) => rows.find(({ key }) => key === wanted)

t.test('every key is listed with its value and its origin', async (t) => {
  const rows = await list(t, {})
  t.match(rows, [
    { key: 'http.host', value: '127.0.0.1', source: 'default', env: 'SVC_HOST' },
    { key: 'http.port', value: 8088, source: 'default', env: 'SVC_PORT' },
    { key: 'http.public_url', value: undefined, source: 'default' },
    { key: 'http.trust_proxy', value: false },
    { key: 'http.cors_origins', value: [] },
    { key: 'http.body_limit', value: '1mb' },
    { key: 'database.url', value: undefined, source: 'default', env: 'SVC_DATABASE_URL' },
    { key: 'disk.warn_below', value: '1gb', env: 'SVC_DISK_WARN_BELOW' },
    { key: 'disk.stop_below', value: '64mb', env: 'SVC_DISK_STOP_BELOW' },
    { key: 'log.level', value: 'info' },
    { key: 'limits.agents', value: 100, source: 'default', env: 'SVC_LIMIT_AGENTS' },
  ])
  t.match(findRow(rows, 'limits.account_bytes'), { value: '5gb', env: 'SVC_LIMIT_ACCOUNT_BYTES' })
  t.match(findRow(rows, 'enable_api_docs'), { value: false })
  t.match(findRow(rows, 'packages'), { value: [] })
  t.match(findRow(rows, 'plugins.tuned.enabled'), { value: true, source: 'default' })
  t.match(findRow(rows, 'plugins.tuned.size'), { value: 3, env: 'TUNED_SIZE' })
  t.match(findRow(rows, 'plugins.tuned.deep.on'), { value: true })
  t.match(findRow(rows, 'plugins.tuned.map'), { value: {} })
  t.match(findRow(rows, 'plugins.tuned.box'), { value: { size: 7 } })
  t.ok(findRow(rows, 'plugins.auth.access_token_ttl_seconds'))
})

t.test('the file overrides the defaults, and environment variables override the file', async (t) => {
  const file = {
    http: { port: 1, host: '0.0.0.0' },
    log: null,
    plugins: { tuned: { size: 5, deep: { on: false }, map: { a: 1 } } },
  }
  const rows = await list(t, file, {
    SVC_PORT: '2',
    SVC_HOST: '',
    SVC_CORS_ORIGINS: ' https://a.example, https://b.example ,',
    SVC_TRUST_PROXY: 'Yes',
    SVC_LOG_LEVEL: 'warn',
    TUNED_RATIO: '0.5',
    TUNED_SIZES: '1,2',
    TUNED_ON: '1',
  })
  const expected: Row[] = [
    { key: 'http.port', value: 2, source: 'env SVC_PORT' },
    { key: 'http.host', value: '0.0.0.0', source: 'config.json' },
    { key: 'http.trust_proxy', value: true, source: 'env SVC_TRUST_PROXY' },
    {
      key: 'http.cors_origins',
      value: ['https://a.example', 'https://b.example'],
      source: 'env SVC_CORS_ORIGINS',
    },
    { key: 'log.level', value: 'warn', source: 'env SVC_LOG_LEVEL' },
    { key: 'plugins.tuned.size', value: 5, source: 'config.json' },
    { key: 'plugins.tuned.ratio', value: 0.5, source: 'env TUNED_RATIO' },
    { key: 'plugins.tuned.sizes', value: [1, 2], source: 'env TUNED_SIZES' },
    { key: 'plugins.tuned.map', value: { a: 1 }, source: 'config.json' },
    { key: 'plugins.tuned.deep.on', value: true, source: 'env TUNED_ON' },
  ]
  for (const row of expected) t.match(findRow(rows, row.key), row)
})

t.test('environment variables accept several notations of true and false', async (t) => {
  const spellings: [text: string, value: boolean][] = [
    ...['1', 'true', 'YES', 'on', ' True '].map((text) => [text, true] as [string, boolean]),
    ...['0', 'false', 'No', 'OFF'].map((text) => [text, false] as [string, boolean]),
  ]
  const keys = spellings.map((_, at) => `flag_${at}: { type: 'boolean', env: 'FLAG_${at}' }`)
  const home = createHome(t, bareConfig())
  installPlugin(home, 'flags', pluginSource('flags', '', `config: { ${keys.join(', ')} },`))
  const env = Object.fromEntries(spellings.map(([text], at) => [`FLAG_${at}`, text]))
  const { stdout } = await runCommand(home, ['config', '--json'], { env })
  const rows: Row[] = JSON.parse(stdout)
  for (const [at, [text, value]] of spellings.entries())
    t.match(findRow(rows, `plugins.flags.flag_${at}`), { value, source: `env FLAG_${at}` }, text)
})

t.test('secret values are never printed', async (t) => {
  const env = { SVC_DATABASE_URL: 'mongodb://user:canary@db.example/x' }
  const rows = await list(t, { plugins: { tuned: { key: 'canary' } } }, env)
  t.match(findRow(rows, 'database.url'), { value: '••••', source: 'env SVC_DATABASE_URL' })
  t.match(findRow(rows, 'plugins.tuned.key'), { value: '••••', source: 'config.json' })
  t.notMatch(JSON.stringify(rows), /canary/)
})

t.test('a secret comes from the file that a variable names', async (t) => {
  const home = createHome(t, bareConfig())
  installPlugin(home, 'tuned', tuned)
  const file = join(home, 'secret')
  writeFileSync(file, 'mongodb://user:canary@db.example/x\nanother line\n')
  const config = (env: Record<string, string>) => runCommand(home, ['config', '--json'], { env })
  const { stdout, stderr } = await config({
    SVC_DATABASE_URL_FILE: file,
    TUNED_KEY_FILE: file,
  })
  const rows: Row[] = JSON.parse(stdout)
  t.match(findRow(rows, 'database.url'), { value: '••••', source: 'env SVC_DATABASE_URL_FILE' })
  t.match(findRow(rows, 'plugins.tuned.key'), { value: '••••', source: 'env TUNED_KEY_FILE' })
  t.notMatch(stdout + stderr, /canary/)

  const serve = (env: Record<string, string>) => runCommand(home, ['serve'], { env })
  const empty = join(home, 'empty')
  writeFileSync(empty, '\n')
  const wrong = join(home, 'wrong')
  writeFileSync(wrong, 'canary')
  const cases: [env: Record<string, string>, message: RegExp][] = [
    [
      { SVC_DATABASE_URL: 'mongodb://db.example/x', SVC_DATABASE_URL_FILE: file },
      /^svc: SVC_DATABASE_URL and SVC_DATABASE_URL_FILE are both set; keep one of them\n$/,
    ],
    [
      { TUNED_KEY_FILE: join(home, 'absent') },
      /^svc: the file of TUNED_KEY_FILE cannot be read: ENOENT.*absent'\n$/,
    ],
    [{ TUNED_KEY_FILE: empty }, /^svc: the file of TUNED_KEY_FILE, .*empty, begins with an empty line\n$/],
    [
      { SVC_DATABASE_URL_FILE: wrong },
      /^svc: database\.url \(env SVC_DATABASE_URL_FILE\) must look like "mongodb:.*"\n$/,
    ],
  ]
  for (const [env, message] of cases) {
    const { code, stderr } = await serve(env)
    t.equal(code, 1, JSON.stringify(env))
    t.match(stderr, message)
    t.notMatch(stderr, /canary/)
  }
  const doctor = await runCommand(home, ['doctor'], {
    env: { SVC_PORT_FILE: file, SVC_BACKUP_PASSPHRASE_FILE: file },
  })
  t.match(doctor.stdout, /the variable SVC_PORT_FILE sets nothing/, 'a setting that is no secret has no file')
  t.notMatch(doctor.stdout, /the variable SVC_BACKUP_PASSPHRASE_FILE/)
})

t.test('an invalid configuration stops the start with one sentence', async (t) => {
  const inFile: [config: unknown, message: RegExp][] = [
    [[], /config\.json must hold a JSON object$/],
    [null, /config\.json must hold a JSON object$/],
    ['text', /config\.json must hold a JSON object$/],
    [{ http: { prot: 1 } }, /^the configuration has no key "http\.prot"; did you mean "http\.port"\?$/],
    [{ htp: {} }, /^the configuration has no key "htp"; did you mean "http"\?$/],
    [{ 'lo/g~': 1 }, /^the configuration has no key "lo\/g~"; did you mean "log"\?$/],
    [
      { plugins: { tund: {} } },
      /^the configuration has no key "plugins\.tund"; did you mean "plugins\.tuned"\?$/,
    ],
    [
      { plugins: { tuned: { deep: { of: 1 } } } },
      /^the configuration has no key "plugins\.tuned\.deep\.of"; did you mean "plugins\.tuned\.deep\.on"\?$/,
    ],
    [{ http: { port: '8088' } }, /^http\.port must be integer$/],
    [{ http: { port: 65536 } }, /^http\.port must be <= 65535$/],
    [{ http: 'x' }, /^http must be object$/],
    [{ http: [] }, /^http must be object$/],
    [{ http: { body_limit: 'a lot' } }, /^http\.body_limit must look like "512kb" or "2mb"$/],
    [
      { http: { public_url: 'svc.example' } },
      /^http\.public_url must look like "https:\/\/agents\.example\.com"$/,
    ],
    [{ http: { public_url: 'https://svc.example:99999' } }, /^http\.public_url must match format "url"/],
    [{ http: { public_url: 'https://svc example' } }, /^http\.public_url must match format "url"/],
    [{ log: { level: 'loud' } }, /^log\.level must be equal to one of the allowed values: fatal, error/],
    [{ packages: [5] }, /^packages\.0 must be string$/],
    [{ packages: 'one' }, /^packages must be array$/],
    [{ plugins: { tuned: { size: 0 } } }, /^plugins\.tuned\.size must be >= 1$/],
    [{ plugins: { tuned: { map: { a: 'x' } } } }, /^plugins\.tuned\.map\.a must be integer$/],
    [{ plugins: { tuned: { enabled: 'no' } } }, /^plugins\.tuned\.enabled must be boolean$/],
  ]
  for (const [config, message] of inFile) {
    const home = createHome(t, config as object)
    installPlugin(home, 'tuned', tuned)
    await t.rejects(startServer(t, { home, env: { SVC_PORT: '', SVC_LOG_LEVEL: '' } }), { message })
  }
  const home = createHome(t)
  writeFileSync(join(home, 'config.json'), '{"http": }')
  await t.rejects(startServer(t, { home }), { message: /config\.json is not valid JSON: / })
  writeFileSync(join(home, 'config.json'), '{"api_key": x"sk-secret"}')
  await t.rejects(
    startServer(t, { home }),
    { message: /config\.json is not valid JSON: Unexpected token 'x' is not valid JSON$/ },
    'the message does not repeat the content of the file',
  )

  const needy = `config: {
    deep: { type: 'object', additionalProperties: false, required: ['x'], properties: { x: { type: 'integer' } } },
  },`
  await t.rejects(startKernel(t, { plugins: { needy: pluginSource('needy', '', needy) } }), {
    message: /^plugins\.needy\.deep\.x must have required property 'x'$/,
  })

  const inVariables: [env: Record<string, string>, message: RegExp][] = [
    [{ SVC_PORT: 'x' }, /^http\.port \(env SVC_PORT\) must be integer$/],
    [{ SVC_PORT: '99999' }, /^http\.port \(env SVC_PORT\) must be <= 65535$/],
    [{ SVC_TRUST_PROXY: 'maybe' }, /^http\.trust_proxy \(env SVC_TRUST_PROXY\) must be true or false/],
    [{ SVC_LOG_LEVEL: 'loud' }, /^log\.level \(env SVC_LOG_LEVEL\) must be equal to one of .*: fatal, error/],
    [
      { SVC_DATABASE_URL: 'postgres://canary' },
      /^database\.url \(env SVC_DATABASE_URL\) must look like "[^"]*"$/,
    ],
    [{ TUNED_SIZE: '0' }, /^plugins\.tuned\.size \(env TUNED_SIZE\) must be >= 1$/],
    [{ TUNED_SIZES: '1,x' }, /^plugins\.tuned\.sizes \(env TUNED_SIZES\) must be integer$/],
    [{ TUNED_ON: '2' }, /^plugins\.tuned\.deep\.on \(env TUNED_ON\) must be true or false/],
  ]
  for (const [env, message] of inVariables)
    await t.rejects(startKernel(t, { plugins: { tuned }, env }), { message })
  for (const env of [{ SVC_PORT: '0' }, { SVC_PORT: '' }])
    await t.rejects(startServer(t, { config: { ...bareConfig(), http: 'x' }, env }), {
      message: 'http must be object',
    })
})

t.test('a missing home is created, accessible to its owner only', async (t) => {
  const home = join(createHome(t), 'new', 'home')
  const { code } = await runCommand(home, ['config'])
  t.equal(code, 0)
  t.equal(statSync(home).mode & 0o777, 0o700)
  const byDefault = createHome(t)
  mkdirSync(join(byDefault, '.svc'))
  writeFileSync(join(byDefault, '.svc/config.json'), '{"http":{"port":77}}')
  const { HOME } = process.env
  process.env.HOME = byDefault
  t.teardown(() => {
    if (HOME === undefined) delete process.env.HOME
    else process.env.HOME = HOME
  })
  const { stdout } = await runCommand('', ['config'])
  t.match(stdout, /http\.port +77 +config\.json +SVC_PORT/)
})
