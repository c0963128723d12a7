import { cookieWish, nullable, objectOf, rowOf } from '#plugin-api'

const time = { type: 'integer', description: 'Unix seconds' } as const
const username = { type: 'string', minLength: 1, maxLength: 64, examples: ['ada'] } as const
const CODE = 'Yk1oQ2xT0vEw8mZr5uHnJ3aKpXsD7fGb'
/** Longer than a code, so that a mistyped code is reported as unknown instead of malformed. */
const code = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  writeOnly: true,
  examples: [CODE],
} as const

export const newInvite = objectOf({
  expires_in_days: {
    type: 'integer',
    minimum: 1,
    maximum: 90,
    default: 7,
    description: 'Days for which the code works',
    examples: [7],
  },
  note: {
    ...nullable({ type: 'string', maxLength: 200 }),
    description: 'For account managers; the invited person does not see it',
    examples: ['For Ada'],
  },
  permissions: {
    type: 'array',
    items: { type: 'string', maxLength: 64 },
    maxItems: 100,
    uniqueItems: true,
    default: [],
    description: 'Granted to the new account, as far as the creator of the invite still holds them then',
    examples: [['channels']],
  },
  groups: {
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 64 },
    maxItems: 100,
    uniqueItems: true,
    default: [],
    description:
      'Ids or names of groups that the new account joins, if the creator of the invite still holds their permissions then',
    examples: [['Sales']],
  },
})

const fields = {
  id: { type: 'string' },
  invite_id: { type: 'string', description: 'The same as id' },
  note: nullable({ type: 'string', examples: ['For Ada'] }),
  created_by: { type: 'string', description: 'A username', examples: ['admin'] },
  created_at: time,
  expires_at: { ...time, examples: [1_767_830_400] },
  used_at: { ...nullable(time), description: 'Unix seconds; null if it was not used', examples: [null] },
  used_by: {
    ...nullable({ type: 'string' }),
    description: 'A username; also null if the account was deleted',
    examples: [null],
  },
  revoked_at: {
    ...nullable(time),
    description: 'Unix seconds; null if it was not revoked',
    examples: [null],
  },
  status: { title: 'InviteStatus', enum: ['pending', 'used', 'expired', 'revoked'] },
  permissions: { type: 'array', items: { type: 'string' }, examples: [['channels']] },
  groups: {
    type: 'array',
    items: rowOf({ id: { type: 'string' }, name: { type: 'string', examples: ['Sales'] } }),
    description: 'The groups that the new account joins, without those that were deleted',
  },
} as const

/** The path of an invite. */
export const inviteParams = rowOf({ invite_id: { type: 'string', description: 'The `id` of an invite' } })

export const inviteRow = { title: 'Invite', ...rowOf(fields) } as const

export const inviteRows = { type: 'array', items: inviteRow } as const

/** The only reply that contains the code. */
export const createdInvite = {
  title: 'CreatedInvite',
  ...rowOf({
    ...fields,
    code: { type: 'string', description: 'Shown only here', examples: [CODE] },
    invite_url: {
      ...nullable({ type: 'string' }),
      description: 'For the invited person; null if no public URL is configured',
      examples: [`https://agents.example.com/invite?code=${CODE}`],
    },
    invite_path: {
      type: 'string',
      description: 'The page of this server that the invited person opens, without the address of the server',
      examples: [`/invite?code=${CODE}`],
    },
  }),
} as const

export const validation = rowOf({ code })

export const validInvite = {
  title: 'ValidInvite',
  ...rowOf({ ok: { const: true }, expires_at: fields.expires_at }),
} as const

export const redemption = rowOf(
  {
    code,
    username,
    password: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      writeOnly: true,
      description: '8 to 200 characters with a letter and a digit; common passwords are refused',
      examples: ['correct horse battery staple 7'],
    },
    display_name: {
      ...nullable({ type: 'string', minLength: 1, maxLength: 128 }),
      examples: ['Ada Lovelace'],
    },
    cookie: cookieWish,
  },
  ['display_name', 'cookie'],
)
