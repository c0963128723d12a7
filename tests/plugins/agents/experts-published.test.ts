import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { startServer } from '../../support/server.ts'

const server = await startServer(t, { env: { SVC_LIMIT_PUBLISHED_EXPERTS: '1000' } })
const ann = await server.createUser({ username: 'ann' })
const ben = await server.createUser({ username: 'ben' })
let made = 0

type Files = Record<string, string>

const workspaceOf = ({ id }: { id: string }) => join(server.home, 'agents', id)
const copyOf = ({ id }: { id: string }) => join(server.home, 'experts', id)

/** Calls the API as a user, and expects success. */
const call = (method: string, path: string, { token }: { token: string }, body?: object) =>
  server.call(method, path, body, token)

async function createAgent(user: { token: string }, files: Files = {}, settings: object = {}) {
  made += 1
  const agent = await call('POST', '/agents', user, { name: `agent-${made}`, ...settings })
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(workspaceOf(agent), path)), { recursive: true })
    await writeFile(join(workspaceOf(agent), path), content)
  }
  return agent
}

async function publish(user: { token: string }, files: Files = {}, body: object = {}) {
  const agent = await createAgent(user, files)
  return call('POST', `/agents/${agent.id}/publish-expert`, user, { name: `Expert ${made}`, ...body })
}

const install = (user: { token: string }, key: string, body: object) =>
  server.request('POST', `/experts/published/${key}/install`, { token: user.token, body })

const listPublished = (user: { token: string }) => call('GET', '/experts/published', user)

async function filesIn(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const contents = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  return Object.fromEntries(paths.map((path, index) => [path.slice(folder.length + 1), contents[index]!]))
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

/** True if the workspace of an agent that is being created has this folder already. */
async function hasNewFolder(oldIds: Set<string>, folder: string): Promise<boolean> {
  const ids = (await readdir(join(server.home, 'agents'))).filter((id) => !oldIds.has(id))
  return (await Promise.all(ids.map((id) => isThere(join(workspaceOf({ id }), folder))))).includes(true)
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}

const NOT_FOUND = { status: 404, body: { error: { code: 'NOT_FOUND' } } }

t.test('Everybody lists published experts by name, and finds them by id and by slug', async (t) => {
  const later = await publish(ann, { 'b.md': 'b', 'a/c.md': 'c' }, { name: 'émile' })
  const first = await publish(ben, {}, { name: 'Anton' })
  await publish(ben, {}, { name: 'zoe' })
  const rows = await listPublished(ann)
  t.strictSame(
    rows.map(({ name }: { name: string }) => name),
    ['Anton', 'émile', 'zoe'],
  )
  const { files, left_out, ...summary } = later
  t.strictSame(rows[1], summary)
  t.strictSame(rows[0].id, first.id)
  for (const key of [later.id, later.slug])
    t.strictSame(await call('GET', `/experts/published/${key}`, ben), {
      ...summary,
      ...{ is_owner: false, can_edit: false },
      files: ['a/c.md', 'b.md'],
    })
  t.match(await server.request('GET', '/experts/published/unheard-of', { token: ben.token }), NOT_FOUND)
})

t.test('An installed copy is an agent of its own with the content of the source', async (t) => {
  const files = {
    'AGENTS.md': 'Be exact.',
    'skills/review/SKILL.md': '---\nname: review\n---',
    'empty.md': '',
  }
  const settings = {
    description: 'Reviews texts',
    welcome_message: 'Send me a text.',
    system_prompt: 'You are exact.',
    persona_mbti: 'INTJ',
    template_name: 'general-assistant',
    default_model: (await call('GET', '/models', ann))[0].id,
    icon: 'bot',
    color: '#123456',
    config: {
      temperature: 0.2,
      max_steps: 7,
      tools_with_approval: ['ls'],
      tools_without_approval: ['write_file'],
    },
    is_shared: true,
  }
  const source = await createAgent(ann, files, settings)
  const published = await filesIn(workspaceOf(source))
  const expert = await call('POST', `/agents/${source.id}/publish-expert`, ann, { name: 'Reviewer' })
  await writeFile(join(workspaceOf(source), 'AGENTS.md'), 'changed later')
  await call('DELETE', `/agents/${source.id}`, ann)

  const { status, body: agent } = await install(ben, expert.slug, { name: 'my reviewer' })
  t.equal(status, 201)
  const { default_model, config, is_shared, ...kept } = settings
  t.match(agent, { name: 'my reviewer', owner: 'ben', is_owner: true, state: 'running', ...kept })
  t.strictSame([agent.default_model, agent.is_shared], [null, false], 'what is private is not taken over')
  const { tools_without_approval, ...careful } = config
  t.strictSame(agent.config, careful, 'nor is what needs no approval of its owner')
  t.strictSame(await filesIn(workspaceOf(agent)), published)
  t.match(published, files)
  t.strictSame(await call('GET', `/agents/${agent.id}`, ben), agent)

  const changes = {
    name: 'another',
    description: null,
    persona_mbti: null,
    default_model,
    system_prompt: 'Mine.',
    template_name: 'data-analyst',
    is_shared: true,
    icon: null,
    color: '#654321',
    welcome_message: 'Hello.',
    config,
  }
  t.match((await install(ben, expert.id, changes)).body, changes)
  const unnamed = await Promise.all(
    [{}, {}, { description: 'Unnamed' }].map((body) => install(ben, expert.id, body)),
  )
  t.strictSame(unnamed.map(({ body }) => body.name).sort(), ['Reviewer', 'Reviewer-2', 'Reviewer-3'])
  t.match(await install(ben, expert.id, { name: 'my reviewer' }), {
    status: 409,
    body: { error: { code: 'AGENT_NAME_TAKEN' } },
  })
  t.match(await install(ben, expert.id, { name: 'x', default_model: 'nobody:x' }), {
    status: 400,
    body: { error: { code: 'PROVIDER_NOT_VISIBLE' } },
  })
  t.match(await install(ben, 'unheard-of', { name: 'x' }), NOT_FOUND)
  for (const body of [{ name: '' }, { name: 'x', template_name: 'nothing' }, { name: 'x', slug: 'x' }])
    t.equal((await install(ben, expert.id, body)).status, 422)

  await server.db
    .collection('published_experts')
    .updateOne({ slug: expert.slug }, { $set: { template_name: 'of-a-plugin-that-is-off' } })
  t.match(await install(ben, expert.id, { name: 'without a template' }), {
    status: 201,
    body: { template_name: null, system_prompt: 'You are exact.' },
  })
})

t.test('Settings in the request replace those of the agent', async (t) => {
  const [{ id: default_model }] = await call('GET', '/models', ann)
  const agent = await createAgent(ann, {}, { description: 'Of the agent', icon: 'bot', system_prompt: 'Old' })
  const settings = {
    description: null,
    persona_mbti: 'ENFP',
    system_prompt: 'New',
    template_name: 'writing-coach',
    icon: 'pen',
    color: '#111111',
    welcome_message: 'Hi.',
    config: { max_steps: 7, tools_without_approval: ['execute'] },
  }
  const publishIt = (body: object) => call('POST', `/agents/${agent.id}/publish-expert`, ann, body)
  const expert = await publishIt({ ...settings, default_model })
  t.match(expert, {
    name: agent.name,
    expert_id: expert.id,
    description: null,
    icon: 'pen',
    color: '#111111',
  })
  t.equal((await publishIt({})).name, `${agent.name}-2`, 'by default it has the name of the agent, numbered')
  t.equal((await publishIt({})).name, `${agent.name}-3`)
  const { body: installed } = await install(ben, expert.id, {})
  t.match(installed, { ...settings, name: agent.name, default_model, config: { max_steps: 7 } })
  t.notOk('tools_without_approval' in installed.config)

  const body = { name: 'own', kind: 'demo', models: [{ id: 'm' }] }
  await call('POST', '/providers', ann, body)
  const ofAnn = await publishIt({ default_model: 'own:m' })
  t.match(await install(ben, ofAnn.id, {}), { status: 201, body: { default_model: null } })
  t.match(await install(ann, ofAnn.id, {}), { status: 201, body: { default_model: 'own:m' } })
  for (const [wrong, status, code] of [
    [{ default_model: 'nobody:x' }, 400, 'PROVIDER_NOT_VISIBLE'],
    [{ is_shared: true }, 422, 'VALIDATION_FAILED'],
    [{ include_files: [''] }, 422, 'VALIDATION_FAILED'],
  ] as const) {
    const path = `/agents/${agent.id}/publish-expert`
    const reply = await server.request('POST', path, { token: ann.token, body: wrong })
    t.match(reply, { status, body: { error: { code } } })
  }
})

t.test('Slugs are made from names and are unique, even if many publish at once', async (t) => {
  const agent = await createAgent(ann)
  const publishAll = (bodies: object[]) =>
    Promise.all(
      bodies.map((body) =>
        server.request('POST', `/agents/${agent.id}/publish-expert`, { token: ann.token, body }),
      ),
    )
  const slugsOf = (replies: { body: { slug: string } }[]) => replies.map(({ body }) => body.slug)
  const same = await publishAll(Array.from({ length: 8 }, () => ({ name: 'C++ & Rust: Reviews!' })))
  t.strictSame(
    slugsOf(same).sort(),
    ['c-rust-reviews', ...[2, 3, 4, 5, 6, 7, 8].map((number) => `c-rust-reviews-${number}`)].sort(),
  )
  for (const [name, slug] of [
    ['评审专家', 'expert'],
    ['审阅', 'expert-2'],
    ['---', 'expert-3'],
    ['c rust reviews', 'c-rust-reviews-9'],
    ['C Rust', 'c-rust'],
    ['General assistant', 'general-assistant-2'],
    ['x'.repeat(64), 'x'.repeat(64)],
    ['X'.repeat(64), `${'x'.repeat(62)}-2`],
    [`${'x'.repeat(60)}yyyy`, `${'x'.repeat(60)}yyyy`],
  ] as const)
    t.strictSame(slugsOf(await publishAll([{ name }])), [slug], name)

  const wanted = await publishAll(Array.from({ length: 6 }, () => ({ name: 'Mine', slug: 'mine' })))
  t.equal(wanted.filter(({ status }) => status === 201).length, 1)
  for (const { status, body } of wanted.filter(({ status }) => status !== 201))
    t.match(
      { status, ...body },
      { status: 409, error: { code: 'PUBLISHED_EXPERT_SLUG_TAKEN', details: { slug: 'mine' } } },
    )
  const [bundled] = await publishAll([{ name: 'x', slug: 'general-assistant' }])
  t.match(bundled, { status: 409, body: { error: { code: 'PUBLISHED_EXPERT_SLUG_TAKEN' } } })

  const rows = await server.db.collection('published_experts').find().toArray()
  t.strictSame(
    (await readdir(join(server.home, 'experts'))).sort(),
    rows.map(({ _id }) => String(_id)).sort(),
    'those that were refused left no folder',
  )
})

t.test('Its creator and administrators withdraw an expert; installed copies stay', async (t) => {
  const expert = await publish(ann, { 'a.md': 'a' }, { name: 'Withdrawn' })
  const other = await publish(ann, {}, { name: 'Withdrawn by an administrator' })
  const { body: agent } = await install(ben, expert.id, { name: 'copy' })
  const withdraw = (key: string, { token }: { token: string }) =>
    server.request('DELETE', `/experts/published/${key}`, { token })
  t.match(await withdraw(expert.id, ben), { status: 403, body: { error: { code: 'FORBIDDEN' } } })
  t.equal((await withdraw(expert.id, ann)).status, 204)
  t.match(await withdraw(expert.id, ann), NOT_FOUND)
  t.match(await install(ben, expert.id, { name: 'too late' }), NOT_FOUND)
  t.match(await server.request('GET', `/experts/published/${expert.slug}`, { token: ann.token }), NOT_FOUND)
  t.notOk(await isThere(copyOf(expert)), 'its files are gone')
  t.strictSame(await filesIn(workspaceOf(agent)), { 'a.md': 'a' })
  t.equal((await withdraw(other.slug, server.admin)).status, 204, 'by its slug')
})

t.test(
  'An installation while the expert is withdrawn gets all of it or nothing',
  { skip: onlyLong },
  async (t) => {
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`folder-${index % 7}/${index}.md`, `${index}`]),
    )
    const outcomes = new Set<number>()
    for (let round = 0; round < 4; round++) {
      const expert = await publish(ann, files)
      const oldIds = new Set(await readdir(join(server.home, 'agents')))
      const installing = Array.from({ length: 6 }, (_, index) =>
        install(ben, expert.id, { name: `copy ${round}.${index}` }),
      )
      // As soon as some of the files are copied, the others are removed.
      if (round === 3) await installing[0]
      else if (round > 0) await until(() => hasNewFolder(oldIds, `folder-${round * 3}`))
      await call('DELETE', `/experts/published/${expert.id}`, ann)
      for (const reply of await Promise.all(installing)) {
        outcomes.add(reply.status)
        if (reply.status === 201) t.strictSame(await filesIn(workspaceOf(reply.body)), files)
        else t.match(reply, NOT_FOUND)
      }
    }
    t.strictSame([...outcomes].sort(), [201, 404], 'both came about')
    const agents = await server.db.collection('agents').find().toArray()
    t.strictSame(
      (await readdir(join(server.home, 'agents'))).sort(),
      agents.map(({ _id }) => String(_id)).sort(),
      'what was not finished is gone',
    )
  },
)

t.test('The experts of a deleted account are removed, installed copies stay', async (t) => {
  const cem = await server.createUser({ username: 'cem' })
  const experts = [await publish(cem, { 'a.md': 'a' }), await publish(cem)]
  const staying = await publish(ann)
  const { body: agent } = await install(ben, experts[0].id, { name: 'of cem' })
  await call('DELETE', `/users/${cem.username}`, server.admin)
  const ids = (await listPublished(ben)).map(({ id }: { id: string }) => id)
  for (const expert of experts) {
    t.notOk(ids.includes(expert.id))
    t.notOk(await isThere(copyOf(expert)))
  }
  t.ok(ids.includes(staying.id))
  t.ok(await isThere(copyOf(staying)))
  t.strictSame(await filesIn(workspaceOf(agent)), { 'a.md': 'a' })
})

t.test('Folders left by a crash are removed after an hour, and are never visible', async (t) => {
  const { publishedExperts } = server.server.runtime.cradleOf('experts')
  const clean = () => publishedExperts.clean(new AbortController().signal)
  const expert = await publish(ann, { 'a.md': 'a' })
  const left = ['01JZZZZZZZZZZZZZZZZZZZZZZZ', '.unfinished-01JZZZZZZZZZZZZZZZZZZZZZZZ']
  const recent = ['01JYYYYYYYYYYYYYYYYYYYYYYY', '.unfinished-01JYYYYYYYYYYYYYYYYYYYYYYY']
  for (const id of [...left, ...recent]) {
    await mkdir(copyOf({ id }))
    await writeFile(join(copyOf({ id }), 'half.md'), 'half of what was to be published')
  }
  const longAgo = Date.now() / 1000 - 3601
  for (const id of [...left, expert.id]) await utimes(copyOf({ id }), longAgo, longAgo)
  for (const id of [...left, ...recent])
    t.match(await server.request('GET', `/experts/published/${id}`, { token: ann.token }), NOT_FOUND)
  await clean()
  for (const id of left) t.notOk(await isThere(copyOf({ id })), `${id} is removed`)
  for (const id of recent) t.ok(await isThere(copyOf({ id })), `${id} may be in the making`)
  t.strictSame(await filesIn(copyOf(expert)), { 'a.md': 'a' }, 'what is published stays, however old')
  for (const id of recent) await utimes(copyOf({ id }), longAgo, longAgo)
  await server.restart()
  // A server removes them when it starts.
  await until(async () => !(await Promise.all(recent.map((id) => isThere(copyOf({ id }))))).includes(true))
  t.ok(await isThere(copyOf(expert)))
})

t.test('A published expert outlives its source agent, without the id of the agent', async (t) => {
  const expert = await publish(ann, { 'AGENTS.md': 'Be kind.' })
  const expertReply = await call('GET', `/experts/published/${expert.id}`, ann)
  await call('DELETE', `/agents/${expertReply.source_agent_id}`, ann)
  const after = await call('GET', `/experts/published/${expert.id}`, ann)
  t.strictSame(after, { ...expertReply, source_agent_id: null })
  t.equal((await install(ben, expert.slug, { name: 'kind' })).status, 201)
})
