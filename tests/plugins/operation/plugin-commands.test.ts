import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { packFolder, startRegistry, writePackage } from '../../support/fake-registry.ts'
import { createHome, pluginSource, runCommand } from '../../support/kernel.ts'
import { databaseEnvironment } from '../../support/server.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'

const configOf = (home: string) => JSON.parse(readFileSync(join(home, 'config.json'), 'utf8'))

/** Creates a home, and the function that runs `svc plugin` on it. */
async function prepare(t: Parameters<typeof createHome>[0], env: Record<string, string> = {}) {
  const url = await createDatabaseUrl(t)
  const home = createHome(t, { database: { url }, log: { level: 'warn' } })
  const run = (...args: string[]) =>
    runCommand(home, ['plugin', ...args], { env: { ...databaseEnvironment(home), ...env } })
  return { home, run, work: createHome(t) }
}

const greeting =
  "import { definePlugin } from 'agent-platform-service/plugin-api'\nexport default definePlugin("
const greetSource = (version = 1) =>
  `${greeting}{ kernel: 1, name: 'greet', summary: 'Greets', config: { version: { type: 'integer', default: ${version} } },
     limits: { greets: { default: 5, description: 'Greetings' } }, setup() {} })`

t.test(
  'a package is added from a registry and from a tarball, updated, and removed with its settings',
  async (t) => {
    const work = createHome(t)
    const first = packFolder(writePackage(join(work, 'a'), { name: '@acme/greet', source: greetSource() }))
    const second = packFolder(
      writePackage(join(work, 'b'), {
        name: '@acme/greet',
        version: '1.1.0',
        source: greetSource(2),
        more: { peerDependencies: { 'agent-platform-service': '^0.1.0' } },
      }),
    )
    const { env } = await startRegistry(t, [first])
    const { home, run } = await prepare(t, env)
    const oldConfig = configOf(home)

    const added = await run('add', '@acme/greet@1.0.0')
    t.equal(added.code, 0, added.stderr)
    t.match(added.stdout, /^Added greet 1\.0\.0 \(@acme\/greet\)\. It provides:\n/)
    t.match(added.stdout, /It runs from the next start on\.\n$/)
    t.strictSame(configOf(home), { ...oldConfig, packages: ['@acme/greet'] })
    t.ok(lstatSync(join(home, 'node_modules/agent-platform-service')).isSymbolicLink())
    t.match((await run('list')).stdout, /^greet +1\.0\.0 +@acme\/greet +ok/m)

    const updated = await run('add', second, '--json')
    t.equal(updated.code, 0, updated.stderr)
    t.match(JSON.parse(updated.stdout), { name: 'greet', version: '1.1.0', source: '@acme/greet' })
    t.strictSame(configOf(home).packages, ['@acme/greet'])
    t.ok(existsSync(join(home, 'packages/@acme-greet-1.1.0.tgz')))

    const settings = { ...configOf(home), limits: { greets: 9 }, plugins: { greet: { version: 3 } } }
    writeFileSync(join(home, 'config.json'), JSON.stringify(settings))
    const removed = await run('remove', 'greet')
    t.equal(removed.code, 0, removed.stderr)
    t.match(
      removed.stdout,
      /^Removed greet \(@acme\/greet\) and its settings\. Its data stays in the database\.\n/,
    )
    t.strictSame(configOf(home), { ...oldConfig, limits: {} })
    t.notOk(existsSync(join(home, 'node_modules/@acme/greet')))
    t.strictSame(readdirSync(join(home, 'packages')), [])
  },
)

t.test('a folder is linked, or copied, to where its kind belongs', async (t) => {
  const { home, run, work } = await prepare(t)
  const folder = writePackage(work, { name: 'greet', source: greetSource() })
  t.match(await run('add', folder), { code: 0, stdout: /greet 1\.0\.0 \(.*plugins\/greet -> / })
  t.ok(lstatSync(join(home, 'plugins/greet')).isSymbolicLink())
  t.match(await run('add', folder), { code: 1, stderr: /plugins\/greet exists already: remove it first/ })
  t.match(await run('remove', 'greet'), { code: 0 })
  t.ok(existsSync(join(folder, 'index.js')), 'the folder itself stays')
  t.match(await run('add', folder, '--copy'), { code: 0 })
  t.notOk(lstatSync(join(home, 'plugins/greet')).isSymbolicLink())
  mkdirSync(join(home, 'plugins/greet/.git'))
  t.match(await run('remove', 'greet'), { code: 1, stderr: /is a repository of git/ })
})

t.test('what cannot be added is refused with a sentence, and changes nothing', async (t) => {
  const work = createHome(t)
  const wrong = packFolder(writePackage(work, { name: 'svc-wrong', source: 'export default 5' }))
  const future = packFolder(
    writePackage(work, {
      name: 'svc-future',
      source: 'export default { kernel: 9, name: "future", summary: "x", setup() {} }',
    }),
  )
  const chat = packFolder(writePackage(work, { name: 'svc-chat', source: pluginSource('chat', '') }))
  const { env } = await startRegistry(t, [])
  const { home, run } = await prepare(t, env)
  const oldFiles = readdirSync(home)
  for (const [source, reason] of [
    ['svc-none', /"svc-none" does not exist in the registry of npm/],
    ['./nowhere', /is not the name of a package, and .*nowhere does not exist/],
    [join(home, 'config.json'), /is neither a folder nor a \.tgz file/],
    [wrong, /svc-wrong: failed to load: its default export is not a manifest object/],
    [future, /kernel: 9, but this server has version 1 of the plugin contract/],
    [chat, /two plugins are named "chat"/],
  ] as const) {
    const { code, stderr } = await run('add', source)
    t.equal(code, 1)
    t.match(stderr, reason)
  }
  const offline = await runCommand(home, ['plugin', 'add', 'svc-none'], {
    env: { ...databaseEnvironment(home), ...env, npm_config_registry: 'http://127.0.0.1:1' },
  })
  t.match(offline, { code: 1, stderr: /the registry of npm cannot be reached \(ECONNREFUSED\)/ })
  const bare = await runCommand(home, ['plugin', 'add', 'svc-none'], {
    env: { ...databaseEnvironment(home), PATH: '/nonexistent' },
  })
  t.match(bare, { code: 1, stderr: /npm is not installed on this machine/ })
  t.notOk(configOf(home).packages)
  t.strictSame(
    readdirSync(home).filter((name) => !oldFiles.includes(name) && name !== 'node_modules'),
    [],
  )
  t.match(await run('remove', 'chat'), { code: 1, stderr: /comes with the server.*plugins\.chat\.enabled/ })
  t.match(await run('remove', 'nothing'), { code: 1, stderr: /The plugin "nothing" does not exist/ })
})
