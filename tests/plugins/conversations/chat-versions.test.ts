import t from '../../run/file-test.ts'
import { createHold, PROVIDER, startChat } from '../../support/chat.ts'
import { createForkCalls } from './fork-calls.ts'
import { createSearchCalls } from './search-calls.ts'
import { createVersionCalls } from './version-calls.ts'

const chat = await startChat(t)
const { server, fake, threads, createThread, history } = chat
const { show, textsOf, find, choose, startTurn, sentTexts } = createVersionCalls(chat)
const { forkAt } = createForkCalls(chat)
const socket = await chat.connect()

/** Sends a turn that is answered with a text. */
const ask = (turn: object, text: string) => {
  fake.next({ text })
  return socket.ask(turn)
}

/** Creates a thread with the questions and answers 1 to `turns`. */
async function converse(turns: number): Promise<string> {
  const thread_id = await createThread()
  for (let n = 1; n <= turns; n += 1) await ask({ thread_id, text: `question ${n}` }, `answer ${n}`)
  return thread_id
}

const untilEnded = async (thread_id: string, turn_id: string) =>
  socket.until((frame) => frame.thread_id === thread_id && frame.type === 'done' && frame.turn_id === turn_id)

t.test('each turn says which message it continues from', async (t) => {
  const thread_id = await createThread()
  const first = await ask({ thread_id, text: 'question 1' }, 'answer 1')
  const second = await ask({ thread_id, text: 'question 2' }, 'answer 2')
  const [, answer] = await show(thread_id)
  t.match(first.frames[0], { type: 'turn_started', after_message_id: null })
  t.match(second.frames[0], { type: 'turn_started', after_message_id: answer!.id })
})

t.test('an edited message is a new version, and the turn continues from what stood before it', async (t) => {
  const thread_id = await converse(3)
  const [, answer1, question2] = await show(thread_id)
  const { frames } = await ask({ thread_id, text: 'question two', replaces: question2!.id }, 'answer two')
  t.match(frames[0], { type: 'turn_started', after_message_id: answer1!.id })
  t.strictSame(sentTexts(), ['question 1', 'answer 1', 'question two'])
  t.strictSame(await textsOf(thread_id), ['question 1', 'answer 1', 'question two', 'answer two'])
  const edited = await find(thread_id, 'question two')
  t.strictSame(edited.versions, [question2!.id, edited.id])
  t.equal((await show(thread_id)).filter(({ versions }) => versions).length, 1)

  await ask({ thread_id, text: 'question three' }, 'answer three')
  t.strictSame(sentTexts(), ['question 1', 'answer 1', 'question two', 'answer two', 'question three'])
  t.strictSame((await textsOf(thread_id)).slice(-2), ['question three', 'answer three'])

  await ask({ thread_id, text: 'question one', replaces: (await show(thread_id))[0]!.id }, 'answer one')
  t.strictSame(sentTexts(), ['question one'])
  t.strictSame(await textsOf(thread_id), ['question one', 'answer one'])
})

t.test('an answer is written anew from the same message, with another model too', async (t) => {
  const thread_id = await converse(2)
  const [question1, answer1, question2, answer2] = await show(thread_id)
  const { frames } = await ask({ type: 'regenerate', thread_id }, 'answer two')
  t.match(frames[0], { message_id: question2!.id, after_message_id: question2!.id })
  t.strictSame(sentTexts(), ['question 1', 'answer 1', 'question 2'])
  t.strictSame(await textsOf(thread_id), ['question 1', 'answer 1', 'question 2', 'answer two'])
  const second = await find(thread_id, 'answer two')
  t.strictSame(second.versions, [answer2!.id, second.id])

  const body = { ...PROVIDER, name: 'other', base_url: fake.url }
  t.equal((await server.request('POST', '/admin/providers', { body })).status, 201)
  const model = 'other:m'
  await ask({ type: 'regenerate', thread_id, message_id: answer1!.id, model }, 'answer one')
  t.match((await history(thread_id)).messages, [{ role: 'user' }, { role: 'assistant', model }])
  t.strictSame(sentTexts(), ['question 1'])
  t.strictSame(await textsOf(thread_id), ['question 1', 'answer one'])
  t.match((await show(thread_id))[0], { id: question1!.id, versions: undefined })
  t.equal((await find(thread_id, 'answer one')).versions?.length, 2)
})

t.test('a version is chosen, and leads to its newest message', async (t) => {
  const thread_id = await converse(2)
  const [, , question2] = await show(thread_id)
  await ask({ thread_id, text: 'question two', replaces: question2!.id }, 'answer two')
  const reader = await chat.connect()
  await reader.subscribe(thread_id)
  const { last_seq } = await history(thread_id)

  const { status, body } = await choose(thread_id, question2!.id)
  t.equal(status, 200)
  t.match(body, { thread_id, turn_active: false })
  t.strictSame(await textsOf(thread_id), ['question 1', 'answer 1', 'question 2', 'answer 2'])
  t.strictSame(await reader.until(({ type }) => type === 'path_changed'), {
    type: 'path_changed',
    thread_id,
    seq: last_seq + 1,
    message_id: question2!.id,
  })
  t.equal((await history(thread_id)).last_seq, last_seq + 1)

  await ask({ thread_id, text: 'question 3' }, 'answer 3')
  t.strictSame(sentTexts(), ['question 1', 'answer 1', 'question 2', 'answer 2', 'question 3'])
  const two = (await find(thread_id, 'question 2')).versions!.at(-1)!
  await choose(thread_id, two)
  t.strictSame(await textsOf(thread_id), ['question 1', 'answer 1', 'question two', 'answer two'])
  await choose(thread_id, question2!.id)
  t.strictSame((await textsOf(thread_id)).slice(2), ['question 2', 'answer 2', 'question 3', 'answer 3'])
  const repeated = await choose(thread_id, question2!.id)
  t.equal(repeated.status, 200, 'a path that is shown already can be chosen again')
  reader.close()
})

t.test('a failed answer is tried again as a version', async (t) => {
  const thread_id = await createThread()
  fake.next({ status: 401 })
  await socket.ask({ thread_id, text: 'question 1' })
  t.match((await history(thread_id)).messages, [{ role: 'user' }, { role: 'assistant', status: 'failed' }])
  await ask({ type: 'regenerate', thread_id }, 'answer 1')
  t.strictSame(await textsOf(thread_id), ['question 1', 'answer 1'])
  t.strictSame(sentTexts(), ['question 1'])
})

t.test('versions over HTTP', async (t) => {
  const thread_id = await converse(1)
  await socket.subscribe(thread_id)
  const [question, answer] = await show(thread_id)
  const { last_seq } = await history(thread_id)
  fake.next({ text: 'answer two' })
  const edited = await startTurn(thread_id, { text: 'question two', replaces: question!.id })
  t.equal(edited.status, 202)
  t.strictSame(edited.body, { turn_id: edited.body.turn_id, thread_id, first_seq: last_seq + 1 })
  await untilEnded(thread_id, edited.body.turn_id)
  t.strictSame(await textsOf(thread_id), ['question two', 'answer two'])

  fake.next({ text: 'answer one' })
  const body = { regenerate: answer!.id, client_message_id: 'once-1' }
  const again = await startTurn(thread_id, body)
  t.equal(again.status, 202)
  t.strictSame((await startTurn(thread_id, body)).body, again.body, 'the same name starts one turn')
  await untilEnded(thread_id, again.body.turn_id)
  t.strictSame(await textsOf(thread_id), ['question 1', 'answer one'])

  fake.next({ text: 'fine' })
  const said = await startTurn(thread_id, { text: 'thanks' })
  await untilEnded(thread_id, said.body.turn_id)
  t.strictSame(await textsOf(thread_id), ['question 1', 'answer one', 'thanks', 'fine'])

  for (const wrong of [
    {},
    { text: 'a', content: [{ type: 'text', text: 'a' }] },
    { regenerate: true, text: 'a' },
    { regenerate: true, replaces: question!.id },
    { regenerate: false },
    { replaces: question!.id },
    { text: 'a', replaces: 7 },
  ])
    t.match(await startTurn(thread_id, wrong), {
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED' } },
    })
})

t.test('a message that is not in the thread is not found', async (t) => {
  const [thread_id, other] = [await converse(1), await converse(1)]
  const [question, answer] = await show(thread_id)
  const [foreign] = await show(other)
  const missing = { status: 404, body: { error: { code: 'MESSAGE_NOT_FOUND' } } }
  t.match(await startTurn(thread_id, { text: 'a', replaces: foreign!.id }), missing)
  t.match(await startTurn(thread_id, { text: 'a', replaces: answer!.id }), missing, 'an answer')
  t.match(await startTurn(thread_id, { regenerate: question!.id }), missing, 'a question')
  t.match(await startTurn(thread_id, { regenerate: 'msg_nothing' }), missing)
  t.match(await choose(thread_id, foreign!.id), missing)
  t.match(await startTurn(await createThread(), { regenerate: true }), missing, 'an empty thread')
  socket.send({ type: 'user_turn', thread_id, text: 'a', replaces: 'msg_nothing', client_message_id: 'lost' })
  t.match(await socket.until(({ client_message_id }) => client_message_id === 'lost'), {
    type: 'error',
    code: 'MESSAGE_NOT_FOUND',
    thread_id,
  })
  const guest = await server.createUser({ username: 'guest-of-versions' })
  t.match(await choose(thread_id, question!.id, { token: guest.token }), { status: 404 })
  t.match(await startTurn(thread_id, { regenerate: true }, { token: guest.token }), { status: 404 })
  t.strictSame(await textsOf(thread_id), ['question 1', 'answer 1'])
})

t.test('no version begins while a turn runs', async (t) => {
  const thread_id = await converse(1)
  const [question] = await show(thread_id)
  const { hold, release } = createHold()
  fake.next({ text: 'answer 2', hold })
  const running = socket.say({ thread_id, text: 'question 2' })
  await socket.until(({ client_message_id }) => client_message_id === running)
  const busy = { status: 409, body: { error: { code: 'THREAD_BUSY' } } }
  t.match(await startTurn(thread_id, { text: 'a', replaces: question!.id }), busy)
  t.match(await startTurn(thread_id, { regenerate: true }), busy)
  t.match(await choose(thread_id, question!.id), busy)
  release()
  await socket.seeTurn(running)
  t.strictSame(await textsOf(thread_id), ['question 1', 'answer 1', 'question 2', 'answer 2'])
})

t.test('a fork begins with the path, and its messages have versions of their own', async (t) => {
  const source = await converse(2)
  const [, , question2] = await show(source)
  await ask({ thread_id: source, text: 'question two', replaces: question2!.id }, 'answer two')
  const fork = await forkAt(source, { assistant_turns_from_end: 1 })
  t.strictSame(await textsOf(fork), ['question 1', 'answer 1', 'question two', 'answer two'])
  t.notOk(
    (await show(fork)).some(({ versions }) => versions),
    'the versions of the source are not its own',
  )

  const two = await find(fork, 'question two')
  await ask({ thread_id: fork, text: 'question 2 of the fork', replaces: two.id }, 'answer of the fork')
  t.strictSame(sentTexts(), ['question 1', 'answer 1', 'question 2 of the fork'])
  const own = await find(fork, 'question 2 of the fork')
  t.strictSame(own.versions, [two.id, own.id])
  await choose(fork, two.id)
  t.strictSame((await find(fork, 'question two')).versions, [two.id, own.id])
  t.strictSame(await textsOf(source), ['question 1', 'answer 1', 'question two', 'answer two'])

  t.equal((await threads('DELETE', `/${source}`)).status, 204)
  t.strictSame(await textsOf(fork), ['question 1', 'answer 1', 'question two', 'answer two'])
  const left = await server.db.collection('messages').find({ thread_id: source }).toArray()
  t.equal(left.length, 4, 'the messages that no thread shows are removed')
})

t.test('a page of history counts the messages of the path', async (t) => {
  const thread_id = await converse(3)
  const [, , question2] = await show(thread_id)
  await ask({ thread_id, text: 'question two', replaces: question2!.id }, 'answer two')
  await ask({ thread_id, text: 'question three' }, 'answer three')
  const newest = await history(thread_id, '?limit=4')
  t.equal(newest.messages.length, 4)
  const older = await history(thread_id, `?limit=4&cursor=${newest.next_cursor}`)
  t.strictSame(
    [...older.messages, ...newest.messages].map(({ id }) => id),
    (await show(thread_id)).map(({ id }) => id),
  )
  t.equal(older.has_more, false)
})

t.test('a message of a fork can be chosen before the fork has a turn of its own', async (t) => {
  const source = await converse(1)
  const fork = await forkAt(source, { assistant_turns_from_end: 1 })
  await ask({ thread_id: source, text: 'question 2' }, 'answer 2')
  const [question] = await show(fork)
  const { last_seq } = await history(fork)
  t.equal((await choose(fork, question!.id)).status, 200)
  t.equal((await history(fork)).last_seq, last_seq, 'its path is shown already')
  await ask({ thread_id: fork, text: 'question of the fork' }, 'answer of the fork')
  t.strictSame(await textsOf(fork), ['question 1', 'answer 1', 'question of the fork', 'answer of the fork'])
  t.strictSame(sentTexts(), ['question 1', 'answer 1', 'question of the fork'])
})

t.test('an answer that was a version in the source of a fork has versions in the fork', async (t) => {
  const source = await converse(1)
  await ask({ type: 'regenerate', thread_id: source }, 'answer one')
  const fork = await forkAt(source, { assistant_turns_from_end: 1 })
  const [, forked] = await show(fork)
  await ask({ type: 'regenerate', thread_id: fork }, 'answer of the fork')
  const own = await find(fork, 'answer of the fork')
  t.strictSame(own.versions, [forked!.id, own.id])
  t.equal((await choose(fork, forked!.id)).status, 200)
  t.strictSame(await textsOf(fork), ['question 1', 'answer one'])
})

t.test(
  'a search finds the messages of all versions once, until the last thread that shows them is deleted',
  async (t) => {
    const { search, countIndexed } = createSearchCalls(chat)
    const source = await createThread()
    await ask({ thread_id: source, text: 'the heliograph question' }, 'the heliostat answer')
    const [question, answer] = await show(source)
    await ask({ type: 'regenerate', thread_id: source }, 'the heliometer answer')
    await ask(
      { thread_id: source, text: 'the heliotrope question', replaces: question!.id },
      'the heliopause answer',
    )
    const findIds = async (word: string) =>
      (await search({ q: word })).flatMap(({ message_id }) => (message_id === null ? [] : [message_id]))
    const words = ['heliograph', 'heliostat', 'heliometer', 'heliotrope', 'heliopause']
    for (const word of words) t.equal((await findIds(word)).length, 1, word)
    t.strictSame(await findIds('heliostat'), [answer!.id])

    await choose(source, answer!.id)
    const fork = await forkAt(source, { message_id: (await show(source))[1]!.id })
    for (const word of words) t.equal((await findIds(word)).length, 1, `${word}, with a fork`)
    t.equal((await threads('DELETE', `/${source}`)).status, 204)
    const left = await server.db.collection('messages').distinct('_id', { thread_id: source })
    t.equal(left.length, 2, 'the messages that the fork shows')
    for (const word of ['heliotrope', 'heliopause']) t.strictSame(await findIds(word), [], `${word} is gone`)
    t.equal((await threads('DELETE', `/${fork}`)).status, 204)
    for (const word of words) t.strictSame(await search({ q: word }), [], `${word} is gone`)
    for (const thread_id of [source, fork]) {
      t.equal(await countIndexed(thread_id), 0)
      t.equal(await server.db.collection('messages').countDocuments({ thread_id }), 0)
    }
  },
)
