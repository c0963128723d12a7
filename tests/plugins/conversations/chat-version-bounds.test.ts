import type { ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import t from '../../run/file-test.ts'
import { range, startChat } from '../../support/chat.ts'
import { costOf } from '../../support/query-cost.ts'
import { createForkCalls } from './fork-calls.ts'
import { createMigrationCalls } from './migration-calls.ts'
import { createVersionCalls } from './version-calls.ts'

const MANY = 300
const RUNS = 25

const chat = await startChat(t)
const { server, fake, threads, createThread, history } = chat
const { show, textsOf, choose, sentTexts } = createVersionCalls(chat)
const { forkAt } = createForkCalls(chat)
const { importFile, start, untilDone } = createMigrationCalls(chat)
const socket = await chat.connect()

const empty = await createThread()
const { body: head } = await threads('GET', `/${empty}/trajectory/export`)
const TURN_EVENTS = 3

/** Creates a thread of turns, each after the one that `afterOf` names, or after the one before it; 0 is the start. */
async function seed(turns: number, afterOf: (turn: number) => number | undefined): Promise<string> {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  const lines = range(1, turns).flatMap((turn) => {
    const after = afterOf(turn)
    const question = {
      message_id: `q${turn}`,
      after_message_id: after === 0 ? null : `a${after ?? turn - 1}`,
    }
    const end = { message_id: `a${turn}`, usage, stop_reason: 'end' }
    return [
      {
        type: 'turn_started',
        frame: question,
        input: [{ type: 'text', text: `question ${turn}` }],
        ...(after !== undefined && { after: after * TURN_EVENTS }),
      },
      { type: 'content', frame: { message_id: `a${turn}`, content: `answer ${turn}` } },
      { type: 'done', frame: end },
    ].map((event, index) => ({
      seq: (turn - 1) * TURN_EVENTS + index + 1,
      turn_id: `t${turn}`,
      ts: 1e12 + turn,
      ...event,
    }))
  })
  const text = [head.trim(), ...lines.map((line) => JSON.stringify(line))].join('\n')
  const { status, body } = await importFile(text)
  if (status !== 201) throw new Error(`the import answered ${status} ${JSON.stringify(body)}`)
  await start()
  await untilDone()
  return body.thread_id
}

const plain = await seed(MANY, () => undefined)
/** The first message has many versions. */
const wide = await seed(MANY, (turn) => (turn === 1 ? undefined : 0))
/** Each other turn is another version of the one before it: the path has a range for each. */
const nested = await seed(2 * MANY, (turn) => (turn % 2 === 0 ? Math.max(0, turn - 2) : undefined))

t.test('many versions of one message are listed and chosen, and turns go on', async (t) => {
  const [last] = await show(wide)
  t.equal(last!.versions?.length, MANY)
  t.strictSame(await textsOf(wide), [`question ${MANY}`, `answer ${MANY}`])
  t.equal((await choose(wide, last!.versions![0]!)).status, 200)
  t.strictSame(await textsOf(wide), ['question 1', 'answer 1'])
  fake.next({ text: 'one more' })
  await socket.ask({ thread_id: wide, text: 'another', replaces: last!.versions![7]! })
  t.equal((await show(wide))[0]!.versions?.length, MANY + 1)
  t.strictSame(await textsOf(wide), ['another', 'one more'])
})

t.test('a path with many versions is read, chosen, forked and continued', async (t) => {
  const stored = await server.db.collection<ThreadDocument>('threads').findOne({ _id: nested })
  t.equal(stored!.path!.length, MANY)
  const turns = range(1, MANY).map((turn) => 2 * turn)
  const texts = turns.flatMap((turn) => [`question ${turn}`, `answer ${turn}`])
  const shown: string[] = []
  for (let cursor = ''; ; ) {
    const page = await history(nested, `?limit=70${cursor}`)
    shown.unshift(...page.messages.map(({ content }: { content: { text: string }[] }) => content[0]!.text))
    for (const { role, versions } of page.messages) t.equal(versions?.length, role === 'user' ? 2 : undefined)
    if (!page.has_more) break
    cursor = `&cursor=${page.next_cursor}`
  }
  t.strictSame(shown, texts)

  const [oldest] = (await history(nested, `?limit=1&offset=${2 * MANY - 2}`)).messages
  t.equal(oldest.content[0].text, 'answer 2')
  const middle = (await show(nested, `?limit=1&offset=${MANY - 1}`))[0]!
  t.equal((await choose(nested, middle.versions![0]!)).status, 200)
  t.equal((await textsOf(nested)).at(-1), `answer ${Number(middle.text.split(' ')[1]) - 1}`)
  t.equal((await choose(nested, middle.id)).status, 200)
  t.strictSame(await textsOf(nested), texts.slice(-200))
  fake.next({ text: 'a summary' }, { text: 'it goes on' })
  await socket.ask({ thread_id: nested, text: 'go on' })
  t.equal(sentTexts().at(-1), 'go on')
  t.strictSame((await textsOf(nested)).slice(-3), [texts.at(-1), 'go on', 'it goes on'])

  const fork = await forkAt(nested, { assistant_turns_from_end: 2 })
  t.strictSame(await textsOf(fork), texts.slice(-200))
})

t.test('a page reads what its messages and their versions are, by indexes', async (t) => {
  const page = (thread_id: string) => () => history(thread_id, '?limit=50')
  const few = await seed(51, (turn) => (turn > 1 && turn <= 50 ? 0 : undefined))
  const costs = [
    await costOf(server, page(plain)),
    await costOf(server, page(few)),
    await costOf(server, page(nested)),
  ]
  const [plainCost, fewCost, nestedCost] = costs
  for (const { scans, sorts } of costs) t.strictSame({ scans, sorts }, { scans: 0, sorts: 0 })
  t.ok(plainCost!.documents <= 51 + 10, `${plainCost!.documents} documents`)
  t.ok(fewCost!.documents <= 5 + 50 + 10, `${fewCost!.documents} documents with 50 versions of one message`)
  t.ok(
    nestedCost!.documents <= 51 + 2 * 50 + 10,
    `${nestedCost!.documents} documents with two versions of each`,
  )

  const times = new Map<string, number[]>()
  for (const thread_id of range(1, RUNS).flatMap(() => [plain, few, nested])) {
    const begun = performance.now()
    await history(thread_id, '?limit=4')
    times.set(thread_id, [...(times.get(thread_id) ?? []), performance.now() - begun])
  }
  const medianOf = (thread_id: string) => times.get(thread_id)!.sort((a, b) => a - b)[RUNS >> 1]!
  const ratioOf = (thread_id: string) => (medianOf(thread_id) / medianOf(plain)).toFixed(2)
  t.comment(
    `50 versions of one message: ${ratioOf(few)} of a page without; ${MANY} nested: ${ratioOf(nested)}`,
  )
  t.comment(costs)
})
