import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { createTestClock } from '../../support/clock.ts'
import { approve, resultsIn } from '../conversations/approval-calls.ts'
import { pidIn, run, startAcp, until } from './acp-calls.ts'
import { isRunning } from './shell-calls.ts'

const clock = createTestClock()
const chat = await startAcp(t, { clock, config: { plugins: { chat: { approval_seconds: 60 } } } })
const { agent_id, decide, fake, history, pauseStep, pauseTurn, server, setRunner, workspace } = chat
await setRunner({ trusted: false })
fake.script(() => ({ text: 'ok' }))

t.test('A stop ends the runner with all that it started, whether it works or waits', async (t) => {
  const path = (name: string) => join(workspace, name)
  const works = await pauseTurn({
    toolCalls: [run('call_a', `pid ${path('p1')}`, `grandchild ${path('g1')}`, 'hang')],
  })
  await decide(works.thread_id, [approve])
  const waits = await pauseStep(`pid ${path('p2')}`, `grandchild ${path('g2')}`, 'permission one')
  const pids = await Promise.all(['p1', 'g1', 'p2', 'g2'].map((name) => pidIn(path(name))))
  t.ok(pids.every(isRunning))
  for (const { socket, sent, thread_id } of [works, waits]) {
    socket.send({ type: 'stop', thread_id })
    t.match((await socket.seeTurn(sent)).end, { type: 'done', stop_reason: 'stopped' })
  }
  await until(() => !pids.some(isRunning))
})

t.test('What is asked outlasts a stop of the agent, which ends the runner', async (t) => {
  const pid = join(workspace, 'held')
  const turn = await pauseStep(`pid ${pid}`, 'permission one')
  const held = await pidIn(pid)
  for (const operation of ['stop', 'start'])
    t.equal((await server.request('POST', `/agents/${agent_id}/${operation}`)).status, 204)
  await until(() => !isRunning(held))
  t.match(await history(turn.thread_id), { hitl_pending: { pending_id: turn.asked.pending_id } })
  const { results } = await turn.finish(approve)
  t.match(results, [['call_a', /interrupted while it waited/, true]])
})

t.test('Nobody who decides in time is a rejection', async (t) => {
  const turn = await pauseStep('permission one', 'say Then not.')
  clock.advance(61)
  await server.server.runtime.cradleOf('chat').resumption.expire()
  const { frames } = await turn.socket.seeTurn(turn.sent)
  t.match(resultsIn(frames), [
    ['call_a', /^\[one: id-reject_once\]Then not\.\n\[.*nobody decided in time/, false],
  ])
})

t.test(
  'A server that ends ends what waits, and its turn goes on with the next one',
  { skip: onlyLong },
  async (t) => {
    const pid = join(workspace, 'ended')
    const turn = await pauseStep(`pid ${pid}`, 'permission one')
    const waiting = await pidIn(pid)
    await server.restart()
    t.notOk(isRunning(waiting))
    t.notMatch(server.logged(), 'failed to stop')
    t.match(await history(turn.thread_id), { hitl_pending: { pending_id: turn.asked.pending_id } })
    const answer = await decide(turn.thread_id, [approve])
    const frames = await answer.rest()
    t.match(resultsIn(frames), [['call_a', /interrupted while it waited/, true]])
    t.match(frames.at(-1), { type: 'done', stop_reason: 'end' })
  },
)
