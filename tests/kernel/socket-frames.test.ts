import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from '../run/file-test.ts'
import { pluginSource, rawRequest, routeSource, startKernel } from '../support/kernel.ts'
import { connectSocket } from '../support/socket.ts'

/** Carries events between the tests and the handler of their socket. */
const wire = new EventEmitter()
/** The error codes with which the guard refuses callers, by name of the caller. */
const banned = new Map<string, string>()
Object.assign(globalThis, { wire, banned })

const line = pluginSource(
  'line',
  `
  const text = { type: 'string' }
  const open = (properties) => ({ type: 'object', properties })
  const closed = (properties, required = []) => ({ type: 'object', properties, required, additionalProperties: false })
  const receive = {
    echo: closed({ text, size: { type: 'integer', default: 1 } }, ['text']),
    fail: closed({ how: text, thread_id: text, client_message_id: text }),
    misspeak: closed({}),
    raw: closed({}),
    wait: closed({ n: { type: 'integer' }, pad: text }),
    bye: closed({}),
    who: closed({}),
  }
  const send = { echoed: closed({ text, size: { type: 'integer' } }, ['text']), me: open({}), raw: closed({}) }
  const act = {
    echo: ({ text, size }, connection) => connection.send({ type: 'echoed', text, size }),
    fail({ how }) {
      if (how === 'rule') throw host.error('LINE_BUSY', { line: 7 })
      return Promise.reject(new Error('the canary sang'))
    },
    misspeak: (frame, connection) => connection.send({ type: 'echoed', canary: true }),
    raw(frame, connection) {
      connection.sendText('{"type":"raw"}', () => wire.emit('flushed', connection.buffered))
      connection.sendError(host.error('LINE_BUSY', { line: 8 }), { turn_id: 't1' })
    },
    wait: async ({ n }) => {
      wire.emit('waiting', n)
      if (n === 0) await new Promise((resolve) => wire.once('go on', resolve))
    },
    bye(frame, connection) {
      connection.close(4000, 'as you wish')
      connection.send({ type: 'echoed', text: 'too late' })
      connection.sendText('{}', () => wire.emit('flushed anyway'))
    },
    who: (frame, connection, request) => connection.send({ type: 'me', ...request.context }),
  }
  host.guard('known', {
    async check({ query }) {
      if (banned.has(query.name)) throw host.error(banned.get(query.name))
      return { caller: { id: query.name, username: query.name }, seen: wire.emit('checked', query.name) }
    },
  })
  host.socket({
    path: '/line', summary: 's', guard: 'known', receive, send, repeats: ['thread_id', 'client_message_id'],
    handler: (connection, request) => ({
      message: (frame) => act[frame.type](frame, connection, request),
      close() {
        wire.emit('closed ' + request.context.caller.username)
        if (request.context.caller.username === 'clumsy') throw new Error('slipped')
        if (request.context.caller.username === 'sorry') return Promise.reject(new Error('regrets'))
      },
    }),
  })
  const bad = (path, handler) => host.socket({ path, summary: 's', guard: 'public', receive, send, handler })
  bad('/mute', () => undefined)
  bad('/later', async () => ({ message() {} }))
  const by = (name) => ({ caller }) => caller?.username === name
  host.routes([
    ${routeSource('/contexts', 'cradle.sockets.contexts().map((context) => context.caller.username)')},
    ${routeSource('/recheck/:name', 'cradle.sockets.recheck(by(request.params.name))')},
    ${routeSource('/close/:name', "cradle.sockets.close(by(request.params.name), 4401, 'gone')")},
  ])`,
  `errors: {
    LINE_BUSY: { status: 409, message: { en: 'Line {line} is busy.', zh: '线路 {line} 占线。' } },
    AWAY: { status: 503, message: { en: 'Away.', zh: '不在。' } },
    LEFT: { status: 403, message: { en: 'You have left.', zh: '您已离开。' } },
  },`,
)

const usual = await startKernel(t, { plugins: { line } })

/** Returns clients of the server that the tests share, or of a new one if the test has options. */
async function start(t: Test, options?: Parameters<typeof startKernel>[1]) {
  const server = options ? await startKernel(t, { plugins: { line }, ...options }) : usual
  const address = server.url.replace('http', 'ws')
  const open = (name = 'ann', headers: Record<string, string> = {}) =>
    connectSocket(t, `${address}/api/line?name=${name}`, [], headers)
  const get = async (path: string) => (await server.request('GET', path)).body
  /** Returns the names from this list that are connected. */
  const present = async (...names: string[]): Promise<string[]> =>
    (await get('/contexts')).filter((name: string) => names.includes(name)).sort()
  return { server, address, open, get, present }
}

/** The raw upgrade request of a socket. */
const handshake = (name: string) =>
  rawRequest('GET', `/api/line?name=${name}`, {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  })

/** Opens a socket without a WebSocket client, so that invalid frames can be sent. */
async function openRaw(url: string, name: string) {
  const stream = connect(Number(new URL(url).port), '127.0.0.1')
  stream.write(handshake(name))
  await once(stream, 'data')
  return stream
}

t.test('the error of an invalid frame repeats those fields that are valid themselves', async (t) => {
  const { open } = await start(t)
  const socket = await open()
  const refusalOf = async (frame: unknown) => {
    socket.send(JSON.stringify(frame))
    const { thread_id, client_message_id } = await socket.next('error')
    return { thread_id, client_message_id }
  }
  const named = { type: 'fail', how: 7, thread_id: 't1', client_message_id: 'c1' }
  t.same(await refusalOf(named), { thread_id: 't1', client_message_id: 'c1' })
  t.same(await refusalOf({ ...named, thread_id: 7 }), { client_message_id: 'c1' })
  for (const type of ['bye', 'constructor', 7, { toString: 7 }])
    t.same(await refusalOf({ ...named, type }), {}, 'a type without these fields')
  for (const frame of [null, 'fail', 7, [named]]) t.same(await refusalOf(frame), {})
  socket.close()
})

t.test('frames in both directions are validated and get the defaults of their schemas', async (t) => {
  const { open } = await start(t)
  const socket = await open()
  socket.send({ type: 'echo', text: '你好' })
  t.same(await socket.next(), { type: 'echoed', text: '你好', size: 1 })
  socket.send({ type: 'echo', text: 'a', size: 2 })
  t.same(await socket.next(), { type: 'echoed', text: 'a', size: 2 })
  socket.send({ type: 'raw' })
  t.same(await socket.next(), { type: 'raw' })
  const busy = await socket.next()
  t.match(busy, {
    type: 'error',
    code: 'LINE_BUSY',
    turn_id: 't1',
    message: 'Line 8 is busy.',
    details: { line: 8 },
  })
})

t.test('the callback of sendText runs when the text has been written', async (t) => {
  const { open } = await start(t)
  const socket = await open()
  const flushed = once(wire, 'flushed')
  socket.send({ type: 'raw' })
  t.same(await flushed, [0])
})

t.test('an invalid frame is answered with an error, and the socket stays open', async (t) => {
  const { open } = await start(t)
  const socket = await open('ann', { 'x-request-id': 'req-1' })
  const cases: [frame: string, code: string, details: object][] = [
    ['', 'BAD_FRAME', { reason: 'not JSON' }],
    ['{', 'BAD_FRAME', { reason: 'not JSON' }],
    ['null', 'BAD_FRAME', { reason: 'unknown type' }],
    ['5', 'BAD_FRAME', { reason: 'unknown type' }],
    ['[]', 'BAD_FRAME', { reason: 'unknown type' }],
    ['{}', 'BAD_FRAME', { reason: 'unknown type' }],
    ['{"type":5}', 'BAD_FRAME', { reason: 'unknown type' }],
    ['{"type":"sing"}', 'BAD_FRAME', { reason: 'unknown type', known: ['echo', 'fail'] }],
    ['{"type":"constructor"}', 'BAD_FRAME', { reason: 'unknown type' }],
    ['{"type":"echo"}', 'VALIDATION_FAILED', { issues: [{ path: '/text', rule: 'required' }] }],
    ['{"type":"echo","text":5}', 'VALIDATION_FAILED', { issues: [{ path: '/text', rule: 'type' }] }],
    ['{"type":"bye","x":1}', 'VALIDATION_FAILED', { issues: [{ path: '/x' }] }],
    ['{"type":"bye","__proto__":{}}', 'VALIDATION_FAILED', { issues: [{ path: '/__proto__' }] }],
  ]
  for (const [frame, code, details] of cases) {
    socket.send(frame)
    t.match(await socket.next(), { type: 'error', code, details, message: /\w/, request_id: 'req-1' }, frame)
  }
  socket.webSocket.send(Buffer.from('{"type":"who"}'), { binary: true })
  t.match(await socket.next(), { code: 'BAD_FRAME', message: 'The frame is invalid: binary.' })
  socket.send({ type: 'echo', text: 'still here' })
  t.match(await socket.next(), { text: 'still here' })
})

t.test('twenty bad frames in a row close the socket, nineteen do not', async (t) => {
  const { open } = await start(t)
  const socket = await open()
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 19; n++) socket.send('{')
    socket.send({ type: 'echo', text: 'good' })
    t.match(await socket.next('echoed'), { text: 'good' })
  }
  for (let n = 0; n < 25; n++) socket.send('{')
  t.match(await socket.closed, { code: 1008, reason: 'too many bad frames' })
  t.equal(socket.frames.filter(({ type }) => type === 'error').length, 3 * 19 + 20)
})

t.test('a handler that fails is answered with an error frame that repeats the thread id', async (t) => {
  const { server, open } = await start(t)
  const socket = await open()
  socket.send({ type: 'fail', how: 'rule', thread_id: 'thr_1' })
  t.match(await socket.next(), {
    type: 'error',
    thread_id: 'thr_1',
    code: 'LINE_BUSY',
    message: 'Line 7 is busy.',
  })
  socket.send({ type: 'fail' })
  const error = await socket.next()
  t.match(error, { code: 'INTERNAL_ERROR', details: {}, request_id: String })
  t.notOk('thread_id' in error)
  t.notMatch(JSON.stringify(error), /canary/)
  t.match(server.logged(), new RegExp(`the canary sang.*"request_id":"${error.request_id}".*socket failed`))
  const chinese = await open('ann', { 'accept-language': 'zh' })
  chinese.send({ type: 'fail', how: 'rule' })
  t.match(await chinese.next(), { message: '线路 7 占线。' })
})

t.test(
  'an outgoing frame that does not match its schema is an error in tests, and is sent in production',
  async (t) => {
    const strict = await start(t)
    const socket = await strict.open()
    socket.send({ type: 'misspeak' })
    t.match(await socket.next(), { type: 'error', code: 'VALIDATION_FAILED' })
    const lenient = await start(t, { strictReplies: false })
    const other = await lenient.open()
    other.send({ type: 'misspeak' })
    t.same(await other.next(), { type: 'echoed', canary: true })
  },
)

t.test('the frames of a socket are handled one after another', async (t) => {
  const { open } = await start(t)
  const socket = await open()
  const order: number[] = []
  const note = (n: number) => order.push(n)
  wire.on('waiting', note)
  t.teardown(() => wire.off('waiting', note))
  const first = once(wire, 'waiting')
  for (const n of [0, 1, 2]) socket.send({ type: 'wait', n })
  socket.send({ type: 'echo', text: 'last' })
  await first
  t.same(order, [0])
  t.same(socket.frames, [])
  wire.emit('go on')
  await socket.next('echoed')
  t.same(order, [0, 1, 2])
})

t.test('reading pauses while a peer sends faster than its frames are handled', async (t) => {
  const { server, open } = await start(t)
  const socket = await open()
  const handled: number[] = []
  const note = (n: number) => handled.push(n)
  wire.on('waiting', note)
  t.teardown(() => wire.off('waiting', note))
  const first = once(wire, 'waiting')
  const pad = 'x'.repeat(100_000)
  for (let n = 0; n < 200; n++) socket.send({ type: 'wait', n, pad })
  await first
  let left = -1
  while (left !== socket.webSocket.bufferedAmount) {
    left = socket.webSocket.bufferedAmount
    for (let n = 0; n < 20; n++) await server.request('GET', '/health/live')
  }
  t.ok(left > 1_000_000, `${left} bytes wait with the peer`)
  t.same(handled, [0])
  wire.emit('go on')
  socket.send({ type: 'echo', text: 'last' })
  await socket.next('echoed')
  t.same(
    handled,
    Array.from({ length: 200 }, (_, n) => n),
  )
})

t.test('a peer that reads late receives every answer, and reading resumes', async (t) => {
  const { server, open } = await start(t)
  const late = await open('late')
  late.webSocket.pause()
  for (let n = 0; n < 400; n++) late.send({ type: 'echo', text: 'x'.repeat(50_000), size: n })
  let left = -1
  while (left !== late.webSocket.bufferedAmount) {
    left = late.webSocket.bufferedAmount
    for (let n = 0; n < 20; n++) await server.request('GET', '/health/live')
  }
  t.ok(left > 1_000_000, `${left} bytes wait with the peer`)
  late.webSocket.resume()
  for (let n = 0; n < 400; n++) t.equal((await late.next('echoed')).size, n)
})

t.test(
  'reading pauses for a peer that never reads its answers, and its socket is closed in the end',
  async (t) => {
    const config = { limits: { frames_burst: 200, socket_backlog_bytes: '100kb' } }
    const { open } = await start(t, { config, pingIntervalMs: 2000 })
    // More than the buffers of the operating system take, which grow to 36 MB.
    const text = 'x'.repeat(500_000)
    const deaf = await open('deaf')
    const closed = once(wire, 'closed deaf')
    deaf.webSocket.pause()
    for (let n = 0; n < 100; n++) deaf.send({ type: 'echo', text })
    await closed
    deaf.webSocket.resume()
    const { code } = await deaf.closed
    t.ok(code === 1013 || code === 1006, `closed with ${code}, or cut off if the close frame did not arrive`)
    t.ok(deaf.frames.length < 100, `${deaf.frames.length} frames were answered`)
  },
)

t.test('a socket that floods the server is closed, whatever kind of frame it sends', async (t) => {
  const { server, open, present } = await start(t, {
    config: { limits: { frames_burst: 5, frames_per_second: 1 } },
  })
  const fast = await open('fast')
  for (let n = 0; n < 8; n++) fast.send({ type: 'echo', text: String(n) })
  t.match(await fast.closed, { code: 1008, reason: 'too many frames' })
  t.ok(fast.frames.length <= 5)

  const flood = async (opcode: number) => {
    const stream = await openRaw(server.url, 'pinger')
    const closed = once(stream, 'close')
    stream.write(Buffer.concat(Array.from({ length: 50 }, () => Buffer.from([opcode, 0x80, 0, 0, 0, 0]))))
    stream.resume()
    await closed
  }
  await Promise.all([0x89, 0x8a].map(flood))
  t.same(await present('fast', 'pinger'), [])
})

t.test('nothing is sent after the handler has closed its connection', async (t) => {
  const { open } = await start(t)
  const socket = await open()
  const flushed = once(wire, 'flushed anyway')
  socket.send({ type: 'bye' })
  socket.send({ type: 'echo', text: 'unheard' })
  t.match(await socket.closed, { code: 4000, reason: 'as you wish' })
  await flushed
  t.same(socket.frames, [])
})

t.test('the close callback of a handler runs however its connection ends', async (t) => {
  const { server, open, present } = await start(t)
  const ends: Record<string, () => Promise<unknown>> = {
    closing: async () => (await open('closing')).close(),
    terminating: async () => (await open('terminating')).webSocket.terminate(),
    reset: async () => (await openRaw(server.url, 'reset')).resetAndDestroy(),
    clumsy: async () => (await open('clumsy')).close(),
    sorry: async () => (await open('sorry')).close(),
  }
  for (const [name, end] of Object.entries(ends)) {
    const closed = once(wire, `closed ${name}`)
    await end()
    await closed
  }
  t.same(await present(...Object.keys(ends)), [])
  t.match(server.logged(), /slipped.*socket failed/)
  t.match(server.logged(), /regrets.*socket failed/)
})

t.test('a socket whose handler returns no message callback is closed with 1011', async (t) => {
  const { server, address } = await start(t)
  for (const path of ['/mute', '/later']) {
    const socket = await connectSocket(t, `${address}/api${path}`)
    t.match(await socket.closed, { code: 1011 }, path)
    t.match(socket.frames, [{ type: 'error', code: 'INTERNAL_ERROR' }])
  }
  t.match(server.logged(), /has to return \{ message \} synchronously/)
})

t.test('connections can be listed and closed by the context of their guard', async (t) => {
  const { open, get, present } = await start(t)
  const [ann, bob, other] = await Promise.all([open('amy'), open('bob'), open('amy')])
  t.same(await present('amy', 'bob'), ['amy', 'amy', 'bob'])
  t.equal(await get('/close/amy'), 2)
  for (const socket of [ann, other]) t.match(await socket.closed, { code: 4401, reason: 'gone' })
  bob.send({ type: 'who' })
  t.match(await bob.next(), { caller: { username: 'bob' } })
  t.equal(await get('/close/nobody'), 0)
})

t.test('queued frames are dropped when their connection is closed', async (t) => {
  const { open, get } = await start(t)
  const socket = await open('eve')
  const handled: number[] = []
  const note = (n: number) => handled.push(n)
  wire.on('waiting', note)
  t.teardown(() => wire.off('waiting', note))
  const first = once(wire, 'waiting')
  for (const n of [0, 1, 2]) socket.send({ type: 'wait', n })
  await first
  t.equal(await get('/close/eve'), 1)
  wire.emit('go on')
  t.match(await socket.closed, { code: 4401 })
  t.same(handled, [0])
})

t.test('frames that arrive after their connection was closed are dropped', async (t) => {
  const { server, get } = await start(t)
  const stream = await openRaw(server.url, 'eve')
  let handled = 0
  const count = () => handled++
  wire.on('waiting', count)
  t.teardown(() => wire.off('waiting', count))
  t.equal(await get('/close/eve'), 1)
  const unmasked = [0, 0, 0, 0]
  const frame = Buffer.from('{"type":"wait","n":1}')
  stream.write(Buffer.from([0x81, 0x80 | frame.length, ...unmasked, ...frame]))
  stream.write(Buffer.from([0x88, 0x82, ...unmasked, 0x0f, 0xa0]))
  stream.resume()
  await once(stream, 'close')
  t.equal(handled, 0)
})

t.test('after a recheck the guard runs again, before the next frame', async (t) => {
  const { open, get } = await start(t)
  const checks: string[] = []
  const note = (name: string) => checks.push(name)
  wire.on('checked', note)
  t.teardown(() => wire.off('checked', note))
  const [ann, bob] = await Promise.all([open('eva'), open('ben')])
  t.equal(await get('/recheck/eva'), 1)
  for (const socket of [ann, bob, ann]) {
    socket.send({ type: 'who' })
    t.match(await socket.next(), { type: 'me' })
  }
  t.same(checks.sort(), ['ben', 'eva', 'eva'], 'one recheck runs the guard once')

  banned.set('eva', 'LEFT')
  ann.send({ type: 'echo', text: 'unasked' })
  t.match(await ann.next(), { text: 'unasked' })
  await get('/recheck/eva')
  for (const text of ['a', 'b', 'c']) ann.send({ type: 'echo', text })
  t.match(await ann.next(), { type: 'error', code: 'LEFT', message: 'You have left.' })
  t.match(await ann.closed, { code: 4401, reason: 'session ended' })
  t.equal(ann.frames.filter(({ type }) => type === 'echoed').length, 1, 'later frames are not handled')
  banned.clear()
})

t.test('a socket is closed with NOT_FOUND if its guard no longer finds its object', async (t) => {
  const { open, get } = await start(t)
  const socket = await open('lost')
  banned.set('lost', 'NOT_FOUND')
  t.teardown(() => banned.clear())
  await get('/recheck/lost')
  t.match(await socket.next(), { type: 'error', code: 'NOT_FOUND' })
  t.match(await socket.closed, { code: 1008, reason: 'NOT_FOUND' })
})

t.test('a guard that is temporarily unavailable refuses the frame, and the socket stays open', async (t) => {
  const { open, get } = await start(t)
  const socket = await open('tide')
  banned.set('tide', 'AWAY')
  t.teardown(() => banned.clear())
  await get('/recheck/tide')
  for (const thread_id of ['one', 'two']) {
    socket.send({ type: 'fail', how: 'rule', thread_id, client_message_id: 'c1' })
    t.match(await socket.next(), { type: 'error', code: 'AWAY', thread_id, client_message_id: 'c1' })
  }
  banned.clear()
  const checked = once(wire, 'checked')
  socket.send({ type: 'who' })
  t.match(await socket.next(), { type: 'me' })
  t.strictSame(await checked, ['tide'], 'the guard runs again for each frame until it decides')
})

t.test(
  'peers are pinged; those that answer or send frames stay connected, silent ones are dropped',
  async (t) => {
    const { server, open, present } = await start(t, { pingIntervalMs: 400 })
    const live = await open('live')
    const talker = await openRaw(server.url, 'talker')
    // A ping of the server is the two bytes 89 00; each is answered with a text frame instead of a pong.
    talker.on('data', (chunk) => {
      if (chunk.includes(Buffer.from([0x89, 0]))) talker.write(Buffer.from([0x81, 0x80, 0, 0, 0, 0]))
    })
    const silent = await openRaw(server.url, 'silent')
    const dropped = once(silent, 'close')
    silent.resume()
    let pings = 0
    live.webSocket.on('ping', () => pings++)
    await dropped
    while (pings < 4) await once(live.webSocket, 'ping')
    t.same(await present('live', 'silent', 'talker'), ['live', 'talker'])
    live.send({ type: 'who' })
    t.match(await live.next(), { caller: { username: 'live' } })
    talker.destroy()
  },
)

t.test('a server that was busy reads the answers to its pings before it drops a peer', async (t) => {
  const { open } = await start(t, { pingIntervalMs: 200 })
  const live = await open('live')
  for (let pause = 0; pause < 2; pause++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
    await once(live.webSocket, 'ping')
  }
  live.send({ type: 'who' })
  t.match(await live.next(), { caller: { username: 'live' } })
})

t.test('a violation of the protocol closes the socket with the matching code', async (t) => {
  const { server, open } = await start(t, { config: { http: { body_limit: '1kb' } } })
  const large = await open()
  large.send({ type: 'echo', text: 'x'.repeat(2000) })
  t.match(await large.closed, { code: 1009 })
  const huge = await open()
  huge.send({ type: 'echo', text: 'x'.repeat(5_000_000) })
  t.match(await huge.closed, { code: 1009 })

  const bytes: [what: string, frame: number[], code: number][] = [
    ['a reserved bit', [0xc1, 0x80, 0, 0, 0, 0], 1002],
    ['a frame that is not masked', [0x81, 0x01, 0x61], 1002],
    ['text that is not UTF-8', [0x81, 0x81, 0, 0, 0, 0, 0xff], 1007],
  ]
  for (const [what, frame, code] of bytes) {
    const stream = await openRaw(server.url, 'ann')
    stream.write(Buffer.from(frame))
    const [answer] = await once(stream, 'data')
    t.equal(answer[0], 0x88, `${what} is answered with a close frame`)
    t.equal(answer.readUInt16BE(2), code, what)
    stream.destroy()
  }
  const fine = await open()
  fine.send({ type: 'who' })
  t.match(await fine.next(), { type: 'me' })
})
