import t, { type Test } from '../../run/file-test.ts'
import { amount, chooseSeed } from '../../run/tier.ts'
import { createHold, type SeenTurn, startChat } from '../../support/chat.ts'
import { createRandom } from '../../support/random.ts'
import { type Node, VersionModel } from '../../support/version-model.ts'
import { createForkCalls } from './fork-calls.ts'
import { createMigrationCalls } from './migration-calls.ts'
import { createVersionCalls, type ShownMessage } from './version-calls.ts'

const ROUNDS = amount({ short: 2, long: 12 })
/** The number of steps of a round; a change to paths deserves more rounds. */
const STEPS = amount({ short: 16, long: 40 })
const seed = chooseSeed(17)

const random = createRandom(seed)
const below = (bound: number) => Math.floor(random() * bound)
const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)]!

const chat = await startChat(t)
const { server, fake, threads, createThread, history, agent_id } = chat
const { show, choose } = createVersionCalls(chat)
const { forkAt } = createForkCalls(chat)
const calls = createMigrationCalls(chat)
const socket = await chat.connect()
await server.request('PATCH', `/agents/${agent_id}`, {
  body: { config: { tools_with_approval: ['write_file'] } },
})

let texts = 0
function nextText(prefix: string): string {
  texts += 1
  return `${prefix}${texts}.`
}

/** Lists the texts of this test that the model received with a request, in their order. */
const readSent = (index: number): string[] =>
  JSON.stringify(fake.requests[index]!.body.messages.slice(1)).match(/[qa]\d+\./g) ?? []

/** Runs a turn of any kind to its end. */
async function run(turn: object): Promise<SeenTurn> {
  const answer = nextText('a')
  const kind = below(8)
  if (kind === 0) {
    fake.next({ status: 401 })
    return socket.ask(turn)
  }
  if (kind === 1) {
    const { hold, release } = createHold()
    fake.next({ text: [answer, ' and more'], hold, holdAfter: 1 })
    const sent = socket.say(turn)
    const { thread_id } = await socket.until(({ content }) => content === answer)
    socket.send({ type: 'stop', thread_id })
    const seen = await socket.seeTurn(sent)
    release()
    return seen
  }
  if (kind === 2) fake.next({ text: nextText('a'), toolCalls: [{ name: 'ls', arguments: {} }] })
  if (kind === 3) {
    const write = { name: 'write_file', arguments: { path: 'a.txt', content: 'x' } }
    fake.next({ toolCalls: [write] }, { text: answer })
    return socket.ask(turn, () => [{ type: pick(['approve', 'reject']) }])
  }
  fake.next({ text: answer })
  return socket.ask(turn)
}

/** Asks, edits or regenerates, and checks what the model received and what the turn says. */
async function say(t: Test, thread_id: string, model: VersionModel): Promise<string> {
  const asked = model.nodes.filter(({ role }) => role === 'user')
  const answers = model.nodes.filter(({ role }) => role === 'assistant')
  const chance = random()
  const text = nextText('q')
  let parent: Node | null = model.path.at(-1) ?? null
  let turn: object = { thread_id, text }
  let what = 'asks'
  if (asked.length > 0 && chance < 0.35) {
    const edited = pick(asked)
    parent = edited.parent
    turn = { thread_id, text, replaces: edited.id }
    what = `edits ${edited.text}`
  } else if (answers.length > 0 && chance < 0.65) {
    const isLast = random() < 0.2 && model.path.at(-1)?.role !== 'user'
    const answer = isLast ? model.path.at(-1)! : pick(answers)
    parent = answer
    while (parent?.role !== 'user') parent = parent!.parent
    turn = { type: 'regenerate', thread_id, ...(!isLast && { message_id: answer.id }) }
    what = `regenerates the answer to ${parent.text}`
  }
  const first = fake.requests.length
  const { frames } = await run(turn)
  model.add(parent, frames, text)
  const started = frames.find(({ type }) => type === 'turn_started')!
  t.equal(started.after_message_id, parent?.id ?? null, `${what}: the message that the turn continues from`)
  const path = model.path.map((node) => node.text)
  const sent = readSent(first)
  t.strictSame(
    sent,
    path
      .join(' ')
      .match(/[qa]\d+\./g)!
      .slice(0, sent.length),
    `${what}: what the model got`,
  )
  t.equal(sent.at(-1), model.path.findLast(({ role }) => role === 'user')!.text, `${what}: the question`)
  return what
}

/** Reads a thread from its end in pages of any size, each by a cursor or an offset. */
async function read(thread_id: string): Promise<ShownMessage[]> {
  const shown: ShownMessage[] = []
  for (let cursor = ''; ; ) {
    const query = `?limit=${1 + below(6)}&${cursor && random() < 0.5 ? `cursor=${cursor}` : `offset=${shown.length}`}`
    shown.unshift(...(await show(thread_id, query)))
    const page = await history(thread_id, query)
    if (!page.has_more) return shown
    cursor = page.next_cursor
  }
}

/** Returns what is comparable between threads with messages of different ids. */
function withoutIds(shown: readonly ShownMessage[]): object[] {
  return shown.map(({ id, role, text, versions }) => ({
    role,
    text,
    versions: versions && { count: versions.length, index: versions.indexOf(id) },
  }))
}

async function exportThread(thread_id: string): Promise<string> {
  const { status, body } = await threads('GET', `/${thread_id}/trajectory/export`)
  if (status !== 200) throw new Error(`the export answered ${status}`)
  return body
}

const rebuild = async () => {
  await calls.start()
  await calls.untilDone()
}

for (let round = 1; round <= ROUNDS; round += 1)
  t.test(`a thread shows what a tree of its messages would, seed ${seed}, round ${round}`, async (t) => {
    const source = await createThread()
    const models = new Map([[source, new VersionModel()]])
    const check = async (thread_id: string, what: string) => {
      const expected = models.get(thread_id)!.shown()
      t.strictSame(await read(thread_id), expected, what)
      t.strictSame(await show(thread_id), expected, `${what}: on one page`)
    }
    for (let step = 1; step <= STEPS; step += 1) {
      const thread_id = pick([...models.keys()])
      const model = models.get(thread_id)!
      const answers = model.path.filter(({ role, text }) => role === 'assistant' && text)
      const chance = random()
      let what: string
      if (model.nodes.length > 0 && chance < 0.3) {
        const node = pick(model.nodes)
        what = `chooses ${node.role} ${node.text}`
        t.equal((await choose(thread_id, node.id)).status, 200)
        model.choose(node)
      } else if (answers.length > 0 && chance < 0.4 && models.size < 4) {
        const answer = pick(answers)
        what = `forks at ${answer.text}`
        const fork = await forkAt(thread_id, { message_id: answer.id })
        const { path } = model
        const end = path.findIndex(({ role }, index) => index > path.indexOf(answer) && role !== 'tool')
        models.set(fork, new VersionModel(end === -1 ? path : path.slice(0, end)))
      } else what = await say(t, thread_id, model)
      for (const [shown, { nodes }] of models)
        await check(
          shown,
          `step ${step} of ${[...models.keys()].indexOf(thread_id)} ${what}, ${nodes.length} nodes`,
        )
    }

    const stored = () =>
      calls
        .threads()
        .find(
          { _id: { $in: [...models.keys()] } },
          { projection: { path: 1, last_seq: 1 }, sort: { _id: 1 } },
        )
        .toArray()
    const storedBefore = await stored()
    await calls
      .threads()
      .updateMany({ _id: { $in: [...models.keys()] } }, { $set: { projection_version: 0 } })
    await rebuild()
    t.strictSame(await stored(), storedBefore, 'a rebuild ends with the same paths')
    for (const thread_id of models.keys()) await check(thread_id, 'after a rebuild')

    const imported = new Map<string, string>()
    for (const thread_id of models.keys()) {
      const { status, body } = await calls.importFile(await exportThread(thread_id))
      t.equal(status, 201, JSON.stringify(body))
      imported.set(thread_id, body.thread_id)
    }
    await rebuild()
    t.strictSame(
      withoutIds(await read(imported.get(source)!)),
      withoutIds(models.get(source)!.shown()),
      'an imported thread shows the same',
    )
    for (const copy of imported.values()) {
      const shown = await show(copy)
      fake.next({ text: 'so it goes on' })
      await socket.ask({ thread_id: copy, text: 'go on' })
      t.strictSame(
        (await show(copy)).map(({ text }) => text),
        [...shown.map(({ text }) => text), 'go on', 'so it goes on'],
        'an imported thread goes on',
      )
    }
    for (const thread_id of models.keys()) await check(thread_id, 'after the import of a copy')

    t.equal((await threads('DELETE', `/${source}`)).status, 204)
    models.delete(source)
    for (const thread_id of models.keys()) await check(thread_id, 'after the deletion of its source')
    for (const thread_id of [...models.keys(), ...imported.values()]) await threads('DELETE', `/${thread_id}`)
    for (const name of ['threads', 'messages', 'events'])
      t.equal(await server.db.collection(name).countDocuments(), 0, `nothing is left of ${name}`)
  })
