import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import t from '../../run/file-test.ts'
import { ROOT } from '../../support/packed.ts'
import { startServer } from '../../support/server.ts'

const server = await startServer(t)

/** A network that is public and sinks what is sent to it (RFC 7535). */
const PUBLIC = 'http://192.31.196.7/v1'
const SONNET = 'claude-sonnet-4-5'
const unknown = {
  context_window: null,
  max_output_tokens: null,
  input: null,
  tools: null,
  reasoning: null,
  price: null,
}

t.test('the catalogs are not loaded for the demonstration', async (t) => {
  const { collections, modelFacts, modelCatalog } = server.server.runtime.cradleOf('providers')
  const demo = await collections.providers.findOne({ name: 'demo' })
  await server.request('GET', '/models')
  const elsewhere = { ...demo!, kind: 'openai' }
  const model = { id: 'gpt-4o', name: 'gpt-4o' }
  t.strictSame(modelFacts.complete(elsewhere, model), model)
  await modelCatalog.list(elsewhere)
  t.match(modelFacts.complete(elsewhere, model), { ...model, context_window: 128_000 })
  t.strictSame(modelFacts.complete(demo!, model), model)
})

let count = 0

/** Enters models at a provider, and returns their rows by the ids of the models. */
async function enter(provider: object, models: object[]) {
  count += 1
  const name = `p${count}`
  await server.call('POST', '/admin/providers', { name, ...provider, models })
  const rows = await server.call('GET', `/models?q=${name}:`)
  return new Map<string, Record<string, unknown>>(rows.map((row: { model: string }) => [row.model, row]))
}

const compatible = (base_url: string) => ({ kind: 'openai-compatible', base_url })

t.test('a well-known model at its vendor has its sizes, its abilities and its price', async (t) => {
  const gpt = await enter({ kind: 'openai' }, [{ id: 'gpt-4o' }, { id: 'o3-mini' }, { id: 'my-own' }])
  t.match(gpt.get('gpt-4o'), {
    context_window: 128_000,
    max_output_tokens: 16_384,
    input: ['text', 'image'],
    tools: true,
    reasoning: null,
    price: {
      input: 2.5,
      output: 10,
      cache_read: 1.25,
      cache_write: null,
      currency: 'USD',
      as_of: /^20\d\d-\d\d-\d\d$/,
    },
  })
  t.match(gpt.get('o3-mini'), { input: ['text'], reasoning: true, context_window: 200_000 })
  t.match(gpt.get('my-own'), unknown)

  const claude = await enter({ kind: 'anthropic' }, [{ id: SONNET }, { id: `${SONNET}-20250929` }])
  for (const row of claude.values())
    t.match(row, {
      context_window: 200_000,
      input: ['text', 'image'],
      tools: true,
      price: { input: 3, output: 15, cache_write: 3.75 },
    })

  const profiles = [
    `us.anthropic.${SONNET}-20250929-v1:0`,
    `arn:aws:bedrock:us-east-1:1:inference-profile/global.anthropic.${SONNET}-20250929-v1:0`,
  ]
  const bedrock = await enter(
    { kind: 'bedrock', options: { region: 'us-east-1' } },
    profiles.map((id) => ({ id })),
  )
  t.match(bedrock.get(profiles[0]!), {
    context_window: 200_000,
    tools: true,
    price: { input: 3.3, output: 16.5 },
  })
  t.match(bedrock.get(profiles[1]!), { context_window: 200_000, price: { input: 3, output: 15 } })

  const google = await enter({ kind: 'google' }, [{ id: 'gemini-2.5-pro' }])
  t.match(google.get('gemini-2.5-pro'), {
    context_window: 1_048_576,
    input: ['text', 'image'],
    reasoning: true,
    price: { input: 1.25, output: 10 },
  })
  const azure = await enter({ kind: 'azure-openai', base_url: 'https://res.openai.azure.com' }, [
    { id: 'gpt-4o' },
    { id: 'Production' },
  ])
  t.match(azure.get('gpt-4o'), { context_window: 128_000, price: { input: 2.5 } })
  t.match(azure.get('Production'), unknown)
})

t.test('a model elsewhere has what is true of it everywhere, and no price', async (t) => {
  const models = [
    { id: 'openai/gpt-4o' },
    { id: 'anthropic/claude-sonnet-4.5' },
    { id: 'deepseek-chat' },
    { id: 'gpt-oss:20b' },
  ]
  for (const base_url of ['http://127.0.0.1:9/v1', PUBLIC]) {
    const rows = await enter(compatible(base_url), models)
    t.match(rows.get('openai/gpt-4o'), { context_window: 128_000, input: ['text', 'image'], price: null })
    t.match(rows.get('anthropic/claude-sonnet-4.5'), { context_window: 200_000, tools: true, price: null })
    for (const id of ['deepseek-chat', 'gpt-oss:20b']) t.match(rows.get(id), unknown, id)
  }
  const vendors = {
    'https://api.deepseek.com': 'deepseek-chat',
    'https://api.moonshot.cn/v1': 'kimi-k2.5',
    'https://open.bigmodel.cn/api/paas/v4': 'glm-4.5v',
    'https://dashscope.aliyuncs.com/compatible-mode/v1': 'qwen-plus',
  }
  for (const [base_url, id] of Object.entries(vendors))
    t.match(
      (await enter(compatible(base_url), [{ id }])).get(id),
      { context_window: Number, tools: true, input: Array },
      base_url,
    )
  const priced = {
    'https://api.groq.com/openai/v1': 'llama-3.3-70b-versatile',
    'https://api.mistral.ai/v1': 'mistral-medium-2508',
    'https://api.x.ai/v1': 'grok-3',
    'https://openrouter.ai/api/v1': 'anthropic/claude-sonnet-4.5',
  }
  for (const [base_url, id] of Object.entries(priced))
    t.match(
      (await enter(compatible(base_url), [{ id }])).get(id),
      { price: { input: Number, output: Number } },
      base_url,
    )
})

t.test('what is not a chat model has a price at most', async (t) => {
  const models = [
    { id: 'text-embedding-3-large', model_kind: 'embedding' },
    { id: 'gpt-4o', model_kind: 'image' },
  ]
  await enter({ kind: 'openai', name: 'mixed' }, models)
  t.match((await server.request('GET', '/models?kind=embedding&q=mixed')).body, [
    { model: 'text-embedding-3-large', input: null, price: { input: 0.13, output: null } },
  ])
  t.match((await server.request('GET', '/models?kind=image&q=mixed')).body, [{ input: null, tools: null }])
})

t.test('what was entered and what the upstream lists wins', async (t) => {
  const entered = {
    context_window: 9000,
    max_output_tokens: 900,
    input: ['text'],
    tools: false,
    reasoning: true,
  }
  const rows = await enter({ kind: 'openai' }, [
    { id: 'gpt-4o', ...entered },
    { id: 'gpt-4.1', context_window: 9000 },
  ])
  t.match(rows.get('gpt-4o'), { ...entered, price: { input: 2.5 } })
  t.match(rows.get('gpt-4.1'), { context_window: 9000, max_output_tokens: null, input: ['text', 'image'] })
})

t.test('a call knows the window of its model, and no limit that the upstream has not named', async (t) => {
  const fake = await createFakeOpenAI({ models: ['gpt-4o', 'local'] })
  t.teardown(() => fake.close())
  await server.request('POST', '/admin/providers', { body: { name: 'gate', ...compatible(fake.url) } })
  const { models } = server.server.runtime.cradleOf('providers')
  for (const id of ['gpt-4o', 'gpt-4o-mini']) {
    const { description } = await models.open([`gate:${id}`], 'nobody')
    t.match(description, { id, context_window: 128_000, input: ['text', 'image'], tools: true })
    t.equal(description.max_output_tokens, undefined)
  }
  const { description } = await models.open(['gate:local'], 'nobody')
  t.match(description, { id: 'local', context_window: undefined, input: undefined, reasoning: undefined })
})

t.test('the date of the prices is that of the installed version', (t) => {
  const { version } = JSON.parse(
    readFileSync(join(ROOT, 'node_modules/@pydantic/genai-prices/package.json'), 'utf8'),
  )
  t.equal(version, '0.1.8', 'set AS_OF in catalog-prices.ts to the day on which this version was published')
  t.end()
})
