import { EventEmitter, once } from 'node:events'
import type { ModelCalled } from '../../../plugins/models/providers/types.ts'
import t, { type Test } from '../../run/file-test.ts'
import { createHold, startChat } from '../../support/chat.ts'
import { pluginSource } from '../../support/kernel.ts'

const bench = new EventEmitter()
const refused = new Set<string>()
Object.assign(globalThis, { bench, refused })

/** Records what calls cost, and refuses the calls of some users. */
const till = pluginSource(
  'till',
  `
  host.extend('providers.reservations', ({ account }) => {
    if (refused.has(account.user_id)) throw host.error('TILL_CLOSED')
  })
  host.on('model.called', (call) => { bench.emit('called', call) })`,
  `errors: { TILL_CLOSED: { status: 429, message: { en: 'Nothing is left.', zh: '额度已用完。' } } },`,
)

const SECONDS = 2
const chat = await startChat(t, {
  plugins: { till },
  config: { plugins: { polish: { max_seconds: SECONDS }, providers: { allow_hosts: ['127.0.0.1'] } } },
})
const { server, fake, agent_id } = chat
const { body: me } = await server.request('GET', '/auth/me')
const ann = await server.createUser({ username: 'ann' })
const [upstream] = (await server.request('GET', '/admin/providers')).body.filter(
  ({ name }: { name: string }) => name === 'fake',
)
const small = await server.request('POST', '/providers', {
  body: {
    name: 'small',
    kind: 'openai-compatible',
    base_url: fake.url,
    models: [
      { id: 's', name: 'S', max_output_tokens: 1000 },
      { id: 'own', name: 'Own' },
    ],
  },
})
t.equal(small.status, 201)

interface Options {
  agent?: string
  token?: string
  default_model?: string
  language?: string
}

const polish = (prompt: unknown, { agent = agent_id, token, default_model, language = 'en' }: Options = {}) =>
  server.request('POST', `/agents/${agent}/chat/polish`, {
    token,
    body: { prompt, default_model },
    headers: { 'accept-language': language },
  })
const nextCall = async (): Promise<ModelCalled> => (await once(bench, 'called'))[0]
const newAgent = async (settings: object): Promise<string> => {
  const { status, body } = await server.request('POST', '/agents', { body: settings })
  t.equal(status, 201)
  return body.id
}
const matchRefusal = (
  t: Test,
  { status, body }: Awaited<ReturnType<typeof polish>>,
  expected: [status: number, code: string, more?: object],
) => {
  t.match([status, body.error], [expected[0], { code: expected[1], message: /\S/, ...expected[2] }])
}

t.test('A prompt is improved by one call of the model, which pays and leaves nothing else', async (t) => {
  fake.next({
    text: ['Write a poem', ' about {topic}.'],
    reasoning: ['hm'],
    usage: { prompt_tokens: 50, completion_tokens: 7 },
  })
  const called = nextCall()
  const { status, body } = await polish('poem pls, {topic}')
  t.same([status, body], [200, { text: 'Write a poem about {topic}.' }])

  const { messages, model, max_tokens, tools } = fake.requests.at(-1)!.body
  t.same([model, max_tokens, tools], ['m', 4096, undefined])
  t.same(
    messages.map(({ role }) => role),
    ['system', 'user'],
  )
  t.equal(messages[1]!.content, '<prompt>\npoem pls, {topic}\n</prompt>')
  t.match(await called, {
    call_id: /\S/,
    account: { user_id: me.id, token_quota: null, agent_id, thread_id: null },
    purpose: 'polish',
    model: 'fake:m',
    usage: { input_tokens: 50, output_tokens: 7, total_tokens: 57 },
    is_estimated: false,
  })
  t.same((await chat.threads('GET', '')).body, [])
  for (const collection of ['threads', 'messages', 'events'])
    t.equal(await server.db.collection(collection).countDocuments(), 0, collection)
})

t.test('The answer may be as long as the prompt needs and its model can', async (t) => {
  const table: [prompt: string, default_model: string | undefined, max_tokens: number][] = [
    ['x'.repeat(6000), undefined, 4096],
    ['x'.repeat(12_000), undefined, 8000],
    ['字'.repeat(20_000), undefined, 40_000],
    ['x'.repeat(12_000), 'small:s', 1000],
  ]
  for (const [prompt, default_model, max_tokens] of table) {
    fake.next({ text: 'better' })
    t.equal((await polish(prompt, { default_model })).status, 200)
    t.equal(fake.requests.at(-1)!.body.max_tokens, max_tokens)
  }
})

t.test('What a model wraps the prompt in is taken off, what the prompt has itself stays', async (t) => {
  const code = '```js\nlet a = 1\n```'
  const table: [prompt: string, answer: string, text: string][] = [
    ['a', '  \n Better. \n', 'Better.'],
    ['a', '"Better."', 'Better.'],
    ['a', '“Better.”', 'Better.'],
    ['改', '「更好。」', '更好。'],
    ['a', '```\nBetter.\nMuch.\n```', 'Better.\nMuch.'],
    ['a', '```text\nBetter.\n```\n', 'Better.'],
    ['a', '<prompt>\nBetter.\n</prompt>', 'Better.'],
    ['a', '<prompt>\n```\n"Better."\n```\n</prompt>', 'Better.'],
    ['a', `\`\`\`\`\nExplain:\n${code}\n\`\`\`\``, `Explain:\n${code}`],
    ['a', `${code}\nand\n${code}`, `${code}\nand\n${code}`],
    ['a', '"One" or "two"', '"One" or "two"'],
    ['a', '‘tis the season’s end’', '‘tis the season’s end’'],
    ['a', 'Say "yes"', 'Say "yes"'],
    [code, code, code],
    ['"to be"', '"To be."', '"To be."'],
    [' “to be” ', '"To be."', '"To be."'],
    ['<prompt>a</prompt>', '<prompt>b</prompt>', '<prompt>b</prompt>'],
    ['"a" and "b"', '"Both."', 'Both.'],
  ]
  for (const [prompt, answer, text] of table) {
    fake.next({ text: [answer] })
    t.same((await polish(prompt)).body, { text }, `${prompt} -> ${answer}`)
  }
})

t.test('The model is the one asked for, else the agent’s, else the active one', async (t) => {
  const own = await newAgent({ name: 'with a model', default_model: 'small:own', is_shared: true })
  const table: [options: Options, model: string][] = [
    [{}, 'm'],
    [{ agent: own }, 'own'],
    [{ agent: own, default_model: 'small:s' }, 's'],
    [{ agent: own, default_model: 'fake:m' }, 'm'],
    [{ agent: own, token: ann.token }, 'm'],
  ]
  for (const [options, model] of table) {
    fake.next({ text: 'better' })
    const called = nextCall()
    t.same((await polish('a', options)).body, { text: 'better' })
    t.equal(fake.requests.at(-1)!.body.model, model)
    t.equal((await called).account.user_id, options.token ? ann.id : me.id, 'who asks is who pays')
  }
  const asked = fake.requests.length
  for (const [default_model, token] of [['fake:none'], ['nobody:m'], ['m'], [''], ['small:s', ann.token]]) {
    const reply = await polish('a', { agent: own, default_model, token })
    matchRefusal(t, reply, [400, 'PROVIDER_NOT_VISIBLE', { details: { model: default_model } }])
  }
  t.equal(fake.requests.length, asked)
})

t.test('A prompt that is blank, too long or no text is refused', async (t) => {
  const asked = fake.requests.length
  for (const prompt of ['', ' \n\t', 'x'.repeat(20_001), 7, null, undefined])
    matchRefusal(t, await polish(prompt), [422, 'VALIDATION_FAILED'])
  t.equal(fake.requests.length, asked)
})

t.test('An empty or incomplete answer is reported as such', async (t) => {
  const empty = { text: [' \n'], reasoning: ['much'] }
  for (const script of [empty, empty]) fake.next(script)
  matchRefusal(t, await polish('a'), [502, 'POLISH_EMPTY', { details: { model: 'fake:m' } }])
  fake.next({ text: '""' })
  matchRefusal(t, await polish('a'), [502, 'POLISH_EMPTY'])
  for (const finishReason of ['length', 'content_filter']) {
    fake.next({ text: 'Write a', finishReason })
    matchRefusal(t, await polish('a'), [502, 'POLISH_INCOMPLETE'])
  }
  fake.next({ ...empty, finishReason: 'length' })
  matchRefusal(t, await polish('a', { language: 'zh' }), [502, 'POLISH_INCOMPLETE', { message: /缩短/ }])
})

t.test('A call that fails or is refused ends the request with its reason', async (t) => {
  fake.next({ status: 401 })
  const called = nextCall()
  const reply = await polish('a', { language: 'zh' })
  const details = { provider: 'fake', model: 'm', reason: 'auth', status: 401, guidance: /\p{Script=Han}/u }
  matchRefusal(t, reply, [502, 'MODEL_AUTH_FAILED', { message: /密钥/, details }])
  t.equal((await called).usage, null)

  fake.next({ text: 'Write a poem', disconnectAfter: 2 })
  matchRefusal(t, await polish('a'), [502, 'MODEL_UNAVAILABLE'])

  const asked = fake.requests.length
  refused.add(me.id)
  matchRefusal(t, await polish('a'), [429, 'TILL_CLOSED'])
  refused.clear()
  t.equal(fake.requests.length, asked)
})

t.test('A model that takes too long is given up', async (t) => {
  fake.next({ text: 'Write a poem', hold: createHold().hold, holdAfter: 2 })
  const [n, called] = [fake.requests.length, nextCall()]
  const reply = await polish('a')
  matchRefusal(t, reply, [504, 'POLISH_TIMED_OUT', { details: { model: 'fake:m', seconds: SECONDS } }])
  await fake.requests[n]!.aborted
  t.match(await called, { is_estimated: true, usage: { output_tokens: 3 } }, 'what it said is paid for')
})

t.test('When the client leaves the model is left as well', async (t) => {
  fake.next({ text: 'never', hold: createHold().hold })
  const arrived = fake.request(fake.requests.length)
  const [leaving, called] = [new AbortController(), nextCall()]
  const call = fetch(`${server.url}/api/agents/${agent_id}/chat/polish`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.admin.token}`,
      'content-type': 'application/json',
      'x-request-id': 'leaving',
    },
    body: JSON.stringify({ prompt: 'a' }),
    signal: leaving.signal,
  })
  const { aborted } = await arrived
  leaving.abort()
  await t.rejects(call, { name: 'AbortError' })
  await Promise.all([aborted, called])
  t.equal((await server.request('GET', '/auth/me')).status, 200)
  const entries = server
    .logged()
    .split('\n')
    .filter((line) => line.includes('"leaving"'))
    .map((line) => JSON.parse(line))
  t.match(entries, [
    { msg: 'request refused', code: 'CLIENT_LEFT', level: 30 },
    { msg: 'request', status: 499 },
  ])
})

t.test('An agent that does not run, or has no model, polishes nothing', async (t) => {
  const stopped = await newAgent({ name: 'stopped' })
  t.equal((await server.request('POST', `/agents/${stopped}/stop`)).status, 204)
  const state = { details: { state: 'stopped' } }
  const reply = await polish('a', { agent: stopped, default_model: 'nobody:m' })
  matchRefusal(t, reply, [409, 'AGENT_NOT_RUNNING', state])

  const path = `/admin/providers/${upstream.id}`
  t.equal((await server.request('PATCH', path, { body: { enabled: false } })).status, 200)
  matchRefusal(t, await polish('a'), [409, 'MODEL_DISABLED'])
})
