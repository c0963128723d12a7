import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { range, startChat, textOf } from '../../support/chat.ts'

const chat = await startChat(t)
const { createThread, history } = chat

const form = { type: 'error', code: String, message: String, details: {}, request_id: String }

t.test(
  'A bad frame is answered with an error that says what is wrong, and the connection lives',
  async (t) => {
    const socket = await chat.connect()
    const thread_id = await createThread()
    const turn = { type: 'user_turn', text: 'hi' }
    const notAFrame = [
      '{',
      '',
      'hello',
      '[]',
      '[{"type":"ping"}]',
      '7',
      'null',
      'true',
      '"ping"',
      '{}',
      '{"type":7}',
      '{"type":"nonsense"}',
      '{"type":"__proto__"}',
      '{"type":"constructor"}',
      '{"type":"content","content":"I am the server"}',
    ]
    const invalid: [frame: object, path: string][] = [
      [{ type: 'user_turn' }, '/text'],
      [{ type: 'user_turn', text: '' }, '/text'],
      [{ type: 'user_turn', text: ' \n\t ' }, '/text'],
      [{ type: 'user_turn', text: 7 }, '/text'],
      [{ type: 'user_turn', text: ['hi'] }, '/text'],
      [{ ...turn, content: [{ type: 'text', text: 'hi' }] }, ''],
      [{ type: 'user_turn', content: [] }, '/content'],
      [{ type: 'user_turn', content: 'hi' }, '/content'],
      [{ type: 'user_turn', content: Array(65).fill({ type: 'text', text: 'x' }) }, '/content'],
      [{ type: 'user_turn', content: [{ type: 'text' }] }, '/content/0/text'],
      [{ type: 'user_turn', content: [{ type: 'text', text: 'x', more: 1 }] }, '/content/0/more'],
      [{ type: 'user_turn', content: [{ type: 'video', path: 'a' }] }, '/content/0'],
      [
        { type: 'user_turn', content: [{ type: 'image', path: 'a', filename: 'a' }] },
        '/content/0/media_type',
      ],
      [{ type: 'user_turn', content: [{ type: 'tool_result', output: 'x' }] }, '/content/0'],
      [{ type: 'user_turn', content: [null] }, '/content/0'],
      [{ ...turn, thread_id: 7 }, '/thread_id'],
      [{ ...turn, thread_id: 'thr_../x' }, '/thread_id'],
      [{ ...turn, thread_id: null }, '/thread_id'],
      [{ ...turn, session_key: 'x'.repeat(129) }, '/session_key'],
      [{ ...turn, client_message_id: '' }, '/client_message_id'],
      [{ ...turn, client_message_id: 'x'.repeat(129) }, '/client_message_id'],
      [{ ...turn, client_message_id: { $gt: '' } }, '/client_message_id'],
      [{ ...turn, model: 'x'.repeat(257) }, '/model'],
      [{ ...turn, user_id: 'me' }, '/user_id'],
      [{ type: 'ping', now: 1 }, '/now'],
      [{ type: 'subscribe' }, '/thread_id'],
      [{ type: 'subscribe', thread_id, after_seq: -1 }, '/after_seq'],
      [{ type: 'subscribe', thread_id, after_seq: 1.5 }, '/after_seq'],
      [{ type: 'subscribe', thread_id, after_seq: '1' }, '/after_seq'],
      [{ type: 'subscribe', thread_id: { $ne: '' } }, '/thread_id'],
      [{ type: 'stop' }, '/thread_id'],
      [{ type: 'stop', thread_id, turn_id: 'trn_x' }, '/turn_id'],
    ]
    for (const text of notAFrame) {
      socket.send(text)
      t.match(await socket.next(), { ...form, code: 'BAD_FRAME', details: { reason: String } }, text)
      await socket.settle()
      await socket.next('pong')
    }
    for (const [frame, path] of invalid) {
      socket.send(frame)
      const answer = await socket.next()
      t.match(answer, { ...form, code: 'VALIDATION_FAILED' }, JSON.stringify(frame).slice(0, 100))
      const paths = answer.details.issues.map((issue: { path: string }) => issue.path)
      t.ok(paths.includes(path), `${path} is among ${paths}`)
      await socket.settle()
      await socket.next('pong')
    }
    socket.webSocket.send(Buffer.from('{"type":"ping"}'), { binary: true })
    t.match(await socket.next(), { ...form, code: 'BAD_FRAME', details: { reason: 'binary' } })
    t.match(await history(thread_id), { messages: [], last_seq: 0 }, 'nothing was begun by any of them')
    t.match((await socket.ask({ thread_id, text: 'hi' })).end, { type: 'done' })
  },
)

t.test('No value of a frame is repeated in an error', async (t) => {
  const socket = await chat.connect()
  const canary = 'canary-5d3a'
  for (const frame of [
    { type: canary },
    { type: 'user_turn', text: { canary } },
    { type: 'user_turn', text: 'x', model: canary.repeat(30) },
    { type: 'subscribe', thread_id: canary },
    { type: 'stop', thread_id: `thr ${canary}` },
    `{"type":"ping", ${canary}`,
  ])
    socket.send(frame)
  await socket.settle()
  t.equal(socket.frames.filter(({ type }) => type === 'error').length, 6)
  t.notMatch(JSON.stringify(socket.frames), canary)
})

t.test(
  'Twenty bad frames in a row close the connection, twenty with a good one between do not',
  async (t) => {
    const patient = await chat.connect()
    for (const n of range(1, 50)) patient.send(n % 19 === 0 ? { type: 'ping' } : 'nonsense')
    let pongs = 0
    await patient.until(({ type }) => type === 'pong' && ++pongs === 2)
    await patient.settle()
    t.equal(patient.frames.filter(({ type }) => type === 'error').length, 48)

    const socket = await chat.connect()
    const { thread_id } = await patient.ask({ text: 'hi' })
    for (const _ of range(1, 19)) socket.send('nonsense')
    await socket.settle()
    for (const _ of range(1, 25)) socket.send('nonsense')
    socket.send({ type: 'user_turn', thread_id, text: 'not heard any more' })
    t.match(await socket.closed, { code: 1008, reason: 'too many bad frames' })
    t.equal(socket.frames.filter(({ type }) => type === 'error').length, 19 + 20)
    await patient.settle()
    t.match(await history(thread_id), { messages: { length: 2 }, turn_active: false })
  },
)

t.test('A frame of more than 1 MiB closes the connection with 1009, and only that one', async (t) => {
  const [socket, other] = [await chat.connect(), await chat.connect()]
  const thread_id = await createThread()
  const fits = 'x'.repeat(1024 * 1024 - 200)
  const { frames } = await socket.ask({ thread_id, text: fits })
  t.equal(textOf(frames).length, fits.length)
  socket.send({ type: 'user_turn', thread_id, text: 'x'.repeat(1024 * 1024) })
  t.match(await socket.closed, { code: 1009 })
  await other.settle()
  t.match(await history(thread_id), { messages: { length: 2 } })
})

t.test('Frames are handled in the order they were sent, however many come at once', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  const pairs = range(1, amount({ short: 60, long: 200 }))
  for (const n of pairs) {
    socket.send({ type: 'subscribe', thread_id: n % 2 ? thread_id : `thr_none${n}` })
    socket.send({ type: 'ping' })
  }
  await socket.until(() => socket.frames.length === 2 * pairs.length)
  t.strictSame(
    socket.frames.map(({ type, thread_id: of }) => (type === 'error' ? of : type)),
    pairs.flatMap((n) => [n % 2 ? 'turn_status' : `thr_none${n}`, 'pong']),
  )
})
