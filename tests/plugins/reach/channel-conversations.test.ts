import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { amount, isLong } from '../../run/tier.ts'
import { createHold } from '../../support/chat.ts'
import { startFakeWebhook } from '../../support/fake-webhook.ts'
import { startPlatform, type TestChannel } from '../../support/platform-channel.ts'

const start = await startPlatform(t, { kind: 'webhook', startFake: startFakeWebhook })

/** Sends a message, waits for its answer and returns the prompt that the model received. */
async function ask(
  { platform, fake, listPrompts: asked, seeMessage }: TestChannel,
  saying: Parameters<typeof platform.say>[0],
) {
  const answer = `answer ${asked().length}.`
  fake.next({ text: answer })
  await platform.say(saying)
  await seeMessage(answer)
  return asked().at(-1)!
}

t.test('the rules of a group decide what the agent sees and answers', async (t) => {
  const hear = (channel: TestChannel, ...texts: string[]) =>
    Promise.all(
      texts.map((text) => channel.platform.say({ text, place: 'group', sender: 'bob', mention: false })),
    )

  await t.test(
    'the model receives the last messages of a group once, with the message that it answers',
    async (t) => {
      const channel = await start({ group_context: { history_limit: 2 } })
      for (const text of ['first', 'second', 'third']) await hear(channel, text)
      const prompt = await ask(channel, { text: 'well?', place: 'group' })
      t.match(prompt, /bob: second\nbob: third\n\n.*ann.*\nwell\?$/)
      t.notMatch(prompt, 'first')
      t.notMatch(await ask(channel, { text: 'and?', place: 'group' }), 'third')
    },
  )
  await t.test('rules keep the last messages for the next answer, or exclude them', async (t) => {
    const kept = await start({ group_context: { clear_after_reply: false } })
    await hear(kept, 'remember me')
    t.match(await ask(kept, { text: 'one', place: 'group' }), 'remember me')
    t.match(await ask(kept, { text: 'two', place: 'group' }), 'remember me')
    const excluding = [
      { visibility: 'mention_only' },
      { enabled: false },
      { history_ttl_seconds: 0 },
      { history: 'none' },
      { history_limit: 0 },
    ]
    for (const rules of excluding.slice(0, amount({ short: 3, long: excluding.length }))) {
      const channel = await start({ group_context: rules })
      await hear(channel, 'forget me')
      t.notMatch(await ask(channel, { text: 'one', place: 'group' }), 'forget me', JSON.stringify(rules))
    }
  })
  await t.test('every message is answered if visibility is all and activation always', async (t) => {
    const all = { visibility: 'all', activation: 'always' }
    const channel = await start({ group_context: all })
    t.match(await ask(channel, { text: 'nobody asked', place: 'group', mention: false }), 'nobody asked')
    const single = await start({ group_context: { groups: { square: all } } })
    t.match(await ask(single, { text: 'in the square', place: 'group', mention: false }), 'in the square')
    const coerced = await start({ group_context: { activation: 'always' } })
    await hear(coerced, 'only heard')
    t.match(await ask(coerced, { text: 'spoken to', place: 'group' }), 'only heard')
    t.equal(coerced.listPrompts().length, 1)
  })
})

t.test('a message says what it replies to', async (t) => {
  const channel = await start()
  t.match(await ask(channel, { text: 'why?', quote: 'because\nof this' }), /> because\n> of this\n\nwhy\?$/)
})

t.test('the settings decide if reasoning and tool names are shown', async (t) => {
  const steps = [
    { reasoning: ['let me\nthink'], text: 'I will look.', toolCalls: [{ name: 'ls', arguments: {} }] },
    { text: 'Here it is.' },
  ]
  const shownWith = async (config: object) => {
    const { platform, fake, seeMessage } = await start(config as Record<string, unknown>)
    fake.next(...steps)
    await platform.say({ text: 'look' })
    await seeMessage('Here it is.')
    return platform.shown().map(({ text }) => text)
  }
  if (isLong) t.strictSame(await shownWith({}), ['Here it is.'])
  t.strictSame(await shownWith({ show_thinking: true, show_tool_hints: true }), ['Here it is.'])
  t.strictSame(await shownWith({ response_mode: 'stream' }), ['I will look.\n\nHere it is.'])
  t.strictSame(await shownWith({ response_mode: 'stream', show_thinking: true, show_tool_hints: true }), [
    '> 💭 let me\n> think\n\nI will look.\n\n🔧 `ls`\n\nHere it is.',
  ])
})

t.test('a failed turn is explained in the conversation', async (t) => {
  const { platform, fake, seeMessage, server, agent_id } = await start()
  fake.next({ status: 401, error: { message: 'bad key' } })
  await platform.say({ text: 'one' })
  const { text } = await seeMessage('⚠️')
  t.notMatch(text, 'fake upstream')
  fake.next({ text: '' }, { text: '' })
  await platform.say({ text: 'two' })
  await seeMessage('returned an empty answer')
  await server.request('PATCH', `/agents/${agent_id}`, { body: { default_model: null } })
})

t.test('notices and an end at a limit follow the answer in italics', async (t) => {
  const { platform, fake, seeMessage, server, agent_id } = await start()
  fake.next({ text: 'Once upon', finishReason: 'length' })
  await platform.say({ text: 'a long story' })
  t.match(
    (await seeMessage('Once upon')).text,
    'Once upon\n\n*The answer reached its length limit and was cut off.*',
  )

  await server.request('PATCH', `/agents/${agent_id}`, {
    body: { config: { fallback_models: ['demo:demo'] } },
  })
  fake.next(...Array(3).fill({ status: 503, error: { message: 'overloaded' } }))
  await platform.say({ text: 'hello' })
  t.match(
    (await seeMessage('did not respond, so demo:demo answered.')).text,
    /\n\n\*\S+ did not respond, so demo:demo answered\.\*$/,
  )
})

t.test('a file that the agent attaches is sent', async (t) => {
  const { platform, fake, seeMessage } = await start()
  fake.next(
    { toolCalls: [{ name: 'write_file', arguments: { path: 'report.txt', content: 'all is well' } }] },
    { text: 'See the report.' },
  )
  await platform.say({ text: 'report' })
  await seeMessage('See the report.')
  const { file } = await eventually('the file', () => platform.shown().find((message) => message.file))
  t.match(file, { filename: 'report.txt', media_type: 'text/plain' })
  t.equal(Buffer.from(file!.bytes).toString(), 'all is well')
})

t.test('a sender who may not decide gets no buttons, and the owner decides elsewhere', async (t) => {
  const { platform, fake, server, agent_id, seeMessage, threads } = await start()
  await server.request('PATCH', `/agents/${agent_id}`, { body: { config: { tools_with_approval: ['ls'] } } })
  fake.next({ toolCalls: [{ name: 'ls', arguments: {} }] }, { text: 'done then' })
  await platform.say({ text: 'list it' })
  const question = await seeMessage('Nobody here can decide')
  t.strictSame(question.buttons, [])
  await platform.say({ text: '/approve' })
  await seeMessage('You are not allowed to decide this')
  const [{ thread_id }] = (await threads('GET', '')).body
  await server.request('POST', `/agents/${agent_id}/chat/hitl/resume`, {
    body: { thread_id, decisions: [{ type: 'approve' }] },
  })
  await seeMessage('done then')
})

t.test('a question with shortened arguments names the place of the whole', async () => {
  const { platform, fake, server, agent_id, seeMessage, threads } = await start()
  await server.request('PATCH', `/agents/${agent_id}`, {
    body: { config: { tools_with_approval: ['write_file'] } },
  })
  const write = (length: number) => ({
    name: 'write_file',
    arguments: { path: 'a.txt', content: 'x'.repeat(length) },
  })
  fake.next({ toolCalls: [write(2000), write(300_000)] }, { text: 'neither then' })
  await platform.say({ text: 'write it' })
  await seeMessage('The arguments are shortened. Read them in full before you decide: in the console')
  await seeMessage(/decide: .*\/api\/agents\/\w+\/chat\/hitl\/\w+\/threads\/\w+\/args\/1/)
  const [{ thread_id }] = (await threads('GET', '')).body
  await server.request('POST', `/agents/${agent_id}/chat/hitl/resume`, {
    body: { thread_id, decisions: [{ type: 'reject' }, { type: 'reject' }] },
  })
  await seeMessage('neither then')
})

t.test('taking back a waiting message frees its conversation', async (t) => {
  const { platform, fake, server, agent_id, seeMessage, threads } = await start()
  fake.next({ text: 'the first' })
  await platform.say({ text: 'hello' })
  await seeMessage('the first')
  const [{ thread_id }] = (await threads('GET', '')).body
  const socket = await server.connect(`/agents/${agent_id}/chat/ws`)
  fake.next({ toolCalls: [{ name: 'ask_user_question', arguments: { question: 'Which?' } }] })
  socket.send({ type: 'user_turn', thread_id, text: 'ask me' })
  await socket.next('hitl_required')
  await platform.say({ text: 'behind it' })
  const { queue_id } = await eventually('the message in the queue', async () => {
    const { body } = await threads('GET', `/${thread_id}/history`)
    return body.queued[0]
  })
  socket.send({ type: 'unqueue', thread_id, queue_id })
  t.match(await socket.next('unqueued'), { queue_id })
  socket.send({ type: 'stop', thread_id })
  await socket.next('done')
  fake.next({ text: 'the second' })
  await platform.say({ text: 'and now?' })
  await seeMessage('the second')
})

t.test('several calls are decided one by one, by their codes, also after a restart', async (t) => {
  const { platform, fake, server, agent_id, seeMessage, seeState } = await start({ allow_from: ['ann'] })
  await server.request('PATCH', `/agents/${agent_id}`, {
    body: { config: { tools_with_approval: ['ls', 'glob'] } },
  })
  fake.next(
    {
      toolCalls: [
        { name: 'ls', arguments: {} },
        { name: 'glob', arguments: { pattern: '*' } },
      ],
    },
    { text: 'both were decided' },
  )
  await platform.say({ text: 'look around' })
  const codes = await eventually('two requests', () => {
    const codes = platform.shown().flatMap(({ text }) => /\/approve ([a-z2-9]{6})/.exec(text)?.[1] ?? [])
    return codes.length === 2 && codes
  })
  await platform.say({ text: '/approve' })
  await seeMessage('Several requests are waiting')
  await platform.say({ text: `/reject ${codes[1]} not now` })
  await seeMessage('❌ Rejected')
  await server.restart()
  server.admin.token = await server.login(server.admin.username, server.admin.password)
  await seeState('connected')
  t.equal(platform.shown().filter(({ text }) => text.includes(codes[0]!)).length, 2, 'it is not asked again')
  await platform.say({ text: 'yes' })
  await seeMessage('both were decided')
  t.match(JSON.stringify(fake.requests.at(-1)!.body), /not now/)
})

t.test('a tool can be allowed for the whole conversation', async (t) => {
  const { platform, fake, server, agent_id, seeMessage } = await start({ allow_from: ['ann'] })
  await server.request('PATCH', `/agents/${agent_id}`, { body: { config: { tools_with_approval: ['ls'] } } })
  const call = { toolCalls: [{ name: 'ls', arguments: {} }] }
  fake.next(call, { text: 'asked for' }, call, { text: 'not asked for' })
  await platform.say({ text: 'list' })
  const { id } = await seeMessage('needs approval')
  await platform.press(id, 'Always here')
  await seeMessage('asked for')
  await platform.say({ text: 'once more' })
  await seeMessage('not asked for')
  t.equal(
    platform.shown().filter(({ text }) => text.includes('/approve')).length,
    0,
    'the one question shows its answer',
  )
})

t.test('a question accepts no answers after its thread is removed', async (t) => {
  const channel = await start()
  const { platform, fake, seeMessage, threads, listPrompts: asked, server } = channel
  fake.next({ toolCalls: [{ name: 'ask_user_question', arguments: { question: 'Red or blue?' } }] })
  await platform.say({ text: 'paint it' })
  await seeMessage('Red or blue?')
  const [{ thread_id }] = (await threads('GET', '')).body
  await threads('DELETE', `/${thread_id}`)
  const inbox = server.db.collection('channel_inbox')
  await eventually('the message is done with', async () => (await inbox.countDocuments({ open: true })) === 0)
  t.match(await ask(channel, { text: 'something else' }), 'something else')
  t.equal(asked().length, 2)
})

t.test('conversations are answered in parallel', async (t) => {
  const { platform, fake, seeMessage, seeRequest } = await start()
  const { hold, release } = createHold()
  fake.next({ text: 'slow', hold }, { text: 'quick' })
  await platform.say({ text: 'one' })
  await seeRequest()
  await platform.say({ text: 'two', place: 'group' })
  await seeMessage('quick', 'group')
  t.equal(platform.shown('direct').length, 0)
  release()
  await seeMessage('slow', 'direct')
})

t.test('a hook accepts only valid bodies with a recent, correct signature', async (t) => {
  const { platform, server, channel_id } = await start()
  const post = async (body: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}/api/hooks/${channel_id}`, { method: 'POST', body, headers })
    return { status: response.status, body: (await response.json()) as { error: { code: string } } }
  }
  const { createHmac } = await import('node:crypto')
  const sign = (body: string, at = Date.now(), secret = String(platform.config.secret)) => {
    const timestamp = String(Math.floor(at / 1000))
    const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
    return { 'x-timestamp': timestamp, 'x-signature': `v1=${digest}` }
  }
  const good = JSON.stringify({ id: 'h1', conversation_id: 'c', user: { id: 'ann' }, text: '/help' })
  const cases: [body: string, headers: Record<string, string>, status: number, code: string][] = [
    [good, {}, 401, 'AUTH_FAILED'],
    [good, sign(`${good} `), 401, 'AUTH_FAILED'],
    [good, sign(good, Date.now() - 301_000), 401, 'AUTH_FAILED'],
    [good, sign(good, Date.now(), 'another secret of it'), 401, 'AUTH_FAILED'],
    ['{', sign('{'), 400, 'BAD_JSON'],
    ['[]', sign('[]'), 422, 'VALIDATION_FAILED'],
    ['{}', sign('{}'), 422, 'VALIDATION_FAILED'],
  ]
  for (const [body, headers, status, code] of cases)
    t.match(await post(body, headers), { status, body: { error: { code } } }, code)
  const headers = sign(good)
  t.match(await post(good, headers), { status: 202, body: { accepted: true } })

  const stored = () => server.db.collection('channel_inbox').countDocuments({ channel_id })
  t.equal(await stored(), 1)
  for (const key of ['', 'another', 'a third one'])
    t.match(await post(good, { ...headers, 'idempotency-key': key }), { status: 202 }, 'as any repetition')
  t.equal(await stored(), 1, 'a captured request is no new message, whatever is written beside its signature')
  const unnamed = good.replace('"id":"h1",', '')
  t.match(await post(unnamed, { ...sign(unnamed), 'idempotency-key': 'h2' }), { status: 422 })
  t.equal(await stored(), 1, 'only what is signed names a message')
})
