import {
  AppError,
  currentUser,
  loginReply,
  objectOf,
  pageQuery,
  pageReply,
  type Route,
  reply,
  replyWithTag,
} from '#plugin-api'
import { describeUser } from './logins.ts'
import { type Cradle, route } from './manifest.ts'
import {
  loginBody,
  ownAccount,
  passwordChangeBody,
  profileBody,
  sessionParams,
  sessionRow,
} from './schemas.ts'
import { SESSION } from './scopes.ts'

const logIn = route({
  method: 'POST',
  path: '/auth/login',
  operation_id: 'logIn',
  summary: 'Log in with username and password',
  description:
    'Opens a session and returns its access token; send it as `Authorization: Bearer <token>` with every further call. An account with a second factor needs a `code` as well: without one, the answer is `TOTP_REQUIRED`. Sessions with `required_actions` are refused everything else until these are done. Too many wrong passwords or codes lock the account for a while, and too many from one address are refused. If the account has more live sessions than its limit allows, the oldest one ends.',
  guard: 'public',
  body: loginBody,
  response: { 200: loginReply },
  errors: [
    'AUTH_FAILED',
    'SECOND_FACTOR_MISSING',
    'SECOND_FACTOR_WRONG',
    'LOGIN_LOCKED',
    'SIGN_INS_LIMITED',
    'LOGIN_BUSY',
    'PASSWORD_CHECKS_BUSY',
  ],
  audit: 'auth.login',
}).handle((request, { logins }) => {
  request.identify(request.body.username.toLowerCase())
  return logins.logIn(request)
})

const refresh = route({
  method: 'POST',
  path: '/auth/refresh',
  operation_id: 'refreshSession',
  summary: 'Continue a session by its cookie',
  description:
    'For pages of this server: takes the cookie that a sign-in with `cookie` has set, and returns the same as a login, with a new cookie in place of the old one. The header `X-Requested-With` is required. An old cookie works for another minute; used later, it ends its session.',
  guard: 'public',
  response: { 200: loginReply },
  errors: ['AUTH_FAILED', 'REFRESH_CROSS_SITE'],
  audit: { none: 'It continues a session, whose sign-in is audited.' },
}).handle(({ headers }, { logins }) => logins.refresh(headers))

const logOut = route({
  method: 'POST',
  path: '/auth/logout',
  operation_id: 'logOut',
  summary: 'Log out',
  description:
    'Ends the session of the token that the request carries: the token stops working at once, and the WebSockets of the session are closed; its cookie, if it has one, is removed. Other sessions of the account stay.',
  guard: 'user',
  scope: SESSION,
  response: { 204: null },
  audit: 'auth.logout',
}).handle(async ({ caller, headers }, { sessions, refreshTokens }) => {
  const session = await sessions.find(caller.session_id)
  await sessions.end(caller.id, caller.session_id)
  return reply(204, undefined, refreshTokens.clear(session, headers))
})

const getMe = route({
  method: 'GET',
  path: '/auth/me',
  operation_id: 'getOwnAccount',
  summary: 'Get your account',
  description:
    'Returns the profile of the caller with its permissions, every limit of this server with what the account has used of it, and the state of its budget. Unlike most calls, it also works while the password must be changed.',
  guard: 'user',
  response: { 200: ownAccount },
  etag: true,
}).handle(async ({ caller }, { users, permissionCatalog, limits, extensions }) => {
  const [user, states] = await Promise.all([users.findRecent(caller.id), limits.describe(caller.id)])
  if (!user) throw new AppError('AUTH_FAILED')
  const [budget = null] = await extensions['auth.budgets'].ask({ account: user })
  const row = {
    ...describeUser(user, permissionCatalog, caller.required_actions ?? []),
    limits: states,
    budget,
  }
  return replyWithTag(200, row, users.tagOf(user))
})

const updateMe = route({
  method: 'PATCH',
  path: '/auth/me',
  operation_id: 'updateOwnAccount',
  summary: 'Update your profile',
  description:
    'Changes the display name, language, time zone or email address, or switches memory off or on; fields that are left out keep their values, and null clears a field. The language decides in which language messages are written if a request has no `Accept-Language`.',
  guard: 'user',
  scope: SESSION,
  body: profileBody,
  response: { 200: currentUser },
  etag: true,
  audit: 'auth.update_profile',
}).handle(async (request, { users, permissionCatalog }) => {
  const { body, caller } = request
  const user = await users.find(caller.id)
  if (!user) throw new AppError('AUTH_FAILED')
  const changed = await users.update(caller.id, body, users.requireUnchanged(request, user))
  return replyWithTag(200, describeUser(changed, permissionCatalog, []), users.tagOf(changed))
})

const changePassword = route({
  method: 'POST',
  path: '/auth/change-password',
  operation_id: 'changePassword',
  summary: 'Change your password',
  description:
    'Replaces the password after the old one was checked, and ends all other sessions of the account; the session of this request stays. A wrong old password counts as a failed login.',
  guard: 'user',
  scope: SESSION,
  body: passwordChangeBody,
  response: { 204: null },
  errors: [
    'PASSWORD_SAME_AS_OLD',
    'PASSWORD_TOO_WEAK',
    'LOGIN_LOCKED',
    'SIGN_INS_LIMITED',
    'LOGIN_BUSY',
    'PASSWORD_CHECKS_BUSY',
  ],
  audit: 'auth.change_password',
}).handle(async ({ body, caller, ip }, { passwordChanges }) => {
  await passwordChanges.change(caller, { ...body, ip })
})

const listSessions = route({
  method: 'GET',
  path: '/auth/sessions',
  operation_id: 'listSessions',
  summary: 'List your sessions',
  description:
    'Lists the live sessions of the account, the newest first. `current` marks the session of this request.',
  guard: 'user',
  query: objectOf(pageQuery),
  response: { 200: { type: 'array', items: sessionRow } },
}).handle(async ({ caller, query }, { sessions }) => {
  const { rows, next } = await sessions.list(caller.id, query)
  const shown = rows.map(({ _id: id, created_at, expires_at, ip, user_agent }) => {
    return { id, created_at, expires_at, ip, user_agent, current: id === caller.session_id }
  })
  return pageReply(query, { rows: shown, next })
})

const endSession = route({
  method: 'DELETE',
  path: '/auth/sessions/:id',
  operation_id: 'endSession',
  summary: 'End one of your sessions',
  description:
    'The token of the session stops working at once, and its WebSockets are closed. Ending the session of this request is the same as logging out.',
  guard: 'user',
  scope: SESSION,
  params: sessionParams,
  response: { 204: null },
  errors: ['NOT_FOUND'],
  audit: 'auth.end_session',
}).handle(async ({ params: { id }, caller, headers }, { sessions, refreshTokens }) => {
  const own = id === caller.session_id ? await sessions.find(caller.session_id) : null
  if (!(await sessions.end(caller.id, id))) throw new AppError('NOT_FOUND')
  return reply(204, undefined, refreshTokens.clear(own, headers))
})

/** The routes of signing in and of the caller's own account. */
export const authRoutes: Route<Cradle>[] = [
  logIn,
  refresh,
  logOut,
  getMe,
  updateMe,
  changePassword,
  listSessions,
  endSession,
]
