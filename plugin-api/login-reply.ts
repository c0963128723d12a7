import { LOCALES, nullable, rowOf, type TypeOf } from '#kernel'

/** An account as its own user sees it. */
export const currentUser = {
  title: 'CurrentUser',
  ...rowOf({
    id: { type: 'string' },
    username: { type: 'string' },
    role: { enum: ['user', 'admin'] },
    display_name: nullable({ type: 'string' }),
    email: nullable({ type: 'string' }),
    locale: nullable({ enum: LOCALES }),
    permissions: { type: 'array', items: { type: 'string' } },
    must_change_password: { type: 'boolean' },
  }),
} as const

/** The reply to every successful sign-in: what `logins.open` of the plugin `auth` resolves to. */
export const loginReply = {
  title: 'Login',
  ...rowOf({
    access_token: { type: 'string' },
    token_type: { const: 'Bearer' },
    expires_in: { type: 'integer', description: 'Seconds' },
    user: currentUser,
  }),
} as const

/** The reply to a sign-in. */
export type LoginReply = TypeOf<typeof loginReply>
