import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Document } from 'mongodb'
import { amount } from '../run/tier.ts'
import type { TestServer } from './server.ts'

/** Where the rows of a filled list are read, and the ids of those that it was filled with. */
interface FilledList {
  path: string
  /** Whose list it is; the administrator's unless told otherwise. */
  token?: string
  ids: string[]
}

/** A list with many rows of the greatest length. */
interface LongList {
  /** The field that identifies a row. */
  key: string
  /** The rows of a page without a limit; 50 by default. */
  page?: number
  fill(count: number): Promise<FilledList>
  /** The number of rows to fill, if it differs from the default. */
  rows?: number
}

/** Repeats the character that takes the most bytes in JSON. */
const control = (length: number) => '\u0001'.repeat(length)
/** The same, printable. */
const wide = (length: number) => '𐍈'.repeat(length)
/** A field of so many characters that is different in each row. */
const numbered = (n: number, length: number) => `${n}`.padEnd(length, 'x')

const SKILL = `---\nname: ${wide(128)}\ndescription: ${wide(1024)}\n---\nDo it.\n`

/** The lists of a server that come in pages, by their routes, and what fills each. */
export function longLists(server: TestServer): Record<string, LongList> {
  const { db, home } = server

  const create = (path: string, body: object, method = 'POST') => server.call(method, path, body)

  /** Stores copies of a document, as making so many through the API would take too long. */
  const copy = async (
    collection: string,
    filter: Document,
    count: number,
    vary: (n: number) => Document = () => ({}),
  ): Promise<string[]> => {
    const stored = db.collection<{ _id: string }>(collection)
    const { _id, ...document } = (await stored.findOne(filter))!
    const copies = Array.from({ length: count }, (_, n) => ({ ...document, _id: `${_id}${n}`, ...vary(n) }))
    await stored.insertMany(copies)
    return copies.map((made) => String(made._id))
  }

  const addWebhook = (url: string) => create('/webhooks', { url, events: ['turn.ended'] })
  const addTrigger = async () => {
    const path = '/agents/assistant/triggers'
    const { id } = await create(path, { name: 'hook', verify: { scheme: 'token' }, prompt: 'Do it.' })
    return { path, id }
  }

  const agent = {
    description: control(2000),
    system_prompt: 'p'.repeat(99_000),
    welcome_message: 'w'.repeat(10_000),
    icon: control(256),
    color: control(64),
  }
  let agentIds: string[] = []
  /** A third of them the administrator's own, the others shared by somebody else. */
  const fillAgents = async (count: number): Promise<string[]> => {
    if (count === 0) return []
    const name = 'x'.repeat(60)
    const { id } = await create('/agents', { name, ...agent })
    return copy('agents', { _id: id }, count, (n) => ({
      name: `${name}${n}`,
      ...(n % 3 > 0 && { owner_id: 'another', grants: [{ to: 'everyone', access: 'use' }] }),
    }))
  }
  const listAgents = async (count: number, path: string): Promise<FilledList> => {
    agentIds = [...agentIds, ...(await fillAgents(count))]
    return { path, ids: agentIds }
  }

  const models = Array.from({ length: 240 }, (_, n) => ({
    id: `${n}`.padEnd(200, '語'),
    name: '語'.repeat(145),
  }))
  const fillProviders = async (count: number, path: string): Promise<FilledList> => {
    const body = { name: 'long', kind: 'openai-compatible', base_url: 'http://192.31.196.1/', models }
    const { id } = await create(path, body)
    return { path, ids: await copy('providers', { _id: id }, count, (n) => ({ name: `long-${n}` })) }
  }

  /** Skills are folders, below that of an agent or of a package. */
  const fillSkills = async (folder: string, count: number): Promise<string[]> => {
    const slugs = Array.from({ length: count }, (_, n) => numbered(n, 64))
    for (const slug of slugs) {
      const path = join(home, folder, 'skills', slug)
      await mkdir(path, { recursive: true })
      await writeFile(join(path, 'SKILL.md'), SKILL)
    }
    return slugs
  }

  /** Stores threads of the administrator with the assistant, a third of them pinned, that were created with these fields. */
  const fillThreads = async (count: number, fields: object = {}): Promise<string[]> => {
    const path = '/agents/assistant/threads'
    const { thread_id } = await create(path, fields)
    const allowed_tools = Array.from({ length: 64 }, (_, n) => numbered(n, 64))
    await create(`${path}/${thread_id}`, { title: `x${control(199)}`, allowed_tools }, 'PATCH')
    const artifact = { filename: 'f'.repeat(255), media_type: 'text/plain' }
    const artifacts = Array.from({ length: 30 }, (_, n) => ({ ...artifact, path: numbered(n, 1024) }))
    const source = { title: wide(256), url: 'u'.repeat(2048) }
    const sources = Array.from({ length: 30 }, (_, n) => ({ ...source, id: numbered(n, 2048) }))
    return copy('threads', { _id: thread_id }, count, (n) => ({
      session_key: `${thread_id} ${n}`,
      pinned: n % 3 === 0,
      last_active: 1_800_000_000 + (n % 5),
      artifacts,
      sources,
    }))
  }

  /** Stores votes of the administrator on answers in one thread of the assistant. */
  const fillVotes = async (count: number, path: string, key: 'id' | 'message_id'): Promise<FilledList> => {
    const { _id: user_id } = (await db.collection('users').findOne({ username: 'admin' }))!
    const { id: agent_id } = (await server.request('GET', '/agents/assistant')).body
    const thread_id = 'thr_voted'
    const { thread_id: made } = await create('/agents/assistant/threads', {})
    await copy('threads', { _id: made }, 1, () => ({ _id: thread_id, session_key: thread_id })).catch(
      () => [],
    )
    const votes = db.collection<{ _id: string }>('feedback')
    await votes.deleteMany({})
    await votes.insertMany(
      Array.from({ length: count }, (_, n) => ({
        _id: `fbk_${n}`,
        message_id: `msg_${n}`,
        ...{ user_id, agent_id, thread_id, username: 'admin', agent_name: 'assistant', model: null },
        ...{ value: n % 2 === 0 ? 1 : -1, reasons: ['wrong'], comment: control(2000) },
        ...{ question: control(50_000), answer: control(50_000) },
        ...{ created_at: 1_800_000_000 + (n % 5), updated_at: 1_800_000_000 },
      })),
    )
    const prefix = key === 'id' ? 'fbk' : 'msg'
    return { path, ids: Array.from({ length: count }, (_, n) => `${prefix}_${n}`) }
  }

  return {
    'GET /agents': {
      key: 'id',
      rows: amount({ short: 60, long: 300 }),
      fill: (count) => listAgents(count, '/agents'),
    },
    'GET /agents?scope=all': { key: 'id', rows: 0, fill: (count) => listAgents(count, '/agents?scope=all') },
    'GET /users': {
      key: 'username',
      async fill(count) {
        const catalog = (await server.request('GET', '/users/permissions')).body
        const { username } = await create('/users', {
          username: 'u'.repeat(60),
          password: 'a-password-1',
          display_name: control(128),
          email: `${'e'.repeat(60)}@${'e'.repeat(60)}.example`,
          permissions: catalog.map(({ key }: { key: string }) => key),
          workspace_root_dir: `/${wide(4095)}`,
        })
        const nameOf = (n: number) => `user-${n}`
        await copy('users', { username }, count, (n) => ({ username: nameOf(n), changed_at: 0 }))
        return { path: '/users', ids: Array.from({ length: count }, (_, n) => nameOf(n)) }
      },
    },
    'GET /admin/prices': {
      key: 'model',
      async fill(count) {
        const cached = { cache_read: null, cache_write: null }
        const price = { input: 1, output: 2, ...cached, currency: 'USD', as_of: '2026-01-01' }
        const ids = Array.from({ length: count }, (_, n) => numbered(n, 256))
        await db.collection<{ _id: string }>('model_prices').insertMany(ids.map((_id) => ({ _id, price })))
        // Prices that were set are remembered for a second.
        await create('/admin/prices/last', { input: 1 }, 'PUT')
        return { path: '/admin/prices', ids }
      },
    },
    'GET /groups': {
      key: 'id',
      async fill(count) {
        const catalog = (await server.request('GET', '/users/permissions')).body
        const permissions = catalog.map(({ key }: { key: string }) => key)
        const { id } = await create('/groups', { name: wide(64), description: wide(500), permissions })
        const ids = await copy('groups', { _id: id }, count, (n) => ({ name_key: `group ${n}` }))
        return { path: '/groups', ids }
      },
    },
    'GET /groups/:id/members': {
      key: 'id',
      async fill(count) {
        const { id: group } = await create('/groups', { name: 'Many' })
        const { id } = await server.createUser({ username: 'member' })
        const fields = { group_ids: [group], display_name: wide(128) }
        const ids = await copy('users', { _id: id }, count, (n) => ({ ...fields, username: `member-${n}` }))
        return { path: `/groups/${group}/members`, ids }
      },
    },
    'GET /users/invites': {
      key: 'id',
      async fill(count) {
        const { id } = await create('/users/invites', { note: control(200) })
        const ids = await copy('invites', { _id: id }, count, (n) => ({ code_hash: `${n}` }))
        return { path: '/users/invites', ids }
      },
    },
    'GET /auth/sessions': {
      key: 'id',
      async fill(count) {
        const { id, token } = await server.createUser({ username: 'often' })
        const ids = await copy('sessions', { user_id: id }, count, () => ({ user_agent: 'a'.repeat(256) }))
        return { path: '/auth/sessions', token, ids }
      },
    },
    'GET /auth/api-keys': {
      key: 'id',
      async fill(count) {
        const { id, token } = await server.createUser({ username: 'keyed' })
        await server.request('POST', '/auth/api-keys', { token, body: { name: 'key', scopes: ['read'] } })
        const ids = await copy('api_keys', { user_id: id }, count, (n) => ({ name: `key ${n}` }))
        return { path: '/auth/api-keys', token, ids }
      },
    },
    'GET /auth/passkeys': {
      key: 'id',
      async fill(count) {
        const { id, token } = await server.createUser({ username: 'passing' })
        const key = { public_key: 'x', rp_id: 'agents.example', counter: 0, transports: [], backed_up: false }
        await db.collection<{ _id: string }>('passkeys').insertOne({
          _id: 'first',
          user_id: id,
          name: 'n'.repeat(64),
          ...key,
          created_at: 0,
          last_used_at: null,
        } as never)
        return { path: '/auth/passkeys', token, ids: await copy('passkeys', { user_id: id }, count) }
      },
    },
    'GET /shares': {
      key: 'share_id',
      async fill(count) {
        const { id: user_id } = await server.call('GET', '/auth/me')
        const share = {
          user_id,
          agent_id: 'agent',
          thread_id: 'thread',
          audience: 'link',
          include_steps: true,
        }
        const times = { created_at: 0, updated_at: 0, expires_at: null, checked_at: 0 }
        const documents = Array.from({ length: count }, (_, n) => ({
          ...{ _id: numbered(n, 32), ...share, snapshot_id: `${n}` },
          ...{ title: control(200), views: 1, ...times },
        }))
        if (count > 0) await db.collection<{ _id: string }>('shares').insertMany(documents)
        return { path: '/shares', ids: documents.map(({ _id }) => _id) }
      },
    },
    'GET /connectors': {
      key: 'id',
      page: 5,
      async fill(count) {
        const url = 'https://mcp.invalid/mcp'
        const { id } = await create('/connectors', { name: 'long', kind: 'mcp', config: { url } })
        const tool = { title: null, read_only: false, destructive: true, call_name: 'x', fingerprint: 'x' }
        const tools = [{ ...tool, name: 'x', input_schema: '{}', description: control(20_000) }]
        await db.collection<{ _id: string }>('connectors').updateOne({ _id: id }, { $set: { tools } })
        return {
          path: '/connectors',
          ids: await copy('connectors', { _id: id }, count, (n) => ({ name: `long-${n}` })),
        }
      },
    },
    'GET /models': {
      key: 'id',
      // Before the long lists of providers, whose models it would list as well.
      async fill(count) {
        const ids = Array.from({ length: count }, (_, n) => numbered(n, 200))
        const models = ids.map((id) => ({ id, name: wide(100) }))
        const body = { name: 'gateway', kind: 'openai-compatible', base_url: 'http://192.31.196.1/', models }
        await create('/admin/providers', body)
        return { path: '/models', ids: ids.map((id) => `gateway:${id}`) }
      },
    },
    'GET /providers': {
      key: 'id',
      rows: amount({ short: 5, long: 40 }),
      fill: (count) => fillProviders(count, '/providers'),
    },
    'GET /admin/providers': {
      key: 'id',
      rows: amount({ short: 5, long: 40 }),
      fill: (count) => fillProviders(count, '/admin/providers'),
    },
    'GET /agents/:id/channels': {
      key: 'id',
      rows: amount({ short: 6, long: 60 }),
      async fill(count) {
        const allow_from = Array.from({ length: 1000 }, (_, n) => numbered(n, 120))
        const config = { secret: 'a-secret-of-theirs', callback_url: 'http://192.31.196.1/', allow_from }
        const path = '/agents/assistant/channels'
        const { id } = await create(path, { kind: 'webhook', name: 'first', enabled: false, config })
        return {
          path,
          ids: await copy('channels', { _id: id }, count, (n) => ({
            name: `${n}-${wide(50)}`,
            secret_config: null,
          })),
        }
      },
    },
    'GET /agents/:id/channels/:cid/conversations': {
      key: 'conversation_id',
      async fill(count) {
        const path = '/agents/assistant/channels'
        const body = { kind: 'webhook', name: 'busy', enabled: false, config: {} }
        const { id: channel_id, agent_id } = await create(path, body)
        const conversations = Array.from({ length: count }, (_, n) => ({
          _id: `${channel_id}:${numbered(n, 512)}`,
          channel_id,
          agent_id,
          thread_id: null,
          overheard: [{ id: '1', sender: 'x', text: control(2000), at: 1 }],
          type: 'direct',
          sender: { id: control(512), name: wide(128) },
          last_message_at: 1_800_000_000 + (n % 5),
        }))
        await db.collection<{ _id: string }>('channel_conversations').insertMany(conversations)
        const ids = Array.from({ length: count }, (_, n) => numbered(n, 512))
        return { path: `${path}/${channel_id}/conversations`, ids }
      },
    },
    'GET /agents/:id/threads': {
      key: 'thread_id',
      fill: async (count) => ({ path: '/agents/assistant/threads', ids: await fillThreads(count) }),
    },
    'GET /threads': {
      key: 'thread_id',
      fill: async (count) => ({ path: '/threads', ids: await fillThreads(count) }),
    },
    'GET /threads?project_id=': {
      key: 'thread_id',
      async fill(count) {
        const { id: project_id } = await create('/projects', { name: 'Busy' })
        return { path: `/threads?project_id=${project_id}`, ids: await fillThreads(count, { project_id }) }
      },
    },
    'GET /agents/:id/threads?project_id=': {
      key: 'thread_id',
      async fill(count) {
        const { id: project_id } = await create('/projects', { name: 'Busy with one agent' })
        const ids = await fillThreads(count, { project_id })
        return { path: `/agents/assistant/threads?project_id=${project_id}`, ids }
      },
    },
    'GET /search': {
      key: 'message_id',
      async fill(count) {
        const { id: user_id, token } = await server.createUser({ username: 'searcher' })
        const { threads, messages } = server.server.runtime.cradleOf('chat')
        const thread = await threads.create({ user_id, agent_id: 'assistant' }, { title: control(200) })
        const documents = Array.from({ length: count }, (_, n) => ({
          ...{ _id: `msg_searched_${n}`, thread_id: thread._id, turn_id: `trn_${n}`, position: n + 1 },
          ...{ role: 'user' as const, status: 'complete' as const, timestamp: 1_800_000_000_000 + (n % 5) },
          content: [{ type: 'text' as const, text: `needle ${wide(10_000)}` }],
        }))
        if (count > 0) await messages.store(thread, documents)
        return { path: '/search?q=needle', token, ids: documents.map(({ _id }) => _id) }
      },
    },
    'GET /agents/:id/cron': {
      key: 'id',
      async fill(count) {
        const path = '/agents/assistant/cron'
        const { id } = await create(path, {
          name: wide(50),
          prompt: control(20_000),
          schedule: { cron: '0 0 1 1 *', timezone: 'Europe/Berlin' },
          enabled: false,
        })
        const ids = await copy('schedules', { _id: id }, count, (n) => ({
          created_at: 1_900_000_000 + (n % 5),
        }))
        return { path, ids }
      },
    },
    'GET /agents/:id/cron/:job_id/runs': {
      key: 'id',
      async fill(count) {
        const path = '/agents/assistant/cron'
        const schedule = { every_seconds: 31_536_000 }
        const { id } = await create(path, { name: 'ran', prompt: 'Do it.', schedule })
        await create(`${path}/${id}/run-now`, {}).catch(() => undefined)
        const error = { code: 'PROVIDER_ERROR', details: { detail: control(2000) } }
        const ids = await copy('schedule_runs', { schedule_id: id }, count, (n) => ({
          started_at: 1_900_000_000 + (n % 5),
          error,
        }))
        return { path: `${path}/${id}/runs`, ids }
      },
    },
    'GET /knowledge-bases': {
      key: 'id',
      async fill(count) {
        const { id } = await create('/knowledge-bases', { name: wide(50), description: control(2000) })
        return { path: '/knowledge-bases', ids: await copy('knowledge_bases', { _id: id }, count) }
      },
    },
    'GET /knowledge-bases/:id/documents': {
      key: 'id',
      async fill(count) {
        const { id: base_id } = await create('/knowledge-bases', { name: 'full' })
        const content = { filename: wide(250), media_type: 'text/plain', size: 1, hash: 'x', version: 'x' }
        const ids = Array.from({ length: count }, (_, n) => `doc_${n}`)
        const documents = ids.map((_id, n) => ({
          ...{
            _id,
            base_id,
            user_id: 'x',
            path: numbered(n, 500),
            url: `http://${'u'.repeat(1990)}`,
            ...content,
          },
          ...{ text_version: null, pages: 1, status: 'failed', error: null, progress: 0, indexes: {} },
          ...{ created_at: 0, updated_at: 0, changed_at: 0 },
        }))
        if (count > 0) await db.collection<{ _id: string }>('knowledge_documents').insertMany(documents)
        return { path: `/knowledge-bases/${base_id}/documents`, ids }
      },
    },
    'GET /projects': {
      key: 'id',
      page: 8,
      async fill(count) {
        const settings = { name: wide(50), description: control(2000), instructions: control(16_000) }
        const knowledge_base_ids = Array.from({ length: 50 }, (_, n) => numbered(n, 64))
        const { id } = await create('/projects', settings)
        return {
          path: '/projects',
          ids: await copy('projects', { _id: id }, count, () => ({ knowledge_base_ids })),
        }
      },
    },
    'GET /prompts': {
      key: 'id',
      page: 11,
      async fill(count) {
        const texts = { description: control(500), text: `x${control(7999)}` }
        const { id } = await create('/prompts', { name: 'long', ...texts, shared: true })
        const ids = await copy('prompts', { _id: id }, count, (n) => ({
          name_key: `long-${n}`,
          ...(n % 3 > 0 && { user_id: 'another' }),
        }))
        return { path: '/prompts', ids }
      },
    },
    'GET /managed': {
      key: 'id',
      page: 200,
      async fill(count) {
        const { id } = await create('/prompts', { name: 'managed', text: 'Write it.' })
        const managed = { by: 'apply', file: 'prompts/managed.yaml' }
        const ids = await copy('prompts', { _id: id }, count, (n) => ({ name_key: `managed-${n}`, managed }))
        return { path: '/managed?kind=prompt', ids }
      },
    },
    'GET /imports': {
      key: 'id',
      async fill(count) {
        const { _id: user_id } = (await db.collection('users').findOne({ username: 'admin' }))!
        const ids = Array.from({ length: count }, (_, n) => `imp_${n}`)
        const imports = ids.map((_id) => ({
          ...{ _id, user_id, agent_id: 'assistant', locale: 'en', filename: wide(200), size: 1 },
          ...{ kind: 'chatgpt', state: 'failed', reason: { code: 'ARCHIVE_DAMAGED', details: {} } },
          ...{ counts: { imported: 0, unchanged: 0, empty: 0, failed: 0 }, next: 0, attempts: 1 },
          ...{ bytes_read: 1, bytes_total: 1, created_at: 1_900_000_000, ended_at: 1_900_000_000 },
        }))
        await db.collection<{ _id: string }>('imports').insertMany(imports)
        return { path: '/imports', ids }
      },
    },
    'GET /webhooks': {
      key: 'id',
      async fill(count) {
        const { id } = await addWebhook('https://192.31.196.1/')
        const url = `https://192.31.196.1/${numbered(0, 2000)}`
        return { path: '/webhooks', ids: await copy('webhooks', { _id: id }, count, () => ({ url })) }
      },
    },
    'GET /webhooks/:id/deliveries': {
      key: 'id',
      async fill(count) {
        const { id } = await addWebhook('https://192.31.196.1/delivered')
        await create(`/webhooks/${id}/test`, {})
        const error = { code: 'WEBHOOK_REFUSED', details: { status: 500 } }
        const ids = await copy('webhook_deliveries', { webhook_id: id }, count, (n) => ({
          ...{ position: n + 2, error, body: control(2000) },
        }))
        return { path: `/webhooks/${id}/deliveries`, ids }
      },
    },
    'GET /agents/:id/triggers': {
      key: 'id',
      page: 7,
      async fill(count) {
        const { path, id } = await addTrigger()
        return { path, ids: await copy('triggers', { _id: id }, count, () => ({ prompt: wide(20_000) })) }
      },
    },
    'GET /agents/:id/triggers/:trigger_id/deliveries': {
      key: 'id',
      async fill(count) {
        const { path, id } = await addTrigger()
        const { _id: user_id } = (await db.collection('users').findOne({ username: 'admin' }))!
        const ids = Array.from({ length: count }, (_, n) => `${id}:${n}`)
        const deliveries = ids.map((_id, n) => ({
          ...{ _id, user_id, agent_id: 'assistant', trigger_id: id, delivery_id: numbered(n, 256) },
          ...{ received_ms: 1_900_000_000_000 + (n % 5), status: 'refused', repeats: 0 },
          ...{ thread_id: 'thr_none', turn_id: null, bytes: 1, missing: [control(200)] },
          ...{ error: { code: 'BUDGET_EXCEEDED', details: {} }, delete_at: new Date(2_000_000_000_000) },
        }))
        await db.collection<{ _id: string }>('trigger_deliveries').insertMany(deliveries)
        return { path: `${path}/${id}/deliveries`, ids: deliveries.map(({ delivery_id }) => delivery_id) }
      },
    },
    'GET /memories': {
      key: 'id',
      async fill(count) {
        const { id } = await create('/memories', { text: wide(300), scope: 'agent', agent_id: 'assistant' })
        const ids = await copy('memories', { _id: id }, count, (n) => ({ text: numbered(n, 300) }))
        return { path: '/memories', ids }
      },
    },
    'GET /admin/feedback': {
      key: 'id',
      page: 1,
      rows: 20,
      fill: (count) => fillVotes(count, '/admin/feedback', 'id'),
    },
    'GET /agents/:id/threads/:thread_id/feedback': {
      key: 'message_id',
      fill: (count) => fillVotes(count, '/agents/assistant/threads/thr_voted/feedback', 'message_id'),
    },
    'GET /skill-packages': {
      key: 'id',
      async fill(count) {
        const { id } = await create('/skill-packages', { name: wide(64), description: control(2000) })
        const ids = await copy('skill_packages', { _id: id }, count, (n) => ({ name_key: `${n}` }))
        return { path: '/skill-packages', ids }
      },
    },
    'GET /skill-packages/:id': {
      key: 'slug',
      async fill(count) {
        const { id } = await create('/skill-packages', { name: 'full' })
        return { path: `/skill-packages/${id}`, ids: await fillSkills(`skill-packages/${id}`, count) }
      },
    },
    'GET /agents/:id/files': {
      key: 'path',
      async fill(count) {
        const { id } = (await server.request('GET', '/agents/assistant')).body
        const folder = Array.from({ length: 12 }, (_, n) => `${n}`.padEnd(64, '語')).join('/')
        await mkdir(join(home, 'agents', id, folder), { recursive: true })
        const ids = Array.from({ length: count }, (_, n) => `${folder}/${n}.txt`)
        for (const path of ids) await writeFile(join(home, 'agents', id, path), 'text')
        return { path: `/agents/assistant/files?${new URLSearchParams({ path: folder })}`, ids }
      },
    },
    'GET /agents/:id/files?recursive=true&sort=size': {
      key: 'path',
      async fill(count) {
        const { id } = (await server.request('GET', '/agents/assistant')).body
        const ids = Array.from({ length: count }, (_, n) => `sized/${n % 7}/${n}.txt`)
        for (const path of ids) {
          await mkdir(join(home, 'agents', id, dirname(path)), { recursive: true })
          await writeFile(join(home, 'agents', id, path), 'text')
        }
        return { path: '/agents/assistant/files?recursive=true&sort=size&path=sized', ids }
      },
    },
    'GET /agents/:id/skills': {
      key: 'slug',
      async fill(count) {
        const { id } = (await server.request('GET', '/agents/assistant')).body
        return { path: '/agents/assistant/skills', ids: await fillSkills(`agents/${id}`, count) }
      },
    },
    'GET /experts/published': {
      key: 'id',
      async fill(count) {
        const { id } = await create('/agents/assistant', agent, 'PATCH')
        // The files of another list may be more than can be published.
        await rm(join(home, 'agents', id), { recursive: true })
        const published = await create('/agents/assistant/publish-expert', { name: 'published' })
        const ids = await copy('published_experts', { _id: published.id }, count, (n) => ({
          slug: `s-${n}`,
          // Some have the same name.
          name: `${n % 7}${wide(60)}`,
          files: Array.from({ length: 100 }, (_, file) => numbered(file, 1024)),
        }))
        return { path: '/experts/published', ids }
      },
    },
    // Comes last, as what the other lists are filled by is written down as well.
    'GET /admin/audit-log': {
      key: 'id',
      page: 100,
      rows: amount({ short: 110, long: 2000 }),
      async fill(count) {
        const payload = JSON.stringify(Array.from({ length: 15 }, (_, n) => numbered(n, 256)))
        const ids = await copy('audit_log', {}, count, (n) => ({
          _id: 1_000_000 + n,
          entry_id: `e-${n}`,
          ts: 1_800_000_000 + Math.floor(n / 5),
          target: control(256),
          payload,
        }))
        return { path: '/admin/audit-log', ids }
      },
    },
  }
}
