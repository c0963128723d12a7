import { AppError, loginReply, type Route, reply } from '#plugin-api'
import { authorizationErrors, replyWithRequest } from './authorization-requests.ts'
import { SIGN_IN } from './callbacks.ts'
import { createRefusal, type EntryPoint, refusalCode } from './errors.ts'
import { type Cradle, route } from './manifest.ts'
import { callbackQuery, exchangeBody, oidcStartBody, startBody, started } from './schemas.ts'
import { clearStateCookie } from './sign-in-state.ts'

const start = route({
  method: 'POST',
  path: '/auth/oauth/start',
  operation_id: 'startSignIn',
  summary: 'Begin to sign in with another service',
  description:
    'Returns the address to which the browser must go, and sets a cookie that ties the attempt to this browser. The service sends the person back to the callback of this server, which redirects to your page with a `code`; exchange it with the `state` of this reply.',
  guard: 'public',
  body: startBody,
  response: { 200: started },
  errors: authorizationErrors('oauth'),
  audit: { none: 'The callback is audited.' },
}).handle((request, cradle) => replyWithRequest({ entry: 'oauth', ...request.body }, request, cradle))

const startOidc = route({
  method: 'POST',
  path: '/auth/oidc/start',
  operation_id: 'startOidcSignIn',
  summary: 'Begin to sign in with OpenID Connect',
  description:
    'Another name of `POST /auth/oauth/start` with the kind `oidc`. Its callback and exchange are below `/auth/oidc`.',
  guard: 'public',
  body: oidcStartBody,
  response: { 200: started },
  errors: authorizationErrors('oidc'),
  audit: { none: 'The callback is audited.' },
}).handle((request, cradle) =>
  replyWithRequest({ entry: 'oidc', kind: 'oidc', ...request.body }, request, cradle),
)

/** Redirects the browser to the console whatever happens; the redirect reveals no referrer. */
const receiveCallback = (entry: EntryPoint) =>
  route({
    method: 'GET',
    path: `/auth/${entry}/callback`,
    operation_id: entry === 'oidc' ? 'receiveOidcCallback' : 'receiveSignInCallback',
    summary: 'Receive the callback of a sign-in',
    description:
      'For browsers that come back from a service, not for clients. It redirects to the console in any case: with a `code` to exchange, or with the reason of the failure. Only the browser that began the attempt is accepted.',
    guard: 'public',
    query: callbackQuery,
    response: { 302: null },
  }).handle(
    async ({ query, headers, ip, request_id, signal }, { callLimit, signInCallbacks, ssoAddresses }) => {
      await callLimit.consume('sso callback', ip, 'many')
      const cookies = headers.cookie?.toString()
      const location = await signInCallbacks.receive({ entry, query, cookies, ip, request_id }, signal)
      const { state } = query
      return reply(302, undefined, {
        Location: location,
        'Referrer-Policy': 'no-referrer',
        'Cache-Control': 'no-store',
        ...(typeof state === 'string' && { 'Set-Cookie': clearStateCookie(state, ssoAddresses.isSecure) }),
      })
    },
  )

const exchangeCode = (entry: EntryPoint) =>
  route({
    method: 'POST',
    path: `/auth/${entry}/exchange`,
    operation_id: entry === 'oidc' ? 'exchangeOidcCode' : 'exchangeSignInCode',
    summary: 'Exchange the code of a sign-in for a token',
    description:
      'Opens a session and returns the same as a login. The code works once and for a minute. Send the `state` of the start as well, so that nobody can make your page complete the sign-in of somebody else.',
    guard: 'public',
    body: exchangeBody,
    response: { 200: loginReply },
    errors: [refusalCode(entry, 'CODE_INVALID'), 'USER_DISABLED', 'AUTH_FAILED'],
    audit: SIGN_IN,
  }).handle(async (request, { callLimit, signInCodes, users, logins }) => {
    const { body, ip } = request
    await callLimit.consume('sso exchange', ip, 'many')
    const redeemed = await signInCodes.redeem(body.code, body.state)
    const user = redeemed && (await users.find(redeemed.user_id))
    if (!user?.identities?.some(({ key }) => key === redeemed?.identity_key))
      throw createRefusal(entry, 'CODE_INVALID')
    request.identify(user.username)
    if (!user.enabled) throw new AppError('USER_DISABLED')
    return logins.signIn(user, request, 'sso')
  })

/** The routes of a sign-in: the three steps of each entry point. */
export const signInRoutes: Route<Cradle>[] = [
  start,
  receiveCallback('oauth'),
  exchangeCode('oauth'),
  startOidc,
  receiveCallback('oidc'),
  exchangeCode('oidc'),
]
