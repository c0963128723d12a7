import { once } from 'node:events'
import { readdirSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { listsTag } from '../../kernel/index.ts'
import t from '../run/file-test.ts'
import { pluginSource, routeSource, startKernel } from '../support/kernel.ts'

const drawer = `import { open } from 'node:fs/promises'\n${pluginSource(
  'drawer',
  `
  host.routes([{
    method: 'GET', path: '/drawer/:name', summary: 'Send a file', guard: 'public', stream: 'file',
    query: {
      type: 'object', additionalProperties: false,
      properties: { as: { type: 'string' }, type: { type: 'string' }, inline: { type: 'boolean' } },
    },
    response: { 200: { type: 'string' } },
    handler: async ({ params, query }, { server }) => {
      const file = await open(server.home + '/' + params.name)
      const { size } = await file.stat()
      return {
        filename: query.as ?? params.name, media_type: query.type ?? 'application/octet-stream',
        size, etag: 'v-' + size, is_inline: query.inline ?? false, file,
      }
    },
  }])`,
)}`
const server = await startKernel(t, { plugins: { drawer } })
const TEXT = 'The quick brown fox.'
writeFileSync(join(server.home, 'fox'), TEXT)
writeFileSync(join(server.home, 'empty'), '')
const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await fetch(`${server.url}/api/drawer/${path}`, { method, headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
/** Lists the files of a home that this process has open. */
const openFiles = (home = server.home) =>
  readdirSync('/proc/self/fd')
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`)
      } catch {
        return ''
      }
    })
    .filter((path) => path === join(home, 'fox') || path === join(home, 'large'))
const untilClosed = async (home?: string) => {
  while (openFiles(home).length > 0) await new Promise(setImmediate)
}

t.test(
  'a file is sent with caching headers, and with headers that keep a browser from running it',
  async (t) => {
    const { status, headers, text } = await get('fox')
    t.equal(status, 200)
    t.equal(text, TEXT)
    t.match(Object.fromEntries(headers), {
      etag: '"v-20"',
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-length': '20',
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="fox"',
      'content-security-policy': 'sandbox',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    const download = await get(`fox?type=text/plain&inline=true&as=${encodeURIComponent('报告 "1".txt')}`)
    t.equal(download.headers.get('content-type'), 'text/plain; charset=utf-8')
    t.equal(
      download.headers.get('content-disposition'),
      `inline; filename="?? \\"1\\".txt"; filename*=UTF-8''%E6%8A%A5%E5%91%8A%20%221%22.txt`,
    )
    const broken = await get(`fox?as=${encodeURIComponent('a\r\nX-Evil: 1')}`)
    t.equal(broken.headers.get('x-evil'), null)
    const empty = await get('empty')
    t.strictSame([empty.status, empty.text, empty.headers.get('content-length')], [200, '', '0'])

    const head = await get('fox', {}, 'HEAD')
    t.strictSame([head.status, head.text, head.headers.get('content-length')], [200, '', '20'])
    await untilClosed()
  },
)

t.test('a browser cannot use a reply as code', async (t) => {
  for (const destination of [
    'script',
    'style',
    'worker',
    'sharedworker',
    'serviceworker',
    'audioworklet',
    'json',
    'xslt',
    'manifest',
    'object',
    'embed',
    'font',
    'anything-new',
  ])
    t.match(
      await get('fox', { 'sec-fetch-dest': destination }),
      { status: 403, text: new RegExp(`"FORBIDDEN".*"destination":"${destination}"`) },
      destination,
    )
  for (const destination of ['empty', 'document', 'iframe', 'image', 'audio', 'video'])
    t.match(await get('fox', { 'sec-fetch-dest': destination }), { status: 200, text: TEXT }, destination)
  const typeOf = async (type: string) => (await get(`fox?type=${type}`)).headers.get('content-type')
  for (const type of [
    'text/javascript',
    'Application/X-JavaScript',
    'text/ecmascript',
    'text/jscript',
    'text/livescript',
    'text/javascript1.5',
    'text/css',
    'application/wasm',
  ])
    t.equal(await typeOf(type), 'application/octet-stream', type)
  for (const type of ['image/png', 'application/pdf', 'application/json']) t.match(await typeOf(type), type)
  await untilClosed()
})

t.test('a client that already has the file receives 304', async (t) => {
  for (const tag of ['"v-20"', 'W/"v-20"', '"other", "v-20"', '*']) {
    const { status, headers, text } = await get('fox', { 'if-none-match': tag })
    t.strictSame([status, text, headers.get('etag')], [304, '', '"v-20"'], tag)
  }
  t.equal((await get('fox', { 'if-none-match': '"v-19"' })).status, 200)
  t.equal((await get('fox', { 'if-none-match': '"v-20"', range: 'bytes=0-1' })).status, 304)
  await untilClosed()
})

t.test('a strong comparison does not match a weak entity tag', (t) => {
  t.ok(listsTag('"other", "v-20"', 'v-20', { weak: false }))
  t.ok(listsTag('*', 'v-20', { weak: false }))
  t.notOk(listsTag('W/"v-20"', 'v-20', { weak: false }))
  t.end()
})

t.test('only the requested range of a file is sent', async (t) => {
  const wanted: [range: string, text: string, place: string][] = [
    ['bytes=0-2', 'The', '0-2/20'],
    ['bytes=4-', TEXT.slice(4), '4-19/20'],
    ['bytes=-4', 'fox.', '16-19/20'],
    ['bytes=-99', TEXT, '0-19/20'],
    ['bytes=16-99', 'fox.', '16-19/20'],
    ['bytes=19-19', '.', '19-19/20'],
  ]
  for (const [range, text, place] of wanted) {
    const part = await get('fox', { range })
    t.strictSame(
      [part.status, part.text, part.headers.get('content-range')],
      [206, text, `bytes ${place}`],
      range,
    )
    t.equal(part.headers.get('content-length'), String(text.length))
  }
  for (const range of ['bytes=2-1', 'bytes=-', 'bytes=0-1,4-5', 'lines=0-1', 'bytes=a-b', 'bytes'])
    t.match(await get('fox', { range }), { status: 200, text: TEXT }, range)
  t.equal((await get('fox', { range: 'bytes=0-2' }, 'HEAD')).status, 200)

  t.match(await get('fox', { range: 'bytes=0-2', 'if-range': '"v-20"' }), { status: 206, text: 'The' })
  for (const version of ['"v-19"', 'W/"v-20"', 'Sat, 01 Jan 2050 00:00:00 GMT'])
    t.match(
      await get('fox', { range: 'bytes=0-2', 'if-range': version }),
      { status: 200, text: TEXT },
      version,
    )
  await untilClosed()
})

t.test('a range outside of the file is refused with the size of the file', async (t) => {
  for (const [name, range] of [
    ['fox', 'bytes=20-'],
    ['fox', 'bytes=99999999999999999999-'],
    ['fox', 'bytes=-0'],
    ['empty', 'bytes=0-'],
    ['empty', 'bytes=-5'],
  ] as const) {
    const { status, headers, text } = await get(name, { range })
    const size = name === 'fox' ? 20 : 0
    t.strictSame([status, headers.get('content-range')], [416, `bytes */${size}`], range)
    t.match(JSON.parse(text), { error: { code: 'RANGE_NOT_SATISFIABLE', details: { size } } })
    t.equal(headers.get('content-disposition'), null)
  }
  await untilClosed()
})

t.test(
  'a reply is cut off if its file becomes shorter, and the file is closed if the client leaves',
  async (t) => {
    const path = join(server.home, 'large')
    const open = async (): Promise<IncomingMessage> => {
      writeFileSync(path, Buffer.alloc(20_000_000))
      const [response] = await once(httpGet(`${server.url}/api/drawer/large`, { agent: false }), 'response')
      return response
    }
    const short = await open()
    truncateSync(path, 10)
    short.resume()
    await t.rejects(once(short, 'end'), { code: 'ECONNRESET' })
    await untilClosed()

    const left = await open()
    t.equal(openFiles().length, 1)
    left.destroy()
    await untilClosed()
  },
)

t.test('a reply of which the client takes nothing is ended, one that is read slowly is not', async (t) => {
  const waiter = pluginSource('waiter', `host.routes([${routeSource('/late', 'late()')}])`)
  const late = `const late = () => new Promise((resolve) => setTimeout(resolve, 1500, { text: 'late' }))\n`
  const stallMs = 1000
  const { home, url } = await startKernel(t, { stallMs, plugins: { drawer, waiter: late + waiter } })
  const size = 20_000_000
  writeFileSync(join(home, 'large'), Buffer.alloc(size))
  const open = async (): Promise<IncomingMessage> => {
    const [response] = await once(httpGet(`${url}/api/drawer/large`, { agent: false }), 'response')
    return response
  }
  const unread = await Promise.all(Array.from({ length: 10 }, open))
  const slow = await open()
  let bytes = 0
  for await (const chunk of slow) {
    bytes += chunk.length
    await pause(1)
  }
  t.equal(bytes, size, 'whoever reads gets the whole file')
  await untilClosed(home)
  for (const response of unread) {
    response.resume()
    await t.rejects(once(response, 'end'), { code: 'ECONNRESET' }, 'whoever does not is cut off')
  }
  t.match(await (await fetch(`${url}/api/late`)).json(), { text: 'late' }, 'a handler may take longer')
})

t.test('the OpenAPI document describes the binary reply and its statuses', async (t) => {
  const { body } = await server.request('GET', '/openapi.json')
  const { responses } = body.paths['/drawer/{name}'].get
  const schema = { type: 'string', format: 'binary' }
  const bytes = { 'application/octet-stream': { schema }, '*/*': { schema: { type: 'string' } } }
  t.match(responses, {
    200: { content: bytes },
    206: { content: bytes },
    304: { description: /has the file/ },
    416: { $ref: /RangeNotSatisfiableError$/ },
  })
})
