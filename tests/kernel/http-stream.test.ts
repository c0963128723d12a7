import { EventEmitter, once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { reply } from '../../kernel/contract/route.ts'
import { AppError } from '../../kernel/errors.ts'
import t from '../run/file-test.ts'
import { createHold } from '../support/chat.ts'
import { pluginSource, startKernel } from '../support/kernel.ts'

/** Lets the tests control the plugin below, which emits its events here. */
const desk = Object.assign(new EventEmitter(), {
  /** The behaviour of the guard. */
  mood: '',
  /** The guard waits for this promise before it decides. */
  verdict: Promise.resolve(),
  /** A source waits for this promise before its next item. */
  go: Promise.resolve(),
  /** The number of items that `/many` or `/endless` has produced. */
  given: 0,
})
Object.assign(globalThis, { desk, reply })

const MANY = 4000
/** More characters than the buffers of a connection hold. */
const LARGE = 30_000_000

const streams = pluginSource(
  'streams',
  `
  const number = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false }
  const route = (path, handler, more = {}) => ({
    method: 'GET', path, summary: 'Stream', guard: 'moody', stream: 'events', handler, response: { 200: number }, ...more,
  })
  const download = (path, content, filename = 'a b.jsonl') => route(
    path, () => ({ filename, media_type: 'application/x-ndjson', content: content() }), { stream: 'download', response: { 200: {} } },
  )
  host.extend('kernel.audit', (record) => void desk.emit('audited', record))
  host.guard('moody', { async check({ setHeader }) {
    const { mood } = desk
    setHeader('X-Mood', mood)
    desk.emit('asked', mood)
    await desk.verdict
    if (mood === 'refusing') throw host.error('FORBIDDEN')
    if (mood === 'failing') throw new Error('the guard failed')
    return { caller: { id: 'u', username: 'u', locale: 'zh' } }
  } })
  const item = (n) => ({ id: String(n), event: 'number', data: { n } })
  const left = (signal) => new Promise((resolve) => signal.aborted ? resolve() : signal.addEventListener('abort', resolve))
  async function* count(to, signal) {
    try {
      for (let n = 1; n <= to; n += 1) yield item(n)
      if (signal) await left(signal)
    } finally {
      desk.emit('left')
    }
  }
  host.routes([
    route('/three', () => count(3)),
    route('/nameless', async function* () { yield { event: 'word', data: 'two\\nlines' } }, { response: { 200: {} } }),
    route('/open', ({ signal }) => count(1, signal)),
    route('/silent', ({ signal }) => count(0, signal)),
    route('/late', async ({ signal }) => { desk.emit('entered'); await left(signal); return count(3) }),
    route('/signal', async ({ signal }) => { desk.emit('signal', signal); return count(1) }),
    route('/deaf', async function* () { yield item(1); await new Promise(() => {}) }),
    route('/next', async function* ({ signal }) {
      try { yield item(1); await desk.go; yield item(2); yield item(3); await left(signal) } finally { desk.emit('left') }
    }),
    route('/many', async function* () {
      try {
        for (let n = 1; n <= ${MANY}; n += 1) { desk.given = n; yield { ...item(n), id: 'x'.repeat(10000) } }
      } finally {
        desk.emit('left')
      }
    }),
    route('/large', async function* () {
      yield { event: 'text', data: 'x'.repeat(${LARGE}) }
      setImmediate(() => desk.emit('left'))
    }, { response: { 200: {} } }),
    route('/torn', async function* () { yield item(1); throw host.error('FORBIDDEN') }),
    route('/burst', async function* () { yield item(1); throw new Error('the pipe burst') }),
    route('/word', async function* () { yield item(1); throw null }),
    route('/wrong', async function* () { yield item(1); yield { event: 'number', data: { m: 1 } } }),
    route('/circular', async function* () { const data = {}; data.data = data; yield { event: 'ring', data } }, { response: { 200: {} } }),
    route('/clumsy', async function* ({ signal }) { try { yield item(1); await left(signal) } finally { throw new Error('fell on leaving') } }),
    route('/sleeping', async function* ({ signal }) { yield item(1); await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))) }),
    route('/plain', async function* () { yield { data: [1] }; yield '[DONE]'; yield 'two\\nlines' }, { response: { 200: {} } }),
    route('/headed', () => reply(200, count(1), { 'X-Name': 'three' })),
    route('/either/:form', ({ params }) => {
      if (params.form === 'body') return { name: 'one' }
      if (params.form === 'headed') return reply(200, { name: 'two' }, { 'X-Name': 'two' })
      return (async function* () {
        yield { data: { n: 1 } }
        yield params.form === 'wrong' ? { data: { name: 'one' } } : '[DONE]'
        throw host.error('FORBIDDEN')
      })()
    }, { events: number, response: { 200: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } } }),
    route('/refused', () => { throw host.error('FORBIDDEN') }),
    route('/answered', ({ signal, query }) => {
      desk.emit('signal', signal)
      if (query.as === 'nothing') return new Response(null, { status: 202, headers: { 'x-own': 'yes' } })
      if (query.as === 'json') return Response.json({ n: 1 }, { status: 404 })
      const cancel = () => { desk.emit('left'); if (query.as === 'clumsy') throw new Error('fell on leaving') }
      const start = (source) => { if (query.as === 'late') return; source.enqueue(Buffer.from('one ')); desk.go.then(() => { source.enqueue(Buffer.from('two')); source.close() }, () => {}) }
      return new Response(new ReadableStream({ start, cancel }), { headers: { 'content-type': 'text/event-stream' } })
    }, { stream: 'response', query: { type: 'object', properties: { as: { type: 'string' } } }, response: { 200: number, 400: {} } }),
    route('/recorded', () => new Response('no', { status: 409 }), {
      method: 'POST', stream: 'response', response: { 200: {} }, audit: 'desk.answer',
    }),
    download('/file', async function* () { yield '1\\n'; yield ''; yield '二\\n' }),
    download('/named', async function* () {}, '图.jsonl'),
    download('/slow', async function* () { yield 'first'; await desk.go; yield 'second' }),
    download('/half', async function* () { yield 'half'; throw new Error('the file tore') }),
    download('/endless', async function* () { try { for (;;) { desk.given += 1; yield 'x'.repeat(100000) } } finally { desk.emit('left') } }),
  ])`,
)

const server = await startKernel(t, { plugins: { streams }, pingIntervalMs: 20 })
const { sockets } = server.server.runtime
const get = (path: string, options: RequestInit = {}) => fetch(`${server.url}/api${path}`, options)
const logged = (request_id: string | null, msg: string) =>
  server
    .logged()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .find((entry) => entry.request_id === request_id && entry.msg === msg)

/** Requests a reply whose body is not read until the test reads it. */
async function open(path: string, url = server.url): Promise<IncomingMessage> {
  const request = httpGet(`${url}/api${path}`, { agent: false })
  const [response] = await once(request, 'response')
  return response
}

/** Waits for ten requests in a row, during which the server finishes all work that does not wait for anything. */
async function passTime(): Promise<void> {
  for (let n = 0; n < 10; n += 1) await (await get('/health/live')).text()
}

/** Reads a stream up to a text. Returns the text received so far, and functions that continue to read. */
async function readUntil(response: Response, wanted: string) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const until = async (wanted: string) => {
    while (!text.includes(wanted)) {
      const { value, done } = await reader.read()
      if (done) throw new Error(`the stream ended with ${text}`)
      text += value
    }
    return text
  }
  await until(wanted)
  return {
    text,
    until,
    async rest() {
      let remainder = ''
      for (let next = await reader.read(); !next.done; next = await reader.read()) remainder += next.value
      return remainder
    },
  }
}

/** Splits a stream into its items, without keep-alive comments. */
const parseItems = (text: string) => text.split('\n\n').filter((item) => item !== '' && item !== ':')

t.afterEach(() => {
  desk.mood = ''
  t.strictSame(sockets.contexts(), [], 'every stream is closed')
})

t.test('items are sent with their ids, and the stream ends with the last one', async (t) => {
  const response = await get('/three')
  t.equal(response.status, 200)
  t.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  t.equal(response.headers.get('cache-control'), 'no-store')
  t.equal(response.headers.get('x-accel-buffering'), 'no')
  t.equal(response.headers.get('x-mood'), '', 'a header that the guard sets')
  t.strictSame(
    parseItems(await response.text()),
    [1, 2, 3].map((n) => `id: ${n}\nevent: number\ndata: {"n":${n}}`),
  )
  t.strictSame(parseItems(await (await get('/nameless')).text()), ['event: word\ndata: "two\\nlines"'])
})

t.test('an item may lack a name, or be text that is sent as it is', async (t) => {
  t.strictSame(parseItems(await (await get('/plain')).text()), [
    'data: [1]',
    'data: [DONE]',
    'data: two\ndata: lines',
  ])
})

t.test('a stream may have headers of its own', async (t) => {
  const response = await get('/headed')
  t.equal(response.headers.get('x-name'), 'three')
  t.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  t.match(parseItems(await response.text()), [/"n":1/])
})

t.test('a route may answer with a stream or with one body, each with a schema of its own', async (t) => {
  t.strictSame(await (await get('/either/body')).json(), { name: 'one' })
  const headed = await get('/either/headed')
  t.equal(headed.headers.get('x-name'), 'two')
  t.strictSame(await headed.json(), { name: 'two' })
  const stream = await get('/either/stream')
  t.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  t.match(parseItems(await stream.text()), [
    'data: {"n":1}',
    'data: [DONE]',
    /^data: \{"error":\{"code":"FORBIDDEN"/,
  ])
  t.match(parseItems(await (await get('/either/wrong')).text()), [
    'data: {"n":1}',
    /^data: \{"error":\{"code":"INTERNAL_ERROR"/,
  ])
})

t.test('a stream without items sends keep-alive comments', async (t) => {
  const response = await get('/silent')
  const { text } = await readUntil(response, ':\n\n:\n\n:\n\n')
  t.strictSame(parseItems(text), [])
  t.equal(
    sockets.close(() => true, 1000, ''),
    1,
  )
})

t.test('a source ends when its client disconnects', async (t) => {
  const leaving = new AbortController()
  const response = await get('/open', { signal: leaving.signal })
  await readUntil(response, 'data')
  t.match(sockets.contexts(), [{ caller: { id: 'u' } }])
  const left = once(desk, 'left')
  leaving.abort()
  await left
})

t.test('a source ends if its client disconnects before the stream begins', async (t) => {
  const leaving = new AbortController()
  const entered = once(desk, 'entered')
  const left = once(desk, 'left')
  const response = get('/late', { signal: leaving.signal })
  await entered
  leaving.abort()
  await t.rejects(response)
  await left
  await passTime()
})

t.test('HEAD is answered with the headers and leaves no stream open', async (t) => {
  const left = once(desk, 'left')
  const response = await get('/open', { method: 'HEAD' })
  t.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  await left
  await passTime()
})

t.test('the signal of a request is not aborted when its stream ends normally', async (t) => {
  const passedSignal = once(desk, 'signal')
  t.match(await (await get('/signal')).text(), /"n":1/)
  const [signal] = await passedSignal
  await passTime()
  t.equal(signal.aborted, false)
})

t.test('a source waits for a slow reader, and no item is lost', async (t) => {
  const response = await open('/many')
  await passTime()
  // The system lets the buffers of a connection grow for a while, to a bound.
  const assertWaits = () => t.ok(desk.given < MANY / 2, `${desk.given} of ${MANY} items were produced`)
  assertWaits()
  const beating = await readUntil(await get('/silent'), ':\n\n:\n\n:\n\n')
  assertWaits()
  const text = await readText(response)
  sockets.close(() => true, 1000, '')
  await beating.rest()
  const numbers = parseItems(text).map((item) => Number(/"n":(\d+)/.exec(item)?.[1]))
  t.strictSame(
    numbers,
    Array.from({ length: MANY }, (_, n) => n + 1),
  )

  const left = once(desk, 'left')
  const leaver = await open('/many')
  await passTime()
  leaver.destroy()
  await left
  t.ok(desk.given < MANY / 2, 'the source ends if the client disconnects instead')
  await passTime()
})

t.test('nothing is written to a stream that has ended but has not been read to its end', async (t) => {
  const ended = once(desk, 'left')
  const response = await open('/large')
  await ended
  t.strictSame(sockets.contexts(), [])
  const beating = await readUntil(await get('/silent'), ':\n\n:\n\n:\n\n')
  sockets.close(() => true, 1000, '')
  await beating.rest()
  const text = await readText(response)
  t.equal(text.length, ':\n\n'.length + 'event: text\ndata: ""\n\n'.length + LARGE)

  const slow = await open('/many')
  await passTime()
  desk.mood = 'refusing'
  const left = once(desk, 'left')
  sockets.recheck(() => true)
  await left
  sockets.recheck(() => true)
  const items = parseItems(await readText(slow))
  t.ok(items.length < MANY / 2)
  t.match(items.slice(-2), [/"n":\d+\}$/, /^event: error\ndata: \{"code":"FORBIDDEN"/])
  t.notMatch(server.logged(), /write after end/)
})

t.test(
  'an error after the headers is the last item; an error before them is an error response',
  async (t) => {
    t.match(parseItems(await (await get('/torn')).text()), [
      /^id: 1\nevent: number/,
      /^event: error\ndata: \{"code":"FORBIDDEN","message":"[^"]*[一-龟].*"details":\{.*"request_id":/,
    ])
    const failed = /^event: error\ndata: \{"code":"INTERNAL_ERROR"/
    const burst = await get('/burst')
    t.match(parseItems(await burst.text()), [/^id: 1/, failed])
    t.match(logged(burst.headers.get('x-request-id'), 'stream failed'), {
      level: 50,
      error: { message: 'the pipe burst' },
    })
    t.match(parseItems(await (await get('/word')).text()), [/^id: 1/, failed])
    t.match(parseItems(await (await get('/circular')).text()), [failed])
    const refused = await get('/refused')
    t.equal(refused.status, 403)
    t.match(refused.headers.get('content-type'), /^application\/json/)
    t.match(await refused.json(), { error: { code: 'FORBIDDEN' } })
  },
)

t.test('an item that does not match its schema is an error if replies are strict', async (t) => {
  t.match(parseItems(await (await get('/wrong')).text()), [
    /^id: 1/,
    /^event: error\ndata: \{"code":"INTERNAL_/,
  ])
})

t.test('an error after the client has disconnected is logged, unless the disconnect caused it', async (t) => {
  const leave = async (path: string) => {
    const leaving = new AbortController()
    const response = await get(path, { signal: leaving.signal })
    await readUntil(response, 'data')
    leaving.abort()
    await passTime()
    return logged(response.headers.get('x-request-id'), 'stream failed')
  }
  t.match(await leave('/clumsy'), { level: 50, error: { message: 'fell on leaving' } })
  t.equal(await leave('/sleeping'), undefined)
})

t.test('a stream ends with an error when its reader loses the permission', async (t) => {
  const stream = await readUntil(await get('/open'), 'data')
  const asked = once(desk, 'asked')
  t.equal(
    sockets.recheck(() => true),
    1,
  )
  t.equal(
    sockets.recheck(() => false),
    0,
  )
  await asked
  await passTime()
  t.equal(sockets.contexts().length, 1, 'a stream stays open if its reader is still allowed')
  desk.mood = 'refusing'
  const left = once(desk, 'left')
  sockets.recheck(() => true)
  sockets.recheck(() => true)
  await left
  t.strictSame(sockets.contexts(), [])
  t.match(parseItems(await stream.rest()), [/^event: error\ndata: \{"code":"FORBIDDEN"/])
})

t.test(
  'a stream stays open if the guard fails during a recheck, and the guard is called again',
  async (t) => {
    const stream = await readUntil(await get('/open'), 'data')
    desk.mood = 'failing'
    sockets.recheck(() => true)
    for (let times = 0; times < 3; times += 1) t.strictSame(await once(desk, 'asked'), ['failing'])
    t.equal(sockets.contexts().length, 1)
    desk.mood = ''
    t.strictSame(await once(desk, 'asked'), [''])
    let more = 0
    const count = () => {
      more += 1
    }
    desk.on('asked', count)
    await stream.until(':\n\n:\n\n:\n\n')
    t.equal(more, 0, 'the guard is not called again after it has decided')
    desk.off('asked', count)
    sockets.close(() => true, 1000, '')
  },
)

t.test('an item is held back until the guard has decided about its reader', async (t) => {
  for (const mood of ['refusing', '', 'failing']) {
    const source = createHold()
    const guard = createHold()
    const asked = once(desk, 'asked')
    desk.go = source.hold
    desk.mood = ''
    const stream = await readUntil(await get('/next'), '"n":1')
    await asked
    Object.assign(desk, { mood, verdict: guard.hold })
    sockets.recheck(() => true)
    source.release()
    await passTime()
    // The guard has already read its behaviour for this check; the new one applies to the next check.
    if (mood === 'failing') desk.mood = 'refusing'
    guard.release()
    if (mood === '') {
      t.match(await stream.until('"n":3'), /"n":2/)
      sockets.close(() => true, 1000, '')
      continue
    }
    const refused = /^event: error\ndata: \{"code":"FORBIDDEN"/
    const items = parseItems(await stream.rest())
    if (mood === 'refusing') t.match(items, [refused])
    else
      t.match(
        items,
        [/"n":2/, refused],
        'after a failed check the guard is called again before the next item',
      )
  }
})

t.test('the end of a session closes its streams', async (t) => {
  const closed = await readUntil(await get('/deaf'), 'data')
  t.equal(
    sockets.close((context) => (context as { caller?: { id: string } }).caller?.id === 'u', 4401, 'over'),
    1,
  )
  t.strictSame(parseItems(await closed.rest()), [])
  const farewell = await readUntil(await get('/deaf'), 'data')
  sockets.close(() => true, 4401, 'over', new AppError('FORBIDDEN'))
  t.match(parseItems(await farewell.rest()), [/^event: error\ndata: \{"code":"FORBIDDEN"/])
})

t.test('a download is sent while it is produced', async (t) => {
  const response = await get('/file')
  t.equal(response.headers.get('content-disposition'), 'attachment; filename="a b.jsonl"')
  t.equal(response.headers.get('content-type'), 'application/x-ndjson')
  t.equal(await response.text(), '1\n二\n')
  const emptyFile = await get('/named')
  t.match(emptyFile.headers.get('content-disposition'), "filename*=UTF-8''%E5%9B%BE.jsonl")
  t.equal(await emptyFile.text(), '')

  const { hold, release } = createHold()
  desk.go = hold
  const slow = await readUntil(await get('/slow'), 'first')
  release()
  t.equal(await slow.rest(), 'second')
})

t.test('a download that fails is cut off, and a download that nobody reads is paused', async (t) => {
  const half = await get('/half')
  t.equal(half.status, 200)
  await t.rejects(half.text())
  t.match(logged(half.headers.get('x-request-id'), 'a reply could not be sent whole'), {
    level: 50,
    error: { message: 'the file tore' },
  })

  desk.given = 0
  const left = once(desk, 'left')
  const endless = await open('/endless')
  await passTime()
  const firstSignal = desk.given
  await passTime()
  t.equal(desk.given, firstSignal)
  endless.destroy()
  await left
  await passTime()
  t.match(logged(endless.headers['x-request-id'] as string, 'a reply could not be sent whole'), {
    level: 30,
    error: { code: /^(ERR_STREAM_PREMATURE_CLOSE|ECONNRESET|EPIPE)$/ },
  })
})

t.test('a Response of a handler is sent as it is', async (t) => {
  const nothing = await get('/answered?as=nothing')
  t.match([nothing.status, nothing.headers.get('x-own'), await nothing.text()], [202, 'yes', ''])
  const json = await get('/answered?as=json')
  t.match(
    [json.status, json.headers.get('content-type'), await json.json()],
    [404, /^application\/json/, { n: 1 }],
  )
  const hold = createHold()
  desk.go = hold.hold
  const response = await get('/answered')
  t.equal(response.headers.get('content-type'), 'text/event-stream')
  const stream = await readUntil(response, 'one ')
  t.match(sockets.contexts(), [{ caller: { id: 'u' } }])
  hold.release()
  t.equal(await stream.rest(), 'two')
})

t.test('a Response ends when its reader leaves, or may no longer read', async (t) => {
  desk.go = new Promise(() => {})
  for (const as of ['', 'clumsy']) {
    const leaving = new AbortController()
    const signals = once(desk, 'signal')
    await readUntil(await get(`/answered?as=${as}`, { signal: leaving.signal }), 'one ')
    const [signal] = await signals
    const left = once(desk, 'left')
    leaving.abort()
    await left
    t.ok(signal.aborted)
  }
  const stream = await readUntil(await get('/answered'), 'one ')
  const asked = once(desk, 'asked')
  sockets.recheck(() => true)
  await asked
  desk.mood = 'failing'
  const failed = once(desk, 'asked')
  sockets.recheck(() => true)
  await failed
  await passTime()
  t.equal(sockets.contexts().length, 1, 'a Response stays open if the check itself fails')
  const left = once(desk, 'left')
  desk.mood = 'refusing'
  sockets.recheck(() => true)
  t.equal(await stream.rest(), '')
  await left
  desk.mood = ''
  const late = await get('/answered?as=late')
  const end = once(desk, 'left')
  sockets.close(() => true, 1000, '')
  t.equal(await late.text(), '', 'the headers came before any bytes')
  await end
  const head = once(desk, 'left')
  t.equal((await get('/answered', { method: 'HEAD' })).status, 200)
  await head
  await passTime()
})

t.test('the audit row of a Response has its status', async (t) => {
  const audited = once(desk, 'audited')
  t.equal((await get('/recorded', { method: 'POST' })).status, 409)
  t.match(await audited, [{ action: 'desk.answer', status: 409 }])
})

t.test('the OpenAPI document lists the media types of streams', async (t) => {
  const { body } = await server.request('GET', '/openapi.json')
  const listMediaTypes = (path: string) => Object.keys(body.paths[path].get.responses[200].content)
  t.strictSame(listMediaTypes('/three'), ['text/event-stream'])
  t.strictSame(listMediaTypes('/file'), ['application/octet-stream', '*/*'])
  t.strictSame(listMediaTypes('/answered').sort(), ['application/json', 'text/event-stream'])
  t.match(
    body.paths['/answered'].get.responses[400],
    { description: 'Refused' },
    'the error of the route, not of the API',
  )
})

t.test('a stopping server ends its streams, including those whose sources ignore the signal', async (t) => {
  const other = await startKernel(t, { plugins: { streams }, strictReplies: false })
  const wrong = await readText(await open('/wrong', other.url))
  t.match(
    parseItems(wrong),
    [/^id: 1/, 'event: number\ndata: {"m":1}'],
    'an item that does not match its schema is sent',
  )
  t.match(other.logged(), /"route":"GET \/wrong".*reply does not fit its schema/, 'and logged')
  const readers = await Promise.all(['/open', '/deaf'].map((path) => open(path, other.url)))
  t.strictSame(
    readers.map(({ headers }) => headers.connection),
    ['close', 'close'],
  )
  const [texts] = await Promise.all([Promise.all(readers.map((stream) => readText(stream))), other.stop()])
  for (const text of texts) t.strictSame(parseItems(text), ['id: 1\nevent: number\ndata: {"n":1}'])
  for (const stream of readers) t.equal(stream.complete, true)
})
