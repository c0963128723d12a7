import { eventually } from '../../../plugin-api/testing/waiting.ts'
import type { UsageCounterDocument } from '../../../plugins/models/usage/types.ts'
import t from '../../run/file-test.ts'
import { createHold, range, startChat, type TestChat } from '../../support/chat.ts'
import { createFrozenClock } from '../../support/clock.ts'
import { readEvents } from '../../support/sse.ts'

const ONE_YEAR = 31_536_000
const auth = { access_token_ttl_seconds: ONE_YEAR, refresh_token_ttl_seconds: ONE_YEAR }
const chat = await startChat(t)
await addModels(chat)
const { fake, server } = chat

/** Adds a model at a dollar for a thousand tokens, one at a dollar for a million, and one without a price. */
async function addModels({ fake, server }: TestChat): Promise<void> {
  const price = (amount: number) => ({ input: amount, output: amount })
  await server.call('POST', '/admin/providers', {
    name: 'shop',
    kind: 'openai-compatible',
    base_url: fake.url,
    models: [{ id: 'dear', price: price(1000) }, { id: 'cheap', price: price(1) }, { id: 'unpriced' }],
  })
}

const usage = (input: number, output: number) => ({ prompt_tokens: input, completion_tokens: output })
const answer = (input: number, output: number) => ({ text: 'yes', usage: usage(input, output) })

/** An account with its assistant and an open connection to it. */
async function createAccount(username: string, { server, connect }: TestChat = chat) {
  const { id, token } = await server.createUser({ username })
  const { body: agents } = await server.request('GET', '/agents', { token })
  const agent_id: string = agents[0].id
  const socket = await connect({ token, agent_id })
  return {
    id,
    token,
    agent_id,
    socket,
    ask: async (model = 'shop:dear') => (await socket.ask({ text: 'hello', model })).end,
    change: (changes: object) => server.call('PATCH', `/users/${username}`, changes),
    budget: async () => (await server.call('GET', '/usage/summary', undefined, token)).budget,
    counter: () => server.db.collection<UsageCounterDocument>('usage_counters').findOne({ _id: id }),
  }
}

t.test('A budget counts what was spent before, limits answers, and refuses what does not fit', async (t) => {
  const ann = await createAccount('ann')
  t.equal(await ann.budget(), null)
  fake.next(answer(60, 10))
  t.match(await ann.ask(), { type: 'done', usage: { cost: { amount: 0.07, currency: 'USD' } } })
  for (const [window, seconds] of [
    ['day', 1],
    ['week', 7],
    ['month', 31],
  ] as const) {
    const changed = await ann.change({ budget: { amount: 0.07, window } })
    t.strictSame(changed.budget, { amount: 0.07, window })
    const state = await ann.budget()
    t.match(state, { amount: 0.07, window, currency: 'USD', spent: 0.07, reserved: 0, remaining: 0 })
    t.equal(state.scope, 'account')
    const left = state.resets_at - Date.now() / 1000
    t.ok(left > 0 && left <= seconds * 86_400 + 3600, `${window}: it begins anew in ${left} s`)
  }
  const calls = fake.requests.length
  const { details, message, ...refusal } = await ann.ask()
  t.match(refusal, { type: 'error', code: 'BUDGET_EXCEEDED' })
  t.match(details, {
    budget: { amount: 0.07, window: 'month', currency: 'USD' },
    scope: 'account',
    spent: 0.07,
    reserved: 0,
    resets_at: Number,
  })
  t.match(message, /budget of 0\.07 USD .* begins anew on \d{4}-\d\d-01 00:00 \(UTC\)/)
  t.equal(fake.requests.length, calls, 'the model is not asked')

  const needed = details.needed as number
  await ann.change({ budget: { amount: 0.07 + needed - 0.001, window: 'month' } })
  t.match(await ann.ask(), { code: 'BUDGET_EXCEEDED' }, 'a prompt without an answer has no room')
  await ann.change({ budget: { amount: 0.07 + needed, window: 'month' } })
  fake.next(answer(50, 1))
  t.match(await ann.ask(), { type: 'done' }, 'a prompt and one token have')
  t.equal(fake.requests.at(-1)!.body.max_tokens, 1)
  t.match(await ann.budget(), { spent: 0.121, reserved: 0 })
  t.match(await ann.ask('shop:unpriced'), { type: 'done', usage: { cost: null } }, 'no price, no budget')
  await ann.change({ budget: { amount: 2, window: 'day' } })
  fake.next(answer(10, 10))
  t.match(await ann.ask('shop:cheap'), { type: 'done' })
  t.equal(fake.requests.at(-1)!.body.max_tokens, undefined, 'a cheap answer has room')
  await ann.change({ budget: null })
  t.match(await ann.ask(), { type: 'done' })

  const zh = await chat.connect({
    ...ann,
    headers: { 'accept-language': 'zh' },
  })
  await ann.change({ budget: { amount: 0, window: 'week' } })
  t.match((await zh.ask({ text: 'hello', model: 'shop:dear' })).end, { message: /预算不足.*重新开始/ })
})

t.test('Simultaneous turns wait for the money that others hold, and are not refused', async (t) => {
  const bob = await createAccount('bob')
  await bob.change({ budget: { amount: 10, window: 'day' } })
  const { hold, release } = createHold()
  const calls = fake.requests.length
  const limits: (number | undefined)[] = []
  fake.script(({ body }) => {
    limits.push(body.max_tokens as number | undefined)
    return { ...answer(41, 10), hold }
  })
  const sent = range(1, 8).map(() => bob.socket.say({ text: 'go', model: 'shop:dear' }))
  await fake.request(calls)
  const { reserved } = await bob.budget()
  t.ok(reserved > 0.041 && reserved <= 10, `${reserved} is reserved`)
  release()
  for (const id of sent) t.match((await bob.socket.seeTurn(id)).end, { type: 'done' })
  t.equal(limits.length, 8)
  t.ok(
    limits.every((limit) => limit !== undefined && limit >= 1024),
    `none gets too little: ${limits}`,
  )
  fake.script(() => answer(1, 1))
  t.match(await bob.budget(), { spent: 0.408, reserved: 0 })
  t.strictSame((await bob.counter())!.holds, [])
})

t.test('The budget of the server holds for all accounts together', async (t) => {
  const chat = await startChat(t)
  await addModels(chat)
  const [cid, dan] = [await createAccount('cid', chat), await createAccount('dan', chat)]
  const { fake, server } = chat
  const { body } = await server.request('GET', '/admin/budget')
  t.strictSame(body, { budget: null })
  fake.next(answer(60, 10))
  await cid.ask()
  const set = (budget: object | null) => server.call('PUT', '/admin/budget', { budget })
  t.match(await set({ amount: 0.07, window: 'month' }), {
    budget: { amount: 0.07, spent: 0.07, scope: 'server', remaining: 0 },
  })
  const refusal = await dan.ask()
  t.match(refusal, { code: 'BUDGET_EXCEEDED', details: { scope: 'server', spent: 0.07 } })
  t.equal(await dan.budget(), null)

  await dan.change({ budget: { amount: 100, window: 'day' } })
  t.match(await dan.ask(), { code: 'BUDGET_EXCEEDED', details: { scope: 'server' } })
  t.ok(await eventually('no money is held', async () => (await dan.counter())?.holds.length === 0))
  t.match(await dan.budget(), { spent: 0, reserved: 0 })

  await set({ amount: 0.07 + refusal.details.needed, window: 'month' })
  fake.next(answer(50, 1))
  t.match(await dan.ask(), { type: 'done' })
  t.equal(fake.requests.at(-1)!.body.max_tokens, 1)
  t.match(await server.call('GET', '/admin/budget'), { budget: { spent: 0.121, reserved: 0 } })
  t.match(await set(null), { budget: null })
  t.match(await cid.ask(), { type: 'done' })
  for (const budget of [{ amount: -1, window: 'day' }, { amount: 1, window: 'year' }, { amount: 1 }, 5])
    t.match(await server.request('PUT', '/admin/budget', { body: { budget } }), { status: 422 })
  t.match(await server.request('GET', '/admin/budget', { token: cid.token }), { status: 403 })
})

t.test('A window ends at midnight of the zone of the account, across daylight saving', async (t) => {
  const clock = createFrozenClock(Date.parse('2027-03-27T22:30:00Z'))
  const chat = await startChat(t, { clock, config: { plugins: { auth } } })
  await addModels(chat)
  const eva = await createAccount('eva', chat)
  await eva.change({ budget: { amount: 10, window: 'day' } })
  const own = (changes: object) => chat.server.call('PATCH', '/auth/me', changes, eva.token)
  t.match(await own({ timezone: 'Europe/Berlin' }), { timezone: 'Europe/Berlin' })
  const spend = async () => {
    chat.fake.next(answer(5000, 5000))
    t.match(await eva.ask(), { type: 'done' })
    return eva.budget()
  }
  const endOf = async () => new Date((await eva.budget()).resets_at * 1000).toISOString()
  t.match(await spend(), { spent: 10, remaining: 0 })
  t.equal(await endOf(), '2027-03-27T23:00:00.000Z')
  t.match(await eva.ask(), { code: 'BUDGET_EXCEEDED' })
  clock.advance(1800)
  t.match(await eva.budget(), { spent: 0, remaining: 10 })
  t.equal(await endOf(), '2027-03-28T22:00:00.000Z', 'the day of the change has 23 hours')
  await spend()

  // A change of the zone takes effect after the window, so that nobody gets a second one.
  await own({ timezone: 'America/New_York' })
  t.equal(await endOf(), '2027-03-28T22:00:00.000Z')
  t.match(await eva.ask(), { code: 'BUDGET_EXCEEDED', message: /2027-03-28 18:00 \(America\/New_York\)/ })
  clock.advance(23 * 3600)
  t.match(await eva.budget(), { spent: 0 })
  t.equal(await endOf(), '2027-03-30T04:00:00.000Z', 'the next whole day of New York')
  for (const timezone of ['Mars/Olympus', '+01:00', '', 'x'.repeat(65)])
    t.match(await chat.server.request('PATCH', '/auth/me', { token: eva.token, body: { timezone } }), {
      status: 422,
    })
})

t.test('An account is warned once a window, and administrators of the budget of the server', async (t) => {
  const chat = await startChat(t)
  await addModels(chat)
  const { server, fake } = chat
  const fay = await createAccount('fay', chat)
  await fay.change({ budget: { amount: 1, window: 'day' } })
  await server.call('PUT', '/admin/budget', { budget: { amount: 2, window: 'week' } })
  const open = (token: string) => readEvents(t, `${server.url}/api/events`, { token, headers: {} })
  const [own, admin] = [await open(fay.token), await open(server.admin.token)]
  const isWarning = ({ type }: { type?: unknown }) => type === 'budget.warned'
  const warnings = ({ events }: typeof own) => events.filter(({ event }) => event === 'budget.warned')
  const spend = async (tokens: number) => {
    fake.next(answer(tokens - 1, 1))
    t.match(await fay.ask('shop:cheap'), { type: 'done' })
  }
  await spend(790_000)
  await spend(20_000)
  t.ok(await own.until(isWarning))
  t.match(warnings(own)[0]!.data, {
    scope: 'account',
    window: 'day',
    amount: 1,
    currency: 'USD',
    spent: 0.81,
    resets_at: Number,
  })
  await fay.change({ budget: { amount: 3, window: 'day' } })
  await spend(800_000)
  t.ok(await admin.until(isWarning))
  t.match(warnings(admin)[0]!.data, { scope: 'server', window: 'week', amount: 2, spent: 1.61 })
  await spend(100_000)
  await eventually('the totals are stored', async () => {
    const { body } = await server.request('GET', '/users/fay')
    return body.tokens_used === 1_710_000
  })
  t.equal(warnings(own).length, 1)
})

t.test('The budget of a group holds for each of its members', async (t) => {
  const [jan, kim] = [await createAccount('jan'), await createAccount('kim')]
  const budget = { amount: 0.07, window: 'month' }
  const group = await server.call('POST', '/groups', { name: 'interns', budget })
  for (const name of ['jan', 'kim']) await server.call('PUT', `/groups/${group.id}/members/${name}`)
  fake.next(answer(60, 10))
  t.match(await jan.ask('shop:cheap'), { type: 'done' })
  t.match(await jan.ask(), { code: 'BUDGET_EXCEEDED', details: { scope: 'group', limit: 0.07 } })
  t.match(await kim.budget(), { ...budget, spent: 0, scope: 'group' })
  await kim.change({ budget: { amount: 50, window: 'day' } })
  t.match(await kim.budget(), { amount: 50, window: 'day', scope: 'account' })
})

t.test('A model without a price can be refused', async (t) => {
  const chat = await startChat(t, { config: { plugins: { usage: { unpriced: 'refuse' } } } })
  await addModels(chat)
  const gus = await createAccount('gus', chat)
  t.match(await gus.ask('shop:unpriced'), { code: 'PRICE_UNKNOWN', details: { model: 'shop:unpriced' } })
  t.match(await gus.ask('shop:cheap'), { type: 'done' })
})

t.test('Nobody but an administrator changes their own budget', async (t) => {
  const hal = await server.createUser({ username: 'hal', permissions: ['users'] })
  const ida = await server.createUser({ username: 'ida' })
  const budget = { amount: 5, window: 'day' }
  const patch = (username: string, body: object) =>
    server.request('PATCH', `/users/${username}`, { token: hal.token, body })
  t.match(await patch('hal', { budget }), { status: 403, body: { error: { code: 'FORBIDDEN' } } })
  t.match(await patch('hal', { budget: null, display_name: 'Hal' }), { status: 200 })
  t.match(await patch('ida', { budget, timezone: 'Asia/Tokyo' }), {
    status: 200,
    body: { budget, timezone: 'Asia/Tokyo' },
  })
  t.match(await patch('ida', { budget: { window: 'day', amount: 5 } }), { status: 200 })
  t.match((await server.request('GET', '/auth/me', { token: ida.token })).body, {
    timezone: 'Asia/Tokyo',
    budget: { amount: 5, window: 'day', spent: 0, scope: 'account' },
  })
})
