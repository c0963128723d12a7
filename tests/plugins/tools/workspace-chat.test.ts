import { mkdirSync, rmSync } from 'node:fs'
import { readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'

const chat = await startChat(t)
const { agent_id, createThread, fake, server } = chat
const workspace = join(server.home, 'agents', agent_id)
const notes = join(workspace, 'AGENTS.md')
// Without the files of its template.
rmSync(workspace, { recursive: true })
mkdirSync(workspace)
const call = (id: string, name: string, args: object) => ({ id, name, arguments: args })

/** Returns the system prompt of a new turn. */
async function systemPrompt(): Promise<string> {
  const socket = await chat.connect()
  await socket.ask({ text: 'hello' })
  const { messages } = fake.requests.at(-1)!.body
  return messages[0]!.content as string
}

const HEADING =
  '\n\nThe file AGENTS.md of your workspace, what its owner wants whoever works there to know:\n\n'

/** Returns the paths for which the last turn asked for approval. */
const asked: string[] = []

/** Has the model call tools one after the other and returns their results. */
async function useTools(...calls: ReturnType<typeof call>[]) {
  asked.length = 0
  const socket = await chat.connect()
  fake.next(...calls.map((one) => ({ toolCalls: [one] })), { text: 'done' })
  const { frames, end } = await socket.ask({ thread_id: await createThread(), text: 'go' }, (pending) => {
    asked.push(...pending.action_requests.map(({ args }: { args: { path: string } }) => args.path))
    return [{ type: 'reject' }]
  })
  t.match(end, { type: 'done' })
  return {
    results: frames.filter(({ type }) => type === 'tool_result'),
    attachments: frames.filter(({ type }) => type === 'attachment'),
  }
}

t.test('An agent writes, finds, searches and edits files', async (t) => {
  const { results, attachments } = await useTools(
    call('call_1', 'write_file', { path: 'notes/plan.md', content: '# Plan\n- first\n- second\n' }),
    call('call_2', 'glob', { pattern: '**/*.md' }),
    call('call_3', 'grep', { pattern: '^- s', before: 1 }),
    call('call_4', 'edit_file', { path: 'notes/plan.md', old_string: '- second', new_string: '- 2nd' }),
    call('call_5', 'read_file', { path: 'notes/plan.md' }),
    call('call_6', 'grep', { pattern: '(?=x)' }),
    call('call_7', 'glob', { pattern: '../*' }),
  )
  t.match(results, [
    { is_error: false, output: /^25 bytes|^2\d bytes/ },
    { is_error: false, output: 'notes/plan.md' },
    { is_error: false, output: 'notes/plan.md-2- - first\nnotes/plan.md:3: - second' },
    { is_error: false, output: '1 occurrence replaced in "notes/plan.md"' },
    { is_error: false, output: '# Plan\n- first\n- 2nd\n' },
    { is_error: true, output: /lookahead/ },
    { is_error: true, output: /"\.\."/ },
  ])
  t.strictSame(
    attachments.map(({ path }) => path),
    ['notes/plan.md', 'notes/plan.md'],
  )
})

t.test(
  'A write below the folder of the owner needs approval, unless the owner has said otherwise',
  async (t) => {
    const root = t.testdir({ 'main.ts': 'const a = 1\n' })
    const grant = (workspace_root_dir: string | null) =>
      server.request('PATCH', `/users/${server.admin.username}`, { body: { workspace_root_dir } })
    const settle = (tools_without_approval: string[]) =>
      server.request('PATCH', `/agents/${agent_id}`, { body: { config: { tools_without_approval } } })
    const calls = [
      call('call_1', 'write_file', { path: join(root, 'new.md'), content: 'new' }),
      call('call_2', 'edit_file', { path: join(root, 'main.ts'), old_string: '1', new_string: '2' }),
      call('call_3', 'write_file', { path: join(server.home, 'x.md'), content: 'x' }),
      call('call_4', 'write_file', { path: 'own.md', content: 'mine' }),
    ]
    const outputs = async () => (await useTools(...calls)).results.map(({ output }) => output)

    t.match(
      await outputs(),
      [/outside the workspace/, /outside the workspace/, /outside/, /^4 bytes/],
      'no folder',
    )
    t.match(await grant(root), { status: 200 })
    t.match(await outputs(), [/rejected/, /rejected/, /outside the workspace/, /^4 bytes/])
    t.strictSame(asked, [join(root, 'new.md'), join(root, 'main.ts')], 'approval is asked for')
    t.equal(await readFile(join(root, 'main.ts'), 'utf8'), 'const a = 1\n')
    t.match(await settle(['write_file', 'edit_file']), { status: 200 })
    t.match(await outputs(), [
      `3 bytes were written to ${JSON.stringify(join(root, 'new.md'))}`,
      `1 occurrence replaced in ${JSON.stringify(join(root, 'main.ts'))}`,
      /outside the workspace/,
      /^4 bytes/,
    ])
    t.equal(await readFile(join(root, 'main.ts'), 'utf8'), 'const a = 2\n')
    await grant(null)
    await settle([])
  },
)

t.test('The system prompt has the current AGENTS.md of the workspace', async (t) => {
  const bare = await systemPrompt()
  t.notMatch(bare, 'AGENTS.md')
  await writeFile(notes, '\ufeffUse tabs.\n\n')
  const first = await systemPrompt()
  t.equal(first.replace(`${HEADING}Use tabs.`, ''), bare, 'it is all that is new')
  t.not(first, bare)
  t.equal(await systemPrompt(), first, 'the prompt is the same while the file is')

  await useTools(call('call_1', 'edit_file', { path: 'AGENTS.md', old_string: 'tabs', new_string: 'dots' }))
  const changed = await systemPrompt()
  t.equal(changed, first.replace('tabs', 'dots'), 'a change of the same length counts from the next turn on')
  await writeFile(notes, `${'汉'.repeat(12_000)}`)
  const long = await systemPrompt()
  t.ok(long.includes(`${HEADING}${'汉'.repeat(10_922)}\n[cut at 32768 of 36000 bytes]`))
  t.equal(await systemPrompt(), long)
  await writeFile(notes, ' \n\n')
  t.equal(await systemPrompt(), bare, 'an empty one is not mentioned')
  await rm(notes)
  t.equal(await systemPrompt(), bare)
})

t.test('An unusable AGENTS.md is ignored and logged once', async (t) => {
  const countWarnings = () => server.logged().split('AGENTS.md of a workspace is ignored').length - 1
  const bare = await systemPrompt()
  const initialCount = countWarnings()
  const outside = join(t.testdir({ 'secret.md': 'what only the outside holds' }), 'secret.md')
  await symlink(outside, notes)
  t.equal(await systemPrompt(), bare, 'a link')
  t.equal(await systemPrompt(), bare)
  t.equal(countWarnings(), initialCount + 1)
  await rm(notes)
  await writeFile(notes, Buffer.from([0x61, 0xe4, 0x62]))
  t.equal(await systemPrompt(), bare, 'another encoding')
  t.equal(await systemPrompt(), bare)
  t.equal(countWarnings(), initialCount + 2)
  await utimes(notes, 1, 1)
  await rm(notes)
  mkdirSync(notes)
  t.equal(await systemPrompt(), bare, 'a folder')
  await rm(notes, { recursive: true })
  t.equal(await systemPrompt(), bare)
})
