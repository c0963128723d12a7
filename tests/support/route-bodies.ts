import { randomBytes } from 'node:crypto'
import type { JSONSchema } from '../../kernel/schema.ts'
import { MODEL } from '../../plugin-api/testing/agent-bench.ts'
import { makeSilence } from '../../plugin-api/toolbox/silence.ts'
import { MEDIA_MODELS } from './fake-media.ts'
import type { FakeSubscription } from './fake-push.ts'
import type { ServedRoute } from './route-calls.ts'

/** The values that bodies are built from. */
export interface Make {
  /** A new name for an account, agent or provider. */
  name(): string
  /** A new, unique password, key or code. */
  secret(): string
  /** Sets a password of the caller. */
  password(): Promise<string>
  /** The name of a new account. */
  accountName(): Promise<string>
  /** The code of a new invite. */
  inviteCode(): Promise<string>
  /** The token of a link with which a new account gets its first password. */
  passwordToken(): Promise<string>
  /** The code of a completed sign-in at another service. */
  signIn(): Promise<{ code: string; state: string }>
  /** A recovery code of the caller, who gets another authenticator app. */
  recoveryCode(): Promise<string>
  /** The code of an authenticator app that the caller's session sets up. */
  appCode(): Promise<string>
  /** A passkey that an authenticator made for the caller. */
  newPasskey(): Promise<object>
  /** The assertion of a passkey of a new account. */
  passkeySignIn(): Promise<object>
  /** The kind of an identity of the caller, who also has a password. */
  linkedKind(): Promise<string>
  /** The id of a new package that the caller, or else the administrator, may change. */
  packageId(): Promise<string>
  /** The id of the answer in the thread in the path. */
  storedReply(): Promise<string>
  /** A thread with the agent in the path whose turn waits for the caller; an unknown id if the caller has none. */
  pausedThread(): Promise<string>
  /** The id of an agent that everybody may open. */
  sharedAgent(): Promise<string>
  /** A new subscription of a browser to notifications. */
  subscription(): FakeSubscription
  /** The token of a notification about an approval that waits for a new account. */
  notificationToken(): Promise<string>
  /** Resolves once no import of the caller runs. */
  importsEnded(): Promise<unknown>
  /** The address of a receiver of webhooks that answers. */
  receiver: string
  /** The base URL of a model provider that answers. */
  upstream: string
  admin: { username: string; password: string }
}

type Value = (make: Make) => unknown

const anyPassword: Value = ({ password }) => password()
const headers: Value = ({ secret }) => ({ Authorization: secret() })
const runner = ({ secret }: Make) => ({ enabled: true, env: { API_KEY: secret() } })
const runners: Value = (make) => ({ opencode: runner(make) })
const provider: Record<string, Value> = {
  kind: () => 'openai-compatible',
  base_url: ({ upstream }) => upstream,
  api_key: ({ secret }) => secret(),
  options: ({ secret }) => ({ headers: { 'x-gateway-key': secret() } }),
  models: () => [{ id: 'm', name: 'M' }],
}
/** In Base64, because text is returned as text. */
const skillFiles: Value = () => [
  { path: 'SKILL.md', content_base64: Buffer.from('# Written by a sample').toString('base64') },
]

/** Values that must mean something to the server, and optional ones that bodies are to have, by the path below. */
const FIELDS: Record<string, Record<string, Value>> = {
  '/auth/login': { username: ({ admin }) => admin.username, password: ({ admin }) => admin.password },
  '/auth/change-password': { old_password: anyPassword },
  '/auth/totp': { code: ({ recoveryCode }) => recoveryCode() },
  '/auth/totp/confirm': { code: ({ appCode }) => appCode() },
  '/auth/passkeys': { password: anyPassword, attestation: ({ newPasskey }) => newPasskey() },
  '/auth/passkeys/sign-in': { assertion: ({ passkeySignIn }) => passkeySignIn() },
  '/auth/invite': { code: ({ inviteCode }) => inviteCode() },
  '/auth/set-password': { token: ({ passwordToken }) => passwordToken() },
  '/auth/me/push': {
    subscription: ({ subscription }) => subscription(),
    endpoint: ({ subscription }) => subscription().endpoint,
  },
  '/auth/oauth/unbind': { kind: ({ linkedKind }) => linkedKind() },
  // An address with which somebody could take the account over.
  '/users/:id': { email: ({ name }) => `${name()}@example.org` },
  '/models/active': { model: () => MODEL },
  '/models/defaults': {
    image: () => MEDIA_MODELS.image,
    speech: () => MEDIA_MODELS.speech,
    transcription: () => MEDIA_MODELS.transcription,
    rerank: () => null,
  },
  '/providers': provider,
  '/admin/providers': provider,
  '/admin/plugins/:name': { config: ({ secret }) => ({ token: secret() }) },
  '/connectors': {
    kind: () => 'mcp',
    config: (make) => ({ url: 'https://mcp.invalid/mcp', headers: headers(make) }),
    tools: () => ({}),
  },
  '/connectors/:id': { config: (make) => ({ headers: headers(make) }) },
  '/connectors/:id/credentials': { headers },
  '/acp': { runners, enabled: () => true, env: ({ secret }) => ({ API_KEY: secret() }) },
  '/agents/:id/acp': { runners },
  '/agents/:id/transfer': { username: ({ accountName }) => accountName() },
  '/agents/:id/channels': {
    kind: () => 'webhook',
    enabled: () => false,
    config: ({ secret }) => ({ secret: secret() }),
  },
  '/agents/:id/chat/hitl/resume': {
    thread_id: ({ pausedThread }) => pausedThread(),
    decisions: () => [{ type: 'respond', message: 'this one' }],
  },
  '/agents/:id/threads/:thread_id/path': { message_id: ({ storedReply }) => storedReply() },
  // A text is stored once.
  '/memories': { text: ({ name }) => `Remembers ${name()}` },
  '/memories/:id': { text: ({ name }) => `Remembers ${name()}` },
  // The example of a schedule may be due while the test runs.
  '/agents/:id/cron': { schedule: () => ({ every_seconds: 31_536_000 }) },
  '/agents/:id/skills': { files: skillFiles },
  '/skill-packages/:id/skills': { files: skillFiles },
  '/agents/:id/skill-packages/:package_id/copy': { skill_slugs: () => ['sample'] },
  '/agents/:id/skills/:slug/push-to-package': { package_id: ({ packageId }) => packageId() },
  '/shared/:share_id/continue': { agent_id: ({ sharedAgent }) => sharedAgent() },
  '/knowledge-bases/settings': { embedding_model: () => null },
  '/knowledge-bases/:id/documents': { url: () => 'http://192.31.196.1/page' },
  // The group that every server has.
  '/managed': {
    kind: () => 'group',
    id: () => 'grp_everyone',
    digest: () => randomBytes(32).toString('hex'),
  },
  '/push/decisions': { token: ({ notificationToken }) => notificationToken() },
  '/v1': {
    model: ({ sharedAgent }) => sharedAgent(),
    messages: () => [{ role: 'user', content: 'hello' }],
  },
  '/webhooks': { url: ({ receiver }) => receiver },
}

/** Creates a form with one file. */
function fileForm(name: string, content: string | Buffer): FormData {
  const form = new FormData()
  const bytes = typeof content === 'string' ? content : new Uint8Array(content)
  form.append('file', new Blob([bytes], { type: 'text/plain' }), name)
  return form
}

const THREAD_EXPORT = {
  ...{ format: 'svc-trajectory', version: 1, thread_id: 'thr_sample', title: null },
  ...{ created_at: 1, exported_at: 1, agent: { name: 'sample' } },
}
/** A conversation of ChatGPT. */
const CONVERSATION = {
  ...{ conversation_id: 'sample', title: null, create_time: 1, update_time: 1, current_node: 'a' },
  mapping: {
    a: {
      ...{ id: 'a', parent: null, children: [] },
      message: { id: 'a', author: { role: 'user' }, content: { content_type: 'text', parts: ['hi'] } },
    },
  },
}
/** Bodies that no schema describes, or whose fields belong together. */
const BODIES: Record<string, Value> = {
  'POST /mcp': () => ({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  'POST /auth/oauth/exchange': ({ signIn }) => signIn(),
  'POST /auth/oidc/exchange': ({ signIn }) => signIn(),
  'POST /users/import': ({ name }) => fileForm('people.csv', `username\n${name()}`),
  'POST /transcriptions': () => fileForm('speech.wav', makeSilence()),
  async 'POST /imports'({ importsEnded }) {
    await importsEnded()
    return fileForm('conversations.json', JSON.stringify([CONVERSATION]))
  },
  'POST /agents/:id/threads/import': () => fileForm('x.jsonl', JSON.stringify(THREAD_EXPORT)),
}

/** Fields with a name of their own, which nobody else may have. */
const UNIQUE = /^(name|username|slug)$/
const SECRET = /password|secret|token|key|code/

/** Creates a value that fits a schema: its example, or the least that it requires. */
function createValue(name: string, schema: JSONSchema, make: Make): unknown {
  if (UNIQUE.test(name)) return make.name()
  const branches = (schema.anyOf ?? schema.oneOf) as JSONSchema[] | undefined
  const { const: constant, examples, enum: values, type } = schema as Record<string, never>
  if (constant !== undefined) return constant
  if (SECRET.test(name) && [type].flat().includes('string' as never)) return make.secret()
  if (examples !== undefined) return examples[0]
  if (values !== undefined) return values[0]
  if (branches) return createValue(name, branches[0]!, make)
  switch ([type].flat()[0] as string | undefined) {
    case 'object':
      return createRequired(schema, make)
    case 'array':
      return []
    case 'integer':
    case 'number':
      return schema.minimum ?? 0
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return make.name()
  }
}

const createRequired = ({ properties = {}, required = [] }: JSONSchema, make: Make) =>
  Object.fromEntries(
    (required as string[]).map((name) => [
      name,
      createValue(name, (properties as Record<string, JSONSchema>)[name]!, make),
    ]),
  )

/** Creates a body of invented values, which means nothing to the server. */
export const inventBody = ({ body }: ServedRoute, make: Make): object =>
  body ? createRequired(body, make) : { token: make.secret() }

/** Creates a body that a route accepts; its secrets come from `make.secret`. Undefined if the route takes none. */
export async function createBody(route: ServedRoute, make: Make): Promise<object | undefined> {
  const whole = BODIES[route.name]
  if (whole) return (await whole(make)) as object
  if (route.upload && !route.body && !route.upload.as) return fileForm('notes.txt', 'some text')
  if (!route.body) return undefined
  if (route.body.type === 'array') return []
  const properties = (route.body.properties ?? {}) as Record<string, JSONSchema>
  const fields: Record<string, Value> = Object.assign(
    {},
    ...Object.keys(FIELDS)
      .filter((path) => `${route.path}/`.startsWith(`${path}/`))
      .sort((a, b) => a.length - b.length)
      .map((path) => FIELDS[path]),
  )
  const body: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    if (fields[name]) body[name] = await fields[name](make)
    else if ((route.body.required as string[] | undefined)?.includes(name))
      body[name] = createValue(name, schema, make)
  }
  if (Object.keys(body).length > 0) return body
  // Without a required field, a body has the first field with an example.
  const [first] = Object.entries(properties).filter(([, { examples }]) => examples !== undefined)
  return first ? { [first[0]]: createValue(...first, make) } : {}
}
