import { EventEmitter, once } from 'node:events'
import t from 'tap'
import { pluginSource, startKernel } from '../support/kernel.ts'

/** Where the plugin below says what happens to it, and is told what to do. */
const desk = Object.assign(new EventEmitter(), { mood: '' })
Object.assign(globalThis, { desk })

const streams = pluginSource(
  'streams',
  `
  const route = (path, handler, more = {}) => ({
    method: 'GET', path, summary: 'Stream', guard: 'moody', stream: 'events', handler,
    response: { 200: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false } },
    ...more,
  })
  const download = { stream: 'download', response: { 200: { type: 'string' } } }
  host.guard('moody', { check() {
    if (desk.mood === 'refusing') throw host.error('FORBIDDEN')
    if (desk.mood === 'failing') throw new Error('nothing was found out')
    return { caller: { id: 'u', username: 'u' } }
  } })
  async function* count(to, signal) {
    try {
      for (let n = 1; n <= to; n += 1) {
        desk.emit('given', n)
        yield { id: String(n), event: 'number', data: { n } }
      }
      if (signal) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    } finally {
      desk.emit('left')
    }
  }
  host.routes([
    route('/three', () => count(3)),
    route('/open', ({ signal }) => count(1, signal)),
    route('/silent', ({ signal }) => count(0, signal)),
    route('/much', async function* () {
      for (let n = 1; n <= 10000; n += 1) {
        desk.given = n
        yield { event: 'number', data: { n }, id: 'x'.repeat(10000) }
      }
    }),
    route('/torn', async function* () { yield { event: 'number', data: { n: 1 } }; throw host.error('FORBIDDEN') }),
    route('/wrong', async function* () { yield { event: 'number', data: { m: 1 } } }),
    route('/refused', () => { throw host.error('FORBIDDEN') }),
    route('/file', () => ({ filename: 'a b.jsonl', media_type: 'application/x-ndjson', content: (async function* () { yield '1\\n'; yield '2\\n' })() }), download),
    route('/half', () => ({ filename: 'half.txt', media_type: 'text/plain', content: (async function* () { yield 'half'; throw new Error('torn') })() }), download),
  ])
  host.on('server.starting', (_, { sockets }) => { desk.sockets = sockets })`,
)

const server = await startKernel(t, { plugins: { streams }, pingIntervalMs: 20 })
const sockets = () => (desk as unknown as { sockets: typeof server.server.runtime.sockets }).sockets
const get = (path: string, options: RequestInit = {}) => fetch(`${server.url}/api${path}`, options)

/** Reads a stream up to a text; gives what came until then, and what reads on. */
async function readUntil(response: Response, wanted: string) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(wanted)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the stream ended with ${text}`)
    text += value
  }
  return {
    text,
    async rest() {
      let rest = ''
      for (let next = await reader.read(); !next.done; next = await reader.read()) rest += next.value
      return rest
    },
  }
}

/** A stream without its signs of life. */
const itemsOf = (text: string) => text.split('\n\n').filter((item) => item !== '' && item !== ':')

t.test('items are sent with their ids, and the stream ends with the last one', async (t) => {
  const response = await get('/three')
  t.equal(response.status, 200)
  t.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  t.equal(response.headers.get('cache-control'), 'no-store')
  t.strictSame(
    itemsOf(await response.text()),
    [1, 2, 3].map((n) => `id: ${n}\nevent: number\ndata: {"n":${n}}`),
  )
})

t.test('a stream on which nothing is said shows that it is open', async (t) => {
  const response = await get('/silent')
  const { text } = await readUntil(response, ':\n\n:\n\n')
  t.strictSame(itemsOf(text), [])
  sockets().close(() => true, 1000, '')
})

t.test('who leaves is let go', async (t) => {
  const leaving = new AbortController()
  const response = await get('/open', { signal: leaving.signal })
  await readUntil(response, 'data')
  const left = once(desk, 'left')
  leaving.abort()
  await left
  t.strictSame(sockets().contexts(), [])
})

t.test('nothing is read ahead for who does not read', async (t) => {
  const leaving = new AbortController()
  const response = await get('/much', { signal: leaving.signal })
  const { text } = await readUntil(response, 'data')
  t.match(text, /^:/)
  await new Promise((resolve) => setTimeout(resolve, 100))
  const { given } = desk as unknown as { given: number }
  await new Promise((resolve) => setTimeout(resolve, 100))
  t.equal((desk as unknown as { given: number }).given, given)
  t.ok(given < 5000, `${given} of 10000 items were asked for`)
  leaving.abort()
})

t.test('an error behind the headers is the last item; before them it is an answer', async (t) => {
  t.match(itemsOf(await (await get('/torn')).text()), [
    /^event: number/,
    /^event: error\ndata: \{"code":"FORBIDDEN","message":.*"request_id":/,
  ])
  t.match(itemsOf(await (await get('/wrong')).text()), [/^event: error\ndata: \{"code":"INTERNAL_ERROR"/])
  const refused = await get('/refused')
  t.equal(refused.status, 403)
  t.match(await refused.json(), { error: { code: 'FORBIDDEN' } })
})

t.test('who may no longer read is told so', async (t) => {
  t.teardown(() => {
    desk.mood = ''
  })
  const stream = await readUntil(await get('/open'), 'data')
  t.match(sockets().contexts(), [{ caller: { id: 'u' } }])
  sockets().recheck(() => true)
  desk.mood = 'failing'
  sockets().recheck(() => true)
  await new Promise((resolve) => setTimeout(resolve, 30))
  t.equal(sockets().contexts().length, 1, 'unless nothing was found out')
  desk.mood = 'refusing'
  const left = once(desk, 'left')
  sockets().recheck(() => true)
  sockets().recheck(() => true)
  await left
  t.match(itemsOf(await stream.rest()), [/^event: error\ndata: \{"code":"FORBIDDEN"/])
  t.strictSame(sockets().contexts(), [])
  desk.mood = ''
  const closed = await readUntil(await get('/open'), 'data')
  sockets().close(() => true, 4401, 'session ended')
  t.strictSame(itemsOf(await closed.rest()), [])
})

t.test('a file is sent as it is made', async (t) => {
  const response = await get('/file')
  t.equal(response.headers.get('content-disposition'), 'attachment; filename="a b.jsonl"')
  t.equal(response.headers.get('content-type'), 'application/x-ndjson')
  t.equal(await response.text(), '1\n2\n')
  const half = await get('/half')
  t.equal(half.status, 200)
  await t.rejects(half.text())
})

t.test('the document names what streams are sent as', async (t) => {
  const { body } = await server.request('GET', '/openapi.json')
  const contentOf = (path: string) => Object.keys(body.paths[path].get.responses[200].content)
  t.strictSame(contentOf('/three'), ['text/event-stream'])
  t.strictSame(contentOf('/file'), ['application/octet-stream'])
})

t.test('a server that stops ends its streams', async (t) => {
  const stream = await readUntil(await get('/open'), 'data')
  const [rest] = await Promise.all([stream.rest(), server.stop()])
  t.strictSame(itemsOf(rest), [])
})
