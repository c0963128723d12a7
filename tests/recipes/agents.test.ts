import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../run/file-test.ts'
import { startChat } from '../support/chat.ts'
import { readRecipe } from '../support/readme.ts'
import { runRecipe } from '../support/recipe-shell.ts'

const skip = spawnSync('jq', ['--version']).status !== 0 && 'this machine has no jq'

const chat = await startChat(t, { plugins: { dice: readRecipe('plugins/dice/index.js') } })
const { fake, server } = chat

t.test('docs/users.md makes an agent from an expert and sends it a file', { skip }, async (t) => {
  fake.next({ text: 'Sales rose from 12 to 15.' })
  const lines = (await runRecipe(t, 'agents.sh', server)).split('\n')
  t.equal(lines.filter((line) => /^[a-z-]+: \w.+\.$/.test(line)).length, 10)
  t.ok(lines.includes('ISTJ'))
  t.ok(lines.includes('web_fetch: true'))
  t.ok(lines.includes('inbound/sales.csv'))
  t.match(lines.at(-2), 'Sales rose from 12 to 15.')

  const { messages, tools } = fake.requests.at(-1)!.body
  t.notOk(tools!.some((tool) => tool.function.name === 'web_fetch'))
  t.match(messages[0]!.content, /\(ISTJ\).*skills\/profile-data\/SKILL\.md.*AGENTS\.md/s, 'in this order')
  t.match(messages.at(-1)!.content, 'What do you see in inbound/sales.csv?')
  const { body: agent } = await server.request('GET', '/agents/numbers')
  const workspace = join(server.home, 'agents', agent.id)
  t.ok(readdirSync(workspace).includes('AGENTS.md'))
  t.equal(readFileSync(join(workspace, 'inbound/sales.csv'), 'utf8'), 'month,sales\nMay,12\nJune,15\n')
})

t.test('docs/users.md works with the files of an agent', { skip }, async (t) => {
  const lines = (await runRecipe(t, 'files.sh', server)).split('\n')
  t.equal(lines[0], 'notes/plan.md')
  t.ok(lines.includes('directory notes'))
  t.ok(lines.includes('file notes/plan.md'))
  t.strictSame(lines.slice(-4), ['Plannotes/rest.md', '# Plan', '1. Rest', ''])
  t.match(await server.request('GET', '/agents/assistant/files?path=notes'), { status: 404 })
})

t.test('the tool of docs/plugins.md rolls dice once its owner switches it on', async (t) => {
  const path = `/agents/${chat.agent_id}/tool-settings/roll_dice`
  t.match(await server.request('PATCH', path, { body: { enabled: true } }), { status: 200 })
  const socket = await chat.connect()
  fake.next({ toolCalls: [{ name: 'roll_dice', arguments: { count: 3 } }] }, { text: 'done' })
  const { frames } = await socket.ask({ text: 'roll' })
  t.match(
    frames.find(({ type }) => type === 'tool_result'),
    { is_error: false, output: /^[1-6] [1-6] [1-6]$/ },
  )
})
