import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { createBoundedFetch } from '#kernel'
import { createHost } from '../../kernel/contract/host.ts'
import t, { type Test } from '../run/file-test.ts'
import { pluginSource, routeSource, startKernel } from '../support/kernel.ts'

/** Starts an upstream and returns its port, and a promise of the end of its first connection. */
async function listen(t: Test, handler: RequestListener) {
  const server = createServer(handler)
  const closed = new Promise((resolve) =>
    server.once('connection', (socket) => socket.once('close', resolve)),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return { port: (server.address() as AddressInfo).port, closed }
}

const LOOPBACK = '127.0.0.1'
const fetchLoopback = createBoundedFetch([LOOPBACK])

/** Writes zeros without an end, as fast as they are read. */
function writeForEver(res: ServerResponse) {
  const write = () => {
    while (!res.destroyed && res.write(Buffer.alloc(65_536)));
  }
  res.on('drain', write)
  write()
}

t.test('a public fetch is refused a local address, also behind a redirect', async (t) => {
  let calls = 0
  const { port } = await listen(t, (req, res) => {
    calls++
    if (req.url === '/away') res.writeHead(302, { location: `http://127.0.0.2:${port}/secret` }).end()
    else if (req.url === '/here') res.writeHead(302, { location: '/end' }).end()
    else res.writeHead(203, { 'set-cookie': ['a=1', 'b=2'] }).end('reached')
  })
  const refused = { code: 'ADDRESS_NOT_ALLOWED' }
  for (const host of [LOOPBACK, 'localhost', '[::1]', '10.0.0.1', '169.254.169.254'])
    await t.rejects(createBoundedFetch([])(`http://${host}:${port}/`), refused, host)
  t.equal(calls, 0)
  await t.rejects(fetchLoopback(`http://${LOOPBACK}:${port}/away`), {
    ...refused,
    details: { host: '127.0.0.2' },
  })
  const response = await fetchLoopback(new URL(`http://${LOOPBACK}:${port}/here`))
  t.match(response, { status: 203, url: `http://${LOOPBACK}:${port}/end`, redirected: true })
  t.same(response.headers.getSetCookie(), ['a=1', 'b=2'])
  t.equal(await response.text(), 'reached')
  t.ok(response instanceof Response)
})

t.test('a body is bounded by what it announces, by what comes and by what it unpacks to', async (t) => {
  const bomb = gzipSync(Buffer.alloc(30 * 1024 * 1024))
  const { port } = await listen(t, (req, res) => {
    if (req.url === '/announced') res.writeHead(200, { 'content-length': 2000 }).end(Buffer.alloc(2000))
    else if (req.url === '/endless') writeForEver(res)
    else if (req.url === '/bomb') res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    else if (req.url === '/none') res.writeHead(204).end()
    else res.end(Buffer.alloc(1000))
  })
  const get = (path: string, bounds = {}) => fetchLoopback(`http://${LOOPBACK}:${port}${path}`, bounds)
  const tooLarge = (size: string) => ({
    message: `The response of ${LOOPBACK}:${port} has more than ${size}.`,
  })
  await t.rejects(get('/announced', { max_bytes: 1000 }), tooLarge('1000B'))
  await t.rejects((await get('/endless', { max_bytes: 1000 })).text(), tooLarge('1000B'))
  await t.rejects((await get('/endless')).arrayBuffer(), tooLarge('10MB'))
  await t.rejects((await get('/bomb')).text(), tooLarge('10MB'), `${bomb.length} bytes unpack to more`)
  t.equal((await (await get('/fits', { max_bytes: 1000 })).arrayBuffer()).byteLength, 1000)
  t.equal((await (await get('/announced', { max_bytes: 2000 })).arrayBuffer()).byteLength, 2000)
  t.equal(await (await get('/none')).text(), '')
  for (const bounds of [
    { max_bytes: 0 },
    { max_bytes: 1e9 },
    { timeout_ms: Number.NaN },
    { timeout_ms: 2 ** 31 },
  ])
    await t.rejects(get('/fits', bounds), /^(max_bytes|timeout_ms) of host.fetch must be an integer/)
})

t.test(
  'a slow answer ends with its time, whether or not it is read, or when the caller aborts',
  async (t) => {
    const silent = await listen(t, () => undefined)
    const stuck = () =>
      listen(t, (_, res) => {
        res.write('a beginning')
      })
    const timedOut = { name: 'TimeoutError' }
    const get = ({ port }: { port: number }, init = {}) => fetchLoopback(`http://${LOOPBACK}:${port}/`, init)
    await t.rejects(get(silent, { timeout_ms: 50 }), timedOut)
    const slow = get(await stuck(), { timeout_ms: 500 })
    await t.rejects(
      slow.then((response) => response.text()),
      timedOut,
    )

    const unread = await stuck()
    // On a busy machine, the time may be over before the answer begins.
    await get(unread, { timeout_ms: 2000 }).catch(() => undefined)
    await unread.closed

    const cancelled = await stuck()
    await (await get(cancelled)).body!.cancel()
    await cancelled.closed

    const left = await stuck()
    const abort = new AbortController()
    const text = (await get(left, { signal: abort.signal })).text()
    abort.abort(new Error('the reader left'))
    await t.rejects(text, { message: 'the reader left' })
    await left.closed
    await t.rejects(get(left, { signal: abort.signal }), { message: 'the reader left' })
  },
)

/** A plugin with a route that fetches the address in its query, and answers with the text or the code of the error. */
const fetcher = (name: string, manifest = '') =>
  pluginSource(
    name,
    `const { fetch } = host
     const read = (address) => fetch(address).then((response) => response.text(), ({ code }) => code)
     host.routes([${routeSource(`/${name}`, 'await read(request.query.address)', "query: { type: 'object', properties: { address: { type: 'string' } } },")}])`,
    manifest,
  )

t.test('allowed hosts of a plugin come from its settings or from SVC_ALLOW_HOSTS', async (t) => {
  const { port } = await listen(t, (_, res) => res.end('reached'))
  const plugins = {
    strict: fetcher('strict'),
    open: fetcher('open'),
    choosy: fetcher('choosy', `config: { allow_hosts: { type: 'array', default: ['${LOOPBACK}'] } },`),
  }
  const ask = async (server: Awaited<ReturnType<typeof startKernel>>, name: string) =>
    (await server.request('GET', `/${name}?address=http://${LOOPBACK}:${port}/`)).body
  const server = await startKernel(t, {
    plugins,
    config: { plugins: { open: { allow_hosts: [LOOPBACK] } } },
  })
  t.equal(await ask(server, 'strict'), 'ADDRESS_NOT_ALLOWED')
  t.equal(await ask(server, 'open'), 'reached')
  t.equal(await ask(server, 'choosy'), 'reached')
  const opened = await startKernel(t, { plugins, env: { SVC_ALLOW_HOSTS: `example.org,${LOOPBACK}` } })
  t.equal(await ask(opened, 'strict'), 'reached')
})

t.test('a built-in plugin without the setting reaches public addresses alone', async (t) => {
  const { host, declarations } = createHost('ours', { isBuiltIn: true })
  declarations.bind({ config: {} })
  await t.rejects(host.fetch(`http://${LOOPBACK}:8080/`), { code: 'ADDRESS_NOT_ALLOWED' })
})

t.test('a fetch in setup, and a setting that lists no hosts, are refused in a sentence', async (t) => {
  const server = await startKernel(t, {
    plugins: {
      hasty: pluginSource('hasty', "host.fetch('https://example.org/')"),
      odd: pluginSource('odd', '', "config: { allow_hosts: { type: 'string' } },"),
    },
  })
  const { plugins } = (await server.request('GET', '/health')).body
  t.match(plugins, { hasty: 'failed', odd: 'failed' })
  t.match(server.logged(), /host\.fetch works after setup only: call it in start, a handler or a job/)
  t.match(server.logged(), /its setting allow_hosts must be of the type \\"array\\"/)
})
