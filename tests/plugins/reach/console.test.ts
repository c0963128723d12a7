import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readBlueprint } from '../../../kernel/loading/blueprint.ts'
import t from '../../run/file-test.ts'
import { pluginSource } from '../../support/kernel.ts'
import { createHome, installPlugin, startServer } from '../../support/server.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-console-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(join(folder, 'assets'))
writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Console</title>')
writeFileSync(join(folder, 'assets', 'main-x1.js'), 'export {}')

/** A plugin with a page. */
const notebook = pluginSource(
  'notebook',
  `host.extend('console.page', {
     path: '/notebook', title: { en: 'Notebook', zh: '笔记本' }, permission: 'users',
     module: new URL('./web/page.js', import.meta.url).href,
   })`,
)
const config = { plugins: { console: { folder } } }
const home = createHome(t, config)
/** Writes the module of the page, which is a file beside the code of the server. */
const writeModule = (home: string, name = 'notebook') => {
  const web = join(home, 'plugins', name, 'web')
  mkdirSync(web, { recursive: true })
  writeFileSync(join(web, 'page.js'), `import { text } from './text.js'\nexport default () => text\n`)
  writeFileSync(join(web, 'text.js'), `export const text = 'notes'\n`)
}
installPlugin(home, 'notebook', notebook)
writeModule(home)
const server = await startServer(t, { home, config, env: { SVC_PUBLIC_URL: 'https://agents.example' } })

const HTML = { accept: 'text/html' }
const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${server.url}${path}`, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

t.test('the page answers its addresses and may load nothing from elsewhere', async (t) => {
  const { host } = new URL(server.url)
  for (const path of ['/', '/login', '/login/oauth/complete', '/invite?code=x', '/agents/assistant']) {
    const { status, headers, text } = await get(path, HTML)
    t.equal(status, 200, path)
    t.match(text, '<title>Console</title>')
    const policy = headers.get('content-security-policy')!
    t.match(policy, /^default-src 'none'; script-src 'self'; /)
    for (const part of ["frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"])
      t.ok(policy.split(/[;,] /).includes(part), part)
    t.match(policy, `connect-src 'self' ws://${host} wss://${host}`)
    t.notMatch(policy, /script-src[^;]*unsafe|https?:/)
    t.match(policy, /, script-src \*:\*\/assets\/ \*:\*\/console-pages\/; style-src .*; worker-src /)
    for (const [name, value] of [
      ['referrer-policy', 'no-referrer'],
      ['x-content-type-options', 'nosniff'],
      ['cross-origin-opener-policy', 'same-origin'],
      ['cache-control', 'no-cache'],
    ] as const)
      t.equal(headers.get(name), value)
    t.match(headers.get('permissions-policy'), /camera=\(\)/)
  }
  const asset = await get('/assets/main-x1.js')
  t.match(asset.headers.get('cache-control'), /immutable/)
  t.equal((await get('/assets/main-x2.js', HTML)).status, 404)
  t.equal((await get('/api/nothing', HTML)).status, 404)
})

t.test('it learns what runs here before anybody has signed in', async (t) => {
  const { status, body } = await server.request('GET', '/console', { token: null })
  t.equal(status, 200)
  t.hasStrict(body, {
    name: 'svc',
    public_url: 'https://agents.example',
    features: { chat: true, channels: true, notebook: true },
    sign_in: { password: true, providers: [] },
    languages: ['en', 'zh'],
    pages: [
      {
        path: '/notebook',
        title: { en: 'Notebook', zh: '笔记本' },
        permission: 'users',
        module: '/console-pages/notebook/page.js',
      },
    ],
  })
  t.ok(body.permissions.includes('channels'))
  t.match(body.version, /^\d/)
  await server.request('PUT', '/auth/oauth/providers/feishu', {
    body: { enabled: true, display_name: 'Feishu', client_id: 'cli_1', client_secret: 'secret-of-feishu' },
  })
  const { sign_in } = (await server.request('GET', '/console', { token: null })).body
  t.same(sign_in.providers, [
    { kind: 'feishu', display_name: 'Feishu' },
    { kind: 'passkey', display_name: 'a passkey' },
  ])
})

t.test('the module of a plugin and its neighbours are served, and nothing else of it', async (t) => {
  const module = await get('/console-pages/notebook/page.js')
  t.equal(module.status, 200)
  t.match(module.headers.get('content-type'), /javascript/)
  t.match(module.headers.get('content-security-policy'), "default-src 'none'")
  t.equal((await get('/console-pages/notebook/text.js')).status, 200)
  for (const path of [
    'notebook/index.js',
    'notebook/package.json',
    'notebook/..%2findex.js',
    'notebook',
    'other/page.js',
  ])
    t.equal((await get(`/console-pages/${path}`)).status, 404, path)
})

t.test('a page that cannot work is refused', async (t) => {
  const page = (change: string) => notebook.replace("permission: 'users'", change)
  const sources: [name: string, source: string, reason: RegExp][] = [
    ['relative', page("module: './page.js'").replace(/module: new.*/, ''), /module/],
    ['missing', notebook.replace('./web/page.js', './web/other.js'), /other\.js does not exist/],
    ['exposed', notebook.replace('./web/page.js', './index.js'), /needs a folder of its own/],
    ['pathless', notebook.replace("'/notebook'", "'notebook'"), /path/],
  ]
  for (const [name, source, reason] of sources) {
    installPlugin(home, name, source.replace("name: 'notebook'", `name: '${name}'`))
    writeModule(home, name)
    const { absent } = await readBlueprint({ home, env: {} })
    t.match(absent.find((plugin) => plugin.name === name)?.reason, reason)
    rmSync(join(home, 'plugins', name), { recursive: true })
  }
})

t.test('without a build the start says so, and so does the page', async (t) => {
  rmSync(join(folder, 'index.html'))
  await server.restart()
  t.match(
    server.server.announcements.find(({ label }) => label === 'page'),
    { text: 'not built; run "npm run build", then start again' },
  )
  const { status, text } = await get('/', HTML)
  t.equal(status, 503)
  t.match(JSON.parse(text), { error: { code: 'CONSOLE_NOT_BUILT', message: /npm run build/ } })
})

t.test('switched off, nothing of it is left', async (t) => {
  const off = await startServer(t, { config: { plugins: { console: { enabled: false } } } })
  for (const path of ['/', '/login', '/console-pages/notebook/page.js', '/api/console'])
    t.equal((await fetch(`${off.url}${path}`, { headers: HTML })).status, 404, path)
})
