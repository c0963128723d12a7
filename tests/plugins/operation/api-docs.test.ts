import t from '../../run/file-test.ts'
import { bareConfig, createHome, runCommand, startKernel } from '../../support/kernel.ts'

const ENABLED = { SVC_ENABLE_API_DOCS: '1' }
const config = { plugins: { 'api-docs': { enabled: true } } }

for (const [title, options, isAnnounced] of [
  ['if it is not enabled', { config, env: {} }, true],
  ['if the plugin is switched off', { config: {}, env: ENABLED }, false],
] as const)
  t.test(`the page does not exist ${title}, and the documents do`, async (t) => {
    const server = await startKernel(t, options)
    for (const path of ['/docs', '/docs/', '/docs/page.js', '/docs/page.css'])
      t.match(await server.request('GET', path), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
    const announced = server.server.announcements.map(({ label }) => label)
    t.strictSame(announced, [...(isAnnounced ? ['API docs'] : []), 'API schema'])
    for (const name of ['openapi', 'asyncapi']) {
      const { status, body } = await server.request('GET', `/${name}.json`, { token: null })
      t.equal(status, 200)
      const { code, stdout } = await runCommand(createHome(t, bareConfig(options.config)), [name])
      t.strictSame({ code, document: JSON.parse(stdout) }, { code: 0, document: body })
    }
  })

t.test('the page and all of its files are served by this server', async (t) => {
  const server = await startKernel(t, { config, env: ENABLED })
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`${server.url}${path}`, { method })
    return { response, content: await response.text() }
  }
  const types: Record<string, RegExp> = { js: /javascript/, css: /^text\/css/, svg: /^image\/svg/ }
  const { response, content: page } = await get('/api/docs')
  t.equal(response.status, 200)
  t.match(response.headers.get('content-type'), /^text\/html/)
  t.notMatch(page, /https?:|\/\/\w/)
  t.strictSame((await get('/api/docs/')).content, page, 'also with a trailing slash')

  const links = [...page.matchAll(/(?:src|href)="([^"]+\.\w+)"/g)].map(([, link]) => link!)
  t.equal(links.length, 5)
  const files = new Set(links)
  for (const link of files) {
    const { response, content } = await get(link)
    t.equal(response.status, 200, link)
    t.match(response.headers.get('content-type'), types[link.split('.').at(-1)!]!)
    t.equal(response.headers.get('x-content-type-options'), 'nosniff')
    const policy = response.headers.get('content-security-policy')
    t.match(
      policy,
      /^default-src 'none'; script-src 'self'; .*; frame-ancestors 'none', script-src \*:\*\/api\/docs\/; style-src \*:\*\/api\/docs\/$/,
    )
    t.notMatch(policy, /https?:|unsafe/)
    t.equal(response.headers.get('referrer-policy'), 'no-referrer')
    const head = await get(link, 'HEAD')
    t.strictSame([head.response.status, head.content], [200, ''])
    for (const [, module] of content.matchAll(/from '\.\/([\w-]+\.js)'/g)) files.add(`/api/docs/${module}`)
  }
  t.ok(files.has('/api/docs/words.js'), 'modules are followed')

  for (const [path, method] of [
    ['/api/docs', 'POST'],
    ['/api/docs/package.json', 'GET'],
    ['/api/docs/..%2fapp.ts', 'GET'],
  ] as const)
    t.equal((await get(path, method)).response.status, 404, path)
})
