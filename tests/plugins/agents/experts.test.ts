import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { createHome, startServer } from '../../support/server.ts'

const BUNDLED = [
  'general-assistant',
  'data-analyst',
  'language-tutor',
  'legal-reader',
  'office-automation',
  'ops-engineer',
  'product-manager',
  'research-assistant',
  'software-engineer',
  'writing-coach',
]

/** An expert of a third-party plugin, whose label is not a valid name of an agent. */
const outside = {
  id: 'night-watch',
  label: { en: 'Night / watch', zh: '守夜人' },
  description: { en: 'Watches.', zh: '值守。' },
  welcome_message: { en: 'Good evening.', zh: '晚上好。' },
  icon: 'moon',
  color: '#000000',
  quick_prompts: [],
  task_examples: { en: [], zh: [] },
  files: createHome(t),
}
for (const locale of ['en', 'zh']) {
  await mkdir(join(outside.files, locale, 'skills'), { recursive: true })
  await writeFile(join(outside.files, locale, 'skills/watch.md'), locale)
}
await mkdir(join(outside.files, 'shared/skills'), { recursive: true })
await writeFile(join(outside.files, 'shared/skills/bell.mjs'), '')

const server = await startServer(t, {
  plugins: {
    watch: `export default { kernel: 1, name: 'watch', summary: 'Watches', setup(host) { host.extend('agents.experts', ${JSON.stringify(outside)}) } }`,
  },
})
const ann = await server.createUser({ username: 'ann' })

const { users, logins } = server.server.runtime.cradleOf('auth')
const mei = await users.create({ username: 'mei', locale: 'zh' })
const chinese = (await logins.open(mei, { ip: '10.0.0.1', user_agent: null }, 'password')).access_token

const get = (path: string, token = ann.token) => server.call('GET', path, undefined, token)
const createFrom = (expert_id: string, body: object, token = ann.token) =>
  server.request('POST', `/agents/from-expert/${expert_id}`, { token, body })

/** The files of a workspace or of a template, by their paths. */
async function filesIn(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const contents = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  return Object.fromEntries(paths.map((path, index) => [path.slice(folder.length + 1), contents[index]!]))
}

/** The tools beyond files that the instructions of experts may mention. */
const MENTIONED_TOOLS = [
  ...['web_search', 'web_fetch', 'search_knowledge', 'search_conversations', 'ask_agent'],
  ...['remember', 'forget', 'recall', 'execute', 'task', 'write_todos', 'ask_user_question'],
]

const HAN = /\p{Script=Han}/u
/** The share of Chinese characters in a text; an English text may quote some. */
const hanShareOf = (text: string) => (text.match(/\p{Script=Han}/gu)?.length ?? 0) / text.length
const templates = new Map(
  server.server.runtime.extensions['agents.experts'].list().map((expert) => [expert.id, expert]),
)
const TOOLS = new Map(
  server.server.runtime.extensions['agents.tools'].list().map((tool) => [tool.name, tool]),
)
const templateOf = async (id: string, locale: string) => {
  const { files } = templates.get(id)!
  const shared = join(files, 'shared')
  return { ...(existsSync(shared) && (await filesIn(shared))), ...(await filesIn(join(files, locale))) }
}

t.test('The catalog lists the bundled experts and those of other plugins', async (t) => {
  const rows = await get('/experts')
  t.strictSame(
    rows.map(({ id }: { id: string }) => id),
    [...BUNDLED, outside.id],
  )
  const { files, ...row } = outside
  const shown = { ...row, expert_id: outside.id, missing: [] }
  t.strictSame(rows.at(-1), shown)
  t.strictSame(await get(`/experts/${outside.id}`), {
    ...shown,
    files: ['skills/bell.mjs', 'skills/watch.md'],
  })
  for (const id of BUNDLED) {
    const { files, ...shown } = await get(`/experts/${id}`)
    t.strictSame(
      shown,
      rows.find((row: { id: string }) => row.id === id),
    )
    t.ok(files.includes('AGENTS.md'), id)
    t.strictSame(files, Object.keys(await templateOf(id, 'en')).sort())
    t.strictSame((await get(`/experts/${id}`, chinese)).files, Object.keys(await templateOf(id, 'zh')).sort())
  }
  t.match(await server.request('GET', '/experts/unheard-of', { token: ann.token }), {
    status: 404,
    body: { error: { code: 'NOT_FOUND' } },
  })
})

for (const id of BUNDLED)
  t.test(`The expert ${id} is complete in both languages`, async (t) => {
    const expert = (await get('/experts')).find((row: { id: string }) => row.id === id)
    const prompts = expert.quick_prompts as Record<
      'title' | 'description' | 'prompt',
      { en: string; zh: string }
    >[]
    t.equal(prompts.length, 4)
    const texts = [
      expert.label,
      expert.description,
      expert.welcome_message,
      ...prompts.flatMap(({ title, description, prompt }) => [title, description, prompt]),
    ]
    const { en: tasks, zh: translations } = expert.task_examples
    t.equal(tasks.length, 6)
    t.equal(translations.length, 6)
    for (const { en, zh } of [
      ...texts,
      ...tasks.map((en: string, at: number) => ({ en, zh: translations[at] })),
    ]) {
      t.match(en, /[a-z]/)
      t.notMatch(en, HAN)
      t.match(zh, HAN)
    }
    const { needs = [], quick_prompts } = templates.get(id)!
    for (const tool of [...needs, ...quick_prompts.flatMap((prompt) => prompt.needs ?? [])])
      t.ok(TOOLS.has(tool), `the tool ${tool} that ${id} needs exists`)
    t.match(expert.color, /^#[0-9a-f]{6}$/)
    t.match(expert.icon, /^[a-z0-9-]+$/)

    const english = await templateOf(id, 'en')
    const translated = await templateOf(id, 'zh')
    t.strictSame(Object.keys(translated).sort(), Object.keys(english).sort())
    t.ok(english['AGENTS.md'])
    for (const [locale, files] of Object.entries({ en: english, zh: translated }))
      for (const [path, content] of Object.entries(files)) {
        t.match(content, /\S/, path)
        for (const name of MENTIONED_TOOLS.filter((tool) => content.includes(`\`${tool}\``)))
          t.ok(TOOLS.has(name), `${locale}/${path} mentions ${name}, which exists`)
        const share = hanShareOf(content)
        if (path.endsWith('.md'))
          t.ok(locale === 'zh' ? share > 0.1 : share < 0.02, `${locale}/${path} is in its language`)
        const [, slug] = /^skills\/([^/]+)\/SKILL\.md$/.exec(path) ?? []
        if (!slug) continue
        const matter = parse(/^---\n(.+?)\n---\n/s.exec(content)?.[1] ?? '')
        t.equal(matter?.name, slug, path)
        t.ok(matter.description.length > 0 && matter.description.length <= 200, `the description of ${path}`)
      }
    const skills = new Set(Object.keys(english).flatMap((path) => /^skills\/([^/]+)\//.exec(path)?.[1] ?? []))
    t.ok(skills.size > 0)
    for (const skill of skills) t.ok(`skills/${skill}/SKILL.md` in english, skill)
  })

t.test('An agent created from an expert has texts and files in the language of its user', async (t) => {
  for (const [locale, token] of [
    ['en', ann.token],
    ['zh', chinese],
  ] as const) {
    const { description, welcome_message, icon, color, files } = templates.get('ops-engineer')!
    const { status, body } = await createFrom('ops-engineer', { name: 'operations' }, token)
    t.equal(status, 201)
    t.match(body, {
      name: 'operations',
      template_name: 'ops-engineer',
      description: description[locale],
      welcome_message: welcome_message[locale],
      icon,
      color,
      state: 'running',
      is_owner: true,
    })
    t.strictSame(await filesIn(join(server.home, 'agents', body.id)), await filesIn(join(files, locale)))
    t.strictSame(await get(`/agents/${body.id}`, token), body)
  }
  const german = { 'accept-language': 'de, zh;q=0.8' }
  const { body } = await server.request('POST', '/agents/from-expert/data-analyst', {
    token: ann.token,
    body: { name: 'numbers' },
    headers: german,
  })
  t.equal(
    body.description,
    templates.get('data-analyst')!.description.zh,
    'the language asked for outweighs the user’s own',
  )
})

t.test('The scripts of experts run in a workspace, and print in its language', async (t) => {
  for (const [token, profiled, merged] of [
    [ann.token, '3 rows, 2 columns', '6 rows and 4 columns were written to merged.csv'],
    [chinese, '3 行，2 列', '已将 6 行、4 列写入 merged.csv'],
  ] as const)
    for (const [expert_id, script, parameters, printed] of [
      ['data-analyst', 'profile-data/profile.mjs', ['orders.csv'], profiled],
      [
        'office-automation',
        'consolidate-tables/consolidate.mjs',
        ['--out', 'merged.csv', 'orders.csv', 'more.csv'],
        merged,
      ],
    ] as const) {
      const { body: agent } = await createFrom(expert_id, { name: `runs ${script.split('/')[0]}` }, token)
      const cwd = join(server.home, 'agents', agent.id)
      await writeFile(join(cwd, 'orders.csv'), 'order,amount\nA-1,10\nA-2,20\nA-3,\n')
      await writeFile(join(cwd, 'more.csv'), 'order;amount\nB-1;1\nB-2;2\nB-3;3\n')
      const { stdout } = await promisify(execFile)('node', [`skills/${script}`, ...parameters], { cwd })
      t.ok(stdout.includes(printed), stdout)
    }
})

t.test(
  'No file of a bundled expert is taken for a secret when it is published',
  { skip: onlyLong },
  async (t) => {
    for (const token of [ann.token, chinese])
      for (const id of BUNDLED) {
        const { body: agent } = await createFrom(id, { name: `as it came: ${id}` }, token)
        const { status, body } = await server.request('POST', `/agents/${agent.id}/publish-expert`, {
          token,
          body: { name: id },
        })
        t.equal(status, 201)
        t.strictSame(body.left_out, [])
        t.strictSame(body.files, (await get(`/experts/${id}`, token)).files)
      }
  },
)

t.test('An account publishes 20 experts, and more after it withdraws some', async (t) => {
  const { token } = await server.createUser({ username: 'prolific' })
  const { body: agent } = await createFrom('writing-coach', { name: 'coach' }, token)
  const publish = () => server.request('POST', `/agents/${agent.id}/publish-expert`, { token, body: {} })
  const published = await Promise.all(Array.from({ length: 23 }, publish))
  const made = published.filter(({ status }) => status === 201).map(({ body }) => body)
  t.equal(made.length, 20)
  for (const reply of published.filter(({ status }) => status !== 201))
    t.match(reply, {
      status: 409,
      body: { error: { code: 'LIMIT_REACHED', details: { limit: 'published_experts', max: 20 } } },
    })
  t.match((await get('/auth/me', token)).limits, { published_experts: { used: 20, max: 20 } })
  await server.request('DELETE', `/experts/published/${made[0].id}`, { token })
  t.equal((await publish()).status, 201)
  t.match(await publish(), { status: 409, body: { error: { code: 'LIMIT_REACHED' } } })
})

t.test('An agent that is created from an expert needs a name', async (t) => {
  for (const expert_id of ['writing-coach', outside.id])
    for (const body of [undefined, {}, { description: 'nameless' }])
      t.match(await server.request('POST', `/agents/from-expert/${expert_id}`, { token: ann.token, body }), {
        status: 422,
        body: {
          error: { code: 'VALIDATION_FAILED', details: { issues: [{ path: '/name', rule: 'required' }] } },
        },
      })
})

t.test('Settings in the request replace those of the expert', async (t) => {
  const [{ id: default_model }] = await get('/models')
  const settings = {
    name: 'mine',
    description: 'My own',
    persona_mbti: 'INTJ',
    default_model,
    system_prompt: 'Be mine.',
    template_name: 'general-assistant',
    is_shared: true,
    icon: 'bot',
    color: '#123456',
    welcome_message: 'Mine.',
    config: { temperature: 0.5 },
  }
  const { status, body } = await createFrom('general-assistant', settings)
  t.equal(status, 201)
  t.match(body, settings)
  const files = await filesIn(join(server.home, 'agents', body.id))
  t.strictSame(files, await templateOf('general-assistant', 'en'))
  for (const [body, status, code] of [
    [{ name: 'mine' }, 409, 'AGENT_NAME_TAKEN'],
    [{ name: 'other', default_model: 'nobody:x' }, 400, 'PROVIDER_NOT_VISIBLE'],
    [{ name: '' }, 422, 'VALIDATION_FAILED'],
    [{ name: 'a/b' }, 422, 'VALIDATION_FAILED'],
    [{ name: 'other', template_name: 'data-analyst' }, 422, 'VALIDATION_FAILED'],
    [{ name: 'other', expert: 'x' }, 422, 'VALIDATION_FAILED'],
  ] as const)
    t.match(await createFrom('general-assistant', body), { status, body: { error: { code } } })
  t.match(await createFrom('unheard-of', { name: 'x' }), {
    status: 404,
    body: { error: { code: 'NOT_FOUND' } },
  })
})

t.test('A new account has an assistant created from the general assistant', async (t) => {
  for (const [locale, token] of [
    ['en', ann.token],
    ['zh', chinese],
  ] as const) {
    const assistant = await get('/agents/assistant', token)
    const { description, welcome_message } = templates.get('general-assistant')!
    t.match(assistant, {
      template_name: 'general-assistant',
      description: description[locale],
      welcome_message: welcome_message[locale],
    })
    t.strictSame(
      await filesIn(join(server.home, 'agents', assistant.id)),
      await templateOf('general-assistant', locale),
    )
  }
})
