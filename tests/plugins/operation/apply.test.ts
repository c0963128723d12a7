import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { runCommand } from '../../support/kernel.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const MANY = amount({ short: 40, long: 500 })
const TOKEN = '123456:a-token-of-a-bot'
const SECRETS = {
  SVC_SECRET_PROVIDER_LOCAL_API_KEY: 'sk-a-key-of-a-provider',
  SVC_SECRET_CHANNEL_ADMIN_HELPER_SUPPORT_CONFIG_BOT_TOKEN: TOKEN,
}

const server = await startServer(t)

/** Writes files into a folder of their own, and returns it. */
function folderOf(name: string, files: Record<string, string>): string {
  const dir = join(server.home, '..', `${server.home.split('/').at(-1)}-${name}`)
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), content)
  }
  return dir
}

/** A variable as a file names it. */
const variable = (name: string) => `\${${name}}`

const svc = ({ home, url, admin }: TestServer, args: string[], env: Record<string, string> = {}) =>
  runCommand(home, args, { env: { SVC_URL: url, SVC_PASSWORD: admin.password, ...env } })

const apply = (on: TestServer, dir: string, args: string[] = [], env: Record<string, string> = SECRETS) =>
  svc(on, ['apply', dir, ...args], env)

/** Returns the contents of a folder by path. */
function readFolder(dir: string): Record<string, string> {
  const paths = readdirSync(dir, { recursive: true }).map(String).sort()
  const files = paths.filter((path) => statSync(join(dir, path)).isFile())
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(dir, path), 'utf8')]))
}

const FILES = {
  'groups/sales.yaml': 'name: Sales\npermissions: [channels]\ntoken_quota: 1000\n',
  'providers/local.yaml':
    'name: local\nkind: openai-compatible\nbase_url: http://127.0.0.1:9/v1\n' +
    `api_key: ${variable('SVC_SECRET_PROVIDER_LOCAL_API_KEY')}\nmodels: [{ id: small }]\n`,
  'prompts/weekly.yaml':
    'name: weekly\ntext: Report of {{team}}.\ngrants:\n  - everyone: true\n    access: use\n',
  'agents/admin/helper.yaml':
    'name: helper\ndefault_model: local:small\nsystem_prompt: |-\n  Help.\n  Be short.\n' +
    'config:\n  temperature: 0.3\ntools:\n  write_file: false\ngrants:\n  - group: Sales\n    access: edit\nstopped: true\n',
  'agents/admin/helper/AGENTS.md': 'Facts about the house.\n',
  'agents/admin/helper/skills/tables/SKILL.md':
    '---\nname: Tables\ndescription: Reads tables\n---\nRead them.\n',
  'experts/helper.yaml': 'agent: admin/helper\nname: Helper\nslug: helper\n',
  'channels/admin/helper/support.yaml':
    'agent: admin/helper\nname: Support\nkind: telegram\nenabled: false\n' +
    `config:\n  bot_token: ${variable('SVC_SECRET_CHANNEL_ADMIN_HELPER_SUPPORT_CONFIG_BOT_TOKEN')}\n`,
  'schedules/plan.yaml':
    'agent: admin/helper\nname: Plan\nprompt: Plan the day.\nschedule:\n  cron: 30 8 * * *\n  timezone: UTC\n',
}

t.test('What is applied is exported again, and means the same on another server', async (t) => {
  const dir = folderOf('whole', FILES)
  const dry = await apply(server, dir, ['--dry-run'])
  t.equal(dry.code, 0, dry.stderr)
  t.match(dry.stdout, /^\+ created groups\/sales\.yaml$/m)
  t.equal((await server.request('GET', '/groups')).body.length, 1, 'a dry run changes nothing')

  const first = await apply(server, dir)
  t.equal(first.code, 0, first.stderr)
  t.equal(first.stdout, dry.stdout)
  const agent = (await server.request('GET', '/agents/helper')).body
  t.match(agent, { managed_by: 'apply', managed_file: 'agents/admin/helper.yaml', state: 'stopped' })
  t.equal((await server.request('PATCH', '/agents/helper', { body: { description: 'x' } })).status, 409)

  const second = await apply(server, dir)
  t.strictSame([second.code, second.stdout], [0, '= 7 unchanged\n'])

  const exported = folderOf('exported', {})
  t.equal((await svc(server, ['export', exported])).code, 0)
  const files = readFolder(exported)
  const text = Object.values(files).join('\n')
  for (const secret of [...Object.values(SECRETS), agent.id, String(agent.created_at)])
    t.notMatch(text, secret, 'a file has neither secrets nor ids nor times')
  t.match(files['agents/admin/helper.yaml'], /stopped: true/)
  t.equal(files['agents/admin/helper/AGENTS.md'], FILES['agents/admin/helper/AGENTS.md'])
  t.match((await svc(server, ['export', exported])).stderr, /is not empty/)

  const other = await startServer(t)
  const moved = await apply(other, exported)
  t.equal(moved.code, 0, moved.stderr)
  t.match(moved.stdout, /^~ adopted groups\/everyone\.yaml: it was not made by svc apply$/m)
  const again = folderOf('again', {})
  t.equal((await svc(other, ['export', again])).code, 0)
  t.strictSame(readFolder(again), files)
})

t.test('Only what differs is changed, and secrets are never shown', async (t) => {
  const dir = folderOf('changed', FILES)
  writeFileSync(
    join(dir, 'groups/sales.yaml'),
    'name: Sales\ndescription: They sell\npermissions: [channels]\n',
  )
  writeFileSync(join(dir, 'agents/admin/helper/NEW.md'), 'New.\n')
  rmSync(join(dir, 'agents/admin/helper/AGENTS.md'))
  const secrets = { ...SECRETS, SVC_SECRET_PROVIDER_LOCAL_API_KEY: 'sk-another-key' }
  const { code, stdout, stderr } = await apply(server, dir, [], secrets)
  t.equal(code, 0, stderr)
  t.match(stdout, '~ changed groups/sales.yaml description: null → "They sell"')
  t.match(stdout, '~ changed groups/sales.yaml token_quota: 1000 → null')
  t.match(stdout, '~ changed providers/local.yaml: values that are not shown')
  t.match(stdout, '= 4 unchanged')
  t.notMatch(stdout + stderr, 'sk-another-key')
  const group = (await server.request('GET', '/groups/Sales')).body
  t.match(group, { description: 'They sell', token_quota: null, permissions: ['channels'] })
  const paths = (await server.request('GET', '/agents/helper/files?recursive=true')).body.map(
    ({ path }: { path: string }) => path,
  )
  t.ok(paths.includes('NEW.md') && !paths.includes('AGENTS.md'))
  t.equal((await apply(server, dir, [], secrets)).stdout, '= 7 unchanged\n')
})

t.test('What is wrong is said with its file and line, and nothing is applied', async (t) => {
  const dir = folderOf('wrong', {
    'groups/a.yaml': 'name: Twin\nsize: 3\n',
    'groups/b.yaml': 'name: Other\n',
    'groups/c.yaml': 'name: other\n',
    'groups/d.yaml': 'name: &x Anchored\ndescription: *x\n',
    'groups/e.yaml': 'name: [\n',
    'groups/f.yaml': 'name: Double\nname: Double\n',
    'groups/huge.yaml': `name: Huge\ndescription: ${'x'.repeat(1024 * 1024)}\n`,
    'groups/notes.txt': 'notes',
    'agent/x.yaml': 'name: x\n',
    'agents/nobody/x.yaml': 'name: x\nknowledge_bases: [none]\nconnectors:\n  - name: gone\n',
    'schedules/s.yaml': 'agent: admin/none\nname: S\nprompt: p\nschedule: { every_seconds: 3600 }\n',
    'channels/c.yaml': `agent: admin/helper\nname: C\nkind: telegram\nconfig:\n  bot_token: ${variable('MISSING_TOKEN')}\n`,
    'channels/d.yaml':
      'agent: admin/helper\nname: D\nkind: telegram\nconfig:\n  bot_token: x\n  bot_tokens: x\n',
    'channels/e.yaml': 'agent: admin/helper\nname: E\nkind: pigeon\n',
  })
  symlinkSync('/etc/hostname', join(dir, 'groups/link.yaml'))
  const { code, stdout, stderr } = await apply(server, dir)
  t.strictSame([code, stdout], [1, ''])
  for (const line of [
    /^groups\/a\.yaml:2:7: size /m,
    /^groups\/c\.yaml:1:7: declares the same group as groups\/b\.yaml$/m,
    /^groups\/d\.yaml:\d+:\d+: anchors and aliases are not allowed$/m,
    /^groups\/e\.yaml:\d+:\d+: /m,
    /^groups\/f\.yaml:2:\d+: Map keys must be unique$/m,
    /^groups\/huge\.yaml: has more than 1 MiB$/m,
    /^groups\/link\.yaml: is a symbolic link/m,
    /^groups\/notes\.txt: .*\.yaml$/m,
    /^agent: is not one of the folders/m,
    /^agents\/nobody\/x\.yaml:1:1: names the account "nobody", which does not exist$/m,
    /^agents\/nobody\/x\.yaml:2:19: knowledge_bases\.0 names the knowledge base "none", which does not exist$/m,
    /^agents\/nobody\/x\.yaml:4:11: connectors\.0\.name names the connector "gone", which does not exist$/m,
    /^schedules\/s\.yaml:1:8: agent names the agent "admin\/none", which does not exist$/m,
    /^channels\/c\.yaml:5:14: config\.bot_token needs the environment variable MISSING_TOKEN, which is not set$/m,
    /^channels\/d\.yaml:\d+:\d+: config\.bot_tokens /m,
    /^channels\/e\.yaml:3:7: kind "pigeon" is not a kind of this server$/m,
    /^Nothing was applied: \d+ problems$/m,
  ])
    t.match(stderr, line)
  t.equal((await server.request('GET', '/groups/Other')).status, 404)
})

t.test('Pruning deletes only what an apply has made, and an object can be released', async (t) => {
  await server.request('POST', '/groups', { body: { name: 'By hand' } })
  const dir = folderOf('pruned', FILES)
  for (const path of ['prompts/weekly.yaml', 'channels/admin/helper/support.yaml', 'schedules/plan.yaml'])
    rmSync(join(dir, path))
  const released = await svc(server, ['apply', dir, '--release', 'prompts/weekly.yaml'])
  t.match(released, { code: 0, stdout: 'Released prompts/weekly.yaml: people can change it again\n' })
  t.match(await svc(server, ['apply', dir, '--release', 'prompts/weekly.yaml']), { code: 1 })

  const kept = await apply(server, dir)
  t.match(kept.stdout, '! not declared any more schedules/plan.yaml: --prune deletes it')
  t.match(await apply(server, dir, ['--prune']), { code: 1, stderr: /needs --yes/ })
  const { code, stdout, stderr } = await apply(server, dir, ['--prune', '--yes'])
  t.equal(code, 0, stderr)
  t.match(stdout, /^- deleted channels\/admin\/helper\/support\.yaml$/m)
  t.match(stdout, /^- deleted schedules\/plan\.yaml$/m)
  t.notMatch(stdout, 'weekly')
  t.equal((await server.request('GET', '/agents/helper/channels')).body.length, 0)
  t.equal((await server.request('GET', '/agents/helper/cron')).body.length, 0)
  t.equal((await server.request('GET', '/prompts')).body.length, 1)
  t.equal((await server.request('GET', '/groups/By%20hand')).status, 200)
})

t.test('An administrator applies agents of others', async (t) => {
  const { token } = await server.createUser({ username: 'ann' })
  const dir = folderOf('others', { 'agents/ann/assistant-2.yaml': 'name: sorter\nsystem_prompt: Sort.\n' })
  const { code, stderr } = await apply(server, dir)
  t.equal(code, 0, stderr)
  t.match((await server.request('GET', '/agents/sorter', { token })).body, {
    ...{ owner: 'ann', is_owner: true, system_prompt: 'Sort.', managed_by: 'apply' },
  })
  t.strictSame((await server.request('GET', '/agents/sorter/grants', { token })).body, [])
  t.equal((await apply(server, dir)).stdout.split('\n').at(-2), '= 1 unchanged')
})

t.test('On the home of a running server, nobody signs in', async (t) => {
  const dir = folderOf('home', { 'prompts/home.yaml': 'name: home\ntext: Say it.\n' })
  const env = { SVC_ADMIN_USERNAME: server.admin.username }
  const { code, stdout, stderr } = await runCommand(server.home, ['apply', dir], { env })
  t.equal(code, 0, stderr)
  t.match(stdout, /^\+ created prompts\/home\.yaml$/m)
  const sessions = (await server.request('GET', '/auth/sessions')).body as { user_agent: string }[]
  t.notOk(
    sessions.some(({ user_agent }) => user_agent === 'svc'),
    'its session has ended',
  )
  const other = await runCommand(server.home, ['apply', dir], { env: { SVC_ADMIN_USERNAME: 'ann' } })
  t.match(other, { code: 1, stderr: /ann is not an administrator here/ })
})

t.test(
  'Many objects on two servers with one database are made once, and an apply that was cut short goes on',
  async (t) => {
    const one = await startServer(t)
    const two = await startServer(t, { home: one.home })
    const names = Array.from({ length: MANY }, (_, n) => `prompt-${n}`)
    const files = Object.fromEntries(
      names.map((name) => [`prompts/${name}.yaml`, `name: ${name}\ntext: Say it.\n`]),
    )
    const dir = folderOf('many', files)
    // A cut-off apply has made an object, but not noted that it is complete.
    const headers = { 'x-svc-apply': 'prompts/prompt-0.yaml' }
    await one.request('POST', '/prompts', { body: { name: 'prompt-0', text: 'Say it.' }, headers })
    const results = await Promise.all([apply(one, dir), apply(two, dir)])
    for (const { code, stderr } of results) t.equal(code, 0, stderr)
    const made = results.flatMap(({ stdout }) => stdout.match(/^\+ created/gm) ?? [])
    t.equal(made.length, MANY - 1)
    t.ok(results.some(({ stdout }) => stdout === `= ${MANY} unchanged\n`))
    let count = 0
    for (let path = '/prompts?limit=200'; path; ) {
      const { body, headers } = await one.request('GET', path)
      count += body.length
      path = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.replace(/^/, '/prompts') ?? ''
    }
    t.equal(count, MANY)
  },
)
