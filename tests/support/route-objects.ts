import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateSync } from 'otplib'
import type { MessageDocument, ThreadDocument } from '../../plugins/conversations/chat/documents.ts'
import { digest } from '../../plugins/identity/sso/sign-in-state.ts'
import type { ConnectorDocument } from '../../plugins/tools/connectors/types.ts'
import type { BaseDocument, KnowledgeDocument } from '../../plugins/tools/knowledge/types.ts'
import { SSO_PUBLIC_URL } from './oidc-client.ts'
import { type Account, ASK_ME, arrange, type Cast } from './route-cast.ts'
import type { ObjectAnswers, RouteSample } from './route-samples.ts'
import { createSoftwareAuthenticator } from './software-authenticator.ts'

/** The values that bodies are built from. */
export interface Make {
  /** A new name for an account, agent or provider. */
  name(): string
  /** A new, unique password, key or code. */
  secret(): string
  /** Sets a password of the caller. */
  password(): Promise<string>
  /** The code of a new invite. */
  inviteCode(): Promise<string>
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
  /** A thread with the agent in the path whose turn waits for the caller; an unknown id if the caller has none. */
  pausedThread(): Promise<string>
  /** The id of an agent that everybody may open. */
  sharedAgent(): Promise<string>
  /** The slug of the skill in packages. */
  skill: string
  /** The base URL of a model provider that answers. */
  upstream: string
  admin: { username: string; password: string }
}

/** Reads the session of a caller in the token. */
const readSessionId = ({ token }: Account): string =>
  token === null ? '' : JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).jti

/** The parameters of a path. */
type Params = Record<string, string>
type Maker = (caller: Account) => Promise<Params> | Params

let named = 0
const name = () => `sample-${++named}`
const secret = () => `canary-${++named}-secret`
const SKILL = 'sample'
const MISSING = '01JZZZZZZZZZZZZZZZZZZZZZZZ'

/** Creates bodies, and the objects of every class that paths name. */
export function createObjects(cast: Cast) {
  const { server, owner, administrator, upstream } = cast
  const newAgent = async (account: Account, is_shared = false): Promise<Params> => {
    const { id } = await arrange(server, account, ['POST', '/agents', { name: name(), is_shared }])
    return { id }
  }
  const newFile = async (agent: Promise<Params>): Promise<Params> => {
    const { id } = await agent
    await writeFile(join(server.home, 'agents', id!, 'notes.txt'), 'some notes')
    return { id: id! }
  }
  const kept = new Map<string, Params>()
  const keep = async (key: string, make: () => Promise<Params> | Params): Promise<Params> => {
    const params = kept.get(key) ?? (await make())
    kept.set(key, params)
    return params
  }
  const agentOf = (account: Account, is_shared = false) =>
    keep(`agent with threads ${account.id} ${is_shared}`, () => newAgent(account, is_shared))
  /** Runs a turn without a question, whose messages can be forked. */
  const storeReply = async (thread_id: string) => {
    const reply: MessageDocument = {
      _id: `msg_${thread_id}`,
      thread_id,
      position: 1,
      role: 'assistant',
      content: [{ type: 'text', text: 'a reply' }],
      timestamp: 0,
      turn_id: `trn_${thread_id}`,
      status: 'complete',
    }
    await server.db.collection<MessageDocument>('messages').insertOne(reply)
    await server.db
      .collection<ThreadDocument>('threads')
      .updateOne({ _id: thread_id }, { $set: { last_seq: 1 } })
  }
  const newThread = async (account: Account, { id }: Params): Promise<Params> => {
    const { thread_id } = await arrange(server, account, ['POST', `/agents/${id}/threads`])
    await storeReply(thread_id)
    return { id: id!, thread_id }
  }
  /** A thread with an agent that its owner no longer shares. */
  const newUnshared = async (account: Account): Promise<Params> => {
    const params = await newThread(account, await newAgent(owner, true))
    await arrange(server, owner, ['PATCH', `/agents/${params.id}`, { is_shared: false }])
    return params
  }
  const newProvider = async (account: Account, path: string): Promise<Params> => {
    const body = { name: name(), kind: 'openai-compatible', base_url: upstream, api_key: secret() }
    const { id } = await arrange(server, account, ['POST', path, body])
    return { id }
  }
  /** A connector of an account, or a global one; stored as it is, because its account may lack the permission. */
  const newConnector = async (account: Account | null): Promise<Params> => {
    const connector: ConnectorDocument = {
      _id: `con_${name()}`,
      name: name(),
      kind: 'mcp',
      scope: account ? 'user' : 'global',
      owner_id: account?.id ?? null,
      owner_username: account?.username ?? null,
      config: { url: cast.issuer, client_id: 'svc' },
      secret_config: null,
      is_default: false,
      is_trusted: false,
      status: 'failed',
      error: null,
      tools: [],
      seen: [],
      tools_stamp: '',
      checked_at: null,
      revision: 1,
      created_at: 0,
      updated_at: 0,
    }
    await server.db.collection<ConnectorDocument>('connectors').insertOne(connector)
    return { id: connector._id }
  }
  const newPublishedExpert = async (account: Account): Promise<Params> => {
    const { id } = await agentOf(account)
    const path = `/agents/${id}/publish-expert`
    const expert = await arrange(server, account, ['POST', path, { name: name() }])
    return { expert_id: expert.id }
  }
  const newSession = async (account: Account): Promise<Params> => {
    const token = await cast.openSession(account.id)
    const sessions = await arrange(server, { token }, ['GET', '/auth/sessions'])
    return { id: sessions.find(({ current }: { current: boolean }) => current).id }
  }
  const newKey = async (account: Account): Promise<Params> => {
    const body = { name: name(), scopes: ['read'] }
    const { id } = await arrange(server, account, ['POST', '/auth/api-keys', body])
    return { id }
  }
  const { ceremonies, totpFactors } = server.server.runtime.cradleOf('two-factor')
  const party = { id: new URL(SSO_PUBLIC_URL).hostname, origin: SSO_PUBLIC_URL }
  const device = createSoftwareAuthenticator(party.origin)
  const makePasskey = async (account: Account) =>
    device.create(await ceremonies.beginRegistration(account as never, party))
  const newPasskey = async (account: Account): Promise<Params> => {
    const attestation = (await makePasskey(account)) as never
    const { _id } = await ceremonies.register(account as never, { name: name(), attestation }, party)
    return { id: _id }
  }
  /** Begins to set up an app in a session; returns its code, with spaces that make it long enough to search for. */
  const beginTotp = async ({ id }: Account, session_id: string): Promise<string> =>
    [...generateSync({ secret: await totpFactors.begin(id, session_id) })].join(' ')
  const newInvite = () => arrange(server, administrator, ['POST', '/users/invites', {}])
  const newPackage = async (account: Account): Promise<Params> => {
    const { id } = await arrange(server, account, ['POST', '/skill-packages', { name: name() }])
    const files = [{ path: 'SKILL.md', content: 'A skill in a package.' }]
    await arrange(server, account, ['POST', `/skill-packages/${id}/skills`, { slug: SKILL, files }])
    return { id }
  }
  const somePackage = () => keep('a package', () => newPackage(administrator))
  const newSkill = async (account: Account, is_shared = false): Promise<Params> => {
    const [{ id }, { id: package_id }] = [await newAgent(account, is_shared), await somePackage()]
    const path = `/agents/${id}/skill-packages/${package_id}/copy`
    await arrange(server, account, ['POST', path, { skill_slugs: [SKILL] }])
    return { id: id!, slug: SKILL }
  }
  const withPackage = async ({ id }: Params): Promise<Params> => ({
    id: id!,
    package_id: (await somePackage()).id!,
  })
  const newChannel = async ({ id }: Params, enabled = false): Promise<Params> => {
    const config = { secret: secret(), callback_url: 'http://192.31.196.1/callback' }
    const body = { kind: 'webhook', name: name(), enabled, config }
    const channel = await arrange(server, administrator, ['POST', `/agents/${id}/channels`, body])
    return { id: id!, cid: channel.id }
  }
  const { identities, signInCodes, users } = server.server.runtime.cradleOf('sso')
  const newRunner = async (): Promise<Params> => {
    const runner = name()
    await arrange(server, administrator, ['PUT', `/acp/${runner}`, { command: 'nothing' }])
    return { name: runner }
  }
  const permissions = cast.holders.flatMap((holder) => holder.permissions)
  const newUser = async (role: 'user' | 'admin', permissions: string[] = []): Promise<Params> => ({
    id: (await cast.createAccount({ label: 'an account', role, permissions })).username,
  })

  const newResponse = async (account: Account): Promise<Params> => {
    const { id: model } = await agentOf(owner, true)
    const { id } = await arrange(server, account, ['POST', '/v1/responses', { model, input: 'hello' }])
    return { id }
  }

  const newSchedule = async (account: Account, { id }: Params): Promise<Params> => {
    const body = { name: name(), prompt: 'Do it.', schedule: { every_seconds: 31_536_000 } }
    const made = await arrange(server, account, ['POST', `/agents/${id}/cron`, body])
    return { id: id!, job_id: made.id }
  }

  const newBase = async (account: Account, is_shared = false): Promise<Params> => {
    const { id } = await arrange(server, administrator, [
      'POST',
      '/knowledge-bases',
      { name: name(), is_shared },
    ])
    // An account without the permission may have had it before.
    await server.db
      .collection<BaseDocument>('knowledge_bases')
      .updateOne({ _id: id }, { $set: { user_id: account.id } })
    return { id }
  }
  /** A document that was read. */
  const newDocument = async ({ id }: Params): Promise<Params> => {
    const doc_id = `doc_${name()}`
    const { user_id } = (await server.db.collection<BaseDocument>('knowledge_bases').findOne({ _id: id! }))!
    const document: KnowledgeDocument = {
      _id: doc_id,
      base_id: id!,
      user_id,
      path: doc_id,
      filename: 'a.txt',
      media_type: 'text/plain',
      size: 4,
      hash: doc_id,
      url: null,
      version: doc_id,
      text_version: doc_id,
      pages: null,
      status: 'ready',
      error: null,
      progress: 1,
      indexes: {},
      created_at: 0,
      updated_at: 0,
      changed_at: 0,
    }
    const folder = join(server.home, 'knowledge', 'documents')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, doc_id), 'text')
    const segments = [{ kind: 'text', start: 0, end: 4 }]
    await writeFile(join(folder, `${doc_id}.json`), JSON.stringify({ text: 'text', segments }))
    await server.db.collection<KnowledgeDocument>('knowledge_documents').insertOne(document)
    return { id: id!, doc_id }
  }

  const makers: Record<ObjectAnswers['kind'], Record<string, Maker>> = {
    acp_runner: {
      built_in: () => ({ name: 'opencode' }),
      defined: newRunner,
      missing: () => ({ name: 'nobody' }),
    },
    agent: {
      own: newAgent,
      shared: () => newAgent(owner, true),
      unshared: async (caller) => ({ id: (await newUnshared(caller)).id! }),
      other: () => newAgent(owner),
      missing: () => ({ id: MISSING }),
    },
    model: {
      own: async (caller) => ({ model: (await newAgent(caller)).id! }),
      shared: async () => ({ model: (await newAgent(owner, true)).id! }),
      unshared: async (caller) => ({ model: (await newUnshared(caller)).id! }),
      other: async () => ({ model: (await newAgent(owner)).id! }),
      missing: () => ({ model: MISSING }),
    },
    response: {
      own: newResponse,
      other: () => newResponse(owner),
      missing: () => ({ id: `resp_${MISSING}${MISSING}` }),
    },
    agent_file: {
      own: (caller) => newFile(newAgent(caller)),
      shared: () => newFile(newAgent(owner, true)),
      other: () => newFile(newAgent(owner)),
      missing: () => ({ id: MISSING }),
    },
    channel: {
      own: async (caller) => newChannel(await newAgent(caller)),
      shared: async () => newChannel(await newAgent(owner, true)),
      other: async () => newChannel(await newAgent(owner)),
      async own_below_another_agent(caller) {
        const { cid } = await newChannel(await newAgent(caller))
        return { ...(await newAgent(caller)), cid: cid! }
      },
      missing_on_own: async (caller) => ({ ...(await newAgent(caller)), cid: `chn_${MISSING}` }),
      missing: () => ({ id: MISSING, cid: `chn_${MISSING}` }),
    },
    channel_hook: {
      enabled: async () => ({ channel_id: (await newChannel(await newAgent(owner), true)).cid! }),
      disabled: async () => ({ channel_id: (await newChannel(await newAgent(owner))).cid! }),
      missing: () => ({ channel_id: `chn_${MISSING}` }),
    },
    channel_scan: {
      scannable: async (caller) => ({ ...(await newAgent(caller)), kind: 'qq' }),
      scannable_of_another: async () => ({ ...(await newAgent(owner)), kind: 'qq' }),
      unscannable: async (caller) => ({ ...(await newAgent(caller)), kind: 'webhook' }),
      unknown_kind: async (caller) => ({ ...(await newAgent(caller)), kind: 'smoke' }),
      missing: () => ({ id: MISSING, kind: 'qq' }),
    },
    connector: {
      own: newConnector,
      global: () => newConnector(null),
      other: () => newConnector(owner),
      missing: () => ({ id: `con_${MISSING}` }),
    },
    // These always succeed.
    chatting_agent: {
      own: (caller) => agentOf(caller),
      shared: () => agentOf(owner, true),
      unshared: async (caller) => ({ id: (await newUnshared(caller)).id! }),
      other: () => agentOf(owner),
      missing: () => ({ id: MISSING }),
    },
    thread: {
      own: async (caller) => newThread(caller, await agentOf(caller)),
      own_on_shared_agent: async (caller) => newThread(caller, await agentOf(owner, true)),
      own_on_unshared_agent: newUnshared,
      other_on_own_agent: async (caller) => newThread(owner, await agentOf(caller, true)),
      other_on_shared_agent: async () => newThread(owner, await agentOf(owner, true)),
      other_on_other_agent: async () => newThread(owner, await agentOf(owner)),
      async own_below_another_agent(caller) {
        const { thread_id } = await newThread(caller, await agentOf(caller))
        return { ...(await agentOf(owner, true)), thread_id: thread_id! }
      },
      missing: async () => ({ ...(await agentOf(owner, true)), thread_id: `thr_${MISSING}` }),
      missing_on_missing_agent: () => ({ id: MISSING, thread_id: `thr_${MISSING}` }),
    },
    schedule: {
      own: async (caller) => newSchedule(caller, await agentOf(caller)),
      own_on_shared_agent: async (caller) => newSchedule(caller, await agentOf(owner, true)),
      other_on_own_agent: async (caller) => newSchedule(owner, await agentOf(caller, true)),
      other_on_other_agent: async () => newSchedule(owner, await agentOf(owner)),
      async own_below_another_agent(caller) {
        const { job_id } = await newSchedule(caller, await agentOf(caller))
        return { ...(await agentOf(owner, true)), job_id: job_id! }
      },
      missing: async () => ({ ...(await agentOf(owner, true)), job_id: `job_${MISSING}` }),
      missing_on_missing_agent: () => ({ id: MISSING, job_id: `job_${MISSING}` }),
    },
    tool: {
      own: async (caller) => ({ ...(await newAgent(caller)), tool_name: 'write_file' }),
      shared: async () => ({ ...(await newAgent(owner, true)), tool_name: 'write_file' }),
      other: async () => ({ ...(await newAgent(owner)), tool_name: 'write_file' }),
      unknown: async (caller) => ({ ...(await newAgent(caller)), tool_name: 'unheard-of' }),
      missing: () => ({ id: MISSING, tool_name: 'write_file' }),
    },
    provider: {
      own: (caller) => newProvider(caller, '/providers'),
      global: () => newProvider(administrator, '/admin/providers'),
      other: () => newProvider(owner, '/providers'),
      missing: () => ({ id: MISSING }),
    },
    session: {
      own: newSession,
      other: () => newSession(owner),
      missing: () => ({ id: MISSING }),
    },
    api_key: {
      own: newKey,
      other: () => newKey(owner),
      missing: () => ({ id: MISSING }),
    },
    passkey: {
      own: newPasskey,
      other: () => newPasskey(owner),
      missing: () => ({ id: MISSING }),
    },
    expert: {
      bundled: () => ({ expert_id: 'general-assistant' }),
      missing: () => ({ expert_id: 'nobody' }),
    },
    published_expert: {
      own: newPublishedExpert,
      other: () => newPublishedExpert(owner),
      missing: () => ({ expert_id: MISSING }),
    },
    invite: {
      pending: async () => ({ invite_id: (await newInvite()).id }),
      async revoked() {
        const { id } = await newInvite()
        await arrange(server, administrator, ['POST', `/users/invites/${id}/revoke`])
        return { invite_id: id }
      },
      missing: () => ({ invite_id: MISSING }),
    },
    knowledge_base: {
      own: (caller) => newBase(caller),
      shared: () => newBase(owner, true),
      other: () => newBase(owner),
      missing: () => ({ id: `kb_${MISSING}` }),
    },
    knowledge_document: {
      own: async (caller) => newDocument(await newBase(caller)),
      shared: async () => newDocument(await newBase(owner, true)),
      other: async () => newDocument(await newBase(owner)),
      async own_below_another_base(caller) {
        const { doc_id } = await newDocument(await newBase(caller))
        return { ...(await newBase(caller)), doc_id: doc_id! }
      },
      missing: () => ({ id: `kb_${MISSING}`, doc_id: `doc_${MISSING}` }),
    },
    persona: {
      built_in: () => ({ code: 'INFP' }),
      missing: () => ({ code: 'INFX' }),
    },
    agent_skill: {
      own: (caller) => newSkill(caller),
      shared: () => newSkill(owner, true),
      other: () => newSkill(owner),
      missing_on_own: async (caller) => ({ id: (await newAgent(caller)).id!, slug: SKILL }),
      missing: () => ({ id: MISSING, slug: SKILL }),
    },
    agent_and_package: {
      own: async (caller) => withPackage(await newAgent(caller)),
      shared: async () => withPackage(await newAgent(owner, true)),
      other: async () => withPackage(await newAgent(owner)),
      missing_on_own: async (caller) => ({ id: (await newAgent(caller)).id!, package_id: MISSING }),
      missing: () => withPackage({ id: MISSING }),
    },
    sign_in_kind: {
      known: () => ({ kind: 'oidc' }),
      missing: () => ({ kind: 'github' }),
    },
    skill_package: {
      other: () => newPackage(administrator),
      own: newPackage,
      missing: () => ({ id: MISSING }),
    },
    packed_skill: {
      other: async () => ({ id: (await newPackage(administrator)).id!, slug: SKILL }),
      own: async (caller) => ({ id: (await newPackage(caller)).id!, slug: SKILL }),
      missing_in_own: async (caller) => ({ id: (await newPackage(caller)).id!, slug: 'none' }),
      missing: () => ({ id: MISSING, slug: SKILL }),
    },
    user: {
      own: ({ username }) => ({ id: username }),
      other: () => newUser('user'),
      stronger: () => newUser('user', permissions),
      administrator: () => newUser('admin'),
      missing: () => ({ id: 'nobody' }),
    },
  }

  return {
    secret,

    /** Returns the path parameters of an object of this class, seen by the caller; a new object if it is used up. */
    async params({ on, spends }: RouteSample, object: string | undefined, caller: Account): Promise<Params> {
      if (!on || object === undefined) return {}
      const maker = makers[on.kind][object]
      if (!maker) throw new Error(`nothing makes the ${on.kind} "${object}"`)
      // A caller who is not signed in owns nothing.
      const holder = caller.role === null ? owner : caller
      return spends ? maker(holder) : keep(`${on.kind} ${object} ${holder.id}`, () => maker(holder))
    },

    /** Returns the values for the bodies of this caller. */
    make: (caller: Account, params: () => Promise<Params>): Make => ({
      name,
      secret,
      upstream,
      admin: server.admin,
      async password() {
        const password = secret()
        if (caller.role !== null) await cast.givePassword(caller, password)
        return password
      },
      inviteCode: async () => (await newInvite()).code,
      async recoveryCode() {
        const code = await beginTotp(caller, 'a session')
        if (caller.role === null) return code
        const [first] = (await totpFactors.confirm(caller.id, 'a session', code))!
        return first!
      },
      appCode: () => beginTotp(caller, readSessionId(caller)),
      newPasskey: () => makePasskey(caller),
      async passkeySignIn() {
        const account = await cast.createAccount({ label: 'an account' })
        const { id } = await newPasskey(account)
        return device.get(await ceremonies.beginSignIn(party), { credential: id! })
      },
      async signIn() {
        const [key, state] = [secret(), secret()]
        const linked = [{ kind: 'oidc', key, linked_at: 0 }]
        const { _id } = await users.create({ username: name(), identities: linked })
        const came = { user_id: _id, identity_key: key, attempt_id: digest(state) }
        return { code: await signInCodes.issue(came), state }
      },
      async linkedKind() {
        const kind = 'oidc'
        if (caller.role === null) return kind
        await cast.givePassword(caller, secret())
        await identities.link(caller.id, { kind, key: `identity of ${caller.id}` })
        return kind
      },
      sharedAgent: async () => (await agentOf(owner, true)).id!,
      skill: SKILL,
      async packageId() {
        const { role, permissions, must_change_password } = caller
        const may = role === 'admin' || permissions.includes('skill_packages')
        const { id } = await newPackage(may && !must_change_password ? caller : administrator)
        await arrange(server, administrator, ['DELETE', `/skill-packages/${id}/skills/${SKILL}`])
        return id!
      },
      async pausedThread() {
        const [{ id }, { token }] = [await params(), caller]
        const made = await server.request('POST', `/agents/${id}/threads`, { token })
        if (made.status !== 201) return `thr_${MISSING}`
        const { thread_id } = made.body
        const socket = await server.connect(`/agents/${id}/chat/ws`, { token: token! })
        socket.send({ type: 'user_turn', thread_id, text: ASK_ME })
        await socket.next('hitl_required')
        socket.close()
        return thread_id
      },
    }),
  }
}
