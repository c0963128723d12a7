import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import WebSocket from 'ws'
import t from '../run/file-test.ts'
import { pluginSource, rawRequest, routeSource, sendRaw, startKernel } from '../support/kernel.ts'
import { connectSocket } from '../support/socket.ts'

const hall = pluginSource(
  'hall',
  `
  const frames = { receive: { where: { type: 'object' } }, send: { here: { type: 'object' } } }
  const tell = (connection, request) => ({
    message: () => connection.send({
      type: 'here', params: request.params, ip: request.ip, request_id: request.request_id,
      locale: request.locale, context: request.context, agent: request.headers['user-agent'],
    }),
  })
  host.guard('ticket', {
    async check({ query, headers, transport, method, route, guard, scope, setHeader, ip }, cradle, context, argument) {
      const protocol = (headers['sec-websocket-protocol'] ?? '').split(',')[0]
      const ticket = query.ticket ?? (protocol.startsWith('ticket.') ? protocol.slice(7) : undefined)
      if (ticket === undefined) throw host.error('NO_TICKET')
      if (ticket === 'slow') await new Promise((resolve) => { process.emit('guard waits', resolve) })
      if (ticket === 'broken') throw new Error('the canary sang')
      setHeader('X-Seat', ticket)
      if (query.ticket === undefined) setHeader('Sec-WebSocket-Protocol', protocol)
      return { caller: { id: '1', username: ticket, locale: query.locale }, facts: { transport, method, route, guard, scope, argument, ip } }
    },
  })
  host.socket({ path: '/hall/ws', summary: 's', guard: 'public', ...frames, handler: tell })
  host.socket({ path: '/halls/:id/ws', summary: 's', guard: ['ticket', 'front'], scope: 'listen', ...frames, handler: tell })
  host.socket({ path: '/halls/:id/broken', summary: 's', guard: 'public', ...frames, handler() { throw new Error('no floor') } })
  host.routes([
    ${routeSource('/hall', "'open'")},
    { method: 'POST', path: '/words', summary: 's', guard: 'public', audit: { none: 'a test' }, response: { 200: {} },
      body: { type: 'object', properties: { words: { type: 'string' } } }, handler: ({ body }) => ({ length: body.words.length }) },
  ])`,
  "errors: { NO_TICKET: { status: 401, message: { en: 'A ticket, please.', zh: '请出示门票。' } } },",
)

const upgrade = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

t.test('opening a socket', async (t) => {
  const server = await startKernel(t, { plugins: { hall } })
  const address = server.url.replace('http', 'ws')
  const open = (path: string, protocols?: string[], headers?: Record<string, string>) =>
    connectSocket(t, `${address}/api${path}`, protocols, headers)
  const ask = async (path: string, protocols?: string[], headers?: Record<string, string>) => {
    const socket = await open(path, protocols, headers)
    socket.send({ type: 'where' })
    return socket.next('here')
  }

  t.test('a handler receives the request and the context of the guard', async (t) => {
    t.match(await ask('/halls/7/ws?ticket=ann', [], { 'x-request-id': 'req-1', 'user-agent': 'test' }), {
      params: { id: '7' },
      ip: /127\.0\.0\.1$/,
      request_id: 'req-1',
      locale: 'en',
      agent: 'test',
      context: {
        caller: { username: 'ann' },
        facts: {
          transport: 'socket',
          method: 'GET',
          route: '/halls/:id/ws',
          guard: ['ticket', 'front'],
          scope: 'listen',
          argument: 'front',
        },
      },
    })
    t.match(await ask('/hall/ws'), { params: {}, context: {} })
    t.match((await ask('/halls/%E6%88%BF/ws?ticket=a')).params, { id: '房' })
    t.match((await ask('/Halls/A/WS/?ticket=a')).params, { id: 'A' })
  })

  t.test('the language of a socket is chosen like that of a request', async (t) => {
    t.match(await ask('/halls/7/ws?ticket=a', [], { 'accept-language': 'zh-CN' }), { locale: 'zh' })
    t.match(await ask('/halls/7/ws?ticket=a&locale=zh'), { locale: 'zh' })
    t.match(await ask('/halls/7/ws?ticket=a&locale=zh', [], { 'accept-language': 'en' }), { locale: 'en' })
  })

  t.test('the response has the request id and the headers of the guard', async (t) => {
    const webSocket = new WebSocket(`${address}/api/halls/7/ws?ticket=ann`, {
      headers: { 'x-request-id': 'req-2' },
    })
    t.teardown(() => webSocket.terminate())
    const [response] = await once(webSocket, 'upgrade')
    t.match(response.headers, { 'x-request-id': 'req-2', 'x-seat': 'ann' })
  })

  t.test('the subprotocol that the guard accepts is confirmed, and an unknown one is not', async (t) => {
    const socket = await open('/halls/7/ws', ['ticket.ann', 'other'])
    t.equal(socket.webSocket.protocol, 'ticket.ann')
    socket.send({ type: 'where' })
    t.match(await socket.next(), { context: { caller: { username: 'ann' } } })
    const headers = { ...upgrade, Connection: 'Upgrade', 'Sec-WebSocket-Protocol': 'other' }
    const stream = connect(Number(new URL(server.url).port), '127.0.0.1')
    stream.write(rawRequest('GET', '/api/halls/7/ws?ticket=ann', headers))
    const [answer] = await once(stream, 'data')
    stream.destroy()
    t.match(String(answer), /^HTTP\/1.1 101 /)
    t.notMatch(String(answer), /Sec-WebSocket-Protocol/i)
  })

  t.test('a refusal is an HTTP response with the error body', async (t) => {
    const cases: [path: string, status: number, code: string][] = [
      ['/nowhere', 404, 'NOT_FOUND'],
      ['/hall', 404, 'NOT_FOUND'],
      ['/halls/a%2Fb/ws?ticket=a', 404, 'NOT_FOUND'],
      ['/halls/a%00b/ws?ticket=a', 404, 'NOT_FOUND'],
      [`/halls/${'x'.repeat(257)}/ws?ticket=a`, 404, 'NOT_FOUND'],
      ['/halls/7/ws', 401, 'NO_TICKET'],
      ['/halls/7/ws?ticket=broken', 500, 'INTERNAL_ERROR'],
      ['/halls/%zz/ws', 400, 'BAD_REQUEST'],
      ['/halls/%e0%a4/ws', 400, 'BAD_REQUEST'],
    ]
    for (const [path, status, code] of cases) {
      const headers = { ...upgrade, 'X-Request-Id': 'req-3', 'Accept-Language': 'zh' }
      const answer = await sendRaw(server.url, rawRequest('GET', `/api${path}`, headers))
      t.equal(answer.status, status, path)
      t.match(answer.headers, {
        'content-type': /^application\/json/,
        connection: 'close',
        'x-request-id': 'req-3',
      })
      const { error } = JSON.parse(answer.text)
      t.match(error, { code, message: /[\u4e00-\u9fff]/, request_id: 'req-3' })
      t.notMatch(answer.text, /canary/)
    }
    t.match(server.logged(), /the canary sang.*socket failed/)
    const elsewhere = await sendRaw(server.url, rawRequest('GET', '/elsewhere', upgrade))
    t.equal(elsewhere.status, 404)
    const nonsense = await sendRaw(server.url, rawRequest('GET', 'http://[', upgrade))
    t.match(nonsense, { status: 400, text: /BAD_REQUEST/ })
  })

  t.test('an invalid handshake is refused with the reason', async (t) => {
    const cases: [headers: Record<string, string>, reason: RegExp][] = [
      [{ 'Sec-WebSocket-Key': 'short' }, /Sec-WebSocket-Key/],
      [{ 'Sec-WebSocket-Version': '7' }, /Sec-WebSocket-Version/],
      [{ 'Sec-WebSocket-Protocol': 'a,,b' }, /Sec-WebSocket-Protocol/],
    ]
    for (const [headers, reason] of cases) {
      const text = rawRequest('GET', '/api/hall/ws', { ...upgrade, 'X-Request-Id': 'req-4', ...headers })
      const answer = await sendRaw(server.url, text)
      t.equal(answer.status, 400)
      t.equal(answer.headers['x-request-id'], 'req-4')
      t.match(JSON.parse(answer.text).error, {
        code: 'BAD_REQUEST',
        details: { reason },
        request_id: 'req-4',
      })
    }
    const posted = await sendRaw(server.url, rawRequest('POST', '/api/hall/ws', upgrade))
    t.equal(posted.status, 400)
  })

  t.test('an upgrade to another protocol is ignored', async (t) => {
    const h2c = {
      Connection: 'Upgrade, HTTP2-Settings',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AAMAAABkAAQAAP__',
    }
    const health = await sendRaw(
      server.url,
      rawRequest('GET', '/api/health/live', { ...h2c, Connection: `${h2c.Connection}, close` }),
    )
    t.match(health, { status: 200, headers: { 'content-type': /json/ } })
    const body = JSON.stringify({ words: '你好'.repeat(20_000) })
    const length = String(Buffer.byteLength(body))
    const headers = { ...h2c, 'Content-Type': 'application/json', 'Content-Length': length }
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.teardown(() => agent.destroy())
    for (let n = 0; n < 15; n++) {
      const posted = request(`${server.url}/api/words`, { method: 'POST', headers, agent })
      posted.end(body)
      const [response] = await once(posted, 'response')
      t.equal(response.statusCode, 200)
      t.equal(await text(response), JSON.stringify({ length: 40_000 }))
      t.equal(posted.reusedSocket, n > 0, 'the connection stays open')
    }
    t.equal(
      (await sendRaw(server.url, rawRequest('GET', '/api/hall/ws', { ...h2c, Connection: 'Upgrade, close' })))
        .status,
      426,
    )
  })

  t.test('a refused connection is closed although the client keeps its side open', async (t) => {
    const port = Number(new URL(server.url).port)
    for (const request of [rawRequest('GET', '/api/nowhere', upgrade), 'NONSENSE\r\n\r\n']) {
      const stream = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      stream.write(request)
      stream.resume()
      await once(stream, 'end')
      // Writing to a connection that the server has closed breaks it.
      const writing = setInterval(() => stream.write('x'), 50)
      t.match(await once(stream, 'error'), [{ code: /^(ECONNRESET|EPIPE)$/ }])
      clearInterval(writing)
    }
  })

  t.test('a plain HTTP request to the path of a socket is answered with 426', async (t) => {
    t.match(await server.request('GET', '/hall/ws'), {
      status: 426,
      body: { error: { code: 'UPGRADE_REQUIRED' } },
    })
    t.match(await server.request('GET', '/halls/7/ws'), { status: 426 })
    t.match(await server.request('GET', '/Halls/7/WS/'), { status: 426 })
    t.match(await server.request('POST', '/hall/ws'), { status: 426 })
  })

  t.test('a connection that ends while its guard runs is not opened', async (t) => {
    for (const leave of ['resetAndDestroy', 'destroy'] as const) {
      const waiting = once(process, 'guard waits')
      const stream = connect(Number(new URL(server.url).port), '127.0.0.1')
      stream.write(rawRequest('GET', '/api/halls/7/ws?ticket=slow', upgrade))
      const [resumeGuard] = await waiting
      stream[leave]()
      await once(stream, 'close')
      // When this request is answered, the server has noticed the closed connection.
      await server.request('GET', '/health/live')
      resumeGuard()
      t.match(await ask('/halls/7/ws?ticket=next'), { context: { caller: { username: 'next' } } })
    }
  })

  t.test('a socket is closed with 1011 if its handler throws', async (t) => {
    const socket = await open('/halls/7/broken')
    t.match(await socket.next('error'), { code: 'INTERNAL_ERROR', request_id: String })
    t.match(await socket.closed, { code: 1011 })
    t.match(server.logged(), /no floor/)
    t.match(await ask('/hall/ws'), { params: {} }, 'the server still answers')
  })
})

t.test('pages of other origins cannot open sockets if the configuration lists origins', async (t) => {
  const config = {
    http: { cors_origins: ['https://app.example.org'], public_url: 'https://agents.example.org/svc' },
  }
  const server = await startKernel(t, { plugins: { hall }, config })
  const open = (origin: string) =>
    connectSocket(t, `${server.url.replace('http', 'ws')}/api/hall/ws`, [], { origin })
  for (const origin of ['https://app.example.org', 'https://agents.example.org', server.url])
    (await open(origin)).close()
  for (const origin of ['https://evil.example.org', 'null'])
    await t.rejects(open(origin), { status: 403, body: { error: { code: 'FORBIDDEN' } } } as never)
  ;(await connectSocket(t, `${server.url.replace('http', 'ws')}/api/hall/ws`)).close()
  const http = { cors_origins: config.http.cors_origins }
  const unnamed = await startKernel(t, { plugins: { hall }, config: { http } })
  const address = `${unnamed.url.replace('http', 'ws')}/api/hall/ws`
  ;(await connectSocket(t, address, [], { origin: unnamed.url })).close()
})

t.test('behind a trusted proxy the client address is the one that the proxy added', async (t) => {
  const server = await startKernel(t, { plugins: { hall }, env: { SVC_TRUST_PROXY: '1' } })
  const readIp = async (headers: Record<string, string>) => {
    const socket = await connectSocket(t, `${server.url.replace('http', 'ws')}/api/hall/ws`, [], headers)
    socket.send({ type: 'where' })
    return (await socket.next('here')).ip
  }
  t.equal(await readIp({ 'x-forwarded-for': '6.6.6.6, 1.2.3.4' }), '1.2.3.4')
  t.match(await readIp({}), /127\.0\.0\.1$/)
})

t.test('while the server stops, new sockets are refused and open ones are closed with 1001', async (t) => {
  const slow = pluginSource(
    'slow',
    '',
    "stop() { return new Promise((resolve) => process.once('stop on', resolve)) },",
  )
  const server = await startKernel(t, { plugins: { hall, slow } })
  const address = `${server.url.replace('http', 'ws')}/api/hall/ws`
  const socket = await connectSocket(t, address)
  const waiting = once(process, 'guard waits')
  const late = connectSocket(t, address.replace('/hall/', '/halls/7/').concat('?ticket=slow'))
  const [resumeGuard] = await waiting
  const stopped = server.stop()
  resumeGuard()
  await t.rejects(late, { message: 'refused with 503' }, 'including a socket whose guard was still running')
  await t.rejects(connectSocket(t, address), {
    status: 503,
    body: { error: { code: 'SHUTTING_DOWN' } },
  } as never)
  socket.send({ type: 'where' })
  t.match(await socket.next(), { type: 'here' }, 'open sockets work until the plugins have stopped')
  process.emit('stop on' as never)
  t.match(await socket.closed, { code: 1001, reason: 'server is shutting down' })
  await stopped
})

t.test('a peer that does not answer the close frame does not delay the stop', async (t) => {
  const server = await startKernel(t, { plugins: { hall } })
  const stream = connect(Number(new URL(server.url).port), '127.0.0.1')
  t.teardown(() => stream.destroy())
  stream.write(rawRequest('GET', '/api/hall/ws', upgrade))
  await once(stream, 'data')
  const closed = once(stream, 'close')
  await server.stop()
  stream.resume()
  await closed
})
