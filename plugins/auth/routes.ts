import { AppError, objectOf, type Route } from '#kernel'
import { currentUser, loginReply } from '#plugin-api'
import { pageQuery, pageReply, replyWithTag } from '#toolbox'
import { describeUser } from './logins.ts'
import { type Cradle, route } from './manifest.ts'
import { loginBody, ownAccount, passwordChangeBody, profileBody, sessionRow } from './schemas.ts'
import { SESSION } from './scopes.ts'

const logIn = route({
  method: 'POST',
  path: '/auth/login',
  operation_id: 'logIn',
  summary: 'Log in with username and password',
  guard: 'public',
  body: loginBody,
  response: { 200: loginReply },
  errors: ['AUTH_FAILED', 'LOGIN_LOCKED', 'SIGN_INS_LIMITED', 'LOGIN_BUSY', 'PASSWORD_CHECKS_BUSY'],
  audit: 'auth.login',
}).handle(({ body, ip, headers, identify }, { logins }) => {
  identify(body.username.toLowerCase())
  return logins.logIn(body.username, body.password, { ip, user_agent: userAgentIn(headers) })
})

const logOut = route({
  method: 'POST',
  path: '/auth/logout',
  operation_id: 'logOut',
  summary: 'Log out: end the session of the token',
  guard: 'user',
  scope: SESSION,
  response: { 204: null },
  audit: 'auth.logout',
}).handle(async ({ caller }, { sessions }) => {
  await sessions.end(caller.id, caller.session_id)
})

const getMe = route({
  method: 'GET',
  path: '/auth/me',
  operation_id: 'getOwnAccount',
  summary: 'Get your account, and its limits on this server',
  guard: 'user',
  response: { 200: ownAccount },
  etag: true,
}).handle(async ({ caller }, { users, permissionCatalog, limits }) => {
  const [user, states] = await Promise.all([users.find(caller.id), limits.describe(caller.id)])
  if (!user) throw new AppError('AUTH_FAILED')
  const row = { ...describeUser(user, permissionCatalog), limits: states }
  return replyWithTag(200, row, users.tagOf(user))
})

const updateMe = route({
  method: 'PATCH',
  path: '/auth/me',
  operation_id: 'updateOwnAccount',
  summary: 'Change the name, language or email address of your account',
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
  return replyWithTag(200, describeUser(changed, permissionCatalog), users.tagOf(changed))
})

const changePassword = route({
  method: 'POST',
  path: '/auth/change-password',
  operation_id: 'changePassword',
  summary: 'Change your password and end your other sessions',
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
  summary: 'List your live sessions, newest first',
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
  guard: 'user',
  scope: SESSION,
  response: { 204: null },
  errors: ['NOT_FOUND'],
  audit: 'auth.end_session',
}).handle(async ({ params, caller }, { sessions }) => {
  if (!(await sessions.end(caller.id, params.id!))) throw new AppError('NOT_FOUND')
})

const userAgentIn = (headers: Readonly<Record<string, string | string[] | undefined>>): string | null =>
  headers['user-agent']?.toString() ?? null

/** The routes of signing in and of the caller's own account. */
export const authRoutes: Route<Cradle>[] = [
  logIn,
  logOut,
  getMe,
  updateMe,
  changePassword,
  listSessions,
  endSession,
]
