import { statSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { ofType, resultsIn, task } from '../conversations/approval-calls.ts'
import { pidIn, progressIn, run, startAcp, until } from './acp-calls.ts'
import { isRunning } from './shell-calls.ts'

// A runner must not see the environment of the server.
process.env.SVC_TEST_PLANTED = 'planted'
const chat = await startAcp(t)
const { callOnce, fake, server, setRunner, workspace } = chat
fake.script(() => ({ text: 'ok' }))

t.test('The answer of a runner is the result, and its steps are shown as progress', async (t) => {
  const socket = await chat.connect()
  const pid = join(workspace, 'streaming')
  fake.next({ toolCalls: [run('call_a', `pid ${pid}`, 'say Hello', 'think Hm.', 'say  there', 'hang')] })
  const sent = socket.say({ text: 'go' })
  const readProgress = () => progressIn(socket.frames, 'call_a')
  await until(() => readProgress() === 'Hello there')
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
    const { output, told: progress, frames } = await callOnce(lines)
    t.equal(output, 'Well.\n\nDone.')
    t.equal(progress, `${said}Done.`, tool_parse_mode)
    t.ok(ofType(frames, 'tool_progress').length <= 3, 'small pieces are gathered')
  }
  await setRunner()
})

t.test('Separate messages are shown separately', async (t) => {
  const { output, told: progress } = await callOnce([
    'message 1 One',
    'message 1 , still',
    'message 2 Two',
    'say Three',
  ])
  t.equal(output, 'One, still\n\nTwo\n\nThree')
  t.equal(progress, 'One, still\nTwo\nThree')
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
  const { output, is_error, told: progress } = await callOnce(['odd unheard_of', 'say Still here.'])
  t.match([output, is_error], ['Still here.', false])
  t.equal(progress, '⚙ …\nStill here.')
  t.strictSame(printed(), [], 'nor does the server print any of it')
})
