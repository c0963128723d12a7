import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MongoNetworkError } from 'mongodb'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import type { ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import t from '../../run/file-test.ts'
import { amount, onlyLong } from '../../run/tier.ts'
import { createHold, range, startChat, textOf } from '../../support/chat.ts'
import { createHome } from '../../support/home.ts'
import { question } from './approval-calls.ts'

const chat = await startChat(t, { home: createHome(t), env: { SVC_LOG_LEVEL: 'fatal' } })
const { fake, createThread, history, server } = chat

/**
 * The number of times that the engine is killed while turns run: the first turns end once it is back, the later ones
 * while it is unavailable.
 */
const CRASHES = amount({ short: 1, long: 12 })
/** The number of times that it is killed while a message is sent. */
const SENDS = amount({ short: 1, long: 12 })
/** The number of times that it is killed while a decision is sent. */
const DECISIONS = 24

/** Removes a lease, like a crash of the database that did not have it in its journal. */
const LOST = { $set: { active_turn: null } }

const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n} 😀 `)

/** Kills the database engine like a crash. */
function killEngine(): void {
  const { pid } = JSON.parse(readFileSync(join(server.home, 'db', 'engine.json'), 'utf8'))
  process.kill(pid, 'SIGKILL')
}

/** Waits until the database answers again. */
const engineIsBack = () =>
  eventually('the engine is back', async () => (await server.request('GET', '/health')).status === 200)

/** Starts a turn that asks its user a question. */
async function askQuestion() {
  const thread_id = await createThread()
  const socket = await chat.connect()
  fake.next({ toolCalls: [question('call_q', 'Shall I?')] }, { text: 'fine' })
  const sent = socket.say({ thread_id, text: 'go' })
  await socket.seePause(sent)
  return { socket, thread_id, sent }
}

t.test(
  'A turn takes its thread again if the database died before the lease was in its journal',
  async (t) => {
    fake.script(() => ({ text: ['fine'] }))
    const thread_id = await createThread()
    const { clientMessages, turnLeases } = server.server.runtime.cradleOf('chat')
    const { client } = server.db
    const { note } = clientMessages
    const { renew } = turnLeases
    const { bulkWrite } = client
    const looked = createHold()
    let looks = 0
    const restore = () => {
      Object.assign(clientMessages, { note })
      Object.assign(turnLeases, { renew })
      Object.assign(client, { bulkWrite })
    }
    t.teardown(restore)
    clientMessages.note = async (...args) => {
      await server.db.collection<ThreadDocument>('threads').updateOne({ _id: thread_id }, LOST)
      const noteResult = await note(...args)
      restore()
      // The lease is looked for twice before the beginning of the turn is written.
      turnLeases.renew = async (leases) => {
        const renewed = await renew(leases)
        looks += 1
        if (looks === 2) looked.release()
        return renewed
      }
      Object.assign(client, {
        bulkWrite: async (...write: Parameters<typeof bulkWrite>) => {
          await looked.hold
          return bulkWrite.apply(client, write)
        },
      })
      return noteResult
    }
    const socket = await chat.connect()
    for (const text of ['one', 'two']) {
      const { end } = await socket.ask({ thread_id, text })
      t.match(end, { type: 'done' }, JSON.stringify(end))
    }
    const frames = socket.of(thread_id)
    t.strictSame(
      frames.map(({ seq }) => seq),
      range(1, frames.length),
    )
    const page = await history(thread_id)
    t.match(page, { turn_active: false, last_seq: frames.length, messages: { length: 4 } })
  },
)

t.test('A message whose turn was stored but never began is answered when it is sent again', async (t) => {
  fake.script(() => ({ text: ['fine'] }))
  const { clientMessages, recovery } = server.server.runtime.cradleOf('chat')
  const { note } = clientMessages
  const thread_id = await createThread()
  const [first, second] = [await chat.connect(), await chat.connect()]
  for (const client_message_id of ['forgotten before', 'forgotten after']) {
    const message = { thread_id, client_message_id, text: 'are you there?' }
    clientMessages.note = async (...args: Parameters<typeof note>) => {
      clientMessages.note = note
      await note(...args)
      throw new MongoNetworkError('the reply of the database is lost')
    }
    first.say(message)
    t.match(await first.until((frame) => frame.client_message_id === client_message_id), {
      type: 'error',
      code: 'DATABASE_UNAVAILABLE',
    })
    if (client_message_id === 'forgotten before') await recovery.adopt()
    const answered = second.ask(message)
    await second.settle()
    if (client_message_id === 'forgotten after') await recovery.adopt()
    t.match((await answered).end, { type: 'done' })
  }
  t.match(await history(thread_id), { turn_active: false, messages: { length: 4 } })
})

t.test('Turns survive crashes of the database engine, and nothing of them is lost', async (t) => {
  const [socket, reader] = [await chat.connect(), await chat.connect()]
  const made = await Promise.all(range(1, 4).map(() => createThread()))
  for (const thread_id of made) await reader.subscribe(thread_id)
  for (const round of range(1, CRASHES)) {
    const { hold, release } = createHold()
    const text = words(30 * round)
    fake.script(() => ({ text, delayMs: 1, hold, holdAfter: 20 }))
    const sent = made.map((thread_id) => socket.say({ thread_id, text: `round ${round}` }))
    for (const id of sent) {
      const { turn_id } = await socket.until(({ client_message_id }) => client_message_id === id)
      await socket.until((frame) => frame.turn_id === turn_id && frame.content?.includes('w19'))
    }
    killEngine()
    if (round % 2) await engineIsBack()
    release()
    for (const turn of await Promise.all(sent.map((id) => socket.seeTurn(id)))) {
      t.match(turn.end, { type: 'done', stop_reason: 'end' })
      t.equal(textOf(turn.frames), text.join(''))
    }
    await engineIsBack()
  }
  for (const thread_id of made) {
    const frames = socket.of(thread_id)
    t.strictSame(
      frames.map(({ seq }) => seq),
      range(1, frames.length),
    )
    await reader.until((f) => f.thread_id === thread_id && f.seq === frames.length)
    t.strictSame(reader.of(thread_id), frames)
    const later = await chat.connect()
    await later.subscribe(thread_id, 0)
    await later.until(({ seq }) => seq === frames.length)
    t.strictSame(later.of(thread_id), frames)
    const page = await history(thread_id, '?limit=100')
    t.match(page, { turn_active: false, last_seq: frames.length, messages: { length: 2 * CRASHES } })
    t.equal(page.messages.filter(({ status }: { status: string }) => status !== 'complete').length, 0)
  }
})

t.test(
  'While the database is unavailable a message is refused or kept, and sending it again is safe',
  async (t) => {
    const socket = await chat.connect()
    const thread_id = await createThread()
    fake.script(() => ({ text: 'an answer' }))
    for (const round of range(1, SENDS)) {
      const client_message_id = `away-${round}`
      let attempts = 0
      killEngine()
      for (;;) {
        attempts += 1
        const frameCount = socket.frames.length
        socket.say({ thread_id, client_message_id, text: 'are you there?' })
        const answer = await socket.until(
          (frame) =>
            frame.client_message_id === client_message_id &&
            (frame.type === 'turn_started' || socket.frames.indexOf(frame) >= frameCount),
        )
        if (answer.type === 'turn_started') break
        t.match(answer, { type: 'error', code: 'DATABASE_UNAVAILABLE', thread_id })
      }
      t.comment(`${attempts} attempts`)
      const { turn_id } = await socket.until(
        (f) => f.type === 'turn_started' && f.client_message_id === client_message_id,
      )
      await socket.until((f) => f.turn_id === turn_id && (f.type === 'done' || f.type === 'error'))
      await engineIsBack()
    }
    const { messages, turn_active } = await history(thread_id, '?limit=100')
    t.equal(turn_active, false)
    t.equal(
      messages.filter(({ role }: { role: string }) => role === 'user').length,
      SENDS,
      'each message is there once',
    )
    t.match((await socket.ask({ thread_id, text: 'and now?' })).end, { type: 'done' })
  },
)

t.test('A decision takes effect once although the database dies before it has replied', async (t) => {
  const { turnLeases } = server.server.runtime.cradleOf('chat')
  const { resume } = turnLeases
  const { socket, thread_id, sent } = await askQuestion()
  turnLeases.resume = async (...args: Parameters<typeof resume>) => {
    turnLeases.resume = resume
    await resume(...args)
    throw new MongoNetworkError('the reply of the database is lost')
  }
  const reader = await chat.decide(thread_id, [{ type: 'respond', message: 'yes' }])
  t.match(await reader.until(({ type }) => type === 'done'), { stop_reason: 'end' })
  t.match(await chat.decide(thread_id, [{ type: 'respond', message: 'no' }]), { status: 409 })
  const { frames } = await socket.seeTurn(sent)
  t.equal(frames.filter(({ type }) => type === 'hitl_resolved').length, 1)
})

t.test(
  'A decision while the database is killed takes effect, or is refused and can be repeated',
  { skip: onlyLong },
  async (t) => {
    for (const round of range(1, DECISIONS)) {
      const { socket, thread_id, sent } = await askQuestion()
      setTimeout(killEngine, round % 12)
      const decide = () => chat.decide(thread_id, [{ type: 'respond', message: 'yes' }])
      let reply = await decide()
      for (; reply.status === 503; reply = await decide()) await pause(50)
      t.equal(reply.status, 200)
      const { frames, end } = await socket.seeTurn(sent)
      t.match(end, { type: 'done', stop_reason: 'end' })
      t.equal(frames.filter(({ type }) => type === 'hitl_resolved').length, 1)
      await engineIsBack()
    }
  },
)
