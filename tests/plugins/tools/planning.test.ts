import { createHost } from '../../../kernel/contract/host.ts'
import { compileSchema } from '../../../kernel/schema.ts'
import type { ChatMessage } from '../../../plugin-api/testing/fake-openai.ts'
import type { Tool } from '../../../plugin-api/tool.ts'
import planningPlugin from '../../../plugins/tools/planning/index.ts'
import t from '../../run/file-test.ts'
import { createHold, MODEL, startChat, textOf } from '../../support/chat.ts'
import type { TestFrame } from '../../support/socket.ts'

const { host, declarations } = createHost('planning')
planningPlugin.setup(host as never)
const tools = declarations.extensions.map(({ entry }) => entry as Tool)
const toolOf = (name: string) => tools.find((tool) => tool.name === name)!
const never = {} as never
const plan = (todos: object[]) => toolOf('write_todos').execute({ todos } as never, never) as string

/** Third-party tools that are offered to subagents too, and try what subagents may not do. */
const eager = `
const tool = (name, execute) => ({
  name, label: { en: name, zh: name }, description: name, input_schema: { type: 'object' }, disableable: true, execute,
})
export default {
  kernel: 1,
  name: 'eager',
  summary: 'Asks and delegates wherever it is called',
  setup(host) {
    host.extend('agents.tools', tool('inquire', (_, { ask }) => ask('Which?')))
    host.extend('agents.tools', tool('pass_on', (_, { delegate }) => delegate('go on')))
  },
}
`
const KEY = 'sk-canary-0123456789abcdef'

const chat = await startChat(t, { plugins: { eager } })
const { fake, createThread, history, server } = chat
const plugins = ['inquire', 'pass_on'].map((name) => ({ plugin_id: 'eager', name, enabled: true }))

const usage = (input: number, output: number) => ({ prompt_tokens: input, completion_tokens: output })
const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: args })
const task = (id: string, instruction: string) => call(id, 'task', { description: 'A task', instruction })
const offered = (n: number) => fake.requests[n]!.body.tools!.map(({ function: { name } }) => name).sort()
const contents = (n: number) => fake.requests[n]!.body.messages.map(({ role, content }) => [role, content])
const rolesOf = (messages: { role: string }[]) => messages.map(({ role }) => role)

/** True if an upstream accepts this conversation: each call has its result in the next message, and nothing else has. */
function assertAcceptable(t: Tap, messages: readonly ChatMessage[]): void {
  const open = new Set<string>()
  for (const [index, { role, tool_calls = [], tool_call_id, content }] of messages.entries()) {
    if (role === 'tool') t.ok(open.delete(tool_call_id!), `message ${index} answers a call`)
    else t.equal(open.size, 0, `before message ${index} every call is answered`)
    for (const { id } of tool_calls) open.add(id)
    t.ok(tool_calls.length > 0 || (content?.length ?? 0) > 0, `message ${index} is not empty`)
  }
  t.equal(open.size, 0)
}

type Tap = Pick<typeof t, 'ok' | 'equal'>

t.test('The tools have descriptions, and accept the declared input', async (t) => {
  t.strictSame(
    tools.map(({ name, disableable, top_level_only = false }) => [name, disableable, top_level_only]),
    [
      ['write_todos', false, false],
      ['task', false, true],
      ['ask_user_question', true, true],
      ['ask_agent', true, false],
    ],
  )
  const todo = { content: 'x', status: 'pending' }
  const table: [name: string, input: object, isGood: boolean][] = [
    ['write_todos', { todos: [] }, true],
    ['write_todos', { todos: Array(100).fill({ ...todo, content: 'x'.repeat(500) }) }, true],
    ['write_todos', { todos: Array(101).fill(todo) }, false],
    ['write_todos', { todos: [{ ...todo, content: 'x'.repeat(501) }] }, false],
    ['write_todos', { todos: [{ ...todo, status: 'done' }] }, false],
    ['write_todos', { todos: [{ ...todo, id: 1 }] }, false],
    ['task', { description: 'x'.repeat(200), instruction: 'x'.repeat(100_000) }, true],
    ['task', { description: 'x'.repeat(201), instruction: 'x' }, false],
    ['task', { description: 'x', instruction: 'x'.repeat(100_001) }, false],
    ['task', { instruction: 'x' }, false],
    ['ask_user_question', { question: 'x'.repeat(4000), options: Array(8).fill('x') }, true],
    ['ask_user_question', { question: 'x'.repeat(4001) }, false],
    ['ask_user_question', { question: 'x', options: Array(9).fill('x') }, false],
    ['ask_user_question', { question: '' }, false],
  ]
  for (const [name, input, isGood] of table) {
    const check = () => compileSchema(toolOf(name).input_schema, 'json')(structuredClone(input))
    const shown = `${name} ${JSON.stringify(input).slice(0, 60)}`
    if (isGood) t.doesNotThrow(check, shown)
    else t.throws(check, { code: 'VALIDATION_FAILED' }, shown)
  }
})

t.test('A plan is shown with its counts', async (t) => {
  t.equal(
    plan([
      { content: 'Read the files', status: 'completed' },
      { content: 'Change\n  them', status: 'in_progress' },
      { content: 'Test', status: 'pending' },
      { content: 'Report', status: 'pending' },
    ]),
    `The plan: 1 of 4 completed, 1 in progress, 2 pending.
1. [x] Read the files
2. [>] Change them
3. [ ] Test
4. [ ] Report`,
  )
  t.equal(plan([]), 'The plan is empty.')
  t.match(
    plan([
      { content: 'a', status: 'in_progress' },
      { content: 'b', status: 'in_progress' },
    ]),
    /\n2 steps are in progress at once; keep to one/,
    'several at once are allowed but not praised',
  )
})

t.test('The client sees the plan as the call, and the tool is always offered', async (t) => {
  const socket = await chat.connect()
  const path = `/agents/${chat.agent_id}/tool-settings`
  for (const name of ['write_todos', 'task'])
    t.match(await server.request('PATCH', `${path}/${name}`, { body: { enabled: false } }), {
      status: 400,
      body: { error: { code: 'TOOL_NOT_DISABLEABLE' } },
    })
  const requestCount = fake.requests.length
  const todos = [{ content: 'one', status: 'in_progress' }]
  fake.next({ toolCalls: [call('call_p', 'write_todos', { todos })] }, { text: 'planned' })
  const { frames } = await socket.ask({ text: 'plan' })
  t.match(frames, [
    { type: 'turn_started' },
    { type: 'tool_call', name: 'write_todos', input: { todos } },
    { type: 'usage' },
    { type: 'tool_result', output: /^The plan: 0 of 1 completed/, is_error: false },
    ...frames.slice(4),
  ])
  for (const name of ['write_todos', 'task', 'ask_user_question'])
    t.ok(offered(requestCount).includes(name), name)
  await server.request('PATCH', `${path}/ask_user_question`, { body: { enabled: false } })
  await socket.ask({ text: 'again' })
  t.notOk(offered(fake.requests.length - 1).includes('ask_user_question'), 'questions can be switched off')
  await server.request('PATCH', `${path}/ask_user_question`, { body: { enabled: true } })
})

t.test(
  'A task is carried out in a conversation of its own, of which the parent sees the last answer',
  async (t) => {
    const socket = await chat.connect()
    const thread_id = await createThread()
    const requestCount = fake.requests.length
    await socket.ask({ thread_id, text: 'earlier words' })
    fake.next(
      { text: 'I delegate.', toolCalls: [task('call_t', 'Find out the colour.')], usage: usage(100, 10) },
      {
        text: 'looking',
        reasoning: ['hm'],
        toolCalls: [call('call_t', 'write_file', { path: 'colour.txt', content: 'blue' })],
        usage: usage(200, 20),
      },
      { toolCalls: [call('call_t', 'read_file', { path: 'colour.txt' })], usage: usage(300, 30) },
      { text: 'It is blue.', usage: usage(400, 40) },
      { text: 'The colour is blue.', usage: usage(500, 50) },
    )
    const turn = await socket.ask({ thread_id, text: 'which colour?' })
    t.match(turn.end, { type: 'done', stop_reason: 'end' })

    const [, top, first, second, third, last] = Array.from({ length: 6 }, (_, n) => requestCount + n)
    const whole = offered(top!)
    t.strictSame(
      [first, second, third].map((n) => offered(n!)),
      Array(3).fill(whole.filter((name) => !['task', 'ask_user_question', 'schedule'].includes(name))),
      'a subagent can neither delegate, nor ask, nor schedule',
    )
    const [[, system], ...others] = contents(first!) as [string[], ...string[][]]
    t.strictSame(others, [['user', 'Find out the colour.']], 'a subagent knows nothing but the instruction')
    t.ok(system!.startsWith(contents(top!)[0]![1] as string), 'and what the agent is')
    t.match(
      fake.requests[third!]!.body.messages.slice(1).map(({ role }) => role),
      ['user', 'assistant', 'tool', 'assistant', 'tool'],
    )
    t.strictSame(
      fake.requests[last!]!.body.messages.slice(-2),
      [
        {
          role: 'assistant',
          content: 'I delegate.',
          tool_calls: [
            {
              id: 'call_t',
              type: 'function',
              function: {
                name: 'task',
                arguments: JSON.stringify({ description: 'A task', instruction: 'Find out the colour.' }),
              },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_t', content: 'It is blue.' },
      ],
      'the parent receives only the last answer',
    )
    for (const n of [top, first, second, third, last]) assertAcceptable(t, fake.requests[n!]!.body.messages)

    const inside = turn.frames.filter(({ parent_tool_call_id }) => parent_tool_call_id !== undefined)
    t.match(inside, [
      { type: 'tool_call', name: 'write_file' },
      { type: 'usage', model: MODEL, usage: { total_tokens: 220 } },
      { type: 'attachment', path: 'colour.txt' },
      { type: 'tool_result', name: 'write_file', is_error: false },
      { type: 'tool_call', name: 'read_file' },
      { type: 'usage' },
      { type: 'tool_result', name: 'read_file', output: 'blue' },
      { type: 'usage' },
    ])
    t.equal(inside.length, 8)
    t.ok(inside.every(({ parent_tool_call_id }) => parent_tool_call_id === 'call_t'))
    const idsOf = (type: string) =>
      turn.frames.filter((frame) => frame.type === type).map(({ tool_call_id }) => tool_call_id)
    t.equal(
      new Set(idsOf('tool_call')).size,
      3,
      'calls with the same id in several answers are distinguished',
    )
    t.strictSame(idsOf('tool_result').sort(), idsOf('tool_call').sort(), 'each call has its result')
    t.equal(textOf(turn.frames), 'I delegate.The colour is blue.', 'what the subagent says is not shown')
    t.equal(textOf(turn.frames, 'reasoning'), '')
    t.match(turn.end.usage, { input_tokens: 1500, output_tokens: 150, total_tokens: 1650 })

    const { messages, artifacts } = await history(thread_id)
    t.match(messages.slice(2), [
      { role: 'user' },
      {
        role: 'assistant',
        usage: { total_tokens: 110 },
        content: [
          { type: 'text', text: 'I delegate.' },
          { type: 'tool_use', id: 'call_t', name: 'task' },
        ],
      },
      {
        role: 'tool',
        usage: { total_tokens: 990 },
        content: [{ type: 'tool_result', id: 'call_t', output: 'It is blue.', is_error: false }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'The colour is blue.' }] },
    ])
    t.equal(messages.length, 6)
    t.equal(messages[4].content.length, 1)
    t.match(artifacts, [{ path: 'colour.txt' }])

    await socket.ask({ thread_id, text: 'and now?' })
    const next = fake.requests.at(-1)!.body.messages
    t.strictSame(rolesOf(next).slice(1), [
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    assertAcceptable(t, next)
  },
)

t.test('Tasks of one answer run in parallel and are answered in their order', async (t) => {
  const socket = await chat.connect()
  const requestCount = fake.requests.length
  const slow = createHold()
  fake.script(({ body: { messages } }) => {
    const said = messages.at(-1)!
    if (said.role === 'tool') return { text: 'both are done' }
    if (said.content === 'slow') return { text: 'slow answer', hold: slow.hold }
    if (said.content === 'quick') return { text: 'quick answer' }
    return { toolCalls: [task('call_1', 'slow'), task('call_2', 'quick')] }
  })
  t.teardown(() => fake.script(() => ({ text: 'ok' })))
  const sent = socket.say({ text: 'go' })
  await socket.until(({ type, tool_call_id }) => type === 'tool_result' && tool_call_id === 'call_2')
  slow.release()
  const { frames, end } = await socket.seeTurn(sent)
  t.match(end, { stop_reason: 'end' })
  t.strictSame(
    frames.filter(({ type }) => type === 'tool_result').map(({ output }) => output),
    ['quick answer', 'slow answer'],
  )
  t.strictSame(contents(requestCount + 3).slice(-2), [
    ['tool', 'slow answer'],
    ['tool', 'quick answer'],
  ])
})

t.test('The parent receives the error of a task, and continues', async (t) => {
  const socket = await chat.connect()
  const answers: [name: string, scripts: Parameters<typeof fake.next>, output: RegExp, is_error: boolean][] =
    [
      ['an upstream that refuses', [{ status: 400, error: { message: 'no such thing' } }], /./, true],
      [
        'an answer without words',
        [{ text: '' }, { text: '' }],
        /^The model returned an empty answer twice\./,
        true,
      ],
      [
        'an attempt to delegate further',
        [{ toolCalls: [task('call_n', 'deeper')] }, { text: 'I cannot delegate.' }],
        /^I cannot delegate\.$/,
        false,
      ],
      [
        'an attempt to ask',
        [
          { toolCalls: [call('call_q', 'ask_user_question', { question: 'Which?' })] },
          { text: 'I guessed.' },
        ],
        /^I guessed\.$/,
        false,
      ],
    ]
  for (const [name, scripts, output, is_error] of answers) {
    fake.next({ toolCalls: [task('call_t', 'try')] }, ...scripts, { text: 'so be it' })
    const { frames, end } = await socket.ask({ text: 'go' })
    t.match(end, { type: 'done', stop_reason: 'end' }, name)
    const result = frames.find(
      ({ type, tool_call_id }) => type === 'tool_result' && tool_call_id === 'call_t',
    )
    t.match(result, { output, is_error }, name)
    t.equal(textOf(frames), 'so be it', name)
    const within = frames.filter(
      ({ type, parent_tool_call_id }) => type === 'tool_result' && parent_tool_call_id,
    )
    t.ok(
      within.every((frame: TestFrame) => frame.is_error && /there is no tool/.test(frame.output)),
      'what a subagent may not call is not there',
    )
  }
})

t.test('A third-party tool asks for agent and subagent, and delegates for the agent', async (t) => {
  const path = `/agents/${chat.agent_id}/tool-settings`
  t.equal((await server.request('PUT', path, { body: { disabled_builtin: [], plugins } })).status, 200)
  const socket = await chat.connect()
  fake.next({ toolCalls: [call('call_p', 'pass_on', {})] }, { text: 'gone on' }, { text: 'good' })
  const passed = await socket.ask({ text: 'go' })
  t.match(
    passed.frames.find(({ type }) => type === 'tool_result'),
    { is_error: false, output: 'gone on' },
  )
  const answer = ({ action_requests: [{ description }] }: TestFrame) => [
    { type: 'respond', message: `${description} This.` },
  ]
  fake.next({ toolCalls: [call('call_i', 'inquire', {})] }, { text: 'good' })
  const asked = await socket.ask({ text: 'go' }, answer)
  t.match(
    asked.frames.find(({ type }) => type === 'tool_result'),
    { is_error: false, output: 'Which? This.' },
  )

  fake.next(
    { toolCalls: [task('call_t', 'try both')] },
    { toolCalls: [call('call_i', 'inquire', {}), call('call_p', 'pass_on', {})] },
    { toolCalls: [call('call_p', 'pass_on', {})] },
    { text: 'gone as far as it goes' },
    { text: 'both are done' },
    { text: 'so be it' },
  )
  const { frames } = await socket.ask({ text: 'go' }, answer)
  t.match(
    frames.filter(({ type, parent_tool_call_id }) => type === 'tool_result' && parent_tool_call_id),
    [
      { name: 'pass_on', is_error: true, output: /cannot be delegated further/ },
      { name: 'pass_on', is_error: false, output: 'gone as far as it goes' },
      { name: 'inquire', is_error: false, output: 'Which? This.' },
    ],
  )
  t.equal(textOf(frames), 'so be it')
})

t.test('The key is not shown if an upstream that fails in a task repeats it', async (t) => {
  const models = [{ id: 'm', name: 'M' }]
  const body = { name: 'keyed', kind: 'openai-compatible', base_url: fake.url, api_key: KEY, models }
  t.equal((await server.request('POST', '/admin/providers', { body })).status, 201)
  fake.next(
    { toolCalls: [task('call_t', 'try')] },
    { status: 400, error: { message: `${KEY} may not` } },
    { text: 'so be it' },
  )
  const socket = await chat.connect()
  const { frames, end } = await socket.ask({ text: 'go', model: 'keyed:m' })
  t.match(end, { type: 'done' })
  t.match(
    frames.find(({ type }) => type === 'tool_result'),
    { is_error: true, output: /may not/ },
  )
  t.notMatch(JSON.stringify(frames), KEY)
  t.notMatch(JSON.stringify(fake.requests.at(-1)!.body), KEY, 'the model is not told either')
})

t.test('Stopping the turn ends a task in the middle of it', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  const requestCount = fake.requests.length
  fake.next(
    { toolCalls: [task('call_t', 'take your time')] },
    { toolCalls: [call('call_w', 'ls', {})] },
    { text: ['never ', 'heard'], hold: new Promise(() => undefined), holdAfter: 1 },
  )
  const sent = socket.say({ thread_id, text: 'go' })
  const upstream = await fake.request(requestCount + 2)
  socket.send({ type: 'stop', thread_id })
  t.match((await socket.seeTurn(sent)).end, { type: 'done', stop_reason: 'stopped' })
  await upstream.aborted
  t.equal(fake.requests.length, requestCount + 3)
  const { messages } = await history(thread_id)
  t.match(messages[1], {
    role: 'assistant',
    status: 'stopped',
    content: [{ type: 'tool_use', name: 'task' }],
  })
  t.notOk(JSON.stringify(messages).includes('never'))
  t.ok(
    messages.every(({ content }: { content: object[] }) => content.length > 0),
    'no message is empty',
  )

  fake.next({ text: 'fine' })
  await socket.ask({ thread_id, text: 'and now?' })
  assertAcceptable(t, fake.requests.at(-1)!.body.messages)
})

t.test('A turn waits for the answer to a question and continues with it', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  const requestCount = fake.requests.length
  const input = { question: 'Which one?', options: ['the red', 'the blue'] }
  fake.next(
    {
      text: 'I must ask.',
      toolCalls: [call('call_q', 'ask_user_question', input), call('call_l', 'ls', { path: '.' })],
    },
    { text: 'Blue it is.' },
  )
  const pauses: TestFrame[] = []
  const { frames, end } = await socket.ask({ thread_id, text: 'paint it' }, (pending) => {
    pauses.push(pending)
    return [{ type: 'respond', message: '2' }]
  })
  t.match(end, { type: 'done', stop_reason: 'end' })
  t.match(pauses, [
    {
      action_requests: [
        {
          id: 'call_q',
          name: 'ask_user_question',
          args: input,
          description: 'Which one?\n\n1. the red\n2. the blue',
        },
      ],
      review_configs: [{ action_name: 'ask_user_question', allowed_decisions: ['respond', 'reject'] }],
    },
  ])
  t.equal(fake.requests.length, requestCount + 2)
  t.equal(textOf(frames), 'I must ask.Blue it is.')
  const { messages } = await history(thread_id)
  t.strictSame(rolesOf(messages), ['user', 'assistant', 'tool', 'tool', 'assistant'])
  const next = fake.requests.at(-1)!.body.messages
  t.match(
    next.slice(1).map(({ role, content }) => [role, content]),
    [
      ['user', 'paint it'],
      ['assistant', 'I must ask.'],
      ['tool', '2'],
      ['tool', String],
    ],
  )
  assertAcceptable(t, next)
})

t.test('A question without options is only the question, and several are combined', async (t) => {
  const socket = await chat.connect()
  const ask = (id: string, question: string, options?: string[]) =>
    call(id, 'ask_user_question', { question, options })
  fake.next(
    { toolCalls: [ask('call_1', 'Your name?'), ask('call_2', 'And where?', ['here'])] },
    { text: 'thanks' },
  )
  const asked: string[] = []
  const { frames } = await socket.ask({ text: 'hello' }, ({ action_requests }) => {
    asked.push(...action_requests.map(({ description }: { description: string }) => description))
    return [
      { type: 'respond', message: 'Ann' },
      { type: 'reject', message: 'None of your business.' },
    ]
  })
  t.strictSame(asked, ['Your name?', 'And where?\n\n1. here'])
  t.match(
    frames.filter(({ type }) => type === 'tool_result'),
    [
      { output: 'Ann', is_error: false },
      { output: 'None of your business.', is_error: true },
    ],
  )
  assertAcceptable(t, fake.requests.at(-1)!.body.messages)
})
