import { AppError } from '#kernel'
import kind from '../../channels/feishu/index.ts'
import { testChannelKind } from '../../plugin-api/testing/channel-kind-suite.ts'
import t, { type Test } from '../run/file-test.ts'
import { startFakeFeishu } from '../support/fake-feishu.ts'
import { builtInChannel } from '../support/kit.ts'
import { type OpenedChannel, openChannel, settingsFor } from '../support/open-channel.ts'
import { failureOf, never } from './channel-calls.ts'
import { openBare, probe, saying, start, startFake, targetOf, until } from './feishu-calls.ts'

const KEYS = { encrypt_key: 'EncryptKey-7c1d', verification_token: 'VerificationToken-99f0' }

t.test('names the account', async (t) => {
  t.equal(kind.identity!({ app_id: 'cli_a1b2c3d4e5f60718' }), 'cli_a1b2c3d4e5f60718')
  t.equal(kind.identity!({}), undefined)
})

t.test('takes only ids of apps', async (t) => {
  const fake = await startFake(t)
  for (const app_id of ['cli_a1b2', 'a1b2c3d4e5f60718', 'cli_a1b2c3d4e5f60718x', 'cli_g1b2c3d4e5f60718'])
    t.throws(() => settingsFor(kind, fake, { ...fake.config, app_id }), app_id)
})

t.test('a probe finds out', async (t) => {
  await t.test('that all is well, and opens no connection', async (t) => {
    const fake = await startFake(t)
    await probe(fake)
    t.same(
      fake.calls.map(({ path }) => path),
      ['/auth/v3/tenant_access_token/internal', '/bot/v3/info'],
    )
  })

  await t.test('that the secret is wrong', async (t) => {
    const fake = await startFake(t)
    t.equal((await failureOf(probe(fake, fake.wrong_config))).reason, 'invalid_credentials')
  })

  await t.test('that the app is unknown', async (t) => {
    const fake = await startFake(t)
    const other = { ...fake.config, app_id: 'cli_0000000000000000' }
    t.equal((await failureOf(probe(fake, other))).reason, 'invalid_credentials')
  })

  await t.test('that the app may not', async (t) => {
    const fake = await startFake(t)
    fake.refuse('bot/v3/info', 99991672)
    t.equal((await failureOf(probe(fake))).reason, 'forbidden')
  })

  await t.test('that the app has no bot', async (t) => {
    const fake = await startFake(t)
    fake.refuse('bot/v3/info', 0, { status: 200 })
    t.match(await failureOf(probe(fake)), { reason: 'forbidden', message: /Bot capability/ })
  })

  await t.test('that it is too much', async (t) => {
    const fake = await startFake(t)
    fake.refuse('tenant_access_token', 99991400)
    t.match(await failureOf(probe(fake)), { reason: 'rate_limited', retry_after_ms: 1000 })
    fake.refuse('tenant_access_token', 1, { status: 429 })
    t.match(await failureOf(probe(fake)), { reason: 'rate_limited', retry_after_ms: 1000 })
  })

  await t.test('that nothing is there', async (t) => {
    const fake = await startFakeFeishu()
    await fake.close()
    t.match(await failureOf(probe(fake)), { reason: 'unreachable', message: /ECONNREFUSED/ })
  })

  await t.test('that something else is there', async (t) => {
    const fake = await startFake(t)
    const settings = settingsFor(kind, fake)
    const endpoints = { ...settings.endpoints, domain: `${settings.endpoints.domain}/elsewhere` }
    t.equal((await failureOf(kind.probe({ ...settings, endpoints }, never))).reason, 'unknown')
  })

  await t.test('that nothing answers', async (t) => {
    const fake = await startFake(t)
    fake.faults.isSilent = true
    t.equal((await failureOf(probe(fake, undefined, AbortSignal.timeout(100)))).reason, 'timeout')
  })
})

t.test('the address of Lark is used if the settings name no other', async (t) => {
  const fake = await startFake(t)
  const asked: string[] = []
  const settings = settingsFor(kind, fake, { ...fake.config, brand: 'lark' })
  const fetch = async (url: unknown) => {
    asked.push(new URL(String(url)).origin)
    return new Response('{"code":10003}')
  }
  const at = (endpoints: Record<string, string>) =>
    failureOf(kind.probe({ ...settings, endpoints, fetch }, never))
  await at(kind.endpoints!)
  await at(fake.endpoints)
  t.same(asked, ['https://open.larksuite.com', fake.endpoints.domain])
})

t.test('opening fails', async (t) => {
  await t.test('at a wrong secret, without a request for a connection', async (t) => {
    const fake = await startFake(t)
    const { opened } = openBare(fake, settingsFor(kind, fake, fake.wrong_config))
    t.equal((await failureOf(opened)).reason, 'invalid_credentials')
    t.notOk(fake.calls.some(({ path }) => path.includes('callback')))
  })

  const refusals = [
    [514, 200, 'invalid_credentials'],
    [403, 200, 'forbidden'],
    [1000040350, 200, 'already_connected'],
    [1, 200, 'unreachable'],
    [1000040343, 200, 'unreachable'],
    [0, 503, 'unreachable'],
    [0, 200, 'unknown'],
  ] as const
  for (const [code, status, reason] of refusals)
    await t.test(`where the connection is refused with ${status} and ${code}`, async (t) => {
      const fake = await startFake(t)
      fake.refuse('callback/ws/endpoint', code, { status })
      t.equal((await failureOf(openBare(fake).opened)).reason, reason)
      t.equal(fake.connections(), 0)
    })

  await t.test('where the address of the socket is not allowed', async (t) => {
    const fake = await startFake(t)
    const settings = settingsFor(kind, fake)
    const refusal = new AppError('ADDRESS_NOT_ALLOWED', { host: '127.0.0.1' })
    const assertAllowed = () => Promise.reject(refusal)
    t.equal(await failureOf(openBare(fake, { ...settings, assertAllowed }).opened), refusal)
  })

  await t.test('where the socket is less safe than the rest', async (t) => {
    const fake = await startFake(t)
    const settings = settingsFor(kind, fake)
    const { domain } = fake.endpoints
    const fetch = (url: unknown, init?: RequestInit) =>
      settings.fetch(String(url).replace('https://open.feishu.cn', domain!), init)
    const endpoints = { ...settings.endpoints, domain: 'https://open.feishu.cn' }
    const { opened } = openBare(fake, { ...settings, endpoints, fetch })
    t.match(await failureOf(opened), { reason: 'unknown', message: /no address/ })
  })

  await t.test('at once if it is aborted during a handshake', async (t) => {
    const fake = await startFake(t)
    fake.events.hold(true)
    const abort = new AbortController()
    const { opened } = openBare(fake, undefined, abort.signal)
    await until(() => fake.events.hold() === 1)
    const reason = new Error('given up')
    abort.abort(reason)
    t.equal(await failureOf(opened), reason)
    await until(() => fake.events.hold() === 0)
  })

  await t.test('at once if it is aborted', async (t) => {
    const fake = await startFake(t)
    fake.faults.isSilent = true
    const abort = new AbortController()
    const { opened } = openBare(fake, undefined, abort.signal)
    const reason = new Error('given up')
    abort.abort(reason)
    t.equal(await failureOf(opened), reason)
    t.equal(await failureOf(openBare(fake, undefined, abort.signal).opened), reason)
  })
})

t.test('a connection that breaks comes back by itself', async (t) => {
  const { fake, states, received } = await start(t)
  fake.drop()
  await until(() => states.length === 2)
  t.same(states, ['connecting', 'connected'])
  t.equal(fake.connections(), 1)
  await fake.say({ text: 'again' })
  t.equal(received.at(-1)?.text, 'again')

  fake.refuse('callback/ws/endpoint', 1000040343)
  fake.drop()
  await until(() => states.length === 4)
  t.same(states.slice(2), ['connecting', 'connected'])
})

t.test('a connection that is refused when it comes back is lost', async (t) => {
  const { fake, states } = await start(t)
  fake.refuse('callback/ws/endpoint', 514)
  fake.drop()
  await until(() => states.length === 2)
  t.same(states, ['connecting', 'lost: invalid_credentials'])
  t.equal(fake.connections(), 0)
})

t.test('closing ends a handshake that is under way', async (t) => {
  const { fake, states, close } = await start(t)
  fake.events.hold(true)
  fake.drop()
  await until(() => fake.events.hold() === 1)
  await close()
  await until(() => fake.events.hold() === 0)
  t.same(states, ['connecting'])
})

t.test('closing ends all', async (t) => {
  const fake = await startFake(t)
  let release = () => {}
  let isReached = false
  let isStored = false
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const channel = await openChannel(t, kind, fake, {
    async receive({ text }) {
      if (text !== 'held') return
      isReached = true
      await held
      isStored = true
    },
  })
  const target = await targetOf({ ...channel, fake })
  fake.say({ text: 'held' }).catch(() => {})
  await until(() => isReached)
  fake.faults.isSilent = true
  const sending = failureOf(channel.connection.send(target, saying('x'), never))
  const closing = channel.close()
  t.equal((await sending).name, 'AbortError')
  release()
  await closing
  t.ok(isStored, 'waits for what is being stored')
  await until(() => fake.connections() === 0)
  t.same(channel.states, [])
  const later = await failureOf(channel.connection.send(target, saying('x'), never))
  t.equal(later.name, 'AbortError')

  fake.faults.isSilent = false
  const other = await openChannel(t, kind, fake)
  await other.connection.close()
  await until(() => fake.connections() === 0)
  t.match(await failureOf(other.connection.send(target, saying('x'), never)), {
    message: 'The channel is closed.',
  })
})

t.test('secrets are nowhere', async (t) => {
  const fake = await startFake(t)
  const config: Record<string, unknown> = { ...fake.config, ...KEYS }
  const said: string[] = []
  const note = (error: unknown): void => {
    const { message, stack, cause } = error as Error
    said.push(message, String(stack), JSON.stringify(error))
    if (cause) note(cause)
  }
  const failing = async (work: Promise<unknown>) => note(await failureOf(work))

  await failing(probe(fake, { ...fake.wrong_config, ...KEYS }))
  const bare = openBare(fake, settingsFor(kind, fake, { ...fake.wrong_config, ...KEYS }))
  await failing(bare.opened)
  fake.refuse('callback/ws/endpoint', 403)
  const refused = openBare(fake, settingsFor(kind, fake, config))
  await failing(refused.opened)

  const channel: OpenedChannel = await openChannel(t, kind, fake, {
    config,
    receive: async ({ text }) => {
      if (text === 'refused') throw new Error(`cannot store ${config.app_secret}`)
    },
  })
  const target = await targetOf({ ...channel, fake })
  fake.refuse('POST /im/v1/messages', 230002)
  await failing(channel.connection.send(target, saying('x'), never))
  fake.refuse('POST /im/v1/messages', 99991663, { times: 2 })
  await failing(channel.connection.send(target, saying('x'), never))
  fake.fail(2)
  await failing(channel.connection.send(target, saying('x'), never))
  await failing(channel.connection.live!(target, saying('x'), never))
  await failing(channel.connection.settle!(target, { message_id: 'om_none' }, 'x', never))
  fake.expireTokens()
  fake.refuse('tenant_access_token', 10014)
  await failing(channel.connection.send(target, saying('x'), never))
  const refusing = fake.say({ text: 'refused' }).catch(() => {})
  await until(() => fake.events.acknowledged.includes(500))
  fake.refuse('GET /im/v1/messages/', 99991663, { times: 2 })
  await fake.say({ text: 'quoting', quote: 'x' })
  fake.events.sendRaw(Buffer.from('no frame'))
  fake.refuse('callback/ws/endpoint', 514)
  fake.drop()
  await until(() => channel.states.includes('lost: invalid_credentials'))
  await channel.close()

  const all = [...said, channel.logged(), ...bare.lines, ...refused.lines].join('\n')
  t.match(all, 'Feishu refused the call with code 10014')
  t.match(all, 'cannot store [hidden]')
  t.ok(fake.secrets.length >= 6)
  for (const secret of [
    ...fake.secrets,
    String(config.app_secret),
    String(fake.wrong_config.app_secret),
    ...Object.values(KEYS),
  ])
    t.notOk(all.includes(secret), 'a secret was revealed')
  void refusing
})

t.test('a registration', async (t) => {
  const begun = async (t: Test) => {
    const fake = await startFake(t)
    const platform = { ...settingsFor(kind, fake), signal: AbortSignal.timeout(5000) }
    const begin = await kind.registration!.begin(platform)
    return { fake, platform, begin, poll: (state = begin.state) => kind.registration!.poll(state, platform) }
  }

  await t.test('returns a channel', async (t) => {
    const { fake, begin, poll } = await begun(t)
    t.match(begin, { expires_in_seconds: 500, interval_seconds: 1 })
    const { searchParams, origin } = new URL(begin.qrcode_url)
    t.same(
      { origin, ...Object.fromEntries(searchParams) },
      {
        origin: 'https://open.feishu.cn',
        user_code: 'ABCD-EFGH',
        source: 'agent-platform-service',
      },
    )
    t.match(await poll(), { status: 'waiting' })
    fake.scan('slow_down')
    const slower = await poll()
    t.match(slower, { status: 'waiting', interval_seconds: 6 })
    fake.scan('success')
    const state = slower.status === 'waiting' ? slower.state : undefined
    const done = await poll(state)
    t.same(done, { status: 'success', config: { ...fake.config, brand: 'feishu' } })
    await probe(fake, done.status === 'success' ? done.config : {})
  })

  await t.test('asks Lark for the secret of its own people', async (t) => {
    const { fake, poll } = await begun(t)
    fake.scan('lark')
    t.same(await poll(), { status: 'success', config: { ...fake.config, brand: 'lark' } })
  })

  await t.test('asks Lark at its own address', async (t) => {
    const { begin, platform } = await begun(t)
    const asked: string[] = []
    const fetch = async (url: unknown) => {
      asked.push(String(url))
      return new Response(JSON.stringify({ user_info: { tenant_brand: 'lark' } }))
    }
    const polled = await kind.registration!.poll(begin.state, {
      ...platform,
      endpoints: kind.endpoints!,
      fetch,
    })
    t.match(polled, { status: 'waiting', state: { brand: 'lark' } })
    t.same(asked, [
      'https://accounts.feishu.cn/oauth/v1/app/registration',
      'https://accounts.larksuite.com/oauth/v1/app/registration',
    ])
  })

  await t.test('ends without one', async (t) => {
    const { fake, poll, platform, begin } = await begun(t)
    fake.scan('expired')
    t.same(await poll(), { status: 'expired' })
    fake.scan('failed')
    t.match(await poll(), { status: 'failed', detail: /declined/ })
    const unknown = { ...(begin.state as object), device_code: 'device-unknown' }
    t.same(await poll(unknown), { status: 'expired' })

    const answering = (body: unknown, init?: ResponseInit) => ({
      ...platform,
      fetch: async () => new Response(typeof body === 'string' ? body : JSON.stringify(body), init),
    })
    const { poll: ask, begin: start } = kind.registration!
    t.match(await ask(begin.state, answering({ error: 'server_error' })), {
      status: 'failed',
      detail: /server_error/,
    })
    t.equal((await failureOf(start(answering({ error: 'unauthorized_client' })))).reason, 'unknown')
    t.equal((await failureOf(start(answering('<html>', { status: 502 })))).reason, 'unreachable')
    t.equal((await failureOf(start(answering({}, { status: 429 })))).reason, 'rate_limited')
    await fake.close()
    t.equal((await failureOf(poll())).reason, 'unreachable')
  })
})

testChannelKind({ kind, startFake: startFakeFeishu, lacks: ['typing'], ...builtInChannel(t) })
