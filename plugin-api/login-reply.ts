import { localeName, nullable, rowOf, type TypeOf } from '#kernel'

/** An account as its own user sees it. */
export const currentUser = {
  title: 'CurrentUser',
  ...rowOf(
    {
      id: { type: 'string' },
      username: { type: 'string', examples: ['ada'] },
      role: { title: 'Role', enum: ['user', 'admin'] },
      display_name: nullable({ type: 'string', examples: ['Ada Lovelace'] }),
      email: nullable({ type: 'string', examples: ['ada@example.com'] }),
      locale: {
        ...nullable(localeName),
        description: 'The language of messages; null if `Accept-Language` alone decides',
      },
      timezone: {
        ...nullable({ type: 'string', examples: ['Europe/Berlin'] }),
        description: 'The zone in which its budget begins anew; null for that of the server',
      },
      memory: {
        type: 'boolean',
        description: 'False if agents remember nothing about the account',
        examples: [true],
      },
      permissions: {
        type: 'array',
        items: { type: 'string' },
        description: 'Keys of permissions; an administrator has all of them',
        examples: [['channels', 'skill_packages']],
      },
      must_change_password: {
        type: 'boolean',
        description: 'True if all other calls are refused until the password has been changed',
        examples: [false],
      },
      required_actions: {
        type: 'array',
        items: { type: 'string' },
        description:
          'What this session must do before all other calls are accepted: `set_up_totp` or `verify_totp`; missing if nothing',
        examples: [['set_up_totp']],
      },
    },
    ['required_actions'],
  ),
} as const

/** The field of a sign-in with which a browser asks for a cookie. */
export const cookieWish = {
  type: 'boolean',
  description:
    'True for a page that stays signed in: the reply also sets a cookie for `POST /auth/refresh`, which scripts cannot read',
  examples: [true],
} as const

/** The reply to every successful sign-in: what `logins.open` of the plugin `auth` resolves to. */
export const loginReply = {
  title: 'Login',
  ...rowOf({
    access_token: { type: 'string', examples: ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMUtEVk1GIn0.c2lnbmF0dXJl'] },
    token_type: { const: 'Bearer' },
    expires_in: { type: 'integer', description: 'Seconds', examples: [86_400] },
    user: currentUser,
  }),
} as const

/** The reply to a sign-in. */
export type LoginReply = TypeOf<typeof loginReply>
