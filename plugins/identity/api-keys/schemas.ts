import { NAME_PATTERN, nullable, objectOf, rowOf } from '#plugin-api'

const MAX_SCOPES = 64
const time = { type: 'integer', description: 'Unix seconds' } as const
const scopes = {
  type: 'array',
  items: { type: 'string', maxLength: 64 },
  minItems: 1,
  maxItems: MAX_SCOPES,
  uniqueItems: true,
  examples: [['chat']],
  description: '`read`, `chat`, `write`, `admin` and names of permissions',
} as const

/** The body of POST /auth/api-keys. */
export const newApiKey = {
  title: 'NewApiKey',
  ...objectOf(
    {
      name: {
        type: 'string',
        minLength: 1,
        maxLength: 64,
        pattern: NAME_PATTERN,
        examples: ['nightly build'],
        description: 'Unique among your keys',
      },
      scopes,
      expires_in_days: {
        type: 'integer',
        minimum: 1,
        maximum: 365,
        examples: [90],
        description: 'Without it, the key never expires',
      },
    },
    ['name', 'scopes'],
  ),
} as const

/** The parameters of the path of a key. */
export const apiKeyParams = rowOf({ id: { type: 'string', description: 'The id of a key of your own' } })

const fields = {
  id: { type: 'string' },
  name: { type: 'string', examples: ['nightly build'] },
  scopes: { type: 'array', items: { type: 'string' }, examples: [['chat']] },
  expires_at: nullable({ ...time, description: 'Unix seconds; null if the key never expires' }),
  created_at: time,
} as const

/** A key with its text, which only the reply to its creation has. */
export const createdApiKey = {
  title: 'CreatedApiKey',
  ...rowOf({
    ...fields,
    key: {
      type: 'string',
      description: 'The bearer token; it is shown only once',
      examples: [`svc_01KDVMF0000000000000000001_${'0123456789abcdef'.repeat(4)}`],
    },
  }),
} as const

/** A key in the list. */
export const apiKeyRow = {
  title: 'ApiKey',
  ...rowOf({
    ...fields,
    last_used_at: nullable({
      ...time,
      description: 'Unix seconds, by the minute; null before the first use',
    }),
  }),
} as const
