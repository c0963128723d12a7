import { nullable, objectOf, rowOf } from '#kernel'

const id = { type: 'string', minLength: 1, maxLength: 200, pattern: '^[^\\s\\p{Cc}]+$' } as const
const name = { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' } as const
const input = {
  type: 'array',
  items: { enum: ['text', 'image', 'audio'] },
  uniqueItems: true,
  maxItems: 3,
} as const
const tokens = { type: 'integer', minimum: 1, maximum: 100_000_000 } as const
const time = { type: 'integer' } as const
const options = { type: 'object', maxProperties: 64 } as const

/** An address that cannot contain a secret: credentials and queries are refused before they are stored or logged. */
export const baseUrl = {
  type: 'string',
  format: 'url',
  pattern: '^https?://[^/?#@]+(/[^?#]*)?$',
  maxLength: 2048,
} as const

const modelEntry = objectOf(
  {
    id,
    name: { type: 'string', minLength: 1, maxLength: 200 },
    enabled: { type: 'boolean' },
    embedding: { type: 'boolean' },
    context_window: nullable(tokens),
    max_output_tokens: nullable(tokens),
    input: { ...input, minItems: 1 },
    reasoning: { type: 'boolean' },
  },
  ['id'],
)

const providerFields = {
  base_url: nullable(baseUrl),
  api_key: nullable({ type: 'string', minLength: 1, maxLength: 4096, pattern: '^[\\x21-\\x7e]+$' } as const),
  models: { type: 'array', items: modelEntry, maxItems: 500 },
  // Some options are secrets; only the kind knows which.
  options: { ...options, writeOnly: true },
  max_concurrency: nullable({ type: 'integer', minimum: 1, maximum: 10_000 } as const),
  enabled: { type: 'boolean' },
} as const

const secretFields = { ...providerFields, api_key: { ...providerFields.api_key, writeOnly: true } } as const

const kindName = { type: 'string', minLength: 1, maxLength: 64 } as const

export const newProvider = objectOf({ name, kind: kindName, ...secretFields }, ['name', 'kind'])

export const providerChanges = objectOf({ name, ...secretFields })

export const listedModel = rowOf({
  id: { type: 'string' },
  name: { type: 'string' },
  enabled: { type: 'boolean' },
  embedding: { type: 'boolean' },
  context_window: nullable(tokens),
  max_output_tokens: nullable(tokens),
  input,
  reasoning: { type: 'boolean' },
})

export const providerRow = {
  title: 'Provider',
  ...rowOf({
    id: { type: 'string' },
    name: { type: 'string' },
    kind: { type: 'string' },
    scope: { enum: ['user', 'global'] },
    owner: nullable({ type: 'string' } as const),
    base_url: nullable({ type: 'string' } as const),
    has_api_key: { type: 'boolean' },
    models: { type: 'array', items: listedModel },
    options,
    max_concurrency: nullable({ type: 'integer' } as const),
    enabled: { type: 'boolean' },
    created_at: time,
    updated_at: time,
  }),
} as const

export const kindRow = {
  title: 'ProviderKind',
  ...rowOf({
    kind: { type: 'string' },
    label: { type: 'string' },
    config_schema: { type: 'object' },
    embedding: { type: 'boolean' },
    default_base_url: nullable({ type: 'string' } as const),
  }),
} as const

export const modelRow = {
  title: 'Model',
  ...rowOf({
    id: { type: 'string' },
    provider: { type: 'string' },
    model: { type: 'string' },
    name: { type: 'string' },
    kind: { type: 'string' },
    context_window: nullable({ type: 'integer' } as const),
    max_output_tokens: nullable({ type: 'integer' } as const),
    input,
    reasoning: { type: 'boolean' },
  }),
} as const

const reference = { type: 'string', minLength: 3, maxLength: 300 } as const

export const activeModel = objectOf(
  {
    model: nullable({ type: 'string' } as const),
    disabled_model: {
      type: 'string',
      description: 'The chosen model if it cannot be used, because its provider is disabled or lacks it',
    },
  },
  ['model'],
)

export const activeModelChoice = rowOf({ model: reference })

export const probeRequest = objectOf({ model_id: id, embedding: { type: 'boolean' } })

export const providerDraft = objectOf({ name, kind: kindName, ...secretFields, ...probeRequest.properties }, [
  'kind',
])

const success = rowOf({
  ok: { const: true },
  latency_ms: { type: 'integer', minimum: 0 },
  model: { type: 'string' },
})

const refusal = rowOf(
  {
    ok: { const: false },
    reason: {
      enum: [
        'auth',
        'quota',
        'rate_limit',
        'outage',
        'timeout',
        'unreachable',
        'model_not_found',
        'bad_request',
        'unknown',
      ],
    },
    detail: { type: 'string' },
    status: { type: 'integer' },
  },
  ['status'],
)

export const probeResult = { title: 'ProviderTest', anyOf: [success, refusal] } as const

const models = {
  type: 'array',
  items: listedModel,
  description: 'The models that the upstream lists; empty if it cannot list them',
} as const

export const draftResult = {
  title: 'ProviderDraftTest',
  anyOf: [rowOf({ ...success.properties, models }), rowOf({ ...refusal.properties, models }, ['status'])],
} as const
