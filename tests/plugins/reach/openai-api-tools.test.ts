import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { JSONSchema7, LanguageModelV3Prompt, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import OpenAI from 'openai'
import type { ChatMessage } from '../../../plugin-api/testing/fake-openai.ts'
import t from '../../run/file-test.ts'
import { call, startPress } from '../conversations/approval-calls.ts'

const chat = await startPress(t)
const { fake, server, agent_id } = chat
const baseURL = `${server.url}/api/v1`
const clientOf = (apiKey: string) => new OpenAI({ baseURL, apiKey, maxRetries: 0 })
const openai = clientOf(server.admin.token)

type Params = OpenAI.ChatCompletionCreateParamsNonStreaming
type Message = OpenAI.ChatCompletionMessageParam

const user = (content: string) => ({ role: 'user', content }) as const
const result = (tool_call_id: string, content: string) => ({ role: 'tool', tool_call_id, content }) as const
const functionOf = (name: string, more: object = {}) => ({
  type: 'function' as const,
  function: {
    name,
    description: `Tells the ${name}`,
    parameters: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
    ...more,
  },
})
const weather = functionOf('weather')
const tide = functionOf('tide')

const create = (
  messages: Message[],
  more: Partial<Params> = {},
  { client = openai, thread_id }: { client?: OpenAI; thread_id?: string } = {},
) =>
  client.chat.completions
    .create(
      { model: 'assistant', messages, tools: [weather, tide], ...more } as Params,
      thread_id ? { headers: { 'X-Thread-Id': thread_id } } : {},
    )
    .withResponse()
    .then(({ data, response }) => ({
      id: data.id,
      usage: data.usage!,
      thread_id: response.headers.get('x-thread-id')!,
      ...data.choices[0]!,
      calls: (data.choices[0]!.message.tool_calls ?? []) as OpenAI.ChatCompletionMessageFunctionToolCall[],
    }))
const refusal = (promise: PromiseLike<unknown>) =>
  promise.then(
    (value) => t.fail('it is not refused', { value }),
    (error) => error,
  )

/** The body of the last call of the model, and its messages without instructions. */
const lastBody = () => fake.requests.at(-1)!.body
const received = (): ChatMessage[] => lastBody().messages.filter(({ role }) => role !== 'system')
const toolNames = () => (lastBody().tools ?? []).map((tool) => tool.function.name)

t.test('A call of a tool of the caller ends the reply, and its result continues the turn', async (t) => {
  fake.next({
    text: 'Let me look.',
    toolCalls: [call('c1', 'weather', { at: 'sea' })],
    usage: { prompt_tokens: 10, completion_tokens: 5 },
  })
  const asked = [user('What is the weather?')]
  const first = await create(asked)
  t.match(first, {
    finish_reason: 'tool_calls',
    message: {
      role: 'assistant',
      content: 'Let me look.',
      tool_calls: [{ type: 'function', function: { name: 'weather', arguments: '{"at":"sea"}' } }],
    },
    usage: { prompt_tokens: 10, completion_tokens: 5 },
  })
  const [{ id }] = first.calls as [OpenAI.ChatCompletionMessageFunctionToolCall]
  t.match(id, /^[a-zA-Z0-9_-]{1,40}$/)
  t.ok(
    ['weather', 'tide', 'ls'].every((name) => toolNames().includes(name)),
    'beside its own tools',
  )
  t.match(
    lastBody().tools?.find((tool) => tool.function.name === 'weather'),
    weather,
  )

  fake.next({ text: 'Stormy.', usage: { prompt_tokens: 20, completion_tokens: 2 } })
  const second = await create([...asked, first.message, result(id, 'storm')])
  t.match(second, {
    finish_reason: 'stop',
    message: { content: 'Stormy.' },
    usage: { prompt_tokens: 20, completion_tokens: 2 },
  })
  t.equal(second.thread_id, first.thread_id, 'found by the id of the call')
  t.not(second.id, first.id)
  t.match(received(), [
    { role: 'user', content: 'What is the weather?' },
    { role: 'assistant', content: 'Let me look.', tool_calls: [{ function: { name: 'weather' } }] },
    { role: 'tool', content: 'storm' },
  ])
  const { messages, turn_active } = await chat.history(first.thread_id)
  t.equal(turn_active, false)
  t.strictSame(
    messages.map(({ role }: { role: string }) => role),
    ['user', 'assistant', 'tool', 'assistant'],
  )
})

/** Asks until the model has called these tools; returns the reply and the messages so far. */
async function askCalls(calls: ReturnType<typeof call>[], more: Partial<Params> = {}, thread_id?: string) {
  const asked: Message[] = [user('Go.')]
  fake.next({ toolCalls: calls })
  const reply = await create(asked, more, { thread_id })
  return { ...reply, messages: [...asked, reply.message] as Message[], ids: reply.calls.map(({ id }) => id) }
}

t.test('Several calls are answered together, in any order', async (t) => {
  const calls = [call('c1', 'weather', { at: 'sea' }), call('c1', 'tide', { at: 'sea' })]
  const { messages, ids, message, thread_id } = await askCalls(calls)
  t.equal(message.content, null)
  t.equal(new Set(ids).size, 2)
  t.match(await refusal(create([...messages, result(ids[0]!, 'storm')])), {
    status: 400,
    code: 'CALLS_UNANSWERED',
    type: 'invalid_request_error',
    message: new RegExp(ids[1]!),
  })
  fake.next({ text: 'High and stormy.' })
  const reply = await create([...messages, result(ids[1]!, 'high'), result(ids[0]!, 'storm')])
  t.match(reply, { thread_id, message: { content: 'High and stormy.' } })
  t.strictSame(
    received()
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content),
    ['storm', 'high'],
  )
})

t.test('A stream has the calls as deltas', async (t) => {
  fake.next({ toolCalls: [call('a', 'weather', { at: 'sea' }), call('b', 'tide', { at: 'bay' })] })
  const asked = { model: 'assistant', messages: [user('Go.')], tools: [weather, tide], stream: true } as const
  const chunks = []
  for await (const chunk of await openai.chat.completions.create(
    structuredClone(asked) as never as OpenAI.ChatCompletionCreateParamsStreaming,
  ))
    chunks.push(chunk)
  const deltas = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
  t.match(
    deltas.map(({ index, type, function: { name, arguments: input } = {} }) => [index, type, name, input]),
    [
      [0, 'function', 'weather', ''],
      [0, undefined, undefined, '{"at":"sea"}'],
      [1, 'function', 'tide', ''],
      [1, undefined, undefined, '{"at":"bay"}'],
    ],
  )
  t.equal(chunks.at(-1)!.choices[0]!.finish_reason, 'tool_calls')

  fake.next({ toolCalls: [call('a', 'weather', { at: 'sea' })] }, { text: 'Wet.' })
  const calls: unknown[] = []
  const runner = openai.chat.completions.runTools({
    model: 'assistant',
    stream: true,
    messages: [user('Go.')],
    tools: [
      {
        type: 'function',
        function: {
          ...weather.function,
          parse: JSON.parse,
          function: (args: unknown) => {
            calls.push(args)
            return 'rain'
          },
        },
      },
    ],
  })
  t.equal(await runner.finalContent(), 'Wet.')
  t.strictSame(calls, [{ at: 'sea' }])
})

t.test('Arguments are passed on as the model wrote them, and the model goes on with them', async (t) => {
  const odd = ['{ "at" : 1e2 }', '{"at": "sea"', '[]', '']
  for (const input of odd) {
    fake.next({ toolCalls: [{ id: 'c', name: 'weather', arguments: input }] })
    const asked = [user('Go.')]
    const reply = await create(asked)
    t.equal(reply.calls[0]!.function.arguments, input)
    fake.next({ text: 'Well.' })
    const last = await create([...asked, reply.message, result(reply.calls[0]!.id, 'a result')])
    t.equal(last.message.content, 'Well.', input)
  }
})

t.test('A choice of tools is the choice of the model', async (t) => {
  const choose = async (tool_choice: unknown, more: object = {}) => {
    fake.next({ text: 'No.' })
    await create([user('Go.')], { tool_choice, ...more } as never)
    return { choice: lastBody().tool_choice, names: toolNames().filter((name) => /weather|tide/.test(name)) }
  }
  const both = ['weather', 'tide']
  t.match(await choose('auto'), { choice: undefined, names: both })
  t.strictSame(await choose('none'), { choice: undefined, names: [] })
  t.strictSame(await choose('required'), { choice: 'required', names: both })
  const named = { type: 'function', function: { name: 'tide' } }
  t.strictSame(await choose(named), { choice: named, names: both })
  const allowed = { mode: 'required', tools: [named] }
  const some = { type: 'allowed_tools', allowed_tools: allowed }
  t.strictSame(await choose(some), { choice: 'required', names: ['tide'] })

  const refused = async (body: object, code: string, param: string) =>
    t.match(await refusal(create([user('Go.')], body)), {
      status: 400,
      code,
      param,
      type: 'invalid_request_error',
    })
  const wrong = { type: 'function', function: { name: 'moon' } }
  await refused({ tool_choice: wrong }, 'PARAMETER_INVALID', 'tool_choice')
  await refused({ tool_choice: 'required', tools: [] }, 'PARAMETER_INVALID', 'tool_choice')
  await refused({ tool_choice: { type: 'mcp' } }, 'PARAMETER_UNSUPPORTED', 'tool_choice')
})

t.test('A choice holds for one request', async (t) => {
  const { messages, ids } = await askCalls([call('c', 'tide', { at: 'sea' })], { tool_choice: 'required' })
  t.equal(lastBody().tool_choice, 'required')
  fake.next({ text: 'High.' })
  t.match(await create([...messages, result(ids[0]!, 'high')]), { message: { content: 'High.' } })
  t.notOk(lastBody().tool_choice)
})

t.test('A program that takes one call at a time gets them one after the other', async (t) => {
  const calls = [call('a', 'weather', { at: 'sea' }), call('b', 'tide', { at: 'sea' })]
  const asked = { parallel_tool_calls: false }
  const { messages, ids } = await askCalls(calls, asked)
  t.equal(ids.length, 1)
  const earlierCount = fake.requests.length
  const second = await create([...messages, result(ids[0]!, 'storm')], asked)
  t.equal(fake.requests.length, earlierCount, 'the model is not asked in between')
  t.match(second, {
    finish_reason: 'tool_calls',
    calls: [{ function: { name: 'tide', arguments: '{"at":"sea"}' } }],
  })
  fake.next({ text: 'Done.' })
  const history = [...messages, result(ids[0]!, 'storm'), second.message, result(second.calls[0]!.id, 'low')]
  t.match(await create(history, asked), { message: { content: 'Done.' } })
})

t.test('Tools of the agent run beside those of the caller', async (t) => {
  fake.next({ toolCalls: [call('a', 'ls', { path: '.' }), call('b', 'weather', { at: 'sea' })] })
  const asked = [user('Go.')]
  const reply = await create(asked)
  t.strictSame(
    reply.calls.map(({ function: { name } }) => name),
    ['weather'],
  )
  fake.next({ toolCalls: [call('a', 'ls', { path: '.' })] }, { text: 'Done.' })
  t.match(await create([...asked, reply.message, result(reply.calls[0]!.id, 'storm')]), {
    message: { content: 'Done.' },
  })
  t.equal(received().filter(({ role }) => role === 'tool').length, 3)

  const own = await askCalls([call('a', 'ls', { of: 'caller' })], { tools: [functionOf('ls')] })
  t.match(own.calls, [{ function: { name: 'ls', arguments: '{"of":"caller"}' } }])
  t.equal(
    toolNames().filter((name) => name === 'ls').length,
    1,
    'the tool of the caller replaces that of the agent',
  )
})

t.test('An approval comes after the results of the caller', async (t) => {
  const { messages, ids, thread_id } = await askCalls([
    call('a', 'punch', { mark: 'door' }),
    call('b', 'weather', { at: 'sea' }),
  ])
  t.equal(ids.length, 1)
  const reply = await create([...messages, result(ids[0]!, 'storm')])
  t.match(reply, { finish_reason: 'stop', message: { content: /`punch`/ } })
  const { hitl_pending } = await chat.history(thread_id)
  t.match(hitl_pending.action_requests, [{ name: 'punch' }])
  t.match(await refusal(create([user('And?')], {}, { thread_id })), { status: 409, code: 'THREAD_PAUSED' })
  fake.next({ text: 'Punched.' })
  const body = { thread_id, decisions: [{ type: 'approve' }] }
  await server.request('POST', `/agents/${agent_id}/chat/hitl/resume`, { body })
  t.match((await chat.history(thread_id)).messages.at(-1).content, [{ text: 'Punched.' }])
})

t.test('Nobody else decides about the calls of a program', async (t) => {
  const { thread_id, ids, messages } = await askCalls([call('a', 'weather', { at: 'sea' })])
  const { hitl_pending, turn_active } = await chat.history(thread_id)
  t.match(hitl_pending.action_requests, [{ name: 'weather', for_client: true }])
  t.equal(turn_active, true)
  const body = { thread_id, decisions: [{ type: 'respond', message: 'sun' }] }
  t.match(await server.request('POST', `/agents/${agent_id}/chat/hitl/resume`, { body }), {
    status: 409,
    body: { error: { code: 'HITL_NOT_PENDING' } },
  })
  const { chat: conversations, threads } = server.server.runtime.cradleOf('openai-api')
  const { user_id } = (await server.db.collection('threads').findOne({ _id: thread_id as never }))!
  const thread = (await conversations.listPaused(user_id)).find(({ _id }) => _id === thread_id)
  t.ok(thread?.active_turn?.paused?.for_client)
  t.notOk((await threads.listPaused(user_id, 100)).some(({ _id }) => _id === thread_id))

  const ann = clientOf((await server.createUser({ username: 'ann' })).token)
  fake.next({ text: 'Hers.' })
  const hers = await create([...messages, result(ids[0]!, 'x')], {}, { client: ann })
  t.not(hers.thread_id, thread_id, 'a conversation of her own')
  t.equal((await chat.history(thread_id)).turn_active, true)
})

t.test('In a thread that the request names, results must be those that its turn waits for', async (t) => {
  const first = await askCalls([call('a', 'weather', { at: 'sea' }), call('b', 'tide', { at: 'sea' })])
  const { thread_id, ids } = first
  const [one, two] = ids as [string, string]
  const answer = (results: Message[]) => create(results, {}, { thread_id })
  const refused = async (results: Message[], code: string) =>
    t.match(await refusal(answer(results)), { status: 400, code, type: 'invalid_request_error' })
  await refused([result(one, 'x')], 'CALLS_UNANSWERED')
  await refused([result('call_x', 'x')], 'CALL_NOT_WAITING')
  fake.next({ text: 'Both.' })
  t.match(await answer([result(one, 'storm'), result(two, 'high')]), { message: { content: 'Both.' } })
  await refused([result(one, 'storm'), result(two, 'high')], 'CALL_NOT_WAITING')
  t.match(await refusal(create([result(one, 'x')], {}, { thread_id: 'thr_01M8GX4ECMQ6KWTX3TKES9T9DQ' })), {
    status: 404,
    code: 'THREAD_NOT_FOUND',
  })

  const other = await askCalls([call('c', 'weather', { at: 'sea' })], {}, thread_id)
  t.equal(other.thread_id, thread_id)
  fake.next({ text: 'Never mind then.' })
  t.match(await create([user('Never mind.')], {}, { thread_id }), {
    message: { content: 'Never mind then.' },
  })
  t.strictSame(
    received().slice(-2),
    [
      { role: 'assistant', content: 'Both.' },
      { role: 'user', content: 'Go.\n\nNever mind.' },
    ],
    'a message instead of results ends the turn that waits',
  )
})

t.test('If the turn is gone, the conversation of the request goes on', async (t) => {
  const { thread_id, ids, messages } = await askCalls([call('a', 'weather', { at: 'sea' })])
  await chat.threads('DELETE', `/${thread_id}`)
  const history = [
    user('Before.'),
    { role: 'assistant', content: 'Yes?' } as const,
    ...messages,
    result(ids[0]!, 'storm'),
  ]
  fake.next({ text: 'Stormy.' })
  const again = await create(history)
  t.match(again, { message: { content: 'Stormy.' }, finish_reason: 'stop' })
  t.match(received(), [
    { role: 'user', content: 'Before.' },
    { role: 'assistant', content: 'Yes?' },
    { role: 'user', content: 'Go.' },
    { role: 'assistant', tool_calls: [{ function: { name: 'weather', arguments: '{"at":"sea"}' } }] },
    { role: 'tool', content: 'storm' },
  ])
  t.equal(received().length, 5)
  const { messages: shown } = await chat.history(again.thread_id)
  t.strictSame(
    shown.map(({ role }: { role: string }) => role),
    ['user', 'assistant', 'user', 'assistant', 'tool', 'assistant'],
  )

  fake.next({ text: 'Once more.' })
  const repeated = await create(history)
  t.match(repeated, { message: { content: 'Once more.' } }, 'the same results may be sent again')
  fake.next({ toolCalls: [call('b', 'tide', { at: 'sea' })] }, { text: 'High.' })
  const third = await create(history)
  t.match(third, { finish_reason: 'tool_calls', message: { content: null } })
  const last = await create([...history, third.message, result(third.calls[0]!.id, 'high')])
  t.match(last, { thread_id: third.thread_id, message: { content: 'High.' } })

  const { turnReplay } = server.server.runtime.cradleOf('trajectory')
  const exported = (await chat.threads('GET', `/${third.thread_id}/trajectory/export`)).body
    .trim()
    .split('\n')
  const events = exported.slice(1).map((line: string) => JSON.parse(line))
  const last_turn = events.at(-1).turn_id
  const { recorded, replayed } = await turnReplay.run(
    events.filter(({ turn_id }: { turn_id: string }) => turn_id === last_turn),
  )
  t.strictSame(replayed, recorded)
})

t.test('Steps that other programs recorded are continued, and calls without results left out', async (t) => {
  const calls = (...names: string[]) => ({
    role: 'assistant' as const,
    content: 'Looking.',
    tool_calls: names.map((name) => ({
      id: name,
      type: 'function',
      function: { name, arguments: '{"mark":"never"}' },
    })),
  })
  fake.next({ text: 'Ready.' })
  const reply = await create([
    user('Go.'),
    calls('weather', 'punch') as Message,
    result('weather', 'storm'),
    { role: 'assistant', content: 'Then this.' },
    calls('tide') as Message,
    result('tide', 'high'),
  ])
  t.match(reply, { message: { content: 'Ready.' } })
  t.match(received(), [
    { role: 'user' },
    { role: 'assistant', content: 'Looking.', tool_calls: [{ function: { name: 'weather' } }] },
    { role: 'tool', content: 'storm' },
    { role: 'assistant', content: 'Then this.\n\nLooking.', tool_calls: [{ function: { name: 'tide' } }] },
    { role: 'tool', content: 'high' },
  ])
  t.notOk(chat.marks().includes('never'))
})

t.test('A program may go on as often as it likes', async (t) => {
  const messages: Message[] = [user('Go.')]
  for (let n = 0; n < 30; n += 1) {
    fake.next({ toolCalls: [call('c', 'weather', { at: String(n) })] })
    const { calls, message } = await create(messages)
    t.equal(calls.length, 1)
    messages.push(message, result(calls[0]!.id, `storm ${n}`))
  }
  fake.next({ text: 'Enough.' })
  t.match(await create(messages), { message: { content: 'Enough.' } })
})

t.test('Tools and their schemas are bounded', async (t) => {
  const refused = async (tools: unknown[], param: string, code = 'PARAMETER_INVALID') =>
    t.match(await refusal(create([user('Go.')], { tools } as never)), { status: 400, code, param })
  const many = (count: number) => Array.from({ length: count }, (_, n) => functionOf(`tool_${n}`))
  await refused(many(129), 'tools')
  await refused([weather, weather], 'tools')
  await refused([functionOf('a b')], 'tools[0].function.name')
  await refused([weather, functionOf('x', { parameters: 'none' })], 'tools[1].function.parameters')
  await refused([{ type: 'custom', custom: { name: 'x' } }], 'tools[0].type', 'PARAMETER_UNSUPPORTED')
  const large = (length: number) =>
    functionOf('x', { parameters: { type: 'object', title: 'x'.repeat(length) } })
  await refused([large(300_000)], 'tools[0].function.parameters')

  fake.next({ text: 'Fine.' })
  const odd = functionOf('odd', { parameters: { $ref: '#/$defs/a', $defs: { 'a.b': { type: 'object' } } } })
  const { message } = await create([user('Go.')], { tools: [...many(126), large(100_000), odd] } as never)
  t.equal(message.content, 'Fine.')
  t.match(lastBody().tools?.at(-1)?.function.parameters, { type: 'object' })
  fake.next({ text: 'Fine.' })
  await create([user('Go.')], { tools: [{ type: 'function', function: { name: 'bare' } }] })
  t.match(lastBody().tools?.at(-1)?.function, { name: 'bare', parameters: { type: 'object' } })
})

const flat = ({ function: { name, description, parameters } }: typeof weather) =>
  ({ type: 'function', name, description, parameters, strict: false }) as const
const respond = (body: object) =>
  openai.responses.create({
    model: 'assistant',
    tools: [flat(weather), flat(tide)],
    ...body,
  } as OpenAI.Responses.ResponseCreateParamsNonStreaming)
type Item = OpenAI.Responses.ResponseInputItem
const output = (call_id: string, text: string) =>
  ({ type: 'function_call_output', call_id, output: text }) as const
const callsIn = (response: OpenAI.Responses.Response) =>
  response.output.filter((item) => item.type === 'function_call')

t.test('A response has its calls as items, and the next one continues its turn', async (t) => {
  fake.next({
    text: 'Hm.',
    toolCalls: [call('a', 'weather', { at: 'sea' }), call('b', 'tide', { at: 'bay' })],
  })
  const first = await respond({ input: 'Go.', tool_choice: 'required', parallel_tool_calls: true })
  t.match(first, {
    status: 'completed',
    output_text: 'Hm.',
    output: [
      { type: 'message' },
      { type: 'function_call', status: 'completed', name: 'weather', arguments: '{"at":"sea"}' },
      { type: 'function_call', status: 'completed', name: 'tide', arguments: '{"at":"bay"}' },
    ],
    tools: [{ type: 'function', name: 'weather' }, { name: 'tide' }],
    tool_choice: 'required',
  })
  t.strictSame((await openai.responses.retrieve(first.id)).output, first.output)
  const [one, two] = callsIn(first)
  const previous_response_id = first.id
  t.match(await refusal(respond({ previous_response_id, input: [output(one!.call_id, 'storm')] })), {
    status: 400,
    code: 'CALLS_UNANSWERED',
  })
  fake.next({ text: 'High and stormy.' })
  const results = [output(one!.call_id, 'storm'), output(two!.call_id, 'high')]
  const second = await respond({ previous_response_id, input: results, instructions: 'Be brief.' })
  t.match(second, { status: 'completed', output_text: 'High and stormy.', tool_choice: 'auto' })
  t.not(second.id, first.id)
  t.match(lastBody().messages[0]?.content, /Be brief\./)
  const stored = await openai.responses.retrieve(second.id)
  t.match(stored, { output: second.output, usage: second.usage, tool_choice: 'auto' })
  t.match(await refusal(respond({ previous_response_id, input: results })), {
    status: 400,
    code: 'CALL_NOT_WAITING',
  })
  fake.next({ text: 'Third.' })
  t.match(await respond({ previous_response_id: second.id, input: 'More.' }), { output_text: 'Third.' })
  t.equal(received().length, 6)
})

t.test('Items of a response are sent back as they came', async (t) => {
  const input: Item[] = [{ role: 'user', content: 'Go.' }]
  fake.next({
    reasoning: ['hm'],
    toolCalls: [call('a', 'weather', { at: 'sea' }), call('b', 'tide', { at: 'bay' })],
  })
  const first = await respond({ input, store: false, include: ['reasoning.encrypted_content'] })
  t.match(first.output, [{ type: 'reasoning' }, { type: 'function_call' }, { type: 'function_call' }])
  input.push(...(first.output as Item[]))
  for (const { call_id, name } of callsIn(first)) input.push(output(call_id, `${name}!`))
  fake.next({ text: 'Done.' })
  t.match(await respond({ input }), { output_text: 'Done.' })
  t.strictSame(
    received()
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content),
    ['weather!', 'tide!'],
  )
  fake.next({ text: 'Again.' })
  const again = await respond({ input })
  t.match(again, { output_text: 'Again.' }, 'also when its turn is gone')
  t.match((await openai.responses.retrieve(again.id)).output, again.output)
  t.equal((await openai.responses.retrieve(again.id)).output.length, 1)
})

t.test('A response is streamed with the events of its calls', async (t) => {
  fake.next({ toolCalls: [call('a', 'weather', { at: 'sea' })] })
  const stream = openai.responses.stream({ model: 'assistant', input: 'Go.', tools: [flat(weather)] })
  const types: string[] = []
  for await (const { type } of stream) types.push(type)
  t.strictSame(types.slice(2), [
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ])
  const final = await stream.finalResponse()
  t.match(final.output, [{ type: 'function_call', name: 'weather', arguments: '{"at":"sea"}' }])
})

const schema = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
  additionalProperties: false,
}
const json_schema = { name: 'person', schema, strict: true }

t.test('A reply is JSON if the request asks for it', async (t) => {
  const ask = async (response_format: object, text: string | string[] = '{"name":"Ann"}') => {
    fake.next({ text })
    const { message } = await create([user('Who?')], { tools: [], response_format } as never)
    return message.content
  }
  t.equal(await ask({ type: 'json_object' }), '{"name":"Ann"}')
  t.match(lastBody().response_format, { type: 'json_object' })
  t.equal(await ask({ type: 'json_schema', json_schema }, 'Not JSON.'), 'Not JSON.', 'as it is')
  t.match(lastBody().response_format, { type: /^json_/ })
  await ask({ type: 'text' })
  t.equal(lastBody().response_format, undefined)
  const refused = async (response_format: object, code: string, param: string) =>
    t.match(await refusal(create([user('Go.')], { response_format } as never)), { status: 400, code, param })
  await refused({ type: 'grammar' }, 'PARAMETER_UNSUPPORTED', 'response_format')
  await refused({ type: 'json_schema' }, 'PARAMETER_INVALID', 'response_format.schema')

  fake.next(
    { text: 'I look first.', toolCalls: [call('a', 'ls', { path: '.' })] },
    { text: ['{"na', 'me":"Ann"}'] },
  )
  const parsed = await openai.chat.completions.parse({
    model: 'assistant',
    messages: [user('Who?')],
    response_format: { type: 'json_schema', json_schema },
  })
  t.strictSame(JSON.parse(parsed.choices[0]!.message.content!), { name: 'Ann' })
  fake.next({ text: ['{"na', 'me":"Ann"}'] })
  const stream = await openai.chat.completions.create({
    model: 'assistant',
    messages: [user('Who?')],
    response_format: { type: 'json_schema', json_schema },
    stream: true,
  })
  const pieces: string[] = []
  for await (const { choices } of stream) pieces.push(choices[0]?.delta.content ?? '')
  t.equal(pieces.join(''), '{"name":"Ann"}')

  fake.next({ text: '{"name":"Bob"}' })
  const format = { type: 'json_schema', ...json_schema } as const
  const response = await openai.responses.parse({ model: 'assistant', input: 'Who?', text: { format } })
  t.match(response, {
    output_text: '{"name":"Bob"}',
    text: { format: { type: 'json_schema', name: 'person', schema } },
  })
  t.match(await openai.responses.retrieve(response.id), {
    text: { format: { type: 'json_schema', strict: true } },
  })
})

t.test('An answer ends at the texts of `stop`', async (t) => {
  const ask = async (stop: unknown) => {
    fake.next({ text: 'One' })
    await create([user('Count.')], { stop, tools: [] } as never)
    return lastBody().stop
  }
  t.strictSame(await ask('END'), ['END'])
  t.strictSame(await ask(['a', 'b', 'c', 'd']), ['a', 'b', 'c', 'd'])
  t.equal(await ask([]), undefined)
  for (const stop of [['a', 'b', 'c', 'd', 'e'], [''], 5, [5], 'x'.repeat(2000)])
    t.match(await refusal(create([user('Go.')], { stop } as never)), {
      status: 400,
      code: 'PARAMETER_INVALID',
      param: 'stop',
    })
})

t.test('Parameters that frameworks send first have no effect', async (t) => {
  fake.next({ text: 'Fine.' })
  const more = {
    n: 1,
    user: 'u',
    seed: 7,
    metadata: { a: 'b' },
    store: true,
    logit_bias: {},
    logprobs: false,
    top_logprobs: 0,
    presence_penalty: 0,
    frequency_penalty: 0,
    parallel_tool_calls: true,
    tool_choice: 'auto',
    service_tier: 'auto',
    modalities: ['text'],
    prediction: null,
    verbosity: 'low',
    safety_identifier: 'x',
    prompt_cache_key: 'x',
    functions: [],
    stop: null,
    tools: null,
    response_format: null,
  }
  t.match(await create([user('Go.')], more as never), { message: { content: 'Fine.' } })
})

const apiKey = server.admin.token
for (const [name, model] of [
  [
    '@ai-sdk/openai-compatible',
    createOpenAICompatible({ name: 'svc', baseURL, apiKey, supportsStructuredOutputs: true })('assistant'),
  ],
  ['@ai-sdk/openai', createOpenAI({ baseURL, apiKey }).responses('assistant')],
  ['@ai-sdk/openai, chat', createOpenAI({ baseURL, apiKey }).chat('assistant')],
] as const)
  t.test(`${name} calls its tools and asks for JSON`, async (t) => {
    const tools = [weather, tide].map(({ function: { name, description, parameters } }) => ({
      type: 'function' as const,
      name,
      description,
      inputSchema: parameters as JSONSchema7,
    }))
    const prompt: LanguageModelV3Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }]
    fake.next({ toolCalls: [call('a', 'weather', { at: 'sea' }), call('b', 'tide', { at: 'bay' })] })
    const { content, finishReason } = await model.doGenerate({ prompt, tools })
    t.equal(finishReason.unified, 'tool-calls')
    const calls = content.filter((part) => part.type === 'tool-call')
    t.match(calls, [{ toolName: 'weather' }, { toolName: 'tide' }])
    prompt.push(
      {
        role: 'assistant',
        content: calls.map(({ type, toolCallId, toolName, input, providerMetadata }) => ({
          type,
          toolCallId,
          toolName,
          input: JSON.parse(input),
          providerOptions: providerMetadata,
        })),
      },
      {
        role: 'tool',
        content: calls.map(({ toolCallId, toolName }) => ({
          type: 'tool-result' as const,
          toolCallId,
          toolName,
          output: { type: 'json' as const, value: { of: toolName } },
        })),
      },
    )
    fake.next({ text: '{"name":"Ann"}' })
    const responseFormat = { type: 'json' as const, name: 'person', schema: schema as JSONSchema7 }
    const last = await model.doGenerate({ prompt, tools, responseFormat, stopSequences: ['END'] })
    t.match(last.content, [{ type: 'text', text: '{"name":"Ann"}' }])
    t.match(
      received().filter(({ role }) => role === 'tool'),
      [{ content: '{"of":"weather"}' }, { content: '{"of":"tide"}' }],
    )
    t.match(lastBody().response_format, { type: /^json_/ })

    fake.next({ toolCalls: [call('c', 'weather', { at: 'bay' })] })
    const parts: LanguageModelV3StreamPart[] = []
    const { stream } = await model.doStream({ prompt: prompt.slice(0, 1), tools })
    for await (const part of stream) parts.push(part)
    t.match(
      parts.filter(({ type }) => type === 'tool-call'),
      [{ toolName: 'weather', input: '{"at":"bay"}' }],
    )
    t.match(parts.at(-1), { type: 'finish', finishReason: { unified: 'tool-calls' } })
    t.notOk(parts.some(({ type }) => type === 'error'))
  })
