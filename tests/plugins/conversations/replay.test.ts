import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Script } from '../../../plugin-api/testing/fake-openai.ts'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { createHold, startChat } from '../../support/chat.ts'
import { createHome, runCommand } from '../../support/kernel.ts'

const chat = await startChat(t)
const { fake, createThread, server, agent_id } = chat
const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: args })
const task = (id: string) => call(id, 'task', { description: 'A task', instruction: 'do it' })
const { hold } = createHold()

/** A trajectory written by an earlier version of the loop; `SVC_RECORD=1` records it again. */
const RECORDING = join(process.cwd(), 'tests', 'recordings', 'turns.jsonl')

/** Turns of one conversation; decisions follow each pause. */
const turns: Record<string, { scripts: Script[]; decisions?: object[][]; stop?: boolean; config?: object }> =
  {
    'an answer': { scripts: [{ reasoning: ['think'], text: 'Hello there.' }] },
    'tools in parallel': {
      scripts: [
        {
          text: 'I write.',
          toolCalls: [
            call('a', 'write_file', { path: 'a.txt', content: 'A' }),
            call('b', 'ls', {}),
            call('c', 'ls', { wrong: true }),
            call('d', 'nothing', {}),
          ],
        },
        { toolCalls: [call('a', 'read_file', { path: 'a.txt' })] },
        { text: 'Done.' },
      ],
    },
    'two subagents': {
      scripts: [
        { toolCalls: [task('t'), task('u')] },
        { toolCalls: [call('x', 'ls', {})] },
        { toolCalls: [call('x', 'ls', {})] },
        { text: 'inner' },
        { text: 'inner' },
        { text: 'outer' },
      ],
    },
    'a subagent whose model fails': {
      scripts: [{ toolCalls: [task('t')] }, { status: 400 }, { text: 'It failed.' }],
    },
    'approvals of a batch': {
      scripts: [
        {
          toolCalls: [
            call('a', 'execute', { command: 'echo', args: ['a'] }),
            call('b', 'execute', { command: 'echo', args: ['b'] }),
            call('c', 'execute', { command: 'echo', args: ['c'] }),
            call('d', 'ls', {}),
          ],
        },
        { toolCalls: [call('a', 'ask_user_question', { question: 'Which?' })] },
        { text: 'Good.' },
      ],
      decisions: [
        [
          { type: 'approve' },
          { type: 'reject', message: 'not this' },
          { type: 'edit', edited_action: { name: 'execute', args: { command: 'echo', args: ['edited'] } } },
        ],
        [{ type: 'respond', message: 'that one' }],
      ],
    },
    'an approval within a subagent': {
      scripts: [
        { toolCalls: [task('t')] },
        { toolCalls: [call('x', 'execute', { command: 'echo', args: ['x'] }), call('y', 'ls', {})] },
        { text: 'inner' },
        { text: 'outer' },
      ],
      decisions: [[{ type: 'approve' }]],
    },
    'no more steps than the agent takes': {
      scripts: [{ toolCalls: [call('a', 'ls', {})] }, { toolCalls: [call('b', 'ls', {})] }],
      config: { max_steps: 2, reasoning: 'low' },
    },
    'a model that fails': { scripts: [{ text: ['Half ', 'of '], disconnectAfter: 2 }] },
    'a turn that is stopped': {
      scripts: [{ toolCalls: [call('a', 'ls', {})] }, { text: ['I '], hold }],
      stop: true,
    },
  }

const replay = async (home: string, file: string) => runCommand(home, ['replay', file])

t.test('Turns of a server have the same outcome when they are replayed', { skip: onlyLong }, async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  for (const { scripts, decisions = [], stop, config = {} } of Object.values(turns)) {
    await server.request('PATCH', `/agents/${agent_id}`, { body: { config } })
    const waiting = [...decisions]
    const requestCount = fake.requests.length
    fake.next(...scripts)
    const seen = socket.ask({ thread_id, text: 'go' }, () => waiting.shift()!)
    if (stop) {
      await fake.request(requestCount + scripts.length - 1)
      socket.send({ type: 'stop', thread_id })
    }
    await seen
  }
  const { status, body } = await server.request(
    'GET',
    `/agents/${agent_id}/threads/${thread_id}/trajectory/export`,
  )
  t.equal(status, 200)
  const lines = String(body).trimEnd().split('\n')
  t.equal(new Set(lines.slice(1).map((line) => JSON.parse(line).turn_id)).size, Object.keys(turns).length)
  const home = await createHome(t)
  const file = join(home, 'trajectory.jsonl')
  await writeFile(file, body)
  const { code, stdout, stderr } = await replay(home, file)
  t.equal(stderr, '')
  t.equal(stdout, `turns replayed: ${Object.keys(turns).length}, with another outcome: 0\n`)
  t.equal(code, 0)
  if (process.env.SVC_RECORD) await writeFile(RECORDING, body)
})

t.test('A recorded trajectory has the same outcome with the current loop', async (t) => {
  const home = await createHome(t)
  const { code, stdout, stderr } = await replay(home, RECORDING)
  t.equal(stderr, '')
  t.match(stdout, /^turns replayed: \d+, with another outcome: 0\n$/)
  t.equal(code, 0)
})

t.test('A trajectory with another outcome fails with the place of the difference', async (t) => {
  const home = await createHome(t)
  const recorded = await readFile(RECORDING, 'utf8')
  const lines = recorded.split('\n')
  const change = async (edit: (event: { type: string; frame: Record<string, unknown> }) => boolean) => {
    let isDone = false
    const changed = lines.map((line, index) => {
      if (isDone || index === 0 || !line) return line
      const event = JSON.parse(line)
      isDone = edit(event)
      return isDone ? JSON.stringify(event) : line
    })
    t.ok(isDone)
    const file = join(home, 'changed.jsonl')
    await writeFile(file, changed.join('\n'))
    return replay(home, file)
  }
  const longer = await change(({ type, frame }) => {
    if (type === 'done') frame.usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
    return type === 'done'
  })
  t.match(longer, { code: 1, stderr: /^trn_\w+: \/end\/usage\/\w+ was 1 and is \d+\n$/ })
  t.match(longer.stdout, /with another outcome: 1\n$/)
  const allowed = await change(({ type, frame }) => {
    const { tool_call_id, is_error } = frame
    if (type === 'tool_result' && is_error && tool_call_id === 'c') frame.output = 'was fine in those days'
    return frame.output === 'was fine in those days'
  })
  t.match(allowed, { code: 1, stderr: /was fine in those days/ })

  for (const [text, words] of [
    ['', /not an exported trajectory/],
    ['{"format":"other"}', /not an exported trajectory/],
    [`${lines[0]}\n{"seq":1}\n`, /event 1/],
    [`${lines[0]}\nnonsense\n`, /line 2/],
  ] as const) {
    const file = join(home, 'broken.jsonl')
    await writeFile(file, text)
    t.match(await replay(home, file), { code: 1, stderr: words })
  }
  t.match(await replay(home, join(home, 'missing')), { code: 1, stderr: /ENOENT|no such file/ })
})
