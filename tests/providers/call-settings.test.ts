import type { ModelCallOptions, ProviderConnection, ProviderKind } from '#plugin-api'
import { createFakeCompatible } from '../../plugin-api/testing/fake-compatible.ts'
import type { FakeVendor } from '../../plugin-api/testing/fake-vendor.ts'
import anthropic from '../../providers/anthropic/index.ts'
import azure from '../../providers/azure-openai/index.ts'
import bedrock from '../../providers/bedrock/index.ts'
import demo from '../../providers/demo/index.ts'
import google from '../../providers/google/index.ts'
import ollama from '../../providers/ollama/index.ts'
import openai from '../../providers/openai/index.ts'
import compatible from '../../providers/openai-compatible/index.ts'
import t from '../run/file-test.ts'
import { createFakeAnthropic } from '../support/fake-anthropic.ts'
import { createFakeBedrock } from '../support/fake-bedrock.ts'
import { createFakeGoogle } from '../support/fake-google.ts'
import { createFakeOllama } from '../support/fake-ollama.ts'
import { createFakeOpenAIResponses } from '../support/fake-openai-responses.ts'
import { callModel, connectionTo, hello, readParts, startFake } from '../support/model-calls.ts'

const KEY = 'sk-0123456789abcdef0123456789abcdef'
const region = 'us-east-1'

const openaiModels = [
  ...['gpt-5-mini', 'gpt-5.1', 'gpt-5-pro', 'gpt-5-codex', 'gpt-6-luna', 'gpt-6', 'o4-mini', 'thinker'].map(
    (id) => ({
      id,
      isReasoning: true,
    }),
  ),
  { id: 'gpt-4.1' },
  { id: 'prod' },
]

const fakes: Record<string, () => Promise<FakeVendor>> = {
  openai: () => createFakeOpenAIResponses({ key: KEY, models: openaiModels }),
  'azure-openai': () => createFakeOpenAIResponses({ key: KEY, flavour: 'azure', models: openaiModels }),
  'openai-compatible': () => createFakeCompatible({ apiKey: KEY, models: ['fake-model'] }),
  anthropic: () => createFakeAnthropic({ apiKey: KEY }),
  google: () => createFakeGoogle({ key: KEY }),
  bedrock: () => createFakeBedrock({ api_key: KEY, region }),
  ollama: () => createFakeOllama({ key: KEY }),
}

type Call = Partial<ModelCallOptions>

/** A model, what a call asks of it, and what of that the upstream is sent. */
type Case = [
  model: string,
  call: Call,
  sent: object,
  more?: { options?: object; base_url?: string; unknown?: boolean },
]

const chance = { temperature: 0.3, topP: 0.9 }
const all: Call = { ...chance, maxOutputTokens: 20_000 }
const level = (reasoning: Call['reasoning'], more: Call = all): Call => ({ ...more, reasoning })

/** The fake of a kind does not have the model: only the request counts. */
const unknown = { unknown: true }

function testKind(
  kind: ProviderKind,
  cases: Case[],
  read: (body: FakeVendor['requests'][number]['body']) => object,
): void {
  t.test(`what a call asks for reaches ${kind.kind}, except what a model refuses`, async (t) => {
    const fake = await startFake(t, fakes[kind.kind]!())
    for (const [model, call, sent, { options = {}, base_url = fake.url, unknown = false } = {}] of cases) {
      let body: FakeVendor['requests'][number]['body']
      const connection: ProviderConnection = connectionTo(base_url, {
        api_key: KEY,
        options: { ...(kind === bedrock && { region }), ...options },
        fetch: (input, init) => {
          body = JSON.parse(String(init?.body))
          return unknown ? Promise.resolve(Response.json({}, { status: 500 })) : fetch(input, init)
        },
      })
      const opened = await kind.languageModel!(connection, model)
      const { error } = await readParts(opened, { ...hello, ...call } as ModelCallOptions)
      const what = `${model}, ${JSON.stringify({ ...call, ...options })}`
      if (!unknown) t.equal(error, undefined, what)
      t.match(read(body), sent, what)
    }
  })
}

const off = { temperature: undefined, top_p: undefined }
const on = { temperature: 0.3, top_p: 0.9 }

const readResponses = ({ temperature, top_p, max_output_tokens, reasoning }: Record<string, object>) => ({
  temperature,
  top_p,
  max_output_tokens,
  reasoning,
})

testKind(
  openai,
  [
    ['gpt-4.1', level('high'), { ...on, max_output_tokens: 20_000, reasoning: undefined }],
    ['gpt-4.1', {}, { ...off, max_output_tokens: undefined, reasoning: undefined }],
    ['gpt-4.1', { maxOutputTokens: 3 }, { max_output_tokens: 16 }],
    ['gpt-5-mini', all, { ...off, max_output_tokens: 20_000, reasoning: undefined }],
    ['gpt-5-mini', level('high'), { ...off, reasoning: { effort: 'high' } }],
    ['gpt-5-mini', level('off'), { ...off, reasoning: { effort: 'minimal' } }],
    ['gpt-5-mini', level('low'), { reasoning: { effort: 'low' } }, { options: { reasoning_effort: 'high' } }],
    ['gpt-5-mini', all, { reasoning: { effort: 'high' } }, { options: { reasoning_effort: 'high' } }],
    ['o4-mini', level('off'), { ...off, reasoning: { effort: 'low' } }],
    ['gpt-5.1', level('off'), { ...on, reasoning: { effort: 'none' } }],
    ['gpt-5.1', level('medium'), { ...off, reasoning: { effort: 'medium' } }],
    ['gpt-5-codex', level('off'), { reasoning: { effort: 'low' } }],
    ['gpt-5-pro', level('low'), { ...off, reasoning: undefined }],
    ['gpt-6', level('off'), { ...off, reasoning: { effort: 'low' } }],
    ['gpt-6-luna', level('off'), { ...off, reasoning: { effort: 'none' } }],
  ],
  readResponses,
)

testKind(
  azure,
  [
    ['gpt-4.1', level('high'), { ...on, max_output_tokens: 20_000, reasoning: undefined }],
    ['gpt-5-mini', level('low'), { ...off, max_output_tokens: 20_000, reasoning: { effort: 'low' } }],
    ['thinker', level('high'), { ...off, reasoning: { effort: 'high' } }],
    ['prod', level('off'), { ...on, reasoning: undefined }],
    ['prod', all, { ...on, reasoning: undefined }],
  ],
  readResponses,
)

const atOpenAI = { base_url: 'https://api.openai.com/v1', ...unknown }

testKind(
  compatible,
  [
    ['fake-model', all, { ...on, max_tokens: 20_000, reasoning_effort: undefined }],
    ['fake-model', level('medium'), { ...on, reasoning_effort: 'medium' }],
    ['fake-model', level('off'), { ...on, reasoning_effort: 'none' }],
    [
      'gpt-4.1',
      level('high'),
      { ...on, max_completion_tokens: 20_000, reasoning_effort: undefined },
      atOpenAI,
    ],
    ['gpt-5-mini', level('high'), { ...off, reasoning_effort: 'high' }, atOpenAI],
    ['gpt-5-mini', level('off'), { ...off, reasoning_effort: 'minimal' }, atOpenAI],
    ['gpt-5-mini', all, { ...off, reasoning_effort: undefined }, atOpenAI],
  ],
  ({ temperature, top_p, max_tokens, max_completion_tokens, reasoning_effort }) => ({
    temperature,
    top_p,
    max_tokens,
    max_completion_tokens,
    reasoning_effort,
  }),
)

const budget = (budget_tokens: number) => ({ type: 'enabled', budget_tokens })
const adaptive = { type: 'adaptive', display: 'summarized' }
const thinks = { options: { thinking: true, thinking_budget: 5000, effort: 'max' } }

testKind(
  anthropic,
  [
    // These models accept one of the two sampling settings, and neither together with thoughts.
    [
      'claude-haiku-4-5-20251001',
      all,
      { temperature: 0.3, top_p: undefined, max_tokens: 20_000, thinking: undefined },
    ],
    ['claude-haiku-4-5-20251001', { temperature: 1.5 }, { temperature: 1 }],
    ['claude-haiku-4-5-20251001', { topP: 0.9 }, { top_p: 0.9 }],
    ['claude-haiku-4-5-20251001', level('low'), { ...off, max_tokens: 20_000, thinking: budget(2048) }],
    ['claude-haiku-4-5-20251001', level('medium'), { thinking: budget(8192) }],
    ['claude-haiku-4-5-20251001', level('high'), { max_tokens: 20_000, thinking: budget(10_000) }],
    ['claude-haiku-4-5-20251001', level('high', { maxOutputTokens: 64_000 }), { thinking: budget(24_576) }],
    [
      'claude-haiku-4-5-20251001',
      level('high', { maxOutputTokens: 900 }),
      { max_tokens: 900, thinking: undefined },
    ],
    ['claude-haiku-4-5-20251001', level('off'), { temperature: 0.3, thinking: undefined }, thinks],
    ['claude-haiku-4-5-20251001', level('low'), { thinking: budget(2048) }, thinks],
    ['claude-haiku-4-5-20251001', all, { thinking: budget(5000) }, thinks],
    [
      'claude-opus-4-8',
      level('low'),
      { ...off, max_tokens: 20_000, thinking: adaptive, output_config: { effort: 'low' } },
    ],
    ['claude-opus-4-8', level('high'), { thinking: adaptive, output_config: { effort: 'high' } }, thinks],
    ['claude-opus-4-8', level('off'), { ...off, thinking: { type: 'disabled' }, output_config: undefined }],
    ['claude-opus-4-8', all, { ...off, thinking: undefined }],
    ['claude-opus-4-6', all, { temperature: 0.3, top_p: undefined }, unknown],
    ['claude-3-5-sonnet-20241022', level('high'), { temperature: 0.3, thinking: undefined }, unknown],
    ['MiniMax-M2', level('medium'), { thinking: budget(8192) }, unknown],
    ['MiniMax-M2', level('off'), { ...on, thinking: { type: 'disabled' } }, unknown],
  ],
  ({ temperature, top_p, max_tokens, thinking, output_config }) => ({
    temperature,
    top_p,
    max_tokens,
    thinking,
    output_config,
  }),
)

const haiku = 'us.anthropic.claude-haiku-4-5-20251001-v1:0'
const opus = 'us.anthropic.claude-opus-4-6-v1'

testKind(
  bedrock,
  [
    [haiku, all, { temperature: 0.3, topP: undefined, maxTokens: 20_000, fields: undefined }],
    [
      haiku,
      level('medium'),
      { temperature: undefined, maxTokens: 20_000, fields: { thinking: budget(8192) } },
    ],
    [haiku, level('high', { maxOutputTokens: 900 }), { maxTokens: 900, fields: undefined }],
    [haiku, level('off'), { temperature: 0.3, fields: undefined }, thinks],
    [opus, all, { temperature: 0.3, topP: undefined }],
    [
      opus,
      level('low'),
      {
        temperature: undefined,
        topP: undefined,
        fields: { thinking: adaptive, output_config: { effort: 'low' } },
      },
    ],
    [opus, level('off'), { fields: { thinking: { type: 'disabled' } } }],
    ['anthropic.claude-opus-4-8', level('off'), { temperature: undefined, topP: undefined }, unknown],
    [
      'amazon.nova-lite-v1:0',
      level('high'),
      { temperature: 0.3, topP: 0.9, maxTokens: 20_000, fields: undefined },
    ],
    [
      'openai.gpt-oss-120b-1:0',
      level('high'),
      { temperature: 0.3, fields: { reasoning_effort: 'high' } },
      unknown,
    ],
    ['openai.gpt-oss-120b-1:0', level('off'), { fields: { reasoning_effort: 'low' } }, unknown],
  ],
  ({ inferenceConfig: { temperature, topP, maxTokens }, additionalModelRequestFields: fields }) => ({
    temperature,
    topP,
    maxTokens,
    fields,
  }),
)

const thoughts = (thinkingConfig: object) => ({
  thinkingConfig: { includeThoughts: true, ...thinkingConfig },
})

testKind(
  google,
  [
    ['gemini-2.0-flash', level('high'), { ...chance, maxOutputTokens: 20_000, thinkingConfig: undefined }],
    ['gemini-2.5-flash', level('low'), { ...chance, ...thoughts({ thinkingBudget: 1024 }) }],
    ['gemini-2.5-flash', level('high'), thoughts({ thinkingBudget: 10_000 })],
    ['gemini-2.5-flash', level('high', {}), thoughts({ thinkingBudget: 24_576 })],
    ['gemini-2.5-flash', level('high', { maxOutputTokens: 500 }), { thinkingConfig: { thinkingBudget: 0 } }],
    ['gemini-2.5-flash', level('off'), { thinkingConfig: { thinkingBudget: 0 } }],
    ['gemini-2.5-pro', level('off'), { thinkingConfig: { thinkingBudget: 128 } }, unknown],
    ['gemini-3.5-flash', level('medium'), { ...chance, ...thoughts({ thinkingLevel: 'medium' }) }],
    ['gemini-3.5-flash', level('off'), { thinkingConfig: { thinkingLevel: 'minimal' } }],
    [
      'gemini-3.5-flash',
      level('low'),
      thoughts({ thinkingLevel: 'low' }),
      { options: { thinking_level: 'high' } },
    ],
    ['gemini-3-pro-preview', level('medium'), thoughts({ thinkingLevel: 'high' }), unknown],
    ['gemini-3.1-pro-preview', level('medium'), thoughts({ thinkingLevel: 'medium' }), unknown],
    ['gemini-3-pro-preview', level('off'), { thinkingConfig: { thinkingLevel: 'low' } }, unknown],
  ],
  ({ generationConfig: { temperature, topP, maxOutputTokens, thinkingConfig } }) => ({
    temperature,
    topP,
    maxOutputTokens,
    thinkingConfig,
  }),
)

testKind(
  ollama,
  [
    ['qwen3-vl:8b', all, { ...on, num_predict: 20_000, think: undefined }],
    ['qwen3-vl:8b', level('low'), { ...on, think: true }],
    ['qwen3-vl:8b', level('off'), { think: false }, { options: { think: true } }],
    ['qwen3-vl:8b', all, { think: true }, { options: { think: true } }],
    ['gpt-oss:20b', level('medium'), { think: 'medium' }, unknown],
    ['gpt-oss:20b', level('off'), { think: 'low' }, unknown],
  ],
  ({ think, options: { temperature, top_p, num_predict } }) => ({ think, temperature, top_p, num_predict }),
)

t.test('the demonstration heeds the limit and ignores the rest', async (t) => {
  const model = await demo.languageModel(connectionTo(undefined, { options: { delay_ms: 0 } }), 'demo')
  const say = async (call: Call) =>
    (await callModel(model, { ...hello, ...call } as ModelCallOptions)).content
  t.strictSame(await say(level('high')), await say({}))
  t.notSame(await say({ maxOutputTokens: 2 }), await say({}))
})
