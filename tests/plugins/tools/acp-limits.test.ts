import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { approve } from '../conversations/approval-calls.ts'
import { pidIn, startAcp } from './acp-calls.ts'
import { isRunning } from './shell-calls.ts'

const chat = await startAcp(t, { config: { plugins: { acp: { max_seconds: 4, max_processes: 4 } } } })
const { agent_id, callOnce, fake, pauseStep, server, setRunner, workspace } = chat
await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
fake.script(() => ({ text: 'ok' }))

t.test('Work is bounded in time, not what a person takes, and nobody takes all places', async (t) => {
  await setRunner({ trusted: false })
  const held = [await pauseStep('permission one', 'say A.'), await pauseStep('permission one', 'say B.')]
  await setRunner({ trusted: true })
  const asked = fake.request(fake.requests.length)
  const third = callOnce(['say never'])
  await asked

  const { token } = await server.createUser({ username: 'guest', permissions: ['acp_runners'] })
  await setRunner({}, token)
  const paths = ['leader', 'grandchild'].map((name) => join(workspace, name))
  const hanging = callOnce([`pid ${paths[0]}`, `grandchild ${paths[1]}`, 'hang'], { token, agent_id })
  const hung = await Promise.all(paths.map(pidIn))

  t.match(await third, {
    output: /could not start within 4 s because other agents are running/,
    is_error: true,
  })
  t.match(await hanging, { output: /did not end within 4 s of work, so it was ended/, is_error: true })
  t.notOk(hung.some(isRunning), 'nothing of it is left')
  const results = []
  for (const turn of held) results.push(...(await turn.finish(approve)).results)
  t.strictSame(results, [
    ['call_a', '[one: id-allow_once]A.', false],
    ['call_a', '[one: id-allow_once]B.', false],
  ])
  t.match(await callOnce(['say A place.']), { output: 'A place.', is_error: false })
})

t.test('A server that ends ends what is at work, and lets no other begin', async (t) => {
  const pid = join(workspace, 'closed')
  const hanging = callOnce([`pid ${pid}`, 'hang'])
  const hung = await pidIn(pid)
  await server.server.runtime.cradleOf('acp').acpRuns.close()
  t.notOk(isRunning(hung))
  const refused = { output: /the server is shutting down/, is_error: true }
  t.match(await hanging, refused)
  t.match(await callOnce(['say never']), refused)
})
