import { AppError, type Route, reply } from '#kernel'
import { loginReply } from '#plugin-api'
import { dropState } from './attempt-cookie.ts'
import { departureErrors, sendAway } from './departure-reply.ts'
import { refusalCode, refuseAt } from './entries.ts'
import { type Cradle, route } from './manifest.ts'
import { SIGN_IN } from './returns.ts'
import { callbackQuery, exchangeBody, oidcStartBody, startBody, started } from './schemas.ts'
import type { EntryName } from './types.ts'

const start = route({
  method: 'POST',
  path: '/auth/oauth/start',
  summary: 'Begin to sign in with another service',
  guard: 'public',
  body: startBody,
  response: { 200: started },
  errors: departureErrors('oauth'),
  audit: { none: 'The return from the other service is audited.' },
}).handle((request, cradle) => sendAway({ entry: 'oauth', ...request.body }, request, cradle))

const startOidc = route({
  method: 'POST',
  path: '/auth/oidc/start',
  summary: 'Begin to sign in with OpenID Connect',
  guard: 'public',
  body: oidcStartBody,
  response: { 200: started },
  errors: departureErrors('oidc'),
  audit: { none: 'The return from the other service is audited.' },
}).handle((request, cradle) => sendAway({ entry: 'oidc', kind: 'oidc', ...request.body }, request, cradle))

/** Always sends the browser on to the console, and says nothing where it came from. */
const receive = (entry: EntryName) =>
  route({
    method: 'GET',
    path: `/auth/${entry}/callback`,
    summary: 'Come back from the service; leads on to the console with a code or an error',
    guard: 'public',
    query: callbackQuery,
    response: { 302: null },
    errors: ['RATE_LIMITED'],
  }).handle(
    async ({ query, headers, ip, request_id, signal }, { callLimit, signInReturns, ssoAddresses }) => {
      await callLimit.consume('sso callback', ip, 'many')
      const cookies = headers.cookie?.toString()
      const location = await signInReturns.receive({ entry, query, cookies, ip, request_id }, signal)
      const { state } = query
      return reply(302, undefined, {
        Location: location,
        'Referrer-Policy': 'no-referrer',
        'Cache-Control': 'no-store',
        ...(typeof state === 'string' && { 'Set-Cookie': dropState(state, ssoAddresses.isSecure) }),
      })
    },
  )

const exchange = (entry: EntryName) =>
  route({
    method: 'POST',
    path: `/auth/${entry}/exchange`,
    summary: 'Fetch a sign-in with the code that came with it, within a minute',
    guard: 'public',
    body: exchangeBody,
    response: { 200: loginReply },
    errors: [refusalCode(entry, 'CODE_INVALID'), 'USER_DISABLED', 'AUTH_FAILED', 'RATE_LIMITED'],
    audit: SIGN_IN,
  }).handle(async ({ body, ip, headers, identify }, { callLimit, signInCodes, users, logins }) => {
    await callLimit.consume('sso exchange', ip, 'many')
    const redeemed = await signInCodes.redeem(body.code, body.state)
    const user = redeemed && (await users.find(redeemed.user_id))
    if (!user?.identities?.some(({ key }) => key === redeemed?.identity_key))
      throw refuseAt(entry, 'CODE_INVALID')
    identify(user.username)
    if (!user.enabled) throw new AppError('USER_DISABLED')
    return logins.open(user, { ip, user_agent: headers['user-agent']?.toString() ?? null }, 'sso')
  })

/** What people sign in with, under both names. */
export const entryRoutes: Route<Cradle>[] = [
  start,
  receive('oauth'),
  exchange('oauth'),
  startOidc,
  receive('oidc'),
  exchange('oidc'),
]
