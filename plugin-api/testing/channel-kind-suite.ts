import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as nodeTest } from 'node:test'
import { type ChannelKind, definePlugin } from '../index.ts'
import { type AgentBench, type BenchSettings, startAgentBench } from './agent-bench.ts'
import { assertPart } from './assert-part.ts'
import { createLinker, settingsOf } from './channel-bench.ts'
import type { FakePlatform, ShownMessage } from './fake-platform.ts'
import { declareTests, type TestFunction } from './test-function.ts'
import { createHold, eventually } from './waiting.ts'

/**
 * Something that a platform lacks: the tests of it are left out, or done in another way.
 *
 * | Word | The platform … |
 * |---|---|
 * | `live` | does not show a reply while it is written |
 * | `buttons` | has no buttons |
 * | `settle` | does not let a bot change a message, so that buttons stay after they were used |
 * | `typing` | does not show that a reply is being worked on |
 * | `files_in` | delivers no files to bots |
 * | `files_out` | takes no files from bots |
 * | `unmentioned` | delivers only those messages of a group to a bot that mention it |
 * | `sent_at` | does not say when a message was written, so that messages are answered as they arrive |
 * | `redelivery` | never delivers a message twice |
 * | `rate_limit` | does not ask a bot to send less |
 * | `shared_direct` | has one person alone in a direct conversation, so that nobody else can approve there |
 */
export type Lack =
  | 'live'
  | 'buttons'
  | 'settle'
  | 'typing'
  | 'files_in'
  | 'files_out'
  | 'unmentioned'
  | 'sent_at'
  | 'redelivery'
  | 'rate_limit'
  | 'shared_direct'

/** A channel kind with the fake of its platform. */
export interface ChannelKindSubject extends BenchSettings {
  kind: ChannelKind
  startFake(): Promise<FakePlatform>
  lacks?: readonly Lack[]
  /** Declares the tests: `test` of `node:test` unless another is given, e.g. `(name, run) => t.test(name, run)` of tap. */
  test?: TestFunction
}

/**
 * Tests a channel kind on a real server, whose model is a fake one, against a fake of the kind's platform. The server
 * gets the kind from `plugins`; unless they are given, from a plugin that brings it alone.
 */
export function testChannelKind({
  kind: subject,
  startFake,
  lacks = [],
  test = nodeTest,
  plugins,
  config = {},
  databaseUrl,
}: ChannelKindSubject): unknown {
  const { kind } = subject
  const can = (ability: Lack) => !lacks.includes(ability)

  return declareTests(test, `channel kind ${kind}`, async (t, add) => {
    let bench: AgentBench | undefined
    const platform = await startFake()
    t.after(async () => {
      await bench?.close()
      await platform.close()
    })
    const { plugins: sections, ...more } = config
    bench = await startAgentBench({
      plugins: plugins ?? [pluginOf(subject)],
      config: { ...more, plugins: { ...settingsOf(kind, platform), ...(sections as object) } },
      databaseUrl,
    })
    const { server, agent_id } = bench
    const start = createLinker(bench, platform, kind)

    await add('a message is answered, once, however often it comes', async () => {
      const { platform, fake, seeMessage, seeRequest, asked, listThreads } = await start()
      const { hold, release } = createHold()
      fake.next({ text: 'the first answer', hold }, { text: 'the second answer' })
      const id = await platform.say({ text: 'a first question' })
      if (can('redelivery')) await platform.redeliver(id)
      await seeRequest()
      if (can('redelivery')) await platform.redeliver(id)
      if (can('typing'))
        await eventually('people see that it is being answered', () => platform.typings() > 0)
      release()
      await seeMessage('the first answer')
      if (can('redelivery')) await platform.redeliver(id)
      await platform.say({ text: 'a second question' })
      await seeMessage('the second answer')
      assert.deepEqual(asked(), ['a first question', 'a second question'])
      assert.equal(platform.shown().filter(({ text }) => text.includes('answer')).length, 2)
      assertPart(await listThreads(), [{ channel_type: kind }])
      assert.deepEqual(platform.violations, [])
    })

    await add('messages of one conversation are answered in their order', async () => {
      const { platform, fake, seeMessage, seeRequest, asked } = await start()
      const { hold, release } = createHold()
      fake.next({ text: 'answer zero', hold }, { text: 'answer one' }, { text: 'answer two' })
      await platform.say({ text: 'question zero' })
      await seeRequest()
      const now = Date.now()
      if (can('sent_at')) {
        await platform.say({ text: 'question two', sent_at: now + 5000 })
        await platform.say({ text: 'question one', sent_at: now })
      } else {
        await platform.say({ text: 'question one' })
        await platform.say({ text: 'question two' })
      }
      release()
      await seeMessage('answer two')
      assert.deepEqual(asked(), ['question zero', 'question one', 'question two'])
    })

    await add('a long answer is shown while it is written, and whole in the end', async () => {
      const { platform, fake } = await start({ response_mode: 'stream' })
      const words = Array.from({ length: 600 }, (_, index) => `word${index} `)
      const pieces = Array.from(
        { length: 60 },
        (_, index) => `${words.slice(index * 10, index * 10 + 10).join('')}${index % 3 === 2 ? '\n\n' : ''}`,
      )
      fake.next({ text: pieces, delayMs: 50 })
      await platform.say({ text: 'tell me much' })
      await eventually('the last word', () =>
        platform.shown('direct').some(({ text, is_live }) => !is_live && text.includes('word599')),
      )
      const shown = platform.shown('direct')
      const seen = shown.flatMap(({ text }) =>
        [...text.matchAll(/word(\d+)/g)].map(([, index]) => Number(index)),
      )
      assert.deepEqual(
        seen,
        words.map((_, index) => index),
      )
      if (can('live'))
        assert.ok(
          shown.some(({ history }) => history.length > 0),
          'people could see it grow',
        )
      assert.ok(!shown.some(({ is_live }) => is_live))
      assert.deepEqual(platform.violations, [])
    })

    await add('in a group the agent answers who mentions it', async () => {
      const { platform, fake, seeMessage, asked } = await start()
      fake.next({ text: 'a group answer' })
      if (can('unmentioned'))
        await platform.say({ text: 'we meet at noon', place: 'group', sender: 'bob', mention: false })
      await platform.say({ text: 'when do we meet?', place: 'group' })
      await seeMessage('a group answer', 'group')
      const [question, ...others] = asked()
      assert.match(question ?? '', /when do we meet\?$/)
      if (can('unmentioned')) assert.match(question ?? '', /bob: we meet at noon/)
      assert.deepEqual(others, [])
      assert.deepEqual(platform.shown('direct'), [])
    })

    await add('a call is approved with a button, or in words, by those who may', async () => {
      const { platform, fake, seeMessage } = await start({
        allow_from: ['ann', 'bob'],
        approvers: ['bob'],
      })
      await server.request('PATCH', `/agents/${agent_id}`, { config: { tools_with_approval: ['ls'] } })
      const place = can('shared_direct') ? 'direct' : 'group'
      const say = (text: string, sender = 'ann') => platform.say({ text, sender, place })
      const call = { toolCalls: [{ name: 'ls', arguments: {} }] }
      fake.next(call, { text: 'listed once' }, call, { text: 'listed twice' }, call, { text: 'not listed' })
      const codeOf = ({ text }: ShownMessage) => /approve[^a-z0-9]+([a-z2-9]{6})/.exec(text)![1]!
      await say('list it')
      const asking = { ...(await seeMessage(/approve\W+[a-z2-9]{6}/)) }
      if (can('buttons')) {
        assert.equal(asking.buttons.length, 3)
        assert.match((await platform.press(asking.id, 'Approve', 'ann')) ?? '', /may not/)
        assert.match((await platform.press(asking.id, 'Approve', 'bob')) ?? '', /Approved/)
        assert.match((await platform.press(asking.id, 'Approve', 'bob')) ?? '', /not waiting/)
      } else await say(`/approve ${codeOf(asking)}`, 'bob')
      await seeMessage('listed once')
      if (can('settle'))
        await eventually('the buttons are taken off', () =>
          platform
            .shown()
            .some(
              ({ id, text, buttons }) =>
                id === asking.id && buttons.length === 0 && text.includes('Approved'),
            ),
        )
      const codes = new Set([codeOf(asking)])
      const seeNext = () =>
        eventually('the next request', () => {
          const next = platform
            .shown()
            .find((one) => /approve\W+[a-z2-9]{6}/.test(one.text) && !codes.has(codeOf(one)))
          if (next) codes.add(codeOf(next))
          return next
        })
      await say('again')
      const second = await seeNext()
      await say(`/approve ${codeOf(second)}`, 'ann')
      await seeMessage('may not')
      await say(`/approve ${codeOf(second)}`, 'bob')
      await seeMessage('listed twice')
      await say('and again')
      await seeNext()
      await say('/reject too often', 'bob')
      await seeMessage('not listed')
      assert.match(JSON.stringify(fake.requests.at(-1)!.body), /too often/)
      assert.deepEqual(platform.violations, [])
    })

    await add('a question of the agent is answered with a message', async () => {
      const { platform, fake, seeMessage } = await start()
      fake.next(
        { toolCalls: [{ name: 'ask_user_question', arguments: { question: 'Red or blue?' } }] },
        { text: 'blue it is' },
      )
      await platform.say({ text: 'paint it' })
      await seeMessage('Red or blue?')
      await platform.say({ text: 'the blue one' })
      await seeMessage('blue it is')
      assert.match(JSON.stringify(fake.requests.at(-1)!.body), /the blue one/)
    })

    await add('what runs is stopped at once, and a new conversation begun', async () => {
      const { platform, fake, seeMessage, seeRequest, asked, listThreads } = await start()
      const { hold } = createHold()
      fake.next({ text: ['a beginning ', 'and more'], hold, holdAfter: 1 }, { text: 'fresh' })
      await platform.say({ text: 'go on for ever' })
      await seeRequest()
      await platform.say({ text: '/stop' })
      await seeMessage('Stopped.')
      await platform.say({ text: '/stop' })
      await seeMessage('Nothing is running.')
      await platform.say({ text: '/new' })
      await seeMessage('new conversation')
      await platform.say({ text: 'hello again' })
      await seeMessage('fresh')
      assert.deepEqual(asked(), ['go on for ever', 'hello again'])
      assert.equal((await listThreads()).length, 2)
      await platform.say({ text: '/help' })
      await seeMessage('/approve')
      await seeMessage(/\bann\b/)
    })

    await add('only those who are named are heard', async () => {
      const { platform, fake, seeMessage, asked } = await start({ allow_from: ['bob'] })
      fake.next({ text: 'hello bob' })
      await platform.say({ text: 'it is ann', sender: 'ann' })
      await platform.say({ text: 'it is bob', sender: 'bob' })
      await seeMessage('hello bob')
      assert.deepEqual(asked(), ['it is bob'])
      assert.equal(platform.shown().length, 1)
    })

    await add('what the platform does not take at once is sent again, and comes once', async () => {
      const { platform, fake, seeMessage } = await start()
      fake.next({ text: 'after a pause' }, { text: 'after a fault' })
      if (can('rate_limit')) platform.limitRate(2, 1)
      await platform.say({ text: 'one' })
      await seeMessage('after a pause')
      platform.fail(1)
      await platform.say({ text: 'two' })
      await seeMessage('after a fault')
      for (const words of ['after a pause', 'after a fault'])
        assert.equal(platform.shown().filter(({ text }) => text.includes(words)).length, 1, words)
      assert.deepEqual(platform.violations, [])
    })

    await add('a connection that is cut comes back, and tokens that expire are renewed', async () => {
      const { platform, fake, seeMessage, seeState } = await start()
      fake.next({ text: 'before' }, { text: 'behind' }, { text: 'renewed' })
      await platform.say({ text: 'one' })
      await seeMessage('before')
      platform.drop()
      await platform.say({ text: 'two' })
      await seeMessage('behind')
      await seeState('connected')
      platform.expireTokens?.()
      await platform.say({ text: 'three' })
      await seeMessage('renewed')
      assert.deepEqual(platform.violations, [])
    })

    if (can('files_in'))
      await add('a file that somebody sends is in the workspace', async () => {
        const { platform, fake, seeMessage } = await start()
        fake.next({ text: 'I have it' })
        const bytes = Buffer.from(`a note ${'ü'.repeat(5000)}`)
        await platform.say({
          text: 'look at this',
          file: { filename: 'note.txt', media_type: 'text/plain', bytes },
        })
        await seeMessage('I have it')
        const { path } = await eventually('the file', async () => {
          const { body } = await server.request('GET', `/agents/${agent_id}/threads`)
          const { body: history } = await server.request(
            'GET',
            `/agents/${agent_id}/threads/${body[0].thread_id}/history`,
          )
          return history.messages[0].content.find(({ type }: { type: string }) => type === 'file')
        })
        const { agents } = server.server.runtime.cradleOf('agents') as unknown as {
          agents: { workspaceOf(id: string): string }
        }
        assert.deepEqual(readFileSync(join(agents.workspaceOf(agent_id), path)), bytes)
      })

    await add('credentials are tested without side effects, and a refusal has its reason', async () => {
      const { platform, fake, channels, channel_id, seeState, seeMessage } = await start()
      const { config, wrong_config } = platform
      assert.deepEqual(
        (await channels('POST', '/probe', { kind, config: wrong_config })).body.reason,
        'invalid_credentials',
      )
      const missing = await channels('POST', '/probe', { kind, config: {} })
      assertPart(missing.body, { ok: false, reason: 'missing_field' })
      assert.deepEqual((await channels('POST', `/${channel_id}/test`)).body, { ok: true })
      fake.next({ text: 'still here' })
      await platform.say({ text: 'are you?' })
      await seeMessage('still here')
      assertPart((await channels('GET', `/${channel_id}`)).body.runtime, {
        state: 'connected',
        reconnects: 0,
      })
      const { body: row } = await channels('GET', `/${channel_id}`)
      const secrets = Object.entries(row.config).filter(([, value]) => String(value).startsWith('••••'))
      assert.ok(secrets.length > 0, 'secrets are masked')
      assert.deepEqual((await channels('PATCH', `/${channel_id}`, { config: row.config })).status, 200)
      await seeState('connected')
      assert.deepEqual(
        (await channels('POST', `/${channel_id}/test`)).body,
        { ok: true },
        'masks keep what is stored',
      )
      for (const [name] of secrets)
        assert.ok(!server.logged().includes(String(config[name])), `${name} is not in the log`)
    })

    await add('a channel that is deleted is disconnected at once', async () => {
      const { platform, channels, channel_id, listThreads } = await start()
      assert.equal((await channels('DELETE', `/${channel_id}`)).status, 204)
      assert.equal(platform.connections(), 0)
      assert.equal((await channels('GET', `/${channel_id}`)).status, 404)
      assert.deepEqual(await listThreads(), [])
    })
  })
}

/** Returns a plugin that brings a kind and nothing else. */
const pluginOf = (kind: ChannelKind) =>
  definePlugin({
    name: `${kind.kind}-kind`,
    summary: `The channel kind ${kind.kind}`,
    kernel: 1,
    depends: ['channels'],
    setup: (host) => host.extend('channels.kinds', kind),
  })
