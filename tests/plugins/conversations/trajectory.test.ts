import { eventId, type LedgerEvent } from '../../../plugins/conversations/chat/ledger/ledger-event.ts'
import t from '../../run/file-test.ts'
import { createHold, range, startChat } from '../../support/chat.ts'

const chat = await startChat(t)
const { fake, createThread, server, agent_id, threads } = chat

const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: args })
const usage = (input: number, output: number) => ({ prompt_tokens: input, completion_tokens: output })

interface Row {
  event_id: string
  seq: number
  turn_id: string
  type: string
  ts: number
  summary: string
  duration_ms?: number
}

/** Runs one turn with a tool, an approval and a failing tool, and one turn of text only. */
async function carryOn(thread_id: string) {
  const socket = await chat.connect()
  fake.next(
    {
      reasoning: ['hm'],
      text: 'I look\nand run.',
      toolCalls: [call('a', 'ls', {}), call('b', 'execute', { command: 'true' }), call('c', 'ls', { x: 1 })],
      usage: usage(100, 20),
    },
    { text: 'Done.', usage: usage(200, 5) },
    { text: 'Bye.', usage: usage(300, 1) },
  )
  await socket.ask({ thread_id, text: 'go  on\nplease' }, () => [{ type: 'approve' }])
  await socket.ask({ thread_id, text: 'bye' })
  return socket
}

const thread_id = await createThread()
const socket = await carryOn(thread_id)
const seen = socket.of(thread_id)
const list = async (query = '') => {
  const { status, body } = await threads('GET', `/${thread_id}/trajectory${query}`)
  t.equal(status, 200, JSON.stringify(body))
  return body as { events: Row[]; has_more: boolean }
}

t.test('The list shows every event of the ledger as one line', async (t) => {
  const { events, has_more } = await list()
  t.equal(has_more, false)
  t.strictSame(
    events.map(({ seq, type, turn_id }) => ({ seq, type, turn_id })),
    seen.map(({ seq, type, turn_id }) => ({ seq, type, turn_id })),
  )
  const lines = events.map(({ type, summary }) => `${type}: ${summary}`)
  for (const line of [
    'turn_started: go on please',
    'reasoning: hm',
    'tool_call: execute {"command":"true"}',
    'usage: 100 tokens in, 20 out, fake:m',
    'hitl_required: waits for a decision: execute',
    'hitl_resolved: decided: approve',
    'done: end',
  ])
    t.ok(lines.includes(line), line)
  for (const begin of ['tool_result: ls failed: ', 'tool_result: execute: '])
    t.ok(
      lines.some((line) => line.startsWith(begin)),
      begin,
    )
  for (const { type, duration_ms } of events)
    if (['usage', 'tool_result', 'hitl_resolved', 'done'].includes(type)) t.type(duration_ms, 'number', type)
})

t.test('Rows of calls and of their results name the call, and the one that delegated it', async (t) => {
  fake.next(
    { toolCalls: [{ id: 'call_t', name: 'task', arguments: { description: 'Look', instruction: 'Look' } }] },
    { toolCalls: [{ id: 'call_l', name: 'ls', arguments: {} }] },
    { text: 'Looked.' },
    { text: 'Done.' },
  )
  const socket = await chat.connect()
  const turn = await socket.ask({ text: 'Look around' })
  socket.close()
  const { body } = await threads('GET', `/${turn.thread_id}/trajectory?turn_id=${turn.turn_id}`)
  const ids = (body.events as Record<string, unknown>[]).flatMap(
    ({ type, tool_call_id, parent_tool_call_id }) =>
      tool_call_id === undefined ? [] : [[type, tool_call_id, parent_tool_call_id]],
  )
  t.strictSame(ids, [
    ['tool_call', 'call_t', undefined],
    ['tool_call', 'call_t/1/call_l', 'call_t'],
    ['tool_result', 'call_t/1/call_l', 'call_t'],
    ['tool_result', 'call_t', undefined],
  ])
})

t.test('Pages are in rising order, whichever end they are counted from, and can be filtered', async (t) => {
  const seqs = async (query: string) => {
    const { events, has_more } = await list(query)
    return [events.map(({ seq }) => seq), has_more]
  }
  const last = seen.length
  t.strictSame(await seqs('?limit=3'), [range(last - 2, last), true])
  t.strictSame(await seqs('?limit=3&before_seq=4'), [[1, 2, 3], false])
  t.strictSame(await seqs('?limit=3&before_seq=6'), [[3, 4, 5], true])
  t.strictSame(await seqs('?limit=3&after_seq=2'), [[3, 4, 5], true])
  t.strictSame(await seqs('?after_seq=2&before_seq=5'), [[3, 4], false])
  t.strictSame(await seqs(`?after_seq=${last}`), [[], false])
  t.strictSame(await seqs('?limit=1000'), [range(1, last), false])
  const second = seen.at(-1)!.turn_id
  const first = seen.findIndex(({ turn_id }) => turn_id === second) + 1
  t.strictSame(await seqs(`?turn_id=${second}`), [range(first, last), false])
  t.strictSame(await seqs(`?turn_id=${second}&limit=2`), [range(last - 1, last), true])
  t.strictSame(await seqs(`?turn_id=${second}&after_seq=0&limit=2`), [range(first, first + 1), true])
  t.strictSame(await seqs(`?turn_id=${seen[0]!.turn_id}&before_seq=${last}`), [range(1, first - 1), false])
  t.strictSame(await seqs(`?turn_id=${seen[0]!.turn_id}&after_seq=${first - 1}`), [[], false])
  t.strictSame(await seqs('?turn_id=none'), [[], false])
  t.strictSame(await seqs('?before_seq=0'), [[], false])
  t.strictSame(await seqs('?after_seq=999999999999'), [[], false])
  for (const type of new Set(seen.map((frame) => frame.type))) {
    const wanted = seen.filter((frame) => frame.type === type).map(({ seq }) => seq)
    t.strictSame(await seqs(`?type=${type}`), [wanted, false], type)
    t.strictSame(await seqs(`?type=${type}&limit=1&after_seq=0`), [wanted.slice(0, 1), wanted.length > 1])
    const inSecond = wanted.filter((seq) => seq >= first)
    t.strictSame(await seqs(`?type=${type}&turn_id=${second}`), [inSecond, false], `${type} of one turn`)
  }
  for (const query of ['?limit=0', '?type=nothing', '?after_seq=-1', '?before=1'])
    t.equal((await threads('GET', `/${thread_id}/trajectory${query}`)).status, 422, query)
})

t.test('One event is shown with all fields, including those outside of its frame', async (t) => {
  const { events } = await list()
  const read = async (type: string) => {
    const { event_id } = events.find((row) => row.type === type)!
    return (await threads('GET', `/${thread_id}/trajectory/events/${event_id}`)).body
  }
  t.match(await read('turn_started'), {
    seq: 1,
    frame: { message_id: String },
    input: [{ type: 'text', text: 'go  on\nplease' }],
    locale: 'en',
  })
  t.match(await read('usage'), {
    frame: { usage: { total_tokens: 120 }, call_id: /^call_/ },
    answer: [{ type: 'reasoning' }, { type: 'text', text: 'I look\nand run.' }, { toolName: 'ls' }, {}, {}],
    ms: Number,
  })
  for (const event_id of ['evt_0', 'evt_9999', 'evt_1x', events[0]!.turn_id]) {
    const { status, body } = await threads('GET', `/${thread_id}/trajectory/events/${event_id}`)
    t.match([status, body], [404, { error: { code: 'NOT_FOUND' } }], event_id)
  }
})

t.test('The figures add up the calls, tokens and times of the turns', async (t) => {
  const { status, body } = await threads('GET', `/${thread_id}/trajectory/metrics`)
  t.equal(status, 200)
  t.match(body, {
    turns: 2,
    model_calls: 3,
    tool_calls: { ls: { count: 2, errors: 1 }, execute: { count: 1, errors: 0 } },
    tokens: { input_tokens: 600, output_tokens: 26, total_tokens: 626 },
    time: { total_ms: Number, model_ms: Number, tool_ms: Number, waiting_ms: Number },
  })
  t.type(body.time.first_token_ms.p50, 'number')
  t.type(body.time.first_token_ms.p95, 'number')
  const empty = await threads('GET', `/${await createThread()}/trajectory/metrics`)
  t.match(empty.body, { turns: 0, tool_calls: {}, time: { first_token_ms: { p50: null, p95: null } } })
})

t.test('Waiting for a person and delegated tasks are counted once', async (t) => {
  const thread_id = await createThread()
  const tokens = { input_tokens: 10, output_tokens: 1, total_tokens: 11 }
  const said = { message_id: 'msg_1', usage: tokens, model: 'fake:m' }
  const result = { message_id: 'msg_2', tool_call_id: 'a', output: '', is_error: false }
  type Written = Pick<LedgerEvent, 'type'> & { frame?: object; at: number } & Record<string, unknown>
  const turns: Written[][] = [
    [
      { type: 'turn_started', at: 1000 },
      { type: 'usage', at: 1300, ms: 200, first_token_ms: 90, frame: { ...said, message_id: undefined } },
      { type: 'usage', at: 1800, ms: 400, first_token_ms: 50, frame: said },
      { type: 'tool_result', at: 1900, ms: 30, frame: { ...result, name: 'ls', parent_tool_call_id: 't' } },
      { type: 'tool_result', at: 1900, ms: 70, frame: { ...result, name: 'task', is_error: true } },
      { type: 'hitl_required', at: 1900, ms: 900 },
      { type: 'hitl_resolved', at: 2900, ms: 1000, frame: { outcome: 'decided', decisions: [] } },
      { type: 'usage', at: 3000, ms: 60, first_token_ms: 7, frame: said },
      { type: 'done', at: 3100, ms: 2100 },
    ],
    [
      { type: 'turn_started', at: 4000 },
      { type: 'usage', at: 4100, ms: 100, first_token_ms: null, frame: said },
      { type: 'usage', at: 4300, ms: 100, first_token_ms: 100, frame: said },
      { type: 'error', at: 4300, ms: 300 },
    ],
    // The clock was set back.
    [
      { type: 'turn_started', at: 9000 },
      { type: 'usage', at: 5000, ms: 100, first_token_ms: 20, frame: said },
    ],
  ]
  await server.db.collection<LedgerEvent>('events').insertMany(
    turns
      .flatMap((events, turn) => events.map((event) => ({ turn_id: `${thread_id}-${turn}`, ...event })))
      .map(({ at: ts, frame = {}, ...event }, index) => ({
        _id: eventId(thread_id, index + 1),
        ts,
        frame,
        writer: '',
        ...event,
      })) as LedgerEvent[],
  )
  const { body } = await threads('GET', `/${thread_id}/trajectory/metrics`)
  t.strictSame(body, {
    turns: 3,
    model_calls: 6,
    cost: null,
    tool_calls: { ls: { count: 1, errors: 0, ms: 30 }, task: { count: 1, errors: 1, ms: 70 } },
    tokens: { input_tokens: 60, output_tokens: 6, total_tokens: 66 },
    time: {
      total_ms: 1100 + 300,
      model_ms: 960,
      tool_ms: 70,
      waiting_ms: 1000,
      first_token_ms: { p50: 20, p95: 450 },
    },
  })
})

t.test('The stream continues after the last seen event', async (t) => {
  const follow = async (query: string, headers: Record<string, string> = {}) => {
    const leaving = new AbortController()
    t.teardown(() => leaving.abort())
    const url = `${server.url}/api/agents/${agent_id}/threads/${thread_id}/trajectory/stream${query}`
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${server.admin.token}`, ...headers },
      signal: leaving.signal,
    })
    t.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    return async (count: number) => {
      const items = () => [...text.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.*)$/gm)]
      while (items().length < count) text += (await reader.read()).value
      return items().map(([, id, event, data]) => ({ id: Number(id), event, row: JSON.parse(data!) }))
    }
  }
  const last = seen.length
  const fromStart = await follow('?after_seq=0')
  const resumed = await follow('?after_seq=0', { 'last-event-id': '3' })
  const live = await follow('')
  const first = await fromStart(last)
  t.strictSame(
    first.map(({ id, event, row }) => [id, event, row]),
    (await list()).events.map((row) => [row.seq, row.type, row]),
  )
  t.equal((await resumed(1))[0]!.id, 4)

  const { hold, release } = createHold()
  fake.next({ text: ['more ', 'text'], hold, holdAfter: 1 })
  const asked = socket.say({ thread_id, text: 'more' })
  t.match(await live(1), [{ id: last + 1, event: 'turn_started', row: { summary: 'more' } }])
  release()
  const { end } = await socket.seeTurn(asked)
  const all = await live(end.seq - last)
  t.strictSame(
    all.map(({ id }) => id),
    range(last + 1, end.seq),
  )
  t.equal(all.at(-1)!.event, 'done')
})

t.test('The export contains the whole ledger in either format', async (t) => {
  const lines = await threads('GET', `/${thread_id}/trajectory/export`)
  t.equal(lines.headers.get('content-type'), 'application/x-ndjson')
  t.match(lines.headers.get('content-disposition'), `trajectory-${thread_id}.jsonl`)
  const [head, ...events] = String(lines.body)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.match(head, { format: 'svc-trajectory', version: 1, thread_id, title: 'go on please', agent: {} })
  t.strictSame(
    events.map(({ seq }) => seq),
    range(1, socket.of(thread_id).length),
  )
  t.notMatch(JSON.stringify(events), /"writer"|"_id"/)
  const json = await threads('GET', `/${thread_id}/trajectory/export?format=json`)
  t.strictSame({ ...json.body, exported_at: 0 }, { ...head, exported_at: 0, events })
  t.equal((await threads('GET', `/${thread_id}/trajectory/export?format=xml`)).status, 422)
})

t.test('Only the user of a thread can read its trajectory, also with a shared agent', async (t) => {
  const ada = await server.createUser({ username: 'ada' })
  const shared = await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
  t.equal(shared.status, 200)
  const hers = await createThread({ token: ada.token })
  const gone = await createThread()
  t.equal((await threads('DELETE', `/${gone}`)).status, 204)
  for (const path of ['', '/events/evt_1', '/metrics', '/stream', '/export']) {
    for (const [token, thread] of [
      [ada.token, thread_id],
      [server.admin.token, hers],
      [server.admin.token, gone],
      [server.admin.token, 'thr_none'],
    ]) {
      const { status, body } = await threads('GET', `/${thread}/trajectory${path}`, { token })
      t.match([status, body], [404, { error: { code: 'THREAD_NOT_FOUND' } }], path)
    }
  }
  const own = await threads('GET', `/${hers}/trajectory`, { token: ada.token })
  t.strictSame(own.body, { events: [], has_more: false })
  const file = await threads('GET', `/${hers}/trajectory/export?format=json`, { token: ada.token })
  t.match(file.body, { thread_id: hers, title: null, events: [] })
})
