import t, { type Test } from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { createForkCalls } from './fork-calls.ts'
import { createMigrationCalls } from './migration-calls.ts'
import { createVersionCalls } from './version-calls.ts'

const chat = await startChat(t)
const { fake, threads, createThread } = chat
const { show, textsOf, choose, sentTexts } = createVersionCalls(chat)
const { forkAt } = createForkCalls(chat)
const { importFile, start, untilDone } = createMigrationCalls(chat)
const socket = await chat.connect()

// biome-ignore lint/suspicious/noExplicitAny: files are made wrong in every way
type Line = any

const ask = (turn: object, text: string) => {
  fake.next({ text })
  return socket.ask(turn)
}

async function linesOf(thread_id: string): Promise<Line[]> {
  const { body } = await threads('GET', `/${thread_id}/trajectory/export`)
  return body
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line))
}
const importLines = (lines: readonly Line[]) =>
  importFile(lines.map((line) => JSON.stringify(line)).join('\n'))

/** Imports lines, which must be accepted, and returns the thread with its history. */
async function take(lines: readonly Line[]): Promise<string> {
  const { status, body } = await importLines(lines)
  if (status !== 201) throw new Error(`the import answered ${status} ${JSON.stringify(body)}`)
  await start()
  await untilDone()
  return body.thread_id
}

/** Checks that a thread shows these texts, and goes on with them. */
async function goesOn(t: Test, thread_id: string, texts: string[]) {
  t.strictSame(await textsOf(thread_id), texts)
  await ask({ thread_id, text: 'go on' }, 'it goes on')
  t.strictSame(sentTexts(), [...texts, 'go on'])
  t.strictSame(await textsOf(thread_id), [...texts, 'go on', 'it goes on'])
}

const source = await createThread()
await ask({ thread_id: source, text: 'question 1' }, 'answer 1')
await ask({ thread_id: source, text: 'question 2' }, 'answer 2')
const [question1, answer1, question2] = await show(source)
await ask({ thread_id: source, text: 'question two', replaces: question2!.id }, 'answer two')
await ask({ type: 'regenerate', thread_id: source, message_id: answer1!.id }, 'answer one')
await choose(source, question2!.id)
const exported = await linesOf(source)
const isFirst = ({ type }: Line) => type === 'turn_started'
const firsts = exported.filter(isFirst)

t.test('what a version continues from is checked', async (t) => {
  const [, , edited, regenerated] = firsts
  const changed = exported.at(-1)
  t.match(changed, { type: 'path_changed' })
  for (const [what, line, change] of [
    ['itself', edited, { after: edited.seq }],
    ['what comes later', edited, { after: 10_000 }],
    ['nothing', edited, { after: -1 }],
    ['a text', edited, { after: '5' }],
    ['half of a turn', edited, { after: 2 }],
    ['a message that it does not answer', edited, { after: firsts[0].seq }],
    ['another message than it answers', regenerated, { after: firsts[1].seq }],
    ['the end of a turn instead of a message', regenerated, { after: firsts[1].seq - 1 }],
    [
      'an unknown message',
      regenerated,
      { frame: { ...regenerated.frame, message_id: 'x', after_message_id: 'x' } },
    ],
    ['a message without saying where', regenerated, { after: undefined }],
    ['half of a turn, as a path', changed, { after: 2 }],
    ['itself, as a path', changed, { after: changed.seq }],
  ] as const) {
    const lines = exported.map((other) => (other === line ? { ...other, ...change } : other))
    t.match(await importLines(lines), { status: 422, body: { error: { code: 'BAD_EXPORT' } } }, what)
  }
  const within = { ...changed, seq: 2 }
  const moved = [
    ...exported.slice(0, 2),
    within,
    ...exported.slice(2).map((line) => ({ ...line, seq: line.seq + 1 })),
  ]
  t.match(
    await importLines(moved),
    { status: 422, body: { error: { code: 'BAD_EXPORT' } } },
    'a path within a turn',
  )
})

t.test('a path that names messages of other threads shows only its own', async (t) => {
  const lines = exported.map((line) => structuredClone(line))
  lines.at(-1).frame.message_id = question1!.id
  const thread_id = await take(lines)
  await goesOn(t, thread_id, ['question 1', 'answer 1', 'question 2', 'answer 2'])
  const text = JSON.stringify(await linesOf(thread_id))
  t.notOk([question1, answer1, question2].some((message) => text.includes(message!.id)))
})

t.test('a path that is empty, or that a turn does not follow, goes on', async (t) => {
  const head = exported[0]
  const path = { ...exported.at(-1), seq: 1, after: 0 }
  await goesOn(t, await take([head, path]), [])
  const turn = exported.slice(1, exported.indexOf(firsts[1]))
  const closed = { ...path, seq: turn.length + 1 }
  const next = turn.map((line) => ({ ...line, seq: line.seq + closed.seq, turn_id: 'trn_next' }))
  await goesOn(t, await take([head, ...turn, closed]), [])
  await goesOn(t, await take([head, ...turn, closed, ...next]), [
    'question 1',
    'answer 1',
    'question 1',
    'answer 1',
  ])
})

t.test('the export of a fork has questions for all answers, and goes on', async (t) => {
  const fork = await forkAt(source, { assistant_turns_from_end: 1 })
  const [, first, , second] = await show(fork)
  await ask({ type: 'regenerate', thread_id: fork, message_id: first!.id }, 'one of the fork')
  await ask({ type: 'regenerate', thread_id: fork, message_id: first!.id }, 'another of the fork')
  const copy = await take(await linesOf(fork))
  t.equal((await show(copy))[0]!.versions?.length, 2)
  await goesOn(t, copy, ['question 1', 'another of the fork'])
  await choose(fork, second!.id)
  await goesOn(t, await take(await linesOf(fork)), [])
})
