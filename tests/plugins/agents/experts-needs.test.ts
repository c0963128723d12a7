import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { pluginSource } from '../../support/kernel.ts'
import { createHome, startServer } from '../../support/server.ts'

const text = { en: 'Scout', zh: '侦察' }
const prompt = { title: text, description: text, prompt: text }
const folder = createHome(t)
for (const locale of ['en', 'zh']) mkdirSync(join(folder, locale))
/** The scale is set up while this file exists. */
const scale = join(folder, 'scale')

/** An expert that needs tools which turns lack for each of the reasons. */
const scout = {
  id: 'scout',
  label: text,
  description: text,
  welcome_message: text,
  icon: 'binoculars',
  color: '#123456',
  needs: ['web_fetch', 'execute', 'weigh', 'teleport'],
  quick_prompts: [prompt, { ...prompt, needs: ['weigh', 'read_file'] }, { ...prompt, needs: ['web_fetch'] }],
  task_examples: { en: [], zh: [] },
  files: folder,
}
const content = { ...scout, id: 'content', needs: undefined, quick_prompts: [prompt] }
const friend = { ...content, id: 'friend', needs: ['remember'] }
const weigh = { en: 'Weigh', zh: '称重' }

const server = await startServer(t, {
  plugins: {
    scouting: `import { existsSync } from 'node:fs'\n${pluginSource(
      'scouting',
      `
      let asked = 0
      const tool = {
        name: 'weigh', label: ${JSON.stringify(weigh)}, description: 'Weighs.', input_schema: { type: 'object' },
        disableable: true, execute: () => '1 kg',
        forTurn: async ({ user_id, owner_id, channel_type, thread_id }) => {
          if (!user_id || !owner_id || channel_type !== 'web' || thread_id !== '') throw new Error('not a new thread')
          asked += 1
          return existsSync(${JSON.stringify(scale)}) ? tool : null
        },
      }
      host.extend('agents.tools', tool)
      host.extend('agents.experts', ${JSON.stringify(scout)})
      for (const expert of ${JSON.stringify([content, friend])}) host.extend('agents.experts', expert)
      host.routes([{ method: 'GET', path: '/asked', summary: 'Counts questions', guard: 'public', response: { 200: {} }, handler: () => ({ asked }) }])`,
    )}`,
  },
})
const ann = await server.createUser({ username: 'ann' })
const bob = await server.createUser({ username: 'bob' })

const call = (method: string, path: string, { token }: { token: string }, body?: object) =>
  server.call(method, path, body, token)
let made = 0
const createAgent = (user: { token: string }, template_name: string) => {
  made += 1
  return call('POST', '/agents', user, { name: `agent-${made}`, template_name })
}
const welcomeOf = ({ id }: { id: string }, user: { token: string }) =>
  call('GET', `/agents/${id}/chat/welcome`, user)
const toggle = ({ id }: { id: string }, user: { token: string }, tool: string, enabled: boolean) =>
  call('PATCH', `/agents/${id}/tool-settings/${tool}`, user, { enabled })

interface Missing {
  tool: string
  reason: string
}
const reasons = (missing: Missing[]) => Object.fromEntries(missing.map(({ tool, reason }) => [tool, reason]))
/** The reasons for the whole expert, then the reasons for each prompt. */
const reasonsOf = (row: { missing: Missing[]; quick_prompts: { missing: Missing[] }[] }) => [
  reasons(row.missing),
  ...row.quick_prompts.map(({ missing }) => reasons(missing)),
]

t.afterEach(() => rmSync(scale, { force: true }))

t.test('The list of experts says what a new agent of the caller would lack, and why', async (t) => {
  const rowOf = async (user: { token: string }) =>
    (await call('GET', '/experts', user)).find(({ id }: { id: string }) => id === scout.id)
  const row = await rowOf(ann)
  t.strictSame(row.missing, [
    { tool: 'execute', label: { en: 'Run a program', zh: '运行程序' }, reason: 'forbidden' },
    { tool: 'weigh', label: weigh, reason: 'off' },
    { tool: 'teleport', label: { en: 'teleport', zh: 'teleport' }, reason: 'not_installed' },
  ])
  t.strictSame(reasonsOf(row).slice(1), [{}, { weigh: 'off' }, {}])
  t.notOk('needs' in row || 'needs' in row.quick_prompts[1], 'needs that are met are not shown')
  t.strictSame((await call('GET', '/experts/scout', ann)).missing, row.missing)
  t.strictSame(reasons((await rowOf(server.admin)).missing), { weigh: 'off', teleport: 'not_installed' })
})

t.test('A welcome follows the settings of its agent and what is set up meanwhile', async (t) => {
  const agent = await createAgent(ann, scout.id)
  const always = { execute: 'forbidden', teleport: 'not_installed' }
  const expect = async (missing: object, prompt: object, about: string) =>
    t.strictSame(
      reasonsOf(await welcomeOf(agent, ann)).slice(0, 3),
      [{ ...missing, ...always }, {}, prompt],
      about,
    )

  await expect({ weigh: 'off' }, { weigh: 'off' }, 'tools of plugins from outside are off at first')
  await toggle(agent, ann, 'weigh', true)
  await expect({ weigh: 'not_set_up' }, { weigh: 'not_set_up' }, 'nothing to weigh with')
  writeFileSync(scale, '')
  await expect({}, {}, 'set up')
  await toggle(agent, ann, 'web_fetch', false)
  await expect({ web_fetch: 'off' }, {}, 'switched off by the owner')
  t.strictSame(reasonsOf(await welcomeOf(agent, ann))[3], { web_fetch: 'off' })
  await server.call('PATCH', `/users/${ann.id}`, { permissions: ['execute'] })
  t.strictSame(reasons((await welcomeOf(agent, ann)).missing), {
    web_fetch: 'off',
    teleport: 'not_installed',
  })
})

t.test('Memory is missing while the account has switched it off', async (t) => {
  const agent = await createAgent(bob, friend.id)
  const missing = async () => reasons((await welcomeOf(agent, bob)).missing)
  t.strictSame(await missing(), {})
  await call('PATCH', '/auth/me', bob, { memory: false })
  t.strictSame(await missing(), { remember: 'not_set_up' })
  await call('PATCH', '/auth/me', bob, { memory: true })
  t.strictSame(await missing(), {})
})

t.test('A guest of an agent sees what it lacks for them', async (t) => {
  const agent = await createAgent(server.admin, scout.id)
  await toggle(agent, server.admin, 'weigh', true)
  writeFileSync(scale, '')
  await call('PATCH', `/agents/${agent.id}`, server.admin, { is_shared: true })
  t.strictSame(reasons((await welcomeOf(agent, server.admin)).missing), { teleport: 'not_installed' })
  t.strictSame(reasons((await welcomeOf(agent, bob)).missing), {
    execute: 'forbidden',
    teleport: 'not_installed',
  })
})

t.test('A published expert keeps the needs of the expert that its agent was made from', async (t) => {
  const agent = await createAgent(ann, scout.id)
  await toggle(agent, ann, 'weigh', true)
  const published = await call('POST', `/agents/${agent.id}/publish-expert`, ann, {})
  const path = `/experts/published/${published.id}`
  const expected = { execute: 'forbidden', weigh: 'off', teleport: 'not_installed' }
  const rows = await call('GET', '/experts/published', bob)
  t.strictSame(reasons(rows.find(({ id }: { id: string }) => id === published.id).missing), expected)
  t.strictSame(reasons((await call('GET', path, bob)).missing), expected)
  const installed = await call('POST', `${path}/install`, bob, {})
  t.strictSame(reasons((await welcomeOf(installed, bob)).missing), expected)

  const plain = await call(
    'POST',
    `/agents/${(await createAgent(ann, content.id)).id}/publish-expert`,
    ann,
    {},
  )
  t.strictSame(plain.missing, [])
  t.notOk('template_name' in plain)
})

t.test('No tool is asked for an expert that needs nothing', async (t) => {
  const agent = await createAgent(ann, content.id)
  const { asked } = await call('GET', '/asked', ann)
  const welcome = await welcomeOf(agent, ann)
  t.strictSame(reasonsOf(welcome), [{}, {}])
  t.equal((await call('GET', '/asked', ann)).asked, asked)
})
