import { MODEL } from '../../plugin-api/testing/agent-bench.ts'
import type { Account } from './route-cast.ts'
import type { Make } from './route-objects.ts'

/** The reply to a call: 'ok' is the success status of the route's sample, anything else a status and a code. */
export type Answer = 'ok' | `${number} ${string}`

/** The replies of a route to callers with access, by the class of the object in its path. */
export interface ObjectAnswers {
  kind:
    | 'acp_runner'
    | 'agent'
    | 'agent_and_package'
    | 'agent_file'
    | 'agent_skill'
    | 'api_key'
    | 'channel'
    | 'channel_hook'
    | 'channel_scan'
    | 'chatting_agent'
    | 'connector'
    | 'expert'
    | 'invite'
    | 'knowledge_base'
    | 'knowledge_document'
    | 'model'
    | 'packed_skill'
    | 'passkey'
    | 'persona'
    | 'provider'
    | 'published_expert'
    | 'response'
    | 'schedule'
    | 'session'
    | 'sign_in_kind'
    | 'skill_package'
    | 'thread'
    | 'tool'
    | 'user'
  /** A pair has the reply to administrators second. */
  answers: { missing: Answer } & Record<string, Answer | readonly [user: Answer, administrator: Answer]>
}

/** A way to call a route, and the callers with access. */
export interface RouteSample {
  /** Everybody, signed-in users, administrators, or holders of a permission and administrators. */
  who: 'public' | 'user' | 'admin' | (string & {})
  /** The status of success. */
  status: number
  on?: ObjectAnswers
  /** A body that is accepted; its secrets come from `make.secret`. */
  body?: (make: Make) => object | Promise<object>
  /** A body that a public route refuses, and its reply. */
  refused?: { body: (make: Make) => object; answer: Answer }
  /** The object or caller that the call uses up. */
  spends?: 'caller' | 'object'
  /** True if callers who must change their password may call it. */
  open?: true
  /** The scope that opens it for API keys, if `scopeOf` does not tell; `session` if none does. */
  scope?: 'chat' | 'read' | 'session'
}

const NO_AGENT = '404 AGENT_NOT_FOUND'
const NO_THREAD = '404 THREAD_NOT_FOUND'
const NOT_FOUND = '404 NOT_FOUND'
const FORBIDDEN = '403 FORBIDDEN'
const NO_INVITE = '400 INVITE_INVALID'
const NO_SKILL = '404 SKILL_NOT_FOUND'
const NO_BASE = '404 KNOWLEDGE_BASE_NOT_FOUND'
const NO_PACKAGE = '404 SKILL_PACKAGE_NOT_FOUND'

/** Agents of the caller or of others; administrators can access all. */
const seenAgent: ObjectAnswers = {
  kind: 'agent',
  answers: {
    own: 'ok',
    shared: 'ok',
    unshared: [NO_AGENT, 'ok'],
    other: [NO_AGENT, 'ok'],
    missing: NO_AGENT,
  },
}
/** Agents in the form of OpenAI's API. */
const NO_MODEL = '404 MODEL_NOT_FOUND'
const seenModel: ObjectAnswers = {
  kind: 'model',
  answers: {
    own: 'ok',
    shared: 'ok',
    unshared: [NO_MODEL, 'ok'],
    other: [NO_MODEL, 'ok'],
    missing: NO_MODEL,
  },
}
/** Messages that guests wrote while an agent was shared stay readable for them. */
const readAgent: ObjectAnswers = { ...seenAgent, answers: { ...seenAgent.answers, unshared: 'ok' } }
const chattingAgent: ObjectAnswers = { ...seenAgent, kind: 'chatting_agent' }
const ownAgent: ObjectAnswers = {
  kind: 'agent',
  answers: { own: 'ok', shared: [FORBIDDEN, 'ok'], other: [NO_AGENT, 'ok'], missing: NO_AGENT },
}
/** Files belong to the owner; a guest sees only files that their threads name. */
const ownFile: ObjectAnswers = { ...ownAgent, kind: 'agent_file' }
const seenFile: ObjectAnswers = {
  kind: 'agent_file',
  answers: { own: 'ok', shared: [NOT_FOUND, 'ok'], other: [NO_AGENT, 'ok'], missing: NO_AGENT },
}
/** A link belongs to whoever received it and not to an agent. */
const forgedLink: ObjectAnswers = {
  kind: 'agent',
  answers: { other: '403 LINK_INVALID', missing: '403 LINK_INVALID' },
}
/** Threads are private to their user; neither the agent's owner nor administrators can read them. */
const ownThread: ObjectAnswers = {
  kind: 'thread',
  answers: {
    own: 'ok',
    own_on_shared_agent: 'ok',
    own_on_unshared_agent: [NO_AGENT, 'ok'],
    other_on_own_agent: NO_THREAD,
    other_on_shared_agent: NO_THREAD,
    other_on_other_agent: [NO_AGENT, NO_THREAD],
    own_below_another_agent: NO_THREAD,
    missing: NO_THREAD,
    missing_on_missing_agent: NO_AGENT,
  },
}
/** Schedules are private to their account, like threads. */
const ownSchedule: ObjectAnswers = {
  kind: 'schedule',
  answers: {
    own: 'ok',
    own_on_shared_agent: 'ok',
    other_on_own_agent: NOT_FOUND,
    other_on_other_agent: [NO_AGENT, NOT_FOUND],
    own_below_another_agent: NOT_FOUND,
    missing: NOT_FOUND,
    missing_on_missing_agent: NO_AGENT,
  },
}
/** Knowledge bases belong to their account, administrators included; shared ones are read by everybody. */
const seenBase: ObjectAnswers = {
  kind: 'knowledge_base',
  answers: { own: 'ok', shared: 'ok', other: NO_BASE, missing: NO_BASE },
}
const ownBase: ObjectAnswers = { ...seenBase, answers: { ...seenBase.answers, shared: FORBIDDEN } }
const seenDocument: ObjectAnswers = {
  kind: 'knowledge_document',
  answers: { ...seenBase.answers, own_below_another_base: NOT_FOUND },
}
const ownDocument: ObjectAnswers = {
  ...seenDocument,
  answers: { ...seenDocument.answers, shared: FORBIDDEN },
}
const readThread: ObjectAnswers = {
  ...ownThread,
  answers: { ...ownThread.answers, own_on_unshared_agent: 'ok' },
}
/** A user's own connectors are visible only to that user. */
const ownConnector: ObjectAnswers = {
  kind: 'connector',
  answers: { own: 'ok', global: [FORBIDDEN, 'ok'], other: NOT_FOUND, missing: NOT_FOUND },
}
const seenConnector: ObjectAnswers = {
  kind: 'connector',
  answers: { own: 'ok', global: 'ok', other: NOT_FOUND, missing: NOT_FOUND },
}
/** A user's own providers are visible only to that user. */
const ownProvider: ObjectAnswers = {
  kind: 'provider',
  answers: { own: 'ok', global: FORBIDDEN, other: NOT_FOUND, missing: NOT_FOUND },
}
const seenProvider: ObjectAnswers = {
  kind: 'provider',
  answers: { own: 'ok', global: 'ok', other: NOT_FOUND, missing: NOT_FOUND },
}
const globalProvider: ObjectAnswers = {
  kind: 'provider',
  answers: { global: 'ok', own: NOT_FOUND, other: NOT_FOUND, missing: NOT_FOUND },
}
const ownSession: ObjectAnswers = {
  kind: 'session',
  answers: { own: 'ok', other: NOT_FOUND, missing: NOT_FOUND },
}
const ownKey: ObjectAnswers = {
  kind: 'api_key',
  answers: { own: 'ok', other: NOT_FOUND, missing: NOT_FOUND },
}
const ownPasskey: ObjectAnswers = {
  kind: 'passkey',
  answers: { own: 'ok', other: NOT_FOUND, missing: NOT_FOUND },
}
const signInKind: ObjectAnswers = {
  kind: 'sign_in_kind',
  answers: { known: 'ok', missing: NOT_FOUND },
}
const anyExpert: ObjectAnswers = {
  kind: 'expert',
  answers: { bundled: 'ok', missing: NOT_FOUND },
}
const seenPublishedExpert: ObjectAnswers = {
  kind: 'published_expert',
  answers: { own: 'ok', other: 'ok', missing: NOT_FOUND },
}
const ownPublishedExpert: ObjectAnswers = {
  kind: 'published_expert',
  answers: { own: 'ok', other: [FORBIDDEN, 'ok'], missing: NOT_FOUND },
}
const pendingInvite: ObjectAnswers = {
  kind: 'invite',
  answers: { pending: 'ok', revoked: '409 INVITE_INVALID', missing: NOT_FOUND },
}
const seenPersona: ObjectAnswers = {
  kind: 'persona',
  answers: { built_in: 'ok', missing: NOT_FOUND },
}
/** Skills of agents, and copies from packages. */
const ownSkill: ObjectAnswers = {
  kind: 'agent_skill',
  answers: {
    own: 'ok',
    shared: [FORBIDDEN, 'ok'],
    other: [NO_AGENT, 'ok'],
    missing_on_own: NO_SKILL,
    missing: NO_AGENT,
  },
}
const ownAgentAndPackage: ObjectAnswers = {
  kind: 'agent_and_package',
  answers: {
    own: 'ok',
    shared: [FORBIDDEN, 'ok'],
    other: [NO_AGENT, 'ok'],
    missing_on_own: NO_PACKAGE,
    missing: NO_AGENT,
  },
}
const ownChannel: ObjectAnswers = {
  kind: 'channel',
  answers: {
    own: 'ok',
    shared: [FORBIDDEN, 'ok'],
    other: [NO_AGENT, 'ok'],
    own_below_another_agent: NOT_FOUND,
    missing_on_own: NOT_FOUND,
    missing: NO_AGENT,
  },
}
/** A request of a platform has a signature instead of a session. */
const unsignedHook: ObjectAnswers = {
  kind: 'channel_hook',
  answers: { enabled: '401 AUTH_FAILED', disabled: NOT_FOUND, missing: NOT_FOUND },
}
const askedHook: ObjectAnswers = {
  kind: 'channel_hook',
  answers: { enabled: NOT_FOUND, disabled: NOT_FOUND, missing: NOT_FOUND },
}
/** Kinds whose bots are linked by scanning a code, and others. */
const scannedChannel: ObjectAnswers = {
  kind: 'channel_scan',
  answers: {
    scannable: 'ok',
    scannable_of_another: [NO_AGENT, 'ok'],
    unscannable: '400 CHANNEL_QR_UNSUPPORTED',
    unknown_kind: '400 CHANNEL_KIND_UNSUPPORTED',
    missing: NO_AGENT,
  },
}
/** Writing a skill that does not exist creates it. */
const writtenSkill: ObjectAnswers = {
  kind: 'agent_skill',
  answers: { own: 'ok', shared: [FORBIDDEN, 'ok'], other: [NO_AGENT, 'ok'], missing: NO_AGENT },
}
/** In Base64, because text is returned as text. */
const SKILL_FILES = {
  files: [{ path: 'SKILL.md', content_base64: Buffer.from('# Written by a sample').toString('base64') }],
}
/** Everybody can see packages; only their creators with the permission can change them. */
const seenPackage: ObjectAnswers = { kind: 'skill_package', answers: { other: 'ok', missing: NO_PACKAGE } }
const ownPackage: ObjectAnswers = {
  kind: 'skill_package',
  answers: { other: [FORBIDDEN, 'ok'], own: 'ok', missing: NO_PACKAGE },
}
const ownPackedSkill: ObjectAnswers = {
  kind: 'packed_skill',
  answers: { other: [FORBIDDEN, 'ok'], own: 'ok', missing_in_own: NO_SKILL, missing: NO_PACKAGE },
}
const seenPackedSkill: ObjectAnswers = {
  kind: 'packed_skill',
  answers: { other: 'ok', missing: NO_PACKAGE },
}
const writtenPackedSkill: ObjectAnswers = {
  kind: 'packed_skill',
  answers: { other: [FORBIDDEN, 'ok'], own: 'ok', missing: NO_PACKAGE },
}
/** Everybody has the runners, with their own settings; only runners that administrators defined can be deleted. */
const seenRunner: ObjectAnswers = {
  kind: 'acp_runner',
  answers: { built_in: 'ok', defined: 'ok', missing: NOT_FOUND },
}
const definedRunner: ObjectAnswers = {
  kind: 'acp_runner',
  answers: { defined: [FORBIDDEN, 'ok'], built_in: FORBIDDEN, missing: NOT_FOUND },
}
const seenUser: ObjectAnswers = {
  kind: 'user',
  answers: { other: 'ok', own: 'ok', administrator: 'ok', missing: NOT_FOUND },
}
const managedUser: ObjectAnswers = {
  kind: 'user',
  answers: {
    other: 'ok',
    own: 'ok',
    stronger: [FORBIDDEN, 'ok'],
    administrator: [FORBIDDEN, 'ok'],
    missing: NOT_FOUND,
  },
}
/** Allowed for accounts with more rights than the caller's, because it does not take them over. */
const helpedUser: ObjectAnswers = {
  ...managedUser,
  answers: { ...managedUser.answers, stronger: 'ok' },
}
const deletedUser: ObjectAnswers = {
  ...managedUser,
  answers: { ...managedUser.answers, own: FORBIDDEN },
}

const provider = ({ name, secret, upstream }: Make) => ({
  name: name(),
  kind: 'openai-compatible',
  base_url: upstream,
  api_key: secret(),
  options: { headers: { 'x-gateway-key': secret() } },
  models: [{ id: 'm', name: 'M' }],
})
const connector = ({ name, secret }: Make) => ({
  name: name(),
  kind: 'mcp',
  config: { url: 'https://mcp.invalid/mcp', headers: { Authorization: secret() } },
})
const connectorProbe = ({ secret }: Make) => ({
  kind: 'mcp',
  config: { url: 'https://mcp.invalid/mcp', headers: { Authorization: secret() } },
})
const providerChanges = ({ secret }: Make) => ({
  api_key: secret(),
  options: { headers: { 'x-gateway-key': secret() } },
})
const yearly = { schedule: { every_seconds: 31_536_000 } }
const newSchedule = ({ name }: Make) => ({ name: name(), prompt: 'Do it.', ...yearly })
const newAgent = ({ name }: Make) => ({ name: name(), description: 'made by a sample' })
/** A form with one file. */
const fileForm = () => {
  const form = new FormData()
  form.append('file', new Blob(['some text'], { type: 'text/plain' }), 'notes.txt')
  return form
}
/** A form with an exported thread without messages. */
const exportForm = () => {
  const head = { format: 'svc-trajectory', version: 1, thread_id: 'thr_sample', title: null }
  const form = new FormData()
  const agent = { name: 'sample' }
  form.append(
    'file',
    new Blob([JSON.stringify({ ...head, created_at: 1, exported_at: 1, agent })]),
    'x.jsonl',
  )
  return form
}
/** A draft without a model to call. */
const newChannel = ({ name, secret }: Make) => ({
  kind: 'webhook',
  name: name(),
  enabled: false,
  config: { secret: secret() },
})
const runner = ({ secret }: Make) => ({ enabled: true, env: { API_KEY: secret() } })
const runners = (make: Make) => ({ runners: { opencode: runner(make) } })
const newUser = ({ name, secret }: Make) => ({ username: name(), password: secret(), display_name: 'Ann' })

/**
 * Every route and socket, `METHOD /path`, with a query if that changes the access. The expectations follow the
 * specification; a new route fails the test until it has its line here.
 */
export const routeSamples: Record<string, RouteSample> = {
  'GET /health': { who: 'public', status: 200 },
  'GET /health/ready': { who: 'public', status: 200 },
  'GET /health/live': { who: 'public', status: 200 },
  'GET /openapi.json': { who: 'public', status: 200 },
  'GET /asyncapi.json': { who: 'public', status: 200 },

  'GET /console': { who: 'public', status: 200 },
  'GET /events': { who: 'user', status: 200 },

  'POST /auth/login': {
    who: 'public',
    status: 200,
    body: ({ admin: { username, password } }) => ({ username, password }),
    refused: {
      body: ({ name, secret }) => ({ username: name(), password: secret() }),
      answer: '401 AUTH_FAILED',
    },
  },
  // Without the header that pages of this server send.
  'POST /auth/refresh': {
    who: 'public',
    status: 403,
    refused: { body: ({ secret }) => ({ token: secret() }), answer: '422 VALIDATION_FAILED' },
  },
  'POST /auth/logout': { who: 'user', status: 204, spends: 'caller', open: true, scope: 'session' },
  'GET /auth/me': { who: 'user', status: 200, open: true },
  'PATCH /auth/me': {
    who: 'user',
    status: 200,
    open: true,
    body: () => ({ display_name: 'Ann' }),
    scope: 'session',
  },
  'POST /auth/change-password': {
    scope: 'session',
    who: 'user',
    status: 204,
    spends: 'caller',
    open: true,
    body: async ({ password, secret }) => ({ old_password: await password(), new_password: secret() }),
  },
  'GET /auth/sessions': { who: 'user', status: 200 },
  'DELETE /auth/sessions/:id': {
    who: 'user',
    status: 204,
    on: ownSession,
    spends: 'object',
    scope: 'session',
  },
  'GET /auth/api-keys': { who: 'user', status: 200 },
  'POST /auth/api-keys': {
    who: 'user',
    status: 201,
    // The account may have only a few.
    spends: 'caller',
    scope: 'session',
    body: ({ name }) => ({ name: name(), scopes: ['read', 'chat'] }),
  },
  'DELETE /auth/api-keys/:id': {
    who: 'user',
    status: 204,
    on: ownKey,
    spends: 'object',
    scope: 'session',
  },
  'GET /auth/totp': { who: 'user', status: 200 },
  'POST /auth/totp': {
    who: 'user',
    status: 200,
    scope: 'session',
    body: async ({ recoveryCode }) => ({ code: await recoveryCode() }),
  },
  'POST /auth/totp/confirm': {
    who: 'user',
    status: 200,
    scope: 'session',
    body: async ({ appCode }) => ({ code: await appCode() }),
  },
  'POST /auth/totp/verify': {
    who: 'user',
    status: 204,
    scope: 'session',
    body: async ({ recoveryCode }) => ({ code: await recoveryCode() }),
  },
  'POST /auth/totp/recovery-codes': {
    who: 'user',
    status: 200,
    scope: 'session',
    body: async ({ recoveryCode }) => ({ code: await recoveryCode() }),
  },
  'DELETE /auth/totp': {
    who: 'user',
    status: 204,
    scope: 'session',
    body: async ({ recoveryCode }) => ({ code: await recoveryCode() }),
  },
  'GET /auth/passkeys': { who: 'user', status: 200 },
  'POST /auth/passkeys/options': {
    who: 'user',
    status: 200,
    scope: 'session',
    body: async ({ password }) => ({ password: await password() }),
  },
  'POST /auth/passkeys': {
    who: 'user',
    status: 201,
    // The account may have only a few.
    spends: 'caller',
    scope: 'session',
    body: async ({ name, newPasskey }) => ({ name: name(), attestation: await newPasskey() }),
  },
  'PATCH /auth/passkeys/:id': {
    who: 'user',
    status: 200,
    on: ownPasskey,
    scope: 'session',
    body: ({ name }) => ({ name: name() }),
  },
  'DELETE /auth/passkeys/:id': {
    who: 'user',
    status: 204,
    on: ownPasskey,
    spends: 'object',
    scope: 'session',
    body: async ({ password }) => ({ password: await password() }),
  },
  'POST /auth/passkeys/sign-in/options': {
    who: 'public',
    status: 200,
    body: () => ({}),
    refused: { body: ({ secret }) => ({ username: secret() }), answer: '422 VALIDATION_FAILED' },
  },
  'POST /auth/passkeys/sign-in': {
    who: 'public',
    status: 200,
    body: async ({ passkeySignIn }) => ({ assertion: await passkeySignIn() }),
    refused: {
      body: ({ secret }) => ({
        assertion: {
          id: secret(),
          rawId: secret(),
          type: 'public-key',
          clientExtensionResults: {},
          response: { clientDataJSON: secret(), authenticatorData: secret(), signature: secret() },
        },
      }),
      answer: '400 PASSKEY_CHALLENGE_EXPIRED',
    },
  },
  'POST /auth/invite/validate': {
    who: 'public',
    status: 200,
    body: async ({ inviteCode }) => ({ code: await inviteCode() }),
    refused: { body: ({ secret }) => ({ code: secret() }), answer: NO_INVITE },
  },
  'POST /auth/invite/redeem': {
    who: 'public',
    status: 200,
    body: async ({ inviteCode, name, secret }) => ({
      code: await inviteCode(),
      username: name(),
      password: secret(),
    }),
    refused: {
      body: ({ name, secret }) => ({ code: secret(), username: name(), password: secret() }),
      answer: NO_INVITE,
    },
  },

  'GET /auth/oauth/status': { who: 'public', status: 200 },
  'GET /auth/oidc/status': { who: 'public', status: 200 },
  'POST /auth/oauth/start': {
    who: 'public',
    status: 200,
    body: () => ({ kind: 'oidc' }),
    refused: { body: () => ({ kind: 'feishu' }), answer: '400 OAUTH_BAD_REQUEST' },
  },
  'POST /auth/oidc/start': {
    who: 'public',
    status: 200,
    body: () => ({}),
    refused: { body: () => ({ redirect_after: '//example.org' }), answer: '422 VALIDATION_FAILED' },
  },
  'GET /auth/oauth/callback': { who: 'public', status: 302 },
  'GET /auth/oidc/callback': { who: 'public', status: 302 },
  'POST /auth/oauth/exchange': {
    who: 'public',
    status: 200,
    body: ({ signIn }) => signIn(),
    refused: { body: ({ secret }) => ({ code: secret() }), answer: '400 OAUTH_BAD_REQUEST' },
  },
  'POST /auth/oidc/exchange': {
    who: 'public',
    status: 200,
    body: ({ signIn }) => signIn(),
    refused: { body: ({ secret }) => ({ code: secret() }), answer: '400 OIDC_BAD_REQUEST' },
  },
  'GET /auth/oauth/bindings': { who: 'user', status: 200 },
  'POST /auth/oauth/bind/start': {
    who: 'user',
    status: 200,
    body: () => ({ kind: 'oidc' }),
    scope: 'session',
  },
  'POST /auth/oauth/unbind': {
    scope: 'session',
    who: 'user',
    status: 204,
    body: async ({ linkedKind }) => ({ kind: await linkedKind() }),
  },
  'GET /auth/oauth/providers/:kind': { who: 'sso', status: 200, on: signInKind },
  'PUT /auth/oauth/providers/:kind': {
    who: 'sso',
    status: 200,
    on: signInKind,
    body: () => ({ display_name: 'Ours' }),
  },
  'POST /auth/oauth/providers/:kind/test': { who: 'sso', status: 200, on: signInKind },
  'POST /auth/oauth/providers/:kind/preview': {
    who: 'sso',
    status: 200,
    on: signInKind,
    body: () => ({ claims: { groups: ['gardeners'] } }),
  },
  'GET /auth/oidc/config': { who: 'sso', status: 200 },
  'PUT /auth/oidc/config': { who: 'sso', status: 200, body: () => ({ display_name: 'Ours' }) },
  'POST /auth/oidc/config/test': { who: 'sso', status: 200 },

  'GET /users/permissions': { who: 'user', status: 200 },
  'GET /users': { who: 'users', status: 200 },
  'POST /users': { who: 'users', status: 201, body: newUser },
  'GET /users/:id': { who: 'users', status: 200, on: seenUser },
  'PATCH /users/:id': {
    who: 'users',
    status: 200,
    on: managedUser,
    spends: 'object',
    body: ({ name }) => ({ display_name: 'Ann', email: `${name()}@example.org` }),
  },
  'POST /users/:id/reset-password': {
    scope: 'session',
    who: 'users',
    status: 204,
    on: managedUser,
    spends: 'object',
    body: ({ secret }) => ({ new_password: secret() }),
  },
  'DELETE /users/:id/second-factors': {
    scope: 'session',
    who: 'users',
    status: 204,
    on: { ...managedUser, answers: { ...managedUser.answers, own: FORBIDDEN } },
  },
  'POST /users/:id/unlock-login': { who: 'users', status: 204, on: helpedUser },
  'DELETE /users/:id': { who: 'users', status: 204, on: deletedUser, spends: 'object' },
  'GET /users/invites': { who: 'users', status: 200 },
  'POST /users/invites': { who: 'users', status: 201, body: () => ({ note: 'for Ann' }) },
  'POST /users/invites/:invite_id/revoke': {
    who: 'users',
    status: 200,
    on: pendingInvite,
    spends: 'object',
  },

  'GET /admin/overview': { who: 'admin', status: 200 },
  'GET /metrics': { who: 'admin', status: 200 },
  'GET /admin/audit-log': { who: 'admin', status: 200 },

  'GET /usage/summary': { who: 'user', status: 200 },
  'GET /admin/usage': { who: 'admin', status: 200 },

  'GET /agents': { who: 'user', status: 200 },
  'GET /agents?scope=all': { who: 'admin', status: 200 },
  'POST /agents': { who: 'user', status: 201, body: newAgent },
  'GET /agents/:id': { who: 'user', status: 200, on: seenAgent },
  'PATCH /agents/:id': { who: 'user', status: 200, on: ownAgent, body: () => ({ description: 'new' }) },
  'DELETE /agents/:id': { who: 'user', status: 204, on: ownAgent, spends: 'object' },
  'POST /agents/:id/start': { who: 'user', status: 204, on: ownAgent },
  'POST /agents/:id/stop': { who: 'user', status: 204, on: ownAgent },
  'POST /agents/:id/reload': { who: 'user', status: 204, on: ownAgent },
  'POST /agents/:id/read': { who: 'user', status: 204, on: ownAgent, scope: 'chat' },
  'GET /agents/:id/tool-settings': { who: 'user', status: 200, on: ownAgent },
  'PUT /agents/:id/tool-settings': {
    who: 'user',
    status: 200,
    on: ownAgent,
    body: () => ({ disabled_builtin: ['write_file'], plugins: [] }),
  },
  'PATCH /agents/:id/tool-settings/:tool_name': {
    who: 'user',
    status: 200,
    on: {
      kind: 'tool',
      answers: {
        own: 'ok',
        shared: [FORBIDDEN, 'ok'],
        other: [NO_AGENT, 'ok'],
        unknown: NOT_FOUND,
        missing: NO_AGENT,
      },
    },
    body: () => ({ enabled: true }),
  },
  'GET /agents/:id/files': { who: 'user', status: 200, on: seenAgent },
  'GET /agents/:id/files/content?path=notes.txt': { who: 'user', status: 200, on: seenFile },
  'PUT /agents/:id/files/content?path=new.txt': { who: 'user', status: 201, on: ownFile, spends: 'object' },
  'DELETE /agents/:id/files?path=notes.txt': { who: 'user', status: 204, on: ownFile, spends: 'object' },
  'POST /agents/:id/files/move': {
    who: 'user',
    status: 200,
    on: ownFile,
    spends: 'object',
    body: () => ({ from: 'notes.txt', to: 'moved.txt' }),
  },
  'POST /agents/:id/files/directories': {
    who: 'user',
    status: 201,
    on: ownFile,
    spends: 'object',
    body: () => ({ path: 'folder' }),
  },
  'GET /agents/:id/files/archive': { who: 'user', status: 200, on: seenFile },
  'POST /agents/:id/files/link': {
    who: 'user',
    status: 201,
    on: seenFile,
    body: () => ({ path: 'notes.txt', expires_in_seconds: 60 }),
  },
  'GET /agents/:id/files/linked?token=forged': { who: 'public', status: 200, on: forgedLink },
  'POST /agents/:id/upload': {
    who: 'user',
    status: 200,
    on: seenAgent,
    body: () => fileForm(),
    scope: 'chat',
  },
  'GET /agents/:id/status': { who: 'user', status: 200, on: ownAgent },

  'GET /channels/kinds': { who: 'user', status: 200 },
  'GET /agents/:id/channels': { who: 'channels', status: 200, on: ownAgent },
  'POST /agents/:id/channels': { who: 'channels', status: 201, on: ownAgent, body: newChannel },
  'POST /agents/:id/channels/probe': {
    who: 'channels',
    status: 200,
    on: ownAgent,
    body: ({ secret }) => ({ kind: 'webhook', config: { secret: secret() } }),
  },
  'GET /agents/:id/channels/:cid': { who: 'channels', status: 200, on: ownChannel },
  'PATCH /agents/:id/channels/:cid': {
    who: 'channels',
    status: 200,
    on: ownChannel,
    body: ({ secret }) => ({ config: { secret: secret() } }),
  },
  'GET /agents/:id/channels/:cid/conversations': { who: 'channels', status: 200, on: ownChannel },
  'DELETE /agents/:id/channels/:cid': { who: 'channels', status: 204, on: ownChannel, spends: 'object' },
  'POST /agents/:id/channels/:cid/test': { who: 'channels', status: 200, on: ownChannel },
  'POST /agents/:id/channels/:kind/qrcode/generate': { who: 'channels', status: 200, on: scannedChannel },
  'POST /agents/:id/channels/:kind/qrcode/poll': {
    who: 'channels',
    status: 200,
    on: scannedChannel,
    body: ({ secret }) => ({ qrcode_token: secret() }),
  },
  'POST /hooks/:channel_id': { who: 'public', status: 200, on: unsignedHook },
  'GET /hooks/:channel_id': { who: 'public', status: 200, on: askedHook },

  'POST /mcp': {
    who: 'user',
    scope: 'chat',
    status: 200,
    body: () => ({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  },

  'GET /mbti/codes': { who: 'user', status: 200 },
  'GET /mbti/codes/:code': { who: 'user', status: 200, on: seenPersona },
  'PUT /agents/:id/mbti': { who: 'user', status: 200, on: ownAgent, body: () => ({ code: 'INFP' }) },

  'GET /experts': { who: 'user', status: 200 },
  'GET /experts/:expert_id': { who: 'user', status: 200, on: anyExpert },
  'POST /agents/from-expert/:expert_id': { who: 'user', status: 201, on: anyExpert, body: newAgent },
  'POST /agents/:id/publish-expert': {
    who: 'user',
    status: 201,
    on: ownAgent,
    body: ({ name }) => ({ name: name(), description: 'published by a sample', slug: name() }),
  },
  'POST /agents/:id/publish-expert/preview': { who: 'user', status: 200, on: ownAgent, body: () => ({}) },
  'GET /experts/published': { who: 'user', status: 200 },
  'GET /experts/published/:expert_id': { who: 'user', status: 200, on: seenPublishedExpert },
  'POST /experts/published/:expert_id/install': {
    who: 'user',
    status: 201,
    on: seenPublishedExpert,
    body: newAgent,
  },
  'DELETE /experts/published/:expert_id': {
    who: 'user',
    status: 204,
    on: ownPublishedExpert,
    spends: 'object',
  },

  'GET /agents/:id/skills': { who: 'user', status: 200, on: ownAgent },
  'GET /agents/:id/skills/:slug': { who: 'user', status: 200, on: ownSkill },
  'POST /agents/:id/skills': {
    who: 'user',
    status: 201,
    on: ownAgent,
    body: ({ name }) => ({ slug: name(), ...SKILL_FILES }),
  },
  'PUT /agents/:id/skills/:slug': { who: 'user', status: 200, on: writtenSkill, body: () => SKILL_FILES },
  'PATCH /agents/:id/skills/:slug': {
    who: 'user',
    status: 200,
    on: ownSkill,
    body: () => ({ enabled: false }),
  },
  'DELETE /agents/:id/skills/:slug': { who: 'user', status: 204, on: ownSkill, spends: 'object' },
  'POST /agents/:id/skills/:slug/push-to-package': {
    who: 'skill_packages',
    status: 201,
    on: ownSkill,
    body: async ({ packageId }) => ({ package_id: await packageId() }),
  },
  'POST /agents/:id/skill-packages/:package_id/copy': {
    who: 'user',
    status: 200,
    on: ownAgentAndPackage,
    body: ({ skill }) => ({ skill_slugs: [skill] }),
  },
  'GET /skill-packages': { who: 'user', status: 200 },
  'POST /skill-packages': { who: 'skill_packages', status: 201, body: ({ name }) => ({ name: name() }) },
  'GET /skill-packages/:id': { who: 'user', status: 200, on: seenPackage },
  'PATCH /skill-packages/:id': {
    who: 'skill_packages',
    status: 200,
    on: ownPackage,
    body: () => ({ description: 'new' }),
  },
  'DELETE /skill-packages/:id': {
    who: 'skill_packages',
    status: 204,
    on: ownPackage,
    spends: 'object',
  },
  'POST /skill-packages/:id/skills': {
    who: 'skill_packages',
    status: 201,
    on: ownPackage,
    body: ({ name }) => ({ slug: name(), ...SKILL_FILES }),
  },
  'GET /skill-packages/:id/skills/:slug': { who: 'user', status: 200, on: seenPackedSkill },
  'PUT /skill-packages/:id/skills/:slug': {
    who: 'skill_packages',
    status: 200,
    on: writtenPackedSkill,
    body: () => SKILL_FILES,
  },
  'DELETE /skill-packages/:id/skills/:slug': {
    who: 'skill_packages',
    status: 204,
    on: ownPackedSkill,
    spends: 'object',
  },

  'POST /knowledge-bases/search': {
    who: 'user',
    status: 200,
    body: () => ({ query: 'trains' }),
    scope: 'read',
  },
  'GET /knowledge-bases/settings': { who: 'knowledge_settings', status: 200 },
  'PUT /knowledge-bases/settings': {
    who: 'knowledge_settings',
    status: 200,
    body: () => ({ embedding_model: null }),
  },
  'GET /knowledge-bases': { who: 'user', status: 200 },
  'POST /knowledge-bases': { who: 'knowledge_bases', status: 201, body: ({ name }) => ({ name: name() }) },
  'GET /knowledge-bases/:id': { who: 'user', status: 200, on: seenBase },
  'PATCH /knowledge-bases/:id': {
    who: 'knowledge_bases',
    status: 200,
    on: ownBase,
    body: () => ({ description: 'new' }),
  },
  'DELETE /knowledge-bases/:id': { who: 'knowledge_bases', status: 204, on: ownBase, spends: 'object' },
  'POST /knowledge-bases/:id/reindex': { who: 'knowledge_bases', status: 202, on: ownBase },
  'GET /knowledge-bases/:id/events': { who: 'user', status: 200, on: seenBase },
  'GET /knowledge-bases/:id/documents': { who: 'user', status: 200, on: seenBase },
  'POST /knowledge-bases/:id/documents': {
    who: 'knowledge_bases',
    status: 202,
    on: ownBase,
    body: () => ({ url: 'http://192.31.196.1/page' }),
  },
  'GET /knowledge-bases/:id/documents/:doc_id': { who: 'user', status: 200, on: seenDocument },
  'DELETE /knowledge-bases/:id/documents/:doc_id': {
    who: 'knowledge_bases',
    status: 204,
    on: ownDocument,
    spends: 'object',
  },
  'GET /knowledge-bases/:id/documents/:doc_id/content': { who: 'user', status: 200, on: seenDocument },
  'GET /knowledge-bases/:id/documents/:doc_id/text': { who: 'user', status: 200, on: seenDocument },
  'POST /knowledge-bases/:id/documents/:doc_id/reindex': {
    who: 'knowledge_bases',
    status: 202,
    on: ownDocument,
  },

  'SOCKET /agents/:id/chat/ws': { who: 'user', status: 101, on: seenAgent, scope: 'chat' },
  'GET /agents/:id/threads': { who: 'user', status: 200, on: readAgent },
  'POST /agents/:id/threads': {
    scope: 'chat',
    who: 'user',
    status: 201,
    on: seenAgent,
    body: () => ({ title: 'Plans' }),
  },
  'GET /agents/:id/threads/:thread_id': { who: 'user', status: 200, on: readThread },
  'PATCH /agents/:id/threads/:thread_id': {
    scope: 'chat',
    who: 'user',
    status: 200,
    on: ownThread,
    body: () => ({ title: 'renamed', pinned: true }),
  },
  'DELETE /agents/:id/threads/:thread_id': {
    who: 'user',
    status: 204,
    on: readThread,
    spends: 'object',
    scope: 'chat',
  },
  'POST /agents/:id/threads/:thread_id/read': { who: 'user', status: 204, on: readThread, scope: 'chat' },
  'POST /agents/:id/threads/:thread_id/fork': {
    scope: 'chat',
    who: 'user',
    status: 201,
    on: ownThread,
    body: () => ({ assistant_turns_from_end: 1 }),
  },
  'POST /agents/:id/chat/hitl/resume': {
    scope: 'chat',
    who: 'user',
    status: 200,
    on: chattingAgent,
    body: async ({ pausedThread }) => ({
      thread_id: await pausedThread(),
      decisions: [{ type: 'respond', message: 'this one' }],
    }),
  },
  'GET /agents/:id/threads/:thread_id/history': { who: 'user', status: 200, on: readThread },
  'GET /agents/:id/chat/hitl/:pending_id/threads/:thread_id/args/:index': {
    who: 'user',
    status: 200,
    on: {
      ...ownThread,
      answers: {
        ...ownThread.answers,
        own: '409 HITL_NOT_PENDING',
        own_on_shared_agent: '409 HITL_NOT_PENDING',
        own_on_unshared_agent: [NO_AGENT, '409 HITL_NOT_PENDING'],
      },
    },
  },
  'GET /agents/:id/chat/welcome': { who: 'user', status: 200, on: seenAgent },
  'GET /agents/:id/cron/examples': { who: 'user', status: 200, on: seenAgent },
  'GET /agents/:id/cron': { who: 'user', status: 200, on: chattingAgent },
  'POST /agents/:id/cron': { who: 'user', status: 201, on: chattingAgent, body: newSchedule },
  'POST /agents/:id/cron/preview': { who: 'user', status: 200, on: chattingAgent, body: () => yearly },
  'GET /agents/:id/cron/:job_id': { who: 'user', status: 200, on: ownSchedule },
  'PATCH /agents/:id/cron/:job_id': {
    who: 'user',
    status: 200,
    on: ownSchedule,
    body: ({ name }) => ({ name: name() }),
  },
  'DELETE /agents/:id/cron/:job_id': { who: 'user', status: 204, on: ownSchedule, spends: 'object' },
  'POST /agents/:id/cron/:job_id/run-now': { who: 'user', status: 202, on: ownSchedule, spends: 'object' },
  'GET /agents/:id/cron/:job_id/runs': { who: 'user', status: 200, on: ownSchedule },
  'POST /agents/:id/chat/polish': {
    scope: 'chat',
    who: 'user',
    status: 200,
    on: seenAgent,
    body: () => ({ prompt: 'make it better' }),
    // An object that several calls share may have been stopped by one of them.
    spends: 'object',
  },
  'POST /agents/:id/threads/import': {
    who: 'user',
    status: 201,
    on: seenAgent,
    body: () => exportForm(),
    scope: 'chat',
  },
  'POST /agents/:id/history-migration/start': { who: 'user', status: 200, on: ownAgent },
  'GET /agents/:id/history-migration/status': { who: 'user', status: 200, on: ownAgent },
  'GET /agents/:id/threads/:thread_id/trajectory': { who: 'user', status: 200, on: readThread },
  'GET /agents/:id/threads/:thread_id/trajectory/events/:event_id': {
    who: 'user',
    status: 200,
    on: {
      ...readThread,
      answers: {
        ...readThread.answers,
        own: NOT_FOUND,
        own_on_shared_agent: NOT_FOUND,
        own_on_unshared_agent: NOT_FOUND,
      },
    },
  },
  'GET /agents/:id/threads/:thread_id/trajectory/metrics': { who: 'user', status: 200, on: readThread },
  'GET /agents/:id/threads/:thread_id/trajectory/stream': { who: 'user', status: 200, on: readThread },
  'GET /agents/:id/threads/:thread_id/trajectory/export': { who: 'user', status: 200, on: readThread },

  'GET /v1/models': { who: 'user', status: 200 },
  'GET /v1/models/:model': { who: 'user', status: 200, on: seenModel },
  'POST /v1/chat/completions': {
    who: 'user',
    scope: 'chat',
    status: 200,
    body: async ({ sharedAgent }) => ({
      model: await sharedAgent(),
      messages: [{ role: 'user', content: 'hello' }],
    }),
  },
  'POST /v1/responses': {
    who: 'user',
    scope: 'chat',
    status: 200,
    body: async ({ sharedAgent }) => ({ model: await sharedAgent(), input: 'hello' }),
  },
  'GET /v1/responses/:id': {
    who: 'user',
    status: 200,
    on: {
      kind: 'response',
      answers: { own: 'ok', other: '404 RESPONSE_NOT_FOUND', missing: '404 RESPONSE_NOT_FOUND' },
    },
  },
  'GET /connectors/kinds': { who: 'user', status: 200 },
  'GET /connectors': { who: 'user', status: 200 },
  'POST /connectors': { who: 'connectors', status: 201, body: connector },
  'POST /connectors/probe': { who: 'connectors', status: 200, body: connectorProbe },
  'GET /connectors/:id': { who: 'user', status: 200, on: seenConnector },
  'PATCH /connectors/:id': {
    who: 'connectors',
    status: 200,
    on: ownConnector,
    body: ({ secret }) => ({ config: { headers: { Authorization: secret() } }, tools: {} }),
  },
  'DELETE /connectors/:id': { who: 'connectors', status: 204, on: ownConnector, spends: 'object' },
  'GET /connectors/:id/log': { who: 'connectors', status: 200, on: ownConnector },
  'POST /connectors/:id/test': { who: 'connectors', status: 200, on: ownConnector },
  'POST /connectors/:id/authorize': {
    who: 'user',
    status: 200,
    on: seenConnector,
    body: () => ({ redirect_after: '/connectors' }),
  },
  'GET /connectors/oauth/callback': { who: 'public', status: 302 },
  'PUT /connectors/:id/credentials': {
    who: 'user',
    status: 204,
    on: seenConnector,
    body: ({ secret }) => ({ headers: { Authorization: secret() } }),
  },
  'DELETE /connectors/:id/credentials': { who: 'user', status: 204, on: seenConnector },
  'GET /agents/:id/connectors': { who: 'user', status: 200, on: ownAgent },
  'PUT /agents/:id/connectors': {
    who: 'user',
    status: 200,
    on: ownAgent,
    body: () => ({ connectors: [] }),
  },
  'GET /providers/kinds': { who: 'user', status: 200 },
  'GET /providers': { who: 'user', status: 200 },
  'POST /providers': { who: 'user', status: 201, body: provider },
  'POST /providers/probe': { who: 'user', status: 200, body: provider },
  'GET /providers/:id': { who: 'user', status: 200, on: seenProvider },
  'PATCH /providers/:id': { who: 'user', status: 200, on: ownProvider, body: providerChanges },
  'DELETE /providers/:id': { who: 'user', status: 204, on: ownProvider, spends: 'object' },
  'POST /providers/:id/test': { who: 'user', status: 200, on: seenProvider, body: () => ({}) },
  'GET /admin/providers': { who: 'admin', status: 200 },
  'POST /admin/providers': { who: 'admin', status: 201, body: provider },
  'POST /admin/providers/probe': { who: 'admin', status: 200, body: provider },
  'GET /admin/providers/:id': { who: 'admin', status: 200, on: globalProvider },
  'PATCH /admin/providers/:id': { who: 'admin', status: 200, on: globalProvider, body: providerChanges },
  'DELETE /admin/providers/:id': { who: 'admin', status: 204, on: globalProvider, spends: 'object' },
  'POST /admin/providers/:id/test': { who: 'admin', status: 200, on: globalProvider, body: () => ({}) },
  'GET /acp': { who: 'user', status: 200 },
  'PUT /acp': { who: 'user', status: 200, body: runners },
  'GET /acp/:name': { who: 'user', status: 200, on: seenRunner },
  'PUT /acp/:name': { who: 'user', status: 200, on: seenRunner, body: runner },
  'DELETE /acp/:name': { who: 'user', status: 204, on: definedRunner, spends: 'object' },
  'GET /agents/:id/acp': { who: 'user', status: 200, on: ownAgent },
  'PUT /agents/:id/acp': {
    who: 'user',
    status: 200,
    on: ownAgent,
    body: (make) => ({ tool_enabled: true, ...runners(make) }),
  },
  'GET /models': { who: 'user', status: 200 },
  'GET /models/active': { who: 'user', status: 200 },
  'PUT /models/active': { who: 'admin', status: 200, body: () => ({ model: MODEL }) },
}

/** True if a caller has access to a route, whatever its object. */
export const isLetIn = ({ who }: RouteSample, { role, permissions }: Account): boolean =>
  who === 'public' || (who === 'user' && role !== null) || role === 'admin' || permissions.includes(who)

/** Returns the expected reply to a caller. */
export function expectedAnswer(sample: RouteSample, caller: Account, object: string | undefined): Answer {
  if (!isLetIn(sample, caller)) return caller.role === null ? '401 AUTH_FAILED' : FORBIDDEN
  const answer = object === undefined ? 'ok' : sample.on!.answers[object]!
  return typeof answer === 'string' ? answer : answer[caller.role === 'admin' ? 1 : 0]
}

/** Returns the scope that an API key needs for a route, and below GET the permission that opens it as well. */
export function scopeOf(name: string, { who, scope }: RouteSample): { wanted: string; also?: string } {
  if (scope !== undefined) return { wanted: scope }
  const permission = who === 'user' || who === 'admin' ? undefined : who
  if (name.startsWith('GET ')) return { wanted: 'read', ...(permission && { also: permission }) }
  return { wanted: permission ?? (who === 'admin' ? 'admin' : 'write') }
}
