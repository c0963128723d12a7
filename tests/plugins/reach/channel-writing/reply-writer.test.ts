import { Writable } from 'node:stream'
import pino from 'pino'
import {
  type ChannelCapabilities,
  type ChannelConnection,
  ChannelFailure,
  type LiveMessage,
} from '#plugin-api'
import { toFailure } from '../../../../plugins/reach/channels/writing/failure.ts'
import {
  createReplyWriter,
  type WritingProgress,
} from '../../../../plugins/reach/channels/writing/reply-writer.ts'
import t from '../../../run/file-test.ts'
import { createVirtualTime } from './virtual-time.ts'

const SECRET = 'bot123:secret'
const capabilities: ChannelCapabilities = {
  ...{ dialect: 'markdown', max_length: 100, length_unit: 'characters' },
  live: { interval_ms: 1000 },
}

type Answer = (call: string, text: string) => unknown

/** A writer whose calls are noted, and answered as told. */
function createCase(options: Partial<Parameters<typeof createReplyWriter>[0]> & { answer?: Answer } = {}) {
  const { answer = () => undefined, ...others } = options
  const time = createVirtualTime()
  const calls: string[] = []
  const saved: WritingProgress[] = []
  const lines: string[] = []
  const log = pino(
    { level: 'trace' },
    new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) }),
  )
  const note = async (call: string, text: string, signal: AbortSignal) => {
    calls.push(`${call} ${text}`)
    await time.wait(100, signal)
    await answer(call, text)
  }
  const message: LiveMessage = {
    reference: 'it',
    update: (text, signal) => note('update', text, signal),
    finish: (text, signal) => note('finish', text, signal),
  }
  const connection: ChannelConnection = {
    async send(_target, { text }, signal) {
      await note('send', text, signal)
      return null
    },
    async live(_target, { text }, signal, begun) {
      await note(begun === undefined ? 'begin' : `resume ${begun}`, text, signal)
      return message
    },
    close: () => undefined,
  }
  const writer = createReplyWriter({
    ...{ capabilities, target: 'there', key: 'k', is_live: true, log, clock: time },
    connect: async () => connection,
    progress: { sent: 0, covered: 0, live: null },
    save: async (progress) => void saved.push(progress),
    signal: new AbortController().signal,
    onRefused: () => {},
    ...others,
  })
  const finish = async (text: string) => {
    const finished = writer.finish(text)
    finished.catch(() => undefined)
    await time.runUntil(finished)
    return finished
  }
  return { writer, finish, time, calls, saved, lines }
}

t.test(
  'What is shown while a call is under way comes as the newest alone, and the end at once when it may',
  async (t) => {
    const { writer, finish, time, calls, saved } = createCase()
    writer.show('a')
    await time.runTo(time.now() + 50)
    for (const text of ['ab', 'abc', 'abcd']) writer.show(text)
    await time.runTo(time.now() + 2000)
    writer.show('abcde')
    await finish('abcdef')
    t.strictSame(calls, ['begin a', 'update abcd', 'finish abcdef'])
    t.match(saved, [
      { sent: 0, covered: 0, live: { reference: 'it' } },
      { sent: 1, covered: 6, live: null },
    ])
    t.equal(time.waiting, 0)
  },
)

t.test('A reply that is not live is sent when it is whole, and one without words is not', async (t) => {
  const one = createCase({ is_live: false })
  one.writer.show('a')
  await one.time.runTo(one.time.now() + 5000)
  t.strictSame(one.calls, [])
  await one.finish('abc')
  await one.finish('abc')
  t.strictSame(one.calls, ['send abc'])
  const other = createCase()
  other.writer.show(' \n')
  await other.time.runTo(other.time.now() + 5000)
  await other.finish(' \n\n')
  t.strictSame(other.calls, [])
})

t.test('If a live message cannot be begun or changed, the whole reply is sent in the end', async (t) => {
  for (const broken of ['begin', 'update', 'finish']) {
    const { writer, finish, time, calls } = createCase({
      answer(call) {
        if (call === broken) throw new ChannelFailure('unsupported', 'No.')
      },
    })
    writer.show('a')
    await time.runTo(time.now() + 3000)
    writer.show('ab')
    await time.runTo(time.now() + 3000)
    await finish('abc')
    t.equal(calls.at(-1), 'send abc')
    t.equal(calls.filter((call) => call.startsWith(broken)).length, 1)
  }
})

t.test('The live message of an earlier process is gone on with', async (t) => {
  const { finish, calls } = createCase({
    progress: { sent: 1, covered: 3, live: { reference: 'that', begun_at: 0 } },
  })
  await finish('abcdef')
  t.strictSame(calls, ['resume that def', 'finish def'])
})

t.test('What cannot be helped is thrown, and tells no secret to the log', async (t) => {
  const { writer, finish, calls, lines } = createCase({
    answer(call) {
      if (call !== 'send') throw Object.assign(new Error(SECRET), { reason: 'not_found', message: 'Gone.' })
      throw new ChannelFailure('forbidden', 'Kicked out.', { cause: new Error(SECRET) })
    },
  })
  writer.show('a')
  t.match(await finish('abc').catch(toFailure), { reason: 'forbidden', detail: 'Kicked out.' })
  t.equal(calls.at(-1), 'send abc')
  t.ok(lines.length > 1)
  t.notMatch(lines.join(''), SECRET)
})

t.test('What cannot be stored ends the writing', async (t) => {
  const { writer, finish, time, calls } = createCase({
    save: async () => {
      throw new Error('away')
    },
  })
  writer.show('a')
  await time.runTo(time.now() + 3000)
  writer.show('ab')
  await t.rejects(finish('abc'), 'away')
  t.strictSame(calls, ['begin a'])
})

t.test('Stopping ends the call that is under way, and aborting all of it', async (t) => {
  const abort = new AbortController()
  for (const isStop of [true, false]) {
    const { writer, time, calls } = createCase({ signal: abort.signal })
    writer.show('a')
    await time.runTo(time.now() + 50)
    const finished = writer.finish('abc')
    finished.catch(() => undefined)
    if (isStop) await writer.stop()
    else abort.abort(new Error('closed'))
    await t.rejects(finished)
    await writer.stop()
    t.strictSame(calls, ['begin a'])
    await time.runTo(time.now())
    t.equal(time.waiting, 0)
    writer.show('abcd')
    await t.rejects(writer.finish('abcd'))
  }
})
