import { setTimeout as pause } from 'node:timers/promises'
import { createFakeCompatible } from '../../../plugin-api/testing/fake-compatible.ts'
import type { FakeVendor } from '../../../plugin-api/testing/fake-vendor.ts'
import t from '../../run/file-test.ts'
import { chatUrl, connectChat, textOf } from '../../support/chat.ts'
import { createFakeAnthropic } from '../../support/fake-anthropic.ts'
import { ADAPTIVE_MODEL } from '../../support/fake-anthropic-rules.ts'
import { createFakeBedrock } from '../../support/fake-bedrock.ts'
import { createFakeGoogle } from '../../support/fake-google.ts'
import { createFakeOllama } from '../../support/fake-ollama.ts'
import { createFakeOpenAIResponses } from '../../support/fake-openai-responses.ts'
import { startServer } from '../../support/server.ts'

const KEY = 'sk-canary-0123456789abcdef'

interface Setting {
  startFake(): Promise<FakeVendor>
  model: string
  options?: object
  /** True if the kind has a model that embeds. */
  embeds: boolean
}

const openaiModels = [
  { id: 'gpt-5-mini', isReasoning: true },
  { id: 'text-embedding-3-small', isEmbedding: true },
]

const settings: Record<string, Setting> = {
  openai: {
    startFake: () => createFakeOpenAIResponses({ key: KEY, models: openaiModels }),
    model: 'gpt-5-mini',
    options: { reasoning_summary: 'auto' },
    embeds: true,
  },
  'azure-openai': {
    startFake: () => createFakeOpenAIResponses({ key: KEY, flavour: 'azure', models: openaiModels }),
    model: 'gpt-5-mini',
    options: { reasoning_summary: 'auto' },
    embeds: true,
  },
  anthropic: {
    startFake: () => createFakeAnthropic({ apiKey: KEY }),
    model: ADAPTIVE_MODEL,
    options: { thinking: true },
    embeds: false,
  },
  bedrock: {
    startFake: () => createFakeBedrock({ api_key: KEY, region: 'us-east-1' }),
    model: 'us.anthropic.claude-opus-4-6-v1',
    options: { region: 'us-east-1', thinking: true },
    embeds: true,
  },
  google: { startFake: () => createFakeGoogle({ key: KEY }), model: 'gemini-3.5-flash', embeds: true },
  ollama: { startFake: () => createFakeOllama({ key: KEY }), model: 'qwen3-vl:8b', embeds: true },
  'openai-compatible': {
    startFake: () => createFakeCompatible({ apiKey: KEY, models: ['fake-model', 'text-embedding-fake'] }),
    model: 'fake-model',
    embeds: true,
  },
}

const usage = { input: 120, cached: 40, output: 30, reasoning: 0 }

const server = await startServer(t)
const [assistant] = (await server.request('GET', '/agents')).body
const { body: kinds } = await server.request('GET', '/providers/kinds')

t.test('every kind that calls a vendor is tested here', async (t) => {
  const others = kinds.map(({ kind }: { kind: string }) => kind).filter((kind: string) => kind !== 'demo')
  t.strictSame(others.sort(), Object.keys(settings).sort())
})

for (const [kind, { startFake, model, options, embeds }] of Object.entries(settings))
  t.test(`an agent works with a provider of kind ${kind}, from its address to its last word`, async (t) => {
    const fake = await startFake()
    t.teardown(() => fake.close())
    const body = { name: kind, kind, base_url: fake.url, api_key: KEY, ...(options && { options }) }
    const made = await server.request('POST', '/admin/providers', { body })
    t.match(made, { status: 201, body: { has_api_key: true } })
    const test = async (body: object = {}, language = 'en') =>
      (
        await server.request('POST', `/providers/${made.body.id}/test`, {
          body,
          headers: { 'accept-language': language },
        })
      ).body
    t.match(await test({ model_id: model }), { ok: true, model, latency_ms: Number })
    t.match(
      await test({ embedding: true }),
      embeds ? { ok: true } : { ok: false, detail: /do not offer such models/ },
    )

    const reference = `${kind}:${model}`
    const list = async () => (await server.request('GET', '/models')).body.map(({ id }: { id: string }) => id)
    while (!(await list()).includes(reference)) await pause(10)
    const { status } = await server.request('PUT', '/models/active', { body: { model: reference } })
    t.equal(status, 200)

    fake.queue(
      {
        reasoning: ['Let me', ' look.'],
        usage,
        toolCalls: [
          { id: 'call_one', name: 'ls', input: { path: '.' } },
          { id: 'call_two', name: 'read_file', input: { path: 'missing.txt' } },
        ],
      },
      { text: ['All', ' seen.'], usage },
    )
    const socket = await connectChat(t, chatUrl(server.url, assistant.id, server.admin.token))
    const { frames, end } = await socket.ask({ text: 'What is there?' })
    t.match(end, { type: 'done', stop_reason: 'end' }, JSON.stringify(end))
    t.equal(textOf(frames, 'reasoning'), 'Let me look.')
    t.equal(textOf(frames), 'All seen.')
    t.strictSame(
      frames
        .filter(({ type }) => type === 'tool_result')
        .map(({ name, is_error }) => [name, is_error])
        .sort(),
      [
        ['ls', false],
        ['read_file', true],
      ],
    )
    t.match(end.usage, {
      input_tokens: 240,
      output_tokens: 60,
      ...(kind !== 'ollama' && { cached_input_tokens: 80 }),
    })

    fake.queue({ refusal: 'outage' }, { text: ['Here again.'] })
    const { thread_id } = end
    const next = await socket.ask({ thread_id, text: 'And now?' })
    t.match(next.end, { type: 'done' }, JSON.stringify(next.end))
    t.equal(textOf(next.frames), 'Here again.', 'a passing failure is not noticed')

    const other = { api_key: 'wrong-key-0123456789abcdef' }
    t.equal((await server.request('PATCH', `/admin/providers/${made.body.id}`, { body: other })).status, 200)
    const refused = await test({ model_id: model }, 'zh')
    t.match(refused, { ok: false, reason: 'auth', status: Number, detail: /[一-龥]/ })
    const failed = await socket.ask({ thread_id, text: 'And with that key?' })
    t.match(failed.end, { type: 'error', code: 'MODEL_AUTH_FAILED', details: { guidance: String } })
    for (const secret of [KEY, other.api_key])
      t.notMatch(JSON.stringify([refused, failed.end, server.logged()]), secret)
  })
