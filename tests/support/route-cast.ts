import { useUpstream } from '../../plugin-api/testing/agent-bench.ts'
import { createFakeOpenAI } from '../../plugin-api/testing/fake-openai.ts'
import type { Test } from '../run/file-test.ts'
import { useMedia } from './fake-media.ts'
import { startFakePush } from './fake-push.ts'
import { startFakeQq } from './fake-qq.ts'
import { SSO_PUBLIC_URL, useIssuer } from './oidc-client.ts'
import { startOidcForger } from './oidc-forger.ts'
import { startServer, type TestServer } from './server.ts'
import { startReceiver } from './webhook-receiver.ts'

/** A caller of routes. */
export interface Account {
  /** The name of the class of callers that it represents. */
  label: string
  id: string
  username: string
  /** Null if not signed in. */
  role: 'user' | 'admin' | null
  permissions: string[]
  token: string | null
  must_change_password: boolean
}

/** A server with one account of each class of callers, and an owner of the objects of others. */
export type Cast = Awaited<ReturnType<typeof startCast>>

type Wanted = Pick<Account, 'label'> &
  Partial<Pick<Account, 'permissions' | 'must_change_password'>> & {
    role?: 'user' | 'admin'
  }

/** A message that makes the upstream model ask the user something. */
export const ASK_ME = 'Ask me something.'

/** A message that makes the upstream model call a tool that needs an approval. */
export const CANCEL_IT = 'Cancel a schedule.'

/** The tool calls with which the upstream model answers these messages. */
const CALLS: Record<string, { name: string; arguments: object }> = {
  [ASK_ME]: { name: 'ask_user_question', arguments: { question: 'Which?' } },
  [CANCEL_IT]: { name: 'schedule', arguments: { action: 'cancel', job_id: 'none' } },
}

/** The limits of what tests make for each class of callers. */
const OBJECTS = [
  ...[
    'agents',
    'api_keys',
    'connectors',
    'knowledge_bases',
    'memories',
    'passkeys',
    'providers',
    'published_experts',
  ],
  ...['projects', 'prompts', 'push_subscriptions', 'schedules', 'shares', 'skill_packages', 'triggers'],
  'webhooks',
]
const MANY = 100_000

/** Starts a server behind a trusted proxy, so that every call can have its own address. */
export async function startCast(t: Test, limits: Record<string, number> = {}) {
  const upstream = await createFakeOpenAI()
  t.teardown(() => upstream.close())
  upstream.script(({ body }) => {
    const call = CALLS[String(body.messages.at(-1)!.content)]
    return call ? { toolCalls: [call] } : { text: 'ok' }
  })
  const platform = await startFakeQq()
  t.teardown(() => platform.close())
  const push = await startFakePush(t)
  const receiver = await startReceiver(t)
  const issuer = await startOidcForger()
  t.teardown(() => issuer.close())
  const server = await startServer(t, {
    config: {
      limits: { ...Object.fromEntries(OBJECTS.map((name) => [name, MANY])), ...limits },
      http: { trust_proxy: true, public_url: SSO_PUBLIC_URL },
      plugins: {
        providers: { allow_hosts: ['127.0.0.1'] },
        channels: { endpoints: { qq: platform.endpoints } },
        sso: { allow_hosts: ['127.0.0.1'] },
        connectors: { allow_hosts: ['127.0.0.1'] },
        push: { allow_hosts: ['127.0.0.1'] },
        webhooks: { allow_hosts: ['127.0.0.1'] },
        shares: { public: true },
      },
    },
  })
  await useIssuer(server, issuer.url)
  // The demo model, which is active otherwise, pauses between its words.
  await useUpstream({ request: (method, path, body) => server.request(method, path, { body }) }, upstream.url)
  await useMedia(server, upstream.url)
  const { runtime } = server.server
  const { users, logins } = runtime.cradleOf('auth')
  let made = 0

  /** Signs in without a password, whose hash would take time to check. */
  const openSession = async (id: string) =>
    (await logins.open((await users.find(id))!, { ip: '10.0.0.1', user_agent: null }, 'password'))
      .access_token

  const createAccount = async ({
    label,
    role = 'user',
    permissions = [],
    must_change_password = false,
  }: Wanted): Promise<Account> => {
    made += 1
    const { _id: id, username } = await users.create({ username: `account-${made}`, role, permissions })
    const account = { label, id, username, role, permissions, must_change_password }
    if (must_change_password) await users.setPassword(id, `first-password-${made}`, { must_change_password })
    return { ...account, token: await openSession(id) }
  }

  const anonymous: Account = {
    label: 'somebody who is not signed in',
    id: '',
    username: '',
    role: null,
    permissions: [],
    token: null,
    must_change_password: false,
  }
  const plain = await createAccount({ label: 'a user' })
  const holders = []
  for (const { key } of runtime.permissionCatalog.list())
    holders.push(await createAccount({ label: `a holder of ${key}`, permissions: [key] }))
  const administrator = await createAccount({ label: 'an administrator', role: 'admin' })
  const owner = await createAccount({ label: 'the owner of what is not the callers’' })
  return {
    server,
    upstream: upstream.url,
    issuer: issuer.url,
    push,
    receiver: receiver.url,
    anonymous,
    plain,
    holders,
    administrator,
    owner,
    createAccount,
    openSession,
    /** Sets the password of an account without ending its sessions. */
    async givePassword({ id, must_change_password }: Account, password: string): Promise<void> {
      await users.setPassword(id, password, { must_change_password })
    },
    disable: ({ id }: Account) => users.update(id, { enabled: false }),
    setFolder: ({ id }: Account, workspace_root_dir: string | null) =>
      users.update(id, { workspace_root_dir }),
  }
}

/** Calls the API as an account to set up a test; throws unless it succeeds. */
export const arrange = (
  { call }: TestServer,
  { token }: Pick<Account, 'token'>,
  [method, path, body]: [method: string, path: string, body?: object],
) => call(method, path, body, token)
