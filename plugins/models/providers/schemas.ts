import {
  MODEL_INPUTS,
  MODEL_KINDS,
  managedRow,
  nullable,
  objectOf,
  PROVIDER_FAILURES,
  pageQuery,
  rowOf,
} from '#plugin-api'
import { price, priceEntry } from './price-schemas.ts'

const id = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\s\\p{Cc}]+$',
  examples: ['gpt-5'],
} as const
const name = {
  type: 'string',
  pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
  description: 'Begins the names of its models: `<name>:<model>`',
  examples: ['openai'],
} as const
const modelKind = { title: 'ModelKind', enum: MODEL_KINDS } as const
const model_kind = { ...modelKind, description: 'What the model is for', examples: ['chat'] } as const
const inputs = {
  type: 'array',
  items: { title: 'ModelInput', enum: MODEL_INPUTS },
  uniqueItems: true,
  maxItems: MODEL_INPUTS.length,
} as const
const input = {
  ...nullable(inputs),
  description: 'What the model reads; null if unknown',
  examples: [['text', 'image']],
} as const
const tokens = { type: 'integer', minimum: 1, maximum: 100_000_000 } as const
const context_window = {
  ...nullable(tokens),
  description: 'The tokens that the model reads and writes at most in one call; null if unknown',
  examples: [400_000],
} as const
const max_output_tokens = {
  ...nullable(tokens),
  description: 'The tokens of the longest answer; null if unknown',
  examples: [128_000],
} as const
const tools = {
  ...nullable({ type: 'boolean' } as const),
  description: 'True if the model calls tools; null if unknown',
  examples: [true],
} as const
const reasoning = {
  ...nullable({ type: 'boolean' } as const),
  description: 'True if the model can think before it answers; null if unknown',
  examples: [true],
} as const
const embedding = {
  type: 'boolean',
  description: 'True if `model_kind` is `embedding`',
  examples: [false],
} as const
const time = { type: 'integer', description: 'Unix seconds' } as const
const options = {
  type: 'object',
  maxProperties: 64,
  description: 'By the `config_schema` of the kind',
} as const

/** The path of a provider. */
export const providerParams = rowOf({ id: { type: 'string', description: 'The id of a provider' } })

/** An address that cannot contain a secret: credentials and queries are refused before they are stored or logged. */
export const baseUrl = {
  type: 'string',
  format: 'url',
  pattern: '^https?://[^/?#@]+(/[^?#]*)?$',
  maxLength: 2048,
  examples: ['https://api.openai.com/v1'],
} as const

const modelEntry = objectOf(
  {
    id,
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'By default the id',
      examples: ['GPT-5'],
    },
    enabled: { type: 'boolean', description: 'False to hide the model; true by default' },
    model_kind: { ...modelKind, description: 'What the model is for; `chat` by default' },
    embedding: { type: 'boolean', description: 'True for `embedding`, if there is no `model_kind`' },
    context_window,
    max_output_tokens: { ...nullable(tokens), description: max_output_tokens.description },
    input: { ...input, ...nullable({ ...inputs, minItems: 1 } as const) },
    tools,
    reasoning,
    price: { ...priceEntry, description: 'By default what is known of the model' },
  },
  ['id'],
)

const providerFields = {
  base_url: {
    ...nullable(baseUrl),
    description: 'Null for the address of the kind',
    examples: baseUrl.examples,
  },
  api_key: {
    ...nullable({ type: 'string', minLength: 1, maxLength: 4096, pattern: '^[\\x21-\\x7e]+$' } as const),
    description: 'Stored encrypted',
    examples: ['sk-example-0123456789'],
  },
  models: {
    type: 'array',
    items: modelEntry,
    maxItems: 500,
    description: 'The models to offer; if empty, those that the provider lists',
    examples: [[{ id: 'gpt-5', name: 'GPT-5' }]],
  },
  // Some options are secrets; only the kind knows which.
  options: { ...options, writeOnly: true },
  max_concurrency: {
    ...nullable({ type: 'integer', minimum: 1, maximum: 10_000 } as const),
    description: 'The most calls at a time, of each server process; null for no limit',
  },
  enabled: { type: 'boolean', description: 'False if its models cannot be used' },
} as const

const secretFields = { ...providerFields, api_key: { ...providerFields.api_key, writeOnly: true } } as const

const kindName = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'One of `GET /providers/kinds`',
  examples: ['openai'],
} as const

export const newProvider = objectOf({ name, kind: kindName, ...secretFields }, ['name', 'kind'])

export const providerChanges = objectOf({
  name,
  ...secretFields,
  learned: { type: 'array', maxItems: 0, description: 'An empty list forgets what was learned' },
})

export const listedModel = {
  title: 'ProviderModel',
  ...rowOf(
    {
      id: { type: 'string', examples: ['gpt-5'] },
      name: { type: 'string', examples: ['GPT-5'] },
      enabled: { type: 'boolean' },
      embedding,
      model_kind,
      context_window,
      max_output_tokens,
      input,
      tools,
      reasoning,
      price,
    },
    ['price'],
  ),
} as const

export const providerRow = {
  title: 'Provider',
  ...rowOf({
    id: { type: 'string' },
    name: { type: 'string', examples: ['openai'] },
    kind: { type: 'string', examples: ['openai'] },
    scope: {
      title: 'Scope',
      enum: ['user', 'global'],
      description:
        '`user`: of one account; `global`: of the server, for all accounts or those with whom it is shared',
    },
    owner: {
      ...nullable({ type: 'string' } as const),
      description: 'A username; null for a global provider',
      examples: ['ada'],
    },
    can_edit: { type: 'boolean', description: 'True if the caller may change it' },
    base_url: {
      ...nullable({ type: 'string' } as const),
      description: 'Null for the address of the kind; of a global provider, administrators alone see it',
      examples: [null],
    },
    has_api_key: { type: 'boolean' },
    models: {
      type: 'array',
      items: listedModel,
      description: 'As they were entered; empty if those that the provider lists are offered',
    },
    options: {
      ...options,
      description: 'Without secret options; of a global provider, administrators alone see them',
      examples: [{}],
    },
    max_concurrency: {
      ...nullable({ type: 'integer' } as const),
      description: 'The most calls at a time, of each server process; null for no limit',
      examples: [null],
    },
    enabled: { type: 'boolean' },
    learned: {
      type: 'array',
      items: {
        title: 'LearnedChanges',
        ...rowOf({
          model: { type: 'string', examples: ['gpt-5'] },
          changes: {
            type: 'array',
            items: rowOf({
              name: { type: 'string', examples: ['without_pictures'] },
              label: { type: 'string', examples: ['Pictures are left out'] },
            }),
          },
        }),
      },
      description: 'How calls are changed, by model, because the provider refused them as they were',
      examples: [[]],
    },
    ...managedRow,
    created_at: time,
    updated_at: time,
  }),
} as const

/** A provider of the server. */
export const globalProviderRow = {
  ...providerRow,
  examples: [
    {
      id: '01KDVMF00000000000000000AG',
      name: 'openai',
      kind: 'openai',
      scope: 'global',
      owner: null,
      can_edit: false,
      base_url: null,
      has_api_key: true,
      models: [],
      options: {},
      max_concurrency: 32,
      enabled: true,
      learned: [],
      managed_by: null,
      managed_file: null,
      created_at: 1_767_225_600,
      updated_at: 1_767_225_600,
    },
  ],
} as const

export const kindRow = {
  title: 'ProviderKind',
  ...rowOf({
    kind: { type: 'string', examples: ['openai'] },
    label: { type: 'string', examples: ['OpenAI'] },
    config_schema: {
      type: 'object',
      description: 'The JSON Schema of the `options`; secrets are writeOnly',
      examples: [{ type: 'object', properties: { organization: { type: 'string' } } }],
    },
    embedding: { type: 'boolean', description: 'True if the kind offers embedding models' },
    model_kinds: {
      type: 'array',
      items: modelKind,
      description: 'The kinds of models that it offers',
      examples: [['chat', 'embedding']],
    },
    default_base_url: {
      ...nullable({ type: 'string' } as const),
      description: 'Null if the kind has no address of its own',
      examples: ['https://api.openai.com/v1'],
    },
  }),
} as const

export const modelRow = {
  title: 'Model',
  ...rowOf({
    id: { type: 'string', description: '`<provider>:<model>`', examples: ['openai:gpt-5'] },
    provider: { type: 'string', description: 'The name of the provider', examples: ['openai'] },
    model: { type: 'string', description: 'The id of the model at the provider', examples: ['gpt-5'] },
    name: { type: 'string', examples: ['GPT-5'] },
    kind: { type: 'string', description: 'The kind of the provider', examples: ['openai'] },
    model_kind,
    context_window: { ...context_window, ...nullable({ type: 'integer' } as const) },
    max_output_tokens: { ...max_output_tokens, ...nullable({ type: 'integer' } as const) },
    input,
    tools,
    reasoning,
    price,
  }),
} as const

export const modelQuery = objectOf({
  kind: {
    title: 'ListedModelKind',
    enum: [...MODEL_KINDS, 'any'],
    default: 'chat',
    description: 'The models that are for this; `any` for all',
  },
  q: {
    type: 'string',
    maxLength: 200,
    description: 'Only models whose id, name or provider has each of these words, in upper or lower case',
    examples: ['gpt mini'],
  },
  ...pageQuery,
})

/** A model of a provider, as agents name it. */
export const reference = {
  type: 'string',
  minLength: 3,
  maxLength: 300,
  description: 'As `<provider>:<model>`',
  examples: ['openai:gpt-5'],
} as const

export const activeModel = {
  title: 'ActiveModel',
  examples: [{ model: 'openai:gpt-5' }],
  ...objectOf(
    {
      model: {
        ...nullable({ type: 'string' } as const),
        description: 'As `<provider>:<model>`; null if no model can be used',
        examples: ['openai:gpt-5'],
      },
      disabled_model: {
        type: 'string',
        description: 'The chosen model if it cannot be used, because its provider is disabled or lacks it',
        examples: ['openai:gpt-4.1'],
      },
    },
    ['model'],
  ),
} as const

export const activeModelChoice = rowOf({ model: reference })

export const probeRequest = objectOf({
  model_id: { ...id, description: 'The model to test; by default any suitable one' },
  model_kind: { ...modelKind, description: 'The kind of the model; by default that of its entry or its id' },
  embedding: { type: 'boolean', description: 'True for the `model_kind` `embedding`' },
})

export const providerDraft = objectOf({ name, kind: kindName, ...secretFields, ...probeRequest.properties }, [
  'kind',
])

const success = rowOf(
  {
    ok: { const: true },
    latency_ms: { type: 'integer', minimum: 0, description: 'Milliseconds', examples: [640] },
    model: { type: 'string', description: 'The model that answered', examples: ['gpt-5'] },
    note: {
      type: 'string',
      description: 'Something that the test does not prove, for a person',
      examples: ['Pictures cost money, so the test drew none.'],
    },
  },
  ['note'],
)

const refusal = rowOf(
  {
    ok: { const: false },
    reason: { title: 'ProviderFailure', enum: PROVIDER_FAILURES },
    detail: { type: 'string', description: 'Advice for a person', examples: ['The key is not valid.'] },
    status: {
      type: 'integer',
      description: 'The HTTP status of the provider, if it answered',
      examples: [401],
    },
  },
  ['status'],
)

export const probeResult = {
  title: 'ProviderTest',
  anyOf: [
    { title: 'ProviderTestSuccess', ...success },
    { title: 'ProviderTestFailure', ...refusal },
  ],
} as const

const models = {
  type: 'array',
  items: listedModel,
  description: 'The models that the upstream lists; empty if it cannot list them',
} as const

export const draftResult = {
  title: 'ProviderDraftTest',
  anyOf: [
    { title: 'ProviderDraftSuccess', ...rowOf({ ...success.properties, models }, ['note']) },
    { title: 'ProviderDraftFailure', ...rowOf({ ...refusal.properties, models }, ['status']) },
  ],
} as const
