import { setTimeout as pause } from 'node:timers/promises'
import type { ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import { eventRange, type LedgerEvent } from '../../../plugins/conversations/chat/ledger/ledger-event.ts'
import t from '../../run/file-test.ts'
import { chatUrl, connectChat, range } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { startServer } from '../../support/server.ts'
import type { TestFrame } from '../../support/socket.ts'
import { findReplayFaults } from '../../support/turn-cuts.ts'
import { expedition, startGuide } from '../tools/expedition.ts'
import { approve, call, ofType, reject, resultsIn, task } from './approval-calls.ts'

const DEADLINE_MS = 40_000
const INTERRUPTED = /^This was interrupted while it waited for a decision/

const clock = createTestClock()
const chat = await startGuide(t, { clock, config: { plugins: { chat: { approval_seconds: 60 } } } })
const { agent_id, connect, decide, diary, fake, history, pauseTurn, server } = chat
const forThread = { type: 'approve', for_thread: true }

t.beforeEach(() => {
  fake.script(({ body }) => ({ text: `so ${body.messages.at(-1)!.content}` }))
  diary()
})

/** The progress of running calls, by call. */
const progressIn = (frames: readonly TestFrame[]) => {
  const progress: Record<string, string> = {}
  for (const { tool_call_id, content } of ofType(frames, 'tool_progress'))
    progress[tool_call_id] = (progress[tool_call_id] ?? '') + content
  return progress
}

/** Waits until the diary contains one of these lines. */
async function untilWritten(...lines: string[]) {
  const seen: string[] = []
  for (const begun = Date.now(); !lines.some((line) => seen.includes(line)); await pause(10)) {
    if (Date.now() - begun > DEADLINE_MS) throw new Error(`the diary says ${seen.join(', ')}`)
    seen.push(...diary())
  }
  return seen
}

/** Describes what differs when the turn of a thread runs again from its events. */
async function replayFaults(thread_id: string): Promise<string[]> {
  const events = server.db.collection<LedgerEvent>('events').find(eventRange(thread_id)).sort({ _id: 1 })
  return findReplayFaults(await events.toArray(), server.server.runtime.cradleOf('chat').turnReplay)
}

t.test('A call is held while a person decides about its steps', async (t) => {
  const { socket, thread_id, sent, pending } = await pauseTurn({
    toolCalls: [expedition('call_e', ['climb', 'swim'])],
  })
  const { pending_id, action_requests, review_configs } = pending
  t.strictSame(action_requests, [
    { id: 'call_e', name: 'expedition', args: { step: 'climb' }, description: 'May I climb?', is_step: true },
  ])
  t.strictSame(review_configs, [{ action_name: 'expedition', allowed_decisions: ['approve', 'reject'] }])
  t.match((await history(thread_id)).hitl_pending, { pending_id, action_requests })
  for (const wrong of [
    { type: 'edit', edited_action: { name: 'expedition', args: {} } },
    { type: 'respond', message: '' },
  ])
    t.match(await decide(thread_id, [wrong]), { status: 422 })
  t.strictSame(diary(), ['begun'])

  const first = await decide(thread_id, [approve])
  const then = (await first.rest()).at(-1)!
  t.match(then, { type: 'hitl_required', action_requests: [{ args: { step: 'swim' } }] })
  t.not(then.pending_id, pending_id)
  const resumedFrames = await (await decide(thread_id, [reject('too cold')])).rest()
  t.match(resumedFrames.at(-1), { type: 'done', stop_reason: 'end' })
  t.strictSame(diary(), ['climb yes', 'swim no'], 'it was not begun again')

  const { frames, end } = await socket.seeTurn(sent)
  t.strictSame(resultsIn(frames), [['call_e', 'climb: yes, swim: no (too cold)', false]])
  t.strictSame(progressIn(frames), {
    call_e: 'before climb\nwaiting to climb\nafter climb\nbefore swim\nwaiting to swim\nafter swim\n',
  })
  t.strictSame(
    frames.map(({ seq }) => seq),
    range(1, end.seq),
  )
  t.match((await history(thread_id)).messages, [
    {},
    { content: [{ type: 'tool_use', input: { steps: ['climb', 'swim'] } }] },
    { content: [{ output: 'climb: yes, swim: no (too cold)' }], artifacts: [{ path: 'diary' }] },
    { content: [{ text: 'so climb: yes, swim: no (too cold)' }], status: 'complete' },
  ])
  const again = await connect()
  await again.subscribe(thread_id, 0)
  t.strictSame((await again.seeTurn(sent)).frames, frames)
  t.strictSame(await replayFaults(thread_id), [])
})

t.test('A step that is allowed for the thread, or by the owner, needs no approval', async (t) => {
  const { socket, thread_id, sent } = await pauseTurn({
    toolCalls: [expedition('call_e', ['climb', 'swim', 'rest'])],
  })
  await decide(thread_id, [forThread])
  t.strictSame(resultsIn((await socket.seeTurn(sent)).frames), [
    ['call_e', 'climb: yes always, swim: yes always, rest: yes always', false],
  ])
  fake.next({ toolCalls: [expedition('call_f', ['run'])] })
  const { frames } = await socket.ask({ thread_id, text: 'again' })
  t.strictSame(resultsIn(frames), [['call_f', 'run: yes always', false]])

  const settings = (config: object) => server.request('PATCH', `/agents/${agent_id}`, { body: { config } })
  await settings({ tools_without_approval: ['expedition'] })
  fake.next({ toolCalls: [expedition('call_g', ['jump'])] })
  const free = await socket.ask({ thread_id: await chat.createThread(), text: 'go' })
  t.strictSame(resultsIn(free.frames), [['call_g', 'jump: yes always', false]])
  await settings({})
})

t.test('Approvals of steps at the same time are requested one after the other', async (t) => {
  const { socket, thread_id, sent } = await pauseTurn({
    toolCalls: [expedition('call_e', ['a', 'b', 'c'], { at_once: true })],
  })
  await (await decide(thread_id, [approve])).rest()
  await (await decide(thread_id, [reject()])).rest()
  await decide(thread_id, [approve])
  t.strictSame(resultsIn((await socket.seeTurn(sent)).frames), [['call_e', 'a: yes, b: no, c: yes', false]])
})

t.test('Calls of one answer are held side by side, and beside calls that run again', async (t) => {
  const { socket, thread_id, sent, pending } = await pauseTurn({
    toolCalls: [
      expedition('call_a', ['climb']),
      call('call_b', 'ask_user_question', { question: 'Why?' }),
      expedition('call_c', ['swim', 'dive']),
      call('call_d', 'execute', { command: 'echo', args: ['d'] }),
    ],
  })
  const asked = pending.action_requests as { id: string; is_step?: true }[]
  t.strictSame(
    asked.map(({ id, is_step = false }) => [id, is_step]),
    [
      ['call_a', true],
      ['call_b', false],
      ['call_c', true],
      ['call_d', false],
    ],
  )
  const answer = await decide(thread_id, [
    reject('no'),
    { type: 'respond', message: 'Because' },
    approve,
    approve,
  ])
  t.match((await answer.rest()).at(-1), { type: 'hitl_required', action_requests: [{ id: 'call_c' }] })
  await decide(thread_id, [approve])
  const { frames } = await socket.seeTurn(sent)
  t.strictSame(resultsIn(frames).sort(), [
    ['call_a', 'climb: no (no)', false],
    ['call_b', 'Because', false],
    ['call_c', 'swim: yes, dive: yes', false],
    ['call_d', 'd\n[exit code 0]', false],
  ])
  t.strictSame(diary().sort(), ['begun', 'begun', 'climb no', 'dive yes', 'swim yes'])
  t.strictSame(await replayFaults(thread_id), [])
})

t.test('Requests beyond the limit of one pause are made later', async (t) => {
  const ids = range(1, 18).map((n) => `call_${n}`)
  const { socket, thread_id, sent, pending } = await pauseTurn({
    toolCalls: ids.map((id) => expedition(id, [id])),
  })
  t.equal((pending.action_requests as unknown[]).length, 16)
  const answer = await decide(
    thread_id,
    range(1, 16).map(() => approve),
  )
  t.match((await answer.rest()).at(-1), {
    type: 'hitl_required',
    action_requests: [{ id: 'call_17' }, { id: 'call_18' }],
  })
  await decide(thread_id, [approve, approve])
  const { frames } = await socket.seeTurn(sent)
  t.strictSame(new Map(resultsIn(frames).map(([id, output]) => [id, output])).size, 18)
  t.equal(diary().filter((line) => line === 'begun').length, 18)
})

t.test('A call of a subagent is held as well', async (t) => {
  const { socket, thread_id, sent, pending } = await pauseTurn(
    { toolCalls: [task('call_t', 'explore')] },
    { toolCalls: [expedition('call_e', ['climb'])] },
  )
  t.match(pending.action_requests, [{ id: 'call_t/1/call_e', parent_tool_call_id: 'call_t', is_step: true }])
  await decide(thread_id, [approve])
  const { frames } = await socket.seeTurn(sent)
  t.strictSame(resultsIn(frames), [
    ['call_t/1/call_e', 'climb: yes', false],
    ['call_t', 'so climb: yes', false],
  ])
  t.strictSame(Object.keys(progressIn(frames)), ['call_t/1/call_e'])
  t.match(ofType(frames, 'tool_progress')[0], { parent_tool_call_id: 'call_t' })
  t.strictSame(diary(), ['begun', 'climb yes'])
  t.strictSame(await replayFaults(thread_id), [])
})

t.test('A call may end while it waits, and cannot be run again', async (t) => {
  const tired = await pauseTurn({ toolCalls: [expedition('call_e', ['climb'], { gives_up_after_ms: 50 })] })
  await untilWritten('tired')
  await decide(tired.thread_id, [approve])
  t.strictSame(resultsIn((await tired.socket.seeTurn(tired.sent)).frames), [['call_e', 'tired', false]])

  const asking = await pauseTurn({ toolCalls: [expedition('call_e', ['climb'], { after: 'ask' })] })
  await decide(asking.thread_id, [approve])
  t.match(resultsIn((await asking.socket.seeTurn(asking.sent)).frames), [
    ['call_e', 'a call that asks for approval of steps cannot be run again', true],
  ])
  const handing = await pauseTurn({ toolCalls: [expedition('call_e', ['climb'], { after: 'delegate' })] })
  await decide(handing.thread_id, [approve])
  t.match(resultsIn((await handing.socket.seeTurn(handing.sent)).frames), [
    ['call_e', 'climb: yes, so rest', false],
  ])
})

t.test('A call is ended with its turn', async (t) => {
  const stopped = await pauseTurn({ toolCalls: [expedition('call_e', ['climb'])] })
  stopped.socket.send({ type: 'stop', thread_id: stopped.thread_id })
  t.match((await stopped.socket.seeTurn(stopped.sent)).end, { type: 'done', stop_reason: 'stopped' })
  t.ok((await untilWritten('aborted: stopped')).includes('begun'))

  const removed = await pauseTurn({ toolCalls: [expedition('call_e', ['climb'])] })
  await chat.threads('DELETE', `/${removed.thread_id}`)
  // The turn may find its events gone before it is stopped.
  await untilWritten('aborted: stopped', 'aborted: lost')

  const away = await pauseTurn({ toolCalls: [expedition('call_e', ['climb'])] })
  await server.request('POST', `/agents/${agent_id}/stop`)
  await untilWritten('aborted: stopped')
  await server.request('POST', `/agents/${agent_id}/start`)
  await decide(away.thread_id, [approve])
  const { frames, end } = await away.socket.seeTurn(away.sent)
  t.match(resultsIn(frames), [['call_e', INTERRUPTED, true]])
  t.match(end, { type: 'done', stop_reason: 'end' })
})

t.test('A decision at another server reaches the one that holds the call', async (t) => {
  const second = await startServer(t, { home: server.home, clock })
  const { url } = second
  const otherSocket = await connectChat(t, chatUrl(url, agent_id, server.admin.token))
  const { thread_id, sent, socket } = await pauseTurn({
    toolCalls: [expedition('call_e', ['climb', 'swim'])],
  })
  await otherSocket.subscribe(thread_id)
  const first = await decide(thread_id, [approve], { url })
  t.match((await first.rest()).at(-1), {
    type: 'hitl_required',
    action_requests: [{ args: { step: 'swim' } }],
  })
  await decide(thread_id, [forThread], { url })
  const { frames, end } = await socket.seeTurn(sent)
  t.strictSame(resultsIn(frames), [['call_e', 'climb: yes, swim: yes always', false]])
  t.strictSame((await otherSocket.seeTurn(sent)).end, end)
  t.strictSame(diary(), ['begun', 'climb yes', 'swim yes'])

  const stopped = await pauseTurn({ toolCalls: [expedition('call_e', ['climb'])] })
  otherSocket.send({ type: 'stop', thread_id: stopped.thread_id })
  t.match((await stopped.socket.seeTurn(stopped.sent)).end, { type: 'done', stop_reason: 'stopped' })
  await untilWritten('aborted: lost')
  otherSocket.close()
  await second.stop()
})

t.test('Nobody decides in time, which is a rejection', async (t) => {
  const { socket, sent } = await pauseTurn({ toolCalls: [expedition('call_e', ['climb'])] })
  clock.advance(61)
  const { frames } = await socket.seeTurn(sent)
  t.match(resultsIn(frames), [['call_e', /^climb: no \(Rejected automatically: nobody decided/, false]])
})

t.test('A server that stops ends the call, and the next one says so to the model', async (t) => {
  const { thread_id, sent } = await pauseTurn({ toolCalls: [expedition('call_e', ['climb'])] })
  await server.restart()
  t.ok((await untilWritten('aborted: shutdown')).includes('begun'))
  const { active_turn } = (await server.db.collection<ThreadDocument>('threads').findOne({ _id: thread_id }))!
  t.notOk(active_turn?.paused?.held_by, 'nobody waits for the server that has stopped')
  const socket = await connect()
  await socket.subscribe(thread_id, 0)
  await decide(thread_id, [approve])
  const { frames, end } = await socket.seeTurn(sent)
  t.match(resultsIn(frames), [['call_e', INTERRUPTED, true]])
  t.match(end, { type: 'done', stop_reason: 'end' })
  t.strictSame(diary(), [], 'nothing was done once more')
  const { events } = (await chat.threads('GET', `/${thread_id}/trajectory?limit=200`)).body as {
    events: LedgerEvent[]
  }
  t.ok(events.some(({ type }) => type === 'tool_progress'))
})
