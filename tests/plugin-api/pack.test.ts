import { once } from 'node:events'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import t from '../run/file-test.ts'
import { isLong } from '../run/tier.ts'
import { runCommand } from '../support/kernel.ts'
import { installPackage, isForDevelopment, listFiles, ROOT } from '../support/packed.ts'
import { createHome } from '../support/server.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

const { project, root, files, compile, runTests } = await installPackage()

const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })

const load = (file: string) => import(pathToFileURL(join(root, 'dist', file)).href)

const { runProgram } = await load('kernel/cli/program.js')

/** Runs `svc` of the packed package in this process. */
const svc = (home: string, ...args: string[]) => runCommand(home, args, { program: runProgram })

/** A package for each template: its folder in the home, what `svc plugin check` prints, and its row of `svc plugins`. */
const scaffolds = [
  {
    template: 'feature',
    name: 'shop-list',
    place: 'plugins',
    checked:
      /collections +shop_list\n +routes +POST \/shop-list\n +jobs .*permissions +shop_list\n +events +shop_list\.added\n/s,
    row: { name: 'shop-list', status: 'ok' },
  },
  {
    template: 'channel',
    name: 'carrier',
    place: 'channels',
    checked: /^carrier 0\.1\.0 loads.*extensions +carrier \(channels\.kinds\)\n/s,
    row: { name: 'carrier', status: 'ok', extends: [{ point: 'channels.kinds', name: 'carrier' }] },
  },
  {
    template: 'provider',
    name: 'oracle',
    place: 'providers',
    checked: /^oracle 0\.1\.0 loads.*extensions +oracle \(providers\.kinds\)\n/s,
    row: { name: 'oracle', status: 'ok', extends: [{ point: 'providers.kinds', name: 'oracle' }] },
  },
  {
    template: 'search-engine',
    name: 'finder',
    place: 'plugins',
    checked: /^finder 0\.1\.0 loads.*extensions +finder \(web\.search_engines\)\n/s,
    row: { name: 'finder', status: 'ok' },
  },
]
/** The short tier compiles and runs only the feature: each project costs the compiler seconds. */
const tried = isLong ? scaffolds : scaffolds.slice(0, 1)

t.test('the package contains the compiled sources and their data, and no tests', async (t) => {
  const data = [
    ...listFiles('docs'),
    ...listFiles('deploy'),
    ...listFiles('plugins/agents/experts/catalog'),
    ...listFiles('plugins/agents/personas/profiles'),
    ...listFiles('plugins/operation/api-docs/page'),
    ...listFiles('plugins/operation/scaffold/templates'),
    ...[
      'dist/plugins/operation/api-docs/component',
      'dist/plugins/reach/console/web',
      'dist/plugins/tools/documents/reading',
    ]
      .flatMap((folder) => listFiles(folder))
      .filter((file) => !/\.(js|js\.map|d\.ts)$/.test(file)),
  ]
  t.ok(data.length > 20)
  t.same(
    data.filter((file) => !files.includes(file)),
    [],
    'all data is packed',
  )
  t.same(
    files.filter(
      (file) =>
        !/^dist\/(client|engine|kernel|plugin-api|plugins|channels|providers)\/.*\.(js|d\.ts)$/.test(file),
    ),
    [
      ...data,
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'],
      ...['dist/build.json', 'plugin-api/api-report.md'],
    ].sort(),
    'nothing else is packed',
  )
})

/** Writes programs that use the package, without compiling them. */
function write(name: string, sources: string, compilerOptions: object): string {
  const folder = join(project, name)
  cpSync(join(ROOT, sources), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const options = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, ...compilerOptions }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['*.ts'] }),
  )
  return folder
}

// One test, because each run of the compiler reads the types of the package again.
t.test('third-party code, clients and what svc plugin new writes compile against the package', async (t) => {
  const client = { target: 'es2022', types: [] }
  const folders = [
    write('strict', 'tests/plugin-api/fixtures', {
      target: 'es2023',
      module: 'nodenext',
      types: ['node'],
      noUncheckedIndexedAccess: true,
      // In `npm test`, the packages that svc plugin new writes check the declarations of the libraries.
      skipLibCheck: !isLong,
    }),
    // The types of the client itself are checked as well.
    write('client-browser', 'tests/client/fixtures', {
      ...client,
      lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
      module: 'esnext',
      moduleResolution: 'bundler',
    }),
    write('client-node', 'tests/client/fixtures', {
      ...client,
      lib: ['es2022'],
      module: 'nodenext',
      types: ['node'],
    }),
  ]
  for (const { template, name } of tried) {
    const options = template === 'feature' ? ['--console'] : []
    const written = await svc(home, 'plugin', 'new', template, name, ...options, '--in', project)
    t.match(written, { code: 0, stderr: '', stdout: `Wrote ${join(project, name)}.` })
    folders.push(join(project, name), ...options.map(() => join(project, name, 'console')))
  }
  const { errors, packages } = await compile(folders)
  t.equal(errors, '')
  t.ok(packages.includes('node_modules/@types/json-schema'))
  // The compiler is the project's own; "buffer" is a module of Node.js, for which this repository also has a package.
  const own = /^node_modules\/(@typescript\/.*|buffer)$/
  t.same(
    packages.filter((path) => isForDevelopment(path) && !own.test(path)),
    [],
    'installing the package brings all types',
  )
})

t.test('the packages that svc plugin new writes load, and run in a server', async (t) => {
  for (const { name, place: folder, checked } of tried) {
    t.match((await svc(home, 'plugin', 'check', join(project, name))).stdout, checked)
    mkdirSync(join(home, folder))
    symlinkSync(join(project, name), join(home, folder, name))
  }
  const rows = JSON.parse((await svc(home, 'plugins', '--json')).stdout)
  t.match(
    rows.filter(({ source }: { source: string }) => source !== 'built-in'),
    tried.map(({ row }) => row),
  )

  const { startServer } = await load('kernel/server/server.js')
  const logTo = new Writable({ write: (_chunk, _, done) => done() })
  const server = await startServer({
    home,
    env: { SVC_PORT: '0', SVC_ADMIN_PASSWORD: 'correct-horse-1' },
    logTo,
  })
  t.teardown(() => server.stop())
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${server.url}/api${path}`, {
      ...init,
      headers: { 'content-type': 'application/json', ...init.headers },
    })
    // biome-ignore lint/suspicious/noExplicitAny: the test asserts the form of the body
    return { status: answer.status, body: (await answer.json()) as any }
  }
  t.match(await ask('/health'), { body: { status: 'ok', plugins: { 'shop-list': 'ok' } } })
  const credentials = JSON.stringify({ username: 'admin', password: 'correct-horse-1' })
  const { body: login } = await ask('/auth/login', { method: 'POST', body: credentials })
  const headers = { authorization: `Bearer ${login.access_token}` }
  const added = await ask('/shop-list', { method: 'POST', headers, body: '{"text":"milk"}' })
  t.match(added, { status: 201, body: { text: 'milk' } })
  const { body: experts } = await ask('/experts', { headers })
  t.ok(experts.length >= 10)
  if (!isLong) return
  const upstream = createServer(({ url }, response) =>
    response.writeHead(url === '/models' ? 401 : 404).end('{}'),
  ).listen(0, '127.0.0.1')
  t.teardown(() => upstream.close())
  await once(upstream, 'listening')
  const base_url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`
  const probe = JSON.stringify({ name: 'o', kind: 'oracle', base_url, api_key: 'sk-wrong' })
  const probed = await ask('/providers/probe', { method: 'POST', headers, body: probe })
  t.match(probed.body, { ok: false, reason: 'auth' })
})

t.test('the tests that svc plugin new wrote pass unchanged', async (t) => {
  await Promise.all(
    tried.map(async ({ name }) =>
      t.match(await runTests(join(project, name)), /^# pass [1-9]\d*\n# fail 0$/m),
    ),
  )
})
