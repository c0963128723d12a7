import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import type { ModelAccount } from '../../../plugins/models/providers/types.ts'
import type { UsageCounterDocument, UsageDocument } from '../../../plugins/models/usage/types.ts'
import t from '../../run/file-test.ts'
import { amount, isLong } from '../../run/tier.ts'
import { createHold, MODEL, range, startChat, type TestChat } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { startDatabaseProxy } from '../../support/database-proxy.ts'
import { createHome } from '../../support/server.ts'

const chat = await startChat(t)
const { fake, server } = chat

const usage = (input: number, output: number) => ({ prompt_tokens: input, completion_tokens: output })
const answer = (input: number, output: number) => ({ text: 'yes', usage: usage(input, output) })

/** An account with its assistant and an open connection to it. */
async function createAccount(username: string, { server, connect }: TestChat = chat) {
  const { id, token } = await server.createUser({ username })
  const { body: agents } = await server.request('GET', '/agents', { token })
  const agent_id: string = agents[0].id
  const rows = () => server.db.collection<UsageDocument>('usage')
  const get = (path: string) => server.call('GET', path, undefined, token)
  return {
    id,
    token,
    agent_id,
    username,
    socket: await connect({ token, agent_id }),
    report: (query = '') => get(`/usage/summary${query}`),
    setQuota: (token_quota: number | null) =>
      server.request('PATCH', `/users/${username}`, { body: { token_quota } }),
    rows: () => rows().find({ user_id: id }).sort({ _id: 1 }).toArray(),
    /** Waits until the account's total, which follows its counter, has this value. */
    hasTotal: (tokens: number) =>
      eventually(`${username} has taken ${tokens} tokens`, async () => {
        const { body } = await server.request('GET', `/users/${username}`)
        return body.tokens_used === tokens
      }),
    account: {
      user_id: id,
      token_quota: null,
      budget: null,
      timezone: null,
      agent_id,
      thread_id: null,
    } as ModelAccount,
  }
}

const pointsOf = ({ server }: TestChat = chat) => server.server.runtime.extensions
const countersOf = ({ server }: TestChat = chat) =>
  server.db.collection<UsageCounterDocument>('usage_counters')
const ended = (call_id: string, account: ModelAccount, tokens: number) => ({
  call_id,
  account,
  purpose: 'turn' as const,
  model: MODEL,
  usage: { input_tokens: tokens, output_tokens: 0, total_tokens: tokens },
  is_estimated: false,
})

t.test('An account sees the tokens of its turns by day, agent and model', async (t) => {
  const ann = await createAccount('ann')
  t.match(await ann.report(), {
    window: 'last_30d',
    granularity: 'by_day',
    totals: { total_tokens: 0, model_calls: 0 },
    buckets: [],
    quota: { token_quota: null, window: 'all', used: 0, reserved: 0, remaining: null, resets_at: null },
  })
  const details = {
    prompt_tokens_details: { cached_tokens: 40 },
    completion_tokens_details: { reasoning_tokens: 5 },
  }
  fake.next({ text: 'one', usage: { ...usage(100, 20), ...details } }, answer(7, 3))
  const { thread_id } = await ann.socket.ask({ text: 'first' })
  await ann.socket.ask({ thread_id, text: 'second' })
  const sums = {
    input_tokens: 107,
    cached_input_tokens: 40,
    output_tokens: 23,
    reasoning_tokens: 5,
    total_tokens: 130,
    estimated_tokens: 0,
    model_calls: 2,
    cost: null,
    unpriced_calls: 2,
    unpriced_tokens: 130,
  }
  const days = await ann.report()
  const day = new Date(days.to * 1000).toISOString().slice(0, 10)
  t.strictSame([days.totals, days.buckets], [sums, [{ key: day, ...sums }]])
  t.match(days.quota, { used: 130, reserved: 0 })
  t.equal(days.to - days.from, 29 * 86_400 + (days.to % 86_400))

  const agents = await ann.report('?granularity=by_agent&window=all')
  t.strictSame(agents.buckets, [{ key: ann.agent_id, label: 'assistant', ...sums }])
  t.equal(agents.from, null)
  const models = await ann.report('?granularity=by_model&window=today')
  t.strictSame(models.buckets, [{ key: MODEL, ...sums }])
  const month = await ann.report('?window=this_month')
  t.equal(new Date(month.from * 1000).toISOString(), `${day.slice(0, 7)}-01T00:00:00.000Z`)
  t.strictSame(month.totals, sums)
  const total = await ann.report(`?granularity=total&window=last_7d&agent_id=${ann.agent_id}`)
  t.strictSame(total.buckets, [{ key: 'total', ...sums }])
  for (const query of ['?window=yesterday', '?agent_id=another'])
    t.match(await ann.report(query), { totals: { model_calls: 0 }, buckets: [] })
  t.match(await server.request('GET', '/usage/summary?window=last_year', { token: ann.token }), {
    status: 422,
  })

  t.match(await ann.rows(), [
    { agent_id: ann.agent_id, thread_id, model: MODEL, provider: 'fake', purpose: 'turn', day },
    { input_tokens: 7, output_tokens: 3, total_tokens: 10, is_estimated: false },
  ])
  t.ok(await ann.hasTotal(130))
})

t.test('Administrators see all accounts, those that took the most first', async (t) => {
  const [ben, cid] = [await createAccount('ben'), await createAccount('cid')]
  await createAccount('dan')
  fake.next(answer(1000, 1))
  await ben.socket.ask({ text: 'hello' })
  fake.next(answer(5000, 2))
  await cid.socket.ask({ text: 'hello' })
  await ben.setQuota(9000)
  const read = async (query = '') => (await server.request('GET', `/admin/usage${query}`)).body
  const all = await read('?granularity=by_agent')
  t.match(all.accounts.slice(0, 2), [
    { username: 'cid', user_id: cid.id, token_quota: null, quota_used: 5002, total_tokens: 5002 },
    { username: 'ben', user_id: ben.id, token_quota: 9000, quota_used: 1001, model_calls: 1 },
  ])
  t.notOk(all.accounts.some(({ username }: { username: string }) => username === 'dan'))
  const sum = all.accounts.reduce((sum: number, row: { total_tokens: number }) => sum + row.total_tokens, 0)
  t.equal(all.totals.total_tokens, sum)
  t.ok(
    await eventually('the overview has the same sum', async () => {
      const { body } = await server.request('GET', '/admin/overview')
      return body.tokens_used === sum
    }),
  )
  t.equal(all.buckets[0].key, cid.agent_id)
  const page = await read('?limit=1&offset=1')
  t.strictSame(page.accounts, [all.accounts[1]])
  t.equal(page.totals.total_tokens, sum)
  t.match(await read(`?offset=${Number.MAX_SAFE_INTEGER}`), { accounts: [] })
  t.match(await server.request('GET', '/admin/usage?offset=99999999999999999999'), {
    status: 422,
    body: { error: { details: { issues: [{ path: '/offset', rule: 'maximum' }] } } },
  })
  t.match(await read('?username=BEN'), { totals: { total_tokens: 1001 }, accounts: [all.accounts[1]] })
  t.match(await read('?username=dan'), { accounts: [{ username: 'dan', model_calls: 0 }] })
  t.match(await server.request('GET', '/admin/usage?username=nobody'), { status: 404 })
})

t.test('A report lists at most 500 agents or days and adds up all of them', async (t) => {
  const una = await createAccount('una')
  fake.next(answer(1, 1))
  await una.socket.ask({ text: 'hello' })
  await una.report()
  const [row] = await una.rows()
  const DAY = 86_400
  const rows = Array.from({ length: 510 }, (_, n) => ({
    ...row!,
    _id: `una-${n}`,
    agent_id: `agent-${n}`,
    total_tokens: n + 3,
    ts: row!.ts - (n + 1) * DAY,
    day: new Date((row!.ts - (n + 1) * DAY) * 1000).toISOString().slice(0, 10),
  }))
  await server.db.collection<UsageDocument>('usage').insertMany(rows)
  const total_tokens = rows.reduce((sum, each) => sum + each.total_tokens, 2)
  const agents = await una.report('?window=all&granularity=by_agent')
  t.equal(agents.buckets.length, 500)
  t.match(agents, { totals: { total_tokens, model_calls: 511 }, buckets: [{ key: 'agent-509' }] })
  const { totals, buckets } = await una.report('?window=all&granularity=by_day')
  t.strictSame(totals, agents.totals)
  t.strictSame([buckets.length, buckets[0].key, buckets.at(-1).key], [500, rows[498]!.day, row!.day])
  await server.db.collection<UsageDocument>('usage').deleteMany({ _id: /^una-/ as never })
})

t.test('The calls of a delegated task count, each for itself', async (t) => {
  const eve = await createAccount('eve')
  const call = { id: 'c', name: 'task', arguments: { description: 'Look', instruction: 'Look it up.' } }
  fake.next({ toolCalls: [call], usage: usage(10, 1) }, answer(20, 2), answer(30, 3))
  const { end } = await eve.socket.ask({ text: 'delegate' })
  t.match(end, { type: 'done', usage: { total_tokens: 66 } })
  t.match((await eve.report()).totals, { input_tokens: 60, output_tokens: 6, model_calls: 3 })
  t.strictSame(
    (await eve.rows()).map(({ purpose }) => purpose),
    ['turn', 'task', 'turn'],
  )
})

t.test('A quota counts from the next turn on, with what was used before it was set', async (t) => {
  const fay = await createAccount('fay')
  const { socket } = fay
  const ask = async () => (await socket.ask({ text: 'hello' })).end
  fake.next(answer(60, 10))
  await ask()
  const refused = (quota: number, used: number) => ({
    type: 'error',
    code: 'TOKEN_QUOTA_EXCEEDED',
    details: { quota, used, reserved: 0, needed: Number, window: 'all', resets_at: null },
    message: new RegExp(`${used} of ${quota} .*reserved`),
    request_id: String,
  })

  await fay.setQuota(70)
  const calls = fake.requests.length
  const { details, ...first } = await ask()
  t.match({ details, ...first }, refused(70, 70))
  await fay.setQuota(70 + details.needed - 1)
  t.match(await ask(), refused(69 + details.needed, 70), 'a prompt without an answer has no room')
  t.equal(fake.requests.length, calls, 'the model is not asked')

  await fay.setQuota(70 + details.needed)
  fake.next(answer(50, 1))
  t.match(await ask(), { type: 'done' }, 'a prompt and one token have')
  t.equal(fake.requests.at(-1)!.body.max_tokens, 1)
  t.match((await fay.report()).quota, { used: 121, reserved: 0, remaining: details.needed - 51 })
  await fay.setQuota(121 + details.needed + 99)
  fake.next(answer(50, 100))
  await ask()
  t.equal(fake.requests.at(-1)!.body.max_tokens, 100, 'the answer may take what is left')
  await fay.setQuota(null)
  t.match(await ask(), { type: 'done' })
  t.equal(fake.requests.at(-1)!.body.max_tokens, undefined)
  await fay.setQuota(0)
  t.match(await ask(), { code: 'TOKEN_QUOTA_EXCEEDED', details: { quota: 0 } })

  const gus = await createAccount('gus')
  await gus.setQuota(0)
  t.match((await gus.socket.ask({ text: 'hello' })).end, { code: 'TOKEN_QUOTA_EXCEEDED' })
  const polish = (body: object) => ({ token: gus.token, body: { prompt: 'hello', ...body } })
  const path = `/agents/${gus.agent_id}/chat/polish`
  const reply = await server.request('POST', path, polish({}))
  t.match(reply, {
    status: 429,
    body: { error: { code: 'TOKEN_QUOTA_EXCEEDED', details: { quota: 0, resets_at: null } } },
  })
  await gus.setQuota(reply.body.error.details.needed + 6)
  fake.next({ text: 'better', usage: usage(5, 5) })
  t.match(await server.request('POST', path, polish({})), { status: 200 })
  t.equal(fake.requests.at(-1)!.body.max_tokens, 7)
  await gus.setQuota(0)
  const zh = await chat.connect({ ...gus, headers: { 'accept-language': 'zh' } })
  t.match((await zh.ask({ text: 'hello' })).end, { message: /限额/ })
})

t.test('A turn that reaches the quota between two of its calls ends there', async (t) => {
  const hal = await createAccount('hal')
  await hal.setQuota(20_000)
  const plan = { id: 'c', name: 'write_todos', arguments: { todos: [] } }
  fake.next({ toolCalls: [plan], usage: usage(19_000, 999) })
  const { end, frames } = await hal.socket.ask({ text: 'plan' })
  t.match(end, { type: 'error', code: 'TOKEN_QUOTA_EXCEEDED', details: { quota: 20_000, used: 19_999 } })
  t.strictSame(
    frames.map(({ type }) => type).filter((type) => type !== 'content'),
    ['turn_started', 'tool_call', 'usage', 'tool_result', 'error'],
  )
})

t.test('Simultaneous turns wait for the reservations of others, and are not refused', async (t) => {
  const ivy = await createAccount('ivy')
  await ivy.setQuota(10_000)
  const { hold, release } = createHold()
  const calls = fake.requests.length
  const seen: (number | undefined)[] = []
  fake.script(({ body }) => {
    seen.push(body.max_tokens as number | undefined)
    return { ...answer(41, 10), hold }
  })
  const sent = range(1, 8).map(() => ivy.socket.say({ text: 'go' }))
  await fake.request(calls)
  const { quota } = await ivy.report()
  t.ok(quota.reserved > 41 && quota.reserved <= 10_000, `${quota.reserved} are reserved`)
  release()
  for (const id of sent) t.match((await ivy.socket.seeTurn(id)).end, { type: 'done' })
  t.equal(seen.length, 8)
  t.ok(
    seen.every((limit) => limit !== undefined && limit >= 1024),
    `none gets too little for an answer: ${seen}`,
  )
  fake.script(() => answer(1, 1))
  t.match((await ivy.report()).quota, { used: 8 * 51, reserved: 0 })
  t.strictSame((await countersOf().findOne({ _id: ivy.id }))!.holds, [])
})

t.test('An answer that is stopped or cut off is charged by estimate', async (t) => {
  const jan = await createAccount('jan')
  const { socket } = jan
  const { hold } = createHold()
  fake.next({ text: ['some words of an answer', ' and the rest'], hold, holdAfter: 1 })
  const sent = socket.say({ text: 'x'.repeat(3000) })
  const { thread_id } = await socket.until(({ type }) => type === 'content')
  socket.send({ type: 'stop', thread_id })
  t.match((await socket.seeTurn(sent)).end, { type: 'done', stop_reason: 'stopped' })
  fake.next({ text: ['a', 'b'], disconnectAfter: 1 })
  t.match((await socket.ask({ text: 'y' })).end, { type: 'error' })
  const rows = await jan.rows()
  t.match(rows, [
    { is_estimated: true, output_tokens: 8 },
    { is_estimated: true, output_tokens: 1 },
  ])
  t.ok(rows[0]!.input_tokens > 1000)
  fake.next({ text: 'counted', usage: { prompt_tokens: 7, completion_tokens: 3 } })
  const total_tokens = rows[0]!.total_tokens + rows[1]!.total_tokens
  await socket.ask({ text: 'w' })
  t.match((await jan.report()).totals, { total_tokens: total_tokens + 10, estimated_tokens: total_tokens })

  fake.next({ status: 400 })
  await jan.setQuota(1_000_000)
  t.match((await socket.ask({ text: 'z' })).end, { type: 'error', code: 'MODEL_CALL_FAILED' })
  t.equal((await jan.rows()).length, 3, 'a call that failed at once is not charged')
  t.match((await jan.report()).quota, { reserved: 0 })
})

t.test('Deleting threads and agents refunds nothing', async (t) => {
  const kim = await createAccount('kim')
  fake.next(answer(30, 3))
  const { thread_id } = await kim.socket.ask({ text: 'hello' })
  await kim.setQuota(33)
  const { token } = kim
  for (const path of [`/agents/${kim.agent_id}/threads/${thread_id}`, `/agents/${kim.agent_id}`])
    t.match(await server.request('DELETE', path, { token }), { status: 204 })
  const report = await kim.report('?granularity=by_agent')
  t.match(report, { totals: { total_tokens: 33 }, quota: { remaining: 0 } })
  t.strictSame(
    report.buckets.map(({ key, label }: { key: string; label?: string }) => [key, label]),
    [[kim.agent_id, undefined]],
  )
  const { body: agent } = await server.request('POST', '/agents', { token, body: { name: 'second' } })
  const socket = await chat.connect({ token, agent_id: agent.id })
  t.match((await socket.ask({ text: 'hello' })).end, { code: 'TOKEN_QUOTA_EXCEEDED' })
})

t.test('Nothing of a deleted account is left, not even a call that ends later', async (t) => {
  const liz = await createAccount('liz')
  await liz.setQuota(100_000)
  await liz.socket.ask({ text: 'hello' })
  fake.next({ text: ['a', 'b'], ...createHold(), holdAfter: 1 })
  const later = await chat.connect(liz)
  later.say({ text: 'go on' })
  await later.until(({ type }) => type === 'content')
  const find = async () => [
    await liz.rows(),
    await countersOf().findOne({ _id: liz.id }),
    await server.db.collection<{ _id: string }>('users').findOne({ _id: liz.id }),
  ]
  t.match(await find(), [[{}], { holds: [{}] }, { username: 'liz' }])
  t.match(await server.request('DELETE', '/users/liz'), { status: 204 })
  t.strictSame(await find(), [[], null, null])

  const { account } = liz
  await pointsOf()['providers.reservations'].ask({
    call_id: 'late',
    account: { ...account, token_quota: 10 },
    purpose: 'task',
    model: MODEL,
    estimate: () => ({ prompt: 1, output: 1, cost: null }),
    limitOutput: () => {},
  })
  await pointsOf()['providers.usage'].ask(ended('late', account, 5))
  t.ok(
    await eventually('the late call is removed', async () => {
      const [rows, counter] = await find()
      return (rows as unknown[]).length === 0 && counter === null
    }),
  )
})

t.test('A call counts once, even if it is reported several times', async (t) => {
  const ned = await createAccount('ned')
  const calls = range(1, 20).map((n) => ended(`ned-${n}`, ned.account, n))
  const tell = (call: (typeof calls)[number]) => pointsOf()['providers.usage'].ask(call)
  await Promise.all([...calls, ...calls].map(tell))
  await Promise.all(calls.map(tell))
  t.match(await ned.report(), { totals: { total_tokens: 210, model_calls: 20 }, quota: { used: 210 } })
  t.ok(await ned.hasTotal(210))
})

t.test('An invalid token count of an upstream refunds nothing', async (t) => {
  const oda = await createAccount('oda')
  for (const [n, tokens] of [10, -1000, Number.NaN, 1.4].entries())
    await pointsOf()['providers.usage'].ask(ended(`oda-${n}`, oda.account, tokens))
  t.match(await oda.report(), { totals: { total_tokens: 11, model_calls: 4 }, quota: { used: 11 } })
})

t.test('A turn waits for a reservation until it expires or the turn is stopped', async (t) => {
  const pia = await createAccount('pia')
  await pia.setQuota(20_000)
  const hold = { call_id: 'gone', tokens: 19_999, until: Date.now() + 60_000 }
  await countersOf().insertOne({ _id: pia.id, holds: [hold] })
  const calls = fake.requests.length
  const stopped = pia.socket.say({ text: 'hello' })
  const { thread_id } = await pia.socket.until(({ type }) => type === 'turn_started')
  pia.socket.send({ type: 'stop', thread_id })
  t.match((await pia.socket.seeTurn(stopped)).end, { type: 'done', stop_reason: 'stopped' })
  t.equal(fake.requests.length, calls)

  const sent = pia.socket.say({ thread_id, text: 'hello' })
  await pia.socket.until(
    ({ type, client_message_id }) => type === 'turn_started' && client_message_id === sent,
  )
  // Whatever only the wait itself refers to is collected.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  for (let times = 0; times < 2; times += 1) {
    await pause(100)
    collect()
  }
  await countersOf().updateOne({ _id: pia.id }, { $set: { 'holds.0.until': Date.now() - 1 } })
  fake.next(answer(5, 5))
  t.match((await pia.socket.seeTurn(sent)).end, { type: 'done' })
  t.match(await pia.report(), { quota: { used: 10, reserved: 0 } })
})

t.test('A server that starts stores the rows that a dead one had charged but not stored', async (t) => {
  const [quin, ray] = [await createAccount('quin'), await createAccount('ray')]
  fake.next(answer(40, 4), answer(1, 0))
  await quin.socket.ask({ text: 'hello' })
  await ray.socket.ask({ text: 'hello' })
  const report = await quin.report()
  const kept = await quin.rows()
  await server.db.collection<UsageDocument>('usage').deleteMany({ user_id: { $in: [quin.id, ray.id] } })
  const users = server.db.collection<{ _id: string }>('users')
  await users.updateOne({ _id: quin.id }, { $set: { tokens_used: 0 } })
  await users.deleteOne({ _id: ray.id })
  await server.restart()
  t.strictSame(await quin.rows(), kept)
  t.strictSame((await quin.report()).totals, report.totals)
  t.ok(await quin.hasTotal(44))
  t.strictSame([await ray.rows(), await countersOf().findOne({ _id: ray.id })], [[], null])
})

for (const [window, pattern] of [
  ['day', /T00:00:00/],
  ['month', /-01T00:00:00/],
] as const)
  t.test(`A quota of a ${window} starts again with the next one, in UTC`, async (t) => {
    const clock = createTestClock()
    const auth = { access_token_ttl_seconds: 31_536_000 }
    const config = { plugins: { chat: { quota_window: window }, auth } }
    const chat = await startChat(t, { clock, config })
    const tom = await createAccount('tom', chat)
    await tom.setQuota(20_000)
    const ask = async () => (await tom.socket.ask({ text: 'hello' })).end
    const take = async () => {
      chat.fake.next(answer(20_000, 5))
      t.match(await ask(), { type: 'done' })
      const { quota } = await tom.report()
      t.match(quota, { token_quota: 20_000, window, used: 20_005, remaining: 0 })
      const { resets_at } = quota
      t.match(new Date(resets_at * 1000).toISOString(), pattern)
      t.match(await ask(), {
        code: 'TOKEN_QUOTA_EXCEEDED',
        details: { quota: 20_000, used: 20_005, window, resets_at },
      })
      return resets_at - clock.seconds()
    }
    const left = await take()
    t.ok(left > 0 && left <= (window === 'day' ? 1 : 31) * 86_400)
    clock.advance(left)
    t.match((await tom.report()).quota, { used: 0, remaining: 20_000 })
    await take()
    t.ok(await tom.hasTotal(40_010))
    t.match(await tom.report('?window=all'), { totals: { total_tokens: 40_010 }, buckets: { length: 2 } })
    t.match(await tom.report('?window=today'), { totals: { total_tokens: 20_005 }, buckets: { length: 1 } })
    t.match(await tom.report('?window=yesterday'), {
      totals: { total_tokens: left <= 86_400 ? 20_005 : 0 },
    })

    if (window === 'month' && !isLong) return
    // A reservation of another call does not delay a call forever.
    await tom.setQuota(100_000)
    const gone = { call_id: 'gone', tokens: 99_999, until: Number.MAX_SAFE_INTEGER }
    await countersOf(chat).updateOne({ _id: tom.id }, { $push: { holds: gone } })
    const refused = ask()
    let isOver = false
    void refused.then(() => {
      isOver = true
    })
    while (!isOver) {
      clock.advance(61)
      await pause(50)
    }
    t.match(await refused, { code: 'TOKEN_QUOTA_EXCEEDED', details: { reserved: 99_999, quota: 100_000 } })
  })

t.test('No row is lost or counted twice if the database becomes unavailable', async (t) => {
  const proxy = await startDatabaseProxy(t)
  const home = createHome(t)
  const chat = await startChat(t, { home, env: { SVC_DATABASE_URL: proxy.url } })
  const una = await createAccount('una', chat)
  const ROUNDS = amount({ short: 3, long: 6 })
  const EACH = 50
  const tell = (n: number) => pointsOf(chat)['providers.usage'].ask(ended(`una-${n}`, una.account, 1))
  for (const round of range(0, ROUNDS - 1)) {
    const calls = range(round * EACH, round * EACH + EACH - 1)
    // From the second round on, the write is carried out and only its reply is lost.
    let held = round > 0 ? proxy.hold() : undefined
    const telling = calls.map(tell)
    for (let passed = 1; passed < round; passed += 1) {
      await held
      proxy.release()
      held = proxy.hold()
    }
    await held
    proxy.cut()
    proxy.release()
    proxy.restore()
    await Promise.all(telling)
  }
  while ((await chat.server.request('GET', '/health')).status !== 200) await pause(50)
  const calls = ROUNDS * EACH
  const report = await una.report()
  t.match(report, { totals: { total_tokens: calls, model_calls: calls }, quota: { used: calls } })
  t.ok(await una.hasTotal(calls))
})
