import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib'
import { readBlueprint } from '../../kernel/loading/blueprint.ts'
import t from '../run/file-test.ts'
import { bareConfig, pluginSource, startKernel } from '../support/kernel.ts'
import { createHome, installPlugin } from '../support/server.ts'

/** A plugin with a page for the whole server, and another one for files of a folder. */
const gallery = `import { join } from 'node:path'\n${pluginSource(
  'gallery',
  `
  host.pages({
    path: '/', label: 'gallery', index: 'index.html', isApp: true, immutable: 'assets/', missing: 'NOT_BUILT',
    locate: (name, { server }) => join(server.home, 'web', name),
    headers: ({ headers }) => ({ 'X-Host': headers.host }),
  })
  host.pages({ path: '/pictures/', locate: (name, { server }) => name === 'hidden.svg' ? undefined : join(server.home, 'pictures', name) })
  host.routes([{
    method: 'GET', path: '/hello', summary: 'Greet', guard: 'public', response: { 200: {} }, handler: () => 'hello',
  }])`,
  `errors: { NOT_BUILT: { status: 503, message: { en: 'Build the page.', zh: '请构建页面。' } } },`,
)}`
const server = await startKernel(t, { plugins: { gallery } })

const HTML = { accept: 'text/html,application/xhtml+xml' }
const INDEX = '<!doctype html><title>Gallery</title>'
const SCRIPT = `export const text = '${'a'.repeat(2000)}'\n`
const web = join(server.home, 'web')
const write = (name: string, content: string | Buffer) => {
  const path = join(server.home, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, content)
}
const build = () => {
  write('web/index.html', INDEX)
  write('web/icon.png', Buffer.from([137, 80, 78, 71]))
  write('web/assets/main-x1.js', SCRIPT)
  write('web/assets/main-x1.js.br', brotliCompressSync(SCRIPT))
  write('web/assets/style-x2.css', '.a{}')
  write('web/.vite/manifest.json', '{}')
  write('pictures/cat.svg', '<svg/>')
  write('pictures/hidden.svg', '<svg/>')
  write('secret.txt', 'secret')
}
build()

/** Sends a path as it is; `fetch` would resolve its dots. */
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }>(
    (resolve, reject) => {
      const { hostname: host, port } = new URL(server.url)
      request({ host, port, path, method, headers, agent: false }, (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk) => chunks.push(chunk))
        reply.on('end', () =>
          resolve({ status: reply.statusCode!, headers: reply.headers, body: Buffer.concat(chunks) }),
        )
      })
        .on('error', reject)
        .end()
    },
  )

t.test('the index answers the path itself, and addresses of the page that a browser opens', async (t) => {
  for (const [path, headers] of [
    ['/', {}],
    ['/', HTML],
    ['/?from=mail', {}],
    ['/login', HTML],
    ['/chat/assistant/thr_1', HTML],
    ['/apix', HTML],
    ['/index.html', {}],
  ] as const) {
    const reply = await get(path, headers)
    t.equal(reply.status, 200, path)
    t.equal(reply.body.toString(), INDEX)
    t.match(reply.headers, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-host': new URL(server.url).host,
      etag: /^W\/".+"$/,
    })
  }
  const head = await get('/', {}, 'HEAD')
  t.equal(head.status, 200)
  t.equal(head.headers['content-length'], String(INDEX.length))
  t.equal(head.body.length, 0)
})

t.test('what is neither a file nor opened by a browser is not found', async (t) => {
  for (const [path, headers, method] of [
    ['/login', {}, 'GET'],
    ['/login', { accept: '*/*' }, 'GET'],
    ['/assets/gone-x9.js', HTML, 'GET'],
    ['/pictures/dog.svg', {}, 'GET'],
    ['/pictures/hidden.svg', {}, 'GET'],
    ['/pictures', {}, 'GET'],
    ['/api', HTML, 'GET'],
    ['/api/unknown', HTML, 'GET'],
    ['/', HTML, 'POST'],
    ['/assets/main-x1.js', {}, 'DELETE'],
  ] as const) {
    const reply = await get(path, headers, method)
    t.equal(reply.status, 404, `${method} ${path}`)
    t.match(JSON.parse(reply.body.toString()), { error: { code: 'NOT_FOUND' } })
  }
  t.equal((await server.request('GET', '/hello')).body, 'hello')
})

t.test('no address leads out of the folder, or to files that are not for browsers', async (t) => {
  for (const path of [
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..%5csecret.txt',
    '/pictures/../secret.txt',
    '/pictures/..',
    '//secret.txt',
    '/assets//main-x1.js',
    '/assets/./main-x1.js',
    '/.vite/manifest.json',
    '/assets/main-x1.js.br',
    '/assets/main-x1.js%00',
    '/assets',
    `${join(server.home, 'secret.txt')}`,
  ]) {
    const reply = await get(path)
    t.equal(reply.status, 404, path)
    t.notMatch(reply.body.toString(), 'secret"')
  }
})

t.test('files that never change are kept for a year, others are asked for again', async (t) => {
  const script = await get('/assets/main-x1.js')
  t.match(script.headers, {
    'content-type': /javascript/,
    'cache-control': 'public, max-age=31536000, immutable',
    etag: undefined,
  })
  t.equal(script.body.toString(), SCRIPT)
  const { etag } = (await get('/')).headers as { etag: string }
  for (const tag of [etag, etag.slice(2), '*', `"x", ${etag}`]) {
    const same = await get('/', { 'if-none-match': tag })
    t.equal(same.status, 304, tag)
    t.equal(same.body.length, 0)
    t.equal(same.headers.etag, etag)
  }
  write('web/index.html', INDEX.replace('Gallery', 'Museum!'))
  const changed = await get('/', { 'if-none-match': etag })
  t.equal(changed.status, 200, 'a new build is seen')
  t.match(changed.body.toString(), 'Museum!')
})

t.test('text is compressed for clients that take it', async (t) => {
  const ask = (path: string, encoding: string) => get(path, { 'accept-encoding': encoding })
  const brotli = await ask('/assets/main-x1.js', 'gzip, deflate, br')
  t.match(brotli.headers, { 'content-encoding': 'br', vary: 'Accept-Encoding' })
  t.equal(brotliDecompressSync(brotli.body).toString(), SCRIPT)
  t.equal(brotli.headers['content-length'], String(brotli.body.length))
  for (const [path, encoding] of [
    ['/assets/main-x1.js', 'gzip'],
    ['/assets/main-x1.js', 'gzip, br;q=0'],
  ] as const) {
    const gzip = await ask(path, encoding)
    t.match(gzip.headers, { 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    t.equal(gunzipSync(gzip.body).toString(), SCRIPT)
  }
  const style = await ask('/assets/style-x2.css', 'gzip, br')
  t.equal(style.headers['content-encoding'], 'gzip', 'without a compressed file')
  const plain = await ask('/assets/main-x1.js', 'identity')
  t.equal(plain.headers['content-encoding'], undefined)
  const picture = await ask('/icon.png', 'gzip, br')
  t.match(picture.headers, { 'content-type': 'image/png', 'content-encoding': undefined, vary: undefined })
  const drawing = await get('/pictures/cat.svg')
  t.match(drawing.headers, { 'content-type': 'image/svg+xml', 'x-host': undefined })
})

t.test('a page that does not exist says why', async (t) => {
  rmSync(web, { recursive: true })
  const reply = await get('/', { ...HTML, 'accept-language': 'zh' })
  t.equal(reply.status, 503)
  t.match(JSON.parse(reply.body.toString()), { error: { code: 'NOT_BUILT', message: '请构建页面。' } })
  t.equal((await get('/icon.png')).status, 404)
  build()
})

t.test('declarations of pages are checked', async (t) => {
  const refusal = async (sources: Record<string, string>) => {
    const home = createHome(t, bareConfig())
    for (const [name, setup] of Object.entries(sources)) installPlugin(home, name, pluginSource(name, setup))
    const { absent } = await readBlueprint({ home, env: {} })
    return absent.filter(({ failed }) => failed).map(({ reason }) => reason)
  }
  const page = `host.pages({ path: '/maps/', locate: () => undefined })`
  t.match(await refusal({ maps: page, plans: page }), [/page "\/maps\/" is declared by both/])
  for (const path of ['/api/maps/', 'maps/', '/maps', '/../'])
    t.match(await refusal({ maps: page.replace('/maps/', path) }), [/path/], path)
  t.match(await refusal({ maps: page.replace('locate', "missing: 'NOPE', locate") }), [
    /page \/maps\/ of plugin "maps" names the error NOPE, which no plugin declares/,
  ])
})
