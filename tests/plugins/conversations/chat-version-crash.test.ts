import { setTimeout as pause } from 'node:timers/promises'
import type { Script } from '../../../plugin-api/testing/fake-openai.ts'
import type { MessageDocument, ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import { eventRange, type LedgerEvent } from '../../../plugins/conversations/chat/ledger/ledger-event.ts'
import t from '../../run/file-test.ts'
import { amount, chooseSeed } from '../../run/tier.ts'
import { chatUrl, connectChat, startChat } from '../../support/chat.ts'
import { createChance } from '../../support/random.ts'
import { createHome } from '../../support/server.ts'
import { spawnService } from '../../support/service-process.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'
import { startCrashService } from './crash-service.ts'
import { createMigrationCalls } from './migration-calls.ts'
import { createVersionCalls } from './version-calls.ts'

const KILLS = amount({ short: 2, long: 20 })
const seed = chooseSeed(29)

const chat = await startChat(t)
const { server, fake, createThread, history } = chat
const { show, textsOf, choose } = createVersionCalls(chat)
const { start, untilDone } = createMigrationCalls(chat)
const threads = server.db.collection<ThreadDocument>('threads')
const messages = server.db.collection<MessageDocument>('messages')
const events = server.db.collection<LedgerEvent>('events')
const socket = await chat.connect()

const ask = (turn: object, text: string | string[]) => {
  fake.next({ text })
  return socket.ask(turn)
}

/** Creates a thread that shows its first two turns again after the second was edited. */
async function converse(): Promise<string> {
  const thread_id = await createThread()
  await ask({ thread_id, text: 'question 1' }, 'answer 1')
  await ask({ thread_id, text: 'question 2' }, 'answer 2')
  const question2 = (await show(thread_id))[2]!
  await ask({ thread_id, text: 'question two', replaces: question2.id }, 'answer two')
  await choose(thread_id, question2.id)
  return thread_id
}

const source = await converse()
const [, answer1, question2] = await show(source)
const ORIGINAL = ['question 1', 'answer 1', 'question 2', 'answer 2']

for (const [what, change, texts] of [
  [
    'an edit',
    () => ask({ thread_id: source, text: 'question zwei', replaces: question2!.id }, ['an ', 'swer']),
    ['question 1', 'answer 1', 'question zwei', 'answer'],
  ],
  [
    'a new answer',
    () => ask({ type: 'regenerate', thread_id: source, message_id: answer1!.id }, ['an ', 'swer']),
    ['question 1', 'answer'],
  ],
  [
    'the choice of a version',
    () => choose(source, question2!.versions!.at(-1)!),
    ['question 1', 'answer 1', 'question two', 'answer two'],
  ],
] as const)
  t.test(`${what} is kept or forgotten as a whole, whichever of its writes was the last`, async (t) => {
    const { recovery } = server.server.runtime.cradleOf('chat')
    const threadBefore = (await threads.findOne({ _id: source }))!
    const shownBefore = await show(source)
    await change()
    const { path } = (await threads.findOne({ _id: source }))!
    const shownAfter = await show(source)
    t.strictSame(
      shownAfter.map(({ text }) => text.replace('an swer', 'answer')),
      texts,
    )
    const written = await events.find(eventRange(source, threadBefore.last_seq)).sort({ _id: 1 }).toArray()
    const { turn_id } = written[0]!
    const holder = { node_id: 'another', machine: 'elsewhere', pid: 1, launch: '' }
    const first_seq = threadBefore.last_seq + 1
    const lease = { turn_id, first_seq, holder, lease_until: 1, started_at: 1, ...(path && { path }) }

    for (let kept = 0; kept <= written.length; kept += 1) {
      await events.deleteMany(eventRange(source, threadBefore.last_seq))
      if (kept > 0) await events.insertMany(written.slice(0, kept))
      await messages.deleteMany({ turn_id })
      await threads.replaceOne({ _id: source }, { ...threadBefore, active_turn: lease })
      await recovery.adopt()

      const shown = await show(source)
      const after = `after ${kept} of ${written.length} events`
      if (kept === 0) t.strictSame(shown, shownBefore, after)
      else if (kept === written.length) t.strictSame(shown, shownAfter, after)
      else {
        t.strictSame(
          shown.slice(0, -1),
          shownAfter.slice(0, -1).map((message) => ({ ...message })),
          after,
        )
        t.equal((await history(source)).messages.at(-1).status, 'failed', after)
        t.equal(shown.at(-1)!.versions?.length, shownAfter.at(-1)!.versions?.length, after)
      }
      const stored = await threads.findOne({ _id: source })
      t.match(stored, { active_turn: null, last_seq: Number })
      await threads.updateOne({ _id: source }, { $set: { projection_version: 0 } })
      await start()
      await untilDone()
      t.strictSame(
        (await threads.findOne({ _id: source }))!.path,
        stored!.path,
        `${after}: the same path from the ledger`,
      )
      t.strictSame(await show(source), shown, `${after}: the same history from the ledger`)
    }
    const chosen = await choose(source, question2!.id)
    t.equal(chosen.status, 200)
    t.strictSame(await textsOf(source), ORIGINAL)
  })

t.test('readers at another server see each version and each choice', async (t) => {
  const thread_id = await converse()
  const other = await spawnService(t, server.home)
  const reader = await connectChat(t, chatUrl(other.url, chat.agent_id, server.admin.token))
  await reader.subscribe(thread_id)
  const read = async () => {
    const response = await fetch(
      `${other.url}/api/agents/${chat.agent_id}/threads/${thread_id}/history?limit=200`,
      {
        headers: { authorization: `Bearer ${server.admin.token}` },
      },
    )
    return response.json()
  }
  const [, answer, , last] = await show(thread_id)
  await ask({ type: 'regenerate', thread_id, message_id: answer!.id }, 'answer one')
  t.match(await reader.until(({ type }) => type === 'turn_started'), { thread_id })
  await reader.until(({ type }) => type === 'done')
  t.strictSame(await read(), await history(thread_id, '?limit=200'))
  await choose(thread_id, last!.id)
  t.match(await reader.until(({ type }) => type === 'path_changed'), { thread_id, message_id: last!.id })
  t.strictSame(await read(), await history(thread_id, '?limit=200'))
  t.strictSame(await textsOf(thread_id), ORIGINAL)
  reader.close()
})

t.test(`a server that is killed shows one path or the other, seed ${seed}`, async (t) => {
  const random = createChance(seed)
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  const service = await startCrashService(t, home)
  const { thread_id } = await service.call('POST', '/threads')
  const read = async (): Promise<{ id: string; text: string; status: string }[]> => {
    for (;;) {
      const page = await service.call('GET', `/threads/${thread_id}/history?limit=200`)
      if (!page.turn_active)
        return page.messages.map(({ id, status, content }: MessageDocument & { id: string }) => ({
          id,
          status,
          text: content.map((block) => ('text' in block ? block.text : '')).join(''),
        }))
      await pause(20)
    }
  }
  const textsIn = (shown: { text: string }[]) => shown.map(({ text }) => text)
  const first = await service.connect()
  let script: Script = { text: 'answer' }
  service.fake.script(() => script)
  await first.ask({ thread_id, text: 'question' })
  const [question] = await read()
  await first.ask({ thread_id, text: 'edited', replaces: question!.id })
  first.close()
  for (let n = 1; n <= KILLS; n += 1) {
    const shownBefore = await read()
    const client = await service.connect()
    const text = Array.from({ length: 8 }, (_, word) => `${n}w${word} `)
    script = { text, delayMs: 2 }
    const isChoice = n % 2 === 0
    const chosen = shownBefore.some(({ id }) => id === question!.id) ? undefined : question!.id
    const request = isChoice
      ? service
          .call('PUT', `/threads/${thread_id}/path`, { message_id: chosen ?? shownBefore[0]!.id })
          .catch(String)
      : undefined
    if (!isChoice) {
      client.say({ thread_id, text: `edited ${n}`, replaces: question!.id })
      if (random.chance(0.7)) await client.until(({ type }) => type === 'turn_started')
    }
    await pause(random.int(0, 25))
    await service.kill()
    await request
    await service.start({ isLast: n === KILLS })
    const shown = await read()
    const isUnchanged = JSON.stringify(textsIn(shown)) === JSON.stringify(textsIn(shownBefore))
    if (isUnchanged) continue
    if (isChoice) t.strictSame(textsIn(shown), ['question', 'answer'], `kill ${n}`)
    else {
      t.equal(shown[0]!.text, `edited ${n}`, `kill ${n}`)
      t.equal(shown.length, 2, `kill ${n}`)
      t.ok(text.join('').startsWith(shown[1]!.text), `kill ${n}`)
    }
  }
  const last = await service.connect()
  script = { text: 'fine' }
  const shownBefore = await read()
  await last.ask({ thread_id, text: 'go on' })
  t.strictSame(textsIn(await read()), [...textsIn(shownBefore), 'go on', 'fine'])
})
