import type { lookup as systemLookup } from 'node:dns'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGuardedFetch, requestStream } from '#kernel'
import t, { type Test } from '../run/file-test.ts'
import { startSilentPort } from '../support/silent-port.ts'

/** Creates a DNS lookup with scripted answers: each query for a name returns the next one, and repeats the last. */
function resolver(names: Record<string, string[][]>): { lookup: typeof systemLookup; asked: string[] } {
  const asked: string[] = []
  const lookup = (host: string, _: object, callback: (error: Error | null, addresses?: object[]) => void) => {
    asked.push(host)
    const answers = names[host]
    if (!answers)
      return callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }))
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!
    callback(
      null,
      answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return { lookup: lookup as unknown as typeof systemLookup, asked }
}

function guard(t: Test, options: Partial<Parameters<typeof createGuardedFetch>[0]> = {}) {
  const guarded = createGuardedFetch({ allowHosts: [], ...options })
  t.teardown(() => guarded.close())
  return guarded
}

/** Starts a server that answers with the address at which it was reached. */
async function listenOn(t: Test, host: string, port = 0): Promise<number> {
  const server = createServer((req, res) => res.end(req.socket.localAddress))
  await once(server.listen(port, host), 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

async function listen(t: Test, handler: RequestListener): Promise<number> {
  const server = createServer(handler)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

const refused = { code: 'ADDRESS_NOT_ALLOWED' }

t.test(
  'private and local addresses are refused in every notation, and public addresses are allowed',
  async (t) => {
    const { assertAllowed, fetch, request } = guard(t)
    for (const host of [
      '127.0.0.1',
      '127.255.0.9',
      '2130706433',
      '0x7f.1',
      '0.0.0.0',
      '10.1.2.3',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '100.100.100.200',
      '168.63.129.16',
      '198.18.0.1',
      '192.0.2.1',
      '192.88.99.1',
      '198.51.100.7',
      '203.0.113.9',
      '224.0.0.1',
      '255.255.255.255',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:a00:1]',
      '[::7f00:1]',
      '[64:ff9b::a00:1]',
      '[64:ff9b::7f00:1]',
      '[64:ff9b::10.0.0.1]',
      '[64:ff9b::1]',
      '[64:ff9b::]',
      '[64:ff9b::a9fe:a9fe]',
      '[64:ff9b:1::808:808]',
      '[::ffff:0:127.0.0.1]',
      '[2001:db8::1]',
      '[2001:2::1]',
      '[3fff::1]',
      '[5f00::1]',
      '[2002:7f00:1::]',
      '[fc00::1]',
      '[fd00:ec2::254]',
      '[fe80::1]',
      '[ff02::1]',
      'localhost',
    ]) {
      await t.rejects(assertAllowed(`http://${host}/v1`), refused, `${host} is refused when it is saved`)
      await t.rejects(fetch(`http://${host}:8080/v1`), refused, `${host} is refused when it is called`)
      await t.rejects(request(`http://${host}:8080/v1`, { method: 'GET' }), refused, `${host}, as a stream`)
    }
    for (const host of [
      '8.8.8.8',
      '172.32.0.1',
      '100.128.0.1',
      '192.169.0.1',
      '[2606:4700::1111]',
      '[::ffff:8.8.8.8]',
      '[64:ff9b::808:808]',
      '[64:ff9b::8.8.0.8]',
    ])
      await t.resolves(assertAllowed(`https://${host}/v1`), host)
  },
)

t.test(
  'a name is refused if any of its addresses is private, and allowed if it has no address yet',
  async (t) => {
    const { lookup } = resolver({
      'mixed.test': [['8.8.8.8', '10.0.0.1']],
      'fine.test': [['8.8.8.8', '2606:4700::1111']],
    })
    const { assertAllowed } = guard(t, { lookup })
    await t.rejects(assertAllowed('http://mixed.test/v1'), { ...refused, details: { host: 'mixed.test' } })
    await t.resolves(assertAllowed('http://fine.test/v1'))
    await t.resolves(assertAllowed('http://unknown.test/v1'))
  },
)

t.test('a request is refused if the address of its name became private after the check', async (t) => {
  let calls = 0
  const port = await listen(t, (_, res) => {
    calls++
    res.end()
  })
  const { lookup } = resolver({ 'turns.test': [['8.8.8.8'], ['127.0.0.1']] })
  const { assertAllowed, fetch } = guard(t, { lookup })
  await t.resolves(assertAllowed(`http://turns.test:${port}/`))
  await t.rejects(fetch(`http://turns.test:${port}/`), refused)
  t.equal(calls, 0)
})

t.test('a connection uses the address that was checked', async (t) => {
  const port = await listen(t, (req, res) => res.end(req.headers.host))
  const { lookup, asked } = resolver({ 'inside.test': [['127.0.0.1']] })
  const { fetch } = guard(t, { lookup, allowHosts: ['inside.test'] })
  const response = await fetch(`http://inside.test:${port}/`)
  t.equal(await response.text(), `inside.test:${port}`)
  t.strictSame(asked, ['inside.test'], 'the name is looked up once')
})

t.test('a host is reached although its first address does not answer', async (t) => {
  const silent = await startSilentPort(t, '::1')
  await listenOn(t, '127.0.0.1', silent.port)
  const { lookup } = resolver({ 'two.test': [['::1', '127.0.0.1']] })
  const { fetch } = guard(t, { lookup, allowHosts: ['two.test'] })
  const response = await fetch(`http://two.test:${silent.port}/`)
  t.equal(await response.text(), '127.0.0.1')
})

t.test('a host is reached although it is slow and its other address is unreachable', async (t) => {
  const slow = await startSilentPort(t, '127.0.0.1')
  const { lookup } = resolver({ 'slow.test': [['127.0.0.1', '::1']] })
  const { fetch } = guard(t, { lookup, allowHosts: ['slow.test'] })
  const answered = fetch(`http://slow.test:${slow.port}/`)
  // More than Node's own limit for an attempt; the system repeats its request for a connection after a second.
  await sleep(400)
  slow.wake()
  t.equal(await (await answered).text(), '127.0.0.1')
})

t.test('a host that has only an address of IPv6 is reached', async (t) => {
  const port = await listenOn(t, '::1')
  const { lookup } = resolver({ 'six.test': [['::1']] })
  const { fetch, request, assertAllowed } = guard(t, { lookup, allowHosts: ['six.test', '[::1]'] })
  t.equal(await (await fetch(`http://six.test:${port}/`)).text(), '::1')
  t.equal(await (await fetch(`http://[::1]:${port}/`)).text(), '::1')
  t.equal((await request(`http://[::1]:${port}/`, { method: 'GET' })).status, 200)
  await assertAllowed(`http://[0:0:0:0:0:0:0:1]:${port}/`)
})

t.test('addresses are also checked if the lookup requests only one address', async (t) => {
  const family = getDefaultAutoSelectFamily()
  setDefaultAutoSelectFamily(false)
  t.teardown(() => setDefaultAutoSelectFamily(family))
  const port = await listen(t, (_, res) => res.end('inside'))
  const { lookup } = resolver({ 'inside.test': [['127.0.0.1']], 'mixed.test': [['8.8.8.8', '127.0.0.1']] })
  const { fetch } = guard(t, { lookup, allowHosts: ['inside.test'] })
  t.equal(await (await fetch(`http://inside.test:${port}/`)).text(), 'inside')
  await t.rejects(fetch(`http://mixed.test:${port}/`), refused)
})

t.test('a failing name server is not mistaken for a name without addresses', async (t) => {
  const lookup = ((_host: string, _options: object, callback: (error: Error) => void) =>
    callback(new Error('out of order'))) as unknown as typeof systemLookup
  const { assertAllowed } = guard(t, { lookup })
  await t.rejects(assertAllowed('http://some.test/'), { message: 'out of order' })
  const { fetch } = guard(t, resolver({}))
  await t.rejects(fetch('http://unknown.test/'), { cause: { code: 'ENOTFOUND' } })
})

t.test('each redirect is checked', async (t) => {
  let calls = 0
  const inner = await listen(t, (_, res) => {
    calls++
    res.end('secret')
  })
  const outer = await listen(t, (req, res) => {
    const target = req.url === '/name' ? `http://inner.test:${inner}/` : `http://127.0.0.1:${inner}/`
    res.writeHead(307, { location: target }).end()
  })
  const { lookup } = resolver({ 'outer.test': [['127.0.0.1']], 'inner.test': [['127.0.0.1']] })
  const { fetch, request } = guard(t, { lookup, allowHosts: ['OUTER.test'] })
  for (const path of ['/name', '/address']) {
    const init = { method: 'POST', body: 'x' } as const
    await t.rejects(fetch(`http://outer.test:${outer}${path}`, init), refused, path)
    const { status, body } = await request(`http://outer.test:${outer}${path}`, init)
    body.resume()
    t.equal(status, 307, 'a request for a stream follows none')
  }
  t.equal(calls, 0)
})

t.test('a response is aborted when it exceeds the size limit', async (t) => {
  const piece = 'x'.repeat(1024 * 1024)
  const port = await listen(t, (_, res) => {
    const write = () => {
      while (!res.destroyed && res.write(piece));
    }
    res.on('drain', write)
    write()
  })
  const { fetch } = guard(t, { allowHosts: ['127.0.0.1'] })
  const response = await fetch(`http://127.0.0.1:${port}`)
  let length = 0
  const read = async () => {
    for await (const bytes of response.body!) length += bytes.length
  }
  await t.rejects(read(), { cause: { code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' } })
  t.ok(length <= 64 * 1024 * 1024)
})

t.test('the lookup function for sockets refuses the same addresses', async (t) => {
  const { lookup: resolve } = resolver({ 'inner.test': [['127.0.0.1']], 'open.test': [['127.0.0.1']] })
  const { lookup } = guard(t, { lookup: resolve, allowHosts: ['open.test'] })
  const find = (host: string) =>
    new Promise((done, fail) => lookup(host, {}, (error, address) => (error ? fail(error) : done(address))))
  await t.rejects(find('inner.test'), refused)
  t.equal(await find('open.test'), '127.0.0.1')
})

t.test('a request as a stream without a guard reaches any address', async (t) => {
  const port = await listen(t, (_, res) => res.end('here'))
  for (const _ of [1, 2]) {
    const { status, body } = await requestStream(`http://127.0.0.1:${port}/`, { method: 'GET' })
    t.equal(status, 200)
    t.equal(Buffer.concat(await body.toArray()).toString(), 'here')
  }
})
