import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import t from '../run/file-test.ts'
import { pluginSource, rawRequest, routeSource, sendRaw, startKernel } from '../support/kernel.ts'

const bench = new EventEmitter()
Object.assign(globalThis, { bench })

const kernel = new URL('../../kernel/index.js', import.meta.url).href

const lab = `import { reply } from '${kernel}'
${pluginSource(
  'lab',
  `
  host.guard('badge', {
    async check({ headers, setHeader, method }, { permissionCatalog }) {
      if (headers['x-user'] === undefined) throw host.error('NO_BADGE')
      setHeader('X-Checked', method)
      return { caller: { id: '1', username: headers['x-user'], locale: headers['x-locale'] } }
    },
  })
  host.guard('rank', {
    after: 'badge',
    check(request, cradle, context, argument) {
      if (context.caller.username !== argument) throw host.error('FORBIDDEN', { rank: argument })
      return { rank: argument }
    },
  })
  host.guard('label', { check: ({ route, guard, scope }) => ({ declared: { route, guard, scope } }) })
  host.routes([
    ${routeSource('/labels', 'request.declared', "guard: 'label', scope: 'letters',")},
    ${routeSource('/labels/:id', 'request.declared', "guard: ['label', 'big'],")},
    ${routeSource('/hello', "{ hello: 'world' }")},
    ${routeSource('/rooms/:id', '{ room: request.params.id }')},
    ${routeSource('/rooms/best', "{ room: 'the best' }")},
    ${routeSource('/rooms/:id/doors/:door', '{ ...request.params }')},
    ${routeSource('/rooms/best/doors/main', "{ door: 'the main door' }")},
    ${routeSource('/:section/contents', '{ section: request.params.section }')},
    ${routeSource('/models/:model', '{ model: request.params.model }', "params: { type: 'object', properties: { model: { type: 'string', pattern: '^[a-z/]+$' } }, required: ['model'], additionalProperties: false },")},
    ${routeSource('/zones', 'request.query', "query: { type: 'object', properties: { zone: { type: 'string', format: 'timezone' } }, required: ['zone'], additionalProperties: false },")},
    ${routeSource('/plans/:id.pdf', '{ plan: request.params.id }')},
    ${routeSource('/me', '{ caller: request.caller, locale: request.locale }', "guard: 'badge',")},
    ${routeSource('/chief', '{ rank: request.rank }', "guard: ['rank', 'chief'],")},
    ${routeSource('/facts', '{ ip: request.ip, request_id: request.request_id, locale: request.locale, agent: request.headers["user-agent"] }')},
    ${routeSource('/fail', "Promise.reject(new Error('the canary sang'))")},
    ${routeSource('/unknown-code', "Promise.reject(host.error('NEVER_DECLARED', { canary: 1 }))")},
    ${routeSource('/prototype-code', "Promise.reject(host.error('constructor'))")},
    ${routeSource('/not-an-error', "Promise.reject('just text')")},
    ${routeSource('/polite', "Promise.reject(host.error('COME_BACK', { name: 'Ann', retry_after_seconds: 2.4 }))")},
    ${routeSource('/broken-for-good', "Promise.reject(host.error('BROKEN_FOR_GOOD', {}))")},
    ${routeSource('/broken', "Promise.reject(host.error('BROKEN', {}))")},
    ${routeSource('/circular', '(() => { const a = {}; a.a = a; return a })()')},
    ${routeSource('/nothing', 'undefined', 'response: { 204: null },')},
    ${routeSource('/moved', "reply(302, undefined, { Location: '/api/hello' })", 'response: { 302: null },')},
    ${routeSource('/text', "'plain'")},
    ${routeSource('/query', 'request.query', "query: { type: 'object', properties: { n: { type: 'integer', minimum: 1, default: 7 }, tags: { type: 'array', items: { type: 'string' } }, on: { type: 'boolean' } }, required: ['tags'], additionalProperties: false },")},
    ${routeSource('/missing-file', "import('node:fs').then(({ createReadStream }) => createReadStream('/nowhere/at/all'))")},
    ${routeSource('/breaking-file', "import('node:stream').then(({ Readable }) => Readable.from((async function* () { yield 'half'; throw new Error('torn') })()))")},
    ${routeSource('/patient', "new Promise((_, reject) => { request.signal.addEventListener('abort', () => { reject(request.signal.reason); bench.emit('left') }); bench.emit('entered', request.request_id) })")},
    ${routeSource('/quick', "bench.emit('signal', request.signal)")},
    { method: 'DELETE', path: '/rooms/:id', summary: 's', guard: 'public', audit: { none: 'a test' }, response: { 204: null }, handler() {} },
    { method: 'POST', path: '/rooms', summary: 's', guard: 'public', audit: { none: 'a test' }, response: { 201: {} }, handler: () => ({}) },
  ])`,
  `errors: {
    NO_BADGE: { status: 401, message: { en: 'Show your badge.', zh: '请出示证件。' } },
    COME_BACK: { status: 429, level: 'warn', message: { en: 'Later, {name}{missing}.', zh: '稍后再来，{name}。' } },
    BROKEN_FOR_GOOD: { status: 410, code: 'BROKEN', message: { en: 'Gone.', zh: '没了。' } },
    BROKEN: { status: 502, message: { en: 'Broken.', zh: '坏了。' } },
  },`,
)}`

t.test('HTTP requests', async (t) => {
  const server = await startKernel(t, { plugins: { lab } })
  const get = (path: string, headers: Record<string, string> = {}) => server.request('GET', path, { headers })
  const entries = () =>
    server
      .logged()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const findEntry = (request_id: string, msg: string) =>
    entries().find((entry) => entry.request_id === request_id && entry.msg === msg)

  t.test('a request is answered with the result of its handler, and is logged', async (t) => {
    const { status, body, headers } = await get('/hello')
    t.equal(status, 200)
    t.same(body, { hello: 'world' })
    t.match(headers.get('content-type'), /^application\/json/)
    t.equal(headers.get('cache-control'), 'no-store')
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    t.equal(headers.get('access-control-allow-origin'), null)
    const entry = findEntry(headers.get('x-request-id')!, 'request')
    t.match(entry, { method: 'GET', route: '/hello', status: 200, ms: Number, level: 30 })
    t.equal((await get('/text')).body, 'plain')
    const empty = await get('/nothing')
    t.same([empty.status, empty.body], [204, ''])
    const moved = await fetch(`${server.url}/api/moved`, { redirect: 'manual' })
    t.same([moved.status, moved.headers.get('location'), await moved.text()], [302, '/api/hello', ''])
  })

  t.test('every error response has the error body', async (t) => {
    const cases: [method: string, path: string, status: number, code: string, allow?: string][] = [
      ['GET', '/nowhere', 404, 'NOT_FOUND'],
      ['POST', '/nowhere', 404, 'NOT_FOUND'],
      ['PROPFIND', '/nowhere', 404, 'NOT_FOUND'],
      ['OPTIONS', '/nowhere', 404, 'NOT_FOUND'],
      ['POST', '/hello', 405, 'METHOD_NOT_ALLOWED', 'HEAD, GET'],
      ['DELETE', '/rooms', 405, 'METHOD_NOT_ALLOWED', 'POST'],
      ['PROPFIND', '/hello', 405, 'METHOD_NOT_ALLOWED', 'HEAD, GET'],
      ['GET', '/me', 401, 'NO_BADGE'],
      ['GET', '/fail', 500, 'INTERNAL_ERROR'],
      ['GET', '/polite', 429, 'COME_BACK'],
      ['GET', '/broken', 502, 'BROKEN'],
      ['GET', '/broken-for-good', 410, 'BROKEN'],
    ]
    for (const [method, path, status, code, allow = null] of cases) {
      const { status: got, body, headers } = await server.request(method, path)
      const request_id = headers.get('x-request-id')
      t.equal(got, status, `${method} ${path}`)
      t.match(body, { error: { code, message: /\w/, details: {}, request_id } })
      t.same(Object.keys(body), ['error'])
      t.equal(headers.get('allow'), allow)
      t.equal(headers.get('www-authenticate'), status === 401 ? 'Bearer' : null)
    }
    t.equal((await fetch(`${server.url}/`)).status, 404)
    t.match(await (await fetch(`${server.url}/elsewhere`)).json(), { error: { code: 'NOT_FOUND' } })
  })

  t.test('OPTIONS lists the methods of a path', async (t) => {
    const { status, headers } = await server.request('OPTIONS', '/rooms')
    t.equal(status, 200)
    t.equal(headers.get('allow'), 'POST')
    const literal = await server.request('OPTIONS', '/rooms/best')
    t.equal(literal.headers.get('allow'), 'HEAD, GET', 'the methods of `/rooms/:id` are not listed')
    t.equal((await server.request('OPTIONS', '/rooms/hall')).headers.get('allow'), 'HEAD, GET, DELETE')
  })

  t.test('HEAD is answered like GET, without the body', async (t) => {
    const headReply = await sendRaw(server.url, rawRequest('HEAD', '/api/hello'))
    t.same([headReply.status, headReply.text], [200, ''])
    t.equal(headReply.headers['content-length'], String(JSON.stringify({ hello: 'world' }).length))
    const missing = await sendRaw(server.url, rawRequest('HEAD', '/api/nowhere'))
    t.same([missing.status, missing.text], [404, ''])
  })

  t.test('literal segments take precedence over parameters', async (t) => {
    t.same((await get('/rooms/best')).body, { room: 'the best' })
    t.same((await get('/rooms/12')).body, { room: '12' })
    t.same((await get('/rooms/best/doors/left')).body, { id: 'best', door: 'left' })
    t.same((await get('/rooms/12/')).body, { room: '12' })
  })

  t.test('a path is matched segment by segment', async (t) => {
    const cases: [path: string, content: object | number][] = [
      ['/api/rooms/best/', { room: 'the best' }],
      ['/API/Rooms/Best', { room: 'the best' }],
      ['/api/rooms/Hall', { room: 'Hall' }],
      ['/api/rooms/best/doors/main', { door: 'the main door' }],
      ['/api/rooms/best/doors/side', { id: 'best', door: 'side' }],
      ['/api/rooms/hall/doors/main', { id: 'hall', door: 'main' }],
      ['/api/rooms/b%65st', { room: 'best' }],
      ['/api/rooms/a+b%20c', { room: 'a+b c' }],
      ['/api/rooms/%E4%B8%AD', { room: '中' }],
      ['/api/rooms/%zz', { room: '%zz' }],
      ['/api/rooms/%E4', { room: '%E4' }],
      ['/api/rooms/12?id=13', { room: '12' }],
      ['/api/letters/contents', { section: 'letters' }],
      ['/api/rooms/contents', { room: 'contents' }],
      ['/api/plans/ground.floor.pdf', { plan: 'ground.floor' }],
      ['/api/plans/ground.PDF', { plan: 'ground' }],
      ['/api/plans/.pdf', 404],
      ['/api/plans/ground-pdf', 404],
      ['/api/h%65llo', 404],
      ['/api/rooms%2F12', 404],
      ['/api/rooms/12//', 404],
      ['/api//rooms/12', 404],
      ['//api/rooms/12', 404],
      ['/api/rooms//doors/main', 404],
      ['/api/rooms/12/doors', 404],
      ['/api/rooms/12/doors/main/lock', 404],
      ['/api/constructor', 404],
      ['/api/', 404],
      ['/api', 404],
    ]
    for (const [path, content] of cases) {
      const { status, text } = await sendRaw(server.url, rawRequest('GET', path))
      t.same(status === 200 ? JSON.parse(text) : status, content, path)
    }
    const absolute = await sendRaw(server.url, rawRequest('GET', `${server.url}/api/rooms/12`))
    t.same(JSON.parse(absolute.text), { room: '12' })
  })

  t.test('a method that only a path with parameters has is served by that path', async (t) => {
    t.equal((await server.request('DELETE', '/rooms/best')).status, 204)
    t.equal((await server.request('PATCH', '/rooms/best')).headers.get('allow'), 'HEAD, GET')
    t.equal((await server.request('PATCH', '/rooms/hall')).headers.get('allow'), 'HEAD, GET, DELETE')
    t.equal((await server.request('OPTIONS', '/rooms/hall/')).headers.get('allow'), 'HEAD, GET, DELETE')
    const options = await sendRaw(server.url, rawRequest('OPTIONS', '/api/rooms/hall'))
    t.same([options.status, options.text, options.headers['content-length']], [200, '', '0'])
  })

  t.test('a path parameter has a slash only if its pattern allows it', async (t) => {
    t.match(await get('/models/vendor%2Fmodel'), { status: 200, body: { model: 'vendor/model' } })
    t.equal((await get('/models/Vendor%2FModel')).status, 404)
  })

  t.test('a time zone is the IANA name of one', async (t) => {
    t.match(await get('/zones?zone=Europe/Berlin'), { status: 200, body: { zone: 'Europe/Berlin' } })
    for (const zone of ['Europe/Nowhere', '%2B02:00', ''])
      t.equal((await get(`/zones?zone=${zone}`)).status, 422, zone)
  })

  t.test('a path parameter that cannot be a name is answered with 404', async (t) => {
    const status = async (name: string) =>
      (await sendRaw(server.url, rawRequest('GET', `/api/rooms/${name}`))).status
    for (const name of [
      'a%2Fb',
      '%2F',
      '..%2F..%2Fetc',
      '%00',
      'a%00b',
      '%0a',
      '%1f',
      '%7f',
      'x'.repeat(257),
    ])
      t.equal(await status(name), 404, name.slice(0, 20))
    for (const name of ['%', '%zz', '%e0%a4', '%c3%28'])
      t.match(await status(name), /^(200|404)$/, `${name} does no harm`)
    t.equal(await status('x'.repeat(256)), 200)
    const { body } = await get('/rooms/%E6%88%BF%E9%97%B4%20%3F%23')
    t.same(body, { room: '房间 ?#' })
  })

  t.test('guards run in order before the handler and extend its request', async (t) => {
    t.match((await get('/me', { 'x-user': 'ann' })).body, { caller: { username: 'ann' } })
    const chief = await get('/chief', { 'x-user': 'chief' })
    t.same(chief.body, { rank: 'chief' })
    t.equal(chief.headers.get('x-checked'), 'GET')
    t.match(await get('/chief', { 'x-user': 'ann' }), {
      status: 403,
      body: { error: { code: 'FORBIDDEN', details: { rank: 'chief' } } },
    })
    t.equal((await get('/chief')).status, 401)
    const entry = findEntry(chief.headers.get('x-request-id')!, 'request')
    t.match(entry, { username: 'chief', route: '/chief' })
  })

  t.test('a guard sees what the route declares', async (t) => {
    t.same((await get('/labels')).body, { route: '/labels', guard: 'label', scope: 'letters' })
    t.same((await get('/labels/7')).body, { route: '/labels/:id', guard: ['label', 'big'] })
  })

  t.test('a well-formed request id is kept, and any other is replaced', async (t) => {
    for (const id of ['abc', 'A-b_9', 'x'.repeat(64)]) {
      const { body, headers } = await get('/facts', { 'x-request-id': id })
      t.equal(headers.get('x-request-id'), id)
      t.equal(body.request_id, id)
      t.ok(findEntry(id, 'request'))
    }
    for (const id of ['', 'a b', 'x'.repeat(65), 'a;b', 'ä', '<script>']) {
      const { text, headers } = await sendRaw(
        server.url,
        rawRequest('GET', '/api/nowhere', { 'X-Request-Id': id }),
      )
      t.match(headers['x-request-id'], /^[\da-f-]{36}$/, id)
      t.equal(JSON.parse(text).error.request_id, headers['x-request-id'])
    }
  })

  t.test('a request without a Host header is refused with the error body', async (t) => {
    const reply = await sendRaw(server.url, 'GET /api/nowhere HTTP/1.1\r\nConnection: close\r\n\r\n')
    t.equal(reply.status, 400)
    t.match(JSON.parse(reply.text).error, { code: 'BAD_REQUEST', details: { reason: /Host/ } })
    t.equal((await sendRaw(server.url, 'GET /api/nowhere HTTP/1.0\r\n\r\n')).status, 404)
  })

  t.test('messages are in the language that the request accepts, else in that of the caller', async (t) => {
    const cases: [accept: string | undefined, own: string | undefined, language: 'en' | 'zh'][] = [
      [undefined, undefined, 'en'],
      [undefined, 'zh', 'zh'],
      [undefined, 'fr', 'en'],
      ['zh', undefined, 'zh'],
      ['zh-CN', undefined, 'zh'],
      ['ZH-tw,en;q=0.5', undefined, 'zh'],
      ['en', 'zh', 'en'],
      ['fr', 'zh', 'zh'],
      ['*', 'zh', 'zh'],
      ['', 'zh', 'zh'],
      ['en;q=0.2, zh;q=0.8', undefined, 'zh'],
      ['zh;q=0.2, en;q=0.8', 'zh', 'en'],
      ['zh;q=0, fr', undefined, 'en'],
      ['en;q=0, fr', 'zh', 'zh'],
      ['zh; level=1; q=0.4, en;q=0.3', undefined, 'zh'],
      ['zh;q=.., en', undefined, 'en'],
      [';;,,;q=', undefined, 'en'],
    ]
    for (const [accept, own, language] of cases) {
      const headers = {
        'X-User': 'ann',
        ...(accept === undefined ? {} : { 'Accept-Language': accept }),
        ...(own === undefined ? {} : { 'X-Locale': own }),
      }
      const answer = await sendRaw(server.url, rawRequest('GET', '/api/me', headers))
      t.equal(JSON.parse(answer.text).locale, language, `${accept} / ${own}`)
    }
    const refused = await get('/me', { 'accept-language': 'zh-CN,zh;q=0.9' })
    t.equal(refused.body.error.message, '请出示证件。')
    t.equal((await get('/nowhere', { 'accept-language': 'zh' })).body.error.message, '未找到。')
  })

  t.test('a message contains the details, and retry_after_seconds is also a header', async (t) => {
    const { body, headers } = await get('/polite')
    t.match(body.error, { message: 'Later, Ann.', details: { name: 'Ann', retry_after_seconds: 2.4 } })
    t.equal(headers.get('retry-after'), '3')
    t.match(findEntry(headers.get('x-request-id')!, 'request refused'), { level: 40, code: 'COME_BACK' })
  })

  t.test('the cause of an unexpected error is only logged', async (t) => {
    for (const path of ['/fail', '/unknown-code', '/prototype-code', '/not-an-error']) {
      const { status, body, headers } = await get(path)
      t.equal(status, 500, path)
      t.match(body.error, { code: 'INTERNAL_ERROR', message: /request ID/, details: {} })
      t.notMatch(JSON.stringify(body), /canary|just text/)
      const entry = findEntry(headers.get('x-request-id')!, 'request refused')
      t.match(entry, { level: 50, code: 'INTERNAL_ERROR' })
      t.ok(entry.error, path)
    }
    t.match(server.logged(), /the canary sang/)
    const broken = await get('/broken')
    t.match(findEntry(broken.headers.get('x-request-id')!, 'request refused'), {
      level: 50,
      error: { code: 'BROKEN' },
    })
    const missing = await get('/nowhere')
    t.match(findEntry(missing.headers.get('x-request-id')!, 'request refused'), {
      level: 30,
      code: 'NOT_FOUND',
    })
  })

  t.test(
    'a reply that cannot be serialized has the error body, and one that fails halfway is cut off',
    async (t) => {
      const { status, body, headers } = await get('/circular')
      t.equal(status, 500)
      t.match(body.error, { code: 'INTERNAL_ERROR', request_id: headers.get('x-request-id') })
      t.match(findEntry(body.error.request_id, 'request refused'), { error: { message: /circular/ } })

      await t.rejects(get('/missing-file'))
      t.match(server.logged(), /ENOENT.*a reply could not be sent whole/)
      const broken = await sendRaw(server.url, rawRequest('GET', '/api/breaking-file'))
      t.equal(broken.status, 200)
      t.match(broken.text, /half/)
      t.notMatch(broken.text, /\r\n0\r\n/, 'the client can detect that the reply is incomplete')
      t.match(server.logged(), /torn.*a reply could not be sent whole/)
    },
  )

  t.test('query parameters are converted to the types of their schema', async (t) => {
    t.same((await get('/query?tags=a')).body, { n: 7, tags: ['a'] })
    t.same((await get('/query?tags=a&tags=b&n=3&on=true')).body, { n: 3, tags: ['a', 'b'], on: true })
    const readIssues = async (query: string) => {
      const { status, body } = await get(`/query${query}`)
      t.equal(status, 422, query)
      return body.error.details.issues
    }
    t.match(await readIssues(''), [{ path: '/tags', rule: 'required' }])
    t.match(await readIssues('?tags=a&n=x'), [{ path: '/n', rule: 'type', message: 'must be integer' }])
    t.match(await readIssues('?tags=a&n=0'), [{ path: '/n', rule: 'minimum' }])
    t.match(await readIssues('?tags=a&n=1&n=2'), [{ path: '/n', rule: 'type' }])
    t.match(await readIssues('?tags=a&more=1'), [{ path: '/more', rule: 'additionalProperties' }])
    t.match(await readIssues('?tags=a&constructor=1'), [{ path: '/constructor' }])
    t.match(await readIssues('?tags=a&__proto__=1'), [{ path: '/__proto__', rule: 'additionalProperties' }])
  })

  t.test('the client address is that of the connection, whatever the headers say', async (t) => {
    const { body } = await get('/facts', { 'x-forwarded-for': '9.9.9.9' })
    t.match(body.ip, /^(::ffff:)?127\.0\.0\.1$/)
  })

  t.test('invalid HTTP is refused with the error body', async (t) => {
    const cases: [what: string, bytes: string, status: number, code: string][] = [
      ['garbage', 'nonsense\r\n\r\n', 400, 'BAD_REQUEST'],
      ['an unknown method', 'FETCH /api/hello HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'BAD_REQUEST'],
      ['two lengths', rawRequest('POST', '/api/rooms', { 'Content-Length': '1, 2' }), 400, 'BAD_REQUEST'],
      [
        'a length and chunks',
        rawRequest('POST', '/api/rooms', { 'Content-Length': '1', 'Transfer-Encoding': 'chunked' }),
        400,
        'BAD_REQUEST',
      ],
      [
        'large headers',
        rawRequest('GET', '/api/hello', { 'X-Pad': 'x'.repeat(20_000) }),
        431,
        'HEADERS_TOO_LARGE',
      ],
    ]
    for (const [what, bytes, status, code] of cases) {
      const answer = await sendRaw(server.url, bytes)
      t.equal(answer.status, status, what)
      t.match(JSON.parse(answer.text), { error: { code, message: /\w/, details: {} } })
      t.equal(answer.headers.connection, 'close')
      t.equal(answer.headers['x-request-id'], JSON.parse(answer.text).error.request_id)
    }
    t.equal((await get('/hello')).status, 200, 'the server still answers')
  })

  t.test('the server survives a connection that breaks during a request', async (t) => {
    const stream = connect(Number(new URL(server.url).port), '127.0.0.1')
    await once(stream, 'connect')
    stream.write('GET /api/hello HTTP/1.1\r\nHost:')
    await new Promise((resolve) => setImmediate(resolve))
    stream.resetAndDestroy()
    await once(stream, 'close')
    t.equal((await get('/hello')).status, 200)
  })

  t.test('the signal of a request is aborted only if the client disconnects before the reply', async (t) => {
    const entered = once(bench, 'entered')
    const left = once(bench, 'left')
    const leaving = new AbortController()
    const call = t.rejects(fetch(`${server.url}/api/patient`, { signal: leaving.signal }), {
      name: 'AbortError',
    })
    const [request_id] = await entered
    leaving.abort()
    await Promise.all([call, left])
    const passedSignal = once(bench, 'signal')
    t.equal((await get('/quick', { connection: 'close' })).status, 200)
    t.match(findEntry(request_id, 'request refused'), { code: 'CLIENT_LEFT', level: 30 })
    t.match(findEntry(request_id, 'request'), { route: '/patient', status: 499 })
    const [signal] = await passedSignal
    t.equal((await get('/hello')).status, 200)
    t.notOk(signal.aborted)
  })
})

t.test('behind a trusted proxy the client address is the one that the proxy added', async (t) => {
  const server = await startKernel(t, { plugins: { lab }, env: { SVC_TRUST_PROXY: 'true' } })
  const readIp = async (forwarded?: string) => {
    const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    return (await server.request('GET', '/facts', { headers })).body.ip
  }
  t.equal(await readIp('1.2.3.4'), '1.2.3.4')
  t.equal(await readIp('6.6.6.6, 1.2.3.4'), '1.2.3.4', 'an address that the client sent is ignored')
  t.match(await readIp(), /127\.0\.0\.1$/)
})

t.test('requests of own pages, and those over HTTPS, are recognized', async (t) => {
  const host = 'own.example'
  const { isSameOrigin, isSecure } = (await startKernel(t)).server.runtime.facts
  for (const headers of [{}, { origin: `http://${host}` }, { 'sec-fetch-site': 'same-origin' }])
    t.ok(isSameOrigin({ host, ...headers }))
  const forwarded = { 'x-forwarded-host': 'public.example, proxy', 'x-forwarded-proto': 'https' }
  for (const headers of [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://public.example', ...forwarded },
  ])
    t.notOk(isSameOrigin({ host, ...headers }))
  t.notOk(isSecure({ host, ...forwarded }), 'without a trusted proxy, anybody may write these headers')

  const proxied = (await startKernel(t, { env: { SVC_TRUST_PROXY: 'true' } })).server.runtime.facts
  t.ok(proxied.isSameOrigin({ host, origin: 'https://public.example', ...forwarded }))
  t.ok(proxied.isSecure({ host, ...forwarded }))
  t.notOk(proxied.isSecure({ host }))

  const env = { SVC_PUBLIC_URL: 'https://public.example/agents' }
  const named = (await startKernel(t, { env })).server.runtime.facts
  t.ok(named.isSameOrigin({ host, origin: 'https://public.example' }))
  t.ok(named.isSecure({ host }))
})

t.test('origins listed in the configuration may send cross-origin requests', async (t) => {
  const allowed = 'https://console.example'
  const server = await startKernel(t, {
    plugins: { lab },
    config: { http: { cors_origins: [allowed, 'http://localhost:3000'] } },
  })
  const ask = (method: string, path: string, headers: Record<string, string>) =>
    server.request(method, path, { headers })
  const answer = await ask('GET', '/hello', { origin: allowed })
  t.equal(answer.headers.get('access-control-allow-origin'), allowed)
  t.equal(answer.headers.get('access-control-allow-credentials'), 'true')
  t.match(
    answer.headers.get('access-control-expose-headers'),
    /X-Request-Id,X-Access-Token,X-Thread-Id,Retry-After/,
  )
  t.equal(answer.headers.get('vary'), 'Origin')
  const refused = await ask('GET', '/me', { origin: allowed })
  t.equal(refused.status, 401)
  t.equal(refused.headers.get('access-control-allow-origin'), allowed, 'error responses can be read too')
  const preflight = await ask('OPTIONS', '/rooms', {
    origin: allowed,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  })
  t.equal(preflight.status, 204)
  t.match(preflight.headers.get('access-control-allow-methods'), /POST/)
  t.equal(preflight.headers.get('access-control-allow-headers'), 'authorization')
  const { isOwnOrigin } = server.server.runtime.facts
  const host = 'own.example'
  for (const origin of [undefined, allowed, `https://${host}`]) t.ok(isOwnOrigin({ origin, host }))
  for (const origin of ['null', 'https://evil.example']) t.notOk(isOwnOrigin({ origin, host }))
  for (const origin of ['https://evil.example', 'null', `${allowed}.evil.example`, undefined]) {
    const other = await ask('GET', '/hello', origin === undefined ? {} : { origin })
    t.equal(other.status, 200)
    t.equal(other.headers.get('access-control-allow-origin'), null, String(origin))
  }
})

t.test(
  'a reply that does not match its schema is an error in tests, and is only logged in production',
  async (t) => {
    const wrong = pluginSource(
      'wrong',
      `host.routes([
      ${routeSource('/wrong', "{ size: 'large', secret: 'canary' }", "response: { 200: { type: 'object', properties: { size: { type: 'integer' } }, additionalProperties: false } },")},
      ${routeSource('/right', '{ size: 1 }', "response: { 200: { type: 'object', properties: { size: { type: 'integer' } } } },")},
      ${routeSource('/nothing', 'undefined', "response: { 200: { type: 'object' } },")},
    ])`,
    )
    const strict = await startKernel(t, { plugins: { wrong } })
    t.equal((await strict.request('GET', '/wrong')).status, 500)
    t.match(strict.logged(), /reply of GET \/wrong does not fit: .*\/secret/)
    t.equal((await strict.request('GET', '/right')).status, 200)

    const lenient = await startKernel(t, { plugins: { wrong }, strictReplies: false })
    t.match(await lenient.request('GET', '/wrong'), { status: 200, body: { size: 'large' } })
    t.equal((await lenient.request('GET', '/nothing')).status, 500)
    t.match(lenient.logged(), /the handler of GET \/nothing returned nothing instead of its reply 200/)
    const entry = lenient
      .logged()
      .split('\n')
      .find((line) => line.includes('reply does not fit its schema'))
    t.match(JSON.parse(entry!), { level: 50, route: 'GET /wrong', issues: [{ path: '/secret' }] })
    t.notMatch(entry, /canary/, 'the log entry does not contain the values')
  },
)

t.test('new requests are refused while the server stops', async (t) => {
  const plugins = {
    lab,
    slow: pluginSource(
      'slow',
      '',
      "stop() { return new Promise((resolve) => process.once('go on', resolve)) },",
    ),
  }
  const server = await startKernel(t, { plugins })
  const { url } = server
  const stopped = server.stop()
  const refused = await server.request('GET', '/hello')
  t.equal(refused.status, 503)
  t.match(refused.body, { error: { code: 'SHUTTING_DOWN', request_id: String } })
  t.equal(refused.headers.get('connection'), 'close')
  t.match(await server.request('GET', '/health/live'), { status: 200, body: { status: 'ok' } })
  process.emit('go on' as never)
  await stopped
  await t.rejects(fetch(`${url}/api/health/live`))
})

t.test(
  'a server can listen on an IPv6 address',
  { skip: networkInterfaces().lo?.some(({ family }) => family === 'IPv6') ? false : 'there is no IPv6 here' },
  async (t) => {
    const server = await startKernel(t, { env: { SVC_HOST: '::1' } })
    t.match(server.url, /^http:\/\/\[::1\]:\d+$/)
    t.equal((await server.request('GET', '/health/live')).status, 200)
  },
)

t.test('a request is noted when its reply begins, and a note that fails changes nothing', async (t) => {
  const requests: Record<string, unknown>[] = []
  Object.assign(globalThis, { notedRequests: requests })
  const plugins = {
    notes: pluginSource(
      'notes',
      `host.routes([${routeSource('/things/:id', '({})')}])
       host.extend('kernel.requests', (request) => { notedRequests.push(request); throw new Error('no ink') })`,
    ),
  }
  const server = await startKernel(t, { plugins })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const { status } = await fetch(`${server.url}/api/things/1`, { headers: { traceparent } })
  t.equal(status, 200)
  await server.request('GET', '/health/live')
  await server.request('GET', '/nowhere')
  t.match(requests, [
    { method: 'GET', route: '/things/:id', plugin: 'notes', status: 200, traceparent, ms: Number },
    { route: '/health/live', plugin: 'kernel', status: 200, traceparent: undefined },
    { route: undefined, plugin: undefined, status: 404 },
  ])
  t.match(server.logged(), /no ink.*a request was not noted/)
})

t.test('a guard may admit a request without the guards before it', async (t) => {
  const plugins = {
    doors: pluginSource(
      'doors',
      `host.guard('closed', { check() { throw host.error('FORBIDDEN') } })
       host.guard('ajar', { after: 'closed', bypass: ({ headers }) => headers['x-key'] === 'right', check() {} })
       host.routes([{ method: 'GET', path: '/room', summary: 's', guard: 'ajar', response: { 200: {} }, handler: () => ({}) }])`,
    ),
  }
  const server = await startKernel(t, { plugins })
  const enter = async (key: string) =>
    (await fetch(`${server.url}/api/room`, { headers: { 'x-key': key } })).status
  t.equal(await enter('right'), 200)
  t.equal(await enter('wrong'), 403)
})
