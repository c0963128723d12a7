import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Script } from '../../../plugin-api/testing/fake-openai.ts'
import t from '../../run/file-test.ts'
import { amount, isLong } from '../../run/tier.ts'
import { range, textOf } from '../../support/chat.ts'
import { createFakeAnthropic } from '../../support/fake-anthropic.ts'
import { BUDGET_MODEL } from '../../support/fake-anthropic-rules.ts'
import type { TestFrame } from '../../support/socket.ts'
import {
  approve,
  call,
  editTo,
  givePress,
  invalid,
  ofType,
  punch,
  punchFreely,
  question,
  reject,
  respond,
  resultsIn,
  startPress,
  task,
  toldResults,
} from './approval-calls.ts'

// Less than the time that a stopping server leaves to running turns: if a paused turn delayed it, the test would fail.
const chat = await startPress(t, { stepLimitMs: { start: 10_000, stop: 4000 } })
const { agent_id, createThread, decide, fake, history, marks, pauseTurn, server } = chat
const notPending = { status: 409, body: { error: { code: 'HITL_NOT_PENDING' } } }
const lastTold = () => toldResults(fake.requests.at(-1)!.body.messages)
const settings = (config: object) => server.request('PATCH', `/agents/${agent_id}`, { body: { config } })

/** Decides, and returns the frames that follow up to the end of the stream. */
const decided = async (...args: Parameters<typeof decide>) => {
  const answer = await decide(...args)
  t.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.rest()
}

/** Reads all arguments of one request. */
const whole = async ({ pending_id, thread_id }: TestFrame, index: number, token?: string) => {
  const path = `/agents/${agent_id}/chat/hitl/${pending_id}/threads/${thread_id}/args/${index}`
  const { status, body } = await server.request('GET', path, { token })
  return { status, body }
}

t.test('A turn whose call needs approval pauses, and every connection receives the request', async (t) => {
  const startedAt = Math.floor(Date.now() / 1000)
  const { socket, thread_id, sent, pending } = await pauseTurn([
    { text: 'I punch.', toolCalls: [punch('call_a', 'told')] },
  ])
  const { turn_id, seq, expires_at, ...frame } = pending
  const asked = {
    pending_id: frame.pending_id,
    action_requests: [
      {
        id: 'call_a',
        name: 'punch',
        args: { mark: 'told' },
        description: 'The agent wants to use “Press punch” (punch).',
      },
    ],
    review_configs: [{ action_name: 'punch', allowed_decisions: ['approve', 'edit', 'reject'] }],
  }
  t.strictSame(frame, { type: 'hitl_required', thread_id, ...asked })
  t.match(frame.pending_id, /^apr_\w+$/)
  t.ok(expires_at >= startedAt + 86_400 && expires_at <= Math.floor(Date.now() / 1000) + 86_400)
  await socket.settle()
  t.equal(
    socket.frames.find(({ type }) => type === 'done' || type === 'error'),
    undefined,
  )
  t.strictSame(marks(), [])

  const frames = socket.of(thread_id)
  const assertPaused = async () => {
    const page = await history(thread_id)
    t.strictSame(page.hitl_pending, { ...asked, expires_at })
    t.match(page, { turn_active: true, last_seq: seq, messages: [{}, { status: 'streaming' }] })
    const { body: rows } = await chat.threads('GET', '')
    t.match(
      rows.find((row: { thread_id: string }) => row.thread_id === thread_id),
      { turn_active: true },
    )
    t.match((await server.request('GET', `/agents/${agent_id}/status`)).body, { turns_active: 0 })
    t.match((await server.request('GET', '/admin/overview')).body, { turns_active: 0 })
    const thread = await server.db.collection<{ _id: string }>('threads').findOne({ _id: thread_id })
    t.match(thread, { active_turn: { lease_until: 0 } }, 'it is nobody’s meanwhile')
    const reader = await chat.connect()
    const status = {
      type: 'turn_status',
      thread_id,
      active: true,
      paused: true,
      turn_id,
      last_seq: seq,
      queued: [],
    }
    t.strictSame(await reader.subscribe(thread_id), status)
    await reader.until((frame) => frame.seq === seq && frame.type === 'hitl_required')
    t.strictSame(reader.of(thread_id), frames, 'a reader is shown the turn from its start')
    reader.close()
  }
  await assertPaused()
  await server.restart()
  t.notMatch(server.logged(), 'failed to stop', 'a paused turn does not hold up a server that stops')
  await assertPaused()

  const answer = await decided(thread_id, [approve])
  t.match(answer.at(-1), { type: 'done', seq: seq + answer.length })
  t.strictSame(resultsIn(answer), [['call_a', 'punched told', false]])
  t.match(await history(thread_id), { hitl_pending: null, turn_active: false })
  t.match(await decide(thread_id, [approve]), notPending, 'it is decided only once')
  t.ok(sent)
})

t.test('A call is approved, changed or refused, and the model receives the outcome', async (t) => {
  const long = 'x'.repeat(8000)
  const table: [decision: object, output: string | RegExp, is_error: boolean, mark: string | null][] = [
    [approve, 'punched first', false, 'first'],
    [editTo({ mark: 'second' }), 'punched second', false, 'second'],
    [reject(), 'The user rejected this.', true, null],
    [reject('not now'), 'not now', true, null],
    [reject(' \n'), 'The user rejected this.', true, null],
    [reject(long), long, true, null],
  ]
  for (const [decision, output, is_error, mark] of table.slice(0, amount({ short: 4, long: table.length }))) {
    const markCount = marks().length
    const { socket, thread_id, sent, pending } = await pauseTurn([
      { toolCalls: [punch('call_a', 'first')] },
      { text: 'I see.' },
    ])
    const frames = await decided(thread_id, [decision])
    t.match(frames[0], {
      type: 'hitl_resolved',
      pending_id: pending.pending_id,
      outcome: 'decided',
      decisions: [decision],
    })
    t.strictSame(resultsIn(frames), [['call_a', output, is_error]])
    t.strictSame(marks().slice(markCount), mark ? [mark] : [])
    t.strictSame(lastTold(), [['call_a', output]])
    const input = { mark: mark ?? 'first' }
    const said = fake.requests.at(-1)!.body.messages.at(-2)!
    t.strictSame(JSON.parse(said.tool_calls![0]!.function.arguments), input, 'and with which arguments')
    const { messages } = await history(thread_id)
    t.match(messages, [
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_a', input }] },
      { role: 'tool', content: [{ type: 'tool_result', output, is_error }] },
      { role: 'assistant', content: [{ type: 'text', text: 'I see.' }] },
    ])
    t.strictSame(messages[1].content[0].input, input)
    t.equal(textOf((await socket.seeTurn(sent)).frames), 'I see.')

    await socket.ask({ thread_id, text: 'and now?' })
    const retold = fake.requests.at(-1)!.body.messages.find(({ tool_calls }) => tool_calls)!
    t.strictSame(JSON.parse(retold.tool_calls![0]!.function.arguments), input, 'also in the next turn')
    socket.close()
  }
})

t.test('The model receives the failure of an approved tool like any other', async (t) => {
  const { thread_id } = await pauseTurn([{ toolCalls: [punch('call_a', 'broken')] }, { text: 'Oh.' }])
  const frames = await decided(thread_id, [approve])
  t.strictSame(resultsIn(frames), [['call_a', 'the press is broken', true]])
  t.match(frames.at(-1), { type: 'done', stop_reason: 'end' })
})

t.test('Questions are answered or refused one after the other', async (t) => {
  const { thread_id, sent, socket, pending } = await pauseTurn([
    { toolCalls: [call('call_a', 'interview', {})] },
    { text: 'Hello.' },
  ])
  t.match(pending, {
    action_requests: [{ id: 'call_a', name: 'interview', args: {}, description: 'Your name?' }],
    review_configs: [{ action_name: 'interview', allowed_decisions: ['respond', 'reject'] }],
  })
  const [resolved, next, ...more] = await decided(thread_id, [respond('Ann')])
  t.match(resolved, { type: 'hitl_resolved', decisions: [respond('Ann')] })
  t.match(next, { type: 'hitl_required', action_requests: [{ id: 'call_a', description: 'Where, Ann?' }] })
  t.strictSame(more, [], 'a pause ends the stream')
  t.not(next!.pending_id, pending.pending_id)
  const last = await decided(thread_id, [respond('')])
  t.strictSame(resultsIn(last), [['call_a', 'Ann in ', false]], 'an answer may be empty')
  t.equal((await socket.seeTurn(sent)).end.stop_reason, 'end')

  const refused = await pauseTurn([{ toolCalls: [call('call_a', 'interview', {})] }, { text: 'Well.' }])
  await decided(refused.thread_id, [respond('Bob')])
  const frames = await decided(refused.thread_id, [reject('none of your business')])
  t.strictSame(resultsIn(frames), [['call_a', 'none of your business', true]])
})

t.test('Decisions that do not fit the requests are refused, and change nothing', async (t) => {
  const { thread_id } = await pauseTurn([
    { toolCalls: [punch('call_a', 'fits'), question('call_q', 'Which?')] },
    { text: 'ok' },
  ])
  const answer = respond('this one')
  const table: [decisions: unknown, path: string][] = [
    [[approve], '/decisions'],
    [[approve, answer, answer], '/decisions'],
    [[], '/decisions'],
    [Array(17).fill(approve), '/decisions'],
    [approve, '/decisions'],
    [undefined, ''],
    [[answer, answer], '/decisions/0/type'],
    [[approve, approve], '/decisions/1/type'],
    [[approve, editTo({ question: 'Why?' }, 'ask_user_question')], '/decisions/1/type'],
    [[{ type: 'maybe' }, answer], '/decisions/0'],
    [['approve', answer], '/decisions/0'],
    [[approve, { type: 'respond' }], '/decisions/1'],
    [[approve, respond('x'.repeat(8001))], '/decisions/1/message'],
    [[approve, { type: 'respond', message: 7 }], '/decisions/1/message'],
    [[reject('x'.repeat(8001)), answer], '/decisions/0/message'],
    [[{ type: 'reject', message: ['no'] }, answer], '/decisions/0/message'],
    [[{ ...approve, message: 'yes' }, answer], '/decisions/0/message'],
    [[{ ...approve, for_thread: 'yes' }, answer], '/decisions/0/for_thread'],
    [[{ type: 'edit' }, answer], '/decisions/0'],
    [[editTo({ mark: 'x' }, 'loose'), answer], '/decisions/0/edited_action/name'],
    [[editTo({ mark: 'x'.repeat(21) }), answer], '/decisions/0/edited_action/args/mark'],
    [[editTo({ mark: 'x', more: 1 }), answer], '/decisions/0/edited_action/args/more'],
    [[editTo({}), answer], '/decisions/0/edited_action/args'],
    [[editTo([]), answer], '/decisions/0/edited_action/args'],
  ]
  for (const [decisions, path] of table) {
    const reply = await decide(thread_id, decisions)
    t.equal(reply.status, 422, JSON.stringify(decisions)?.slice(0, 80))
    t.equal(
      reply.body.error.details.issues[0].path.startsWith(path),
      true,
      reply.body.error.details.issues[0].path,
    )
    if (path.length > '/decisions/0'.length) t.match(reply, invalid(path))
  }
  t.match(await decide(thread_id, [approve, answer], { more: { unknown: 1 } }), invalid('/unknown'))
  t.match(await decide('nonsense', [approve, answer]), invalid('/thread_id'))

  const stranger = await server.createUser({ username: 'stranger' })
  await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
  const notFound = { status: 404, body: { error: { code: 'THREAD_NOT_FOUND' } } }
  t.match(await decide(thread_id, [approve, answer], { token: stranger.token }), notFound)
  t.match(await decide(`${thread_id}0`, [approve, answer]), notFound)
  const { body: other } = await server.request('POST', '/agents', { body: { name: 'another' } })
  t.match(await decide(thread_id, [approve, answer], { agent_id: other.id }), notFound)
  await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: false } })
  t.match(await decide(thread_id, [approve, answer], { token: stranger.token }), {
    status: 404,
    body: { error: { code: 'AGENT_NOT_FOUND' } },
  })
  t.match(await decide(await createThread(), [approve]), notPending, 'nothing was ever asked there')
  t.match(await decide(thread_id, [approve, answer], { more: { pending_id: 'apr_other' } }), notPending)

  await server.request('POST', `/agents/${agent_id}/stop`)
  t.match(await decide(thread_id, [approve, answer]), {
    status: 409,
    body: { error: { code: 'AGENT_NOT_RUNNING' } },
  })
  t.match(await history(thread_id), { hitl_pending: { action_requests: [{}, {}] } })
  await server.request('POST', `/agents/${agent_id}/start`)
  const { pending_id } = (await history(thread_id)).hitl_pending
  // Both calls run at the same time.
  t.strictSame(resultsIn(await decided(thread_id, [approve, answer], { more: { pending_id } })).sort(), [
    ['call_a', 'punched fits', false],
    ['call_q', 'this one', false],
  ])
})

t.test('In a batch, calls without approval run at once and once, and the rest as decided', async (t) => {
  const countsBefore = [marks().length, fake.requests.length] as const
  const { thread_id, pending, sent, socket } = await pauseTurn([
    {
      toolCalls: [
        punch('call_a', 'yes'),
        punchFreely('call_b', 'free'),
        punch('call_c', 'no'),
        call('call_d', 'nothing', {}),
        punch('call_e', 'old'),
        call('call_f', 'punch', { wrong: true }),
        punchFreely('call_g', 'free too'),
        question('call_h', 'Which?'),
      ],
    },
    { text: 'ok' },
  ])
  t.strictSame(
    pending.action_requests.map(({ id }: { id: string }) => id),
    ['call_a', 'call_c', 'call_e', 'call_h'],
  )
  t.strictSame(marks().slice(countsBefore[0]).sort(), ['free', 'free too'])
  t.strictSame(
    resultsIn(socket.of(thread_id))
      .map(([id]) => id)
      .sort(),
    ['call_b', 'call_d', 'call_f', 'call_g'],
  )
  const frames = await decided(thread_id, [approve, reject('no'), editTo({ mark: 'new' }), respond('this')])
  t.strictSame(marks().slice(countsBefore[0]).slice(2).sort(), ['new', 'yes'])
  t.strictSame(
    resultsIn(frames)
      .map(([id]) => id)
      .sort(),
    ['call_a', 'call_c', 'call_e', 'call_h'],
  )
  t.match(lastTold(), [
    ['call_a', 'punched yes'],
    ['call_b', 'punched free'],
    ['call_c', 'no'],
    ['call_d', /no tool "nothing"/],
    ['call_e', 'punched new'],
    ['call_f', /not valid/],
    ['call_g', 'punched free too'],
    ['call_h', 'this'],
  ])
  t.equal(fake.requests.length, countsBefore[1] + 2)
  const turn = await socket.seeTurn(sent)
  t.equal(resultsIn(turn.frames).length, 8)
  t.strictSame(
    socket.of(thread_id).map(({ seq }) => seq),
    range(1, turn.end.seq),
  )
})

t.test('Two calls of one answer with the same id are two calls', async (t) => {
  const markCount = marks().length
  const { thread_id, pending } = await pauseTurn([
    { toolCalls: [punch('call_a', 'refused'), punch('call_a', 'wanted'), punchFreely('call_a', 'free')] },
    { text: 'ok' },
  ])
  const ids: string[] = pending.action_requests.map(({ id }: { id: string }) => id)
  t.equal(new Set(ids).size, 2)
  const frames = await decided(thread_id, [reject('no'), approve])
  t.strictSame(marks().slice(markCount), ['free', 'wanted'])
  t.strictSame(resultsIn(frames), [
    [ids[0], 'no', true],
    [ids[1], 'punched wanted', false],
  ])
  t.strictSame(
    lastTold().map(([, content]) => content),
    ['no', 'punched wanted', 'punched free'],
  )
  const { messages } = await history(thread_id)
  t.strictSame(
    messages[1].content.map(({ input }: { input: { mark: string } }) => input.mark),
    ['refused', 'wanted', 'free'],
  )
})

t.test('More than sixteen calls are requested in batches', async (t) => {
  const markCount = marks().length
  const names = range(1, amount({ short: 17, long: 35 })).map((n) => `n${n}`)
  const { thread_id, pending } = await pauseTurn([
    { toolCalls: names.map((name) => punch(name, name)) },
    { text: 'ok' },
  ])
  const asked = ({ action_requests }: TestFrame) => action_requests.map(({ id }: { id: string }) => id)
  t.strictSame(asked(pending), names.slice(0, 16))
  t.match(await decide(thread_id, Array(17).fill(approve)), invalid('/decisions'))
  const first = await decided(thread_id, [reject(), ...Array(15).fill(approve)])
  t.strictSame(marks().slice(markCount).sort(), names.slice(1, 16).sort(), 'what is decided is done')
  let last = first
  for (let decidedCount = 16; decidedCount < names.length; decidedCount += 16) {
    const batch = names.slice(decidedCount, decidedCount + 16)
    t.strictSame(asked(last.at(-1)!), batch)
    last = await decided(thread_id, Array(batch.length).fill(approve))
  }
  t.match(last.at(-1), { type: 'done' })
  t.strictSame(marks().slice(markCount).sort(), names.slice(1).sort())
  t.strictSame(
    lastTold().map(([id]) => id),
    names,
  )
})

t.test(
  'Arguments that the database would change are checked, run and shown in their stored form',
  async (t) => {
    const odd = {
      'a\0b': 1,
      _bsontype: 'ObjectId',
      $where: 'x.y',
      'x.y': { $ref: 'a', $id: 'b' },
      c: '\ud83d',
    }
    const kept = {
      ab: 1,
      '_bsontype ': 'ObjectId',
      $where: 'x.y',
      'x.y': { '$ref ': 'a', $id: 'b' },
      c: '\ufffd',
    }
    const { socket, thread_id, pending } = await pauseTurn([
      {
        toolCalls: [
          call('call_a', 'loose', odd),
          call('call_b', 'loose', {}),
          call('call_c', 'loose', {}),
          call('call_\ud83d', 'ask_user_question', { question: 'Half \ud83d?' }),
        ],
      },
      { text: 'ok' },
    ])
    t.strictSame(pending.action_requests[0].args, kept)
    t.strictSame(
      (await whole(pending, 0)).body,
      { id: 'call_a', name: 'loose', args: odd },
      'as it would be run',
    )
    t.notOk('args_url' in pending.action_requests[1])
    t.match(pending.action_requests[3], { id: 'call_\ufffd', description: 'Half \ufffd?' })
    const decisions = [reject(), editTo(odd, 'loose'), reject('no \ud83d'), respond('\ud83d')]
    const frames = await decided(thread_id, decisions)
    const results = new Map(resultsIn(frames).map(([id, output]) => [id, output]))
    t.strictSame(JSON.parse(results.get('call_b')), kept)
    t.strictSame([results.get('call_c'), results.get('call_\ufffd')], ['no \ufffd', '\ufffd'])
    const reader = await chat.connect()
    const { last_seq } = await reader.subscribe(thread_id, 0)
    await reader.until(({ seq }) => seq === last_seq)
    t.strictSame(reader.of(thread_id), socket.of(thread_id), 'what is stored is what was said')
  },
)

t.test('Arguments that are too long or too deep to be shown are read at their address', async (t) => {
  const deep = range(1, 50).reduce<object>((inner, n) => ({ [`level ${n}`]: inner }), { bottom: 'rm -rf' })
  const inputs = [{ text: 'x'.repeat(300_000) }, deep, { text: 'short' }, { text: 'x'.repeat(1_100_000) }]
  const { thread_id, pending } = await pauseTurn([
    { toolCalls: inputs.map((input, index) => call(`call_${index}`, 'loose', input)) },
    { text: 'ok' },
  ])
  t.match(pending.action_requests, [
    { args: { omitted: /^\d+ characters$/ }, args_url: /^\/api\/agents\// },
    { args: { 'level 50': {} }, args_url: String },
    { args: inputs[2], args_url: undefined },
  ])
  t.equal(pending.action_requests.length, 3)
  for (const [index, args] of inputs.slice(0, 3).entries())
    t.strictSame(await whole(pending, index), {
      status: 200,
      body: { id: `call_${index}`, name: 'loose', args },
    })
  t.strictSame((await history(thread_id)).hitl_pending.action_requests, pending.action_requests)

  const { token } = await server.createUser({ username: 'nosy' })
  await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
  t.match(await whole(pending, 0, token), { status: 404, body: { error: { code: 'THREAD_NOT_FOUND' } } })
  await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: false } })
  t.match(await whole(pending, 3), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
  t.match(await whole({ ...pending, pending_id: 'apr_other' }, 0), notPending)

  await decided(thread_id, [approve, approve, reject()])
  t.match(lastTold(), [
    ['call_0', /^{"text":"xxx/],
    ['call_1', JSON.stringify(deep)],
    ['call_2', 'The user rejected this.'],
    ['call_3', /too long to be approved by a person: 1100011 characters/],
  ])
  t.match(await whole(pending, 0), notPending)

  if (!isLong) return
  // Each request is shown, but all of them together need two rounds.
  const long = () => ({ text: 'y'.repeat(400_000) })
  const many = await pauseTurn([
    { toolCalls: range(0, 3).map((n) => call(`call_${n}`, 'loose', long())) },
    { text: 'ok' },
  ])
  t.equal(many.pending.action_requests.length, 2)
  const resumedFrames = await decided(many.thread_id, [reject(), reject()])
  t.equal(resumedFrames.at(-1)!.action_requests.length, 2)
  await decided(many.thread_id, [reject(), reject()])
})

t.test(
  'The response streams the frames that follow, and every connection receives the same ones',
  async (t) => {
    const { socket, thread_id, sent, pending } = await pauseTurn([
      { text: 'First.', toolCalls: [punch('call_a', 'streamed')] },
      { reasoning: ['hm'], text: 'Second.', toolCalls: [punch('call_a', 'again')] },
      { text: ['Third', '.'] },
    ])
    const other = await chat.connect()
    await other.subscribe(thread_id)
    const first = await decide(thread_id, [approve])
    t.match(first.headers.get('content-type'), 'text/event-stream')
    const frames = await first.rest()
    t.strictSame(
      frames.map(({ type }) => type),
      ['hitl_resolved', 'tool_result', 'reasoning', 'content', 'tool_call', 'usage', 'hitl_required'],
    )
    const second = await decide(thread_id, [approve])
    const more = await second.rest()
    t.match(more.at(-1), { type: 'done', stop_reason: 'end' })
    const all = [...first.events, ...second.events]
    t.strictSame(
      all.map(({ id, event, data }) => [id, event, data.turn_id]),
      [...frames, ...more].map(({ seq, type }) => [String(seq), type, pending.turn_id]),
    )
    t.strictSame(
      all.map(({ id }) => Number(id)),
      range(pending.seq + 1, more.at(-1)!.seq),
    )
    for (const reader of [socket, other]) {
      const turn = await reader.seeTurn(sent)
      t.strictSame(turn.frames.slice(pending.seq), [...frames, ...more])
      t.strictSame(
        turn.frames.map(({ seq }) => seq),
        range(1, turn.end.seq),
      )
      t.equal(textOf(turn.frames), 'First.Second.Third.')
    }
  },
)

t.test('The response can be read to its end', async (t) => {
  const threads = await Promise.all(range(1, amount({ short: 4, long: 12 })).map(() => createThread()))
  const socket = await chat.connect()
  fake.script(({ body }) =>
    body.messages.at(-1)!.role === 'tool'
      ? { text: range(1, 8).map((n) => `${n} `), delayMs: 1 }
      : { toolCalls: [punch('call_a', 'whole')] },
  )
  for (const _ of range(1, amount({ short: 1, long: 3 }))) {
    const paused = threads.map((thread_id) => socket.seePause(socket.say({ thread_id, text: 'go' })))
    for (const { thread_id } of await Promise.all(paused)) t.ok(thread_id)
    const answers = await Promise.all(threads.map((thread_id) => decided(thread_id, [approve])))
    t.ok(answers.every((frames) => frames.at(-1)!.type === 'done' && textOf(frames) === '1 2 3 4 5 6 7 8 '))
  }
  fake.script(() => ({ text: 'ok' }))
})

t.test('Leaving the response cancels nothing', async (t) => {
  let release = () => {}
  const hold = new Promise<void>((resolve) => {
    release = resolve
  })
  const { socket, thread_id, sent } = await pauseTurn([
    { toolCalls: [punch('call_a', 'left')] },
    { text: ['Before', ' and after.'], hold, holdAfter: 1 },
  ])
  const answer = await decide(thread_id, [approve])
  await answer.until(({ content }) => content === 'Before')
  answer.leave()
  await socket.settle()
  release()
  const { frames, end } = await socket.seeTurn(sent)
  t.equal(textOf(frames), 'Before and after.')
  t.match(end, { type: 'done', stop_reason: 'end' })
})

t.test('The owner decides if calls need approval, then the user for a thread, then the tool', async (t) => {
  const socket = await chat.connect()
  /** Finds out which of three calls of one answer need approval; these are rejected, or allowed for the thread. */
  const askers = async (
    thread_id: string,
    decision: object = reject(),
    connection = socket,
    options = {},
  ) => {
    const calls = [
      punch('asks', 'p'),
      punchFreely('never', 'p'),
      call('writes', 'write_file', { path: 'p', content: 'p' }),
    ]
    fake.next({ toolCalls: calls }, { text: 'ok' })
    const sent = connection.say({ thread_id, text: 'go' })
    const seen = await connection.until(
      (frame) =>
        frame.thread_id === thread_id &&
        frame.turn_id === connection.of(thread_id).at(-1)!.turn_id &&
        (frame.type === 'hitl_required' || frame.type === 'done') &&
        connection
          .of(thread_id)
          .some(({ client_message_id, turn_id }) => client_message_id === sent && turn_id === frame.turn_id),
    )
    const ids: string[] = (seen.action_requests ?? []).map(({ id }: { id: string }) => id)
    if (ids.length > 0)
      await decided(
        thread_id,
        ids.map(() => decision),
        options,
      )
    await connection.seeTurn(sent)
    return ids
  }
  const fresh = () => createThread()
  t.strictSame(await askers(await fresh()), ['asks'], 'as the tools say')
  await settings({ tools_without_approval: ['punch'], tools_with_approval: ['write_file'] })
  t.strictSame(await askers(await fresh()), ['writes'])
  await settings({ tools_without_approval: ['punch'], tools_with_approval: ['punch'] })
  t.strictSame(await askers(await fresh()), ['asks', 'never'], 'named in both, it asks')
  await settings({})

  const [thread_id, neighbour] = [await fresh(), await fresh()]
  t.strictSame(await askers(thread_id, { ...approve, for_thread: false }), ['asks'])
  t.strictSame(
    await askers(thread_id, { ...approve, for_thread: true }),
    ['asks'],
    'approved once, it asks again',
  )
  t.strictSame(await askers(thread_id), [], 'allowed for the thread, it does not')
  t.strictSame(await askers(neighbour), ['asks'], 'which counts for no other thread')
  const forked = await chat.threads('POST', `/${thread_id}/fork`, { body: { assistant_turns_from_end: 1 } })
  t.strictSame(await askers(forked.body.thread_id), ['asks'], 'nor for one that is forked from it')
  const row = async (body: object) => (await chat.threads('PATCH', `/${thread_id}`, { body })).body
  t.match(await row({ title: 'mine' }), { allowed_tools: ['punch'] })
  await settings({ tools_with_approval: ['punch', 'write_file'] })
  t.strictSame(await askers(thread_id), ['writes'], 'the user may allow what the owner wants asked')
  t.match(await row({ allowed_tools: ['write_file', 'punch'] }), { allowed_tools: ['write_file', 'punch'] })
  t.strictSame(await askers(thread_id), [])
  t.match(await row({ allowed_tools: [] }), { allowed_tools: [] })
  t.strictSame(await askers(thread_id), ['asks', 'never', 'writes'], 'and is taken back')

  await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
  const { token } = await server.createUser({ username: 'guest' })
  const theirs = await createThread({ token })
  const guest = await chat.connect({ token })
  const allow = { ...approve, for_thread: true }
  t.strictSame(
    await askers(theirs, allow, guest, { token }),
    ['asks', 'never', 'writes'],
    'of a shared agent, too',
  )
  t.strictSame(await askers(theirs, allow, guest, { token }), [])
  if (isLong)
    t.strictSame(await askers(await createThread({ token }), reject(), guest, { token }), [
      'asks',
      'never',
      'writes',
    ])
  await settings({})
  await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: false } })
})

t.test('Allowing a tool for a thread, and revoking it, applies to the next call of a turn', async (t) => {
  const allow = { ...approve, for_thread: true }
  const { thread_id, sent, socket } = await pauseTurn([
    { toolCalls: [punch('call_a', 'one')] },
    { toolCalls: [punch('call_a', 'two')] },
    { toolCalls: [question('call_q', 'Go on?')] },
    { toolCalls: [punch('call_a', 'three')] },
    { text: 'ok' },
  ])
  const frames = await decided(thread_id, [allow])
  t.match(frames.at(-1), { type: 'hitl_required', action_requests: [{ id: 'call_q' }] })
  await chat.threads('PATCH', `/${thread_id}`, { body: { allowed_tools: [] } })
  const more = await decided(thread_id, [respond('yes')])
  t.match(more.at(-1), { type: 'hitl_required', action_requests: [{ args: { mark: 'three' } }] })
  await decided(thread_id, [reject()])
  await socket.seeTurn(sent)
})

t.test('Programs, and files outside of the workspace, need approval', async (t) => {
  const root = t.testdir({})
  const inside = join(server.home, 'agents', agent_id, 'kept')
  mkdirSync(inside, { recursive: true })
  await server.request('PATCH', `/users/${server.admin.username}`, { body: { workspace_root_dir: root } })
  const file = (id: string, path: string) => call(id, 'write_file', { path, content: 'x' })
  const { thread_id, pending } = await pauseTurn([
    {
      toolCalls: [
        call('call_x', 'execute', { command: 'echo', args: ['hello'] }),
        file('call_i', 'kept/a.txt'),
        file('call_j', join(inside, 'b.txt')),
        file('call_o', join(root, 'c.txt')),
      ],
    },
    { text: 'ok' },
  ])
  t.strictSame(
    pending.action_requests.map(({ id }: { id: string }) => id),
    ['call_x', 'call_o'],
  )
  t.match(pending.action_requests[1], {
    name: 'write_file',
    args: { path: join(root, 'c.txt'), content: 'x' },
  })
  const elsewhere = editTo({ path: join(server.home, 'd.txt'), content: 'x' }, 'write_file')
  const frames = await decided(thread_id, [approve, elsewhere])
  t.match(
    resultsIn(frames).sort(),
    [
      ['call_o', /outside the workspace/, true],
      ['call_x', 'hello\n[exit code 0]', false],
    ],
    'what a person changes may not go further than the tool',
  )
  await server.request('PATCH', `/users/${server.admin.username}`, { body: { workspace_root_dir: null } })
})

t.test('A tool that was disabled while its call waited for approval does not run', async (t) => {
  const { thread_id } = await pauseTurn([{ toolCalls: [punch('call_a', 'disabled')] }, { text: 'ok' }])
  const toggle = (enabled: boolean) =>
    server.request('PATCH', `/agents/${agent_id}/tool-settings/punch`, { body: { enabled } })
  await toggle(false)
  t.match(resultsIn(await decided(thread_id, [approve])), [['call_a', /no tool "punch"/, true]])
  t.notOk(marks().includes('disabled'))
  await toggle(true)
})

t.test('A call of a subagent pauses the turn, and the subagent resumes from there', async (t) => {
  const countsBefore = [marks().length, fake.requests.length] as const
  const usage = (tokens: number) => ({ prompt_tokens: tokens, completion_tokens: 1 })
  const { socket, thread_id, sent, pending } = await pauseTurn([
    { text: 'I delegate.', toolCalls: [task('call_t', 'punch twice')], usage: usage(1) },
    { toolCalls: [punchFreely('call_a', 'inner free')], usage: usage(10) },
    { text: 'thinking', toolCalls: [punch('call_a', 'inner'), call('call_b', 'ls', {})], usage: usage(100) },
    { toolCalls: [punch('call_a', 'inner two')], usage: usage(1000) },
    { text: 'It is done.', usage: usage(10_000) },
    { text: 'Good.', usage: usage(100_000) },
  ])
  t.match(pending.action_requests, [
    { id: 'call_t/2/call_a', parent_tool_call_id: 'call_t', name: 'punch', args: { mark: 'inner' } },
  ])
  t.equal(fake.requests.length, countsBefore[1] + 3)
  await server.restart()
  const frames = await decided(thread_id, [approve])
  t.match(frames.at(-1), { type: 'hitl_required', action_requests: [{ id: 'call_t/3/call_a' }] })
  t.match(await history(thread_id), {
    hitl_pending: { action_requests: [{ parent_tool_call_id: 'call_t' }] },
  })
  const last = await decided(thread_id, [editTo({ mark: 'edited' })])
  t.match(last.at(-1), {
    type: 'done',
    stop_reason: 'end',
    usage: { input_tokens: 111_111, output_tokens: 6 },
  })
  t.equal(fake.requests.length, countsBefore[1] + 6, 'no model is asked twice')
  t.strictSame(marks().slice(countsBefore[0]), ['inner free', 'inner', 'edited'], 'and no tool is run twice')
  const messagesOf = (n: number) => fake.requests[countsBefore[1] + n]!.body.messages
  t.match(toldResults(messagesOf(3)), [
    ['call_a', 'punched inner free'],
    [/^[0-9a-f]{9}$/, 'punched inner'],
    ['call_b', toldResults(messagesOf(3))[2]![1]],
  ])
  t.strictSame(
    JSON.parse(messagesOf(4).findLast(({ tool_calls }) => tool_calls)!.tool_calls![0]!.function.arguments),
    { mark: 'edited' },
  )
  t.strictSame(
    messagesOf(3).slice(0, messagesOf(2).length),
    messagesOf(2),
    'the subagent receives its earlier conversation again',
  )
  t.strictSame(toldResults(messagesOf(5)), [['call_t', 'It is done.']])
  const reader = await chat.connect()
  await reader.subscribe(thread_id, 0)
  const turn = await reader.seeTurn(sent)
  const calls = ofType(turn.frames, 'tool_call')
  const results = ofType(turn.frames, 'tool_result')
  t.equal(new Set(calls.map(({ tool_call_id }) => tool_call_id)).size, 5)
  t.strictSame(
    results.map(({ tool_call_id }) => tool_call_id).sort(),
    calls.map(({ tool_call_id }) => tool_call_id).sort(),
    'each call has one result',
  )
  t.equal(new Set(results.filter((f) => f.parent_tool_call_id).map(({ message_id }) => message_id)).size, 1)
  t.match((await history(thread_id)).messages, [
    {},
    {},
    { role: 'tool', usage: { input_tokens: 11_110 } },
    {},
  ])
  socket.close()
})

t.test('Subagents that wait at the same time are decided at the same time', async (t) => {
  const countsBefore = [marks().length, fake.requests.length] as const
  fake.script(({ body: { messages } }): Script => {
    const said = messages.at(-1)!
    const [, first] = messages
    if (first?.content === 'left' || first?.content === 'right') {
      if (said.role === 'tool') return { text: `${first.content}: ${said.content}` }
      return { toolCalls: [punch('call_a', first.content)] }
    }
    if (said.role === 'tool') return { text: 'Both are done.' }
    return { toolCalls: [task('call_l', 'left'), task('call_r', 'right'), punch('call_o', 'outer')] }
  })
  t.teardown(() => fake.script(() => ({ text: 'ok' })))
  const { thread_id, pending } = await pauseTurn([])
  const byParent = new Map<string, number>(
    pending.action_requests.map((request: TestFrame, n: number) => [request.parent_tool_call_id, n]),
  )
  t.strictSame([...byParent.keys()].map(String).sort(), ['call_l', 'call_r', 'undefined'])
  const decisions = []
  decisions[byParent.get('call_l')!] = approve
  decisions[byParent.get('call_r')!] = reject('not to the right')
  decisions[byParent.get(undefined as never)!] = editTo({ mark: 'middle' })
  await decided(thread_id, decisions)
  t.strictSame(marks().slice(countsBefore[0]).sort(), ['left', 'middle'])
  t.equal(fake.requests.length, countsBefore[1] + 6)
  t.strictSame(lastTold(), [
    ['call_l', 'left: punched left'],
    ['call_r', 'right: not to the right'],
    ['call_o', 'punched middle'],
  ])
})

t.test('A delegation itself needs approval if the owner wants it', async (t) => {
  await settings({ tools_with_approval: ['task'] })
  const { thread_id, pending } = await pauseTurn([
    { toolCalls: [task('call_t', 'do it')] },
    { toolCalls: [punch('call_a', 'delegated')] },
    { text: 'inner' },
    { text: 'outer' },
  ])
  t.match(pending.action_requests, [{ id: 'call_t', name: 'task', args: { instruction: 'do it' } }])
  const frames = await decided(thread_id, [
    editTo({ description: 'Other', instruction: 'do something else' }, 'task'),
  ])
  t.match(frames.at(-1), { type: 'hitl_required', action_requests: [{ parent_tool_call_id: 'call_t' }] })
  t.match(fake.requests.at(-1)!.body.messages.at(-1), { content: 'do something else' })
  t.match(resultsIn(await decided(thread_id, [approve])), [{}, ['call_t', 'inner', false]])
  await settings({})
})

t.test('The tokens and the steps of a turn before its pause count', async (t) => {
  const usage = { prompt_tokens: 10, completion_tokens: 1 }
  const step = (n: number): Script => ({
    usage,
    toolCalls: [n === 2 || n === 25 ? punch('call_a', `step ${n}`) : punchFreely('call_a', `step ${n}`)],
  })
  const requestCount = fake.requests.length
  const { thread_id } = await pauseTurn(range(1, 25).map(step))
  t.equal(fake.requests.length, requestCount + 2)
  t.match((await decided(thread_id, [approve])).at(-1), { type: 'hitl_required' })
  const frames = await decided(thread_id, [approve])
  t.match(frames.at(-1), {
    type: 'done',
    stop_reason: 'max_steps',
    usage: { input_tokens: 250, output_tokens: 25, total_tokens: 275 },
  })
  t.equal(fake.requests.length, requestCount + 25)
  t.ok(marks().includes('step 25'), 'what the last step wanted is still done')
})

t.test('A model receives its thoughts again with their signature, also after it delegated', async (t) => {
  const anthropic = await createFakeAnthropic({ apiKey: 'key' })
  t.teardown(() => anthropic.close())
  const provider = {
    name: 'claude',
    kind: 'anthropic',
    base_url: anthropic.url,
    api_key: 'key',
    options: { thinking: true },
    models: [{ id: BUDGET_MODEL, name: 'Claude', reasoning: true }],
  }
  t.equal((await server.request('POST', '/admin/providers', { body: provider })).status, 201)
  const model = `claude:${BUDGET_MODEL}`
  const reply = (id: string, name: string, input: Record<string, unknown>) => ({
    reasoning: [`thoughts of ${id}`],
    text: [`Now ${id}.`],
    toolCalls: [{ id, name, input }],
  })
  anthropic.queue(
    reply('toolu_a', 'punch', { mark: 'signed' }),
    reply('toolu_t', 'task', { description: 'A task', instruction: 'punch' }),
    reply('toolu_b', 'punch', { mark: 'signed too' }),
    { text: ['inner'] },
    { text: ['outer'] },
  )
  const { thread_id } = await pauseTurn([], { model })
  t.match((await decided(thread_id, [editTo({ mark: 'edited' })])).at(-1), { type: 'hitl_required' })
  t.match((await decided(thread_id, [approve])).at(-1), { type: 'done', stop_reason: 'end' })
  t.equal(anthropic.requests.length, 5, 'the upstream, which checks signatures, took every call')
  const signed = (n: number) =>
    anthropic.requests[n]!.body.messages.flatMap(({ content }: { content: TestFrame[] }) =>
      content.filter(({ type }) => type === 'thinking').map(({ signature }) => signature),
    )
  t.equal(signed(1).length, 1)
  t.equal(signed(3).length, 1)
  t.strictSame(signed(4).slice(0, 1), signed(1))
  t.equal(signed(4).length, 2)
  t.ok([...signed(1), ...signed(3), ...signed(4)].every((signature: string) => signature.length > 10))
})

t.test('A turn continues with its initial model, and the next one uses that of the agent', async (t) => {
  const provider = {
    name: 'second',
    kind: 'openai-compatible',
    base_url: fake.url,
    models: [{ id: 'n', name: 'N' }],
  }
  t.equal((await server.request('POST', '/admin/providers', { body: provider })).status, 201)
  const { socket, thread_id } = await pauseTurn([{ toolCalls: [punch('call_a', 'model')] }, { text: 'ok' }])
  await server.request('PATCH', `/agents/${agent_id}`, { body: { default_model: 'second:n' } })
  await decided(thread_id, [approve])
  t.equal(fake.requests.at(-1)!.body.model, 'm')
  await socket.ask({ thread_id, text: 'and now?' })
  t.equal(fake.requests.at(-1)!.body.model, 'n')
  await server.request('PATCH', `/agents/${agent_id}`, { body: { default_model: null } })
})

t.test('Approval requests are in the language of the user', async (t) => {
  const { token } = await server.createUser({ username: 'lian', permissions: ['execute'] })
  await server.request('PATCH', '/auth/me', { token, body: { locale: 'zh' } })
  const { body: agents } = await server.request('GET', '/agents', { token })
  await givePress(chat, agents[0].id, token)
  const { pending } = await pauseTurn([{ toolCalls: [punch('call_a', 'zh')] }], {
    token,
    agent_id: agents[0].id,
  })
  t.equal(pending.action_requests[0].description, '智能体请求使用“印 punch”（punch）。')
})
