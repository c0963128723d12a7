import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, open, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cradle } from '../../../plugins/tools/shell/manifest.ts'
import { createOutput } from '../../../plugins/tools/shell/output.ts'
import t, { type Test } from '../../run/file-test.ts'
import { amount, isLong } from '../../run/tier.ts'
import { noBubblewrap } from '../../support/bubblewrap.ts'
import { startChat } from '../../support/chat.ts'
import { createWorkspace, FAMILY, isRunning, numbersIn } from './shell-calls.ts'

const LIMIT = 64 * 1024
const ROUNDS = amount({ short: 6, long: 50 })

/** The inheritable descriptors that the parent of this process left open; 02000000 is O_CLOEXEC. */
const INHERITED = readdirSync('/proc/self/fdinfo').filter((fd) => {
  if (Number(fd) < 3 || !existsSync(`/proc/self/fdinfo/${fd}`)) return false
  const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))![1]!
  return (Number.parseInt(flags, 8) & 0o2000000) === 0
})

/** Polls until processes have ended; a wait in vain fails by the time limit of the test. */
async function untilGone(pids: number[]): Promise<void> {
  while (pids.some(isRunning)) await pause(10)
}

/** Declares a test that runs with and without a sandbox. */
function inEachMode(
  name: string,
  run: (t: Test, sandbox: Cradle['config']['sandbox']) => Promise<void>,
): void {
  t.test(`${name}, without a sandbox`, (t) => run(t, 'off'))
  t.test(`${name}, in one`, { skip: noBubblewrap }, (t) => run(t, 'required'))
}

inEachMode('A program gets its arguments as they are, and no shell reads them', async (t, sandbox) => {
  const { workspace, run } = await createWorkspace(t, { sandbox })
  const args = [
    '; touch made',
    '$(touch made)',
    '`touch made`',
    '*',
    '$HOME',
    "it's",
    '"',
    '',
    '| cat',
    'ä 汉',
    '--',
  ]
  t.equal(
    await run({ command: 'printf', args: ['<%s>\n', ...args] }),
    `${args.map((arg) => `<${arg}>`).join('\n')}\n[exit code 0]`,
  )
  t.notOk(existsSync(join(workspace, 'made')))
  await t.rejects(run({ command: 'echo hello' }), {
    message: '"echo hello" was not found, or the interpreter that it names was not',
  })
  await t.rejects(run({ command: 'echo; touch made' }), { message: /was not found/ })
  t.notOk(existsSync(join(workspace, 'made')))
})

t.test('No output is lost when programs end at the same time', { skip: noBubblewrap }, async (t) => {
  const { run } = await createWorkspace(t, { sandbox: 'required' })
  for (let round = 0; round < ROUNDS; round++) {
    const outputs = await Promise.all(
      Array.from({ length: 12 }, () => run({ command: 'echo', args: ['here'] })),
    )
    t.strictSame([...new Set(outputs)], ['here\n[exit code 0]'])
  }
})

t.test('A shell reads the command if requested', async (t) => {
  const { run, shell } = await createWorkspace(t)
  t.equal(await shell('echo "$((6*7))" | tr 4 X; exit 3'), 'X2\n[exit code 3]')
  t.equal(await shell('kill -9 $$'), '(no output)\n[ended by SIGKILL]')
  await t.rejects(run({ command: 'echo', args: ['x'], shell: true }), { message: /no args/ })
})

t.test('The environment is PATH, HOME and LANG, and nothing of the server', async (t) => {
  const { workspace, run } = await createWorkspace(t)
  process.env.SVC_TEST_CANARY = 'not for programs'
  t.teardown(() => delete process.env.SVC_TEST_CANARY)
  // The test runner adds a variable of its own to every child.
  const lines = (await run({ command: 'env', args: ['-0'] }))
    .split('\0')
    .map((line) => line.trim())
    .filter((line) => !/^(_TAPJS_|NODE_OPTIONS=)/.test(line))
  const path = [...new Set(['/usr/local/bin', '/usr/bin', '/bin', dirname(process.execPath)])].join(':')
  t.strictSame(lines.sort(), [`HOME=${workspace}`, 'LANG=C.UTF-8', `PATH=${path}`, '[exit code 0]'].sort())
  t.match(await run({ command: 'node', args: ['-p', '1 + 1'] }), /^2\n/, 'node is found')
})

t.test('No descriptor of the server reaches a program, and it leads a group of its own', async (t) => {
  const { workspace, shell } = await createWorkspace(t)
  const file = await open(join(workspace, 'open'), 'w')
  const socket = createServer().listen(0, '127.0.0.1')
  await once(socket, 'listening')
  const listed = (await shell('ls -l /proc/self/fd')).split('\n').filter((line) => line.includes('->'))
  const fds = listed
    .map((line) => / (\d+) -> (.*)$/.exec(line)!.slice(1) as [fd: string, target: string])
    .filter(([fd]) => !INHERITED.includes(fd))
  await file.close()
  socket.close()
  t.strictSame(
    fds.map(([fd, target]) => (/^\/proc\/\d+\/fd$/.test(target) ? 'the folder that is listed' : fd)).sort(),
    ['0', '1', '2', 'the folder that is listed'],
  )
  t.strictSame(
    fds.find(([fd]) => fd === '0'),
    ['0', '/dev/null'],
  )
  t.equal(
    await shell(
      'read -r _ _ _ _ group session _ < /proc/$$/stat; [ $group = $$ ] && [ $session = $$ ] && echo own',
    ),
    'own\n[exit code 0]',
  )
})

inEachMode('Standard input is what is given, and else empty', async (t, sandbox) => {
  const { run } = await createWorkspace(t, { sandbox })
  t.equal(await run({ command: 'cat' }), '(no output)\n[exit code 0]')
  t.equal(await run({ command: 'cat', stdin: 'ä\n汉' }), 'ä\n汉\n[exit code 0]')
  t.equal(
    await run({ command: 'true', stdin: 'x'.repeat(1_000_000) }),
    '(no output)\n[exit code 0]',
    'it need not be read',
  )
})

inEachMode('A program runs in a folder of the workspace and in no other', async (t, sandbox) => {
  const { workspace, outside, run } = await createWorkspace(t, { sandbox })
  await symlink('sub', join(workspace, 'alias'))
  await symlink(outside, join(workspace, 'out'))
  await symlink('loop', join(workspace, 'loop'))
  await writeFile(join(workspace, 'file'), '')
  const good: [cwd: string | undefined, folder: string][] = [
    [undefined, workspace],
    ['.', workspace],
    ['', workspace],
    ['sub', join(workspace, 'sub')],
    ['sub/../sub/', join(workspace, 'sub')],
    ['alias', join(workspace, 'sub')],
    [join(workspace, 'sub'), join(workspace, 'sub')],
    [workspace, workspace],
  ]
  for (const [cwd, folder] of good)
    t.equal(await run({ command: 'pwd', args: ['-P'], cwd }), `${folder}\n[exit code 0]`, `${cwd}`)
  const bad: [cwd: string, message: RegExp][] = [
    ['..', /^the folder "\.\." is outside the workspace$/],
    ['/', /outside the workspace/],
    ['/tmp', /outside the workspace/],
    ['../agent-outside', /outside the workspace/],
    [outside, /outside the workspace/],
    [`${workspace}-outside`, /outside the workspace/],
    ['out', /^the folder "out" leads out of the workspace through a link$/],
    ['out/.', /leads out/],
    ['loop', /is a link that cannot be followed/],
    ['none', /^the folder "none" does not exist$/],
    ['file', /^"file" is not a folder$/],
    ['file/x', /is not a folder/],
    ['a\0b', /NUL/],
    ['n'.repeat(300), /name that is too long/],
  ]
  for (const [cwd, message] of bad)
    await t.rejects(run({ command: 'touch', args: ['made'], cwd }), { message }, JSON.stringify(cwd))
  t.notOk(existsSync(join(outside, 'made')))
})

inEachMode('What cannot be started is said in a sentence', async (t, sandbox) => {
  const { workspace, run } = await createWorkspace(t, { max_seconds: 30, sandbox })
  await writeFile(join(workspace, 'plain'), 'x')
  await writeFile(join(workspace, 'lost'), '#!/no/such/interpreter\n')
  await chmod(join(workspace, 'lost'), 0o755)
  const table: [input: object, message: RegExp][] = [
    [{ command: 'no-such-program' }, /^"no-such-program" was not found/],
    [{ command: './plain' }, /^"\.\/plain" may not be executed$/],
    [{ command: './sub' }, /^"\.\/sub" may not be executed$/],
    [{ command: './lost' }, /^"\.\/lost" was not found, or the interpreter/],
    [{ command: './plain/x' }, /^"\.\/plain\/x" was not found$/],
    [
      { command: 'echo', args: ['x'.repeat(90_000).concat('y'.repeat(60_000))] },
      /^"echo" was given arguments that are too long$/,
    ],
    [{ command: 'a\0b' }, /^the command contains a NUL character$/],
    [{ command: 'echo', args: ['a\0b'] }, /^the command contains a NUL character$/],
    [{ command: 'echo', timeout_seconds: 31 }, /^timeout_seconds may be at most 30 on this server$/],
  ]
  for (const [input, message] of table)
    await t.rejects(run(input), { message }, JSON.stringify(input).slice(0, 60))
})

t.test('The streams come in their order of arrival, named only if both have written', async (t) => {
  const { shell } = await createWorkspace(t)
  t.equal(await shell('echo only; echo this'), 'only\nthis\n[exit code 0]')
  t.equal(await shell('echo only >&2'), 'only\n[exit code 0]')
  const both = (await shell('echo out; echo err >&2')).split('\n')
  t.strictSame(both.sort(), ['[stdout]', 'out', '[stderr]', 'err', '[exit code 0]'].sort())
  const output = createOutput()
  const parts: [stream: 'stdout' | 'stderr', bytes: Buffer][] = [
    ['stdout', Buffer.from('one\n')],
    ['stdout', Buffer.from('汉').subarray(0, 2)],
    ['stderr', Buffer.from('two')],
    ['stdout', Buffer.from('汉').subarray(2)],
    ['stdout', Buffer.from('\n')],
  ]
  for (const [stream, bytes] of parts) output.write(stream, bytes)
  t.equal(output.text(), '[stdout]\none\n[stderr]\ntwo\n[stdout]\n汉\n', 'no character is divided')
})

t.test('The head and the tail of a long output are kept, within 64 KiB and between characters', async (t) => {
  const { run, shell } = await createWorkspace(t)
  const numbers = await run({ command: 'seq', args: ['100000'] })
  t.ok(numbers.startsWith('1\n2\n3\n'))
  t.ok(numbers.endsWith('\n99999\n100000\n[exit code 0]'))
  const whole = Array.from({ length: 100_000 }, (_, n) => `${n + 1}\n`).join('').length
  const left = Number(/\n\[… (\d+) bytes are left out here …\]\n/.exec(numbers)![1])
  const shown = numbers.replace(/\n\[… .* …\]\n/, '').replace(/\[exit code 0\]$/, '')
  t.equal(Buffer.byteLength(shown) + left, whole, 'the note tells exactly what is missing')
  t.ok(Buffer.byteLength(numbers) <= LIMIT)
  t.ok(Buffer.byteLength(numbers) > LIMIT - 1024)

  const wide = await run({ command: 'node', args: ['-e', "process.stdout.write('x' + '汉'.repeat(100000))"] })
  t.ok(Buffer.byteLength(wide) <= LIMIT)
  t.notMatch(wide, '\ufffd')
  const mixed = await shell('i=0; while [ $i -lt 6000 ]; do echo out; echo err >&2; i=$((i+1)); done')
  t.ok(Buffer.byteLength(mixed) <= LIMIT, 'the names of the streams count')
  t.match(await shell("printf 'a\\377b'"), /^a\ufffdb\n/, 'what is no text is shown as far as it is')
  const exact = 'x'.repeat(LIMIT - 512)
  t.equal(await run({ command: 'cat', stdin: exact }), `${exact}\n[exit code 0]`)
  t.match(await run({ command: 'cat', stdin: `${exact}y` }), /\n\[… 1 bytes are left out here …\]\nx+y\n/)
})

t.test('Output without end is ended', async (t) => {
  const { run } = await createWorkspace(t)
  const output = await run({ command: 'yes', args: ['again'] })
  t.match(output, /\nagain\n.*\n\[ended by SIGTERM, as it had written more than 16 MiB\]$/)
  t.ok(Buffer.byteLength(output) <= LIMIT)
})

t.test('A program that takes too long is ended with all that it started', async (t) => {
  const { workspace, shell } = await createWorkspace(t)
  const limit = { timeout_seconds: 1 }
  const [plain, polite, stubborn] = await Promise.all([
    shell('echo before; sleep 1000; echo after', limit),
    shell("trap 'echo bye; exit 5' TERM; sleep 1000 & wait", limit),
    shell(`${FAMILY} wait; sleep 1000`, limit),
  ])
  t.equal(plain, 'before\n[ended by SIGTERM, as it did not end within 1 s]')
  t.equal(polite, 'bye\n[exit code 5 after it was asked to end, as it did not end within 1 s]')
  t.equal(stubborn, '(no output)\n[ended by SIGKILL, as it did not end within 1 s]')
  const pids = await numbersIn(workspace, 'pids')
  t.equal(pids.length, 5)
  t.strictSame(pids.filter(isRunning), [], 'nothing is left when the call ends')
})

t.test('Processes that a program leaves behind are ended, and do not delay the call', async (t) => {
  const { workspace, shell } = await createWorkspace(t)
  const [holding, silent, stubborn] = await Promise.all([
    shell('sleep 1000 & echo $! > holding; echo done'),
    shell('sleep 1000 < /dev/null > /dev/null 2>&1 & echo $! > silent; exit 4'),
    shell(`${FAMILY} exit 0`),
  ])
  const note = '[processes that it had left running were ended]'
  t.equal(holding, `done\n${note}\n[exit code 0]`, 'it holds the output open')
  t.equal(silent, `(no output)\n${note}\n[exit code 4]`, 'it holds nothing open')
  t.equal(stubborn, `(no output)\n${note}\n[exit code 0]`, 'it does not want to end')
  const pids = await Promise.all(['holding', 'silent', 'pids'].map((name) => numbersIn(workspace, name)))
  t.equal(pids.flat().length, 7)
  t.strictSame(pids.flat().filter(isRunning), [])
})

t.test('A process that left the group cannot delay the call', async (t) => {
  const { workspace, shell } = await createWorkspace(t)
  t.equal(
    await shell(
      'setsid sh -c "echo \\$\\$ > pids; exec sleep 1000" & while ! [ -s pids ]; do sleep 0.01; done; echo done',
    ),
    'done\n[exit code 0]',
  )
  const [pid] = await numbersIn(workspace, 'pids')
  t.ok(isRunning(pid!))
  process.kill(pid!, 'SIGKILL')
})

t.test('An aborted signal kills the whole group at once', async (t) => {
  const { workspace, run, shell } = await createWorkspace(t)
  const abort = new AbortController()
  const call = shell(`${FAMILY} sleep 1000`, {}, abort.signal)
  const pids = await numbersIn(workspace, 'pids')
  t.strictSame(pids.filter(isRunning), pids)
  abort.abort(new Error('stopped'))
  await t.rejects(call, { message: 'stopped' })
  t.strictSame(pids.filter(isRunning), [])
  await t.rejects(run({ command: 'touch', args: ['made'] }, abort.signal), { message: 'stopped' })
  t.notOk(existsSync(join(workspace, 'made')), 'nothing is begun afterwards')
})

t.test('Only a limited number of programs run at a time, the others wait', async (t) => {
  const { workspace, shell } = await createWorkspace(t, { max_processes: 2 })
  const abort = new AbortController()
  // Each announces itself and continues once it is released.
  const hold = (name: string, signal?: AbortSignal) =>
    shell(`echo $$ > ${name}; while ! [ -e go-${name} ]; do sleep 0.01; done; echo ${name}`, {}, signal)
  const [a, b] = [hold('a'), hold('b')]
  await Promise.all([numbersIn(workspace, 'a'), numbersIn(workspace, 'b')])
  const [c, d] = [hold('c', abort.signal), hold('d')]
  abort.abort(new Error('no longer wanted'))
  await t.rejects(c, { message: 'no longer wanted' }, 'one that waits heeds its signal')
  t.notOk(existsSync(join(workspace, 'd')), 'the last one waits')
  await writeFile(join(workspace, 'go-a'), '')
  t.match(await a, /^a\n/)
  await numbersIn(workspace, 'd')
  for (const name of ['b', 'd']) await writeFile(join(workspace, `go-${name}`), '')
  t.strictSame(await Promise.all([b, d]), ['b\n[exit code 0]', 'd\n[exit code 0]'])
  t.notOk(existsSync(join(workspace, 'c')), 'the one that gave up never began')
})

t.test('When the plugin stops, all programs are killed and no others start', async (t) => {
  const { workspace, programs, run, shell } = await createWorkspace(t, { max_processes: 1 })
  const call = shell(`${FAMILY} sleep 1000`)
  const pids = await numbersIn(workspace, 'pids')
  const ends = Promise.allSettled([call, run({ command: 'touch', args: ['made'] })])
  await programs.close()
  t.strictSame(pids.filter(isRunning), [])
  for (const end of await ends)
    t.match(end, { status: 'rejected', reason: { message: 'the server is shutting down' } })
  await t.rejects(run({ command: 'true' }), { message: 'the server is shutting down' })
  t.notOk(existsSync(join(workspace, 'made')))
})

t.test('In a chat', async (t) => {
  // In a sandbox the pids differ from those here.
  const chat = await startChat(t, { config: { plugins: { shell: { sandbox: 'off' } } } })
  const { fake, server } = chat
  const workspace = join(server.home, 'agents', chat.agent_id)
  const execute = (args: object) => ({ toolCalls: [{ id: 'call_x', name: 'execute', arguments: args }] })
  const settle = (body: object) => server.request('PATCH', `/agents/${chat.agent_id}`, { body })
  const resultOf = ({ frames }: { frames: { type: string }[] }) =>
    frames.find(({ type }) => type === 'tool_result')

  await t.test('the tool is offered only to those with the permission', async (t) => {
    const { body: catalog } = await server.request('GET', '/users/permissions')
    t.match(
      catalog.find(({ key }: { key: string }) => key === 'execute'),
      { category: 'control', description: /trusted/ },
    )
    const offered = async (user: { username: string; permissions: string[] }) => {
      const { token } = await server.createUser(user)
      const { body: agents } = await server.request('GET', '/agents', { token })
      const socket = await chat.connect({ token, agent_id: agents[0].id })
      const requestCount = fake.requests.length
      fake.next(execute({ command: 'touch', args: ['made'] }), { text: 'ok' })
      const turn = await socket.ask({ text: 'go' }, () => [{ type: 'reject' }])
      const names = fake.requests[requestCount]!.body.tools!.map(({ function: { name } }) => name)
      return { isOffered: names.includes('execute'), result: resultOf(turn) }
    }
    t.match(await offered({ username: 'without', permissions: [] }), {
      isOffered: false,
      result: { is_error: true, output: /no tool "execute"/ },
    })
    t.match(await offered({ username: 'with', permissions: ['execute'] }), {
      isOffered: true,
      result: { is_error: true, output: /rejected/ },
    })
  })

  await t.test('it needs approval unless the owner has waived it', async (t) => {
    const socket = await chat.connect()
    const ask = (...decisions: object[]) => {
      fake.next(execute({ command: 'sh', args: ['-c', 'echo made > made; pwd -P'] }), { text: 'ok' })
      return socket.ask({ text: 'go' }, () => decisions)
    }
    t.match(resultOf(await ask({ type: 'reject' })), { is_error: true, output: /rejected/ })
    t.notOk(existsSync(join(workspace, 'made')))
    await settle({ config: { tools_without_approval: ['execute'] } })
    t.match(resultOf(await ask()), { is_error: false, output: `${await realpath(workspace)}\n[exit code 0]` })
    t.equal(await readFile(join(workspace, 'made'), 'utf8'), 'made\n')
  })

  await t.test('stopping the turn, the agent or the server leaves nothing running', async (t) => {
    await settle({ config: { tools_without_approval: ['execute'] } })
    const stops = {
      turn: (thread_id: string, socket: { send(frame: object): void }) =>
        socket.send({ type: 'stop', thread_id }),
      agent: () => server.request('POST', `/agents/${chat.agent_id}/stop`),
      // It waits for 8 seconds before it stops a turn.
      ...(isLong && { server: () => server.stop() }),
    }
    for (const [name, stop] of Object.entries(stops)) {
      await rm(join(workspace, 'pids'), { force: true })
      await rm(join(workspace, 'grandchildren'), { force: true })
      const socket = await chat.connect()
      const thread_id = await chat.createThread()
      fake.next(execute({ command: `${FAMILY} sleep 1000`, shell: true }))
      socket.say({ thread_id, text: 'go' })
      const pids = await numbersIn(workspace, 'pids')
      t.equal(pids.filter(isRunning).length, 5)
      await stop(thread_id, socket)
      await untilGone(pids)
      t.same(pids.filter(isRunning), [], `everything has ended with the ${name}`)
      if (name === 'agent') await server.request('POST', `/agents/${chat.agent_id}/start`)
    }
  })
})
