import { cookieWish, loginReply, nullable, type Route, rowOf } from '#plugin-api'
import { type Cradle, route } from './manifest.ts'
import { password } from './schemas.ts'

/** The name under which calls of both routes are counted for each address. */
const CALLS = 'set-password'
const token = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  writeOnly: true,
  description: 'From the address of the link',
  examples: ['Yk1oQ2xT0vEw8mZr5uHnJ3aKpXsD7fGb'],
} as const

const checkLink = route({
  method: 'POST',
  path: '/auth/set-password/validate',
  operation_id: 'validatePasswordLink',
  summary: 'Check a link for a first password',
  description:
    'Tells for which account a link of an import works, and until when, so that a page can ask for the password. Calls are limited for each address.',
  guard: 'public',
  body: rowOf({ token }),
  response: {
    200: {
      title: 'PasswordLink',
      ...rowOf({
        username: { type: 'string', examples: ['ada'] },
        display_name: nullable({ type: 'string', examples: ['Ada Lovelace'] }),
        expires_at: { type: 'integer', description: 'Unix seconds', examples: [1_767_830_400] },
      }),
    },
  },
  errors: ['PASSWORD_LINK_INVALID'],
  audit: { none: 'It changes nothing.' },
}).handle(async ({ body, ip }, { callLimit, passwordLinks }) => {
  await callLimit.consume(CALLS, ip, 'many')
  const { link, user } = await passwordLinks.find(body.token)
  return { username: user.username, display_name: user.display_name, expires_at: link.expires_at }
})

const setPassword = route({
  method: 'POST',
  path: '/auth/set-password',
  operation_id: 'setPassword',
  summary: 'Set the first password of an account',
  description:
    'Sets the password of an account that has none, with the token of its link, opens a session for it, and returns the same as a login. The link works once, for seven days, and ends when the account gets a password in another way.',
  guard: 'public',
  body: rowOf({ token, password, cookie: cookieWish }, ['cookie']),
  response: { 200: loginReply },
  errors: ['PASSWORD_LINK_INVALID', 'PASSWORD_TOO_WEAK', 'PASSWORD_CHECKS_BUSY', 'AUTH_FAILED'],
  audit: 'auth.set_password',
}).handle(async (request, { callLimit, passwordLinks, logins }) => {
  const { body, ip } = request
  await callLimit.consume(CALLS, ip, 'many')
  const { user } = await passwordLinks.find(body.token)
  request.identify(user.username)
  return logins.signIn(await passwordLinks.redeem(body.token, body.password), request, 'invite')
})

/** The routes of links with which people set their first passwords. */
export const passwordLinkRoutes: Route<Cradle>[] = [checkLink, setPassword]
