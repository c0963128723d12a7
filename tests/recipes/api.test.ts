import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from '../run/file-test.ts'
import { startChat } from '../support/chat.ts'
import { createEnvironment } from '../support/kernel.ts'
import { linkPackage } from '../support/packed.ts'
import { readRecipe } from '../support/readme.ts'
import { runRecipe } from '../support/recipe-shell.ts'

const skip = spawnSync('jq', ['--version']).status !== 0 && 'this machine has no jq'

const { fake, server } = await startChat(t)

t.test('the commands of docs/api.md sign in and read a list page by page', { skip }, async (t) => {
  t.equal(await runRecipe(t, 'login.sh', server), 'admin\n')
  for (const name of ['one', 'two', 'three']) await server.request('POST', '/agents', { body: { name } })
  const { body: agents } = await server.request('GET', '/agents')
  const names = (await runRecipe(t, 'pages.sh', server)).trim().split('\n')
  t.strictSame(
    names,
    agents.map(({ name }: { name: string }) => name),
  )
  t.ok(names.length > 3)
})

t.test('the commands of docs/api.md create an API key and use it', { skip }, async (t) => {
  t.match(await runRecipe(t, 'api-key.sh', server), /^thr_\w+\n$/)
})

t.test('the commands of docs/api.md share an agent with a group and limit costs', { skip }, async (t) => {
  const shared = await runRecipe(t, 'groups.sh', server)
  t.strictSame(shared.trim().split('\n'), [
    'ada',
    '["channels",["Sales"]]',
    '["group","Sales"]',
    '["Sales","use"]',
    '["ada","edit"]',
  ])
  const limited = await runRecipe(t, 'budgets.sh', server)
  const [budget, serverBudget, head] = limited.split('\n')
  t.strictSame(JSON.parse(budget!), { amount: 20, window: 'month' })
  t.equal(serverBudget, '[500,0]')
  t.match(head, /^\ufeffkey,name,calls,/)
})

/** Runs a program of the page with the packages that it imports. */
function runProgram(t: Test, name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-recipe-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const packageName of ['openai', 'ws']) linkPackage(join(folder, 'node_modules'), packageName)
  const file = join(folder, name)
  writeFileSync(file, readRecipe(name))
  return promisify(execFile)(process.execPath, [file], {
    env: createEnvironment(server.home, { URL: `${server.url}/api`, TOKEN: server.admin.token }),
  })
}

t.test("the examples for clients of OpenAI's API talk to an agent", { skip }, async (t) => {
  fake.next({ text: 'Good morning to you.' }, { text: ['And to ', 'you.'] })
  t.equal(await runRecipe(t, 'openai.sh', server), 'Good morning to you.\n')
  t.equal((await runProgram(t, 'openai.mjs')).stdout, 'And to you.')
})

t.test('the program of docs/api.md says something to an agent', async (t) => {
  const run = () => runProgram(t, 'chat.mjs')
  fake.next({ text: ['Good ', 'day.'] })
  t.equal((await run()).stdout, 'Good day.')
  await server.request('POST', '/agents/assistant/stop')
  t.match((await run()).stderr, /^AGENT_NOT_RUNNING /)
})
