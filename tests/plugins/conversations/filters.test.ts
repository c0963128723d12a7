import type { FilterMessage } from '#plugin-api'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { startChat, textOf } from '../../support/chat.ts'
import { startServer } from '../../support/server.ts'
import { acts, FILTERS, replaceIn, resetActs } from './filter-calls.ts'

const chat = await startChat(t, { plugins: { filters: FILTERS }, env: { SVC_TITLE_MODEL: 'off' } })
const { server, fake, createThread, history, agent_id } = chat
const socket = await chat.connect()

t.beforeEach(resetActs)

const sentText = (n = -1) => JSON.stringify(fake.requests.at(n)!.body.messages)
const refuse = (message: unknown = 'Not this.') => ({ refuse: { code: 'NOT_THIS', message } }) as never

t.test('the model sees what the filters pass, and the history has the words of the person', async (t) => {
  acts.strict.request = ({ messages }) => ({ messages: replaceIn(messages, 'apple', 'pear') })
  acts.lenient.request = ({ messages }) => ({ messages: replaceIn(messages, 'pear', 'plum') })
  const thread_id = await createThread()
  fake.next(
    { text: 'Let me see.', toolCalls: [{ name: 'ls', arguments: { path: '.' } }] },
    { text: 'An apple it is.' },
  )
  await socket.ask({ thread_id, text: 'an apple' })
  t.match(sentText(-2), /"an plum"/)
  t.match(sentText(-1), /"an plum"/, 'also after a tool')
  t.notMatch(sentText(-1), /apple/)
  await socket.ask({ thread_id, text: 'and now' })
  t.match(sentText(), /An plum it is/)
  const { messages } = await history(thread_id)
  t.match(messages[0].content, [{ text: 'an apple' }])
  t.match(
    messages.find(({ content }: never) => JSON.stringify(content).includes('An apple')),
    {},
  )
})

t.test('a filter knows the agent, the account, the language and what the call is for', async (t) => {
  const questions: Record<string, unknown>[] = []
  const note = ({ signal, ...question }: { signal: AbortSignal }) => {
    t.ok(signal instanceof AbortSignal)
    questions.push(question)
  }
  acts.strict.request = (question) => {
    note(question)
    return { messages: question.messages }
  }
  acts.strict.reply = (question) => {
    note(question)
    return { text: question.text }
  }
  fake.next({ reasoning: ['So. ', 'Well.'], text: 'One.\n\nTwo.' })
  await socket.ask({ text: 'hello' })
  const facts = {
    agent: { id: agent_id, name: 'assistant', owner_id: String },
    caller: { id: String, role: 'admin' },
    purpose: 'turn',
    locale: 'en',
  }
  t.match(questions, [
    {
      ...facts,
      messages: [{ role: 'system' }, { role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    },
    { ...facts, text: 'So. Well.' },
    { ...facts, text: 'One.' },
    { ...facts, text: 'Two.' },
  ])
})

t.test('what a tool returns and what a model thought pass the filters as well', async (t) => {
  const seen: FilterMessage[] = []
  acts.strict.request = ({ messages }) => {
    seen.splice(0, seen.length, ...messages)
    return { messages: replaceIn(messages, 'apple', 'pear') }
  }
  fake.next(
    { toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'apple' } }] },
    { toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },
    { text: 'Done.' },
  )
  const { end } = await socket.ask({ text: 'go' })
  t.match(end, { type: 'done', stop_reason: 'end' })
  t.match(
    seen.map(({ role }) => role),
    ['system', 'user', 'assistant', 'tool', 'assistant', 'tool'],
  )
  t.match(seen[2]!.content, [{ type: 'tool_use', name: 'write_file', input: { content: 'apple' } }])
  t.match(seen[5]!.content, [{ type: 'tool_result', name: 'read_file', output: /apple/, is_error: false }])
  t.notMatch(sentText(), /apple/)
})

t.test('a refused request ends the turn with the words of the filter, and no model is asked', async (t) => {
  const { length } = fake.requests
  acts.strict.request = () => refuse({ en: 'Not this.', zh: '不行。' })
  const thread_id = await createThread()
  const { end } = await socket.ask({ thread_id, text: 'secret words' })
  t.match(end, { type: 'error', code: 'NOT_THIS', message: 'Not this.', details: { filter: 'strict' } })
  t.equal(fake.requests.length, length)
  const { messages } = await history(thread_id)
  t.match(messages, [
    { role: 'user', content: [{ text: 'secret words' }] },
    { role: 'assistant', status: 'failed', error: { code: 'NOT_THIS', message: 'Not this.' } },
  ])
  resetActs()
  t.match((await socket.ask({ thread_id, text: 'again' })).end, { type: 'done' }, 'the thread goes on')
  t.notMatch(sentText(), /secret words/, 'no model sees it later')

  const chinese = await chat.connect({ headers: { 'Accept-Language': 'zh' } })
  acts.strict.request = () => refuse({ en: 'Not this.', zh: '不行。' })
  t.match((await chinese.ask({ text: 'hello' })).end, { code: 'NOT_THIS', message: '不行。' })
})

t.test('paragraphs are sent as the filters pass them, wherever the model cuts its text', async (t) => {
  const paragraphs: string[] = []
  acts.strict.reply = ({ text }) => {
    paragraphs.push(text)
    return { text: text.replaceAll('apple', 'pear') }
  }
  const thread_id = await createThread()
  fake.next({
    text: ['An ap', 'ple.\n', '\nAnother ', 'app', 'le.\n```\napple\n\n', 'apple\n```\n\n', 'End\n'],
  })
  const { frames, end } = await socket.ask({ thread_id, text: 'go' })
  t.strictSame(paragraphs, ['An apple.', 'Another apple.\n```\napple\n\napple\n```', 'End'])
  const passed = 'An pear.\n\nAnother pear.\n```\npear\n\npear\n```\n\nEnd\n'
  t.equal(textOf(frames), passed)
  t.match(end, { type: 'done', stop_reason: 'end' })
  const { messages } = await history(thread_id)
  t.match(messages[1].content, [{ type: 'text', text: passed }])
  resetActs()
  await socket.ask({ thread_id, text: 'again' })
  t.notMatch(sentText(), /apple/, 'the model sees its answer as it was passed')
  const exported = await chat.threads('GET', `/${thread_id}/trajectory`)
  t.notMatch(JSON.stringify(exported.body), /apple/)
})

t.test('text before a tool call is passed before the call', async (t) => {
  acts.strict.reply = ({ text }) => ({ text: text.toUpperCase() })
  fake.next(
    { reasoning: ['hm'], text: 'let me see', toolCalls: [{ name: 'ls', arguments: {} }] },
    { text: 'done' },
  )
  const { frames } = await socket.ask({ text: 'go' })
  t.strictSame(
    frames
      .filter(({ type }) => ['reasoning', 'content', 'tool_call'].includes(type))
      .map(({ type, content, name }) => `${type} ${content ?? name}`),
    ['reasoning HM', 'content LET ME SEE', 'tool_call ls', 'content DONE'],
  )
})

t.test('a refused paragraph ends the turn; what was passed before it stays', async (t) => {
  acts.strict.reply = ({ text }) => (text.includes('bad') ? refuse() : { text })
  const thread_id = await createThread()
  fake.next({ text: ['Good.\n\n', 'bad', ' words\n\nMore.'] })
  const { frames, end } = await socket.ask({ thread_id, text: 'go' })
  t.equal(textOf(frames), 'Good.\n\n')
  t.match(end, { type: 'done', stop_reason: 'filtered', usage: { is_estimated: true } })
  t.ok((end.usage as { total_tokens: number }).total_tokens > 0, 'the tokens are counted')
  t.match(
    frames.find(({ type }) => type === 'notice'),
    { code: 'NOT_THIS', message: 'Not this.' },
  )
  const { messages } = await history(thread_id)
  t.match(messages[1], {
    content: [{ type: 'text', text: 'Good.\n\n' }],
    stop_reason: 'filtered',
    notices: [{ code: 'NOT_THIS', message: 'Not this.' }],
  })
  const { body } = await server.request('GET', '/usage/summary')
  t.ok(body.totals.model_calls > 0)
})

t.test('a notice of a filter is shown once in a turn', async (t) => {
  const notices = [{ code: 'MIND_THIS', message: 'Mind this.' }]
  acts.strict.request = ({ messages }) => ({ messages, notices })
  acts.strict.reply = ({ text }) => ({ text, notices })
  fake.next({ toolCalls: [{ name: 'ls', arguments: {} }] }, { text: 'One.\n\nTwo.' })
  const { frames } = await socket.ask({ text: 'go' })
  t.match(
    frames.filter(({ type }) => type === 'notice'),
    [{ code: 'MIND_THIS', message: 'Mind this.', details: { filter: 'strict' } }],
  )
})

const failures: [what: string, fail: (signal: AbortSignal) => never][] = [
  [
    'throws',
    () => {
      throw new Error('it broke at secret words')
    },
  ],
  ['rejects', () => Promise.reject(new TypeError('secret words')) as never],
  [
    'takes too long',
    (signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)) as never,
  ],
  ['returns nothing', () => undefined as never],
  ['returns other messages', () => ({ messages: [] }) as never],
  ['returns something else', () => ({ messages: 'secret words', text: 7 }) as never],
  ['refuses without a code', () => ({ refuse: { message: 'no' } }) as never],
  ['refuses without a sentence', () => ({ refuse: { code: 'NO', message: '' } }) as never],
  ['has a code of the server', () => ({ refuse: { code: 'SUMMARIZED', message: 'no' } }) as never],
  ['has notices of another form', () => ({ text: 'a', messages: [], notices: 'b' }) as never],
]

for (const [what, fail] of failures)
  t.test(`a filter that ${what} decides by itself what happens then`, async (t) => {
    const { length } = fake.requests
    acts.strict.request = ({ signal }) => fail(signal) ?? ({} as never)
    const refused = await socket.ask({ text: 'secret words' })
    t.match(refused.end, { type: 'error', code: 'FILTER_FAILED', details: { filter: 'strict' } })
    t.match(refused.end.message, /filter "strict" failed/)
    t.equal(fake.requests.length, length)

    resetActs()
    acts.lenient.request = ({ signal }) => fail(signal) ?? ({} as never)
    acts.lenient.reply = ({ signal }) => fail(signal) ?? ({} as never)
    fake.next({ text: 'secret words' })
    const passed = await socket.ask({ text: 'secret words' })
    t.match(passed.end, { type: 'done', stop_reason: 'end' })
    t.equal(textOf(passed.frames), 'secret words')

    resetActs()
    acts.strict.reply = ({ signal }) => fail(signal) ?? ({} as never)
    fake.next({ text: 'secret words' })
    const withheld = await socket.ask({ text: 'go' })
    t.match(withheld.end, { type: 'done', stop_reason: 'filtered' })
    t.equal(textOf(withheld.frames), '')
    t.match(
      withheld.frames.find(({ type }) => type === 'notice'),
      {
        code: 'FILTER_FAILED',
        details: { filter: 'strict' },
      },
    )

    await eventually('the warning', () => /"filter":"strict"/.test(server.logged()))
    t.match(server.logged(), /"filter":"lenient"/)
    t.notMatch(server.logged(), /secret words/)
  })

t.test('a filter cannot change what it receives', async (t) => {
  acts.strict.request = ({ messages }) => {
    ;(messages[1] as { role: string }).role = 'system'
    return { messages }
  }
  t.match((await socket.ask({ text: 'go' })).end, { code: 'FILTER_FAILED' })
})

t.test('a turn can be stopped while a filter works', async (t) => {
  let begun = () => {}
  const isBusy = new Promise<void>((resolve) => {
    begun = resolve
  })
  acts.lenient.request = ({ signal, messages }) => {
    begun()
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ messages })))
  }
  const thread_id = await createThread()
  const sent = socket.say({ thread_id, text: 'go' })
  const turn = socket.seeTurn(sent)
  await isBusy
  socket.send({ type: 'stop', thread_id })
  const { end } = await turn
  t.equal(end.type, 'done')
})

t.test('a turn that waits for a person goes on behind the filters', async (t) => {
  acts.strict.request = ({ messages }) => ({ messages: replaceIn(messages, 'apple', 'pear') })
  acts.strict.reply = ({ text }) => ({ text: text.replaceAll('apple', 'pear') })
  const call = { name: 'ask_user_question', arguments: { question: 'Which?' } }
  fake.next({ text: 'An apple?', toolCalls: [call] }, { text: 'The apple.' })
  const { frames, end } = await socket.ask({ text: 'my apple' }, () => [
    { type: 'respond', message: 'an apple' },
  ])
  t.match(end, { type: 'done', stop_reason: 'end' })
  t.equal(textOf(frames), 'An pear?The pear.')
  t.notMatch(sentText(), /apple/)
})

t.test('a delegated task passes the filters', async (t) => {
  const purposes: string[] = []
  acts.strict.request = ({ messages, purpose }) => {
    purposes.push(purpose)
    return { messages: replaceIn(messages, 'apple', 'pear') }
  }
  acts.strict.reply = ({ text }) => ({ text: text.replaceAll('apple', 'pear') })
  const call = { name: 'task', arguments: { instruction: 'Eat the apple', description: 'Eat' } }
  fake.next({ toolCalls: [call] }, { text: 'I ate the apple.' }, { text: 'Fine.' })
  const { frames } = await socket.ask({ text: 'go' })
  t.ok(purposes.includes('task'))
  t.match(
    frames.find(({ type }) => type === 'tool_result'),
    { output: 'I ate the pear.' },
  )
})

t.test('the doors for programs pass the filters', async (t) => {
  const ask = (content: string) =>
    server.request('POST', '/v1/chat/completions', {
      body: { model: 'assistant', messages: [{ role: 'user', content }] },
    })
  acts.strict.request = ({ messages }) =>
    JSON.stringify(messages).includes('bad') ? refuse() : { messages: replaceIn(messages, 'apple', 'pear') }
  acts.strict.reply = ({ text }) => ({ text: text.toUpperCase() })
  fake.next({ text: 'well' })
  const { body } = await ask('an apple')
  t.equal(body.choices[0].message.content, 'WELL')
  t.match(sentText(), /an pear/)
  t.match(await ask('bad'), {
    status: 400,
    body: { error: { code: 'FILTER_REFUSED', message: 'Not this.', details: { code: 'NOT_THIS' } } },
  })
  t.match(await server.request('POST', `/agents/${agent_id}/chat/polish`, { body: { prompt: 'bad' } }), {
    status: 400,
    body: { error: { code: 'FILTER_REFUSED', message: 'Not this.' } },
  })
})

t.test('a filter of a wrong form stops its plugin, not the server', async (t) => {
  const wrong = (entry: string) => `export default {
    name: 'wrong', summary: 'Wrong', kernel: 1, setup: (host) => host.extend('chat.filters', ${entry}) }`
  const forms: [entry: string, reason: string][] = [
    ["{ name: 'f' }", '/on_failure is missing'],
    ["{ name: 'f', on_failure: 'stop', reply() {} }", '/on_failure must be'],
    ["{ name: 'f', on_failure: 'pass', reply() {}, time_limit_ms: 6000 }", '/time_limit_ms must be'],
    ["{ name: 'f', on_failure: 'pass', reply: 'no' }", '/reply must be a function'],
    ["{ name: 'f', on_failure: 'pass' }", 'neither a function "request" nor a function "reply"'],
  ]
  for (const [entry, reason] of forms) {
    const other = await startServer(t, { plugins: { wrong: wrong(entry) } })
    const { body } = await other.request('GET', '/health', { token: null })
    t.equal(body.plugins.wrong, 'failed', entry)
    t.ok(other.logged().includes(JSON.stringify(reason).slice(1, -1)), reason)
    await other.stop()
  }
})
