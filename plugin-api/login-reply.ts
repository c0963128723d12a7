import { LOCALES, nullable, objectOf, type TypeOf } from '#kernel'

/** An account as its own user sees it. */
export const currentUser = {
  title: 'CurrentUser',
  ...objectOf(
    {
      id: { type: 'string' },
      username: { type: 'string' },
      role: { enum: ['user', 'admin'] },
      display_name: nullable({ type: 'string' }),
      email: nullable({ type: 'string' }),
      locale: nullable({ enum: LOCALES }),
      permissions: { type: 'array', items: { type: 'string' } },
      must_change_password: { type: 'boolean' },
    },
    ['id', 'username', 'role', 'display_name', 'email', 'locale', 'permissions', 'must_change_password'],
  ),
} as const

/** The reply to every successful sign-in: what `logins.open` of the plugin `auth` resolves to. */
export const loginReply = {
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

/** The reply to a sign-in. */
export type LoginReply = TypeOf<typeof loginReply>
