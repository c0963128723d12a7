import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { MODEL, range, startChat, textOf } from '../../support/chat.ts'
import type { TestFrame } from '../../support/socket.ts'

const chat = await startChat(t)
const { fake, createThread, history } = chat

const usage = (input: number, output: number) => ({ prompt_tokens: input, completion_tokens: output })
const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: args })
const writeFile = (id: string, path: string, content: string) => call(id, 'write_file', { path, content })

/** The types of frames, with runs of the same type counted once: how text is cut depends on the load. */
const shape = (frames: readonly TestFrame[]) =>
  frames.map(({ type }) => type).filter((type, index, types) => type !== types[index - 1])

t.test('A whole turn arrives in the declared order, each frame with its place', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  fake.next(
    {
      reasoning: ['let me ', 'write'],
      text: ['One ', 'moment.'],
      toolCalls: [writeFile('call_1', 'notes/plan.md', '# Plan')],
      usage: { ...usage(20, 9), prompt_tokens_details: { cached_tokens: 12 } },
    },
    {
      text: 'It is written.',
      usage: { ...usage(40, 3), completion_tokens_details: { reasoning_tokens: 2 } },
    },
  )
  const turn = await socket.ask({ thread_id, text: 'write a plan' })

  t.strictSame(shape(turn.frames), [
    'turn_started',
    'reasoning',
    'content',
    'tool_call',
    'usage',
    'attachment',
    'tool_result',
    'content',
    'usage',
    'done',
  ])
  t.strictSame(
    turn.frames.map(({ seq }) => seq),
    range(1, turn.frames.length),
  )
  for (const frame of turn.frames) t.match(frame, { thread_id, turn_id: turn.turn_id })
  t.match(thread_id, /^thr_/)
  t.match(turn.turn_id, /^trn_/)

  const of = (type: string) => turn.frames.filter((frame) => frame.type === type)
  const [first, second] = [of('content')[0]!.message_id, of('content').at(-1)!.message_id]
  t.notSame(first, second, 'each call of the model speaks in a message of its own')
  t.equal(of('turn_started')[0]!.client_message_id, turn.client_message_id)
  t.equal(textOf(turn.frames, 'reasoning'), 'let me write')
  t.equal(textOf(turn.frames), 'One moment.It is written.')
  t.match(of('tool_call'), [
    {
      message_id: first,
      tool_call_id: 'call_1',
      name: 'write_file',
      input: { path: 'notes/plan.md', content: '# Plan' },
    },
  ])
  t.match(of('tool_result'), [
    { tool_call_id: 'call_1', name: 'write_file', output: /6 bytes/, is_error: false },
  ])
  t.match(of('attachment'), [
    {
      kind: 'file',
      path: 'notes/plan.md',
      filename: 'plan.md',
      media_type: 'text/markdown',
      url: `/api/agents/${chat.agent_id}/files/content?path=notes%2Fplan.md`,
      message_id: of('tool_result')[0]!.message_id,
    },
  ])
  t.match(of('usage'), [
    {
      message_id: first,
      model: MODEL,
      usage: { input_tokens: 20, output_tokens: 9, total_tokens: 29, cached_input_tokens: 12 },
    },
    {
      message_id: second,
      usage: { input_tokens: 40, output_tokens: 3, total_tokens: 43, reasoning_tokens: 2 },
    },
  ])
  t.match(turn.end, {
    type: 'done',
    message_id: second,
    stop_reason: 'end',
    usage: {
      input_tokens: 60,
      output_tokens: 12,
      total_tokens: 72,
      cached_input_tokens: 12,
      reasoning_tokens: 2,
    },
  })
  const file = join(chat.server.home, 'agents', chat.agent_id, 'notes/plan.md')
  t.equal(await readFile(file, 'utf8'), '# Plan')

  const { messages, last_seq, artifacts } = await history(thread_id)
  t.equal(last_seq, turn.frames.length)
  const { path, filename, media_type, url } = of('attachment')[0]!
  t.equal((await chat.server.request('GET', url.slice('/api'.length))).body, '# Plan')
  t.strictSame(artifacts, [{ path, filename, media_type, url }])
  const { body: rows } = await chat.threads('GET', '')
  t.strictSame(rows[0].artifacts, artifacts)
  t.match(messages, [
    { role: 'user', status: 'complete', content: [{ type: 'text', text: 'write a plan' }] },
    {
      id: first,
      role: 'assistant',
      status: 'complete',
      model: MODEL,
      content: [
        { type: 'thinking', thinking: 'let me write' },
        { type: 'text', text: 'One moment.' },
        { type: 'tool_use', id: 'call_1', name: 'write_file' },
      ],
    },
    { role: 'tool', content: [{ type: 'tool_result', id: 'call_1' }], artifacts: [{ url }] },
    { id: second, role: 'assistant', content: [{ type: 'text', text: 'It is written.' }] },
  ])
  t.equal(messages.length, 4)
})

t.test('The model receives its calls and their results, in this turn and in the next', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  const requestCount = fake.requests.length
  fake.next(
    { reasoning: ['hm'], text: ['Writing'], toolCalls: [writeFile('call_w', 'a.txt', 'abc')] },
    { text: 'done' },
    { text: 'again' },
  )
  await socket.ask({ thread_id, text: 'first' })
  await socket.ask({ thread_id, text: 'second' })
  const [, step, next] = fake.requests.slice(requestCount).map(({ body }) => body.messages.slice(1))
  const spoken = [
    { role: 'user', content: 'first' },
    {
      role: 'assistant',
      content: 'Writing',
      tool_calls: [{ id: 'call_w', function: { name: 'write_file' } }],
    },
    { role: 'tool', tool_call_id: 'call_w', content: /3 bytes/ },
  ]
  t.match(step, spoken)
  t.equal(step!.length, 3)
  t.match(next, [...spoken, { role: 'assistant', content: 'done' }, { role: 'user', content: 'second' }])
  t.equal(next!.length, 5)
})

t.test('Parallel calls, a tool that fails and bad calls are all answered before the next step', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  const requestCount = fake.requests.length
  fake.next(
    {
      toolCalls: [
        writeFile('call_a', 'a.txt', 'a'),
        call('call_b', 'read_file', { path: 'there-is-none.txt' }),
        call('call_c', 'no_such_tool', {}),
        call('call_d', 'write_file', '{"path": "x'),
        call('call_e', 'write_file', { path: 'e.txt', mode: 7 }),
        call('call_f', 'ls', { path: '../..' }),
      ],
    },
    { toolCalls: [call('call_g', 'ls', '')] },
    { text: 'enough' },
  )
  const { frames, end } = await socket.ask({ thread_id, text: 'go' })
  t.match(end, { type: 'done', stop_reason: 'end' })
  const results = frames.filter(({ type }) => type === 'tool_result')
  const resultOf = (id: string) => results.find(({ tool_call_id }) => tool_call_id === id)
  t.match(resultOf('call_a'), { is_error: false })
  t.match(resultOf('call_b'), { is_error: true, name: 'read_file', output: /there-is-none/ })
  t.match(resultOf('call_c'), { is_error: true, name: 'no_such_tool', output: /no tool "no_such_tool"/ })
  t.match(resultOf('call_d'), { is_error: true, output: /not JSON/ })
  t.match(resultOf('call_e'), { is_error: true, output: /not valid.*(mode|content)/ })
  t.match(resultOf('call_f'), { is_error: true, output: /outside the workspace/ })
  t.match(resultOf('call_g'), { is_error: false }, 'an empty text means no arguments')
  t.equal(results.length, 7)

  const calls = frames.filter(({ type }) => type === 'tool_call')
  t.strictSame(
    calls.map(({ tool_call_id }) => tool_call_id),
    ['call_a', 'call_b', 'call_c', 'call_d', 'call_e', 'call_f', 'call_g'],
  )
  t.strictSame(calls[3]!.input, { text: '{"path": "x' }, 'broken arguments are shown as they were written')
  const toolMessages = fake.requests[requestCount + 1]!.body.messages.filter(({ role }) => role === 'tool')
  t.strictSame(
    toolMessages.map(({ tool_call_id, content }) => [tool_call_id, content]),
    ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => [`call_${letter}`, resultOf(`call_${letter}`)!.output]),
    'the results come to the model in the order of the calls',
  )
  const { messages } = await history(thread_id)
  t.strictSame(
    messages.map(({ role }: { role: string }) => role),
    ['user', 'assistant', ...Array(6).fill('tool'), 'assistant', 'tool', 'assistant'],
  )
})

t.test('An upstream that reuses the ids of calls does not mix up their results', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  fake.next(
    { toolCalls: [writeFile('call_0', 'one.txt', '1')] },
    { toolCalls: [writeFile('call_0', 'two.txt', '22')] },
    { text: 'ok' },
  )
  await socket.ask({ thread_id, text: 'go' })
  const { messages } = await history(thread_id)
  t.match(messages, [
    { role: 'user' },
    { role: 'assistant' },
    { role: 'tool', content: [{ output: /1 bytes/ }], artifacts: [{ path: 'one.txt' }] },
    { role: 'assistant' },
    { role: 'tool', content: [{ output: /2 bytes/ }], artifacts: [{ path: 'two.txt' }] },
    { role: 'assistant' },
  ])
  t.equal(messages.length, 6)
})

t.test('A model that never stops calling tools is stopped after its last step', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  const requestCount = fake.requests.length
  fake.next(...Array.from({ length: 25 }, (_, n) => ({ toolCalls: [call(`call_${n}`, 'ls', {})] })))
  const { end, frames } = await socket.ask({ thread_id, text: 'go on' })
  t.match(end, { type: 'done', stop_reason: 'max_steps' })
  t.equal(fake.requests.length - requestCount, 25)
  t.equal(frames.filter(({ type }) => type === 'tool_result').length, 25)
  fake.next({ text: 'fine' })
  t.match((await socket.ask({ thread_id, text: 'and now?' })).end, { stop_reason: 'end' })
})

t.test('seq rises by one over several turns, and each turn continues where the last one ended', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  const turns = []
  for (const text of ['one two three', 'four', 'five six']) turns.push(await socket.ask({ thread_id, text }))
  t.strictSame(
    socket.of(thread_id).map(({ seq }) => seq),
    range(1, socket.of(thread_id).length),
  )
  t.equal(new Set(turns.map(({ turn_id }) => turn_id)).size, 3)
  t.strictSame(
    turns.map(({ frames }) => textOf(frames)),
    ['one two three', 'four', 'five six'],
  )
})

t.test('A turn without a thread creates one, and the model receives its content blocks', async (t) => {
  const socket = await chat.connect()
  const requestCount = fake.requests.length
  fake.next({ text: 'a picture' })
  const content = [
    { type: 'text', text: 'what is' },
    { type: 'image', path: 'inbound/cat.png', filename: 'cat.png', media_type: 'image/png' },
    { type: 'file', path: 'inbound/a.pdf', filename: 'a.pdf', media_type: 'application/pdf' },
  ]
  const { thread_id } = await socket.ask({ content })
  const { messages } = await history(thread_id)
  t.strictSame(messages[0].content, content)
  const sentMessage = JSON.stringify(fake.requests[requestCount]!.body.messages.at(-1))
  for (const part of ['what is', 'inbound/cat.png', 'inbound/a.pdf']) t.match(sentMessage, part)
})

t.test('Every frame of a turn reaches every connection that reads its thread', async (t) => {
  const [speaker, listener] = [await chat.connect(), await chat.connect()]
  const thread_id = await createThread()
  t.match(await listener.subscribe(thread_id), { active: false, last_seq: 0, paused: false })
  const turn = await speaker.ask({ thread_id, text: 'a b c d' })
  t.strictSame((await listener.seeTurn(turn.client_message_id)).frames, turn.frames)
})
