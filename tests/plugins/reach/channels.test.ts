import { setTimeout as pause } from 'node:timers/promises'
import type { ChannelLink, InboundMessage } from '#plugin-api'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../../run/file-test.ts'
import { createHold, startChat } from '../../support/chat.ts'
import { runCommand } from '../../support/kernel.ts'
import { createHome, startServer } from '../../support/server.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'

const SCAN = { gives: 'channel' }

/** A kind in plain JavaScript whose platform is this process: each of its calls emits an event on `process`. */
const PAGER = `
const reach = (name, ...values) => process.emit('pager ' + name, ...values)
const limits = { dialect: 'plain', max_length: 1000, length_unit: 'characters' }
const refuse = (reason) => { throw Object.assign(new Error('the pager says ' + reason), { reason }) }
const pager = {
  kind: 'pager',
  label: { en: 'Pager', zh: '寻呼机' },
  config_schema: {
    type: 'object',
    properties: {
      number: { type: 'string' },
      code: { type: 'string', writeOnly: true },
      refusal: { type: 'string' },
      volume: { type: 'integer', default: 3 },
    },
    required: ['number', 'code'],
    additionalProperties: false,
  },
  endpoints: { api: 'https://pager.example.org' },
  capabilities: { direct: limits, group: limits },
  identity: ({ number }) => number,
  async probe({ config, endpoints }) {
    reach('probed', config, endpoints)
    if (config.refusal) refuse(config.refusal)
  },
  async open({ config }, link) {
    if (config.refusal) refuse(config.refusal)
    reach('opened', config.number, link)
    return {
      async send(target, message) { reach('sent', config.number, target, message); return { id: message.key } },
      async close() {
        const delay = {}
        reach('closing', config.number, delay)
        await delay.until
        reach('closed', config.number)
      },
    }
  },
  registration: {
    ...${JSON.stringify(SCAN)},
    async begin() { return { qrcode_url: 'https://pager.example.org/scan', state: { device: 'd1' }, expires_in_seconds: 60, interval_seconds: 0 } },
    async poll(state) {
      const answer = { value: { status: 'waiting' } }
      reach('polled', state, answer)
      if (answer.error) throw answer.error
      return answer.value
    },
  },
}
export default {
  name: 'pager', summary: 'A pager', kernel: 1,
  setup(host) {
    host.extend('channels.kinds', pager)
    host.on('channel.state_changed', (payload) => reach('changed', payload))
  },
}
`

/** The `runtime` field of a channel. */
interface Runtime {
  state: string
  reason: string | null
  error: string | null
  since: number
  reconnects: number
}

/** Listens to an event of the pagers until the test ends. */
function onPager<Values extends unknown[]>(
  t: Test,
  name: string,
  listener: (...values: Values) => void,
): void {
  const event = `pager ${name}`
  process.on(event, listener as never)
  t.teardown(() => void process.off(event, listener as never))
}

const { server, fake } = await startChat(t, {
  plugins: { pager: PAGER },
  config: { plugins: { channels: { endpoints: { pager: { api: 'http://127.0.0.1:1/' } } } } },
})

/** Creates an agent that is deleted with its channels when the test ends, and functions that act on these. */
async function createPagers(t: Test) {
  const { id: agent_id } = await server.call('POST', '/agents', { name: 'pagers' })
  t.teardown(() => server.request('DELETE', `/agents/${agent_id}`))
  const links = new Map<string, ChannelLink>()
  const closed: string[] = []
  const sent: { number: string; text: string }[] = []
  onPager(t, 'opened', (number: string, link: ChannelLink) => void links.set(number, link))
  onPager(t, 'closed', (number: string) => void closed.push(number))
  onPager(
    t,
    'sent',
    (number: string, _: unknown, { text }: { text: string }) => void sent.push({ number, text }),
  )
  const channels = (method: string, path = '', body?: unknown, token?: string) =>
    server.request(method, `/agents/${agent_id}/channels${path}`, { body, ...(token && { token }) })
  const create = async (number: string, more: Record<string, unknown> = {}, enabled = true) => {
    const config = { number, code: `code of pager ${number}`, ...more }
    const body = { kind: 'pager', name: `pager ${number}`, config, enabled }
    const { id } = await server.call('POST', `/agents/${agent_id}/channels`, body)
    return id as string
  }
  const see = (id: string, accept: (runtime: Runtime) => boolean): Promise<Runtime> =>
    eventually('the state of the channel', async () => {
      const { body } = await channels('GET', `/${id}`)
      return accept(body.runtime) && body.runtime
    })
  const say = (number: string, id: string, message: Partial<InboundMessage> = {}) =>
    links.get(number)!.receive({
      id,
      conversation: { id: 'c1', type: 'direct' },
      sender: { id: 'ann' },
      text: id,
      mentioned: true,
      target: {},
      ...message,
    })
  const seeSent = (words: string) => eventually(words, () => sent.find(({ text }) => text.includes(words)))
  return { agent_id, channels, create, see, say, links, closed, sent, seeSent }
}

const isConnected = ({ state }: Runtime) => state === 'connected'

t.test('a plugin hears of each state of a channel once', async (t) => {
  const { agent_id, create, channels, see } = await createPagers(t)
  const states: string[] = []
  let id: string | undefined
  onPager(t, 'changed', (change: { channel_id: string; agent_id: string; kind: string; state: string }) => {
    if (change.agent_id !== agent_id) return
    t.match(change, { kind: 'pager', reason: null })
    id ??= change.channel_id
    states.push(change.state)
  })
  const made = await create('facts')
  await see(made, isConnected)
  await channels('PATCH', `/${made}`, { enabled: false })
  await eventually('the last state', () => states.at(-1) !== 'connected' && states.includes('connected'))
  t.equal(id, made)
  t.strictSame(states, [...new Set(states)])
})

t.test('the position of a channel is stored with its messages and belongs to its account', async (t) => {
  const { channels, create, see, links, seeSent } = await createPagers(t)
  const id = await create('cursor')
  const reopen = async (number: string, config?: object) => {
    links.delete(number)
    await channels('PATCH', `/${id}`, { enabled: false })
    await channels('PATCH', `/${id}`, { enabled: true, ...(config && { config }) })
    return eventually('the channel is open', () => links.get(number))
  }
  const message = (text: string) => ({
    id: text,
    conversation: { id: 'c1', type: 'direct' as const },
    sender: { id: 'ann' },
    text,
    mentioned: true,
    target: {},
  })
  await see(id, isConnected)
  let link = links.get('cursor')!
  t.equal(link.cursor.get(), undefined)
  await link.cursor.set({ since: 'the beginning' })
  t.strictSame(link.cursor.get(), { since: 'the beginning' })
  link = await reopen('cursor')
  t.strictSame(link.cursor.get(), { since: 'the beginning' })

  await link.receive({ ...message('empty'), text: '' }, 1)
  t.equal(link.cursor.get(), 1, 'a message that is not stored moves it as well')
  fake.next({ text: 'stored' })
  await link.receive(message('a message'), 'behind the message')
  await link.receive(message('a message'), 'behind the message again')
  await seeSent('stored')
  t.equal((await reopen('cursor')).cursor.get(), 'behind the message again')

  const stored = await server.db.collection('channels').findOne({ _id: id as never })
  t.notMatch(JSON.stringify(stored), /behind the message/)
  await reopen('other', { number: 'other' })
  t.equal(links.get('other')!.cursor.get(), undefined, 'another account begins anew')
  await links.get('other')!.cursor.set(5)
  await channels('PATCH', `/${id}`, { config: { code: 'another code' } })
  t.equal((await reopen('other')).cursor.get(), 5, 'a new secret keeps it')
})

t.test('a crash between a message and the position of its channel loses nothing', async (t) => {
  const { channels, create, see, links } = await createPagers(t)
  const id = await create('crash')
  await see(id, isConnected)
  const { hold, release } = createHold()
  t.teardown(release)
  fake.next({ text: 'later', hold })
  const link = links.get('crash')!
  await link.cursor.set(1)
  const inbound = {
    conversation: { id: 'c', type: 'direct' as const },
    sender: { id: 'ann' },
    mentioned: true,
  }
  await link.receive({ ...inbound, id: 'm', text: 'hello', target: {} }, 2)
  await server.db
    .collection('channels')
    .updateOne({ _id: id as never }, [{ $set: { cursor_number: 1, cursor: 'the position before' } }])
  await server.db
    .collection('channels')
    .updateOne({ _id: id as never }, { $set: { cursor_number: 1 }, $unset: { cursor: 1 } })
  links.delete('crash')
  await channels('PATCH', `/${id}`, { enabled: false })
  await channels('PATCH', `/${id}`, { enabled: true })
  const reopened = await eventually('the channel is open', () => links.get('crash'))
  t.equal(reopened.cursor.get(), 2)
})

t.test('positions take effect in order, and are bounded', async (t) => {
  const { create, see, links } = await createPagers(t)
  await see(await create('order'), isConnected)
  const { cursor, receive } = links.get('order')!
  const message = (id: string) => ({
    id,
    conversation: { id: 'c', type: 'direct' as const },
    sender: { id: 'ann' },
    text: 'x',
    mentioned: true,
    target: {},
  })
  await Promise.all([1, 2, 3, 4, 5].map((position) => cursor.set(position)))
  t.equal(cursor.get(), 5)
  const refused = receive(message(''), 6)
  const behind = receive(message('behind'), 7)
  await t.rejects(refused, /lacks an id/)
  await t.rejects(behind, /lacks an id/)
  t.equal(cursor.get(), 5, 'nothing is skipped')
  await t.rejects(cursor.set('x'.repeat(17_000)), /at most 16384 bytes/)
  await t.rejects(cursor.set(undefined as never), /bytes of JSON/)
  await cursor.set(8)
  t.equal(cursor.get(), 8)
})

t.test('a request that closes a channel is answered after the channel is closed', async (t) => {
  const { agent_id, channels, create, see, closed } = await createPagers(t)
  const goings: [string, string, (id: string) => Promise<{ status: number }>][] = [
    ['1', 'deleted', (id) => channels('DELETE', `/${id}`)],
    ['2', 'of an agent that is stopped', () => server.request('POST', `/agents/${agent_id}/stop`)],
  ]
  for (const [number, what, go] of goings) {
    const id = await create(number)
    await see(id, isConnected)
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const closing = new Promise<void>((resolve) =>
      onPager(t, 'closing', (which: string, delay: { until?: Promise<void> }) => {
        if (which !== number) return
        delay.until = held
        resolve()
      }),
    )
    const disabling = channels('PATCH', `/${id}`, { enabled: false })
    await closing
    const order: string[] = []
    onPager(t, 'closed', () => void order.push('closed'))
    const going = go(id).then(({ status }) => order.push(String(status)))
    // Time enough for an answer that does not wait.
    for (let looks = 0; looks < 40; looks += 1) await channels('GET')
    release()
    await going
    await disabling
    t.strictSame(order, ['closed', '204'], what)
    t.ok(closed.includes(number))
  }
})

t.test('a channel that is being opened is closed when it is deleted', async (t) => {
  const { channels, create, closed } = await createPagers(t)
  const opened: string[] = []
  onPager(t, 'opened', (number: string) => void opened.push(number))
  for (let round = 0; round < 15; round += 1) {
    const id = await create(String(round), {}, false)
    const enabling = channels('PATCH', `/${id}`, { enabled: true })
    await pause(round)
    const { status } = await channels('DELETE', `/${id}`)
    t.equal(status, 204)
    t.strictSame([...opened], [...closed], `after ${round} ms`)
    await enabling
  }
})

t.test('a channel is made, shown, changed and deleted', async (t) => {
  const { agent_id, channels, see, closed } = await createPagers(t)
  const config = {
    number: '1',
    code: 'the code 1234',
    response_mode: 'stream',
    group_context: { history_limit: 3 },
  }
  const made = await channels('POST', '', { kind: 'pager', name: 'mine', config })
  t.equal(made.status, 201)
  const { id } = made.body
  t.match(made.body, {
    id: /^chn_/,
    agent_id,
    kind: 'pager',
    name: 'mine',
    enabled: true,
    config: { ...config, code: '••••1234' },
    runtime: { reconnects: 0 },
    created_at: Number,
    updated_at: Number,
  })
  t.match(await see(id, isConnected), { reason: null, error: null })
  const { body: listed } = await channels('GET')
  t.strictSame(listed, [(await channels('GET', `/${id}`)).body])
  t.match((await server.request('GET', `/agents/${agent_id}/status`)).body.channels, [
    { id, kind: 'pager', name: 'mine', state: 'connected' },
  ])
  t.match((await server.request('GET', '/admin/overview')).body.channels, { connected: 1, failed: 0 })

  const kept = await channels('PATCH', `/${id}`, { name: 'yours', config: { number: '2', code: '••••1234' } })
  t.match(kept.body, { name: 'yours', config: { number: '2', code: '••••1234' } })
  t.match(kept.body.config, { ...config, number: '2', code: '••••1234' }, 'what is not named stays')
  t.strictSame(closed, ['1'])
  const off = await channels('PATCH', `/${id}`, { enabled: false })
  t.match(off.body, { enabled: false, runtime: { state: 'disconnected' } })
  t.strictSame(closed, ['1', '2'])
  await channels('PATCH', `/${id}`, { enabled: true })
  await see(id, isConnected)
  t.equal((await channels('DELETE', `/${id}`)).status, 204)
  t.strictSame(closed, ['1', '2', '2'])
  t.equal((await channels('GET', `/${id}`)).status, 404)
  t.equal((await channels('DELETE', `/${id}`)).status, 404)
})

t.test('invalid channels are refused with the path of the fault', async (t) => {
  const { channels, create } = await createPagers(t)
  const id = await create('1')
  const post = (body: object) => channels('POST', '', { kind: 'pager', name: 'other', ...body })
  const change = (config: object) => channels('PATCH', `/${id}`, { config })
  const hook = (callback_url: string) =>
    post({ kind: 'webhook', config: { callback_url, secret: 'x'.repeat(32) } })
  const { body: draft } = await channels('POST', '', { kind: 'webhook', name: 'hook', enabled: false })
  const cases: [answer: { status: number; body: object }, status: number, code: string, path?: string][] = [
    [await post({ kind: 'smoke' }), 400, 'CHANNEL_KIND_UNSUPPORTED'],
    [await post({ name: 'pager 1', config: { number: '2', code: 'two' } }), 409, 'CHANNEL_NAME_TAKEN'],
    [await post({ name: ' ' }), 422, 'VALIDATION_FAILED', '/name'],
    [await post({ config: { volume: 'loud' } }), 422, 'VALIDATION_FAILED', '/config/volume'],
    [await post({ config: { colour: 'red' } }), 422, 'VALIDATION_FAILED', '/config/colour'],
    [await post({ config: { response_mode: 'never' } }), 422, 'VALIDATION_FAILED', '/config/response_mode'],
    [
      await post({ config: { group_context: { history_limit: 51 } } }),
      422,
      'VALIDATION_FAILED',
      '/config/group_context/history_limit',
    ],
    [await post({ config: { code: '••••1234' } }), 422, 'VALIDATION_FAILED', '/config/code'],
    [await change({ code: '••••nope' }), 422, 'VALIDATION_FAILED', '/config/code'],
    [await channels('PATCH', `/${id}`, { kind: 'webhook' }), 422, 'VALIDATION_FAILED', '/kind'],
    [await change({ number: null }), 422, 'VALIDATION_FAILED', '/config/number'],
    [await change({ code: '' }), 422, 'VALIDATION_FAILED', '/config/code'],
    [await change({ colour: null }), 422, 'VALIDATION_FAILED', '/config/colour'],
    [await change({ volume: 'loud' }), 422, 'VALIDATION_FAILED', '/config/volume'],
    [
      await change({ group_context: { history_limit: 51 } }),
      422,
      'VALIDATION_FAILED',
      '/config/group_context/history_limit',
    ],
    [await post({ config: { number: '2' } }), 422, 'VALIDATION_FAILED', '/config/code'],
    [await post({}), 422, 'VALIDATION_FAILED', '/config/number'],
    [await channels('POST', '/probe', { kind: 'smoke' }), 400, 'CHANNEL_KIND_UNSUPPORTED'],
    [
      await channels('POST', '/probe', { kind: 'pager', config: { volume: 'loud' } }),
      422,
      'VALIDATION_FAILED',
      '/config/volume',
    ],
    [
      await channels('POST', '/probe', {
        kind: 'webhook',
        config: { callback_url: 'https://192.31.196.1:99999/x', secret: 'x'.repeat(32) },
      }),
      422,
      'VALIDATION_FAILED',
      '/config/callback_url',
    ],
    [await channels('POST', '/probe', { kind: 'pager', channel_id: 'chn_none' }), 404, 'NOT_FOUND'],
    [await channels('POST', '/webhook/qrcode/generate'), 400, 'CHANNEL_QR_UNSUPPORTED'],
    [await hook('https://192.31.196.1:99999/x'), 422, 'VALIDATION_FAILED', '/config/callback_url'],
    [await hook('http://127.0.0.1:46341/x'), 400, 'ADDRESS_NOT_ALLOWED'],
    [
      await channels('PATCH', `/${draft.id}`, { config: { callback_url: 'http://[::1]/' } }),
      400,
      'ADDRESS_NOT_ALLOWED',
    ],
    [
      await post({ kind: 'wecom', enabled: false, config: { websocket_url: 'wss://10.0.0.1' } }),
      400,
      'ADDRESS_NOT_ALLOWED',
    ],
    [
      await post({ kind: 'telegram', enabled: false, config: { http_proxy: 'http://127.0.0.1:3128' } }),
      400,
      'ADDRESS_NOT_ALLOWED',
    ],
  ]
  for (const [{ status, body }, expected, code, path] of cases)
    t.match(
      { status, body },
      { status: expected, body: { error: { code, ...(path && { details: { issues: [{ path }] } }) } } },
    )
})

t.test('Secrets of a channel stay with the address that they were entered for', async (t) => {
  const { channels } = await createPagers(t)
  const secret = 'x'.repeat(32)
  const { body } = await channels('POST', '', {
    kind: 'webhook',
    name: 'bound',
    enabled: false,
    config: { callback_url: 'https://192.31.196.1/a', secret },
  })
  const change = (config: object) => channels('PATCH', `/${body.id}`, { config })
  t.equal((await change({ callback_url: 'https://192.31.196.1/b' })).status, 200)
  const refused = {
    status: 422,
    body: { error: { details: { issues: [{ path: '/config/secret', rule: 'address' }] } } },
  }
  t.match(await change({ callback_url: 'https://192.31.196.2/b' }), refused)
  t.match(await change({ callback_url: 'https://192.31.196.2/b', secret: body.config.secret }), refused)
  t.equal((await change({ callback_url: 'https://192.31.196.2/b', secret: 'y'.repeat(32) })).status, 200)
  t.equal((await channels('DELETE', `/${body.id}`)).status, 204)
})

t.test('the kinds are listed with the schemas of their configs', async (t) => {
  const { channels } = await createPagers(t)
  const { body } = await server.request('GET', '/channels/kinds', { headers: { 'accept-language': 'zh' } })
  const pager = body.find(({ kind }: { kind: string }) => kind === 'pager')
  t.match(pager, { label: '寻呼机', registration: 'channel' })
  const { required, properties, additionalProperties } = pager.config_schema
  t.strictSame(required, ['number', 'code'])
  t.equal(additionalProperties, false)
  t.match(properties, {
    code: { writeOnly: true },
    response_mode: { enum: ['invoke', 'stream'] },
    allow_from: {},
    group_context: {},
  })
  t.ok(body.some(({ kind }: { kind: string }) => kind === 'webhook'))
  t.strictSame((await channels('GET')).body, [])
})

t.test('a probe returns each of the reasons, stores nothing and shows no secret', async (t) => {
  const { channels, create } = await createPagers(t)
  const probed: [config: Record<string, unknown>, endpoints: unknown][] = []
  onPager(t, 'probed', (...values: (typeof probed)[number]) => void probed.push(values))
  const probe = async (config: object, more = {}) =>
    (await channels('POST', '/probe', { kind: 'pager', config, ...more })).body
  t.strictSame(await probe({ number: '1' }), { ok: false, reason: 'missing_field', detail: 'code' })
  const reasons = [
    'invalid_credentials',
    'forbidden',
    'not_found',
    'rate_limited',
    'unreachable',
    'timeout',
    'already_connected',
    'unsupported',
    'unknown',
  ]
  for (const reason of reasons)
    t.strictSame(await probe({ number: '1', code: 'c', refusal: reason }), {
      ok: false,
      reason,
      detail: `the pager says ${reason}`,
    })
  t.match(await probe({ number: '1', code: 'c', refusal: 'made up' }), { ok: false, reason: 'unknown' })
  t.strictSame(await probe({ number: '1', code: 'c' }), { ok: true })
  t.strictSame(
    probed.at(-1),
    [{ number: '1', code: 'c', volume: 3 }, { api: 'http://127.0.0.1:1' }],
    'defaults and endpoints are filled in',
  )
  t.strictSame((await channels('GET')).body, [])
  const id = await create('1')
  t.strictSame(await probe({ number: '1', code: '••••er 1' }, { channel_id: id }), { ok: true })
  t.equal(probed.at(-1)![0].code, 'code of pager 1', 'a mask keeps the stored secret')
  t.strictSame((await channels('POST', `/${id}/test`)).body, { ok: true })
  t.notMatch(server.logged(), 'code of pager 1')
})

t.test('a config is merged key by key, and null removes', async (t) => {
  const { channels, create, see, closed } = await createPagers(t)
  const group_context = {
    history_limit: 3,
    groups: { g1: { activation: 'always' }, g2: { history: 'none' } },
  }
  const id = await create('1', { group_context, allow_from: ['ann', 'ben'], volume: 5 })
  await see(id, isConnected)
  const patch = async (config: object) => (await channels('PATCH', `/${id}`, { config })).body.config
  const kept = { number: '1', code: '••••er 1', allow_from: ['ann', 'ben'], volume: 5 }
  t.strictSame(await patch({ group_context: { visibility: 'all', groups: { g1: null } } }), {
    ...kept,
    group_context: { history_limit: 3, visibility: 'all', groups: { g2: { history: 'none' } } },
  })
  t.strictSame(await patch({ group_context: null, allow_from: ['cid'], volume: null }), {
    number: '1',
    code: '••••er 1',
    allow_from: ['cid'],
  })
  await patch({ number: '2', code: 'a new code' })
  await see(id, isConnected)
  t.ok(closed.includes('1'), 'it was connected anew')
  t.match(await channels('POST', `/${id}/test`), { body: { ok: true } })
})

t.test('a channel that is not enabled may lack what it needs, until it is enabled', async (t) => {
  const { channels, see } = await createPagers(t)
  const made = await channels('POST', '', { kind: 'pager', name: 'draft', enabled: false })
  t.match(made, { status: 201, body: { enabled: false, config: {} } })
  const patch = (body: object) => channels('PATCH', `/${made.body.id}`, body)
  const lacks = (...fields: string[]) => ({
    status: 422,
    body: {
      error: { details: { issues: fields.map((field) => ({ path: `/config/${field}`, rule: 'required' })) } },
    },
  })
  t.match((await channels('POST', `/${made.body.id}/test`)).body, { ok: false, reason: 'missing_field' })
  t.match(await patch({ enabled: true }), lacks('number', 'code'))
  t.match(await patch({ config: { volume: 4, number: '7' } }), { status: 200 })
  t.match(await patch({ config: { number: null } }), lacks('number'), 'what is there does not vanish')
  t.match(await patch({ config: { response_mode: 'stream' }, enabled: true }), lacks('code'))
  t.match(await patch({ config: { code: 'seven' }, enabled: true }), { status: 200 })
  await see(made.body.id, isConnected)
  t.match(await patch({ enabled: false, config: { code: null } }), lacks('code'))
})

t.test('one channel that fails touches no other, and comes back by itself', async (t) => {
  const { create, see, links, say, seeSent, channels } = await createPagers(t)
  const good = await create('1')
  const bad = await create('2', { refusal: 'forbidden' })
  await see(good, isConnected)
  t.match(await see(bad, ({ state }) => state === 'failed'), {
    reason: 'forbidden',
    error: 'the pager says forbidden',
  })
  const first = links.get('1')!
  first.lost(Object.assign(new Error('cut'), { reason: 'unreachable' }))
  t.match(await see(good, ({ state }) => state === 'disconnected'), { reason: 'unreachable' })
  t.match(await see(good, isConnected), { reconnects: 1, reason: null })
  t.ok(first.signal.aborted)
  t.not(links.get('1'), first)
  links.get('1')!.connecting('a moment')
  await see(good, ({ state }) => state === 'connecting')
  links.get('1')!.connected()
  t.match(await see(good, isConnected), { reconnects: 2 })
  fake.next({ text: 'all well' })
  await say('1', 'how are you?')
  await seeSent('all well')
  t.match((await channels('GET', `/${bad}`)).body.runtime, { state: 'failed' })
})

t.test('one account of a platform is connected once', async (t) => {
  const { create, see, channels, links } = await createPagers(t)
  const first = await create('1')
  await see(first, isConnected)
  const link = links.get('1')
  const { body } = await channels('POST', '', {
    kind: 'pager',
    name: 'again',
    config: { number: '1', code: 'x' },
  })
  t.match(await see(body.id, ({ state }) => state === 'failed'), { reason: 'already_connected' })
  t.equal(links.get('1'), link)
  await channels('DELETE', `/${first}`)
  await see(body.id, isConnected)
})

t.test('channels follow their agent, and go with it', async (t) => {
  const { agent_id, create, see, closed } = await createPagers(t)
  const id = await create('1')
  await see(id, isConnected)
  await server.request('POST', `/agents/${agent_id}/stop`)
  t.strictSame(closed, ['1'])
  await see(id, ({ state }) => state === 'disconnected')
  await server.request('POST', `/agents/${agent_id}/start`)
  await see(id, isConnected)
  await server.request('DELETE', `/agents/${agent_id}`)
  t.strictSame(closed, ['1', '1'])
  for (const name of [
    'channels',
    'channel_leases',
    'channel_inbox',
    'channel_conversations',
    'channel_registrations',
  ])
    t.equal(await server.db.collection(name).countDocuments(), 0, name)
})

t.test('a scan makes one channel, however often it is asked about', async (t) => {
  const { channels, see } = await createPagers(t)
  let answer: object = { value: { status: 'waiting' } }
  let polls = 0
  onPager(t, 'polled', (state: unknown, step: object) => {
    polls += 1
    t.strictSame(state, { device: 'd1' })
    Object.assign(step, answer)
  })
  const begun = await channels('POST', '/pager/qrcode/generate')
  t.match(begun, {
    status: 200,
    body: { registration_id: String, qrcode_url: 'https://pager.example.org/scan' },
  })
  const { registration_id } = begun.body
  const poll = async (id = registration_id) =>
    (await channels('POST', '/pager/qrcode/poll', { registration_id: id })).body
  t.strictSame(await poll(), { status: 'waiting' })
  answer = { error: new Error('no line') }
  t.strictSame(await poll(), { status: 'waiting' })
  answer = { value: { status: 'success', config: { number: '5', code: 'scanned code' } } }
  const { status, channel_id } = await poll()
  t.equal(status, 'success')
  t.match(await see(channel_id, isConnected), { reason: null })
  const pollsBefore = polls
  for (const again of await Promise.all([poll(), poll(), poll()])) t.strictSame(again, { status, channel_id })
  t.equal(polls, pollsBefore, 'the platform is not asked again')
  const { body: all } = await channels('GET')
  t.match(all, [
    {
      id: channel_id,
      name: 'Pager',
      enabled: true,
      config: { code: '••••code', response_mode: 'stream', show_thinking: false, show_tool_hints: false },
    },
  ])
  await channels('DELETE', `/${channel_id}`)
  t.strictSame(await poll(), { status, channel_id })
  t.strictSame((await channels('GET')).body, [], 'what was deleted is not made again')
  t.strictSame(await poll('nobody-knows'), { status: 'expired' })
  const { token } = await server.createUser({ username: 'mallory', role: 'admin' })
  t.strictSame((await channels('POST', '/pager/qrcode/poll', { registration_id }, token)).body, {
    status: 'expired',
  })
  for (const [last, expected] of [
    [{ status: 'expired' }, 'expired'],
    [{ status: 'failed', detail: 'no' }, 'failed'],
  ] as const) {
    answer = { value: last }
    const { body: next } = await channels('POST', '/pager/qrcode/generate')
    t.strictSame(await poll(next.registration_id), { status: expected })
    t.strictSame(await poll(next.registration_id), { status: expected })
  }
})

t.test('settings that name no address of a kind stop the start', async (t) => {
  const start = (endpoints: object) => startServer(t, { config: { plugins: { channels: { endpoints } } } })
  await t.rejects(
    start({ telegram: { api: 'http://' } }),
    /plugins\.channels\.endpoints\.telegram\.api must match format "url"/,
  )
  await t.rejects(
    start({ telegram: { api: 'telegram.example.org:443' } }),
    /plugins\.channels\.endpoints\.telegram\.api must match pattern/,
  )
  const { code, stderr } = await runCommand(
    createHome(t, {
      database: { url: await createDatabaseUrl(t) },
      plugins: { channels: { endpoints: { telegram: { url: 'http://127.0.0.1' } } } },
    }),
    ['serve', '--port', '0'],
  )
  t.equal(code, 1)
  t.match(
    stderr,
    /^svc: plugin "channels" failed to start: .*endpoints\.telegram\.url is not known; the kind has: api\n$/m,
  )
  t.notMatch(stderr, /^svc: .*\n +at |failed to stop/m)
  const other = await start({ smoke: { api: 'http://127.0.0.1' } })
  t.match(other.logged(), /"kind":"smoke","msg":"addresses are set for a channel kind that does not exist"/)
})

t.test('a platform may have addresses of any scheme, also those that a kind declares', async (t) => {
  const start = (address: string) =>
    startServer(t, {
      plugins: { pager: PAGER.replace('https://pager.example.org', address) },
      config: {
        plugins: {
          channels: { endpoints: { pager: { api: 'irc://127.0.0.1:6667' } } },
          pager: { required: true },
        },
      },
    })
  await start('ircs://pager.example.org:6697')
  await t.rejects(
    start('pager.example.org'),
    /channel kind "pager" is not valid: \/endpoints\/api must match/,
  )
})
