import { randomUUID } from 'node:crypto'
import t from '../../run/file-test.ts'
import { createHold, MODEL, startChat, textOf } from '../../support/chat.ts'

const chat = await startChat(t, { config: { plugins: { providers: { first_token_seconds: 1 } } } })
const { fake, server, history } = chat

/** The messages of the last request, without the system prompt. */
const sent = () => fake.requests.at(-1)!.body.messages.slice(1) as unknown as Record<string, unknown>[]

const TOO_LONG = {
  status: 400,
  error: {
    message: "This model's maximum context length is 100 tokens.",
    code: 'context_length_exceeded',
  },
}

const ask = async (text: string, more: object = {}) => {
  const socket = await chat.connect()
  const turn = await socket.ask({ text, ...more })
  socket.close()
  return turn
}

const ends: [finishReason: string, stop_reason: string][] = [
  ['length', 'length'],
  ['content_filter', 'filtered'],
  ['stop', 'end'],
]
for (const [finishReason, stop_reason] of ends)
  t.test(`An answer with the finish reason ${finishReason} ends as ${stop_reason}`, async (t) => {
    fake.next({ text: 'Half a sentence', finishReason })
    const { end, thread_id } = await ask('hello')
    t.match(end, { type: 'done', stop_reason })
    t.match((await history(thread_id)).messages.at(-1), {
      stop_reason,
      content: [{ text: 'Half a sentence' }],
    })
  })

t.test('An empty answer is asked for again, and fails the turn if it is empty again', async (t) => {
  fake.next({ text: '' }, { text: ' ' })
  const { end } = await ask('hello')
  t.match(end, { type: 'error', code: 'EMPTY_ANSWER' })

  fake.next({ text: ' \n', reasoning: ['hm'] }, { text: 'Here I am.' })
  const again = await ask('hello')
  t.match(again.end, { type: 'done', stop_reason: 'end' })
  t.equal(textOf(again.frames), 'Here I am.', 'without the white space of the first answer')
  t.ok(again.end.usage.total_tokens > 0)

  fake.next({ text: 'First this.', toolCalls: [{ name: 'ls', arguments: {} }] }, { text: '' }, { text: '' })
  t.match(
    (await ask('hello')).end,
    { type: 'done', stop_reason: 'end' },
    'a turn that has said something ends',
  )
})

t.test('Calls of an answer that was withheld are not carried out', async (t) => {
  const call = { name: 'write_file', arguments: { path: 'withheld.txt', content: 'x' } }
  const calls = fake.requests.length
  fake.next({ toolCalls: [call], finishReason: 'content_filter' })
  const { end, frames } = await ask('write')
  t.match(end, { type: 'done', stop_reason: 'filtered' })
  t.match(
    frames.find(({ type }) => type === 'tool_result'),
    { is_error: true, output: /not carried out/ },
  )
  t.equal(fake.requests.length, calls + 1)
})

t.test('A call that the limit of output has cut is reported as cut', async (t) => {
  const cut = {
    toolCalls: [{ name: 'write_file', arguments: '{"path":"a.txt","content":"so f' }],
    finishReason: 'length',
  }
  fake.next(cut, { text: 'In parts, then.' })
  const { frames, end } = await ask('write a long file')
  t.match(
    frames.find(({ type }) => type === 'tool_result'),
    { is_error: true, output: /cut off at the limit of output/ },
  )
  t.match(end, { stop_reason: 'end' })

  const calls = fake.requests.length
  fake.next(cut, cut, cut)
  t.match((await ask('again')).end, { type: 'done', stop_reason: 'length' })
  t.equal(fake.requests.length, calls + 3, 'and the loop ends')
})

t.test('Arguments are read in the forms in which models write them', async (t) => {
  const path = { path: '.' }
  const forms = [
    JSON.stringify(JSON.stringify(path)),
    `{}${JSON.stringify(path)}`,
    `\`\`\`json\n${JSON.stringify(path)}\n\`\`\``,
    JSON.stringify([path]),
    ` ${JSON.stringify(path)} `,
  ]
  fake.next(
    { toolCalls: forms.map((text, n) => ({ id: `c${n}`, name: 'ls', arguments: text })) },
    { text: 'ok' },
  )
  const { frames } = await ask('list')
  const results = frames.filter(({ type }) => type === 'tool_result')
  t.equal(results.filter(({ is_error }) => !is_error).length, forms.length)
  for (const { tool_calls = [] } of sent() as { tool_calls?: { function: { arguments: string } }[] }[])
    for (const call of tool_calls) t.strictSame(JSON.parse(call.function.arguments), path)
})

t.test('Thoughts and ids return to the model that made them, and to no other', async (t) => {
  const name = `other${randomUUID().slice(0, 4)}`
  const { body: providers } = await server.request('GET', '/admin/providers')
  const { base_url, kind } = providers.find((row: { name: string }) => MODEL.startsWith(row.name))
  await server.request('POST', '/admin/providers', {
    body: { name, kind, base_url, api_key: 'x', models: [{ id: 'n' }] },
  })

  const id = 'functions.ls:0'
  fake.next(
    { reasoning: ['Look ', 'first.'], toolCalls: [{ id, name: 'ls', arguments: {} }] },
    { text: 'one' },
  )
  const { thread_id } = await ask('first')
  await ask('second', { thread_id })
  const call = sent().find(({ tool_calls }) => tool_calls)
  t.match(call, { reasoning_content: 'Look first.', tool_calls: [{ id }] })
  t.match(
    sent().find(({ role }) => role === 'tool'),
    { tool_call_id: id },
  )

  await ask('third', { thread_id, model: `${name}:n` })
  const other = sent().find(({ tool_calls }) => tool_calls) as { tool_calls: { id: string }[] }
  t.notMatch(other, { reasoning_content: /./ })
  t.match(other.tool_calls[0]!.id, /^[a-z0-9]{9}$/)
  t.match(
    sent().find(({ role }) => role === 'tool'),
    { tool_call_id: other.tool_calls[0]!.id },
  )

  fake.next({ toolCalls: [{ id, name: 'ls', arguments: {} }] }, { text: 'two' })
  await ask('fourth', { thread_id })
  const ids = sent().flatMap(({ tool_calls = [] }) => (tool_calls as { id: string }[]).map((one) => one.id))
  t.equal(new Set(ids).size, 2, 'an id that returns in a later turn stays with its call')
})

t.test('A message without an answer is joined with the next one', async (t) => {
  fake.next({ status: 401 })
  const { thread_id } = await ask('first')
  await ask('second', { thread_id })
  t.strictSame(sent(), [{ role: 'user', content: 'first\n\nsecond' }])
})

t.test('Tokens that are not counted are estimated, and the quota ends', async (t) => {
  fake.next({ text: 'word '.repeat(300), usage: { prompt_tokens: 0, completion_tokens: 0 } })
  const { end, thread_id } = await ask('hello')
  t.match(end.usage, { is_estimated: true })
  t.ok(end.usage.output_tokens >= 400 && end.usage.input_tokens > 100)
  t.match((await history(thread_id)).messages.at(-1).usage, { is_estimated: true })
})

t.test('A failure after a thought is retried', async (t) => {
  fake.next(
    { reasoning: ['hm ', 'well'], text: 'never', disconnectAfter: 2 },
    { reasoning: ['ah'], text: 'Yes.' },
  )
  const { end, frames } = await ask('hello')
  t.match(end, { type: 'done' })
  t.equal(textOf(frames), 'Yes.')
})

t.test('A prompt that is too long is shortened once', async (t) => {
  const { thread_id } = await ask('one')
  for (const text of ['two', 'three', 'four']) await ask(text, { thread_id })
  fake.next(TOO_LONG, { text: 'short' })
  const { frames, end } = await ask('five', { thread_id })
  t.match(end, { type: 'done' })
  t.match(
    frames.find(({ type }) => type === 'notice'),
    { code: 'SHORTENED' },
  )
  t.match(sent()[0], { role: 'user', content: 'four' })
  t.match(sent().at(-1), { content: 'five' })

  fake.next(TOO_LONG, TOO_LONG)
  t.match((await ask('six', { thread_id })).end, { type: 'error', code: 'MODEL_CONTEXT_TOO_LONG' })
})

t.test('A prompt that is too long stays short in the later steps of its turn', async (t) => {
  const { thread_id } = await ask('one')
  for (const text of ['two', 'three', 'four']) await ask(text, { thread_id })
  const call = { toolCalls: [{ name: 'ls', arguments: {} }] }
  fake.next(TOO_LONG, call, { text: 'short' })
  const calls = fake.requests.length
  const { frames, end } = await ask('five', { thread_id })
  t.match(end, { type: 'done' })
  t.equal(fake.requests.length, calls + 3)
  t.match(sent()[0], { role: 'user', content: 'four' })
  t.equal(frames.filter(({ type }) => type === 'notice').length, 1)

  const other = await ask('one')
  for (const text of ['two', 'three', 'four']) await ask(text, { thread_id: other.thread_id })
  fake.next(TOO_LONG, call, TOO_LONG, { text: 'shorter' })
  const { end: last } = await ask('five', { thread_id: other.thread_id })
  t.match(last, { type: 'done' }, 'and is shortened once more in a later step')
  t.match(sent()[0], { role: 'user', content: 'five' })
})

t.test('A prompt of which nothing can be left out is not sent again', async (t) => {
  const calls = fake.requests.length
  fake.next(TOO_LONG)
  const { end, frames } = await ask('a long message')
  t.match(end, { type: 'error', code: 'MODEL_CONTEXT_TOO_LONG' })
  t.equal(fake.requests.length, calls + 1)
  t.notOk(frames.some(({ type }) => type === 'notice'))
})

t.test('The tokens of an answer that failed after a thought count', async (t) => {
  const usage = { prompt_tokens: 7, completion_tokens: 3 }
  fake.next(
    { reasoning: ['hm '.repeat(400), 'well'], text: 'never', disconnectAfter: 2 },
    { text: 'Yes.', usage },
  )
  const { end } = await ask('hello')
  t.match(end.usage, { is_estimated: true })
  t.ok(end.usage.output_tokens > 200)
})

t.test('A fallback answers for a model that does not', async (t) => {
  const { body: providers } = await server.request('GET', '/admin/providers')
  const { base_url, kind } = providers.find((row: { name: string }) => MODEL.startsWith(row.name))
  const name = `spare${randomUUID().slice(0, 4)}`
  const spare = `${name}:s`
  const models = [{ id: 's' }, { id: 'last' }]
  await server.request('POST', '/admin/providers', { body: { name, kind, base_url, api_key: 'x', models } })
  const setFallbacks = (fallback_models: string[]) =>
    server.request('PATCH', `/agents/${chat.agent_id}`, { body: { config: { fallback_models } } })
  t.equal((await setFallbacks(['none:x'])).status, 400)
  t.equal((await setFallbacks([spare, `${name}:last`])).status, 200)

  const slow = { status: 429, headers: { 'retry-after': '3600' } }
  fake.next(slow, { text: 'I am here.' })
  const { frames, end, thread_id } = await ask('hello')
  t.match(end, { type: 'done' })
  t.match(
    frames.find(({ type }) => type === 'notice'),
    {
      code: 'MODEL_FALLBACK',
      message: `${MODEL} did not respond, so ${spare} answered.`,
      details: { from: MODEL, to: spare, reason: 'rate_limit' },
    },
  )
  const [, answer] = (await history(thread_id)).messages
  t.match(answer, { model: spare, notices: [{ code: 'MODEL_FALLBACK', details: { to: spare } }] })

  const { hold, release } = createHold()
  fake.next({ text: 'late', hold }, { text: 'In time.' })
  const late = await ask('hello')
  release()
  t.equal(textOf(late.frames), 'In time.')
  t.match(
    late.frames.find(({ type }) => type === 'notice'),
    { details: { to: spare, reason: 'timeout' } },
  )

  fake.next(slow, slow, slow)
  t.match((await ask('hello')).end, { type: 'error', code: 'MODEL_RATE_LIMITED' }, 'each is asked once')

  const calls = fake.requests.length
  fake.next({ status: 401 })
  t.match((await ask('hello')).end, { type: 'error', code: 'MODEL_AUTH_FAILED' })
  fake.next({ text: 'Half ', disconnectAfter: 1 })
  t.equal((await ask('hello')).end.type, 'error', 'nor after the first word')
  t.equal(fake.requests.length, calls + 2)
  await setFallbacks([])
})
