import { mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { giveTool, isRunning, PROGRAM, pidIn, progressIn, run, startAcp, until } from './acp-calls.ts'
import { call, ofType, resultsIn, task } from './approval-calls.ts'

// A runner must not see the environment of the server.
process.env.SVC_TEST_PLANTED = 'planted'
const chat = await startAcp(t)
const { agent_id, callOnce, fake, server, setRunner, workspace } = chat
fake.script(() => ({ text: 'ok' }))
const outside = join(server.home, 'outside')

t.test('The answer of a runner is the result, and its steps are shown as progress', async (t) => {
  const socket = await chat.connect()
  const pid = join(workspace, 'streaming')
  fake.next({ toolCalls: [run('call_a', `pid ${pid}`, 'say Hello', 'think Hm.', 'say  there', 'hang')] })
  const sent = socket.say({ text: 'go' })
  const told = () => progressIn(socket.frames, 'call_a')
  await until(() => told() === 'Hello there')
  t.ok(isRunning(await pidIn(pid)), 'it is shown while the call is running')
  t.strictSame(resultsIn(socket.frames), [])
  socket.send({ type: 'stop', thread_id: socket.frames.at(-1)!.thread_id })
  t.match((await socket.seeTurn(sent)).end, { stop_reason: 'stopped' })
})

t.test('Its plans and tool calls are shown as the account has set', async (t) => {
  const lines = ['say Well.', 'plan one, two', 'tool Edit a file', 'say Done.']
  const plan = 'Well.\n✓ one\n· two\n'
  const titles = `${plan}⚙ Edit a file\n`
  const cases = {
    call_title: titles,
    update_detail: `${titles}⚙ Edit a file\n  completed\n  it worked\n  ± changed.ts\n  terminal terminal-1\n`,
    call_detail: `${plan}⚙ Edit a file (edit)\n  some/file.ts:3\n  {"argument":"given"}\n`,
  }
  for (const [tool_parse_mode, said] of Object.entries(cases)) {
    await setRunner({ tool_parse_mode })
    const { output, told, frames } = await callOnce(lines)
    t.equal(output, 'Well.\n\nDone.')
    t.equal(told, `${said}Done.`, tool_parse_mode)
    t.ok(ofType(frames, 'tool_progress').length <= 3, 'small pieces are gathered')
  }
  await setRunner()
})

t.test('Separate messages are shown separately', async (t) => {
  const { output, told } = await callOnce([
    'message 1 One',
    'message 1 , still',
    'message 2 Two',
    'say Three',
  ])
  t.equal(output, 'One, still\n\nTwo\n\nThree')
  t.equal(told, 'One, still\nTwo\nThree')
})

t.test('The reason why it stopped is reported if it did not finish', async (t) => {
  const note = async (reason: string) => (await callOnce(['say Half', `stop ${reason}`])).output
  t.equal(await note('refusal'), 'Half\n[It stopped: it refused to continue.]')
  t.equal(await note('max_tokens'), 'Half\n[It stopped: it reached its limit of tokens.]')
  t.equal(await note('unheard_of'), 'Half\n[It stopped: it did not say why.]')
  t.equal((await callOnce(['think Hm.'])).output, '(it said nothing)')
})

t.test('Two run at the same time, and one in what was delegated', { skip: onlyLong }, async (t) => {
  const socket = await chat.connect()
  const pids = ['one', 'two'].map((name) => join(workspace, name))
  const meet = (own: number) => ['say Hello', `pid ${pids[own]}`, `await ${pids[1 - own]}`, `say ${own}`]
  fake.next({ toolCalls: [run('call_a', ...meet(0)), run('call_b', ...meet(1))] })
  const { frames } = await socket.ask({ text: 'go' })
  t.strictSame(resultsIn(frames).sort(), [
    ['call_a', 'Hello0', false],
    ['call_b', 'Hello1', false],
  ])
  fake.next({ toolCalls: [task('call_t', 'go')] }, { toolCalls: [run('call_c', 'say from below')] })
  const delegated = (await socket.ask({ text: 'go' })).frames
  t.strictSame(resultsIn(delegated), [
    ['call_t/1/call_c', 'from below', false],
    ['call_t', 'ok', false],
  ])
  t.equal(progressIn(delegated, 'call_t/1/call_c'), 'from below')
})

t.test('It has a home of its own, its environment, and nothing of the server’s', async (t) => {
  await setRunner({ env: { GIVEN: 'to-it' } })
  const home = join(server.home, 'acp', (await server.request('GET', '/auth/me')).body.id)
  const { output } = await callOnce(['env *', 'env HOME', 'env GIVEN', 'env PATH', 'folders'])
  t.match(output, `[HOME: ${JSON.stringify(home)}]`)
  t.match(output, '[GIVEN: "to-it"]')
  t.match(output, '[*: ["GIVEN","HOME","LANG","PATH"]]')
  t.match(output, `[process ${home}, session ${workspace}]`)
  t.notOk(output.includes('planted'))
  t.equal(statSync(home).mode & 0o777, 0o700)
  await setRunner()
})

t.test('What a client may not choke on is left out', async (t) => {
  const printed = t.capture(console, 'error')
  const { output, is_error, told } = await callOnce(['odd unheard_of', 'say Still here.'])
  t.match([output, is_error], ['Still here.', false])
  t.equal(told, '⚙ …\nStill here.')
  t.strictSame(printed(), [], 'nor does the server print any of it')
})

t.test('A runner reads files of the workspace, or some of their lines', async (t) => {
  mkdirSync(join(workspace, 'sub'))
  writeFileSync(join(workspace, 'sub', 'lines'), 'one\r\ntwo\nthree\nfour')
  const read = async (path: string) => (await callOnce([`read ${path}`])).output
  t.equal(await read('sub/lines'), '[sub/lines: one\r\ntwo\nthree\nfour]')
  const { output } = await callOnce([
    `read ${join(workspace, 'sub', 'lines')}`,
    'read sub/lines 2',
    'read sub/lines 2 2',
    'read sub/lines 1 1',
    'read sub/lines 9 1',
    'read sub/lines 1 0',
  ])
  const [whole, ...parts] = output.split(/(?<=\])(?=\[)/)
  t.match(whole, /: one\r\ntwo\nthree\nfour\]$/)
  t.strictSame(parts, [
    '[sub/lines: two\nthree\nfour]',
    '[sub/lines: two\nthree\n]',
    '[sub/lines: one\r\n]',
    '[sub/lines: ]',
    '[sub/lines: ]',
  ])
})

t.test('What it writes is shown to the reader of the turn', async (t) => {
  const absolute = join(workspace, 'notes.md')
  const { output, frames } = await callOnce([
    'write new/deep/file.txt some text',
    `write ${absolute} # Notes`,
    `write ${absolute} # Other notes`,
  ])
  t.equal(output, `[new/deep/file.txt: written][${absolute}: written][${absolute}: written]`)
  t.equal(readFileSync(join(workspace, 'new/deep/file.txt'), 'utf8'), 'some text')
  t.equal(readFileSync(absolute, 'utf8'), '# Other notes')
  t.match(ofType(frames, 'attachment'), [
    { path: 'new/deep/file.txt', media_type: 'text/plain' },
    { path: 'notes.md', media_type: 'text/markdown' },
  ])
  t.equal(ofType(frames, 'attachment').length, 2, 'each file once')
})

t.test('Nothing leads it out of the workspace, and it receives the reason why it has no file', async (t) => {
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret'), 'the secret')
  symlinkSync(join(outside, 'secret'), join(workspace, 'link'))
  symlinkSync(outside, join(workspace, 'folder-link'))
  writeFileSync(join(workspace, 'binary'), Buffer.from([0xff, 0xfe, 0]))
  writeFileSync(join(workspace, 'large'), Buffer.alloc(4 * 1024 * 1024 + 1, 'x'))
  const cases: [step: string, answer: RegExp][] = [
    [`read ${join(outside, 'secret')}`, /\(-32602 .* is outside the workspace\)/],
    ['read ../../outside/secret', /is outside the workspace/],
    ['read link', /leads out of the workspace through a link/],
    ['read folder-link/secret', /leads out of the workspace through a link/],
    ['write folder-link/made x', /leads out of the workspace through a link/],
    ['write link x', /leads out of the workspace through a link/],
    ['write ../../outside/made x', /is outside the workspace/],
    [`write ${join(outside, 'made')} x`, /is outside the workspace/],
    ['read nothing', /\(-32002 .*Resource not found/],
    ['read sub', /is a folder/],
    ['write sub x', /is a folder/],
    ['read binary', /is not UTF-8 text/],
    ['read large', /at most 4194304 bytes can be read/],
  ]
  const { output, is_error } = await callOnce(cases.map(([step]) => step))
  const answers = output.split(/(?<=\)\])(?=\[)/)
  t.equal(is_error, false)
  for (const [index, [step, answer]] of cases.entries()) t.match(answers[index], answer, step)
  t.equal(readFileSync(join(outside, 'secret'), 'utf8'), 'the secret')
  t.throws(() => readFileSync(join(outside, 'made')), { code: 'ENOENT' })
})

/** The tools that the model was offered when it was last asked. */
const offered = () => fake.requests.at(-1)!.body.tools?.map((tool) => tool.function.name) ?? []

t.test('The tool is there for those who may call it, once it was switched on', async (t) => {
  const socket = await chat.connect()
  const see = async () => {
    await socket.ask({ text: 'go' })
    return offered().includes('acp_runner')
  }
  t.equal(await see(), true)
  const settings = `/agents/${agent_id}/tool-settings/acp_runner`
  await server.request('PATCH', settings, { body: { enabled: false } })
  t.equal(await see(), false)
  fake.next({ toolCalls: [run('call_a', 'say never')] })
  t.match(resultsIn((await socket.ask({ text: 'go' })).frames), [['call_a', /there is no tool/, true]])
  await server.request('PATCH', settings, { body: { enabled: true } })
  t.equal(await see(), true)
  await server.request('PUT', `/agents/${agent_id}/acp`, { body: { tool_enabled: false } })
  t.equal(await see(), false)
  await server.request('PUT', `/agents/${agent_id}/acp`, { body: { tool_enabled: true } })

  const { token } = await server.createUser({ username: 'without' })
  const { body: agents } = await server.request('GET', '/agents', { token })
  await giveTool(chat, agents[0].id, token)
  const theirs = await chat.connect({ token, agent_id: agents[0].id })
  await theirs.ask({ text: 'go' })
  t.notOk(offered().includes('acp_runner'), 'without the permission it is not')
})

t.test('A runner that is not there or not enabled is answered with those that are', async (t) => {
  const socket = await chat.connect()
  const ask = async (runner: string) => {
    fake.next({ toolCalls: [call('call_a', 'acp_runner', { runner, prompt: 'x' })] })
    return resultsIn((await socket.ask({ text: 'go' })).frames)
  }
  const answer = (name: string) => [
    ['call_a', `the external agent "${name}" is not enabled; enabled are: scripted`, true],
  ]
  t.strictSame(await ask('unheard-of'), answer('unheard-of'))
  t.strictSame(await ask('opencode'), answer('opencode'))
  await setRunner({ enabled: false, trusted: false })
  t.match(await ask('scripted'), [['call_a', /the user has not enabled any/, true]])
  await setRunner()
})

t.test('Whoever talks to a shared agent uses their own runners, not its owner’s', async (t) => {
  await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
  await setRunner({ env: { GIVEN: 'of-the-owner' } })
  const guest = await server.createUser({ username: 'guest', permissions: ['acp_runners'] })
  const as = { token: guest.token, agent_id }
  t.match(await callOnce(['env GIVEN'], as), { output: /has not enabled any/, is_error: true })
  await setRunner({ env: { GIVEN: 'of-the-guest' } }, guest.token)
  const { output } = await callOnce(['env GIVEN', 'env HOME'], as)
  const home = join(server.home, 'acp', guest.id)
  t.equal(output, `[GIVEN: "of-the-guest"][HOME: ${JSON.stringify(home)}]`)
  t.match((await callOnce(['env GIVEN'])).output, 'of-the-owner')

  const pid = join(workspace, 'guests')
  const socket = await chat.connect(as)
  fake.next({ toolCalls: [run('call_a', `pid ${pid}`, 'hang')] })
  socket.say({ text: 'go' })
  const running = await pidIn(pid)
  t.equal((await server.request('DELETE', '/users/guest')).status, 204)
  t.notOk(isRunning(running), 'what runs for an account that goes is ended')
  t.throws(() => statSync(home), { code: 'ENOENT' })
  await setRunner()
})

const SECRET = 'canary "of" the/environment'
const MASK = '••••'

/** The error that a call comes to. */
async function fail(lines: string[], settings: object = {}): Promise<string> {
  await setRunner({
    env: { API_KEY: SECRET, ...(settings as { env?: object }).env },
    ...withoutEnv(settings),
  })
  const { output, is_error } = await callOnce(lines)
  t.equal(is_error, true, output.slice(0, 200))
  t.notMatch(output, /canary/, 'secrets are masked')
  return output
}

const withoutEnv = ({ env, ...others }: { env?: object }) => others

t.test('A runner that ends by itself says how, and what it complained of', async (t) => {
  t.equal(
    await fail(['say Well', `stderr it has ${SECRET} and "${encodeURIComponent(SECRET)}"`, 'exit 3']),
    `the external agent "scripted" ended with exit code 3 before it answered\n[stderr]\nit has ${MASK} and "${MASK}"`,
  )
  const long = await fail(['stderr-long', 'exit 0'])
  const [first, mark, ...said] = long.split('\n')
  t.match([first, mark], [/ended with exit code 0/, '[stderr]'])
  t.ok(said.join('\n').length <= 4096 && said.join('\n').length > 1000, 'its end is reported')
  t.match(said.at(-1), 'the last line')
})

t.test('An error that it answers is reported', { skip: onlyLong }, async (t) => {
  t.equal(
    await fail(['fail It broke']),
    `the external agent "scripted" answered with an error: It broke: because of ${MASK} (-32099)`,
  )
  const login = /needs a login first, in its environment or in its home folder/
  t.match(await fail(['need-login']), login)
  t.match(await fail(['say never'], { env: { ACP_LOGIN: 'yes' } }), login)
  t.match(await fail(['say never'], { env: { ACP_VERSION: '99' } }), /does not speak version 1 .*, but 99/)
  t.match(
    await fail(['say never'], { env: { ACP_NULL: 'initialize' } }),
    /does not speak version 1 .*, but none/,
  )
  t.match(await fail(['say never'], { env: { ACP_NULL: 'session/new' } }), /did not open a session/)
  await setRunner({ env: { ACP_NULL: 'session/prompt' } })
  t.equal((await callOnce(['say Well'])).output, 'Well\n[It stopped: it did not say why.]')
})

t.test('What is no message is borne within bounds', async (t) => {
  await setRunner({ env: { API_KEY: SECRET } })
  t.match(await callOnce(['garbage 20', 'say Still here.']), { output: 'Still here.', is_error: false })
  const nonsense = await fail(['garbage 21', 'hang'])
  t.match(
    nonsense,
    /wrote lines that are not messages .* such as "line 21 that is no message, ••••", so it was ended/,
  )
})

t.test('It may not write more than it is allowed to', { skip: onlyLong }, async (t) => {
  await setRunner({ stdio_buffer_limit_bytes: 4096 })
  t.match((await callOnce(['big 3000'])).output, /^x{3000}$/)
  t.match(
    await fail(['big 5000', 'hang'], { stdio_buffer_limit_bytes: 4096 }),
    /sent a message of more than 4096 bytes, so it was ended/,
  )
  t.match(await fail(['flood 257', 'hang']), /wrote more than 256 MiB, so it was ended/)
})

t.test('The end of its answer is the result, and the beginning is shown as progress', async (t) => {
  await setRunner()
  const { output, told } = await callOnce(['big 200000', 'say ä', 'big 200000', 'say The end.'])
  t.ok(Buffer.byteLength(output) <= 64 * 1024)
  t.match(output, /^\[… the beginning of its answer is omitted …\]\nx+The end\.$/)
  t.match(told, /^x{200000}äx+\n\[the rest of the progress is not shown\]\n$/)
  t.ok(Buffer.byteLength(told) < 257 * 1024)
})

t.test('A program that cannot be started is named', async (t) => {
  const path = join(mkdtempSync(join(tmpdir(), 'svc-acp-')), 'plain')
  writeFileSync(path, '#!/bin/sh\n', { mode: 0o600 })
  const cases: [command: string, reason: RegExp][] = [
    ['svc-unheard-of', /its program "svc-unheard-of" was not found/],
    ['/nowhere/at/all', /was not found/],
    [path, /may not be executed/],
    ['true', /ended with exit code 0 before it answered/],
    ['cat', /answered with an error: .*initialize/],
  ]
  for (const [command, reason] of cases) t.match(await fail(['say never'], { command, args: [] }), reason)
  await setRunner(PROGRAM)
})
