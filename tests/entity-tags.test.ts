import t from './run/file-test.ts'
import { amount, roundRobin } from './run/tier.ts'
import { startChat } from './support/chat.ts'

const PARALLEL = amount({ short: 3, long: 6 })

const chat = await startChat(t)
const { server, agent_id } = chat

const created = async (path: string, body: object) => {
  const reply = await server.request('POST', path, { body })
  t.equal(reply.status, 201, path)
  return reply.body
}

const provider = await created('/providers', {
  name: 'own',
  kind: 'openai-compatible',
  base_url: 'https://example.com/v1',
})
const shared = await created('/admin/providers', {
  name: 'all',
  kind: 'openai-compatible',
  base_url: 'https://example.com/v1',
})
const { thread_id } = await created(`/agents/${agent_id}/threads`, {})
const channel = await created(`/agents/${agent_id}/channels`, {
  kind: 'webhook',
  name: 'hook',
  enabled: false,
  config: {},
})
const schedule = await created(`/agents/${agent_id}/cron`, {
  name: 'daily',
  prompt: 'Do it.',
  schedule: { every_seconds: 86_400 },
})
const skills = await created('/skill-packages', { name: 'Tricks' })
await created(`/agents/${agent_id}/skills`, {
  slug: 'charts',
  files: [{ path: 'SKILL.md', content: '---\nname: Charts\ndescription: Draws charts\n---\n' }],
})
const connector = await created('/connectors', {
  name: 'tracker',
  kind: 'mcp',
  config: { url: 'https://mcp.invalid/' },
})
const base = await created('/knowledge-bases', { name: 'House' })
const project = await created('/projects', { name: 'Trip' })
const prompt = await created('/prompts', { name: 'report', text: 'Write it.' })
const memory = await created('/memories', { text: 'Rows', scope: 'me' })
const group = await created('/groups', { name: 'Sales' })
const expert = await created(`/agents/${agent_id}/publish-expert`, {})
const webhook = await created('/webhooks', { url: 'https://192.31.196.1/', events: ['turn.ended'] })
const trigger = await created(`/agents/${agent_id}/triggers`, {
  name: 'issues',
  verify: { scheme: 'token' },
  prompt: 'Do it.',
})
await server.createUser({ username: 'ann' })

/** Each object with an address of its own, and changes of it by number. */
const OBJECTS: [path: string, change: (n: number) => object, method?: 'PUT'][] = [
  ['/auth/me', (n) => ({ display_name: `Name ${n}` })],
  ['/users/ann', (n) => ({ email: `ann${n}@example.com` })],
  [`/groups/${group.id}`, (n) => ({ description: `Text ${n}` })],
  [`/agents/${agent_id}`, (n) => ({ config: { max_steps: n + 1 } })],
  [`/agents/${agent_id}/threads/${thread_id}`, (n) => ({ title: `Title ${n}` })],
  [`/agents/${agent_id}/channels/${channel.id}`, (n) => ({ name: `hook ${n}` })],
  [`/agents/${agent_id}/cron/${schedule.id}`, (n) => ({ prompt: `Do it ${n} times.` })],
  [`/providers/${provider.id}`, (n) => ({ max_concurrency: n + 1 })],
  [`/admin/providers/${shared.id}`, (n) => ({ name: `all-${n}` })],
  [`/connectors/${connector.id}`, (n) => ({ name: `tracker-${n}` })],
  [`/knowledge-bases/${base.id}`, (n) => ({ description: `Text ${n}` })],
  [`/projects/${project.id}`, (n) => ({ instructions: `Text ${n}` })],
  [`/prompts/${prompt.id}`, (n) => ({ text: `Text ${n}` })],
  [`/memories/${memory.id}`, (n) => ({ text: `Text ${n}` })],
  [`/skill-packages/${skills.id}`, (n) => ({ description: `Text ${n}` })],
  [`/experts/published/${expert.id}`, (n) => ({ description: `Text ${n}` })],
  [`/webhooks/${webhook.id}`, (n) => ({ url: `https://192.31.196.1/${n}` })],
  [`/agents/${agent_id}/triggers/${trigger.id}`, (n) => ({ prompt: `Do it ${n} times.` })],
  ['/admin/plugins/audit', (n) => ({ config: { keep_days: n + 1 } })],
  ['/admin/web-search', (n) => ({ engines: [], per_day: n + 1 }), 'PUT'],
  ['/auth/oauth/providers/oidc', (n) => ({ display_name: `Way ${n}` }), 'PUT'],
  // Off from the first change on, until one of the parallel changes.
  [`/agents/${agent_id}/skills/charts`, (n) => ({ enabled: n >= 10 })],
]

t.test('a change with If-Match is refused once somebody else has changed the object', async (t) => {
  for (const [index, [path, change, method = 'PATCH']] of OBJECTS.entries()) {
    const patch = (body: object, tag?: string) =>
      server.request(method, path, { body, headers: tag === undefined ? {} : { 'If-Match': tag } })
    const read = await server.request('GET', path)
    const tag = read.headers.get('etag')!
    t.match(tag, /^"[\w-]+"$/, path)
    t.equal((await server.request('GET', path)).headers.get('etag'), tag, 'it lasts until a change')

    const changed = await patch(change(1), tag)
    t.equal(changed.status, 200, path)
    const next = changed.headers.get('etag')!
    t.not(next, tag)
    t.equal((await server.request('GET', path)).headers.get('etag'), next)
    for (const stale of [tag, ...roundRobin([`W/${next}`, 'nonsense'], index)])
      t.match(
        await patch(change(2), stale),
        { status: 412, body: { error: { code: 'PRECONDITION_FAILED' } } },
        path,
      )
    t.equal((await patch(change(3), `"elsewhere", ${next}`)).status, 200, 'one of several tags')
    t.equal((await patch(change(4), '*')).status, 200)
    t.equal((await patch(change(5))).status, 200, 'without a condition')
  }
})

t.test('of parallel changes of one version, one takes effect', async (t) => {
  for (const [path, change, method = 'PATCH'] of OBJECTS) {
    const tag = (await server.request('GET', path)).headers.get('etag')!
    const replies = await Promise.all(
      Array.from({ length: PARALLEL }, (_, n) =>
        server.request(method, path, { body: change(10 + n), headers: { 'If-Match': tag } }),
      ),
    )
    t.strictSame(replies.map(({ status }) => status).sort(), [200, ...Array(PARALLEL - 1).fill(412)], path)
  }
})

t.test('the tool settings of an agent have one tag for all of their changes', async (t) => {
  const path = `/agents/${agent_id}/tool-settings`
  const readTag = async () => (await server.request('GET', path)).headers.get('etag')!
  const set = (disabled_builtin: string[], tag: string) =>
    server.request('PUT', path, { body: { disabled_builtin }, headers: { 'If-Match': tag } })
  const toggle = (tool: string, enabled: boolean, tag: string) =>
    server.request('PATCH', `${path}/${tool}`, { body: { enabled }, headers: { 'If-Match': tag } })
  const tag = await readTag()
  const replaced = await set(['web_fetch'], tag)
  t.equal(replaced.status, 200)
  const next = replaced.headers.get('etag')!
  t.not(next, tag)
  t.equal(await readTag(), next)
  for (const stale of [await set([], tag), await toggle('web_fetch', true, tag)])
    t.match(stale, { status: 412, body: { error: { code: 'PRECONDITION_FAILED' } } })
  const tools = replaced.body.builtin.filter((tool: { disableable: boolean }) => tool.disableable).slice(0, 3)
  const toggled = await Promise.all(
    tools.map(({ name }: { name: string }) => toggle(name, name === 'web_fetch', next)),
  )
  t.strictSame(toggled.map(({ status }) => status).sort(), [200, 412, 412])
})

t.test('what clients do not change leaves the tag as it is', async (t) => {
  const original = await server.request('GET', `/agents/${agent_id}`)
  await server.request('POST', `/agents/${agent_id}/stop`)
  const after = await server.request('GET', `/agents/${agent_id}`)
  t.not(after.body.state, original.body.state)
  t.equal(after.headers.get('etag'), original.headers.get('etag'))
})

t.test('every PATCH of an object with an address of its own accepts If-Match', async (t) => {
  type Operation = { parameters: { name: string }[]; responses: Record<string, { headers?: object }> }
  const { body: api } = await server.request('GET', '/openapi.json')
  const isTagged = ({ responses }: Operation) => 'ETag' in (responses[200]?.headers ?? {})
  const tagged = Object.entries<Record<string, Operation>>(api.paths).filter(
    ([, { get, patch }]) => get && patch && isTagged(get),
  )
  t.equal(tagged.length, OBJECTS.filter(([, , method]) => method !== 'PUT').length)
  for (const [path, { patch }] of tagged) {
    t.ok(
      patch?.parameters.some(({ name }) => name === 'If-Match'),
      path,
    )
    t.ok(patch && isTagged(patch), path)
  }
})
