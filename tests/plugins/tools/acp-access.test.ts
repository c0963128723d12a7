import { statSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { call, resultsIn } from '../conversations/approval-calls.ts'
import { giveTool, pidIn, run, startAcp } from './acp-calls.ts'
import { isRunning } from './shell-calls.ts'

const chat = await startAcp(t)
const { agent_id, callOnce, fake, server, setRunner, workspace } = chat
fake.script(() => ({ text: 'ok' }))

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
