import { LOCALES, languageTag, limitStates, nullable, objectOf } from '#kernel'

/** Long enough for every password that the policy takes; the rules themselves are the account store's. */
const password = { type: 'string', minLength: 1, maxLength: 200, writeOnly: true } as const
const time = { type: 'integer', description: 'Unix seconds' } as const
/** As it is stored. */
const locale = nullable({ enum: LOCALES })
const wantedLocale = nullable(languageTag)

export const loginBody = objectOf({ username: { type: 'string', minLength: 1, maxLength: 64 }, password }, [
  'username',
  'password',
])

export const passwordChangeBody = objectOf({ old_password: password, new_password: password }, [
  'old_password',
  'new_password',
])

export const profileBody = objectOf({
  display_name: nullable({ type: 'string', minLength: 1, maxLength: 128 }),
  locale: wantedLocale,
  email: nullable({ type: 'string', format: 'email', maxLength: 254 }),
})

/** The account as its own user sees it. */
export const currentUser = {
  title: 'CurrentUser',
  ...objectOf(
    {
      id: { type: 'string' },
      username: { type: 'string' },
      role: { enum: ['user', 'admin'] },
      display_name: nullable({ type: 'string' }),
      email: nullable({ type: 'string' }),
      locale,
      permissions: { type: 'array', items: { type: 'string' } },
      must_change_password: { type: 'boolean' },
    },
    ['id', 'username', 'role', 'display_name', 'email', 'locale', 'permissions', 'must_change_password'],
  ),
} as const

/** GET /auth/me. */
export const ownAccount = {
  title: 'OwnAccount',
  ...objectOf({ ...currentUser.properties, limits: limitStates }, [...currentUser.required, 'limits']),
} as const

/** What every way of signing in answers. */
export const loginAnswer = {
  title: 'Login',
  ...objectOf(
    {
      access_token: { type: 'string' },
      token_type: { const: 'Bearer' },
      expires_in: { type: 'integer', description: 'Seconds' },
      user: currentUser,
    },
    ['access_token', 'token_type', 'expires_in', 'user'],
  ),
} as const

export const sessionRow = {
  title: 'Session',
  ...objectOf(
    {
      id: { type: 'string' },
      created_at: time,
      expires_at: time,
      ip: { type: 'string' },
      user_agent: nullable({ type: 'string' }),
      current: { type: 'boolean' },
    },
    ['id', 'created_at', 'expires_at', 'ip', 'user_agent', 'current'],
  ),
} as const
