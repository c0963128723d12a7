import { setTimeout as pause } from 'node:timers/promises'
import { eventId, type LedgerEvent } from '../../../plugins/conversations/chat/ledger/ledger-event.ts'
import t from '../../run/file-test.ts'
import { amount, onlyLong } from '../../run/tier.ts'
import { createHold, range, startChat } from '../../support/chat.ts'
import { createMigrationCalls } from './migration-calls.ts'

/** An event as it is stored after an import. */
const asImported = (event: Line) => (event.type === 'turn_started' ? { ...event, is_copied: true } : event)

const chat = await startChat(t)
const { fake, createThread, history, server, agent_id } = chat
const calls = createMigrationCalls(chat)
const { importFile, row, start, statusUntil, events, threads, messages } = calls

// biome-ignore lint/suspicious/noExplicitAny: files are made wrong in every way
type Line = any

const isDone = ({ remaining, processing }: { remaining: number; processing: boolean }) =>
  remaining === 0 && !processing

/** The export of a thread: its head and its events. */
async function linesOf(thread_id: string): Promise<Line[]> {
  const { body } = await chat.threads('GET', `/${thread_id}/trajectory/export`)
  return body
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line))
}
const toText = (lines: Line[]) => lines.map((line) => JSON.stringify(line)).join('\n')
const toObject = ([head, ...events]: Line[]) => ({ ...head, events })

/** Replaces ids by the position of their first use, for comparison. */
function withoutIds<Value>(value: Value): Value {
  const names = new Map<string, string>()
  return JSON.parse(
    JSON.stringify(value).replaceAll(/(thr|trn|msg|call|apr)_[0-9A-Z]{26}/g, (id) => {
      const name = names.get(id) ?? `#${names.size}`
      names.set(id, name)
      return name
    }),
  )
}

const original = await calls.carryOn()
const exported = await linesOf(original)
const shown = await history(original, '?limit=200')
const shownRow = await row(original)

for (const [form, text] of [
  ['lines', toText(exported)],
  [
    'lines that a foreign program has written',
    `\uFEFF${exported.map((line) => `${JSON.stringify(line)}\r\n`).join('\n')}`,
  ],
  ['one object', JSON.stringify(toObject(exported))],
  ['one object over many lines', JSON.stringify(toObject(exported), null, 2)],
] as const)
  t.test(`An export as ${form} becomes a thread with the same history`, async (t) => {
    const { status, body } = await importFile(text)
    t.match(status, 201, JSON.stringify(body))
    t.match(body, {
      thread_id: /^thr_/,
      session_key: /^ses_/,
      imported_events: exported.length - 1,
      title: `${shown.messages[0].content[0].text.slice(0, 39)}…`,
    })
    const { thread_id, session_key } = body
    t.match(await row(thread_id), { session_key, title: body.title, last_active: shownRow.last_active })
    t.match(await history(thread_id), { messages: [], history_status: 'pending', last_seq: shown.last_seq })
    t.match(await start(), { body: { accepted: 1 } })
    await statusUntil(isDone)

    const imported = await history(thread_id, '?limit=200')
    t.strictSame(withoutIds(imported.messages), withoutIds(shown.messages))
    const ids = new Set(shown.messages.flatMap(({ id, turn_id }: Line) => [id, turn_id]))
    t.notOk(imported.messages.some(({ id, turn_id }: Line) => ids.has(id) || ids.has(turn_id)))
    t.strictSame({ ...imported, messages: [], thread_id: '' }, { ...shown, messages: [], thread_id: '' })
    const { artifacts, sources } = await row(thread_id)
    t.strictSame({ artifacts, sources }, { artifacts: shownRow.artifacts, sources: shownRow.sources })
    t.strictSame(
      withoutIds((await linesOf(thread_id)).slice(1)),
      withoutIds(exported.slice(1).map(asImported)),
    )
    t.strictSame(await history(original, '?limit=200'), shown, 'the original is as it was')
  })

t.test('An imported thread can be continued, and its reader receives all of it', async (t) => {
  const { body } = await importFile(toText(exported))
  const { thread_id } = body
  const socket = await chat.connect()
  fake.next({ text: 'I have not read it yet' })
  const turn = await socket.ask({ thread_id, text: 'What was it about?' })
  t.equal(turn.frames[0]!.seq, exported.length)
  await start()
  await statusUntil(isDone)
  fake.next({ text: 'about files' })
  await socket.ask({ thread_id, text: 'and now?' })
  t.match(fake.requests.at(-1)!.body.messages.slice(1), [
    { role: 'user', content: /^Write a file/ },
    { role: 'assistant', tool_calls: [{ function: { arguments: /b\.txt/ } }] },
    { role: 'tool' },
  ])
  const { messages: all } = await history(thread_id, '?limit=200')
  t.equal(all.length, shown.messages.length + 4)
  t.match(all.slice(-4), [
    { content: [{ text: 'What was it about?' }] },
    { content: [{ text: 'I have not read it yet' }] },
    { content: [{ text: 'and now?' }] },
    {},
  ])
  const reader = await chat.connect()
  const { last_seq } = await reader.subscribe(thread_id, 0)
  await reader.until(({ seq }) => seq === last_seq)
  t.strictSame(
    reader.of(thread_id).map(({ seq }) => seq),
    range(1, last_seq),
  )
})

t.test('A thread whose turn was running when it was exported is not stuck', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  const { hold, release } = createHold()
  fake.next({ text: ['half ', 'done'], hold, holdAfter: 1 })
  const sent = socket.say({ thread_id, text: 'begin' })
  await socket.until(({ content }) => content === 'half ')
  const lines = await linesOf(thread_id)
  release()
  await socket.seeTurn(sent)
  const { body } = await importFile(toText(lines))
  t.match(body, { imported_events: 2, title: 'begin' })
  await start()
  await statusUntil(isDone)
  t.match(await history(body.thread_id), {
    last_seq: 3,
    turn_active: false,
    messages: [{ role: 'user' }, { role: 'assistant', status: 'failed', content: [{ text: 'half ' }] }],
  })
  t.match((await linesOf(body.thread_id)).at(-1), { type: 'error', frame: { code: 'TURN_INTERRUPTED' } })
  const turn = await socket.ask({ thread_id: body.thread_id, text: 'go on' })
  t.match(turn, { end: { type: 'done' }, frames: [{ seq: 4 }] })
})

t.test('An empty thread can be imported', async (t) => {
  const { status, body } = await importFile(toText([{ ...exported[0], title: null }]))
  t.match([status, body], [201, { imported_events: 0, title: null }])
  await start()
  await statusUntil(isDone)
  t.match(await history(body.thread_id), { messages: [], history_status: 'ready', last_seq: 0 })
})

t.test('An export that begins after the first event, like that of a fork, is numbered from 1', async (t) => {
  const moved = exported.slice(1).map((event) => ({ ...event, seq: event.seq + 40 }))
  const { body } = await importFile(toText([exported[0], ...moved]))
  t.equal((await linesOf(body.thread_id))[1].seq, 1)
  await start()
  await statusUntil(isDone)
  const imported = await history(body.thread_id, '?limit=200')
  t.strictSame(withoutIds(imported.messages), withoutIds(shown.messages))
})

t.test('Texts of any kind stay unchanged', async (t) => {
  const text = 'a\u2028b\u2029c\rd\r\ne\u0000f 😀 \ud800 $where __proto__'
  const input = JSON.parse(
    '{"$set":{"a.b":1},"__proto__":{"admin":true},"$ref":"x","_bsontype":"ObjectId","constructor":{"prototype":1}}',
  )
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  const sources = [{ id: 'a', title: 'A page', url: 'https://example.org/' }]
  const frames = [
    { type: 'turn_started', frame: { message_id: 'm1' }, input: [{ type: 'text', text }] },
    { type: 'content', frame: { message_id: 'm2', content: text } },
    { type: 'tool_call', frame: { message_id: 'm2', tool_call_id: 'c', name: text, input } },
    { type: 'usage', frame: { message_id: 'm2', usage, model: 'a:b' } },
    {
      type: 'tool_result',
      frame: { message_id: 'm3', tool_call_id: 'c', name: text, output: text, is_error: true, sources },
    },
    { type: 'done', frame: { message_id: 'm2', usage, stop_reason: 'end' } },
  ]
  const turns = [1, 2].flatMap((n) =>
    frames.map((event, index) => ({ seq: (n - 1) * 6 + index + 1, turn_id: `t${n}`, ts: 1e12, ...event })),
  )
  const { status, body } = await importFile(toText([{ ...exported[0], title: null }, ...turns]))
  t.equal(status, 201, JSON.stringify(body))
  await start()
  await statusUntil(isDone)
  const { messages: all } = await history(body.thread_id)
  const kept = text.replace('\ud800', '\ufffd')
  t.equal(all.length, 6, 'turns with the same message ids have messages of their own')
  t.equal(all[0].content[0].text, kept)
  t.equal(all[1].content[0].text, kept)
  t.equal(all[1].content[1].name, kept)
  t.equal(all[2].content[0].output, kept)
  t.strictSame(all[2].sources, sources)
  t.strictSame((await row(body.thread_id)).sources, sources)
  const { _bsontype, ...others } = input
  t.same(all[1].content[1].input, { ...others, '_bsontype ': _bsontype })
  t.notOk('admin' in {})
})

t.test('Two people who import one file have a thread each, and see only their own', async (t) => {
  await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
  const guest = await server.createUser({ username: 'guest' })
  const [mine, theirs] = await Promise.all([
    importFile(toText(exported)),
    importFile(toText(exported), { token: guest.token }),
  ])
  t.not(mine.body.thread_id, theirs.body.thread_id)
  t.not(mine.body.thread_id, original)
  await start()
  await statusUntil(isDone)
  const theirHistory = await history(theirs.body.thread_id, '?limit=200', { token: guest.token })
  t.strictSame(withoutIds(theirHistory.messages), withoutIds(shown.messages))
  const path = `/${theirs.body.thread_id}/history`
  t.match(await chat.threads('GET', path), { status: 404 })
})

t.test(
  'Files that are not exports are refused with the place and the reason, and leave nothing behind',
  { skip: onlyLong },
  async (t) => {
    const [head, ...all] = exported
    const first = all[0]
    const change = (index: number, changes: object) => {
      const lines = structuredClone(exported)
      Object.assign(lines[index], changes)
      return toText(lines)
    }
    const reframe = (type: string, changes: object, drop?: string) => {
      const lines = structuredClone(exported)
      const event = lines.find((line) => line.type === type)
      Object.assign(event.frame, changes)
      if (drop) delete event.frame[drop]
      return toText(lines)
    }
    const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    const wrong: [what: string, file: string | Uint8Array, reason: RegExp][] = [
      ['nothing', '', /empty/],
      ['blanks', '\n\n', /not JSON/],
      ['no JSON', 'hello', /not JSON/],
      ['bytes', new Uint8Array([0x50, 0x4b, 3, 4, 0xff, 0xfe, 0]), /not JSON/],
      ['a number', '17', /head|line 1|valid/],
      ['null', 'null', /valid/],
      ['a list', '[]', /valid/],
      ['no head', toText(all), /line 1 is not valid/],
      ['half a line', toText(exported).slice(0, -20), /line \d+ is not JSON/],
      ['half an object', JSON.stringify(toObject(exported)).slice(0, -5), /not JSON/],
      ['events that are no list', JSON.stringify({ ...head, events: {} }), /no list of events/],
      ['another format', change(0, { format: 'other' }), /line 1 .*\/format/],
      ['a later version', change(0, { version: 2 }), /line 1 .*\/version/],
      ['a field too many in the head', change(0, { owner: 'x' }), /line 1 .*\/owner/],
      ['a field too many in an event', change(2, { user_id: 'x' }), /line 3 .*\/user_id/],
      ['a thread id in an event', change(2, { thread_id: original }), /line 3 .*\/thread_id/],
      ['a field too many in a frame', reframe('content', { thread_id: original }), /\/frame\/thread_id/],
      ['an event of no type', change(2, { type: 'system' }), /line 3 .*\/type/],
      ['a frame of another type', change(1, { type: 'content' }), /line 2 .*\/frame/],
      ['a seq of 2^53', change(1, { seq: 2 ** 53 }), /line 2 .*\/seq/],
      ['a seq that is text', change(1, { seq: '1' }), /line 2 .*\/seq/],
      ['a seq of 0', change(1, { seq: 0 }), /line 2 .*\/seq/],
      ['a gap', toText([head, ...all.slice(0, 2), ...all.slice(3)]), /line 4 must have the seq 3/],
      ['an event twice', toText([head, first, first]), /line 3 must have the seq 2/],
      ['a time before all times', change(1, { ts: -1 }), /line 2 .*\/ts/],
      ['a turn in a turn', toText([head, first, { ...first, seq: 2 }]), /line 3 starts a turn/],
      ["another turn's event", change(2, { turn_id: 'trn_other' }), /line 3 is not part of a turn/],
      ['an event before any turn', toText([head, { ...all[1], seq: 1 }]), /line 2 is not part of a turn/],
      [
        'an event behind a turn',
        toText([...exported, { ...all[1], seq: exported.length }]),
        /not part of a turn/,
      ],
      ['no message id', reframe('content', {}, 'message_id'), /\/frame\/message_id/],
      ['text that is none', reframe('content', { content: { $gt: '' } }), /\/frame\/content/],
      [
        'tokens below 0',
        reframe('usage', { usage: { input_tokens: -1, output_tokens: 0, total_tokens: 0 } }),
        /\/frame\/usage/,
      ],
      ['a file with no name', reframe('attachment', { path: '' }), /\/frame\/path/],
      ['an input of no kind', change(1, { input: [{ type: 'tool_use', id: 'x' }] }), /line 2 .*\/input\/0/],
      [
        'a huge line',
        toText([head, { ...first, input: [{ type: 'text', text: 'x'.repeat(9e6) }] }]),
        /line 2 is longer/,
      ],
      ['a huge first line', 'x'.repeat(9e6), /not JSON/],
      [
        'a huge event',
        JSON.stringify({ ...head, events: [{ ...first, input: [{ type: 'text', text: 'x'.repeat(9e6) }] }] }),
        /event 1 is longer/,
      ],
      [
        'an event that grows',
        toText([
          head,
          first,
          {
            ...all.find(({ type }) => type === 'tool_call'),
            turn_id: first.turn_id,
            seq: 2,
            frame: { message_id: 'm', tool_call_id: 'c', name: 'x', input: new Array(3e6).fill(0) },
          },
        ]),
        /line 3 is larger/,
      ],
      ['a deep head', `{"format":${deep(100_000)}}`, /line 1 is nested too deeply/],
      ['a deep line', `${JSON.stringify(head)}\n{"seq":${deep(51)}}`, /line 2 is nested too deeply/],
      ['an answer that is no JSON', change(5, { answer: 'hello' }), /the answer in line 6 is not JSON/],
      ['a deep answer', change(5, { answer: deep(100_000) }), /the answer in line 6 is nested too deeply/],
      ['a time without end', change(5, { ms: 1e308 }), /line 6 .*\/ms/],
      [
        'a result of no call',
        toText(
          exported
            .filter(({ type }) => type !== 'tool_call')
            .map((line, seq) => ({ ...line, ...(seq && { seq }) })),
        ),
        /is the result of an unknown call/,
      ],
      [
        'a deep event',
        `${JSON.stringify(head).slice(0, -1)},"events":[${deep(100_000)}]}`,
        /event 1 is nested too deeply/,
      ],
    ]
    const countAll = async () => [
      await threads().countDocuments(),
      await events().countDocuments(),
      await messages().countDocuments(),
      await server.db.collection('thread_imports').countDocuments(),
    ]
    const countsBefore = await countAll()
    for (const [what, file, reason] of wrong) {
      const { status, body } = await importFile(file)
      t.equal(status, 422, what)
      t.match(body.error, { code: 'BAD_EXPORT', details: { reason, place: String } }, what)
      t.ok(body.error?.message.length < 300, `${what}: ${body.error?.message.slice(0, 200)}`)
    }
    const { status, body } = await server.request('POST', `/agents/${agent_id}/threads/import`, { body: {} })
    t.match([status, body.error.code], [415, 'UNSUPPORTED_MEDIA_TYPE'])
    t.strictSame(await countAll(), countsBefore)
  },
)

t.test('Values are as deep as in live turns, and many events in one turn are no burden', async (t) => {
  const [head, first] = exported
  const input = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`)
  const frame = { message_id: 'm', tool_call_id: 'c', name: 'x', input }
  const call = JSON.stringify({ seq: 2, turn_id: first.turn_id, ts: 1, type: 'tool_call', frame })
  const asked = { pending_id: 'p', action_requests: [], review_configs: [], expires_at: 1 }
  const edit = { type: 'edit', edited_action: { name: 'x', args: {} } }
  const resolved = { pending_id: 'p', outcome: 'decided', decisions: new Array(16).fill(edit) }
  const last = amount({ short: 800, long: 2000 })
  const many = range(3, last).map((seq) => {
    const event =
      seq % 2 ? { type: 'hitl_required', frame: asked } : { type: 'hitl_resolved', frame: resolved }
    return JSON.stringify({ seq, turn_id: first.turn_id, ts: 1, ...event })
  })
  const { status, body } = await importFile([toText([head, first]), call, ...many].join('\n'))
  t.match([status, body.imported_events], [201, last], JSON.stringify(body))
  await start()
  await statusUntil(isDone)
  const { messages: all, ...page } = await history(body.thread_id)
  t.match(page, { history_status: 'ready', last_seq: last + 1 })
  for (const view of ['', '/metrics', '/export?format=json'])
    t.match(await chat.threads('GET', `/${body.thread_id}/trajectory${view}`), { status: 200 }, view)
  t.match(all, [
    { role: 'user' },
    { role: 'assistant', status: 'failed', content: [{ type: 'tool_use', input }] },
  ])
})

t.test('The remains of an import that a crash interrupted are removed', async (t) => {
  const imports = () => server.db.collection<{ _id: string; started_at: number }>('thread_imports')
  const cut = 'thr_cut'
  const event = (await events().findOne({ _id: eventId(original, 1) }))!
  await events().insertOne({ ...event, _id: eventId(cut, 1) } as LedgerEvent)
  await imports().insertMany([
    { _id: cut, started_at: 0 },
    { _id: original, started_at: 0 },
    { _id: 'thr_under_way', started_at: Math.floor(Date.now() / 1000) },
  ])
  await server.restart()
  while ((await imports().countDocuments()) > 1) await pause(10)
  t.match(await imports().find().toArray(), [{ _id: 'thr_under_way' }])
  t.equal(await events().countDocuments({ _id: eventId(cut, 1) }), 0)
  t.strictSame(await history(original, '?limit=200'), shown, 'a thread that is whole stays')
})
