import {
  budgetState,
  cookieWish,
  currentUser,
  languageTag,
  limitStates,
  nullable,
  objectOf,
  rowOf,
  timeZone,
} from '#plugin-api'

/** Accepts every password that the account store's rules accept. */
const password = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  writeOnly: true,
  examples: ['correct horse battery staple 7'],
} as const
const time = { type: 'integer', description: 'Unix seconds' } as const

export const loginBody = rowOf(
  {
    username: { type: 'string', minLength: 1, maxLength: 64, description: 'In any case', examples: ['ada'] },
    password,
    code: {
      type: 'string',
      minLength: 1,
      maxLength: 64,
      writeOnly: true,
      description: 'For accounts with a second factor: the code of the authenticator app, or a recovery code',
      examples: ['492039'],
    },
    cookie: cookieWish,
  },
  ['code', 'cookie'],
)

export const passwordChangeBody = rowOf({
  old_password: password,
  new_password: {
    ...password,
    description: '8 to 200 characters with a letter and a digit; common passwords are refused',
    examples: ['violet umbrella quartz meadow 4'],
  },
})

export const profileBody = objectOf({
  display_name: { ...nullable({ type: 'string', minLength: 1, maxLength: 128 }), examples: ['Ada Lovelace'] },
  locale: { ...nullable(languageTag), examples: ['en'] },
  timezone: {
    ...nullable(timeZone),
    description: 'The zone in which your budget begins anew; null for that of the server',
  },
  email: {
    ...nullable({ type: 'string', format: 'email', maxLength: 254 }),
    examples: ['ada@example.com'],
  },
  memory: {
    type: 'boolean',
    description: 'False to let agents remember nothing about you; what they remember already is kept',
    examples: [false],
  },
})

/** The reply of GET /auth/me. */
export const ownAccount = {
  title: 'OwnAccount',
  ...rowOf(
    {
      ...currentUser.properties,
      limits: limitStates,
      budget: { ...nullable(budgetState), description: 'The state of your budget; null without one' },
    },
    ['required_actions'],
  ),
} as const

/** The path of DELETE /auth/sessions/:id. */
export const sessionParams = rowOf({ id: { type: 'string', description: 'The id of a session of your own' } })

export const sessionRow = {
  title: 'Session',
  ...rowOf({
    id: { type: 'string' },
    created_at: time,
    expires_at: { ...time, examples: [1_767_312_000] },
    ip: { type: 'string', description: 'The address that signed in', examples: ['203.0.113.7'] },
    user_agent: nullable({ type: 'string', examples: ['Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'] }),
    current: { type: 'boolean', description: 'True for the session of this request' },
  }),
} as const
