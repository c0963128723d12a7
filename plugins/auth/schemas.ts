import { languageTag, limitStates, nullable, objectOf } from '#kernel'
import { currentUser } from '#plugin-api'

/** Accepts every password that the account store's rules accept. */
const password = { type: 'string', minLength: 1, maxLength: 200, writeOnly: true } as const
const time = { type: 'integer', description: 'Unix seconds' } as const

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
  locale: nullable(languageTag),
  email: nullable({ type: 'string', format: 'email', maxLength: 254 }),
})

/** The reply of GET /auth/me. */
export const ownAccount = {
  title: 'OwnAccount',
  ...objectOf({ ...currentUser.properties, limits: limitStates }, [...currentUser.required, 'limits']),
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
