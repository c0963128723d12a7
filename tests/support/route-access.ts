import { randomBytes } from 'node:crypto'
import { type PathObjects, pathObjectsOf } from './path-objects.ts'
import type { Make } from './route-bodies.ts'
import type { ServedRoute } from './route-calls.ts'
import type { Account } from './route-cast.ts'

/** The reply to a call: 'ok' is the success status of the route's sample, anything else a status and a code. */
export type Answer = 'ok' | `${number} ${string}`

/** A way to call a route, and the callers with access. */
export interface RouteSample {
  /** Everybody, signed-in users, administrators, or holders of a permission and administrators. */
  who: 'public' | 'user' | 'admin' | (string & {})
  /** The status of success. */
  status: number
  /** The query string. */
  query: string
  on?: PathObjects
  /** The reply to callers with access, if the path names no object and the server of the test refuses the call. */
  refusal?: Answer
  /** The object or caller that the call uses up. */
  spends?: 'caller' | 'object'
  /** True if callers who must change their password may call it. */
  open?: true
  /** The reply to a body that a public route refuses, and the body, if it is not one of invented values. */
  refused?: { answer: Answer; body?: (make: Make) => object }
}

/** The declarations that routes refer to by name. */
export interface Declarations {
  guards: ReadonlyMap<string, { after?: string; errors?: readonly string[] }>
  errors: Readonly<Record<string, { status: number; code?: string }>>
  routes: readonly ServedRoute[]
}

const NOT_FOUND = '404 NOT_FOUND'
const NO_INVITE = '400 INVITE_INVALID'
const NO_PASSWORD_LINK = '410 PASSWORD_LINK_INVALID'
/** Files belong to the owner; a guest sees only files that their threads name. */
const guestSeesNoFile: Exception = {
  answers: Object.fromEntries(
    ['person', 'group', 'everyone'].map((way) => [`use_by_${way}`, [NOT_FOUND, 'ok']]),
  ),
}
const open: Exception = { open: true }
const noKind: Exception = { answers: { missing_in_own: '400 CHANNEL_KIND_UNSUPPORTED' } }

type Exception = Partial<Pick<RouteSample, 'who' | 'status' | 'query' | 'spends' | 'open' | 'refused'>> & {
  answers?: PathObjects['answers']
  /** The reply to callers with access, if the test cannot make the object. */
  ok?: Answer
}

/** The routes about which their declaration says too little, each with what it does not say. */
const EXCEPTIONS: Record<string, Exception> = {
  // Without the header that pages of this server send.
  'POST /auth/refresh': { status: 403 },
  // Sends every browser back to a page, also one that returns without a code.
  'GET /connectors/oauth/callback': { status: 302 },
  // The only routes that an account can use while it must change its password.
  'GET /auth/me': open,
  'PATCH /auth/me': open,
  'POST /auth/logout': { open: true, spends: 'caller' },
  'POST /auth/change-password': { open: true, spends: 'caller' },
  // These end the caller's sessions or take the name of another object.
  'PATCH /users/:id': { spends: 'object' },
  'POST /users/:id/reset-password': { spends: 'object' },
  // Nobody takes over an account by helping it, and nobody shuts themselves out.
  'POST /users/:id/unlock-login': { answers: { stronger: 'ok' } },
  'DELETE /users/:id': { answers: { own: '403 FORBIDDEN' } },
  'DELETE /users/:id/second-factors': { answers: { own: '403 FORBIDDEN' } },
  // These change what later calls need.
  'POST /users/invites/:invite_id/revoke': { spends: 'object', answers: { revoked: '409 INVITE_INVALID' } },
  'POST /agents/:id/stop': { spends: 'object' },
  'POST /agents/:id/transfer': { spends: 'object' },
  'POST /agents/:id/files/move': { spends: 'object' },
  'POST /agents/:id/files/directories': { spends: 'object' },
  'DELETE /agents/:id/files': { spends: 'object' },
  'POST /agents/:id/cron/:job_id/run-now': { spends: 'object' },
  'GET /agents/:id/files/content': guestSeesNoFile,
  'GET /agents/:id/files/document': guestSeesNoFile,
  'GET /agents/:id/files/archive': guestSeesNoFile,
  'POST /agents/:id/files/link': guestSeesNoFile,
  // A link belongs to its recipient and not to an agent.
  'GET /agents/:id/files/linked': {
    query: '?token=forged',
    answers: { other: '403 LINK_INVALID', missing: '403 LINK_INVALID' },
  },
  // A request of another service has a signature instead of a session.
  'POST /hooks/:channel_id': { answers: { enabled: '401 AUTH_FAILED' } },
  'POST /hooks/triggers/:trigger_id': { answers: { enabled: '401 AUTH_FAILED' } },
  // A kind that does not exist is not an object that is missing.
  'POST /agents/:id/channels/:kind/qrcode/generate': noKind,
  'POST /agents/:id/channels/:kind/qrcode/poll': noKind,
  // No call waits for an approval, and no event has this id.
  'GET /agents/:id/chat/hitl/:pending_id/threads/:thread_id/args/:index': { ok: '409 HITL_NOT_PENDING' },
  'GET /agents/:id/threads/:thread_id/trajectory/events/:event_id': { ok: NOT_FOUND },
  // No answer has this id.
  'PUT /agents/:id/threads/:thread_id/messages/:message_id/feedback': { ok: '404 MESSAGE_NOT_FOUND' },
  // The conversation of the test is short, and no search engine is set.
  'POST /agents/:id/threads/:thread_id/compact': { ok: '409 NOTHING_TO_SUMMARIZE' },
  'POST /admin/web-search/test': { ok: '409 WEB_SEARCH_NOT_SET' },
  // The conversation of the test names no file.
  'GET /shared/:share_id/files/:file_id': { ok: NOT_FOUND },
  // The server of these tests lets nobody install packages, and does not run by itself.
  'POST /admin/plugins': { ok: '403 INSTALL_OFF' },
  'DELETE /admin/plugins/:name': { ok: '409 PLUGIN_BUILT_IN' },
  'POST /admin/restart': { ok: '409 RESTART_UNSUPPORTED' },
  // Public routes refuse nobody, but bodies.
  'POST /auth/login': { refused: { answer: '401 AUTH_FAILED' } },
  'POST /auth/passkeys/sign-in': { refused: { answer: '400 PASSKEY_CHALLENGE_EXPIRED' } },
  'POST /auth/invite/validate': { refused: { answer: NO_INVITE } },
  'POST /auth/invite/redeem': { refused: { answer: NO_INVITE } },
  'POST /auth/set-password/validate': { refused: { answer: NO_PASSWORD_LINK } },
  'POST /auth/set-password': { refused: { answer: NO_PASSWORD_LINK } },
  'POST /auth/oauth/exchange': { refused: { answer: '400 OAUTH_BAD_REQUEST' } },
  'POST /auth/oidc/exchange': { refused: { answer: '400 OIDC_BAD_REQUEST' } },
  'POST /push/decisions': {
    refused: {
      answer: '404 NOT_FOUND',
      body: () => ({ token: randomBytes(32).toString('base64url'), decision: 'approve' }),
    },
  },
  'POST /auth/oauth/start': {
    refused: { answer: '400 OAUTH_BAD_REQUEST', body: () => ({ kind: 'feishu' }) },
  },
  'POST /auth/oidc/start': {
    refused: { answer: '422 VALIDATION_FAILED', body: () => ({ redirect_after: '//example.org' }) },
  },
}

/** Calls whose query admits other callers than the guard of their route. */
const VARIANTS: Record<string, Exception[]> = {
  'GET /agents': [{}, { query: '?scope=all', who: 'admin' }],
}

/** Lists the ways to call a route, as its declaration and the exceptions describe them. */
export function sampleRoute(route: ServedRoute, declarations: Declarations): RouteSample[] {
  const exception = EXCEPTIONS[route.name] ?? {}
  const on = pathObjectsOf(route, { ...declarations, who: whoOf(route, declarations) })
  const isAtObject = /:\w+$/.test(route.path)
  return (VARIANTS[route.name] ?? [exception]).map(({ answers, ok = 'ok', ...exception }) => ({
    who: whoOf(route, declarations),
    status: route.method === 'SOCKET' ? 101 : Math.min(...Object.keys(route.response!).map(Number)),
    query: queryOf(route),
    ...(on && { on: { ...on, answers: changeAnswers(on.answers, answers, ok) } }),
    ...(!on && ok !== 'ok' && { refusal: ok }),
    ...((route.method === 'DELETE' ? isAtObject : route.path.endsWith('/grants')) && {
      spends: 'object' as const,
    }),
    // The invented values are then a field that the body does not have.
    ...(takesBody(route) && { refused: { answer: '422 VALIDATION_FAILED' as const } }),
    ...exception,
  }))
}

/** True for public routes whose calls only their body can make fail. */
const takesBody = ({ guard, method, raw }: ServedRoute) => guard === 'public' && method !== 'GET' && !raw

/** Replaces the answers of an exception, and 'ok' by the answer to callers with access. */
function changeAnswers(
  derived: PathObjects['answers'],
  exceptions: PathObjects['answers'] = {},
  ok: Answer,
): PathObjects['answers'] {
  const change = (answer: Answer) => (answer === 'ok' ? ok : answer)
  return Object.fromEntries(
    Object.entries({ ...derived, ...exceptions }).map(([name, answer]) => [
      name,
      typeof answer === 'string' ? change(answer) : [change(answer[0]), change(answer[1])],
    ]),
  )
}

/** Returns the callers that the guard of a route and the guards before it admit. */
function whoOf({ guard = 'public' }: ServedRoute, { guards }: Declarations): string {
  const [name, argument] = typeof guard === 'string' ? [guard] : guard
  const chain = [name as string]
  for (let previous = guards.get(name)?.after; previous; previous = guards.get(previous)?.after)
    chain.push(previous)
  if (chain.includes('admin')) return 'admin'
  if (chain.includes('permission')) return argument!
  return chain.includes('user') ? 'user' : 'public'
}

/** Returns the query string with the examples of all required parameters. */
function queryOf({ name, query }: ServedRoute): string {
  const { required = [], properties = {} } = (query ?? {}) as {
    required?: string[]
    properties?: Record<string, { examples?: unknown[] }>
  }
  const values = required.flatMap((key): [string, string][] => {
    const example = properties[key]?.examples?.[0]
    if (example === undefined && EXCEPTIONS[name]?.query === undefined)
      throw new Error(`${name}: the parameter "${key}" of the query needs an example in its schema`)
    return example === undefined ? [] : [[key, String(example)]]
  })
  return values.length > 0 ? `?${new URLSearchParams(values)}` : ''
}

/** True if a caller has access to a route, whatever its object. */
export const isLetIn = ({ who }: RouteSample, { role, permissions }: Account): boolean =>
  who === 'public' || (who === 'user' && role !== null) || role === 'admin' || permissions.includes(who)

/** Returns the expected reply to a caller. */
export function expectedAnswer(sample: RouteSample, caller: Account, object: string | undefined): Answer {
  if (!isLetIn(sample, caller)) return caller.role === null ? '401 AUTH_FAILED' : '403 FORBIDDEN'
  const answer = object === undefined ? (sample.refusal ?? 'ok') : sample.on!.answers[object]!
  return typeof answer === 'string' ? answer : answer[caller.role === 'admin' ? 1 : 0]
}

/** Returns the scope that an API key needs for a route, and below GET the permission that opens it as well. */
export function scopeOf(
  { method, scope }: ServedRoute,
  { who }: RouteSample,
): { wanted: string; also?: string } {
  if (scope !== undefined) return { wanted: scope }
  const permission = who === 'user' || who === 'admin' ? undefined : who
  if (method === 'GET') return { wanted: 'read', ...(permission && { also: permission }) }
  return { wanted: permission ?? (who === 'admin' ? 'admin' : 'write') }
}

/** The names of exceptions; each must be a route. */
export const exceptionNames: readonly string[] = [...Object.keys(EXCEPTIONS), ...Object.keys(VARIANTS)]
