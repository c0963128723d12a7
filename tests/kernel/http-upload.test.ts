import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from '../run/file-test.ts'
import { bareConfig, createHome, pluginSource, rawRequest, sendRaw, startKernel } from '../support/kernel.ts'

const MAX_BYTES = 1000

const shelf = pluginSource(
  'shelf',
  `
  const route = (path, handler, more = {}) => ({
    method: 'POST', path, summary: 'Take a file', guard: 'public', audit: { none: 'a test' }, upload: { max_bytes: ${MAX_BYTES} },
    response: { 200: {} }, handler, ...more,
  })
  const described = ({ file, body }) => ({ file, body, bytes: file && readFileSync(file.path, 'base64') })
  host.routes([
    route('/file', described),
    route('/either', described, { body: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false } }),
    route('/several', ({ files, fields, body }) => ({
      body, fields, files: files?.map(({ path, ...file }) => ({ ...file, bytes: readFileSync(path, 'utf8') })),
    }), {
      upload: { max_bytes: ${MAX_BYTES}, max_files: 2, fields: ['folder', 'note'] },
      body: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false },
    }),
    route('/whole', described, { method: 'PUT', upload: { max_bytes: ${MAX_BYTES}, as: 'body' } }),
    route('/table', described, { upload: { max_bytes: ${MAX_BYTES}, media_type: 'text/csv' } }),
    route('/kept', ({ file }) => (renameSync(file.path, file.path + '.kept'), {})),
    route('/failing', () => { throw host.error('FORBIDDEN') }),
  ])`,
)
const source = `import { readFileSync, renameSync } from 'node:fs'\n${shelf}`

const home = createHome(t, bareConfig())
const uploads = join(home, 'uploads')
mkdirSync(uploads)
for (const name of ['stale', 'fresh']) writeFileSync(join(uploads, name), name)
utimesSync(join(uploads, 'stale'), 0, 0)
const server = await startKernel(t, { home, plugins: { shelf: source } })
const left = () => readdirSync(uploads).filter((name) => name !== 'fresh' && !name.endsWith('.kept'))

/** Sends a form with these fields; a Blob becomes a file. */
async function post(path: string, fields: [name: string, value: string | Blob, filename?: string][]) {
  const form = new FormData()
  for (const [name, value, filename] of fields)
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, filename)
  const response = await fetch(`${server.url}/api${path}`, { method: 'POST', body: form })
  const text = await response.text()
  return { status: response.status, body: text ? JSON.parse(text) : undefined }
}

const blob = (bytes: string | Buffer, type = 'text/plain') => new Blob([bytes], { type })
const part = (name: string, content: string, more = '; filename="a.txt"') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\nContent-Type: text/plain\r\n\r\n${content}\r\n`
const raw = (body: string, headers: Record<string, string> = {}, path = '/api/file') =>
  sendRaw(
    server.url,
    rawRequest(
      'POST',
      path,
      {
        'Content-Type': 'multipart/form-data; boundary=b',
        'Content-Length': String(Buffer.byteLength(body)),
        ...headers,
      },
      body,
    ),
  )
const readCode = ({ text }: { text: string }) => JSON.parse(text).error.code

t.test('a file arrives with its name, type and size, and is removed after the reply', async (t) => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n))
  const { status, body } = await post('/file', [['file', blob(bytes, 'image/png'), '图 1.png']])
  t.equal(status, 200)
  t.match(body.file, { filename: '图 1.png', media_type: 'image/png', size: 256 })
  t.equal(body.bytes, bytes.toString('base64'))
  t.notOk(existsSync(body.file.path))
  t.match(await post('/file', [['file', blob(''), 'none.txt']]), { body: { file: { size: 0 } } })
  t.match(await post('/file', [['file', blob('x'.repeat(MAX_BYTES)), 'full']]), {
    body: { file: { size: MAX_BYTES } },
  })
  t.match(await post('/file', [['file', blob('x'), '../../etc/passwd']]), {
    body: { file: { filename: 'passwd' } },
  })
  const nameless = `--b\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream\r\n\r\nx\r\n--b--\r\n`
  t.match(JSON.parse((await raw(nameless)).text), { file: { filename: 'file', size: 1 } })
  t.same(left(), [], 'a leftover of an earlier crash is removed too')
  t.ok(existsSync(join(uploads, 'fresh')), 'a file that may be in use is kept')
})

t.test('a handler may move the file, and the file is removed if the handler fails', async (t) => {
  t.equal((await post('/kept', [['file', blob('kept'), 'a']])).status, 200)
  const [kept] = readdirSync(uploads).filter((name) => name.endsWith('.kept'))
  t.equal(readFileSync(join(uploads, kept!), 'utf8'), 'kept')
  t.equal((await post('/failing', [['file', blob('x'), 'a']])).status, 403)
  t.same(left(), [])
})

t.test('a form with anything but one file is refused with the reason', async (t) => {
  const unknown = (path: string) => ({ status: 422, body: { error: { details: { issues: [{ path }] } } } })
  t.match(await post('/file', []), unknown('/file'))
  t.match(await post('/file', [['name', 'Ada']]), unknown('/name'))
  t.match(await post('/file', [['other', blob('x'), 'a']]), unknown('/other'))
  t.match(
    await post('/file', [
      ['file', blob('x'), 'a'],
      ['file', blob('y'), 'b'],
    ]),
    unknown(''),
  )
  const many = Array.from({ length: 6 }, (_, n) => [`f${n}`, 'x'] as [string, string])
  t.match(await post('/file', [['file', blob('x'), 'a'], ...many]), { status: 422 })
  const skipped = await raw(`--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--\r\n`)
  t.match(JSON.parse(skipped.text).error.details.issues, [{ path: '/file', rule: 'required' }])

  t.match(await raw('x', { 'Content-Type': 'text/plain' }), { status: 415 })
  t.match(await raw('', { 'Content-Type': 'application/json' }), { status: 415 })
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary='])
    t.equal(readCode(await raw(`${part('file', 'x')}--b--`, { 'Content-Type': type })), 'BAD_FORM', type)
  t.equal(readCode(await raw(part('file', 'cut off'))), 'BAD_FORM', 'an incomplete form')
  t.equal(readCode(await raw('no form at all')), 'BAD_FORM')
  // The parser also says that it has finished, after the error: no file that fails then may end the process.
  for (const start of ['--b\r\n', '--b\r\nContent-Disposition: form-data; name="file"; filename="'])
    t.equal(readCode(await raw(part('file', 'x') + start)), 'BAD_FORM', 'a form that ends in its next part')
  t.equal((await post('/file', [['file', blob('x'), 'a']])).status, 200, 'the server answers afterwards')
  t.same(left(), [])
})

t.test('a file that is too large is refused before or during its upload', async (t) => {
  const tooLarge = { status: 413, body: { error: { code: 'BODY_TOO_LARGE', details: { limit: MAX_BYTES } } } }
  t.match(await post('/file', [['file', blob('x'.repeat(MAX_BYTES + 1)), 'a']]), tooLarge)
  const announced = await raw('', { 'Content-Length': '99999999' })
  t.equal(readCode(announced), 'BODY_TOO_LARGE', 'the request is refused before its body arrives')
  const chunk = part('file', 'x'.repeat(50_000))
  const chunked = `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n0\r\n\r\n`
  const request = rawRequest(
    'POST',
    '/api/file',
    { 'Content-Type': 'multipart/form-data; boundary=b', 'Transfer-Encoding': 'chunked' },
    chunked,
  )
  t.equal(readCode(await sendRaw(server.url, request)), 'BODY_TOO_LARGE', 'also without Content-Length')
  t.same(left(), [])
})

t.test('no file remains if the client disconnects during the upload', async (t) => {
  const { hostname, port } = new URL(server.url)
  const stream = connect(Number(port), hostname)
  const body = part('file', 'half')
  const headers = {
    'Content-Type': 'multipart/form-data; boundary=b',
    'Content-Length': '900',
    'X-Request-Id': 'gone',
  }
  stream.write(rawRequest('POST', '/api/file', headers, body))
  while (left().length === 0) await new Promise(setImmediate)
  stream.destroy()
  while (left().length > 0) await new Promise(setImmediate)
  t.equal((await post('/file', [['file', blob('x'), 'a']])).status, 200)
})

t.test('a route may take bodies of one media type besides forms', async (t) => {
  const send = async (content: string, type: string) => {
    const reply = await fetch(`${server.url}/api/table`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: content,
    })
    return { status: reply.status, body: await reply.json() }
  }
  const bytes = Buffer.from('a,b').toString('base64')
  t.match(await post('/table', [['file', blob('a,b')]]), { status: 200, body: { bytes } })
  t.match(await send('a,b', 'text/csv; charset=utf-8'), { status: 200, body: { bytes } })
  t.match(await send('x'.repeat(MAX_BYTES + 1), 'text/csv'), { status: 413 })
  t.match(await send('{}', 'application/json'), {
    status: 415,
    body: { error: { details: { expected: 'text/csv or multipart/form-data' } } },
  })
})

t.test('a route can accept either a file or a body', async (t) => {
  t.match(await post('/either', [['file', blob('x'), 'a']]), { status: 200, body: { file: { size: 1 } } })
  const json = await server.request('POST', '/either', { body: { name: 'Ada' } })
  t.same(json.body, { body: { name: 'Ada' } })
  t.equal((await server.request('POST', '/either', { body: { nam: 'Ada' } })).status, 422)
  t.match(await raw('x', { 'Content-Type': 'text/plain' }, '/api/either'), { status: 415 })

  const { body: api } = await server.request('GET', '/openapi.json')
  const { content } = api.paths['/table'].post.requestBody
  t.strictSame(Object.keys(content), ['multipart/form-data', 'text/csv'])
  const { requestBody, responses } = api.paths['/either'].post
  t.same(Object.keys(requestBody.content), ['multipart/form-data', 'application/json'])
  t.match(responses[400].$ref, /BadFormOrBadJsonOrBadRequestError$/)
  t.same(Object.keys(api.paths['/file'].post.requestBody.content), ['multipart/form-data'])
})

t.test('a route can accept several files with texts beside them', async (t) => {
  const two: Parameters<typeof post>[1] = [
    ['folder', 'notes/'],
    ['file', blob('one'), 'a'],
    ['file', blob('two'), 'b'],
  ]
  const { status, body } = await post('/several', two)
  t.equal(status, 200)
  t.match(body, { fields: { folder: 'notes/' }, files: [{ filename: 'a', bytes: 'one' }, { bytes: 'two' }] })
  t.match(await post('/several', [['file', blob('x'), 'a']]), { body: { fields: {}, files: [{ size: 1 }] } })
  const json = await server.request('POST', '/several', { body: { name: 'Ada' } })
  t.same(json.body, { body: { name: 'Ada' } })

  const refused = (path: string, message: string) => ({
    status: 422,
    body: { error: { details: { issues: [{ path, message }] } } },
  })
  const third: typeof two = [...two, ['file', blob('x'), 'c']]
  t.match(await post('/several', third), refused('', 'must hold at most 2 files'))
  const crowd = Array.from({ length: 40 }, (_, n): (typeof two)[number] => [
    'file',
    blob('x'.repeat(MAX_BYTES)),
    `${n}`,
  ])
  t.match(await post('/several', crowd), refused('', 'must hold at most 2 files'))
  t.match(await post('/several', [...two, ['file2', 'x']]), refused('/file2', 'is not known'))
  t.match(await post('/several', [...two, ['note', 'x'.repeat(5000)]]), refused('/note', 'is too long'))
  const large: typeof two = [two[1]!, ['file', blob('x'.repeat(MAX_BYTES + 1)), 'b']]
  t.match(await post('/several', large), { status: 413 })
  t.same(left(), [])
  const { body: api } = await server.request('GET', '/openapi.json')
  const form = api.paths['/several'].post.requestBody.content['multipart/form-data'].schema
  t.match(form, { properties: { file: { type: 'array', maxItems: 2 }, folder: { type: 'string' } } })
})

t.test('a route can accept the request body itself as its file', async (t) => {
  const put = (body: string | Buffer, headers: Record<string, string> = {}) =>
    sendRaw(
      server.url,
      Buffer.concat([
        Buffer.from(rawRequest('PUT', '/api/whole', { 'Content-Length': String(body.length), ...headers })),
        Buffer.from(body as string),
      ]),
    )
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n))
  const arrived = JSON.parse((await put(bytes, { 'Content-Type': 'image/png' })).text)
  t.match(arrived, { file: { filename: 'file', media_type: 'image/png', size: 256 } })
  t.equal(arrived.bytes, bytes.toString('base64'))
  for (const type of ['application/json', 'multipart/form-data; boundary=b'])
    t.match(JSON.parse((await put('{', { 'Content-Type': type })).text), { file: { size: 1 } }, type)
  t.match(
    JSON.parse((await put('')).text),
    { file: { size: 0, media_type: '' } },
    'an empty body is an empty file',
  )

  t.match(JSON.parse((await put('x'.repeat(MAX_BYTES))).text), { file: { size: MAX_BYTES } })
  t.equal(readCode(await put('x'.repeat(MAX_BYTES + 1))), 'BODY_TOO_LARGE')
  const chunked = { 'Transfer-Encoding': 'chunked' }
  const large = `${(50_000).toString(16)}\r\n${'x'.repeat(50_000)}\r\n0\r\n\r\n`
  t.equal(
    readCode(await sendRaw(server.url, rawRequest('PUT', '/api/whole', chunked, large))),
    'BODY_TOO_LARGE',
  )
  t.match(await put('x', { 'Content-Encoding': 'gzip' }), { status: 415 })
  t.match(await put('x', { 'Content-Encoding': 'identity' }), { status: 200 })

  const { hostname, port } = new URL(server.url)
  const stream = connect(Number(port), hostname)
  stream.write(rawRequest('PUT', '/api/whole', { 'Content-Length': '900' }, 'half'))
  while (left().length === 0) await new Promise(setImmediate)
  stream.destroy()
  while (left().length > 0) await new Promise(setImmediate)

  const { body: api } = await server.request('GET', '/openapi.json')
  const { requestBody, responses } = api.paths['/whole'].put
  t.strictSame(Object.keys(requestBody.content), ['application/octet-stream'])
  t.equal(requestBody.required, false, 'without a body, the file is empty')
  t.strictSame(Object.keys(responses), ['200', '400', '413', '415', '422', '429', 'default'])
})
