import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { createHold } from '../../support/chat.ts'
import { type ScriptedCall, startScripted } from '../../support/scripted-kind.ts'

const start = await startScripted(t)

const refuse = (reason: ChannelFailureReason, options = {}) =>
  new ChannelFailure(reason, `The platform says ${reason}.`, options)

t.test('a refusal is final, is shown at the channel, and holds up no later message', async (t) => {
  for (const [reason, attempts] of [
    ['unknown', 3],
    ['forbidden', 1],
    ['not_found', 1],
  ] as const) {
    const { say, see, answer, calls, fake, runtime, server } = await start(t)
    answer(({ text }) => text.includes('refused') && refuse(reason))
    fake.next({ text: 'a refused answer' }, { text: 'the second' })
    await say('one')
    await say('two')
    await see('the second')
    t.equal(calls.filter(({ text }) => text.includes('refused answer')).length, attempts, reason)
    t.match(await runtime(), { state: 'connected', last_refusal: { reason, detail: `says ${reason}` } })
    const metrics = await server.request('GET', '/metrics')
    t.match(
      JSON.stringify(metrics.body),
      new RegExp(`svc_channel_refusals_total.{1,40}scripted.{1,40}${reason}`),
    )
  }
})

t.test('a person is notified of an answer that the platform refuses', async (t) => {
  const { say, see, answer, fake } = await start(t)
  answer(({ text }) => text.includes('secret') && refuse('unknown'))
  fake.next({ text: 'a secret answer' })
  await say('one')
  await see('You can read it in the console')
})

t.test('a refused text is sent once more as plain words, in shorter messages', async (t) => {
  const { say, see, answer, shown, fake, calls } = await start(t)
  answer(
    ({ text }) => (/<b>/.test(text) || text.length > 100) && refuse('unsupported', { is_about_text: true }),
  )
  const words = Array.from({ length: 30 }, (_, index) => `word${index}`)
  fake.next({ text: `**bold** ${words.join(' ')} \ud83d end <tag>` })
  await say('one')
  await see('end')
  t.equal(shown.join(' ').replace(/\s+/g, ' '), `bold ${words.join(' ')} \ufffd end &lt;tag&gt;`)
  t.equal(calls.filter(({ text }) => text.includes('<b>')).length, 1)
})

t.test('the plain words of a refused text are those of its code, and say if more would follow', async (t) => {
  const { say, see, answer, shown, fake } = await start(t)
  const refuseMarks = ({ text }: ScriptedCall) =>
    /<[a-z]/.test(text) && refuse('unsupported', { is_about_text: true })
  answer(refuseMarks)
  const lines = Array.from({ length: 30 }, (_, index) => `${index % 2 ? '  ' : '# '}*a${index}* = _b_ [1](x)`)
  fake.next({ text: `\`\`\`py\n${lines.join('\n')}\n\`\`\`\nthe end` })
  await say('one')
  await see('the end')
  t.strictSame(shown.join('\n').split(/\n+/), [...lines, 'the end'])

  shown.length = 0
  fake.next({ text: `**bold** ${'A sentence of words. '.repeat(60)}` })
  await say('two', { conversation: { id: 'square', type: 'group' } })
  t.match(await see('answer continues in the console'), /…\nThe answer continues in the console\.$/)
  t.equal(shown.length, 2)
})

t.test('texts that are always refused end with the sentence, or with nothing', async (t) => {
  for (const isSentenceRefused of [false, true])
    for (const response_mode of ['stream', 'invoke']) {
      const { say, see, answer, shown, fake, calls, runtime } = await start(t, { response_mode })
      answer(({ text }) => {
        const isRefused = isSentenceRefused ? !text.includes('second') : text.includes('word')
        return isRefused && refuse('unknown', { is_about_text: true })
      })
      fake.next(
        { text: `${'word '.repeat(100)}\n\n| word | b |\n| - | - |\n| 1 | 2 |` },
        { text: 'the second' },
      )
      await say('one')
      await say('two')
      await see('the second')
      const sentences = shown.filter((text) => text.includes('The platform rejected'))
      t.equal(sentences.length, isSentenceRefused ? 0 : 1)
      t.ok(calls.length < 12, `${calls.length} calls`)
      t.match(await runtime(), { last_refusal: { reason: 'unknown' } })
    }
})

t.test('a question whose text is refused is asked in all its words', async (t) => {
  const { say, see, answer, fake, shown, calls, server, agent_id } = await start(t, { allow_from: ['ann'] })
  await server.request('PATCH', `/agents/${agent_id}`, { body: { config: { tools_with_approval: ['ls'] } } })
  t.teardown(() => server.request('PATCH', `/agents/${agent_id}`, { body: { config: {} } }))
  answer(({ text }) => /<b>/.test(text) && refuse('unsupported', { is_about_text: true }))
  fake.next({ toolCalls: [{ name: 'ls', arguments: {} }] }, { text: 'it is listed' })
  await say('list it')
  await see('/reject')
  t.match(shown.join(' '), /The agent needs approval.*\/approve/s)
  t.ok(calls.at(-1)!.buttons.length > 0)
  await say('yes')
  await see('it is listed')
})

t.test('a refused file is named, and the answer goes on', async (t) => {
  const { say, see, answer, fake } = await start(t)
  answer(({ method }) => method === 'sendFile' && refuse('unsupported'))
  fake.next(
    { toolCalls: [{ name: 'write_file', arguments: { path: 'report.txt', content: 'all is well' } }] },
    { text: 'See the report.' },
  )
  await say('one')
  await see('report.txt could not be sent here')
})

t.test('a question whose buttons are refused is asked in words', async (t) => {
  const { say, see, answer, fake, server, agent_id } = await start(t, { allow_from: ['ann'] })
  await server.request('PATCH', `/agents/${agent_id}`, { body: { config: { tools_with_approval: ['ls'] } } })
  t.teardown(() => server.request('PATCH', `/agents/${agent_id}`, { body: { config: {} } }))
  answer(({ buttons }) => buttons.length > 0 && refuse('unknown'))
  fake.next({ toolCalls: [{ name: 'ls', arguments: {} }] }, { text: 'listed' })
  await say('list it')
  await see('needs approval')
  await say('yes @bot')
  await see('listed')
})

t.test('a call whose arguments are cut within a character is asked for', async (t) => {
  for (const shift of ['', 'x']) {
    const { say, see, answer, fake, server, agent_id } = await start(t, { allow_from: ['ann'] })
    await server.request('PATCH', `/agents/${agent_id}`, {
      body: { config: { tools_with_approval: ['write_file'] } },
    })
    t.teardown(() => server.request('PATCH', `/agents/${agent_id}`, { body: { config: {} } }))
    answer(({ text }) => !text.isWellFormed() && refuse('unsupported'))
    const written = { path: 'a.txt', content: `${shift}${'😀'.repeat(900)}` }
    fake.next({ toolCalls: [{ name: 'write_file', arguments: written }] }, { text: 'it is written' })
    await say('write it')
    await see('needs approval')
    await say('/approve')
    await see('it is written')
  }
})

t.test('the words behind /new decide nothing that waits before it', async (t) => {
  const { say, see, fake, prompt, server, agent_id } = await start(t, { allow_from: ['ann'] })
  await server.request('PATCH', `/agents/${agent_id}`, { body: { config: { tools_with_approval: ['ls'] } } })
  t.teardown(() => server.request('PATCH', `/agents/${agent_id}`, { body: { config: {} } }))
  fake.next({ toolCalls: [{ name: 'ls', arguments: {} }] }, { text: 'a new start' })
  await say('list it')
  await see('needs approval')
  await say('/new /new yes')
  await see('a new start')
  t.equal(prompt(), 'yes')
  t.equal(
    fake.requests.at(-1)!.body.messages.some(({ role }: { role: string }) => role === 'tool'),
    false,
  )
})

t.test('/stop ends a delivery that is repeated, and /new begins at once', async (t) => {
  for (const command of ['/stop', '/new']) {
    const { say, see, answer, fake, calls } = await start(t)
    answer(({ text }) => text.includes('endless') && refuse('unreachable'))
    fake.next({ text: 'an endless answer' }, { text: 'the second' })
    await say('one')
    await eventually('a repetition', () => calls.filter(({ text }) => text.includes('endless')).length > 1)
    await say(command)
    await see(command === '/stop' ? 'Stopped.' : 'starts a new conversation')
    await say('two')
    await see('the second')
  }
})

t.test('/new stops what runs, and what waits before it stays in its conversation', async (t) => {
  const { say, see, fake, seeThreads, prompt } = await withThreads()
  const { hold, release } = createHold()
  t.teardown(release)
  fake.next(
    { text: ['a beginning ', 'and more'], hold, holdAfter: 1 },
    { text: 'the queued' },
    { text: 'fresh' },
  )
  await say('go on for ever')
  await eventually('the model is asked', () =>
    fake.requests.some(({ body }) => JSON.stringify(body).includes('go on')),
  )
  await say('queued before')
  await say('/new')
  await see('starts a new conversation')
  await see('the queued')
  await say('hello again')
  await see('fresh')
  t.equal(prompt(), 'hello again')
  t.equal(fake.requests.at(-1)!.body.messages.filter(({ role }) => role === 'user').length, 1)
  t.equal((await seeThreads()).length, 2)

  async function withThreads() {
    const channel = await start(t)
    const threadCount = (await channel.threads('GET', '')).body.length
    return { ...channel, seeThreads: async () => (await channel.threads('GET', '')).body.slice(threadCount) }
  }
})

t.test('a live message that is refused is sent whole in another one', async (t) => {
  const { say, see, answer, fake, calls } = await start(t, { response_mode: 'stream' })
  answer(({ method }) => method !== 'send' && refuse('unknown'))
  fake.next({ text: ['The first ', 'and the second.'] })
  await say('one')
  await see('The first and the second.')
  t.ok(calls.filter(({ method }: ScriptedCall) => method === 'live').length <= 3)
})

t.test('the last message that a platform takes says that the answer continues', async (t) => {
  const { say, see, shown, fake } = await start(t)
  fake.next({ text: 'A sentence of words. '.repeat(60) })
  await say('long', { conversation: { id: 'square', type: 'group' } })
  t.match(await see('answer continues in the console'), /…\n<i>The answer continues in the console\.<\/i>$/)
  t.equal(shown.length, 2)
  t.ok(shown.every((text) => text.length <= 200))
})
