import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { createHold, startChat, type TestChat } from './chat.ts'
import type { ChatMessage } from './fake-openai.ts'
import type { FakePlatform, Place, ShownMessage } from './fake-platform.ts'

/** A kind with the fake of its platform. */
export interface ChannelSubject {
  kind: string
  startFake(): Promise<FakePlatform>
  /** A plugin that brings the kind, in plain JavaScript; none for the kinds in `channels/`. */
  plugin?: string
  /** What the platform cannot do, so that its tests are left out. */
  lacks?: ('live' | 'buttons' | 'settle' | 'files_in' | 'files_out' | 'unmentioned' | 'typing' | 'sent_at')[]
}

/** How long something may take to happen, in milliseconds. */
const PATIENCE_MS = 40_000

/** Waits until something is so. */
export async function eventually<Value>(
  what: string,
  look: () => Value | undefined | false | null | Promise<Value | undefined | false | null>,
): Promise<Value> {
  for (const end = Date.now() + PATIENCE_MS; ; ) {
    const value = await look()
    if (value) return value
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`)
    await pause(10)
  }
}

/** A server with an agent, a fake platform and a channel between them. */
export interface TestChannel extends TestChat {
  platform: FakePlatform
  channel_id: string
  /** Calls the API below the agent's channels. */
  channels(method: string, path?: string, body?: unknown): ReturnType<TestChat['server']['request']>
  /** Waits until the channel is in a state. */
  seeState(state: string): Promise<{ reason: string | null; reconnects: number }>
  /** Waits until a message that the bot sent contains these words and is written to its end. */
  seeMessage(words: string | RegExp, place?: Place): Promise<ShownMessage>
  /** Waits until the model is asked for the first time. */
  seeRequest(): Promise<unknown>
  /** The user messages that the model was told, as text, in the order of the turns. */
  asked(): string[]
}

/** Starts a server beside a fake platform; each call of what it gives makes a new channel there, alone and connected. */
export async function startPlatform(
  t: Test,
  { kind, startFake, plugin }: ChannelSubject,
): Promise<(config?: Record<string, unknown>) => Promise<TestChannel>> {
  const platform = await startFake()
  t.teardown(() => platform.close())
  const settings = { endpoints: { [kind]: platform.endpoints }, allow_hosts: platform.allow_hosts ?? [] }
  const chat = await startChat(t, {
    config: { plugins: { channels: settings } },
    ...(plugin !== undefined && { plugins: { [kind]: plugin } }),
  })
  const { server, fake, agent_id } = chat
  const channels: TestChannel['channels'] = (method, path = '', body = undefined) =>
    server.request(method, `/agents/${agent_id}/channels${path}`, { body })
  let channel_id = ''
  platform.attach?.(async ({ method, headers, body }) => {
    const given = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    )
    const response = await fetch(`${server.url}/api/hooks/${channel_id}`, {
      method,
      headers: Object.fromEntries(given),
      body: method === 'GET' ? undefined : Buffer.from(body),
    })
    return { status: response.status, body: await response.text() }
  })

  return async (config = {}) => {
    if (channel_id) await channels('DELETE', `/${channel_id}`)
    await server.request('PATCH', `/agents/${agent_id}`, { body: { config: {} } })
    for (const { thread_id } of (await chat.threads('GET', '')).body)
      await chat.threads('DELETE', `/${thread_id}`)
    const made = await channels('POST', '', { kind, name: 'main', config: { ...platform.config, ...config } })
    if (made.status !== 201) throw new Error(`no channel: ${made.status} ${JSON.stringify(made.body)}`)
    channel_id = made.body.id
    const before = { shown: platform.shown().length, requests: fake.requests.length }
    const shown: FakePlatform['shown'] = (place) =>
      platform
        .shown()
        .slice(before.shown)
        .filter((message) => place === undefined || message.place === place)
    const channel: TestChannel = {
      ...chat,
      platform: { ...platform, shown },
      channel_id,
      channels,
      seeState: (state) =>
        eventually(`the channel is ${state}`, async () => {
          const { body } = await channels('GET', `/${made.body.id}`)
          return body.runtime.state === state && body.runtime
        }),
      seeMessage: (words, place) =>
        eventually(`the bot says ${words}`, () =>
          shown(place).find(
            ({ text, is_live }) =>
              !is_live && (typeof words === 'string' ? text.includes(words) : words.test(text)),
          ),
        ),
      seeRequest: () => fake.request(before.requests),
      asked: () =>
        fake.requests.slice(before.requests).flatMap(({ body }) => {
          const last = body.messages.at(-1)
          return last?.role === 'user' ? [textOf(last)] : []
        }),
    }
    await channel.seeState('connected')
    return channel
  }
}

const textOf = ({ content }: ChatMessage) =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('')

/** The tests that every kind passes through the whole server, ours and those of others alike. */
export function testChannelKind(t: Test, subject: ChannelSubject): void {
  const { kind, lacks = [] } = subject
  const can = (ability: NonNullable<ChannelSubject['lacks']>[number]) => !lacks.includes(ability)
  let platform: ReturnType<typeof startPlatform> | undefined
  const start = async (config?: Record<string, unknown>) => {
    platform ??= startPlatform(t, subject)
    return (await platform)(config)
  }

  t.test('a message is answered, once, however often it comes', async (t) => {
    const { platform, fake, seeMessage, seeRequest, asked, threads } = await start()
    const { hold, release } = createHold()
    fake.next({ text: 'the first answer', hold }, { text: 'the second answer' })
    const id = await platform.say({ text: 'a first question' })
    await platform.redeliver(id)
    await seeRequest()
    await platform.redeliver(id)
    if (can('typing')) await eventually('people see that it is being answered', () => platform.typings() > 0)
    release()
    await seeMessage('the first answer')
    await platform.redeliver(id)
    await platform.say({ text: 'a second question' })
    await seeMessage('the second answer')
    t.strictSame(asked(), ['a first question', 'a second question'])
    t.equal(platform.shown().filter(({ text }) => text.includes('answer')).length, 2)
    const { body: rows } = await threads('GET', '')
    t.match(rows, [{ channel_type: kind }])
    t.strictSame(platform.violations, [])
  })

  t.test('messages of one conversation are answered in their order', async (t) => {
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
    t.strictSame(asked(), ['question zero', 'question one', 'question two'])
  })

  t.test('a long answer is shown while it is written, and whole in the end', async (t) => {
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
    t.strictSame(
      seen,
      words.map((_, index) => index),
    )
    if (can('live'))
      t.ok(
        shown.some(({ history }) => history.length > 0),
        'people could see it grow',
      )
    t.notOk(shown.some(({ is_live }) => is_live))
    t.strictSame(platform.violations, [])
  })

  t.test('in a group the agent answers who mentions it', async (t) => {
    const { platform, fake, seeMessage, asked } = await start()
    fake.next({ text: 'a group answer' })
    if (can('unmentioned'))
      await platform.say({ text: 'we meet at noon', place: 'group', sender: 'bob', mention: false })
    await platform.say({ text: 'when do we meet?', place: 'group' })
    await seeMessage('a group answer', 'group')
    const [question, ...others] = asked()
    t.match(question, /when do we meet\?$/)
    if (can('unmentioned')) t.match(question, /bob: we meet at noon/)
    t.strictSame(others, [])
    t.strictSame(platform.shown('direct'), [])
  })

  t.test('a call is approved with a button, or in words, by those who may', async (t) => {
    const { platform, fake, server, agent_id, seeMessage } = await start({
      allow_from: ['ann', 'bob'],
      approvers: ['bob'],
    })
    await server.request('PATCH', `/agents/${agent_id}`, {
      body: { config: { tools_with_approval: ['ls'] } },
    })
    const call = { toolCalls: [{ name: 'ls', arguments: {} }] }
    fake.next(call, { text: 'listed once' }, call, { text: 'listed twice' }, call, { text: 'not listed' })
    const codeOf = ({ text }: ShownMessage) => /approve[^a-z0-9]+([a-z2-9]{6})/.exec(text)![1]!
    await platform.say({ text: 'list it' })
    const asking = { ...(await seeMessage(/approve\W+[a-z2-9]{6}/)) }
    if (can('buttons')) {
      t.equal(asking.buttons.length, 3)
      t.match(await platform.press(asking.id, 'Approve', 'ann'), /may not/)
      t.match(await platform.press(asking.id, 'Approve', 'bob'), /Approved/)
      t.match(await platform.press(asking.id, 'Approve', 'bob'), /not waiting/)
    } else await platform.say({ text: `/approve ${codeOf(asking)}`, sender: 'bob' })
    await seeMessage('listed once')
    if (can('settle'))
      await eventually('the buttons are taken off', () =>
        platform
          .shown()
          .some(
            ({ id, text, buttons }) => id === asking.id && buttons.length === 0 && text.includes('Approved'),
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
    await platform.say({ text: 'again' })
    const second = await seeNext()
    await platform.say({ text: `/approve ${codeOf(second)}`, sender: 'ann' })
    await seeMessage('may not')
    await platform.say({ text: `/approve ${codeOf(second)}`, sender: 'bob' })
    await seeMessage('listed twice')
    await platform.say({ text: 'and again' })
    await seeNext()
    await platform.say({ text: '/reject too often', sender: 'bob' })
    await seeMessage('not listed')
    t.match(JSON.stringify(fake.requests.at(-1)!.body), /too often/)
    t.strictSame(platform.violations, [])
  })

  t.test('a question of the agent is answered with a message', async (t) => {
    const { platform, fake, seeMessage } = await start()
    fake.next(
      { toolCalls: [{ name: 'ask_user_question', arguments: { question: 'Red or blue?' } }] },
      { text: 'blue it is' },
    )
    await platform.say({ text: 'paint it' })
    await seeMessage('Red or blue?')
    await platform.say({ text: 'the blue one' })
    await seeMessage('blue it is')
    t.match(JSON.stringify(fake.requests.at(-1)!.body), /the blue one/)
  })

  t.test('what runs is stopped at once, and a new conversation begun', async (t) => {
    const { platform, fake, seeMessage, seeRequest, asked, threads } = await start()
    const { hold, release } = createHold()
    t.teardown(release)
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
    t.strictSame(asked(), ['go on for ever', 'hello again'])
    t.equal((await threads('GET', '')).body.length, 2)
    await platform.say({ text: '/help' })
    t.match((await seeMessage('/approve')).text, /ann/)
  })

  t.test('only those who are named are heard', async (t) => {
    const { platform, fake, seeMessage, asked } = await start({ allow_from: ['bob'] })
    fake.next({ text: 'hello bob' })
    await platform.say({ text: 'it is ann', sender: 'ann' })
    await platform.say({ text: 'it is bob', sender: 'bob' })
    await seeMessage('hello bob')
    t.strictSame(asked(), ['it is bob'])
    t.equal(platform.shown().length, 1)
  })

  t.test('what the platform does not take at once is sent again, and comes once', async (t) => {
    const { platform, fake, seeMessage } = await start()
    fake.next({ text: 'after a pause' }, { text: 'after a fault' })
    platform.limitRate(2, 1)
    await platform.say({ text: 'one' })
    await seeMessage('after a pause')
    platform.fail(1)
    await platform.say({ text: 'two' })
    await seeMessage('after a fault')
    for (const words of ['after a pause', 'after a fault'])
      t.equal(platform.shown().filter(({ text }) => text.includes(words)).length, 1, words)
    t.strictSame(platform.violations, [])
  })

  t.test('a connection that is cut comes back, and tokens that expire are renewed', async (t) => {
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
    t.strictSame(platform.violations, [])
  })

  if (can('files_in'))
    t.test('a file that somebody sends is in the workspace', async (t) => {
      const { platform, fake, server, agent_id, seeMessage } = await start()
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
      t.same(readFileSync(join(agents.workspaceOf(agent_id), path)), bytes)
    })

  t.test('credentials are tested without harm, and what is wrong is told', async (t) => {
    const { platform, fake, server, channels, channel_id, seeState, seeMessage } = await start()
    const { config, wrong_config } = platform
    t.same(
      (await channels('POST', '/probe', { kind, config: wrong_config })).body.reason,
      'invalid_credentials',
    )
    const missing = await channels('POST', '/probe', { kind, config: {} })
    t.match(missing.body, { ok: false, reason: 'missing_field' })
    t.same((await channels('POST', `/${channel_id}/test`)).body, { ok: true })
    fake.next({ text: 'still here' })
    await platform.say({ text: 'are you?' })
    await seeMessage('still here')
    t.match((await channels('GET', `/${channel_id}`)).body.runtime, { state: 'connected', reconnects: 0 })
    const { body: row } = await channels('GET', `/${channel_id}`)
    const secrets = Object.entries(row.config).filter(([, value]) => String(value).startsWith('••••'))
    t.ok(secrets.length > 0, 'secrets are masked')
    t.same((await channels('PATCH', `/${channel_id}`, { config: row.config })).status, 200)
    await seeState('connected')
    t.same((await channels('POST', `/${channel_id}/test`)).body, { ok: true }, 'masks keep what is stored')
    for (const [name] of secrets)
      t.notMatch(server.logged(), String(config[name]), `${name} is not in the log`)
  })

  t.test('a channel that is deleted is disconnected at once', async (t) => {
    const { platform, channels, channel_id, threads } = await start()
    t.equal((await channels('DELETE', `/${channel_id}`)).status, 204)
    t.equal(platform.connections(), 0)
    t.equal((await channels('GET', `/${channel_id}`)).status, 404)
    t.strictSame((await threads('GET', '')).body, [])
  })
}
