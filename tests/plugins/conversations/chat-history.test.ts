import { setTimeout as pause } from 'node:timers/promises'
import t from '../../run/file-test.ts'
import { amount, isLong } from '../../run/tier.ts'
import { createHold, range, startChat, textOf } from '../../support/chat.ts'
import { seedThread } from '../../support/chat-seed.ts'
import { readPages } from '../../support/server.ts'
import type { TestFrame } from '../../support/socket.ts'

const chat = await startChat(t)
const { fake, threads, createThread, history } = chat

interface Message {
  id: string
  role: string
  content: Record<string, unknown>[]
  status?: string
}
type Page = {
  messages: Message[]
  has_more: boolean
  next_cursor: string | null
  last_seq: number
  turn_active: boolean
}

const idsOf = ({ messages }: Page) => messages.map(({ id }) => id)

/** Reads a whole thread page by page; newest page first, like a client that scrolls up. */
async function readByCursor(thread_id: string, limit: number): Promise<string[]> {
  let ids: string[] = []
  for (let cursor = ''; ; ) {
    const page: Page = await history(thread_id, `?limit=${limit}${cursor}`)
    ids = [...idsOf(page), ...ids]
    if (!page.has_more) {
      if (page.next_cursor !== null) throw new Error('a last page has a cursor')
      return ids
    }
    if (page.messages.length !== limit) throw new Error('a page that is not the last is not full')
    cursor = `&cursor=${page.next_cursor}`
  }
}

t.test('Pages count from the newest message and are read oldest first', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  for (const n of range(1, 9)) await socket.ask({ thread_id, text: `message ${n}` })
  const all: Page = await history(thread_id)
  t.equal(all.messages.length, 18)
  t.strictSame(
    all.messages.map(({ content }) => content[0]!.text),
    range(1, 9).flatMap((n) => [`message ${n}`, `message ${n}`]),
  )
  t.match(all, { has_more: false, next_cursor: null })

  const ids = idsOf(all)
  for (const [limit, offset] of [
    [1, 0],
    [5, 0],
    [5, 5],
    [5, 15],
    [18, 0],
    [4, 17],
    [3, 18],
    [3, 99],
  ] as const) {
    const page: Page = await history(thread_id, `?limit=${limit}&offset=${offset}`)
    const end = Math.max(0, ids.length - offset)
    t.strictSame(idsOf(page), ids.slice(Math.max(0, end - limit), end), `limit ${limit} offset ${offset}`)
    t.match(page, { limit, offset, has_more: end - limit > 0 })
  }
  for (const limit of isLong ? [1, 2, 5, 6, 17, 18] : [5, 6, 18])
    t.strictSame(await readByCursor(thread_id, limit), ids)
  for (const query of ['?limit=0', '?offset=-1', '?cursor=abc', '?limit=many', '?page=2'])
    t.match(await threads('GET', `/${thread_id}/history${query}`), {
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED' } },
    })
})

t.test('A page has at most 200 messages, 25 by default', async (t) => {
  const thread_id = await seedThread(chat, 130)
  t.match(await history(thread_id), { limit: 25, has_more: true })
  const page = await history(thread_id, '?limit=100000')
  t.match(page, { limit: 200, has_more: true, messages: { length: 200 } })
  const lastPage: Page = await history(thread_id, `?limit=500&cursor=${page.next_cursor}`)
  t.match(lastPage, { has_more: false, messages: { length: 60 } })
  t.equal(new Set([...idsOf(lastPage), ...idsOf(page)]).size, 260)
  const linked = await readPages(
    chat.server,
    `/agents/${chat.agent_id}/threads/${thread_id}/history?limit=99&offset=3`,
  )
  t.strictSame(
    linked
      .map(({ body }) => idsOf(body))
      .reverse()
      .flat(),
    [...idsOf(lastPage), ...idsOf(page)].slice(0, -3),
  )
})

t.test('Pages of a thread in which a turn is streaming are whole, by offset and by cursor', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  await socket.ask({ thread_id, text: 'before' })
  const { hold, release } = createHold()
  fake.next(
    { text: ['look', 'ing'], toolCalls: [{ name: 'ls', arguments: {} }] },
    { text: ['fo', 'und', ' it'], hold, holdAfter: 2 },
  )
  const sent = socket.say({ thread_id, text: 'now' })
  await socket.until(({ content }) => content?.endsWith('und'))
  const live: Page = await history(thread_id, '?limit=200')
  t.match(live, { turn_active: true, last_seq: socket.frames.at(-1)!.seq })
  t.match(live.messages, [
    { role: 'user' },
    { role: 'assistant', status: 'complete' },
    { role: 'user', content: [{ text: 'now' }], status: 'complete' },
    { role: 'assistant', content: [{ text: 'looking' }, { type: 'tool_use' }] },
    { role: 'tool' },
    { role: 'assistant', status: 'streaming', content: [{ text: 'found' }] },
  ])
  for (const limit of isLong ? range(1, 6) : [1, 4])
    t.strictSame(await readByCursor(thread_id, limit), idsOf(live))
  for (const offset of range(0, 6)) {
    const page: Page = await history(thread_id, `?limit=2&offset=${offset}`)
    t.strictSame(idsOf(page), idsOf(live).slice(Math.max(0, 4 - offset), 6 - offset), `offset ${offset}`)
    t.equal(page.has_more, offset < 4)
  }
  release()
  await socket.seeTurn(sent)
  t.strictSame(idsOf(await history(thread_id)), idsOf(live), 'the ids stay when the turn is over')
})

/** The state of a client that has loaded a history and received the frames that follow. */
function fold(messages: readonly Message[], frames: readonly TestFrame[], said: string): Message[] {
  const folded = new Map(messages.map(({ id, role, content }) => [id, { id, role, content: [...content] }]))
  const open = (id: string, role: string, content: Message['content'] = []) => {
    const message = folded.get(id) ?? { id, role, content }
    folded.set(id, message)
    return message.content
  }
  const append = (blocks: Message['content'], type: string, field: string, text: string) => {
    const last = blocks.at(-1)
    if (last?.type === type) blocks[blocks.length - 1] = { ...last, [field]: last[field] + text }
    else blocks.push({ type, [field]: text })
  }
  for (const frame of frames) {
    const { type, message_id, tool_call_id: id, name, input, output, is_error, content } = frame
    if (type === 'turn_started') open(message_id, 'user', [{ type: 'text', text: said }])
    if (type === 'content') append(open(message_id, 'assistant'), 'text', 'text', content)
    if (type === 'reasoning') append(open(message_id, 'assistant'), 'thinking', 'thinking', content)
    if (type === 'tool_call') open(message_id, 'assistant').push({ type: 'tool_use', id, name, input })
    if (type === 'tool_result')
      open(message_id, 'tool').push({ type: 'tool_result', id, name, output, is_error })
  }
  return [...folded.values()]
}

const plain = ({ messages }: Page) => messages.map(({ id, role, content }) => ({ id, role, content }))

t.test('History at any moment and a subscription after it deliver everything exactly once', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  await socket.ask({ thread_id, text: 'before' })
  const said = 'tell me much'
  const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n} 😀 `)
  const file = { name: 'write_file', arguments: { path: 'a.txt', content: 'a' } }
  fake.next(
    { reasoning: words(15), text: words(40), toolCalls: [file, { name: 'ls', arguments: {} }], delayMs: 3 },
    { text: words(60), delayMs: 3 },
  )

  const cuts: { page: Page; frames?: Promise<TestFrame[]> }[] = []
  const readOn = async ({ last_seq }: Page) => {
    const reader = await chat.connect()
    await reader.subscribe(thread_id, last_seq)
    await reader.until(({ type, seq }) => type === 'done' && seq > last_seq)
    return reader.of(thread_id)
  }
  const sent = socket.say({ thread_id, text: said })
  let over = false
  const turn = socket.seeTurn(sent).then((seen) => {
    over = true
    return seen
  })
  while (!over) {
    const page: Page = await history(thread_id, '?limit=200')
    cuts.push({ page, ...(page.turn_active && cuts.length % 4 === 0 ? { frames: readOn(page) } : {}) })
    if (!isLong) await pause(10)
  }
  const { end } = await turn
  const final: Page = await history(thread_id, '?limit=200')
  t.match(final, { turn_active: false, last_seq: end.seq })
  const whole = plain(final)

  const positions = new Set(cuts.map(({ page }) => page.last_seq))
  t.comment(`${cuts.length} cuts at ${positions.size} positions`)
  t.ok(positions.size > 5, 'the turn was cut at several places')
  const replay = await chat.connect()
  await replay.subscribe(thread_id, 0)
  await replay.until(({ type, seq }) => type === 'done' && seq === end.seq)
  const ledger = replay.of(thread_id)
  t.strictSame(
    ledger.map(({ seq }) => seq),
    range(1, end.seq),
  )
  for (const { page, frames } of cuts) {
    const behind = ledger.slice(page.last_seq)
    if (frames) t.strictSame(await frames, behind, `frames behind ${page.last_seq}, live`)
    t.strictSame(fold(page.messages, behind, said), whole, `the whole from ${page.last_seq} on`)
    t.equal(page.turn_active && behind.length === 0, false, 'what is called active has an end to come')
  }
  t.equal(textOf(ledger), ['before', ...words(40), ...words(60)].join(''))
})

t.test('A turn whose end is in the history is not shown as active while it is being stored', async (t) => {
  const [socket, reader] = [await chat.connect(), await chat.connect()]
  const turns = amount({ short: 3, long: 25 })
  let wasActive = 0
  for (const n of range(1, turns)) {
    const thread_id = await createThread()
    const seen: { last_seq: number; active: boolean }[] = []
    let over = false
    const poll = async () => {
      while (!over) {
        const { last_seq, turn_active }: Page = await history(thread_id, '?limit=1')
        seen.push({ last_seq, active: turn_active })
      }
    }
    const subscribe = async () => {
      while (!over) {
        const { last_seq, active } = await reader.subscribe(thread_id)
        seen.push({ last_seq, active })
      }
    }
    const polling = [poll(), poll(), subscribe()]
    const { end } = await socket.ask({ thread_id, text: `turn ${n}` })
    over = true
    await Promise.all(polling)
    wasActive += seen.filter(({ active }) => active).length
    t.strictSame(
      seen.filter(({ active, last_seq }) => active && last_seq === end.seq),
      [],
    )
  }
  t.ok(wasActive > turns)
})
