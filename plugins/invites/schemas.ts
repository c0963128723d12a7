import { nullable, objectOf, rowOf } from '#kernel'

const time = { type: 'integer', description: 'Unix seconds' } as const
const username = { type: 'string', minLength: 1, maxLength: 64 } as const
/** Longer than a code, so that a mistyped code is reported as unknown instead of malformed. */
const code = { type: 'string', minLength: 1, maxLength: 64, writeOnly: true } as const

export const newInvite = objectOf({
  expires_in_days: { type: 'integer', minimum: 1, maximum: 90, default: 7 },
  note: nullable({ type: 'string', maxLength: 200 }),
  permissions: {
    type: 'array',
    items: { type: 'string', maxLength: 64 },
    maxItems: 100,
    uniqueItems: true,
    default: [],
  },
})

const fields = {
  id: { type: 'string' },
  invite_id: { type: 'string', description: 'The same as id' },
  note: nullable({ type: 'string' }),
  created_by: { type: 'string', description: 'A username' },
  created_at: time,
  expires_at: time,
  used_at: nullable(time),
  used_by: nullable({ type: 'string', description: 'A username; also null if the account was deleted' }),
  revoked_at: nullable(time),
  status: { enum: ['pending', 'used', 'expired', 'revoked'] },
  permissions: { type: 'array', items: { type: 'string' } },
} as const

export const inviteRow = { title: 'Invite', ...rowOf(fields) } as const

export const inviteRows = { type: 'array', items: inviteRow } as const

/** The only reply that contains the code. */
export const createdInvite = {
  title: 'CreatedInvite',
  ...rowOf({
    ...fields,
    code: { type: 'string' },
    invite_url: nullable({ type: 'string', description: 'Null if no public URL is configured' }),
  }),
} as const

export const validation = rowOf({ code })

export const validInvite = rowOf({ ok: { const: true }, expires_at: time })

export const redemption = rowOf(
  {
    code,
    username,
    password: { type: 'string', minLength: 1, maxLength: 200, writeOnly: true },
    display_name: nullable({ type: 'string', minLength: 1, maxLength: 128 }),
  },
  ['display_name'],
)
