import t from 'tap'
import { createHold, range, startChat } from '../support/chat.ts'

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

/** Carries on one turn with a tool, an approval and a failing tool, and one that is only said. */
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

t.test('The list shows every event of the ledger in one line', async (t) => {
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

t.test('Pages rise, whichever end they are counted from, and can be narrowed down', async (t) => {
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
  t.ok((await list(`?turn_id=${second}`)).events.every(({ turn_id }) => turn_id === second))
  t.equal((await list('?type=done')).events.length, 2)
  for (const query of ['?limit=0', '?type=nothing', '?after_seq=-1', '?before=1'])
    t.equal((await threads('GET', `/${thread_id}/trajectory${query}`)).status, 422, query)
})

t.test('One event is shown whole, with what the frames do not tell', async (t) => {
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

t.test('The figures add up what the turns have taken', async (t) => {
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

t.test('The stream goes on behind the event that was seen last', async (t) => {
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

t.test('The export holds the whole ledger in either form', async (t) => {
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
