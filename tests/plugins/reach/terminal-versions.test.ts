import t from '../../run/file-test.ts'
import { PROVIDER, startChat } from '../../support/chat.ts'
import { createVersionCalls } from '../conversations/version-calls.ts'
import { CTRL_C, start } from './terminal-run.ts'

const chat = await startChat(t)
const { server, fake } = chat
const { textsOf, find, choose, sentTexts } = createVersionCalls(chat)
const env = { SVC_PASSWORD: server.admin.password, NO_COLOR: '1' }
const CTRL_U = '\x15'
const OTHER_VERSION = 'Another version of the conversation is shown from here.'

/** Opens `svc chat` on a terminal, in a thread with the questions and answers 1 to `turns`. */
async function talk(test: Parameters<typeof start>[0], turns: number, options: { json?: boolean } = {}) {
  const thread_id = await chat.createThread()
  const socket = await chat.connect()
  for (let n = 1; n <= turns; n += 1) {
    fake.next({ text: `answer ${n}` })
    await socket.ask({ thread_id, text: `question ${n}` })
  }
  socket.close()
  const run = start(test, { url: server.url, tty: true, env, thread: thread_id, ...options })
  return { run, thread_id, enter: (line: string) => run.type('you', line) }
}

t.test('/edit offers the last message, or an earlier one, and sends the new text as a version', async (t) => {
  const { run, thread_id, enter } = await talk(t, 2)
  await enter('/edit')
  await run.until('new text › ')
  await run.until('question 2')
  fake.next({ text: 'answer two' })
  run.stdin.write(' and more\r')
  await run.until(OTHER_VERSION)
  await run.untilAnswered('answer two')
  t.strictSame(await textsOf(thread_id), ['question 1', 'answer 1', 'question 2 and more', 'answer two'])
  t.strictSame(sentTexts(), ['question 1', 'answer 1', 'question 2 and more'])

  await enter('/edit 2')
  await run.until('new text › ')
  await run.until('question 1')
  fake.next({ text: 'answer one' })
  run.stdin.write(`${CTRL_U}question\\\rone\r`)
  await run.untilAnswered('answer one')
  t.strictSame(await textsOf(thread_id), ['question\none', 'answer one'])

  await enter('/edit 7')
  await run.until('This thread has only 1 of your messages. /edit 1 changes the first one.')
  for (const wrong of ['/edit 0', '/edit two', '/edit -1', '/edit 99999']) {
    await enter(wrong)
    await run.until('Which message? /edit changes the last one, /edit 2 the one before it.')
  }
  await enter('/edit')
  await run.until('↵ is a line break.')
  await run.until('new text › ')
  await run.until('question↵one')
  run.stdin.write(CTRL_C)
  await run.until('new text › ')
  run.stdin.write(CTRL_C)
  await run.until('Nothing was sent; the message is unchanged.')
  await enter('/edit')
  await run.until('question↵one')
  fake.next({ text: 'answer 1b' })
  run.stdin.write('!\r')
  await run.untilAnswered('answer 1b')
  t.equal((await textsOf(thread_id))[0], 'question\none!')
  t.equal(await run.leave(), 0)
})

t.test('/edit says if tools ran since, and there is nothing to edit in a new thread', async (t) => {
  const { run, enter } = await talk(t, 0)
  await enter('/edit')
  await run.until('There is no message of yours to edit yet.')
  await enter('/retry')
  await run.until('There is no message to answer yet.')
  await enter('/versions')
  await run.until('There are no messages yet.')
  fake.next({ toolCalls: [{ name: 'ls', arguments: {} }] }, { text: 'listed' })
  await enter('list them')
  await run.until('listed')
  await enter('/edit')
  await run.until('Tools already ran after this message. Their changes are kept.')
  await run.until('new text › ')
  await run.until('list them')
  run.stdin.write(`${CTRL_U}\r`)
  await run.until('Nothing was sent')
  t.equal(await run.leave(), 0)
})

t.test('/retry gets another answer, from another model too; /versions shows and chooses them', async (t) => {
  const { run, thread_id, enter } = await talk(t, 2)
  fake.next({ text: 'answer two' })
  await enter('/retry')
  await run.until(OTHER_VERSION)
  await run.until('answer two')
  fake.next({ text: 'answer 2c' })
  const body = { ...PROVIDER, name: 'other', base_url: fake.url }
  t.equal((await server.request('POST', '/admin/providers', { body })).status, 201)
  await enter('/retry other:m')
  await run.untilAnswered('answer 2c')
  t.equal((await chat.history(thread_id)).messages.at(-1).model, 'other:m')

  await enter('/versions')
  await run.until('question  1/1  question 2')
  await run.until('answer    3/3  answer 2c')
  await run.until('Change to another one: /versions [question|answer] [N]')
  await enter('/versions 1')
  await run.until('Another version is shown:')
  await run.untilAnswered('answer 2')
  t.strictSame(await textsOf(thread_id), ['question 1', 'answer 1', 'question 2', 'answer 2'])
  await enter('/versions')
  await run.until('answer    1/3  answer 2')
  await enter('/versions answer 2')
  await run.until('answer two')
  await enter('/versions 4')
  await run.until('The last answer has 3 versions; there is no number 4.')
  await enter('/versions question 2')
  await run.until('The last question has one version. /edit and /retry make another one.')
  for (const wrong of ['/versions 0', '/versions all', '/versions answer', '/versions 1.5']) {
    await enter(wrong)
    await run.until('Which version? /versions [question|answer] [N], such as')
  }
  fake.next({ text: 'answer 3' })
  await enter('question 3')
  await run.untilAnswered('answer 3')
  t.strictSame(sentTexts(), ['question 1', 'answer 1', 'question 2', 'answer two', 'question 3'])
  t.equal(await run.leave(), 0)
})

t.test('after a failed turn /retry answers the message, and sends one again that was refused', async (t) => {
  const { run, thread_id, enter } = await talk(t, 1)
  fake.next({ status: 400 })
  await enter('question 2')
  await run.until('Try again with /retry, or with another model: /retry MODEL.')
  fake.next({ text: 'answer 2' })
  await enter('/retry')
  await run.untilAnswered('answer 2')
  t.strictSame(sentTexts(), ['question 1', 'answer 1', 'question 2'])

  await enter('/model nobody:nothing')
  await enter('question 3')
  await run.untilAnswered('Try again with /retry')
  t.equal((await textsOf(thread_id)).at(-1), 'answer 2', 'the message was refused')
  const { model } = (await chat.history(thread_id)).messages.at(-1)
  fake.next({ text: 'answer 3' })
  await enter(`/retry ${model}`)
  await run.untilAnswered('answer 3')
  t.strictSame((await textsOf(thread_id)).slice(-3), ['answer 2', 'question 3', 'answer 3'])
  t.equal(await run.leave(), 0)
})

t.test('another version that was chosen elsewhere is said when the conversation goes on', async (t) => {
  const { run, thread_id, enter } = await talk(t, 1)
  const original = await find(thread_id, 'answer 1')
  fake.next({ text: 'answer one' })
  await enter('/retry')
  await run.until('answer one')
  fake.next({ text: 'answer 2' })
  await enter('question 2')
  await run.untilAnswered('answer 2')
  t.equal(run.written.stdout.split(OTHER_VERSION).length, 2)
  const [question] = await textsOf(thread_id)
  t.equal((await choose(thread_id, original.id)).status, 200)
  t.strictSame(await textsOf(thread_id), [question, 'answer 1'])
  fake.next({ text: 'answer 3' })
  await enter('question 3')
  await run.untilAnswered('answer 3')
  t.strictSame(sentTexts(), ['question 1', 'answer 1', 'question 3'])
  t.equal(await run.leave(), 0)
})

t.test('in a pipe the line after /edit is the new text', async (t) => {
  const run = start(t, { url: server.url, env })
  fake.next({ text: 'answer 1' }, { text: 'answer one' }, { text: 'answer 1c' })
  run.stdin.end('question 1\n/edit\nquestion one\n/retry\n/versions\n')
  t.equal(await run.code, 0)
  t.equal(run.written.stdout, 'answer 1\nanswer one\nanswer 1c\n')
  t.match(run.written.stderr, /^new text:$/m)
  t.match(run.written.stderr, /^question {2}2\/2 {2}question one\nanswer {4}2\/2 {2}answer 1c$/m)
})

t.test('a saved prompt is sent by its name, once its variables were asked for', async (t) => {
  const save = (body: object) => server.request('POST', '/prompts', { body })
  const text = 'Report of {{ team }} for {{for_whom}} as of {{date}}; {{team}} {{}} {{a b}}'
  t.equal((await save({ name: 'weekly-report', text, shared: false })).status, 201)
  t.equal((await save({ name: 'Weekly', text: 'Plan my week.', shared: false })).status, 201)
  const { run, thread_id, enter } = await talk(t, 0)
  await enter('/prompts week')
  await run.until('/Weekly  Plan my week.')
  await run.until('/weekly-report  Report of')
  await enter('/prompts zzz')
  await run.until('There are no such prompts. You save them in the console.')

  fake.next({ text: 'planned' })
  await enter('/weekly')
  await run.until('planned')
  await enter('/weekly-report in short')
  await run.type('team', 'Blue')
  fake.next({ text: 'reported' })
  await run.type('for whom', '$& Ada')
  await run.until('reported')
  const today = new Date().toLocaleDateString(undefined, { dateStyle: 'long' })
  t.strictSame(await textsOf(thread_id), [
    'Plan my week.',
    'planned',
    `Report of Blue for $& Ada as of ${today}; Blue {{}} {{a b}}\n\nin short`,
    'reported',
  ])
  await enter('/weekly-report')
  await run.until('team › ')
  run.stdin.write(CTRL_C)
  await run.until('Nothing was sent.')
  for (const wrong of ['/week', '/weekly-', '/constructor', '/%']) {
    await enter(wrong)
    await run.until(`${wrong} is not a command or a saved prompt. Type /help for the list.`)
  }
  await enter('/help')
  for (const usage of ['/edit [N]', '/retry [MODEL]', '/versions [question|answer] [N]', '/prompts [NAME]'])
    await run.until(usage)
  await run.until('/NAME')
  t.equal(await run.leave(), 0)
})
