import { existsSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PACKAGE_NAME, PACKAGE_ROOT } from '../../kernel/loading/package.ts'
import t, { type Test } from '../run/file-test.ts'
import { bareConfig, createHome, pluginSource, routeSource, runCommand } from '../support/kernel.ts'
import { installPlugin, startServer } from '../support/server.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

/** A plugin with an extension point whose entries are the folders in `toys/`. */
const box = pluginSource(
  'box',
  `host.extensionPoint('box.toys', {
     noun: 'toy', folder: 'toys', nameOf: ({ name }) => name,
     check: (toy) => { if (!toy.name) throw new Error('a toy needs a name'); return toy },
   })
   host.routes([${routeSource('/toys', "cradle.extensions['box.toys'].list().map((toy) => [toy.name, cradle.extensions['box.toys'].owner(toy.name), toy.play()])")}])`,
)

const toy = (name: string) => `export default { name: '${name}', size: 3, play() { return this.size } }`

/** Creates a home with that plugin and these toys. */
async function createToyHome(
  t: Test,
  toys: Record<string, string>,
  config: Parameters<typeof bareConfig>[0] = {},
) {
  const home = createHome(t, bareConfig({ database: { url: await createDatabaseUrl(t) }, ...config }))
  installPlugin(home, 'box', box)
  for (const [name, source] of Object.entries(toys)) write(join(home, 'toys', name, 'index.mjs'), source)
  return home
}

function write(file: string, text: string) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  writeFileSync(join(dirname(file), 'package.json'), '{"version":"1.2.3","main":"index.mjs"}')
}

const listRows = async (home: string): Promise<Record<string, unknown>[]> =>
  JSON.parse((await runCommand(home, ['plugins', '--json'])).stdout)

t.test(
  'folders in the home are entries of an extension point; invalid ones are listed and left out',
  async (t) => {
    const toys = {
      ball: toy('ball'),
      kite: toy('kite'),
      nameless: 'export default {}',
      torn: "throw new Error('it is torn')",
      twin: toy('ball'),
      resting: "throw new Error('was loaded')",
    }
    const home = await createToyHome(t, toys, {
      packages: ['wooden-horse', 'lost-toy'],
      plugins: { resting: { enabled: false } },
    })
    write(join(home, 'node_modules/wooden-horse/index.mjs'), toy('horse'))
    writeFileSync(
      join(home, 'node_modules/wooden-horse/package.json'),
      '{"version":"2.0.0","main":"index.mjs","svc":{"extends":"box.toys"}}',
    )
    write(join(home, 'node_modules/lost-toy/index.mjs'), toy('lost'))
    writeFileSync(
      join(home, 'node_modules/lost-toy/package.json'),
      '{"main":"index.mjs","svc":{"extends":"box.games"}}',
    )
    const server = await startServer(t, { home, signIn: false })
    t.same((await server.request('GET', '/toys')).body, [
      ['horse', 'wooden-horse', 3],
      ['ball', 'toys/ball', 3],
      ['kite', 'toys/kite', 3],
    ])
    t.match((await server.request('GET', '/health')).body, {
      status: 'degraded',
      plugins: { box: 'ok', nameless: 'failed', torn: 'failed', twin: 'failed', 'lost-toy': 'failed' },
    })
    const rows = await listRows(home)
    const findRow = (wanted: string) => rows.find(({ name }) => name === wanted)
    t.match(findRow('ball'), {
      version: '1.2.3',
      source: join(home, 'toys/ball'),
      status: 'ok',
      extends: [{ point: 'box.toys', name: 'ball' }],
    })
    t.match(findRow('wooden-horse'), { version: '2.0.0', source: 'wooden-horse', status: 'ok' })
    t.match(findRow('nameless'), {
      status: 'failed',
      error: /^toys\/nameless \(.*\) failed to load: a toy needs a name$/,
    })
    t.match(findRow('torn'), { status: 'failed', error: /failed to load: it is torn$/ })
    t.match(findRow('twin'), {
      status: 'failed',
      error: 'toy "ball" is declared by both toys/ball and toys/twin',
    })
    t.match(findRow('lost-toy'), {
      status: 'failed',
      error: /no plugin declares the extension point "box.games"/,
    })
    t.match(findRow('resting'), { status: 'off', error: 'switched off' })
    t.match(findRow('box'), { points: { 'box.toys': ['wooden-horse', 'toys/ball', 'toys/kite'] } })
    t.match((await runCommand(home, ['plugins'])).stdout, /^kite +1\.2\.3 +.*toys\/kite +ok +1 extension$/m)
  },
)

t.test('a required folder that is invalid stops the start', async (t) => {
  const home = await createToyHome(
    t,
    { torn: "throw new Error('it is torn')" },
    { plugins: { torn: { required: true } } },
  )
  await t.rejects(startServer(t, { home }), { message: /^toys\/torn \(.*\) failed to load: it is torn$/ })
  const twins = await createToyHome(
    t,
    { ball: toy('ball'), twin: toy('ball') },
    { plugins: { twin: { required: true } } },
  )
  await t.rejects(startServer(t, { home: twins }), {
    message: 'toy "ball" is declared by both toys/ball and toys/twin',
  })
})

t.test('code in the home imports the plugin API of the server that runs it', async (t) => {
  const api = `import { AppError, defineRoute } from '${PACKAGE_NAME}/plugin-api'
    export default { name: new AppError('NOT_FOUND') instanceof Error && 'ball', play: () => typeof defineRoute }`
  const home = await createToyHome(t, { ball: api })
  const link = join(home, 'node_modules', PACKAGE_NAME)
  const server = await startServer(t, { home, signIn: false })
  t.same((await server.request('GET', '/toys')).body, [['ball', 'toys/ball', 'function']])
  t.equal(readlinkSync(link), PACKAGE_ROOT)

  rmSync(link)
  symlinkSync(join(home, 'a link to a server that was removed'), link)
  await listRows(home)
  t.equal(readlinkSync(link), PACKAGE_ROOT, 'a link to another server is replaced')

  rmSync(link)
  mkdirSync(link)
  await listRows(home)
  t.ok(existsSync(link), 'an installed package is kept')
  t.throws(() => readlinkSync(link))
})
