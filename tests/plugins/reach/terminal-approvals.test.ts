import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Script } from '../../../plugin-api/testing/fake-openai.ts'
import t, { type Test } from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { createHold, startChat } from '../../support/chat.ts'
import { nodeCommand } from '../../support/service-process.ts'
import { CTRL_C, CTRL_D, start } from './terminal-run.ts'

/** A tool that accepts anything and cites its source. */
const publish = `export default {
  kernel: 1,
  name: 'publish', summary: 'Publishes', kernel: 1,
  setup: (host) => host.extend('agents.tools', {
    name: 'publish', label: { en: 'Publish', zh: '发布' }, description: 'Publishes anything.',
    input_schema: { type: 'object' }, disableable: true, needsApproval: () => true,
    execute(input, { cite }) {
      cite({ id: 's', title: 'The\\x1b[2J press', url: 'https://press.test/' })
      return JSON.stringify(input)
    },
  }),
}`

const chat = await startChat(t, { plugins: { publish } })
const { server, fake, agent_id, createThread } = chat
await server.request('PATCH', `/agents/${agent_id}/tool-settings/publish`, { body: { enabled: true } })
const env = { SVC_PASSWORD: server.admin.password, NO_COLOR: '1' }
const main = fileURLToPath(new URL('../../../kernel/cli/main.js', import.meta.url))

const echo = (...args: string[]) => ({ name: 'execute', arguments: { command: 'echo', args } })
const question = (text: string, options?: string[]) => ({
  name: 'ask_user_question',
  arguments: { question: text, options },
})

/** Runs `svc chat` at a terminal and says something to which the model answers with these. */
async function ask(t: Test, scripts: Script[], options: Record<string, unknown> = {}) {
  fake.next(...scripts)
  const run = start(t, { url: server.url, tty: true, env, ...options })
  await run.type('you', 'go')
  return run
}

/** The last tool results that the model received. */
const toldResults = () => {
  const { messages } = fake.requests.at(-1)!.body
  const last = messages.findLastIndex(({ role }) => role !== 'tool')
  return messages.slice(last + 1).map(({ content }) => content)
}

const decide = (thread_id: string, decisions: object[]) =>
  server.request('POST', `/agents/${agent_id}/chat/hitl/resume`, { body: { thread_id, decisions } })

/** A thread whose turn waits for approval of these calls. */
async function pause(t: Test, ...toolCalls: NonNullable<Script['toolCalls']>) {
  const thread_id = await createThread()
  const socket = await chat.connect()
  t.teardown(socket.close)
  fake.next({ toolCalls })
  socket.say({ thread_id, text: 'go' })
  await socket.until(({ type }) => type === 'hitl_required')
  return { thread_id, socket }
}

const isPending = async (thread_id: string) => (await chat.history(thread_id)).hitl_pending !== null

t.test('Calls are decided one by one: approved, changed, rejected with a reason', async (t) => {
  const run = await ask(t, [{ toolCalls: [echo('one'), echo('two'), echo('three')] }, { text: 'Done.' }])
  await run.until('⚠ 1 of 3 · execute\n  The agent wants to use “Run a program” (execute).\n')
  await run.until('  command: "echo"\n  args: ["one"]\n')
  await run.until('[y] approve, [t] approve, and always allow it in this thread, [e] edit, [n] reject\n')
  await run.type('decide', 'yes, but not that')
  await run.type('decide', 'Y')
  await run.until('⚠ 2 of 3')
  await run.type('decide', 'e')
  await run.until('edit › ')
  await run.until('{"command":"echo","args":["two"]}')
  run.stdin.write('\x7f\x7f\x7f, too"]}\r')
  await run.until('⚠ 3 of 3')
  await run.type('decide', 'n')
  await run.type('reason (optional)', 'that is not yours')
  await run.until('Done.')
  t.strictSame(toldResults(), ['one\n[exit code 0]', 'two, too\n[exit code 0]', 'that is not yours'])
  t.notMatch(run.written.stdout, 'by another client')
  t.equal(await run.leave(), 0)
})

t.test('What was typed before a call was shown does not decide it', async (t) => {
  let release!: () => void
  const hold = new Promise<void>((resolve) => {
    release = resolve
  })
  const run = await ask(t, [
    { text: ['May ', 'I?'], hold, holdAfter: 2, toolCalls: [echo('x')] },
    { text: 'Done.' },
    { text: 'Yes to what?' },
  ])
  await run.until('May I?')
  run.stdin.write('y\r')
  release()
  await run.until('⚠ execute')
  await run.until('decide › ')
  t.ok(await isPending(await lastThread()))
  run.stdin.write('no\r')
  await run.type('reason (optional)', '')
  await run.until('Done.')
  t.strictSame(toldResults(), ['The user rejected this.'])
  await run.until('y\r\n')
  await run.until('Yes to what?')
  t.equal(await run.leave(), 0)
})

const lastThread = async (): Promise<string> => (await chat.threads('GET', '?limit=1')).body[0].thread_id

t.test('A tool that was approved for the thread is not asked about again', async (t) => {
  const run = await ask(t, [
    { toolCalls: [echo('first')] },
    { toolCalls: [echo('second')] },
    { text: 'Twice.' },
  ])
  await run.type('decide', 't')
  await run.until('Twice.')
  t.strictSame(toldResults(), ['second\n[exit code 0]'])
  t.strictSame((await chat.threads('GET', '?limit=1')).body[0].allowed_tools, ['execute'])
  t.equal(await run.leave(), 0)
})

t.test('Arguments are typed again until they are JSON and the tool takes them', async (t) => {
  const run = await ask(t, [{ toolCalls: [echo('x')] }, { text: 'Done.' }])
  await run.type('decide', 'e {"command": "date"')
  await run.until('This is not valid JSON')
  await run.until('edit › ')
  await run.until('{"command": "date"')
  run.stdin.write('\x15[1]\r')
  await run.until('The arguments must be an object')
  await run.until('edit › ')
  await run.until('[1]')
  run.stdin.write(`${CTRL_C}\r`)
  await run.type('decide', 'e {"program": "date"}')
  await run.until('Some fields are not valid. (VALIDATION_FAILED)')
  await run.until('/decisions/0/edited_action/args/command must have required property')
  await run.until('⚠ execute')
  await run.type('decide', 'e {"command": "echo", "args": ["typed"]}')
  await run.until('Done.')
  t.strictSame(toldResults(), ['typed\n[exit code 0]'])
  t.equal(await run.leave(), 0)
})

t.test('A question is answered with the text that is typed next, or refused', async (t) => {
  const run = await ask(t, [
    { toolCalls: [question('Which colour?', ['red', 'blue'])] },
    { toolCalls: [question('And why?')] },
    { toolCalls: [question('Which size?', ['small', 'large, or 7'])] },
    { text: 'Done.' },
  ])
  await run.until('? ask_user_question\n  Which colour?\n  \n  1. red\n  2. blue\n')
  await run.type('answer', '  ')
  await run.type('answer', 'x'.repeat(8001))
  await run.until('At most 8000 characters can be sent, not 8001.')
  await run.type('answer', 'green, \\')
  run.stdin.write('I think\r')
  await run.until('And why?')
  t.strictSame(toldResults(), ['green, \nI think'])
  await run.type('answer', '/reject that is private')
  await run.until('Which size?')
  t.strictSame(toldResults(), ['that is private'])
  await run.until('Type a number from 1 to 2, or another answer')
  await run.type('answer', '2')
  await run.until('Done.')
  t.strictSame(toldResults(), ['large, or 7'])
  t.equal(await run.leave(), 0)
})

t.test('What somebody else decides meanwhile takes the question back and says so', async (t) => {
  const run = await ask(t, [{ toolCalls: [echo('x'), echo('y')] }, { text: 'Done.' }])
  await run.type('decide', 'y')
  await run.until('⚠ 2 of 2')
  await run.until('decide › ')
  run.stdin.write('no tha')
  await run.until('no tha')
  const thread_id = await lastThread()
  t.match(await decide(thread_id, [{ type: 'reject', message: 'not\x1b[2J now' }, { type: 'approve' }]), {
    status: 200,
  })
  await run.until('\x1b[0J')
  await run.until('Decided by another client: execute rejected (not now), execute approved.\n')
  await run.until('Done.')
  fake.next({ text: 'Still here.' })
  await run.type('you', 'there?')
  await run.until('Still here.')
  const { messages } = fake.requests.at(-1)!.body
  t.equal(messages.at(-1)!.content, 'there?', 'what was typed of the answer is gone')
  t.equal(await run.leave(), 0)
})

t.test('A turn that waited too long is taken back as well', async (t) => {
  const run = await ask(t, [{ toolCalls: [echo('x')] }, { text: 'Done.' }])
  await run.until('decide › ')
  const threads = server.db.collection<{ _id: string }>('threads')
  await threads.updateOne({ _id: await lastThread() }, { $set: { 'active_turn.paused.expires_at': 1 } })
  await server.server.runtime.cradleOf('chat').resumption.expire()
  await run.until('Rejected automatically: nobody decided in time.')
  await run.until('Done.')
  t.equal(await run.leave(), 0)
})

t.test('Ctrl-C drops what was typed, then stops the turn, as one that runs', async (t) => {
  const run = await ask(t, [{ toolCalls: [echo('x')] }])
  await run.until('decide › ')
  run.stdin.write(`y${CTRL_C}`)
  await run.until('decide › ')
  run.stdin.write(CTRL_C)
  await run.until('Stopping. Press Ctrl-C again to leave.')
  await run.until('stopped')
  t.notOk(await isPending(await lastThread()))
  t.notMatch(run.written.stdout, 'by another client')
  t.equal(await run.leave(), 0)
})

t.test('Ctrl-D leaves the turn waiting, and who comes back to the thread is asked again', async (t) => {
  const run = await ask(t, [{ text: 'I echo.', toolCalls: [echo('x')] }])
  await run.until('decide › ')
  run.stdin.write(CTRL_D)
  await run.until('The turn is waiting for a decision until ')
  t.equal(await run.code, 0)
  const thread_id = await lastThread()
  t.ok(await isPending(thread_id))
  t.match(run.written.stdout, `Decide with: svc chat --url ${server.url} --thread ${thread_id}\n`)

  fake.next({ text: 'At last.' })
  const again = start(t, { url: server.url, tty: true, env })
  await again.type('you', `/switch ${thread_id}`)
  await again.until('you › go\nI echo.\n⚙ execute command: echo, args: ["x"]\n⚠ execute\n')
  await again.type('decide', 'y')
  await again.until('At last.')
  t.strictSame(toldResults(), ['x\n[exit code 0]'])
  t.equal(await again.leave(), 0)
})

t.test('Of a turn that waited before, only what waits now is asked', async (t) => {
  const { thread_id, socket } = await pause(t, echo('first'))
  fake.next({ toolCalls: [question('Second?')] }, { text: 'Done.' })
  await decide(thread_id, [{ type: 'approve' }])
  await socket.until(
    ({ type, action_requests }) => type === 'hitl_required' && action_requests[0].name !== 'execute',
  )
  const run = start(t, { url: server.url, tty: true, env, thread: thread_id })
  await run.until('answer › ')
  t.notMatch(run.written.stdout, 'decide ›')
  run.stdin.write('second\r')
  await run.until('Done.')
  t.strictSame(toldResults(), ['second'])
  t.equal(await run.leave(), 0)
})

t.test('A connection that is lost while somebody decides is taken up again, without a word', async (t) => {
  const run = await ask(t, [{ toolCalls: [echo('x')] }, { text: 'Done.' }])
  await run.until('decide › ')
  run.stdin.write('n not ')
  await run.until('not ')
  const session = JSON.parse(await readFile(join(run.home, 'cli-session.json'), 'utf8'))
  const token: string = session[server.url].access_token
  const other = await chat.connect({ token })
  t.match(await server.request('POST', '/auth/logout', { token }), { status: 204 })
  await other.closed
  run.stdin.write('now\r')
  await run.until('Done.')
  t.strictSame(toldResults(), ['not now'])
  t.notMatch(run.written.stdout, 'lost')
  t.equal(await run.leave(), 0)
})

t.test('An error of the server is shown, and what still waits is asked again', async (t) => {
  const run = await ask(t, [{ toolCalls: [echo('x')] }, { text: 'Done.' }])
  await run.until('decide › ')
  await server.request('POST', `/agents/${agent_id}/stop`)
  run.stdin.write('y\r')
  await run.until('(AGENT_NOT_RUNNING)')
  await run.until('⚠ execute')
  await run.until('decide › ')
  await server.request('POST', `/agents/${agent_id}/start`)
  run.stdin.write('y\r')
  await run.until('Done.')
  t.equal(await run.leave(), 0)
})

t.test('A message behind a turn that waits has that decided first', async (t) => {
  fake.next({ text: 'Hello.' })
  const run = start(t, { url: server.url, tty: true, env })
  await run.type('you', 'hello')
  await run.until('Hello.')
  await run.until('you › ')
  const thread_id = await lastThread()
  const socket = await chat.connect()
  t.teardown(socket.close)
  fake.next({ toolCalls: [echo('theirs')] }, { text: 'For them.' }, { text: 'For you.' })
  socket.say({ thread_id, text: 'go' })
  await socket.until(({ type }) => type === 'hitl_required')
  run.stdin.write('mine\r')
  await run.until('The turn before yours needs a decision:\n⚠ execute\n')
  await run.type('decide', 'y')
  await run.until('For you.')
  t.notMatch(run.written.stdout, 'For them.')
  t.equal(await run.leave(), 0)
})

t.test('A message that waits says so, and is taken back by Ctrl-C', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  t.teardown(socket.close)
  const { hold, release } = createHold()
  fake.next({ text: ['Theirs', ' first.'], hold, holdAfter: 1 })
  const theirs = socket.say({ thread_id, text: 'go' })
  await socket.until(({ content }) => content === 'Theirs')
  const earlierCount = fake.requests.length
  const second = socket.say({ thread_id, text: 'and\nthis' })
  await socket.until(({ type }) => type === 'turn_queued')
  const run = start(t, { url: server.url, env, thread: thread_id, message: 'mine' })
  const { queue_id } = await untilQueued(thread_id, 'mine')
  process.emit('SIGINT')
  t.equal(await run.code, 130)
  t.match(run.written.stderr, 'Your message is waiting for the 2 turns before it.')
  t.match(run.written.stderr, 'Your message was withdrawn.')
  t.not((await chat.history(thread_id)).queued[0].queue_id, queue_id)

  const other = start(t, { url: server.url, tty: true, env, thread: thread_id })
  await other.until('Waiting: and this')
  release()
  await socket.seeTurn(theirs)
  await socket.seeTurn(second)
  t.equal(await other.leave(), 0)
  t.equal(fake.requests.length, earlierCount + 1)
})

/** Waits until a message waits in a thread. */
async function untilQueued(thread_id: string, text: string) {
  for (;;) {
    const { queued } = await chat.history(thread_id)
    const turn = queued.find((row: { text: string }) => row.text === text)
    if (turn) return turn
    await delay(20)
  }
}

t.test('Nothing in a call drives the terminal, hides in it or passes for something else', async (t) => {
  const args = {
    command: 'rm\x1b[2K\r\u009b2J\u202e\u200b\u00a0txt',
    'a\nb': { deep: '\u2066', [`${'long '.repeat(30)}`]: true },
    padded: `${' '.repeat(84)}command: "ls"`,
    script: `line one\n[y] approve\x07\n${'wide '.repeat(30)}`,
  }
  const { thread_id } = await pause(t, { name: 'publish', arguments: args })
  const run = start(t, { url: server.url, tty: true, env, thread: thread_id })
  await run.until('decide › ')
  const shown = run.written.stdout.split('⚠ publish')[1]!
  t.match(shown, '  command: "rm\\u001b[2K\\r\\u009b2J\\u202e\\u200b\\u00a0txt"\n')
  t.match(shown, '  "a\\nb": {\n')
  t.match(shown, '"deep": "\\u2066"')
  t.match(shown, / \n {2}┆ command: \\"ls\\""\n/)
  t.match(shown, '  script:\n  │ line one\n  │ [y] approve\\u0007\n  │ wide wide')
  const rows = shown.slice(0, shown.indexOf('[y] approve, ')).split('\n').slice(1, -1)
  t.ok(rows.length > 8)
  t.ok(
    rows.every((row) => row.startsWith('  ') && row.length <= 100),
    'no row begins at the margin',
  )
  t.notMatch(rows.join(''), /[\p{Cc}\p{Cf}]/u)
  fake.next({ text: 'Done.' })
  run.stdin.write('e\r')
  await run.until('edit › ')
  await run.until('{"command":"rm\\u001b[2K\\r\\u009b2J\\u202e\\u200b\\u00a0txt"')
  run.stdin.write('\r')
  await run.until('    from The press <https://press.test/>\n')
  await run.until('Done.')
  t.strictSame(JSON.parse(toldResults()[0] as string), args, 'what was offered is what was asked for')
  t.equal(await run.leave(), 0)
})

t.test('A long call is shortened until all of it is wanted, and is too long to be changed', async (t) => {
  const content = Array.from({ length: 200 }, (_, index) => `this is line ${index}`).join('\n')
  const run = await ask(t, [
    { toolCalls: [{ name: 'execute', arguments: { command: 'cat', stdin: content } }] },
  ])
  await run.until('this is line 36\n')
  await run.until('… 163 more lines')
  t.notMatch(run.written.stdout, 'this is line 37')
  await run.until('[n] reject, [s] show all of it')
  await run.type('decide', 's')
  await run.until('this is line 199')
  await run.type('decide', 'e')
  await run.until('too long to edit here')
  await run.type('edit', '')
  await run.until('decide › ')
  run.stdin.write(CTRL_C)
  await run.until('stopped')
  t.equal(await run.leave(), 0)
})

t.test(
  'Arguments that the request does not show are fetched when they are wanted',
  { skip: onlyLong },
  async (t) => {
    const input = { note: 'x'.repeat(300_000), last: 'the end of it' }
    const run = await ask(t, [{ toolCalls: [{ name: 'publish', arguments: input }] }, { text: 'Published.' }])
    await run.until('The arguments are shortened. Read them in full at')
    await run.until('/args/0')
    await run.until('omitted: ')
    await run.type('decide', 's')
    await run.until('last: "the end of it"')
    await run.type('decide', 'y')
    await run.until('Published.')
    t.equal(await run.leave(), 0)
  },
)

t.test('If nobody can be asked, the turn stays open, which has its own exit code', async (t) => {
  fake.next({ toolCalls: [echo('one')] })
  const run = start(t, { agent: 'assistant', env: { ...env, SVC_URL: server.url }, message: 'go' })
  t.equal(await run.code, 3)
  t.equal(run.written.stdout, '')
  const thread_id = await lastThread()
  t.match(run.written.stderr, '⚠ execute\n')
  t.match(run.written.stderr, '  args: ["one"]\n')
  t.match(run.written.stderr, `Decide with: svc chat assistant --thread ${thread_id} [--approve all|none]\n`)
  t.ok(await isPending(thread_id))

  const next = start(t, { url: server.url, env, thread: thread_id, message: 'another' })
  t.equal(await next.code, 3)
  const { messages } = await chat.history(thread_id)
  t.equal(messages.filter(({ role }: { role: string }) => role === 'user').length, 1, 'it was not sent')

  fake.next({ text: 'That went on.' }, { text: 'Here it is.' })
  const decided = start(t, { url: server.url, env, thread: thread_id, message: 'another', approve: 'all' })
  t.equal(await decided.code, 0)
  t.equal(decided.written.stdout, 'That went on.\nHere it is.\n')
  t.match(decided.written.stderr, 'execute approved, by --approve all\n')
})

t.test('A pipe ends at a turn that waits, and says nothing more in that thread', async (t) => {
  fake.next({ toolCalls: [echo('one')] })
  const requests = fake.requests.length
  const run = start(t, { url: server.url, env, json: true })
  run.stdin.end('go\ny\n')
  t.equal(await run.code, 3)
  t.equal(fake.requests.length, requests + 1)
  const frames = run.written.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.match(frames.at(-1), { type: 'hitl_required', action_requests: [{ args: { args: ['one'] } }] })
  const { thread_id } = frames.at(-1)

  fake.next({ text: 'Not done.' })
  const decided = start(t, { url: server.url, env, thread: thread_id, approve: 'none' })
  decided.stdin.end()
  t.equal(await decided.code, 0)
  t.equal(decided.written.stdout, 'Not done.\n')
  t.match(toldResults(), [/nobody is there to approve/])
})

t.test('No policy answers a question; one that approves nothing refuses it', async (t) => {
  fake.next({ toolCalls: [echo('one'), question('Really?')] })
  const run = start(t, { url: server.url, env, message: 'go', approve: 'all' })
  t.equal(await run.code, 3)
  const thread_id = await lastThread()
  t.match(run.written.stderr, 'execute approved, by --approve all\n? 2 of 2 · ask_user_question\n  Really?\n')
  t.ok(await isPending(thread_id), 'nothing is sent until everything is decided')

  fake.next({ text: 'Then not.' })
  const refusing = start(t, { url: server.url, env, thread: thread_id, approve: 'none' })
  refusing.stdin.end()
  t.equal(await refusing.code, 0)
  t.match(toldResults(), [/nobody is there/, /nobody is there/])

  const wrong = start(t, { url: server.url, env, message: 'go', approve: 'some' })
  t.equal(await wrong.code, 1)
  t.equal(wrong.written.stderr, '--approve must be all or none, not "some".\n')
})

t.test('At a terminal a policy approves, and only questions are asked', async (t) => {
  const run = await ask(t, [{ toolCalls: [echo('one'), question('Really?')] }, { text: 'Done.' }], {
    approve: 'all',
  })
  await run.until('execute approved, by --approve all')
  await run.type('answer', 'yes')
  await run.until('Done.')
  t.strictSame(toldResults(), ['one\n[exit code 0]', 'yes'])
  t.notMatch(run.written.stdout, 'decide ›')
  t.equal(await run.leave(), 0)
})

t.test('A policy that the server refuses to follow ends the command', async (t) => {
  const { thread_id } = await pause(t, echo('one'))
  await server.request('POST', `/agents/${agent_id}/stop`)
  const run = start(t, { url: server.url, env, thread: thread_id, approve: 'all' })
  run.stdin.end()
  t.equal(await run.code, 1)
  t.match(run.written.stderr, /is not running/)
  await server.request('POST', `/agents/${agent_id}/start`)
})

t.test('One message at a terminal asks there, and Ctrl-C ends its turn', async (t) => {
  fake.next({ toolCalls: [echo('one')] }, { text: 'Done.' }, { toolCalls: [echo('two')] })
  const run = start(t, { url: server.url, env, tty: true, message: 'go' })
  await run.type('decide', 'y')
  t.equal(await run.code, 0)
  t.match(run.written.stdout, 'Done.')

  const stopped = start(t, { url: server.url, env, tty: true, message: 'go' })
  await stopped.until('decide › ')
  stopped.stdin.write(CTRL_C)
  t.equal(await stopped.code, 130)
  t.notOk(await isPending(await lastThread()))
})

t.test('The command as people start it', async (t) => {
  const childEnv = { ...process.env, ...env, SVC_HOME: t.testdir() }
  const svc = nodeCommand([main, 'chat', '--url', server.url])

  await t.test('reads a pipe, and leaves waiting what nobody can be asked', { skip: onlyLong }, async (t) => {
    fake.next({ toolCalls: [echo('one')] })
    const child = spawn(...svc, { env: childEnv })
    child.stdin.end('go\n')
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    t.equal(code, 3)
    t.match(said, /⚠ execute\n.*\n {2}command: "echo"\n {2}args: \["one"\]\n/)
  })

  // Other systems start a program on a terminal with other arguments.
  const skip =
    (process.platform !== 'linux' || spawnSync('script', ['--version']).status !== 0) &&
    'this machine cannot start a program on a terminal'

  await t.test('asks at a terminal', { skip }, async (t) => {
    fake.next({ toolCalls: [echo('one'), echo('two')] }, { text: 'Done.' }, { toolCalls: [echo('three')] })
    const [file, args] = svc
    const line = [file, ...args].map((word) => `'${word}'`).join(' ')
    const child = spawn('script', ['-qefc', line, '/dev/null'], { env: childEnv })
    const exited = once(child, 'exit')
    let shown = ''
    let seen = 0
    child.stdout.on('data', (chunk) => {
      shown += chunk
    })
    const type = async (after: string, keys: string) => {
      while (shown.indexOf(after, seen) < 0) await once(child.stdout, 'data')
      seen = shown.indexOf(after, seen) + after.length
      child.stdin.write(keys)
    }
    await type('you › ', 'go\r')
    await type('decide › ', 'y\r')
    await type('⚠ 2 of 2', '')
    await type('decide › ', 'e\r')
    await type('["two"]}', '\x7f\x7f\x7f, too"]}\r')
    await type('Done.', '')
    t.strictSame(toldResults(), ['one\n[exit code 0]', 'two, too\n[exit code 0]'])
    await type('you › ', 'again\r')
    await type('decide › ', CTRL_C)
    await type('stopped', '')
    await type('you › ', CTRL_D)
    t.strictSame(await exited, [0, null])
  })
})
