import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundledExperts } from '../../../plugins/agents/experts/experts.ts'
import t, { type Test } from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { pluginSource } from '../../support/kernel.ts'
import { startServer } from '../../support/server.ts'

const general = bundledExperts.find(({ id }) => id === 'general-assistant')!
const analyst = bundledExperts.find(({ id }) => id === 'data-analyst')!

const numbered = (count: number, language = 'en') =>
  Array.from({ length: count }, (_, index) => `${language} task ${index + 1}`)

/** The prompts of an expert as a caller sees them who lacks nothing. */
const shown = ({ quick_prompts }: Pick<typeof general, 'quick_prompts'>) =>
  quick_prompts.map(({ needs, ...prompt }) => ({ ...prompt, missing: [] }))

/** The numbers of examples of a plugin's experts. */
const sizes = { none: 0, two: 2, three: 3, five: 5, six: 6, eight: 8 }
const expert = (id: string, en: string[], zh: string[]) => ({
  ...general,
  id,
  welcome_message: { en: `Welcome to ${id}`, zh: `欢迎使用 ${id}` },
  quick_prompts: [],
  task_examples: { en, zh },
})
const experts = [
  ...Object.entries(sizes).map(([id, count]) => expert(id, numbered(count), numbered(count, 'zh'))),
  expert('uneven', numbered(6), numbered(4, 'zh')),
  expert('repeating', ['one', 'one', 'two', 'two', 'one', 'two'], general.task_examples.zh.slice(0, 2)),
]
const office = pluginSource(
  'office',
  `
  for (const expert of ${JSON.stringify(experts)}) host.extend('agents.experts', expert)`,
)

const server = await startServer(t, { plugins: { office }, config: { limits: { schedules: 500 } } })

const succeed = async (t: Test, ...[method, path, options]: Parameters<typeof server.request>) => {
  const { status, body } = await server.request(method, path, options)
  t.ok(status === 200 || status === 201, `${method} ${path} answered ${status} ${JSON.stringify(body)}`)
  return body
}
let made = 0
const createAgent = async (t: Test, settings: object, language = 'en'): Promise<string> => {
  made += 1
  const body = { name: `agent-${made}`, ...settings }
  const headers = { 'accept-language': language }
  return (await succeed(t, 'POST', '/agents', { body, headers })).id
}
const welcomeOf = (t: Test, agent_id: string, token?: string) =>
  succeed(t, 'GET', `/agents/${agent_id}/chat/welcome`, { token })
const examplesOf = async (t: Test, template_name: string) =>
  (await welcomeOf(t, await createAgent(t, { template_name }))).task_examples

t.test('An agent of its own greets like the general assistant', async (t) => {
  const { welcome_message, task_examples } = general
  const quick_prompts = shown(general)
  const agent_id = await createAgent(t, {})
  t.same(await welcomeOf(t, agent_id), { welcome_message, missing: [], quick_prompts, task_examples })
  const [row] = await succeed(t, 'GET', '/experts')
  t.same(
    (await welcomeOf(t, agent_id)).quick_prompts,
    row.quick_prompts,
    'in the form of the list of experts',
  )
})

t.test('An agent made from an expert greets in both languages, whichever it was made in', async (t) => {
  const { id: template_name, welcome_message, task_examples } = analyst
  const expected = { welcome_message, missing: [], quick_prompts: shown(analyst), task_examples }
  for (const language of ['en', 'zh']) {
    const agent_id = await createAgent(t, { template_name }, language)
    t.same(await welcomeOf(t, agent_id), expected, language)
  }
})

t.test('Its own message replaces both languages until it is removed', async (t) => {
  const agent_id = await createAgent(t, { template_name: analyst.id, welcome_message: 'Ahoy' })
  const { task_examples } = analyst
  const ahoy = { en: 'Ahoy', zh: 'Ahoy' }
  t.same(await welcomeOf(t, agent_id), {
    welcome_message: ahoy,
    missing: [],
    quick_prompts: shown(analyst),
    task_examples,
  })
  for (const welcome_message of [' \n', null, '']) {
    await succeed(t, 'PATCH', `/agents/${agent_id}`, { body: { welcome_message } })
    t.same((await welcomeOf(t, agent_id)).welcome_message, analyst.welcome_message)
  }
})

t.test('Examples are brought to three or six in each language, of any plugin’s expert', async (t) => {
  const [en, zh] = [general.task_examples.en, general.task_examples.zh]
  const table: [template: string, en: string[], zh: string[]][] = [
    ['none', en.slice(0, 3), zh.slice(0, 3)],
    ['two', [...numbered(2), en[0]!], [...numbered(2, 'zh'), zh[0]!]],
    ['three', numbered(3), numbered(3, 'zh')],
    ['five', numbered(3), numbered(3, 'zh')],
    ['six', numbered(6), numbered(6, 'zh')],
    ['eight', numbered(6), numbered(6, 'zh')],
    ['uneven', numbered(6), numbered(3, 'zh')],
    ['repeating', ['one', 'two', en[0]!], zh.slice(0, 3)],
  ]
  for (const [template, en, zh] of table) t.same(await examplesOf(t, template), { en, zh }, template)
})

t.test('The examples of a schedule are those of the welcome, and are not taken for a job', async (t) => {
  const agent_id = await createAgent(t, { template_name: 'five' })
  const { task_examples } = await welcomeOf(t, agent_id)
  const path = `/agents/${agent_id}/cron/examples`
  const { jobs, ...examples } = await succeed(t, 'GET', path)
  t.same(examples, { task_examples })
  t.same(jobs.en[0], { name: 'En task 1', prompt: 'En task 1', schedule: null }, 'its time is not understood')
  t.match(await server.request('GET', `${path}?timezone=Mars/Base`), {
    status: 422,
    body: { error: { details: { issues: [{ path: '/timezone' }] } } },
  })
})

t.test(
  'The examples of every expert make schedules, the same ones in both languages',
  { skip: onlyLong },
  async (t) => {
    const timezone = 'Europe/Berlin'
    const rules = new Set<string>()
    for (const { id: template_name } of bundledExperts) {
      const agent_id = await createAgent(t, { template_name })
      const { jobs } = await succeed(t, 'GET', `/agents/${agent_id}/cron/examples?timezone=${timezone}`)
      t.same(
        jobs.en.map(({ schedule }: { schedule: object }) => schedule),
        jobs.zh.map(({ schedule }: { schedule: object }) => schedule),
        template_name,
      )
      for (const { prompt } of [...jobs.en, ...jobs.zh]) t.notMatch(prompt, /^(Every|On the|每)/)
      for (const job of [jobs.en, jobs.zh].flat()) {
        const { status } = await server.request('POST', `/agents/${agent_id}/cron`, { body: job })
        t.equal(status, 201, JSON.stringify(job))
        rules.add(job.schedule.cron)
      }
    }
    for (const cron of [
      '30 8 * * 1-5',
      '0 9 1 * *',
      '0 17 L * *',
      '0 15 L 3,6,9,12 *',
      '0 10 1,15 * *',
      '0 8 * * *',
    ])
      t.ok(rules.has(cron), cron)
  },
)

t.test('An installed copy of a published agent greets like the agent it was made from', async (t) => {
  const settings = { template_name: analyst.id, welcome_message: 'Figures, please' }
  const original = await createAgent(t, settings)
  const { id } = await succeed(t, 'POST', `/agents/${original}/publish-expert`, { body: { name: 'Figures' } })
  const { token } = await server.createUser({ username: 'reader' })
  const copy = await succeed(t, 'POST', `/experts/published/${id}/install`, { token, body: { name: 'mine' } })
  t.same(await welcomeOf(t, copy.id, token), await welcomeOf(t, original))
})

t.test('Without any expert that is known an agent greets all the same', async (t) => {
  const [bare, lost, short] = [
    await createAgent(t, {}),
    await createAgent(t, { template_name: analyst.id, welcome_message: 'Still here' }),
    await createAgent(t, { template_name: 'two' }),
  ]
  const path = join(server.home, 'config.json')
  const config = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...config, plugins: { experts: { enabled: false } } }))
  await server.restart()

  const welcome = await welcomeOf(t, bare)
  t.match(welcome.welcome_message, { en: /^[A-Z]/, zh: /\p{Script=Han}/u })
  t.ok(welcome.quick_prompts.length > 0)
  for (const { title, description, prompt } of welcome.quick_prompts)
    for (const text of [title, description, prompt]) t.match(text, { en: /^[A-Z]/, zh: /\p{Script=Han}/u })
  const { en, zh } = welcome.task_examples
  t.same([new Set(en).size, new Set(zh).size], [3, 3])
  t.same(await welcomeOf(t, lost), { ...welcome, welcome_message: { en: 'Still here', zh: 'Still here' } })
  const { welcome_message, task_examples } = await welcomeOf(t, short)
  t.equal(welcome_message.zh, '欢迎使用 two')
  t.same(task_examples, { en: [...numbered(2), en[0]], zh: [...numbered(2, 'zh'), zh[0]] })
})
