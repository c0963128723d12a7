import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { compileSchema, type JSONSchema, rowOf } from '../../kernel/schema.ts'
import t, { type Test } from '../run/file-test.ts'
import { pluginSource, rawRequest, sendRaw, startKernel } from '../support/kernel.ts'

const echo = pluginSource(
  'echo',
  `
  const properties = {
    name: { type: 'string', maxLength: 8 },
    size: { type: 'integer', default: 1 },
    colour: { enum: ['red', 'green'] },
    mode: { const: 'fast' },
    parts: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false } },
    free: { type: 'object' },
    'a/b~c': { type: 'integer' },
  }
  const closed = { type: 'object', properties, additionalProperties: false }
  const route = (method, path, body) => ({
    method, path, body, summary: 'Return the body', guard: 'public', audit: { none: 'a test' }, response: { 200: {} },
    handler: (request) => { process.emit('echo'); return request.body },
  })
  host.guard('locked', { check() { throw host.error('FORBIDDEN') } })
  host.routes([
    ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => route(method, '/echo', closed)),
    route('POST', '/all', { ...closed, additionalProperties: undefined, unevaluatedProperties: false }),
    { ...route('POST', '/wide', { type: 'object' }), body_bytes: 4096 },
    { ...route('POST', '/bodyless'), body: undefined, response: { 204: null } },
    { ...route('POST', '/locked', closed), guard: 'locked' },
  ])`,
)

const usual = await startKernel(t, { plugins: { echo } })

/** Returns the server that the tests share, or starts one if the test has its own configuration. */
async function start(t: Test, config?: object) {
  const server = config ? await startKernel(t, { plugins: { echo }, config: { ...config } }) : usual
  const send = async (
    body: string | Buffer,
    headers: Record<string, string> = {},
    { method = 'POST', path = '/echo' } = {},
  ) => {
    const response = await fetch(`${server.url}/api${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    const text = await response.text()
    return { status: response.status, body: text ? JSON.parse(text) : undefined }
  }
  return { server, send }
}

t.test('a body is read for every method that can have one', async (t) => {
  const { send, server } = await start(t)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    t.same(await send('{"name":"a"}', {}, { method }), { status: 200, body: { name: 'a', size: 1 } })
  t.same(await send('', {}), { status: 200, body: { size: 1 } }, 'a missing body is an empty object')
  const bare = await sendRaw(server.url, rawRequest('POST', '/api/echo'))
  t.same([bare.status, bare.text], [200, '{"size":1}'], 'a request without Content-Length has an empty body')
})

t.test('a chunked body without a chunk is an empty object', async (t) => {
  const { server } = await start(t)
  const headers = { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' }
  const empty = await sendRaw(server.url, rawRequest('POST', '/api/echo', headers, '0\r\n\r\n'))
  t.same([empty.status, empty.text], [200, '{"size":1}'])
})

t.test('a route without a body schema refuses a body unless it is empty', async (t) => {
  const { send } = await start(t)
  const path = '/bodyless'
  t.match(await send('{}', {}, { path }), { status: 204 })
  t.match(await send('', {}, { path }), { status: 204 })
  t.match(await send('{"name":1}', {}, { path }), {
    status: 422,
    body: { error: { details: { issues: [{ path: '/name', rule: 'additionalProperties' }] } } },
  })
  t.match(await send('[]', {}, { path }), { status: 422 })
  t.match(await send('{', {}, { path }), { status: 400 })
  t.match(await send('text', { 'content-type': 'text/plain' }, { path }), { status: 415 })
})

t.test('all JSON media types are read, and other media types are refused', async (t) => {
  const { send } = await start(t)
  for (const type of [
    'application/json; charset=utf-8',
    'application/merge-patch+json',
    'application/vnd.api+json',
  ])
    t.match(await send('{"name":"a"}', { 'content-type': type }), { status: 200, body: { name: 'a' } }, type)
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'json',
    '',
  ])
    t.match(
      await send('{"name":"a"}', { 'content-type': type }),
      {
        status: 415,
        body: { error: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'This route accepts application/json.' } },
      },
      type,
    )
})

t.test('a body that is not valid JSON or not an object is refused', async (t) => {
  const { send } = await start(t)
  for (const body of ['{', 'null', '5', '"text"', '{"a":1,}', "{'a':1}", '{"a":NaN}', '{} {}'])
    t.match(await send(body), { status: 400, body: { error: { code: 'BAD_JSON', details: {} } } }, body)
})

t.test('a body with too many levels is refused', async (t) => {
  const { send } = await start(t)
  const nest = (levels: number) => `${'{"free":'.repeat(levels)}null${'}'.repeat(levels)}`
  t.equal((await send(nest(64))).status, 200)
  for (const levels of [65, 20_000])
    t.match(await send(nest(levels)), {
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: { issues: [{ path: '', rule: 'maxDepth' }] } } },
    })
})

t.test('a body with too many values is refused before it is parsed', async (t) => {
  const { send } = await start(t)
  t.match(await send(`{"free":[${'[],'.repeat(100_000)}0]}`), {
    status: 422,
    body: { error: { code: 'VALIDATION_FAILED', details: { issues: [{ path: '', rule: 'maxValues' }] } } },
  })
})

t.test('a body cannot pollute a prototype', async (t) => {
  const { send } = await start(t)
  for (const body of [
    '{"__proto__":{"polluted":true}}',
    '{"free":{"__proto__":{"polluted":true}}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
  ]) {
    const { status } = await send(body)
    t.ok(status === 400 || status === 422, body)
  }
  t.equal(Reflect.get({}, 'polluted'), undefined)
})

t.test('an invalid field is reported by its path, without its value', async (t) => {
  const { send } = await start(t)
  const cases: [body: object, path: string, rule: string, message?: RegExp][] = [
    [{ name: 5 }, '/name', 'type', /^must be string$/],
    [{ name: 'canary-canary' }, '/name', 'maxLength'],
    [{ size: '1' }, '/size', 'type', /^must be integer$/],
    [{ size: null }, '/size', 'type'],
    [{ colour: 'canary' }, '/colour', 'enum', /: red, green$/],
    [{ mode: 'canary' }, '/mode', 'const', /: fast$/],
    [{ canary_field: 1 }, '/canary_field', 'additionalProperties'],
    [{ parts: [{ id: 'a' }, {}] }, '/parts/1/id', 'required'],
    [{ parts: [{ id: 'a', 'x/y~z': 1 }] }, '/parts/0/x~1y~0z', 'additionalProperties'],
    [{ 'a/b~c': 'canary' }, '/a~1b~0c', 'type'],
    [{ ['x'.repeat(1000)]: 1 }, `/${'x'.repeat(64)}`, 'additionalProperties'],
  ]
  for (const [body, path, rule, message = /\w/] of cases) {
    const answer = await send(JSON.stringify(body))
    t.equal(answer.status, 422)
    t.match(answer.body.error, { code: 'VALIDATION_FAILED', details: { issues: [{ path, rule, message }] } })
    t.notMatch(JSON.stringify(answer.body), /canary(?!_field)/)
  }
  t.match(await send('[]'), {
    status: 422,
    body: { error: { details: { issues: [{ path: '', rule: 'type' }] } } },
  })
  t.match(await send('{"more":1}', {}, { path: '/all' }), {
    body: { error: { details: { issues: [{ path: '/more', rule: 'unevaluatedProperties' }] } } },
  })
})

t.test('the guard runs before the body is read', async (t) => {
  const { send } = await start(t)
  t.match(await send('{', {}, { path: '/locked' }), { status: 403 })
})

t.test('compressed bodies are decompressed', async (t) => {
  const { send } = await start(t)
  const text = '{"name":"zip"}'
  for (const [encoding, body] of [
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ] as const)
    t.match(
      await send(body, { 'content-encoding': encoding }),
      { status: 200, body: { name: 'zip' } },
      encoding,
    )
  t.match(await send(Buffer.from(text), { 'content-encoding': 'gzip' }), {
    status: 400,
    body: { error: { code: 'BAD_JSON' } },
  })
  t.match(await send(Buffer.from(text), { 'content-encoding': 'zstd' }), {
    status: 415,
    body: { error: { message: /gzip/ } },
  })
})

t.test('a body over the limit is refused, whether plain, chunked or compressed', async (t) => {
  const { send, server } = await start(t, { http: { body_limit: '1kb' } })
  const large = JSON.stringify({ name: 'x'.repeat(2000) })
  const refusal = { error: { code: 'BODY_TOO_LARGE', details: { limit: 1024 }, message: /1024 bytes/ } }
  t.match(await send(large), { status: 413, body: refusal })
  t.match(
    await send(gzipSync(JSON.stringify({ name: 'x'.repeat(5_000_000) })), { 'content-encoding': 'gzip' }),
    {
      status: 413,
      body: refusal,
    },
  )
  const chunks = `${(2000).toString(16)}\r\n${'['.repeat(2000)}\r\n0\r\n\r\n`
  const headers = { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' }
  const chunked = await sendRaw(server.url, rawRequest('POST', '/api/echo', headers, chunks))
  t.match({ status: chunked.status, body: JSON.parse(chunked.text) }, { status: 413, body: refusal })
  t.equal((await send('{"name":"a"}')).status, 200)
  const wide = await send(large, {}, { path: '/wide' })
  t.strictSame([wide.status, wide.body.name.length], [200, 2000], 'a route may take more')
  t.equal((await send(JSON.stringify({ name: 'x'.repeat(6000) }), {}, { path: '/wide' })).status, 413)
  const fitting = await start(t)
  t.equal((await fitting.send(large)).status, 422, 'the default limit is 1 MiB')
})

t.test('a connection can be reused after a body was refused before its end', async (t) => {
  const { server } = await start(t)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  // Larger than the buffers of a connection, both compressed and not.
  const noise = randomBytes(4_000_000)
  const packed = gzipSync(noise, { level: 0 })
  const type = { 'content-type': 'application/json' }
  for (let n = 0; n < 6; n++) {
    const [body, headers] = n % 2 ? [packed, { ...type, 'content-encoding': 'gzip' }] : [noise, type]
    const sent = request(`${server.url}/api/echo`, { method: 'POST', headers, agent })
    sent.end(body)
    const [response] = await once(sent, 'response')
    response.resume()
    await once(response, 'end')
    t.equal(response.statusCode, 413)
    if (!sent.writableFinished) await once(sent, 'finish')
    t.equal(sent.reusedSocket, n > 0)
  }
})

t.test('a request whose body is incomplete never reaches its handler', async (t) => {
  const { server, send } = await start(t)
  let handled = 0
  const count = () => handled++
  process.on('echo', count)
  t.teardown(() => process.off('echo', count))
  const headers = { 'Content-Type': 'application/json', 'Content-Length': '100' }
  const stream = connect(Number(new URL(server.url).port), '127.0.0.1')
  stream.end(rawRequest('POST', '/api/echo', headers, '{"name":"a"}'))
  stream.resume()
  await once(stream, 'close')
  const broken = { ...headers, 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }
  const chunks = rawRequest('POST', '/api/echo', JSON.parse(JSON.stringify(broken)), '5\r\n{"nam\r\nzz\r\n')
  t.match(await sendRaw(server.url, chunks), { status: 400, text: /"BAD_REQUEST"/ })
  t.equal(handled, 0)
  t.equal((await send('{"name":"a"}')).status, 200)
  t.equal(handled, 1)
})

t.test('a row requires its properties except the optional ones, and takes no others', (t) => {
  const text = { type: 'string' } as const
  const accepts = (schema: JSONSchema, value: unknown) => {
    try {
      compileSchema(schema, 'json')(value)
      return true
    } catch {
      return false
    }
  }
  t.ok(accepts(rowOf({ a: text, b: text }), { a: 'x', b: 'y' }))
  t.notOk(accepts(rowOf({ a: text, b: text }), { a: 'x' }))
  const schema = rowOf({ a: text, b: text }, ['b'])
  t.ok(accepts(schema, { a: 'x' }))
  t.notOk(accepts(schema, { b: 'y' }))
  t.notOk(accepts(schema, { a: 'x', c: 'z' }))
  t.end()
})
