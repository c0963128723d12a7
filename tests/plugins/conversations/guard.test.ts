import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { startChat, textOf } from '../../support/chat.ts'
import { runCommand } from '../../support/kernel.ts'
import { createHome, startServer } from '../../support/server.ts'

/** Keys of the shapes that services issue, put together so that no scanner takes this file for a leak. */
const KEYS = {
  amazon: `AKIA${'QWERTYUIOPASDFGH'}`,
  github: `ghp_${'a1B2'.repeat(9)}`,
  slack: `xoxb-${'1234567890-'.repeat(2)}abcdef`,
  google: `AIza${'Sy4_-'.repeat(7)}`,
  openai: `sk-proj-${'a1B2'.repeat(10)}`,
  anthropic: `sk-ant-api03-${'a1-B2_'.repeat(8)}`,
  deepseek: `sk-${'0a1b2c3d'.repeat(4)}`,
  stripe: `sk_live_${'a1B2'.repeat(6)}`,
  jwt: ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'abcdefghijklmnop'].join('.'),
  pem: `-----BEGIN RSA ${'PRIVATE'} KEY-----\nMIIE\n\nabc=\n-----END RSA ${'PRIVATE'} KEY-----`,
}

const CARDS = ['4111 1111 1111 1111', '5500-0000-0000-0004', '378282246310005', '6200000000000005']

const HARMLESS = [
  'task-force-of-the-year-and-more-than-that',
  'sk-learn-pipeline-with-many-steps-in-it',
  '4111 1111 1111 1112',
  '1700000000000000 and 0.4111111111111111 and a4111111111111111',
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  'deadbeef'.repeat(8),
  '+47 22 22 55 55, 2026-11-29 12:00:00, 192.168.100.200',
  'eyJhbGciOiJIUzI1NiJ9',
]

const start = async (t: Parameters<typeof startChat>[0], guard: object) => {
  const chat = await startChat(t, {
    config: { plugins: { guard: { enabled: true, ...guard } } },
    env: { SVC_TITLE_MODEL: 'off' },
  })
  const counts = async () => {
    const { body } = await chat.server.request('GET', '/metrics')
    return String(body)
      .split('\n')
      .filter((line) => line.startsWith('svc_guard_hits_total'))
      .sort()
  }
  return { ...chat, counts, socket: await chat.connect() }
}

type Guarded = Awaited<ReturnType<typeof start>>

const sent = ({ fake }: Guarded) => JSON.stringify(fake.requests.at(-1)!.body.messages)

/** Checks that neither the log nor the audit has any of these texts. */
async function isUnwritten(
  t: Parameters<typeof startChat>[0],
  { server }: Guarded,
  texts: readonly string[],
) {
  const { body } = await server.request('GET', '/admin/audit?limit=200')
  const written = server.logged() + JSON.stringify(body)
  for (const text of texts) t.notOk(written.includes(text.slice(0, 16)), 'a hit is written nowhere')
}

t.test('keys and card numbers are redacted in both directions', async (t) => {
  const chat = await start(t, {})
  const { socket, fake, createThread, history, counts } = chat
  for (const [name, key] of Object.entries(KEYS)) {
    await socket.ask({ text: `this "${key}" is it` })
    t.match(sent(chat), /this \\"\[redacted: key\]\\" is it/, name)
  }
  for (const card of CARDS) {
    const { frames } = await socket.ask({ text: `卡号${card}，` })
    t.match(sent(chat), /卡号\[redacted: card number\]，/, card)
    t.match(
      frames.filter(({ type }) => type === 'notice'),
      [{ code: 'GUARD_REDACTED', message: 'This was hidden from the model: card number.' }],
    )
  }
  for (const text of HARMLESS) {
    await socket.ask({ text })
    t.ok(sent(chat).includes(text), text)
  }
  t.strictSame(await counts(), [
    `svc_guard_hits_total{rule="cards",action="redact",direction="request"} ${CARDS.length}`,
    `svc_guard_hits_total{rule="keys",action="redact",direction="request"} ${Object.keys(KEYS).length}`,
  ])

  const thread_id = await createThread()
  const split = [`Take ${KEYS.github.slice(0, 9)}`, `${KEYS.github.slice(9)}.\n\nOr 4111 11`, '11 1111 1111']
  fake.next({ text: split })
  const { frames } = await socket.ask({ thread_id, text: `I have ${CARDS[0]}` })
  t.equal(textOf(frames), 'Take [redacted: key].\n\nOr [redacted: card number]')
  await socket.ask({ thread_id, text: 'and now?' })
  t.notMatch(sent(chat), /4111/, 'also in the turns that follow')
  const { messages } = await history(thread_id)
  t.match(messages[0].content, [{ text: `I have ${CARDS[0]}` }], 'the history has the words of the person')
  t.match((await counts()).length, 4)
  await isUnwritten(t, chat, [...Object.values(KEYS), ...CARDS])
})

t.test('what tools return and are called with is redacted for the model', async (t) => {
  const chat = await start(t, {})
  const { socket, fake, agent_id, server } = chat
  fake.next(
    { toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: CARDS[0] } }] },
    { toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },
    { text: 'Done.' },
  )
  await socket.ask({ text: 'go' })
  t.notMatch(sent(chat), /4111/)
  t.match(sent(chat), /redacted: card number.*redacted: card number/)
  const file = await server.request('GET', `/agents/${agent_id}/files/content?path=a.txt`)
  t.match(String(file.body), CARDS[0]!, 'the file is as it was written')
})

t.test('a blocked message goes nowhere, and the conversation goes on', async (t) => {
  const rules = { keys: 'block', cards: 'block' }
  const chat = await start(t, { rules })
  const { socket, fake, createThread, counts } = chat
  const thread_id = await createThread()
  const { length } = fake.requests
  const { end } = await socket.ask({ thread_id, text: `pay with ${CARDS[0]}` })
  t.match(end, { type: 'error', code: 'GUARD_BLOCKED', message: /must not be sent: card number/ })
  t.notMatch(JSON.stringify(end), /4111/, 'the message names the rule, not the hit')
  t.equal(fake.requests.length, length)
  t.match((await socket.ask({ thread_id, text: 'well then' })).end, { type: 'done', stop_reason: 'end' })
  t.notMatch(sent(chat), /4111/)

  fake.next({ text: `So:\n\n${KEYS.openai}\n\nEnd` })
  const { frames, end: filtered } = await socket.ask({ thread_id, text: 'a key please' })
  t.match(filtered, { type: 'done', stop_reason: 'filtered' })
  t.equal(textOf(frames), 'So:\n\n')
  t.match(
    frames.find(({ type }) => type === 'notice'),
    { code: 'GUARD_BLOCKED', message: /: key\./ },
  )
  t.strictSame(await counts(), [
    'svc_guard_hits_total{rule="cards",action="block",direction="request"} 1',
    'svc_guard_hits_total{rule="keys",action="block",direction="reply"} 1',
  ])
  await isUnwritten(t, chat, [...Object.values(KEYS), ...CARDS])
})

t.test('a warning lets the text pass and tells the person once', async (t) => {
  const own = [{ name: 'case', pattern: 'CASE-\\d{6}', action: 'warn' }]
  const chat = await start(t, { rules: { own, keys: 'off' } })
  const { socket, fake, counts } = chat
  fake.next({ toolCalls: [{ name: 'ls', arguments: {} }] }, { text: 'CASE-111111 and CASE-222222' })
  const { frames } = await socket.ask({ text: `see CASE-123456 with ${KEYS.openai}` })
  t.ok(sent(chat).includes(`see CASE-123456 with ${KEYS.openai}`), 'a rule that is off finds nothing')
  t.equal(textOf(frames), 'CASE-111111 and CASE-222222')
  t.match(
    frames.filter(({ type }) => type === 'notice'),
    [{ code: 'GUARD_WARNED', message: 'This contains something that you may not want to share: case.' }],
  )
  t.strictSame(await counts(), [
    'svc_guard_hits_total{rule="case",action="warn",direction="reply"} 2',
    'svc_guard_hits_total{rule="case",action="warn",direction="request"} 1',
  ])
})

t.test('a person who reads Chinese sees Chinese, and what is redacted stays as it is', async (t) => {
  const own = [{ name: 'words', pattern: 'card|redacted', action: 'redact' }]
  const chat = await start(t, { rules: { own }, directions: 'request' })
  const { fake } = chat
  const socket = await chat.connect({ headers: { 'Accept-Language': 'zh' } })
  const { frames } = await socket.ask({ text: `${CARDS[0]} [redacted: card number]` })
  t.match(sent(chat), /\[已隐去：银行卡号\] \[redacted: card number\]/)
  t.match(frames.find(({ type }) => type === 'notice')?.message, /未发送给模型：银行卡号/)
  fake.next({ text: ['one ', CARDS[0]!] })
  const reply = await socket.ask({ text: 'go' })
  t.equal(textOf(reply.frames), `one ${CARDS[0]}`, 'replies pass if only requests are looked at')
})

t.test('patterns that cannot be used stop the start, with their place', async (t) => {
  const wrong: [own: object[], message: RegExp][] = [
    [
      [{ name: 'a', pattern: '(?=x)', action: 'warn' }],
      /plugins\.guard\.rules\.own\[0\]\.pattern is not a regular/,
    ],
    [[{ name: 'a', pattern: 'x*', action: 'warn' }], /own\[0\]\.pattern matches an empty text/],
    [
      [{ name: 'a', pattern: '(x{1000}){5}', action: 'warn' }],
      /own\[0\]\.pattern is (too large|not a regular)/,
    ],
    [[{ name: 'keys', pattern: 'x', action: 'warn' }], /own\[0\]\.name is the name of another rule/],
    [[{ name: 'a', pattern: 'x'.repeat(501), action: 'warn' }], /own.*pattern/],
    [[{ name: 'a', pattern: 'x', action: 'shout' }], /own.*action/],
  ]
  for (const [own, message] of wrong) {
    const start = startServer(t, { config: { plugins: { guard: { enabled: true, rules: { own } } } } })
    await t.rejects(start, { message })
  }
})

t.test('it is off unless it is enabled', async (t) => {
  const chat = await startChat(t)
  const socket = await chat.connect()
  await socket.ask({ text: CARDS[0]! })
  t.ok(JSON.stringify(chat.fake.requests.at(-1)!.body.messages).includes(CARDS[0]!))
  const { body } = await chat.server.request('GET', '/health', { token: null })
  t.equal(body.plugins.guard, undefined)
  const { stdout } = await runCommand(createHome(t), ['plugins'])
  t.match(stdout, /guard .*off/)
  await eventually('no figure', async () => {
    const metrics = await chat.server.request('GET', '/metrics')
    return !String(metrics.body).includes('svc_guard')
  })
})
