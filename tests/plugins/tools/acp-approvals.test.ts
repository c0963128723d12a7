import t from '../../run/file-test.ts'
import type { TestFrame } from '../../support/socket.ts'
import { approve, ofType, reject, resultsIn, task } from '../conversations/approval-calls.ts'
import { progressIn, run, startAcp } from './acp-calls.ts'

const chat = await startAcp(t)
const { fake, pauseStep, pauseTurn, setRunner } = chat
await setRunner({ trusted: false })
fake.script(() => ({ text: 'ok' }))

const forThread = { type: 'approve', for_thread: true }

const requestsIn = ({ action_requests }: TestFrame) => action_requests as Record<string, unknown>[]

t.test('A call of a runner that is not trusted asks first, and then for each of its steps', async (t) => {
  const turn = await pauseTurn({ toolCalls: [run('call_a', 'say A', 'permission one', 'permission two')] })
  t.match(turn.pending, { action_requests: [{ id: 'call_a', name: 'acp_runner', is_step: undefined }] })
  const one = await turn.step(approve)
  t.match(one, {
    action_requests: [
      {
        id: 'call_a',
        name: 'acp_runner',
        is_step: true,
        description: 'The external agent “scripted” wants to do this: one',
        args: {
          runner: 'scripted',
          tool: 'one',
          kind: 'execute',
          input: { command: 'one' },
          locations: ['some/file.ts:3'],
        },
      },
    ],
    review_configs: [{ allowed_decisions: ['approve', 'reject'] }],
  })
  t.equal(progressIn(turn.socket.of(turn.thread_id), 'call_a'), 'A', 'the text before the request is shown')
  const two = await turn.step(approve)
  t.match(requestsIn(two), [{ is_step: true, args: { tool: 'two' } }])
  const { results } = await turn.finish(reject('Not that.'))
  const output = 'A[one: id-allow_once][two: id-reject_once]\n[The user rejected: two (Not that.)]'
  t.strictSame(results, [['call_a', output, false]])
})

t.test('What is approved for the thread is not asked about again in it', async (t) => {
  const turn = await pauseStep('permission one', 'permission two', 'permission three')
  await turn.step(approve)
  const { results } = await turn.finish(forThread)
  const output = '[one: id-allow_once][two: id-allow_always][three: id-allow_always]'
  t.strictSame(results, [['call_a', output, false]])
  fake.next({ toolCalls: [run('call_a', 'permission four')] })
  const { frames } = await turn.socket.ask({ thread_id: turn.thread_id, text: 'again' })
  t.strictSame(resultsIn(frames), [['call_a', '[four: id-allow_always]', false]])
})

t.test('A runner that is trusted asks nobody, and is given what it was allowed once', async (t) => {
  await setRunner({ trusted: true })
  const { output, frames } = await chat.callOnce([
    'permission one',
    'permission-always two',
    'permission-odd three',
  ])
  t.equal(output, '[one: id-allow_once][two: id-allow_always][three: cancelled]')
  t.strictSame(ofType(frames, 'hitl_required'), [])
  await setRunner({ trusted: false })
})

t.test('What can only be allowed for ever is not what was approved once', async (t) => {
  const turn = await pauseStep('permission-always one', 'permission-always two')
  await turn.step(approve)
  const { results } = await turn.finish(reject())
  t.match(results, [['call_a', /^\[one: cancelled\]\[two: id-reject_always\]/, false]])
})

t.test('Steps that are asked for at the same time are put one after the other', async (t) => {
  const turn = await pauseTurn({
    toolCalls: [run('call_a', 'permission a'), run('call_b', 'permissions b1 b2', 'say .')],
  })
  t.equal(requestsIn(turn.pending).length, 2)
  const both = await turn.step(approve, approve)
  t.match(
    requestsIn(both).map(({ id }) => id),
    ['call_a', 'call_b'],
  )
  const last = await turn.step(approve, approve)
  t.match(requestsIn(last), [{ id: 'call_b', args: { tool: 'b2' } }])
  const { results } = await turn.finish(reject())
  t.strictSame(results.sort(), [
    ['call_a', '[a: id-allow_once]', false],
    ['call_b', '[b1: id-allow_once][b2: id-reject_once].\n[The user rejected: b2]', false],
  ])
})

t.test('Whoever is asked is asked in their language', async (t) => {
  const socket = await chat.connect({ headers: { 'accept-language': 'zh' } })
  fake.next({ toolCalls: [run('call_a', 'permission 一')] })
  const asked: unknown[] = []
  await socket.ask({ text: 'go' }, (pending) => {
    asked.push(requestsIn(pending)[0]!.description)
    return [approve]
  })
  t.match(asked, [/智能体请求使用/, '外部智能体“scripted”请求执行：一'])
})

t.test('A runner that was delegated asks, too', async (t) => {
  const socket = await chat.connect()
  fake.next({ toolCalls: [task('call_t', 'go')] }, { toolCalls: [run('call_a', 'permission one')] })
  const asked: unknown[] = []
  const { frames } = await socket.ask({ text: 'go' }, (pending) => {
    asked.push(...requestsIn(pending).map(({ id, is_step = false }) => [id, is_step]))
    return [approve]
  })
  t.strictSame(asked, [
    ['call_t/1/call_a', false],
    ['call_t/1/call_a', true],
  ])
  t.match(resultsIn(frames), [['call_t/1/call_a', '[one: id-allow_once]', false], ['call_t']])
})
