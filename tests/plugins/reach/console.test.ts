import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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

/** A plugin with a page and a button. */
const notebook = pluginSource(
  'notebook',
  `host.extend('console.slots', {
     slot: 'pages', label: { en: 'Notebook', zh: '笔记本' }, when: { permission: 'users' },
     module: new URL('./web/page.js', import.meta.url).href,
   })
   host.extend('console.slots', {
     slot: 'message.actions', icon: 'M4 4h16', when: { role: 'assistant' }, module: 'web/text.js',
     isOffered: () => globalThis.isNotebookOffered?.() ?? true,
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
    t.match(policy, /, script-src \*:\*\/assets\/ \*:\*\/console-slots\/; style-src .*; worker-src /)
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
  const own = body.slots.filter(({ plugin }: { plugin: string }) => plugin === 'notebook')
  t.hasStrict(
    { ...body, slots: own },
    {
      name: 'svc',
      public_url: 'https://agents.example',
      features: { chat: true, channels: true, notebook: true },
      sign_in: { password: true, providers: [] },
      currency: 'USD',
      languages: ['en', 'zh'],
      slots: [
        {
          slot: 'pages',
          plugin: 'notebook',
          module: '/console-slots/notebook/web/page.js',
          label: { en: 'Notebook', zh: '笔记本' },
          icon: null,
          when: { permission: 'users', role: null },
          path: '/notebook',
        },
        {
          slot: 'message.actions',
          plugin: 'notebook',
          module: '/console-slots/notebook/web/text.js',
          label: null,
          icon: 'M4 4h16',
          when: { permission: null, role: 'assistant' },
          path: null,
        },
      ],
    },
  )
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

t.test('a slot that cannot work now is not offered, nor one that fails to say it', async (t) => {
  const places = globalThis as { isNotebookOffered?: () => unknown }
  const listSlots = async () =>
    (await server.request('GET', '/console', { token: null })).body.slots.flatMap(
      ({ slot, plugin }: { slot: string; plugin: string }) => (plugin === 'notebook' ? [slot] : []),
    )
  places.isNotebookOffered = () => Promise.resolve(false)
  t.strictSame(await listSlots(), ['pages'])
  places.isNotebookOffered = () => {
    throw new Error('nobody knows')
  }
  t.strictSame(await listSlots(), ['pages'])
  t.match(server.logged(), /a slot of the console is left out/)
  delete places.isNotebookOffered
  t.strictSame(await listSlots(), ['pages', 'message.actions'])
})

t.test('the modules of a plugin and their neighbours are served, and nothing else of it', async (t) => {
  const module = await get('/console-slots/notebook/web/page.js')
  t.equal(module.status, 200)
  t.match(module.headers.get('content-type'), /javascript/)
  t.match(module.headers.get('content-security-policy'), "default-src 'none'")
  t.equal((await get('/console-slots/notebook/web/text.js')).status, 200)
  const plugin = join(home, 'plugins/notebook')
  symlinkSync(join(plugin, 'index.js'), join(plugin, 'web/link.js'))
  symlinkSync(plugin, join(plugin, 'web/folder'))
  mkdirSync(join(plugin, 'website'))
  writeFileSync(join(plugin, 'website/page.js'), 'export {}')
  for (const path of [
    'notebook/index.js',
    'notebook/package.json',
    'notebook/..%2findex.js',
    'notebook/web/..%2findex.js',
    'notebook/web/%2e%2e/index.js',
    'notebook/web/..\\index.js',
    'notebook/web/link.js',
    'notebook/web/folder/index.js',
    'notebook/web',
    'notebook/website/page.js',
    'notebook/page.js',
    'notebook',
    'other/web/page.js',
    'web/page.js',
  ])
    t.equal((await get(`/console-slots/${path}`)).status, 404, path)
})

t.test('a slot that cannot work is refused in one sentence', async (t) => {
  const inFolder = { slot: 'thread.menu', module: 'web/page.js' }
  const entries: [name: string, entry: object, reason: RegExp][] = [
    [
      'misspelt',
      { ...inFolder, slot: 'mesage.action' },
      /"mesage\.action" is not a slot of the console\. Did you mean "message\.actions"\?/,
    ],
    ['slotless', { module: 'web/page.js' }, /\/slot is missing/],
    ['absolute', { ...inFolder, module: '/etc/page.js' }, /\/etc\/page\.js is not a path in the folder/],
    ['hosted', { ...inFolder, module: 'file://host/page.js' }, /is not a path in the folder/],
    ['missing', { ...inFolder, module: 'web/other.js' }, /web\/other\.js does not exist/],
    ['outside', { ...inFolder, module: '../notebook/web/page.js' }, /is outside of the plugin's folder/],
    ['linked', { ...inFolder, module: 'web/out/page.js' }, /is outside of the plugin's folder/],
    ['exposed', { ...inFolder, module: 'index.js' }, /needs a folder of its own/],
    ['typed', { ...inFolder, module: 'web/page.ts' }, /must end with \.js or \.mjs/],
    ['drawn', { ...inFolder, icon: 'url(#x)' }, /\/icon/],
    ['large', { ...inFolder, icon: 'M'.repeat(1001) }, /\/icon/],
    ['wordless', { ...inFolder, label: 'Notes' }, /\/label/],
    ['halved', { ...inFolder, label: { en: 'Notes' } }, /\/label\/zh is missing/],
    ['guarded', { ...inFolder, when: { permissions: 'users' } }, /\/when\/permissions is not a known key/],
    ['owned', { ...inFolder, when: { role: 'user' } }, /\/when\/role is for "message\.actions" alone/],
    ['placed', { ...inFolder, path: '/notes' }, /\/path is for "pages" and "admin\.pages" alone/],
    ['pathless', { ...inFolder, slot: 'pages', path: 'notes' }, /\/path/],
    ['twin', { ...inFolder, slot: 'admin.pages', path: '/notebook' }, /"\/notebook" is declared by both/],
  ]
  for (const [name, entry] of entries) {
    installPlugin(home, name, pluginSource(name, `host.extend('console.slots', ${JSON.stringify(entry)})`))
    writeModule(home, name)
    writeFileSync(join(home, 'plugins', name, 'web/page.ts'), '')
    symlinkSync(join(home, 'plugins/notebook/web'), join(home, 'plugins', name, 'web/out'))
  }
  const { absent } = await readBlueprint({ home, env: {} })
  for (const [name, , reason] of entries) {
    t.match(absent.find((plugin) => plugin.name === name)?.reason, reason, name)
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
  for (const path of ['/', '/login', '/console-slots/notebook/web/page.js', '/api/console'])
    t.equal((await fetch(`${off.url}${path}`, { headers: HTML })).status, 404, path)
})
