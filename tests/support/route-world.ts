import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { generateSync } from 'otplib'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import type { MessageDocument, ThreadDocument } from '../../plugins/conversations/chat/documents.ts'
import { digest } from '../../plugins/identity/sso/sign-in-state.ts'
import type { BaseDocument, KnowledgeDocument } from '../../plugins/tools/knowledge/types.ts'
import { SSO_PUBLIC_URL } from './oidc-client.ts'
import type { Made, Params, World } from './path-objects.ts'
import type { RouteSample } from './route-access.ts'
import { createBody, type Make } from './route-bodies.ts'
import type { ServedRoute } from './route-calls.ts'
import { type Account, ASK_ME, arrange, CANCEL_IT, type Cast } from './route-cast.ts'
import { createSoftwareAuthenticator } from './software-authenticator.ts'

/** Reads the session of a caller in the token. */
const readSessionId = ({ token }: Account): string =>
  token === null ? '' : JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).jti

let created = 0
const name = () => `sample-${++created}`
const secret = () => `canary-${++created}-secret`
const MISSING = '01JZZZZZZZZZZZZZZZZZZZZZZZ'
/** The file of the examples of the API. */
const FILE = 'notes/plan.md'

/** Connectors at which accounts can sign in, and channels that can send replies. */
const CONFIGS: Record<string, (cast: Cast) => object> = {
  '/connectors/:id': ({ issuer }) => ({ config: { url: issuer, client_id: 'svc' } }),
  '/agents/:id/channels/:cid': () => ({
    config: { secret: secret(), callback_url: 'http://192.31.196.1/callback' },
  }),
}

/** Creates the objects of paths, and the values of bodies. */
export function createWorld(cast: Cast, routes: readonly ServedRoute[]) {
  const { server, owner, administrator, upstream, push, receiver } = cast
  const { db } = server
  const { ceremonies, totpFactors } = server.server.runtime.cradleOf('two-factor')
  const { identities, signInCodes, users } = server.server.runtime.cradleOf('sso')
  const { passwordLinks } = server.server.runtime.cradleOf('accounts')
  const party = { id: new URL(SSO_PUBLIC_URL).hostname, origin: SSO_PUBLIC_URL }
  const device = createSoftwareAuthenticator(party.origin)

  /** Stores an answer, so that a thread can be forked. */
  const storeReply = async (thread_id: string) => {
    await db.collection<MessageDocument>('messages').insertOne({
      ...{ _id: `msg_${thread_id}`, thread_id, turn_id: `trn_${thread_id}`, position: 1, role: 'assistant' },
      ...{ content: [{ type: 'text', text: 'a reply' }], timestamp: 0, status: 'complete' },
    })
    await db.collection<ThreadDocument>('threads').updateOne({ _id: thread_id }, { $set: { last_seq: 1 } })
  }

  /** Stores a document that was read, which a route would do later. */
  const storeDocument = async (base_id: string): Promise<string> => {
    const doc_id = `doc_${name()}`
    const { user_id } = (await db.collection<BaseDocument>('knowledge_bases').findOne({ _id: base_id }))!
    const versions = { hash: doc_id, version: doc_id, text_version: doc_id }
    await db.collection<KnowledgeDocument>('knowledge_documents').insertOne({
      ...{
        _id: doc_id,
        base_id,
        user_id,
        path: doc_id,
        filename: 'a.txt',
        media_type: 'text/plain',
        size: 4,
      },
      ...{
        ...versions,
        url: 'https://example.com/a.txt',
        pages: null,
        status: 'ready',
        error: null,
        progress: 1,
        indexes: {},
      },
      ...{ created_at: 0, updated_at: 0, changed_at: 0 },
    })
    const folder = join(server.home, 'knowledge', 'documents')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, doc_id), 'text')
    const segments = [{ kind: 'text', start: 0, end: 4 }]
    await writeFile(join(folder, `${doc_id}.json`), JSON.stringify({ text: 'text', segments }))
    return doc_id
  }

  /** Calls a route as an account, which has the permission for it only meanwhile. */
  const callAs = async (by: Account, route: ServedRoute, path: string, body: object | undefined) => {
    const permission = typeof route.guard === 'object' ? route.guard[1] : undefined
    const isLacking = permission !== undefined && by.role === 'user' && !by.permissions.includes(permission)
    if (isLacking) await users.update(by.id, { permissions: [...by.permissions, permission] })
    const reply = await arrange(server, by, ['POST', path, body])
    if (isLacking) await users.update(by.id, { permissions: by.permissions })
    return reply
  }

  const groups = new Map<string, Promise<string>>()
  const createGroup = async ({ username }: Account): Promise<string> => {
    const { id } = await arrange(server, administrator, ['POST', '/groups', { name: name() }])
    await arrange(server, administrator, ['PUT', `/groups/${id}/members/${username}`])
    return id
  }
  /** Returns a group with this account in it: the one that it stays in, or a new one. */
  const groupOf = (account: Account, isNew: boolean): Promise<string> => {
    if (isNew) return createGroup(account)
    const group = groups.get(account.id) ?? createGroup(account)
    groups.set(account.id, group)
    return group
  }
  const leaveGroup = (group: string, { username }: Account) =>
    arrange(server, administrator, ['DELETE', `/groups/${group}/members/${username}`])

  const world: World = {
    owner,
    administrator,
    async add({ params, by }, path, fields) {
      const collection = path.slice(0, path.lastIndexOf('/'))
      const parameter = path.slice(collection.length + 2)
      if (parameter === 'doc_id')
        return { by, params: { ...params, doc_id: await storeDocument(params.id!) } }
      const route = routes.find((route) => route.name === `POST ${collection}`)!
      const values = await createBody(
        route,
        createMake(by, async () => params),
      )
      const body: object =
        values instanceof FormData ? values : { ...values, ...CONFIGS[path]?.(cast), ...fields }
      const filled = collection.replace(/:(\w+)/g, (_, key) => params[key]!)
      const reply = await callAs(by, route, filled, body)
      const value: string = reply[parameter] ?? (body as Params)[parameter] ?? reply.id
      if (path === '/agents/:id') {
        const file = join(server.home, 'agents', value, FILE)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, 'some notes')
      }
      if (parameter === 'thread_id') await storeReply(value)
      return { by, params: { ...params, [parameter]: value } }
    },
    async addSession(by) {
      const token = await cast.openSession(by.id)
      const sessions = await arrange(server, { token }, ['GET', '/auth/sessions'])
      return { by, params: { id: sessions.find(({ current }: { current: boolean }) => current).id } }
    },
    async addRunner() {
      const runner = name()
      await arrange(server, administrator, ['PUT', `/acp/${runner}`, { command: 'nothing' }])
      return { by: administrator, params: { name: runner } }
    },
    async addPrice() {
      const model = name()
      await arrange(server, administrator, ['PUT', `/admin/prices/${model}`, { input: 1 }])
      return { by: administrator, params: { model } }
    },
    async addDelivery({ by, params }) {
      const { id } = await arrange(server, by, ['POST', `/webhooks/${params.id}/test`])
      return { by, params: { ...params, delivery_id: id } }
    },
    async addUser(role, rights) {
      const permissions = rights === 'all' ? cast.holders.flatMap((holder) => holder.permissions) : []
      const by = await cast.createAccount({ label: 'an account', role, permissions })
      return { by, params: { id: by.username } }
    },
    async share(made, path, grantee, { way, access, is_revoked = false }) {
      const filled = path.replace(/:(\w+)/g, (_, key) => made.params[key]!)
      const setGrants = (grants: object[]) => arrange(server, made.by, ['PUT', `${filled}/grants`, grants])
      // An account that leaves a group loses all that is shared with it.
      const group = way === 'group' ? await groupOf(grantee, is_revoked) : undefined
      const to = { person: { user: grantee.username }, group: { group }, everyone: { everyone: true } }[way]
      await setGrants([{ ...to, access }])
      if (is_revoked && group) await leaveGroup(group, grantee)
      else if (is_revoked) await setGrants([])
      return made
    },
    async addGroup(rights) {
      const permissions = rights === 'all' ? cast.holders.flatMap((holder) => holder.permissions) : []
      const body = { name: name(), permissions }
      const { id } = await arrange(server, administrator, ['POST', '/groups', body])
      return { by: administrator, params: { id } }
    },
    async revoke(invite) {
      await arrange(server, administrator, ['POST', `/users/invites/${invite.params.invite_id}/revoke`])
      return invite
    },
  }

  const addFor = (by: Account, path: string, fields?: object): Promise<Made> =>
    world.add({ params: {}, by }, path, fields)
  /** Begins to set up an app in a session; returns its code, with spaces that make it long enough to search for. */
  const beginTotp = async ({ id }: Account, session_id: string): Promise<string> =>
    [...generateSync({ secret: await totpFactors.begin(id, session_id) })].join(' ')
  const makePasskey = async (account: Account) =>
    device.create(await ceremonies.beginRegistration(account as never, party))
  let shared: Promise<Made> | undefined

  /** Starts a turn that waits for its account, and resolves with the frame that says so. */
  const pauseTurn = async ({ token }: Account, { id, thread_id }: Params, text: string) => {
    const socket = await server.connect(`/agents/${id}/chat/ws`, { token: token! })
    socket.send({ type: 'user_turn', thread_id, text })
    const frame = await socket.next('hitl_required')
    socket.close()
    return frame
  }

  /** The accounts that the tokens of notifications belong to. */
  const recipients = new Map<string, string>()

  /** Returns the values for the bodies of this caller. */
  const createMake = (caller: Account, params: () => Promise<Params>): Make => ({
    name,
    secret,
    upstream,
    receiver,
    admin: server.admin,
    async password() {
      const password = secret()
      if (caller.role !== null) await cast.givePassword(caller, password)
      return password
    },
    accountName: async () => (await cast.createAccount({ label: 'an account' })).username,
    inviteCode: async () => (await arrange(server, administrator, ['POST', '/users/invites', {}])).code,
    async passwordToken() {
      const { set_password_url } = await passwordLinks.create(await users.create({ username: name() }))
      return set_password_url.split('token=')[1]!
    },
    async recoveryCode() {
      const code = await beginTotp(caller, 'a session')
      if (caller.role === null) return code
      const [first] = (await totpFactors.confirm(caller.id, 'a session', code))!
      return first!
    },
    appCode: () => beginTotp(caller, readSessionId(caller)),
    newPasskey: () => makePasskey(caller),
    async passkeySignIn() {
      const { id } = (await addFor(await cast.createAccount({ label: 'an account' }), '/auth/passkeys/:id'))
        .params
      return device.get(await ceremonies.beginSignIn(party), { credential: id! })
    },
    async signIn() {
      const [key, state] = [secret(), secret()]
      const linked = [{ kind: 'oidc', key, linked_at: 0 }]
      const { _id } = await users.create({ username: name(), identities: linked })
      const attempt = { user_id: _id, identity_key: key, attempt_id: digest(state) }
      return { code: await signInCodes.issue(attempt), state }
    },
    async linkedKind() {
      const kind = 'oidc'
      if (caller.role === null) return kind
      await cast.givePassword(caller, secret())
      await identities.link(caller.id, { kind, key: `identity of ${caller.id}` })
      return kind
    },
    async sharedAgent() {
      shared ??= addFor(owner, '/agents/:id', { is_shared: true })
      return (await shared).params.id!
    },
    async packageId() {
      const { role, permissions, must_change_password } = caller
      const isAllowed = (role === 'admin' || permissions.includes('skill_packages')) && !must_change_password
      return (await addFor(isAllowed ? caller : administrator, '/skill-packages/:id')).params.id!
    },
    subscription: () => push.subscribe(),
    async notificationToken() {
      const account = await cast.createAccount({ label: 'an account' })
      const agent = await addFor(account, '/agents/:id')
      const { params: thread } = await world.add(agent, '/agents/:id/threads/:thread_id')
      await arrange(server, account, ['POST', '/auth/me/push', { subscription: push.subscribe() }])
      const frame = await pauseTurn(account, thread, CANCEL_IT)
      const { payload } = await push.until(({ payload }) => payload.tag === frame.pending_id)
      recipients.set(payload.token, account.username)
      return payload.token
    },
    importsEnded: () =>
      eventually('the end of an import', async () => {
        const active = { user_id: caller.id, is_active: true }
        return (await db.collection('imports').countDocuments(active)) === 0
      }),
    storedReply: async () => `msg_${(await params()).thread_id}`,
    async pausedThread() {
      const { id } = await params()
      const reply = await server.request('POST', `/agents/${id}/threads`, { token: caller.token })
      if (reply.status !== 201) return `thr_${MISSING}`
      const { thread_id } = reply.body
      await pauseTurn(caller, { id: id!, thread_id }, ASK_ME)
      return thread_id
    },
  })

  const stored = new Map<string, Made>()

  return {
    secret,
    createMake,
    /** Returns the name of the account that received a notification with this token. */
    recipientOf: (token: unknown) => recipients.get(String(token)),

    /** Returns the path parameters of an object of this class, seen by the caller; a new object if it is used up. */
    async params(
      path: string,
      { on, spends }: RouteSample,
      object: string | undefined,
      caller: Account,
    ): Promise<Params> {
      const names = [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter!)
      const make = object === undefined ? undefined : on?.makers[object]
      // A caller who is not signed in owns nothing.
      const holder = caller.role === null ? owner : caller
      const key = `${on?.kind} ${names} ${object} ${holder.id}`
      const made = (!spends && stored.get(key)) || (await make?.(world, holder))
      if (made && !spends) stored.set(key, made)
      return Object.fromEntries(names.map((parameter) => [parameter, made?.params[parameter] ?? MISSING]))
    },
  }
}
