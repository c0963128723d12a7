import { once } from 'node:events'
import { connect } from 'node:net'
import t from '../run/file-test.ts'
import { pluginSource, rawRequest, sendRaw, startKernel } from '../support/kernel.ts'

const hooks = pluginSource(
  'hooks',
  `
  const route = (method) => ({
    method, path: '/hook', summary: 'Take a call', guard: 'public', raw: { max_bytes: 1000 },
    ...(method === 'GET' ? {} : { audit: { none: 'a test' } }),
    response: { 200: { type: 'string' } },
    handler: ({ bytes, query }) => { process.emit('hooked'); return JSON.stringify({ query, text: Buffer.from(bytes).toString('latin1') }) },
  })
  host.routes(['GET', 'POST'].map(route))`,
)
const server = await startKernel(t, { plugins: { hooks } })
const url = `${server.url}/api/hook`

t.test('a raw body arrives unchanged, whatever its media type', async (t) => {
  for (const type of ['application/json', 'text/xml', 'application/x-www-form-urlencoded', '']) {
    const headers = type ? { 'content-type': type } : ({} as Record<string, string>)
    const response = await fetch(`${url}?a=1&b=x`, {
      method: 'POST',
      headers,
      body: Buffer.from('{"a": \xff}', 'latin1'),
    })
    t.equal(response.status, 200, type)
    t.match(response.headers.get('content-type'), /^text\/plain/)
    t.same(await response.json(), { query: { a: '1', b: 'x' }, text: '{"a": \xff}' })
  }
  t.same(await (await fetch(url)).json(), { query: {}, text: '' })
})

t.test('a raw body is limited in size, with or without Content-Length', async (t) => {
  const refusal = { error: { code: 'BODY_TOO_LARGE', details: { limit: 1000 } } }
  const said = await fetch(url, { method: 'POST', body: 'x'.repeat(1001) })
  t.match({ status: said.status, body: await said.json() }, { status: 413, body: refusal })
  const chunks = `${(2000).toString(16)}\r\n${'x'.repeat(2000)}\r\n0\r\n\r\n`
  const unsaid = await sendRaw(
    server.url,
    rawRequest('POST', '/api/hook', { 'Transfer-Encoding': 'chunked' }, chunks),
  )
  t.match({ status: unsaid.status, body: JSON.parse(unsaid.text) }, { status: 413, body: refusal })
})

t.test('a request whose raw body is incomplete never reaches its handler', async (t) => {
  let handled = 0
  const count = () => handled++
  process.on('hooked', count)
  t.teardown(() => process.off('hooked', count))
  const stream = connect(Number(new URL(server.url).port), '127.0.0.1')
  stream.end(rawRequest('POST', '/api/hook', { 'Content-Length': '100' }, 'half'))
  stream.resume()
  await once(stream, 'close')
  t.equal((await fetch(url)).status, 200)
  t.equal(handled, 1)
})

t.test(
  'the OpenAPI document says that a raw body is bytes, or has the media type of its route',
  async (t) => {
    const { paths } = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as { paths: object }
    t.match(paths, {
      '/hook': {
        post: {
          requestBody: { content: { 'application/octet-stream': { schema: { format: 'binary' } } } },
          responses: { 200: { content: { '*/*': { schema: {} } } }, 413: { $ref: /BodyTooLargeError$/ } },
        },
      },
    })
  },
)
