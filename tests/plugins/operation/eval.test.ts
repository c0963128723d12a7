import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { createHold, MODEL, startChat } from '../../support/chat.ts'
import { CLI, createEnvironment, runCommand, spawnCommand } from '../../support/kernel.ts'
import { ADMIN } from '../../support/server.ts'
import { nodeCommand } from '../../support/service-process.ts'

const chat = await startChat(t)
const { agent_id, fake, server } = chat
const home = t.testdir()
const env = { SVC_URL: server.url, SVC_PASSWORD: ADMIN.password }

const svc = (...args: string[]) => spawnCommand(home, ['eval', ...args], { env })
let files = 0
/** Writes cases to a file; a text is a line as it is. */
async function writeCases(...cases: (object | string)[]): Promise<string> {
  files += 1
  const file = join(home, `cases-${files}.jsonl`)
  await mkdir(home, { recursive: true })
  await writeFile(file, cases.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n'))
  return file
}
const usernames = async () =>
  (await server.request('GET', '/users')).body.map(({ username }: { username: string }) => username)

interface Seen {
  system: string
  user: string
  called: boolean
  text: string
}

/** Answers each question of the tests, and judges what names Oslo. */
function answer({ system, user, called, text }: Seen) {
  if (system.includes('You judge the answer')) {
    const { answer, reference, rejected, criterion } = JSON.parse(user)
    if (criterion.includes('unclear')) return { text: 'Perhaps.' }
    const reason = rejected ? `not ${rejected}: ${criterion}` : `like ${reference ?? 'that'}`
    return {
      text: `\`\`\`json\n${JSON.stringify({ verdict: answer.includes('Oslo') ? 'yes' : 'no', reason })}\n\`\`\``,
    }
  }
  if (user.includes('list') && !called) return { toolCalls: [{ id: 'a', name: 'ls', arguments: {} }] }
  if (user.includes('run') && !called)
    return { toolCalls: [{ id: 'a', name: 'execute', arguments: { command: 'echo yes' } }] }
  if (user.includes('run')) return { text: text.includes('Rejected') ? 'Rejected.' : 'It ran.' }
  if (user.includes('JSON')) return { text: '```json\n{"a": 1, "b": [1, {"c": 2, "d": 3}]}\n```' }
  return { text: system.includes('Be brief') ? 'Oslo.' : `You said: ${user}` }
}

fake.script(({ body: { messages } }) => {
  const textOf = (content: unknown): string =>
    typeof content === 'string'
      ? content
      : ((content ?? []) as { text?: string }[]).map((part) => part.text ?? '').join('')
  const system = messages
    .flatMap(({ role, content }) => (role === 'system' ? textOf(content) : []))
    .join('\n')
  const user = textOf(messages.findLast(({ role }) => role === 'user')?.content)
  const last = messages.at(-1)!
  return answer({ system, user, called: last.role === 'tool', text: textOf(last.content) })
})

t.test('Cases pass and fail by what they expect, and nothing of them is left', async (t) => {
  await writeFile(join(home, 'report.txt'), 'A report of Bergen')
  const file = await writeCases(
    { input: 'Hello Anna', expect: { contains: ['Hello', 'Anna'], regex: '^You said: \\w+ Anna$' } },
    '',
    { name: 'tools', input: 'Please list them', expect: { tools: ['ls', '!execute'], contains: 'list' } },
    { input: 'Some JSON', expect: { json: { b: [1, { c: 2 }] }, json_schema: { required: ['a'] } } },
    { input: 'Where?', files: ['report.txt'], expect: { contains: 'Where?' } },
    { input: 'What of Oslo?', expect: { judge: 'names the city' } },
    { input: 'Please run it', expect: { contains: 'Rejected', tools: ['execute'] } },
    { name: 'bad words', input: 'Hello', expect: { contains: 'Bye', regex: '^\\d' } },
    {
      name: 'bad JSON',
      input: 'Some JSON',
      expect: { json: { a: 2, b: [1] }, json_schema: { type: 'array' } },
    },
    { name: 'bad tools', input: 'list', expect: { tools: ['execute', '!ls'] } },
    { name: 'bad judgement', input: 'What of Rome?', expect: { judge: 'names the city' } },
    { name: 'no judgement', input: 'Oslo?', expect: { judge: 'unclear' } },
  )
  const accounts = await usernames()
  const { code, stdout, stderr } = await svc(file, '--repeat', '2', '--parallel', '3')
  t.equal(code, 1, stderr)
  for (const line of [
    /^line +case +passed +ms +tokens +cost$/m,
    /^1 +Hello Anna +2 of 2 /m,
    /^3 +tools +2 of 2 /m,
    /^4 +Some JSON +2 of 2 /m,
    /^5 +Where\? +2 of 2 /m,
    /^6 +What of Oslo\? +2 of 2 /m,
    /^7 +Please run it +2 of 2 /m,
    /^8 +bad words +0 of 2 /m,
    /^8 bad words: does not contain "Bye"$/m,
    /^8 bad words: does not match \/\^\\d\/$/m,
    /^9 bad JSON: \/a is 1, not 2$/m,
    /^9 bad JSON: \/b has 2 items, not 1$/m,
    /^9 bad JSON: the JSON must be array$/m,
    /^10 bad tools: the tool execute was not called$/m,
    /^10 bad tools: the tool ls was called$/m,
    /^11 bad judgement: judge: like that$/m,
    /^12 no judgement: judge: unclear reply of the judge: Perhaps\.$/m,
    /^assistant +12 of 22 /m,
    /^judge /m,
  ])
    t.match(stdout, line)
  t.strictSame(await usernames(), accounts)
  t.equal(await server.db.collection('agents').countDocuments({ name: /^(tested|judge)/ }), 0)
})

t.test('Calls are approved only with --approve', async (t) => {
  const file = await writeCases({
    input: 'Please run it',
    expect: { contains: 'It ran', tools: ['execute'] },
  })
  t.match(await svc(file, '--approve'), { code: 0, stdout: /^assistant +1 of 1 /m })
})

t.test('Two versions are compared, and an agent may be a file', async (t) => {
  await server.call('PATCH', `/agents/${agent_id}`, { system_prompt: 'Repeat the words.' })
  const file = await writeCases(
    { name: 'both', input: 'Where is Oslo', expect: { contains: 'Oslo' } },
    { name: 'brief', input: 'What is it', expect: { contains: 'Oslo' } },
    { name: 'long', input: 'Hello', expect: { contains: 'Hello' } },
  )
  const agent = join(home, 'brief.json')
  await writeFile(agent, JSON.stringify({ name: 'brief', system_prompt: 'Be brief.', state: 'running' }))
  const { code, stdout } = await svc(file, '--agent', agent, '--against', 'assistant')
  t.equal(code, 1)
  t.match(stdout, /^line +case +brief\.json: passed +assistant: passed +ms +tokens +cost +change$/m)
  t.match(stdout, /^2 +brief +1 of 1 +0 of 1 .*better$/m)
  t.match(stdout, /^3 +long +0 of 1 +1 of 1 .*WORSE$/m)
  t.match(stdout, /^Better: 1 \(lines 2\)\. Worse: 1 \(lines 3\)\.$/m)

  const json = await svc(file, '--against-model', MODEL, '--json')
  const { versions, cases, runs } = JSON.parse(json.stdout)
  t.match(versions, [
    { label: 'assistant', runs: 3, passed: 2 },
    { label: `assistant ${MODEL}`, runs: 3 },
  ])
  t.match(cases[0], { line: 1, name: 'both', versions: [{ passed: 1 }, { passed: 1 }], change: 'same' })
  t.match(runs[0].sides[0], [{ text: 'You said: Where is Oslo', tools: [], failures: [] }])
})

t.test(
  'A copy has the tools, the skills and the instructions of its agent, and the report names the rest',
  async (t) => {
    const { body: agent } = await server.request('POST', '/agents', {
      body: { name: 'rich', system_prompt: 'Be rich.' },
    })
    const base = await server.call('POST', '/knowledge-bases', { name: 'private' })
    const connector = await server.call('POST', '/connectors', {
      name: 'private',
      kind: 'mcp',
      config: { url: 'http://192.31.196.1/mcp' },
    })
    await server.call('PATCH', `/agents/${agent.id}`, { knowledge_base_ids: [base.id] })
    await server.call('PUT', `/agents/${agent.id}/connectors`, { connectors: [{ id: connector.id }] })
    await server.call('PATCH', `/agents/${agent.id}/tool-settings/web_fetch`, { enabled: false })
    await server.call('POST', `/agents/${agent.id}/skills`, {
      slug: 'counting',
      files: [{ path: 'SKILL.md', content: '---\nname: counting\ndescription: Counts sheep\n---\nCount.\n' }],
    })
    const file = await writeCases({ input: 'Hello', expect: { contains: 'Hello' } })
    const { code, stdout } = await svc(file, '--agent', 'rich')
    t.equal(code, 0, stdout)
    t.match(stdout, new RegExp(`^Not copied from rich: knowledge base ${base.id}`, 'm'))
    t.match(stdout, new RegExp(`^Not copied from rich: connector ${connector.id}`, 'm'))
    const { messages, tools = [] } = fake.requests.at(-1)!.body
    const system = JSON.stringify(messages)
    t.match(system, /Be rich\./)
    t.match(system, /Counts sheep/)
    t.notOk(JSON.stringify(tools).includes('"web_fetch"'))
    t.ok(JSON.stringify(tools).includes('"read_file"'))
  },
)

t.test('Rated answers become cases', async (t) => {
  const rate = async (text: string, body: object) => {
    const socket = await chat.connect()
    const { thread_id } = await socket.ask({ text })
    const { messages } = await chat.history(thread_id)
    const path = `/${thread_id}/messages/${messages.at(-1).id}/feedback`
    t.match(await chat.threads('PUT', path, { body }), { status: 200 })
    socket.close()
  }
  t.match(await svc('--from-feedback'), { code: 2, stderr: /No answer of this agent/ })
  await rate('Where is Oslo', { value: 1 })
  await rate('Where is Rome', { value: -1, reasons: ['off_topic'], comment: 'Name Oslo instead' })
  const { code, stdout } = await svc('--from-feedback')
  t.equal(code, 1)
  t.match(stdout, /^1 +- Where is Rome +0 of 1 /m)
  t.match(stdout, /^2 +\+ Where is Oslo +1 of 1 /m)
  t.match(stdout, /judge: not You said: Where is Rome: .*off topic; Name Oslo instead\.$/m)
})

t.test('Bad files and options are explained, and nothing runs', async (t) => {
  const requests = fake.requests.length
  const file = await writeCases(
    '{"input": "Hello"',
    { input: 'Hello' },
    { input: ' ', expect: { contains: 'x' } },
    { input: 'Hello', expect: {} },
    { input: 'Hello', expect: { regex: '(' } },
    { input: 'Hello', expect: { json_schema: { type: 'nothing' } } },
    { input: 'Hello', files: ['none.pdf'], expect: { contains: 'x' } },
    { input: 'Hello', expect: { contain: 'x' } },
    { input: 'Fine', expect: { contains: 'x' } },
  )
  const { code, stderr, stdout } = await svc(file)
  t.equal(code, 2)
  t.equal(stdout, '')
  const lines = stderr.trim().split('\n')
  for (const [index, problem] of [
    /is not JSON/,
    /expect/,
    /\/input/,
    /\/expect/,
    /\/expect\/regex is not a pattern of RE2/,
    /\/expect\/json_schema is not a JSON Schema/,
    /\/files\/0 "none\.pdf" does not exist/,
    /\/expect/,
  ].entries())
    t.ok(
      lines.some((line) => line.startsWith(`${file}:${index + 1}: `) && problem.test(line)),
      `line ${index + 1}: ${stderr}`,
    )
  t.notOk(lines.some((line) => line.startsWith(`${file}:9`)))
  const good = await writeCases({ input: 'Hello', expect: { contains: 'Hello' } })
  const wrong: [string[], RegExp][] = [
    [[], /file with cases or --from-feedback/],
    [[good, '--from-feedback'], /file with cases or --from-feedback/],
    [['nowhere.jsonl'], /nowhere\.jsonl: does not exist/],
    [[await writeCases('')], /has no cases/],
    [[good, '--repeat', '0'], /--repeat must be a number from 1 to 100, not "0"/],
    [[good, '--agent', 'nobody'], /agent/i],
    [[good, '--agent', 'none.json'], /none\.json: does not exist/],
  ]
  for (const [args, problem] of wrong)
    t.match(await runCommand(home, ['eval', ...args], { env }), { code: 2, stderr: problem })
  const { username, password } = await server.createUser({ username: 'ann' })
  const account = { ...env, SVC_PASSWORD: password }
  t.match(await runCommand(t.testdir(), ['eval', good, '--username', username], { env: account }), {
    code: 2,
    stderr: /you need the permission "users"/,
  })
  t.equal(fake.requests.length, requests)
})

t.test('Ctrl-C shows what there is and removes the account', async (t) => {
  const { hold, release } = createHold()
  t.teardown(release)
  const file = await writeCases(
    { input: 'Hello', expect: { contains: 'Hello' } },
    { input: 'Wait', expect: { contains: 'x' } },
  )
  const requests = fake.requests.length
  fake.next({ text: 'Hello' }, { text: 'late', hold })
  const child = spawn(...nodeCommand([CLI, 'eval', file, '--parallel', '1']), {
    env: createEnvironment(home, env),
  })
  let stdout = ''
  child.stdout.on('data', (text) => {
    stdout += text
  })
  const closed = once(child, 'close')
  await eventually('the second turn waits', () => fake.requests.length === requests + 2)
  t.ok((await usernames()).some((name: string) => name.startsWith('eval-')))
  child.kill('SIGINT')
  const [code] = await closed
  t.equal(code, 130)
  t.match(stdout, /^1 +Hello +1 of 1 /m)
  t.match(stdout, /^2 +Wait +- /m)
  t.notOk((await usernames()).some((name: string) => name.startsWith('eval-')))
})
