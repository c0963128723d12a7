import { languageTag, limitStates, nullable, objectOf, rowOf } from '#kernel'
import { currentUser } from '#plugin-api'

/** Accepts every password that the account store's rules accept. */
const password = { type: 'string', minLength: 1, maxLength: 200, writeOnly: true } as const
const time = { type: 'integer', description: 'Unix seconds' } as const

export const loginBody = rowOf({ username: { type: 'string', minLength: 1, maxLength: 64 }, password })

export const passwordChangeBody = rowOf({ old_password: password, new_password: password })

export const profileBody = objectOf({
  display_name: nullable({ type: 'string', minLength: 1, maxLength: 128 }),
  locale: nullable(languageTag),
  email: nullable({ type: 'string', format: 'email', maxLength: 254 }),
})

/** The reply of GET /auth/me. */
export const ownAccount = {
  title: 'OwnAccount',
  ...rowOf({ ...currentUser.properties, limits: limitStates }),
} as const

export const sessionRow = {
  title: 'Session',
  ...rowOf({
    id: { type: 'string' },
    created_at: time,
    expires_at: time,
    ip: { type: 'string' },
    user_agent: nullable({ type: 'string' }),
    current: { type: 'boolean' },
  }),
} as const
