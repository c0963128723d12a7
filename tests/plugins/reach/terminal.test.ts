import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from '../../run/file-test.ts'
import { createFakeService, type FakeTurn } from '../../support/fake-service.ts'
import { CTRL_C, start } from './terminal-run.ts'

/** Starts a fake service whose agent is `reply`. */
async function serve(t: Test, reply: (turn: FakeTurn) => Promise<void> | void = echo) {
  const service = await createFakeService({ reply })
  t.teardown(service.close)
  return service
}

const done = {
  type: 'done',
  message_id: 'msg_2',
  stop_reason: 'end',
  usage: { input_tokens: 1200, output_tokens: 7 },
}

function echo({ text, emit }: FakeTurn) {
  emit({ type: 'content', message_id: 'msg_2', content: `You said ` })
  emit({ type: 'content', message_id: 'msg_2', content: `${text}.` })
  emit(done)
}

t.test('one message prints the answer alone to stdout, and what is about it to stderr', async (t) => {
  const service = await serve(t, ({ emit }) => {
    emit({ type: 'reasoning', content: 'Let me think.' })
    emit({ type: 'content', message_id: 'msg_2', content: 'Forty' })
    emit({ type: 'content', message_id: 'msg_2', content: '-two' })
    emit(done)
  })
  const run = start(t, { url: service.url, message: 'What is it?', model: 'demo:small' })
  t.equal(await run.code, 0)
  t.equal(run.written.stdout, 'Forty-two\n')
  t.equal(run.written.stderr, 'Let me think.\n  1,200 tokens in, 7 out\n')
  const turn = service.received.find(({ type }) => type === 'user_turn')
  t.match(turn, { text: 'What is it?', model: 'demo:small', client_message_id: /^[0-9a-f-]{36}$/ })
  t.notOk(
    service.urls.some((url) => url.includes('token')),
    'no URL contains a token',
  )
})

t.test('text appears as it arrives, before the turn is over', async (t) => {
  let finish: (() => void) | undefined
  const service = await serve(t, ({ emit }) => {
    emit({ type: 'content', message_id: 'msg_2', content: 'first' })
    finish = () => {
      emit({ type: 'content', message_id: 'msg_2', content: ' second' })
      emit(done)
    }
  })
  const run = start(t, { url: service.url, message: 'go' })
  await run.until('first')
  finish!()
  await run.code
  t.equal(run.written.stdout, 'first second\n')
})

t.test('tool calls, their results, attachments and errors are one line each', async (t) => {
  const service = await serve(t, ({ emit }) => {
    emit({ type: 'tool_call', tool_call_id: 'a', name: 'read_file', input: { path: 'notes.md' } })
    emit({
      type: 'tool_result',
      tool_call_id: 'a',
      name: 'read_file',
      output: `one\ntwo\n${'x'.repeat(500)}`,
      is_error: false,
    })
    emit({ type: 'tool_call', tool_call_id: 'b', name: 'grep', input: { pattern: 'x' } })
    emit({ type: 'tool_call', tool_call_id: 'c', name: 'ls', input: {} })
    const sources = [
      { id: 's1', title: 'Owls\x1b[2J', url: 'https://birds.test/owls' },
      { id: 's2', title: 'Notes' },
    ]
    const output = 'no such folder'
    emit({ type: 'tool_result', tool_call_id: 'b', name: 'grep', output, is_error: true, sources })
    emit({
      type: 'attachment',
      kind: 'image',
      path: 'outbound/plot.png',
      media_type: 'image/png',
      filename: 'plot.png',
    })
    emit({ type: 'content', message_id: 'msg_2', content: 'Half' })
    const details = { guidance: 'Wait for it.', detail: 'overloaded', status: 529 }
    emit({ type: 'error', code: 'PROVIDER_FAILED', message: 'The provider is down.', details })
  })
  const run = start(t, { url: service.url, message: 'go' })
  t.equal(await run.code, 1)
  t.equal(run.written.stdout, 'Half\n')
  const lines = run.written.stderr.split('\n')
  t.equal(lines[0], '⚙ read_file notes.md')
  t.match(lines[1], /^ {2}↳ one two x+…$/)
  t.ok(lines[1]!.length <= 100, 'the result fits the width of the terminal')
  t.equal(lines[4], '  ✗ grep: no such folder')
  t.equal(lines[5], '    from Owls <https://birds.test/owls>; Notes')
  t.equal(lines[6], '📎 outbound/plot.png (image/png)')
  t.strictSame(lines.slice(7, 10), [
    '✗ The provider is down. (PROVIDER_FAILED)',
    '  Wait for it.',
    '  overloaded',
  ])
})

t.test('notices and ends are sentences, and estimated tokens are marked', async (t) => {
  const ends = {
    length: 'cut off at the length limit',
    filtered: 'blocked or cut off by a content filter',
    refused: 'declined by the model',
    max_steps: 'step limit reached',
  }
  for (const [stop_reason, words] of Object.entries(ends)) {
    const service = await serve(t, ({ emit }) => {
      emit({ type: 'content', message_id: 'msg_2', content: 'Half' })
      emit({
        type: 'notice',
        message_id: 'msg_2',
        code: 'MODEL_FALLBACK',
        message: 'Another model answered.',
      })
      emit({ ...done, stop_reason, usage: { ...done.usage, is_estimated: true } })
    })
    const run = start(t, { url: service.url, message: 'go' })
    t.equal(await run.code, 0)
    t.equal(run.written.stdout, 'Half\n')
    t.equal(run.written.stderr, `ℹ Another model answered.\n  about 1,200 tokens in, 7 out · ${words}\n`)
  }
})

t.test('delegated calls are shown below the call that delegates them', async (t) => {
  const service = await serve(t, ({ emit }) => {
    const delegated = { tool_call_id: 'a/1/b', parent_tool_call_id: 'a' }
    emit({ type: 'tool_call', tool_call_id: 'a', name: 'task', input: {} })
    emit({ type: 'tool_call', ...delegated, name: 'ls', input: {} })
    emit({ type: 'tool_result', ...delegated, name: 'ls', output: 'a.txt', is_error: false })
    emit({ type: 'tool_result', tool_call_id: 'a', name: 'task', output: 'one file', is_error: false })
    emit({ type: 'content', message_id: 'msg_2', content: 'There is one file.' })
    emit(done)
  })
  const run = start(t, { url: service.url, message: 'go' })
  t.equal(await run.code, 0)
  t.strictSame(run.written.stderr.split('\n').slice(0, 4), [
    '⚙ task',
    '  ⚙ ls',
    '    ↳ a.txt',
    '  ↳ task: one file',
  ])
})

t.test('the steps of agents that were asked are indented by their depth', async (t) => {
  const service = await serve(t, ({ emit }) => {
    const asked = { name: 'ask_agent', input: { agent: 'analyst', task: 'Count.' } }
    emit({ type: 'tool_call', tool_call_id: 'a', ...asked })
    const nested = { tool_call_id: 'a/1/b', parent_tool_call_id: 'a' }
    emit({ type: 'tool_call', ...nested, name: 'task', input: {} })
    const deepest = { tool_call_id: 'a/1/b/1/c', parent_tool_call_id: 'a/1/b', name: 'ls' }
    emit({ type: 'tool_call', ...deepest, input: {} })
    emit({ type: 'tool_result', ...deepest, output: 'a.txt', is_error: false })
    emit({ type: 'tool_result', ...nested, name: 'task', output: 'one', is_error: false })
    emit({ type: 'content', message_id: 'msg_2', content: 'One.' })
    emit(done)
  })
  const run = start(t, { url: service.url, message: 'go' })
  t.equal(await run.code, 0)
  t.strictSame(run.written.stderr.split('\n').slice(0, 5), [
    '⚙ ask_agent agent: analyst, task: Count.',
    '  ⚙ task',
    '    ⚙ ls',
    '      ↳ a.txt',
    '    ↳ task: one',
  ])
})

t.test('what a tool tells while it is at work is shown as it comes', async (t) => {
  const service = await serve(t, ({ emit }) => {
    emit({ type: 'tool_call', tool_call_id: 'a', name: 'acp_runner', input: {} })
    for (const content of ['first\x1b', '[2J line\nsec', 'ond line\n'])
      emit({ type: 'tool_progress', tool_call_id: 'a', content })
    emit({ type: 'tool_result', tool_call_id: 'a', name: 'acp_runner', output: 'fine', is_error: false })
    emit({ type: 'content', message_id: 'msg_2', content: 'Done.' })
    emit(done)
  })
  const run = start(t, { url: service.url, message: 'go' })
  t.equal(await run.code, 0)
  t.equal(run.written.stdout, 'Done.\n')
  const lines = run.written.stderr.split('\n').filter((line) => line.trim() !== '')
  t.strictSame(lines.slice(0, 4), ['⚙ acp_runner', 'first line', 'second line', '  ↳ fine'])
})

t.test('a model cannot drive the terminal, also not with a sequence cut in two', async (t) => {
  const service = await serve(t, ({ emit }) => {
    for (const content of ['a\x1b[2Jb\x1b', '[31mc\x1b]0;ti', 'tle\x07d\r\b\u009b5me\u202ef\n\tg'])
      emit({ type: 'content', message_id: 'msg_2', content })
    emit({ type: 'tool_call', tool_call_id: 'a', name: 'l\x1b[31ms', input: { path: '\u009b2J' } })
    emit(done)
  })
  const run = start(t, { url: service.url, message: 'go' })
  await run.code
  t.equal(run.written.stdout, 'abcdef\n\tg\n')
  t.equal(run.written.stderr.split('\n')[0], '⚙ ls')

  const log = start(t, { url: service.url, message: 'go', json: true })
  await log.code
  t.notMatch(log.written.stdout, /[^\P{Cc}\n]/u, 'JSON lines escape them')
})

t.test('with --json each frame is a line of JSON', async (t) => {
  const service = await serve(t)
  const run = start(t, { url: service.url, message: 'hello', json: true })
  t.equal(await run.code, 0)
  const frames = run.written.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.same(
    frames.map(({ type, seq }) => [type, seq]),
    [
      ['turn_started', 1],
      ['content', 2],
      ['content', 3],
      ['done', 4],
    ],
  )
})

t.test('a turn continues after a lost connection, with nothing lost and nothing twice', async (t) => {
  const service = await serve(t, async ({ emit }) => {
    emit({ type: 'content', message_id: 'msg_2', content: 'one ' })
    emit({ type: 'content', message_id: 'msg_2', content: 'two ' })
    await once(service.events, 'seen')
    service.drop()
    emit({ type: 'content', message_id: 'msg_2', content: 'three ' })
    await once(service.events, 'subscribe')
    emit({ type: 'content', message_id: 'msg_2', content: 'four' })
    emit(done)
  })
  const run = start(t, { url: service.url, message: 'count' })
  await run.until('two ')
  service.events.emit('seen')
  t.equal(await run.code, 0)
  t.equal(run.written.stdout, 'one two three four\n')
  t.same(
    service.received.map(({ type, after_seq }) => [type, after_seq]),
    [
      ['user_turn', undefined],
      ['subscribe', 3],
    ],
  )
})

t.test('a message whose turn was not seen to start is sent again under the same id', async (t) => {
  const service = await serve(t)
  service.events.once('received', service.drop)
  const run = start(t, { url: service.url, message: 'again' })
  t.equal(await run.code, 0)
  t.equal(run.written.stdout, 'You said again.\n')
  const turns = service.received.filter(({ type }) => type === 'user_turn')
  t.equal(new Set(turns.map(({ client_message_id }) => client_message_id)).size, 1)
})

t.test('a message that is longer than the server takes is not sent again and again', async (t) => {
  const service = await createFakeService({ reply: echo, mostBytes: 4096 })
  t.teardown(service.close)
  const run = start(t, { url: service.url, message: 'long '.repeat(1000) })
  t.equal(await run.code, 1)
  t.match(run.written.stderr, /The message is longer than the server accepts/)
  t.strictSame(
    service.received.filter(({ type }) => type === 'user_turn'),
    [],
  )
})

t.test('a turn of another client in the thread is waited for, not shown', async (t) => {
  const service = await serve(t, ({ text, emit }) => {
    if (text === 'theirs') return
    theirs.emit({ type: 'content', message_id: 'msg_1', content: 'not yours' })
    theirs.emit(done)
    echo({ text, emit } as FakeTurn)
  })
  let theirs!: FakeTurn
  const thread = service.addThread()
  service.begin(thread, { text: 'theirs', client_message_id: 'x' })
  theirs = (thread as unknown as { active: FakeTurn }).active
  const run = start(t, { url: service.url, message: 'mine', thread: thread.thread_id })
  t.equal(await run.code, 0)
  t.equal(run.written.stdout, 'You said mine.\n')
})

t.test('a stored login is used again, and replaced when the server refuses it', async (t) => {
  const service = await serve(t)
  const first = start(t, { url: service.url, message: 'a' })
  await first.code
  const { home } = first
  const path = join(home, 'cli-session.json')
  t.equal((await stat(path)).mode & 0o777, 0o600)
  await start(t, { url: service.url, message: 'b', home }).code
  t.equal(service.logins.length, 1)

  service.revoke()
  const third = start(t, { url: service.url, message: 'c', home })
  t.equal(await third.code, 0)
  t.equal(third.written.stdout, 'You said c.\n')
  t.equal(service.logins.length, 2)

  service.state.renewal = service.issue()
  await start(t, { url: service.url, message: 'd', home }).code
  t.equal(JSON.parse(await readFile(path, 'utf8'))[service.url].access_token, service.state.renewal)
})

t.test('a login that ends during a turn is renewed when the connection is', async (t) => {
  const service = await serve(t, async ({ emit }) => {
    emit({ type: 'content', message_id: 'msg_2', content: 'before ' })
    await once(service.events, 'seen')
    service.revoke()
    service.drop()
    await once(service.events, 'subscribe')
    emit({ type: 'content', message_id: 'msg_2', content: 'after' })
    emit(done)
  })
  const run = start(t, { url: service.url, message: 'go' })
  await run.until('before ')
  service.events.emit('seen')
  t.equal(await run.code, 0)
  t.equal(run.written.stdout, 'before after\n')
  t.equal(service.logins.length, 2)
})

t.test(
  'the password is asked for without echo, three times at most, in the words of the server',
  async (t) => {
    const service = await serve(t)
    const run = start(t, { url: service.url, tty: true, env: { SVC_PASSWORD: '', LANG: 'zh_CN.UTF-8' } })
    for (const attempt of ['guess-1', 'guess-2']) {
      await run.until('Password of admin: ')
      run.stdin.write(`${attempt}\r`)
      await run.until('用户名或密码错误。')
    }
    await run.until('Password of admin: ')
    run.stdin.write(`${service.password}\r`)
    t.equal(await run.leave(), 0)
    t.notMatch(run.written.stdout, /guess|open-sesame/)

    const locked = start(t, { url: service.url, tty: true, env: { SVC_PASSWORD: '' } })
    service.state.locked = true
    await locked.until('Password of admin: ')
    locked.stdin.write('x\r')
    t.equal(await locked.code, 1)
    t.match(locked.written.stderr, 'Too many attempts.')
  },
)

t.test(
  'the password of a first start is taken from the home of a local server, and from nowhere else',
  async (t) => {
    const service = await serve(t)
    const home = t.testdir({ 'initial-admin-password': `${service.password}\n` })
    await writeFile(join(home, 'server.json'), JSON.stringify({ url: service.url, pid: process.pid }))
    const run = start(t, { message: 'hi', home, env: { SVC_PASSWORD: '' } })
    t.equal(await run.code, 0)
    t.same(service.logins, [{ username: 'admin', password: service.password }])

    const other = start(t, { message: 'hi', home, username: 'ada', env: { SVC_PASSWORD: '' } })
    t.equal(await other.code, 1)
    t.match(other.written.stderr, 'SVC_PASSWORD')
    t.equal(service.logins.length, 1, 'it is not tried for another account')
  },
)

t.test('with no server there, it says how to start one', async (t) => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  await once(closed, 'close')
  for (const SVC_PASSWORD of ['open-sesame-1', '']) {
    const run = start(t, { env: { SVC_URL: `http://127.0.0.1:${port}`, SVC_PASSWORD }, message: 'hi' })
    t.equal(await run.code, 1)
    t.equal(
      run.written.stderr,
      `No server responds at http://127.0.0.1:${port}. Start one with \`npm start\`, or set another one with --url.\n`,
    )
  }
  const wrong = start(t, { url: 'nonsense', message: 'hi' })
  t.equal(await wrong.code, 1)
  t.match(wrong.written.stderr, '"nonsense" is not a server address')
})

t.test('an agent that is not there is answered with those that are', async (t) => {
  const service = await serve(t)
  const run = start(t, { url: service.url, agent: 'nobody', message: 'hi' })
  t.equal(await run.code, 1)
  t.equal(run.written.stderr, 'Agent "nobody" does not exist. You can talk to: assistant.\n')
})

t.test('each line of a pipe is a turn of one thread, and a failed one makes the exit code 1', async (t) => {
  const service = await serve(t, (turn) => {
    if (turn.text === 'break') turn.emit({ type: 'error', code: 'NO_MODEL', message: 'No model.' })
    else echo(turn)
  })
  const good = start(t, { url: service.url })
  good.stdin.end('one\n\ntwo \\\nlines\n/nonsense\n')
  t.equal(await good.code, 0)
  t.equal(good.written.stdout, 'You said one.\nYou said two \nlines.\n')
  t.match(good.written.stderr, '/nonsense is not a command or a saved prompt.')
  const threads = service.received.map(({ thread_id }) => thread_id)
  t.equal(new Set(threads).size, 1)

  const bad = start(t, { url: service.url })
  bad.stdin.end('break\nthree')
  t.equal(await bad.code, 1)
  t.equal(bad.written.stdout, 'You said three.\n')
})

t.test('Ctrl-C stops the turn and the conversation goes on; Ctrl-D leaves', async (t) => {
  const service = await serve(t, async (turn) => {
    if (turn.text !== 'long') return echo(turn)
    turn.emit({ type: 'content', message_id: 'msg_2', content: 'Once upon' })
    await turn.stopped
    turn.emit({ ...done, stop_reason: 'stopped' })
  })
  const run = start(t, { url: service.url, tty: true })
  await run.type('you', 'long')
  await run.until('Once upon')
  run.stdin.write(CTRL_C)
  await run.until('Stopping. Press Ctrl-C again to leave.')
  await run.until('1,200 tokens in, 7 out · stopped')
  await run.type('you', 'short')
  await run.until('You said short.')
  t.equal(await run.leave(), 0)
})

t.test('a second Ctrl-C leaves while the turn is still stopping', async (t) => {
  const service = await serve(t, ({ emit }) =>
    emit({ type: 'content', message_id: 'msg_2', content: 'deaf' }),
  )
  const run = start(t, { url: service.url, tty: true })
  await run.type('you', 'go')
  await run.until('deaf')
  run.stdin.write(CTRL_C)
  await run.until('Stopping')
  run.stdin.write(CTRL_C)
  t.equal(await run.code, 130)
})

t.test('SIGINT stops a turn that was asked for with --message', async (t) => {
  const service = await serve(t, async ({ emit, stopped }) => {
    emit({ type: 'content', message_id: 'msg_2', content: 'Once upon' })
    await stopped
    emit({ ...done, stop_reason: 'stopped' })
  })
  const earlierListeners = process.listeners('SIGINT')
  const run = start(t, { url: service.url, message: 'go' })
  await run.until('Once upon')
  process.emit('SIGINT')
  t.equal(await run.code, 130)
  const left = process.listeners('SIGINT').filter((listener) => !earlierListeners.includes(listener))
  t.equal(left.length, 0, 'it listens no more')
})

t.test('it ends quietly when nobody reads its output any more', async (t) => {
  const service = await serve(t, ({ emit }) =>
    emit({ type: 'content', message_id: 'msg_2', content: 'never ending' }),
  )
  const run = start(t, { url: service.url, message: 'go' })
  await run.until('never')
  run.stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  t.equal(await run.code, 130)
  t.equal(run.written.stderr, '')
})

t.test('at a prompt Ctrl-C clears the line, and on an empty one leaves when pressed twice', async (t) => {
  const service = await serve(t)
  const run = start(t, { url: service.url, tty: true })
  await run.type('you', `not this${CTRL_C}but this`)
  await run.until('You said but this.')
  await run.until('you › ')
  run.stdin.write(CTRL_C)
  await run.until('Ctrl-C again')
  await run.until('you › ')
  run.stdin.write(`typed${CTRL_C}${CTRL_C}`)
  await run.until('Ctrl-C again')
  run.stdin.write(CTRL_C)
  t.equal(await run.code, 0)
})

t.test('lines that are continued, pasted or typed ahead make the messages that were meant', async (t) => {
  let release!: () => void
  const service = await serve(t, async (turn) => {
    if (turn.text === 'hold') {
      turn.emit({ type: 'content', message_id: 'msg_2', content: 'Holding. ' })
      await new Promise<void>((resolve) => {
        release = resolve
      })
    }
    echo(turn)
  })
  const run = start(t, { url: service.url, tty: true })
  await run.until('you › ')
  run.stdin.write('first \\\r')
  await run.until('… ')
  run.stdin.write('second\r')
  await run.until('You said first \nsecond.')
  await run.until('you › ')
  run.stdin.write('\x1b[200~pasted\rtext\x1b[201~\r')
  await run.until('You said pasted\ntext.')
  await run.type('you', 'hold')
  await run.until('Holding. ')
  run.stdin.write('early\rearlier\rhalf')
  release()
  await run.until('You said hold.')
  await run.until('You said early.')
  await run.until('You said earlier.')
  await run.until('half')
  run.stdin.write(' a line\r')
  await run.until('You said half a line.')
  await run.until('you › ')
  run.stdin.write('\x1b[A\x1b[A\r')
  await run.until('You said earlier.')
  t.equal(await run.leave(), 0)
})

t.test('threads are listed, opened with their last messages, and left for a new one', async (t) => {
  const service = await serve(t)
  const thread = service.addThread('About \x1b[31mbirds')
  thread.messages.push(
    { id: 'm1', role: 'user', content: [{ type: 'text', text: 'Do owls sleep?' }], turn_id: 'x' },
    {
      id: 'm2',
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'a', name: 'grep', input: { pattern: 'owl' } },
        { type: 'text', text: 'By day.' },
      ],
      turn_id: 'x',
      notices: [{ code: 'MODEL_FALLBACK', message: 'Another model answered.' }],
      stop_reason: 'length',
    },
  )
  const run = start(t, { url: service.url, tty: true, env: { NO_COLOR: '1' } })
  const enter = async (line: string) => {
    await run.type('you', `${line}`)
  }
  await enter('/fork')
  await run.until('There is nothing to copy yet.')
  await enter('/threads')
  await run.until('About birds')
  await enter('/switch 7')
  await run.until('Thread number 7 does not exist')
  await enter('/switch thr_none')
  await run.until('The thread does not exist. (THREAD_NOT_FOUND)')
  await enter('/switch 1')
  await run.until(
    'you › Do owls sleep?\n⚙ grep owl\nBy day.\nℹ Another model answered.\n  cut off at the length limit\n',
  )
  await enter('And bats?')
  await run.until('You said And bats?.')
  t.equal(service.received.at(-1)!.thread_id, thread.thread_id)
  await enter('/fork')
  await run.until('Continuing in thread ')
  const copy = service.forks.at(-1)!
  t.equal(copy.source, thread.thread_id)
  await enter('Is it late?')
  await run.until('You said Is it late?.')
  t.equal(service.received.at(-1)!.thread_id, copy.thread_id)
  await enter('/model demo:large')
  await run.until('Model: demo:large')
  await enter('/new')
  await run.until('Your next message starts a new thread')
  await enter('/usr/bin, what is it?')
  await run.until('You said /usr/bin, what is it?.')
  t.not(service.received.at(-1)!.thread_id, thread.thread_id)
  t.equal(service.received.at(-1)!.model, 'demo:large')
  await enter('/agents')
  await run.until('* assistant  Helps with anything')
  await enter('/help')
  await run.until('/switch <n|id>')
  await run.until('When the agent needs a decision, Ctrl-C ends the turn and Ctrl-D leaves it waiting.')
  await enter('/constructor')
  await run.until('/constructor is not a command')
  await enter('/quit')
  t.equal(await run.code, 0)
})

t.test('a thread that is answering is shown and followed from the start of that turn', async (t) => {
  const service = await serve(t, () => undefined)
  const thread = service.addThread()
  service.begin(thread, { text: 'Count', client_message_id: 'x' })
  const { turn_id, emit } = thread.active!
  emit({ type: 'content', message_id: 'm2', content: 'one ' })
  thread.messages.push(
    { id: 'm1', role: 'user', content: [{ type: 'text', text: 'Count' }], turn_id },
    { id: 'm2', role: 'assistant', content: [{ type: 'text', text: 'one ' }], turn_id, status: 'streaming' },
  )
  const run = start(t, { url: service.url, tty: true, thread: thread.thread_id, env: { NO_COLOR: '1' } })
  await run.until('you › Count\n')
  await run.until('one ')
  emit({ type: 'content', message_id: 'm2', content: 'two' })
  emit(done)
  await run.until('two\n')
  t.equal(run.written.stdout.split('one ').length, 2, 'its text is shown once')
  t.equal(await run.leave(), 0)
})

t.test('colours are used on a terminal, unless NO_COLOR is set', async (t) => {
  const service = await serve(t)
  for (const [env, expected] of [
    [{}, true],
    [{ NO_COLOR: '1' }, false],
  ] as const) {
    const run = start(t, { url: service.url, tty: true, env })
    await run.leave()
    t.equal(run.written.stdout.includes('\x1b[2m'), expected)
  }
})

t.test('/files, /save and /attach work with the files of the agent, and overwrite nothing', async (t) => {
  const service = await serve(t)
  service.files.set('notes.txt', 'some notes')
  service.files.set('reports/2026 plan.md', '# Plan')
  service.files.set('reports/.profile', 'hidden')
  service.files.set('cut.bin', 'half')
  const folders = t.testdir({
    here: { 'mine.txt': 'mine', 'my notes.txt': 'mine, too', folder: {} },
    home: {},
  })
  const here = join(folders, 'here')
  const earlierFolder = process.cwd()
  process.chdir(here)
  // Before the folder is removed.
  t.teardown(() => process.chdir(earlierFolder))
  const run = start(t, { tty: true, url: service.url, env: { NO_COLOR: '1' }, home: join(folders, 'home') })
  const enter = async (line: string, ...answers: string[]) => {
    await run.type('you', `${line}`)
    for (const answer of answers) await run.until(answer)
  }
  const read = (path: string) => readFile(join(here, path), 'utf8')

  await enter('/files', 'reports/', '10 B  notes.txt', '"reports/2026 plan.md"')
  await enter('/files nowhere', 'There are no files here.')
  await enter('/files --largest', '10 B  notes.txt', ' 6 B  "reports/2026 plan.md"', ' 4 B  cut.bin')
  await enter('/files reports --largest', ' 6 B  "reports/2026 plan.md"')
  await enter('/save', 'Which one?')
  await enter('/save notes.txt', 'Saved notes.txt (10 B).')
  await enter('/save notes.txt', 'Saved notes-2.txt (10 B).')
  await enter('/save notes.txt mine.txt', 'Saved mine-2.txt (10 B).')
  await enter('/save "reports/2026 plan.md"', 'Saved "2026 plan.md" (6 B).')
  await enter(`/save 'reports/2026 plan.md' folder`, 'Saved "folder/2026 plan.md" (6 B).')
  await enter('/save reports/.profile', 'Saved profile (6 B).')
  await enter('/save notes.txt .notes', 'Saved .notes (10 B).')
  await enter('/save nothing.txt', 'Not found. (NOT_FOUND)')
  await enter('/save notes.txt nowhere/', 'nowhere/notes.txt does not exist. (FILE_UNUSABLE)')
  await enter('/save cut.bin', 'No server responds')
  await enter('/attach', 'Which one?')
  await enter('/attach missing.txt', 'missing.txt does not exist. (FILE_UNUSABLE)')
  await enter('/attach folder', 'folder is not a file. (FILE_UNUSABLE)')
  await enter('/attach mine.txt', 'inbound/mine.txt will be sent with your next message.')
  await enter('/attach "my notes.txt"', '"inbound/my notes.txt" will be sent with your next message.')
  for (const [facts, about] of [
    [{ state: 'ready', pages: 1 }, 'It has 1 page.'],
    [{ state: 'reading' }, 'It is still being read.'],
    [{ state: 'no_text' }, 'It is probably a scan'],
    [
      { state: 'failed', reason: { message: 'Save it as DOCX.' } },
      'The agent cannot read it: Save it as DOCX.',
    ],
  ] as const) {
    service.documents.set('mine.txt', facts)
    await enter('/attach mine.txt', `inbound/mine.txt will be sent with your next message. ${about}`)
  }
  await enter('look at these', ' tokens in')
  await enter('and now', 'You said and now.')
  await enter('/quit')
  t.equal(await run.code, 0)

  const file = { type: 'file', media_type: 'text/plain' }
  const turns = service.received.filter(({ type }) => type === 'user_turn')
  t.match(turns[0], {
    content: [
      { type: 'text', text: 'look at these' },
      { ...file, path: 'inbound/mine.txt', filename: 'mine.txt' },
      { ...file, path: 'inbound/my notes.txt' },
    ],
  })
  t.match(turns[1], { text: 'and now', content: undefined }, 'they go with one message')
  t.equal(await read('notes.txt'), 'some notes')
  t.equal(await read('mine.txt'), 'mine', 'what was there is untouched')
  t.equal(await read('mine-2.txt'), 'some notes')
  t.equal(await read('folder/2026 plan.md'), '# Plan')
  t.strictSame(
    (await readdir(here)).sort(),
    [
      '.notes',
      '2026 plan.md',
      'folder',
      'mine-2.txt',
      'mine.txt',
      'my notes.txt',
      'notes-2.txt',
      'notes.txt',
      'profile',
    ],
    'nothing is left of a file that was cut off',
  )
})

t.test('a file of a pipe that cannot be saved ends it', async (t) => {
  const service = await serve(t)
  service.files.set('notes.txt', 'some notes')
  const run = start(t, { url: service.url })
  run.stdin.end(`/save notes.txt ${join(t.testdir(), 'nowhere/notes.txt')}\nhello\n`)
  t.equal(await run.code, 1)
  t.match(run.written.stderr, /nowhere\/notes.txt does not exist/)
  t.notOk(service.received.some(({ type }) => type === 'user_turn'))
})
