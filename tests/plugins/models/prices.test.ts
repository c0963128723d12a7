import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { startServer } from '../../support/server.ts'

const { fake, server, connect } = await startChat(t)

await server.call('POST', '/admin/providers', {
  name: 'shop',
  kind: 'openai-compatible',
  base_url: fake.url,
  models: [
    { id: 'gpt-5', name: 'GPT-5', price: { input: 2, output: 10, cache_read: 0.5 } },
    { id: 'vendor/free', price: { input: 0, output: 0 } },
    { id: 'secret' },
    { id: 'foreign', price: { input: 1, output: 1, currency: 'EUR' } },
  ],
})
const { token } = await server.createUser({ username: 'pam' })
const [agent] = (await server.request('GET', '/agents', { token })).body
const socket = await connect({ token, agent_id: agent.id })
const price = (amounts: object) => ({
  input: null,
  output: null,
  cache_read: null,
  cache_write: null,
  ...amounts,
})
const list = async (query: string) => (await server.request('GET', `/admin/prices${query}`)).body
const pathOf = (model: string) => `/admin/prices/${encodeURIComponent(model)}`

const tokens = { prompt_tokens: 1000, completion_tokens: 100 }

/** Asks one question and returns the cost of its answer. */
async function ask(model: string, usage: typeof tokens) {
  fake.next({ text: 'yes', usage })
  const { end, frames } = await socket.ask({ text: 'hello', model })
  t.match(end, { type: 'done' })
  const { usage: spent } = frames.find(({ type }) => type === 'usage')!
  t.strictSame(end.usage.cost, spent.cost)
  return { cost: spent.cost, thread_id: end.thread_id as string }
}

t.test('Administrators see where prices come from, change them, and go back', async (t) => {
  const rows = await list('?q=shop')
  t.match(rows, [
    { model: 'shop:foreign', price: null, source: null },
    {
      model: 'shop:gpt-5',
      name: 'GPT-5',
      price: { input: 2, output: 10, currency: 'USD' },
      source: 'upstream',
    },
    { model: 'shop:secret', price: null, source: null },
    { model: 'shop:vendor/free', price: { input: 0 }, source: 'upstream' },
  ])
  t.equal(rows.length, 4)
  t.equal((await list('?q=shop&limit=2')).length, 2)

  const body = { input: 3, output: 9, as_of: '2026-01-02' }
  t.match(await server.call('PUT', pathOf('gpt-5'), body), {
    model: 'gpt-5',
    price: price({ input: 3, output: 9, currency: 'USD', as_of: '2026-01-02' }),
    source: 'override',
  })
  t.match(await server.call('PUT', pathOf('shop:vendor/free'), { input: 1, output: 2 }), {
    model: 'shop:vendor/free',
    price: { input: 1, as_of: /^\d{4}-\d\d-\d\d$/ },
  })
  t.match(await list('?q=gpt-5'), [
    { model: 'gpt-5', name: null, source: 'override' },
    { model: 'shop:gpt-5', price: { input: 3 }, source: 'override' },
  ])
  await server.call('PUT', pathOf('shop:gpt-5'), { input: 4, output: 1 })
  t.match(await list('?q=shop:gpt-5'), [{ price: { input: 4 }, source: 'override' }], 'the nearer price wins')
  t.match((await server.request('GET', '/models?q=gpt-5', { token })).body, [{ price: { input: 4 } }])

  for (const model of ['shop:gpt-5', 'gpt-5', 'shop:vendor/free'])
    t.match(await server.request('DELETE', pathOf(model)), { status: 204 })
  t.match(await server.request('DELETE', pathOf('gpt-5')), { status: 404 })
  t.strictSame(await list('?q=shop'), rows)
  const { body: audit } = await server.request('GET', '/admin/audit-log?action=price.set')
  t.match(audit.slice(0, 1), [{ action: 'price.set' }])

  for (const bad of [
    { input: -1 },
    { input: 'free' },
    { currency: 'EUR' },
    { as_of: 'today' },
    { per_word: 1 },
  ])
    t.match(await server.request('PUT', pathOf('gpt-5'), { body: bad }), { status: 422 })
  for (const [method, path] of [
    ['GET', '/admin/prices'],
    ['PUT', pathOf('x')],
    ['DELETE', pathOf('x')],
  ])
    t.match(await server.request(method!, path!, { token, ...(method === 'PUT' && { body: {} }) }), {
      status: 403,
    })
})

t.test('An answer shows what it cost, also in history, reports and figures', async (t) => {
  const cached = { ...tokens, prompt_tokens_details: { cached_tokens: 200 } }
  const { cost, thread_id } = await ask('shop:gpt-5', cached)
  t.strictSame(cost, { amount: 0.0027, currency: 'USD' })
  const path = `/agents/${agent.id}/threads/${thread_id}`
  const { body: history } = await server.request('GET', `${path}/history`, { token })
  t.strictSame(history.messages.at(-1).usage.cost, cost)
  const { body: figures } = await server.request('GET', `${path}/trajectory/metrics`, { token })
  t.match(figures, { tokens: { input_tokens: 1000 }, cost })
  t.equal(figures.tokens.cost, undefined)

  fake.next({ text: 'more', usage: tokens })
  await socket.ask({ thread_id, text: 'and?', model: 'shop:secret' })
  const report = async (query: string) =>
    (await server.request('GET', `/usage/summary?${query}`, { token })).body
  t.match(await report(`thread_id=${thread_id}&granularity=by_model`), {
    totals: { model_calls: 2, cost, unpriced_calls: 1, unpriced_tokens: 1100 },
    buckets: [
      { key: 'shop:gpt-5', cost, unpriced_calls: 0 },
      { key: 'shop:secret', cost: null, unpriced_calls: 1 },
    ],
  })
  t.match(await report('thread_id=other'), { totals: { cost: null, model_calls: 0 } })
})

t.test('The cost of a turn is that of its calls with a known price', async (t) => {
  const call = { id: 'c', name: 'write_todos', arguments: { todos: [] } }
  fake.next({ toolCalls: [call], usage: tokens }, { text: 'done', usage: tokens })
  const { end } = await socket.ask({ text: 'plan', model: 'shop:gpt-5' })
  t.strictSame(end.usage.cost, { amount: 0.006, currency: 'USD' })
  t.equal((await ask('shop:secret', tokens)).cost, null)
  t.equal((await ask('shop:foreign', tokens)).cost, null, 'there are no exchange rates')
  t.strictSame((await ask('shop:vendor/free', tokens)).cost, { amount: 0, currency: 'USD' })
})

t.test('A cheap token is not rounded to nothing', async (t) => {
  await server.call('PUT', pathOf('shop:secret'), { input: 0.02, output: 0.02 })
  const { cost } = await ask('shop:secret', { prompt_tokens: 1, completion_tokens: 1 })
  t.strictSame(cost, { amount: 0.00000004, currency: 'USD' })
  await server.call('DELETE', pathOf('shop:secret'))
})

t.test('An upstream that reports the cost of a call is believed within bounds', async (t) => {
  const costOf = async (reported: object) => (await ask('shop:gpt-5', { ...tokens, ...reported })).cost.amount
  t.equal(await costOf({ cost: 0.0123 }), 0.0123)
  t.equal(await costOf({ cost: 0 }), 0)
  t.equal(await costOf({ cost: { total_cost: 0.5 } }), 0.5)
  const own = { is_byok: true, cost: 0.001, cost_details: { upstream_inference_cost: 0.02 } }
  t.equal(await costOf(own), 0.021)
  t.equal(await costOf({ cost: 1e300 }), 100_000)
  for (const cost of [-1, '1', null, [], { total_cost: -2 }]) t.equal(await costOf({ cost }), 0.003)
})

t.test('A price that was set holds in another process within a second or so', async (t) => {
  const other = await startServer(t, { home: server.home })
  const signIn = await other.request('GET', '/admin/prices?q=shop:secret')
  t.match(signIn.body, [{ price: null }])
  await server.call('PUT', pathOf('shop:secret'), { input: 5, output: 5 })
  t.ok(
    await eventually('the other process has the price', async () => {
      const { body } = await other.request('GET', '/admin/prices?q=shop:secret')
      return body[0].price?.input === 5
    }),
  )
})
