import { spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import type { Script } from '../../../plugin-api/testing/fake-openai.ts'
import { thisProcess } from '../../../plugin-api/toolbox/process-identity.ts'
import type { ActiveTurn, ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import { eventId, type LedgerEvent } from '../../../plugins/conversations/chat/ledger/ledger-event.ts'
import t, { type Test } from '../../run/file-test.ts'
import { chooseSeed, isLong, onlyLong } from '../../run/tier.ts'
import { type ChatSocket, range } from '../../support/chat.ts'
import { createRandom } from '../../support/random.ts'
import { createHome, installPlugin } from '../../support/server.ts'
import type { TestFrame } from '../../support/socket.ts'
import { readEvents } from '../../support/sse.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'
import {
  approve,
  call,
  editTo,
  marksIn,
  ofType,
  PRESS_TOOLS,
  press,
  punch,
  punchFreely,
  reject,
  resultsIn,
  startPress,
  task,
} from './approval-calls.ts'
import { startCrashService } from './crash-service.ts'

/** The number of times that the server is killed; a change to the ledger or to approvals deserves more. */
const CRASHES = 20
const THREADS = 4
/** The possible outcomes of a running turn. */
const ENDS = ['done', 'error', 'hitl_required']
const seed = chooseSeed(17)

t.test('The turns of a dead process are continued by the next one', async (t) => {
  const url = await createDatabaseUrl(t)
  const chat = await startPress(t, { config: { database: { url } } })
  const { decide, fake, history, marks, pauseTurn, server } = chat
  // A connection of its own, so that turns can be left while no server runs, and none adopts what is only half left.
  const client = new MongoClient(url)
  t.teardown(() => client.close())
  const db = client.db(server.db.databaseName)
  const threads = db.collection<ThreadDocument>('threads')
  const events = db.collection<LedgerEvent>('events')
  const dead = {
    holder: { node_id: 'another', ...thisProcess, pid: spawnSync(process.execPath, ['--version']).pid },
    lease_until: Date.now() + 60_000,
  }
  const left: (() => Promise<void>)[] = []
  /** Defines how a paused turn is left: like a process that dies in the middle of what follows. */
  const abandon = (...how: Parameters<typeof leave>) => void left.push(() => leave(...how))
  const leave = async (
    { thread_id, pending }: { thread_id: string; pending: TestFrame },
    change: Partial<ActiveTurn>,
    ...written: Partial<LedgerEvent>[]
  ) => {
    const { pending_id, seq, turn_id } = pending
    const { paused, ...active } = (await threads.findOne({ _id: thread_id }))!.active_turn!
    const active_turn = { ...active, ...dead, ...change }
    await threads.updateOne({ _id: thread_id }, { $set: { active_turn } })
    for (const [index, event] of written.entries()) {
      const _id = eventId(thread_id, seq + 1 + index)
      const frame = event.type === 'hitl_resolved' ? { pending_id, ...event.frame } : event.frame
      await events.insertOne({
        _id,
        turn_id,
        ts: Date.now(),
        writer: 'another',
        ...event,
        frame,
      } as LedgerEvent)
    }
  }
  const resolved = (decisions: object[], outcome = 'decided') =>
    ({ type: 'hitl_resolved', frame: { outcome, decisions } }) as Partial<LedgerEvent>
  const step = (mark: string): Script => ({
    text: 'I punch.',
    toolCalls: [punchFreely('call_f', `${mark} free`), punch('call_a', mark)],
  })
  const pauseAt = (mark: string) => pauseTurn([step(mark)])
  fake.script(({ body }) => ({ text: `so ${body.messages.at(-1)!.content}` }))

  const paused = await pauseAt('unrecorded')
  abandon(paused, {})
  const taken = await pauseAt('undecided')
  abandon(taken, { resuming: 'att_lost' })
  const decided = await pauseAt('decided')
  abandon(decided, { resuming: 'att_lost' }, resolved([approve]))
  const edited = await pauseAt('edited')
  abandon(edited, { resuming: 'att_lost' }, resolved([editTo({ mark: 'changed' })]))
  const expired = await pauseAt('expired')
  abandon(expired, { resuming: 'att_lost' }, resolved([reject('too late')], 'expired'))
  const stopped = await pauseAt('stopped')
  abandon(stopped, { resuming: 'att_lost' }, resolved([], 'stopped'))
  const begun = await pauseAt('begun')
  abandon(begun, {}, resolved([approve]))
  const inside = await pauseTurn([{ toolCalls: [task('call_t', 'punch')] }, step('inside')])
  abandon(inside, { resuming: 'att_lost' }, resolved([approve]))
  const { body: off } = await server.request('POST', '/agents', { body: { name: 'off' } })
  await server.request('PUT', `/agents/${off.id}/tool-settings`, {
    body: { disabled_builtin: [], plugins: PRESS_TOOLS },
  })
  const away = await pauseTurn([step('away')], { agent_id: off.id })
  abandon(away, { resuming: 'att_lost' }, resolved([approve]))
  await server.request('POST', `/agents/${off.id}/stop`)
  const freely = ['unrecorded', 'undecided', 'decided', 'edited', 'expired', 'stopped', 'begun', 'inside']
  t.strictSame(marks().sort(), freely.map((mark) => `${mark} free`).sort())
  const requestCount = fake.requests.length
  await server.stop()
  for (const leaveOne of left) await leaveOne()
  await server.restart()

  const endOf = async (
    { thread_id, sent }: { thread_id: string; sent: string },
    agent_id = chat.agent_id,
  ) => {
    const socket = await chat.connect({ agent_id })
    await socket.subscribe(thread_id, 0)
    const turn = await socket.seeTurn(sent)
    t.strictSame(
      turn.frames.map(({ seq }) => seq),
      range(1, turn.end.seq),
    )
    t.match(await history(thread_id, '', { agent_id }), { turn_active: false, hitl_pending: null })
    return turn
  }
  const wentOn = [
    [decided, ['call_a', 'punched decided', false]],
    [edited, ['call_a', 'punched changed', false]],
    [expired, ['call_a', 'too late', true]],
  ] as const
  for (const [left, result] of wentOn) {
    const { frames, end } = await endOf(left)
    t.match(end, { type: 'done', stop_reason: 'end' })
    t.strictSame(resultsIn(frames).at(-1), result)
    t.equal(resultsIn(frames).length, 2)
  }
  t.strictSame(resultsIn((await endOf(inside)).frames).slice(1), [
    ['call_t/1/call_a', 'punched inside', false],
    ['call_t', 'so punched inside', false],
  ])
  t.match((await endOf(stopped)).end, { type: 'done', stop_reason: 'stopped', message_id: String })
  t.match((await endOf(begun)).end, { type: 'error', code: 'TURN_INTERRUPTED' })
  t.match((await endOf(away, off.id)).end, { type: 'error', code: 'AGENT_NOT_RUNNING' })
  t.equal(fake.requests.length, requestCount + 5, 'no model was asked more than it had to')

  for (const left of [paused, taken]) {
    const { type, thread_id, turn_id, seq, ...asked } = left.pending
    t.strictSame((await history(thread_id)).hitl_pending, asked)
    const answer = await decide(thread_id, [approve])
    t.match((await answer.rest()).at(-1), { type: 'done' })
    await endOf(left)
  }
  t.strictSame(
    marks().slice(freely.length).sort(),
    ['decided', 'changed', 'inside', 'unrecorded', 'undecided'].sort(),
    'what was decided and not begun is done once, and nothing else',
  )
  t.notMatch(server.logged(), 'could not be resumed')

  await t.test('A process that was too slow leaves the turn to the one that took it over', async (t) => {
    const slow = await pauseAt('slow')
    await leave(
      slow,
      { resuming: 'att_lost', holder: { ...dead.holder, machine: 'elsewhere' } },
      resolved([approve]),
    )
    const { resumption, running, ledger } = server.server.runtime.cradleOf('chat')
    const thread = (await threads.findOne({ _id: slow.thread_id }))!
    const { user_id, agent_id } = thread
    const { turn_id, first_seq } = thread.active_turn!
    const lease = { turn_id, first_seq, thread_id: slow.thread_id, user_id, agent_id }
    resumption.proceed({ lease, thread }, await ledger.readTurn(slow.thread_id, turn_id, first_seq))
    await running.idle()
    t.notOk(marks().includes('slow'))
    t.match(await threads.findOne({ _id: slow.thread_id }), { active_turn: thread.active_turn })
    await threads.updateOne({ _id: slow.thread_id }, { $set: { 'active_turn.lease_until': 1 } })
    await slow.socket.ask({ thread_id: slow.thread_id, text: 'and now?' })
    t.match((await endOf(slow)).end, { type: 'done', stop_reason: 'end' })
    t.equal(marks().filter((mark) => mark === 'slow').length, 1)
  })
})

/** A server in its own process, which is killed and restarted. */
async function startService(t: Test) {
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  installPlugin(home, 'press', press)
  const service = await startCrashService(t, home)
  const { agent_id, agentUrl, call, token } = service
  await call('PUT', '/tool-settings', { disabled_builtin: [], plugins: PRESS_TOOLS })
  return {
    ...service,
    marks: () => marksIn(home, agent_id),
    decide: (thread_id: string, decisions: object[]) =>
      readEvents(t, `${agentUrl()}/chat/hitl/resume`, {
        method: 'POST',
        token,
        body: { thread_id, decisions },
      }),
  }
}

t.test('With a process that is killed', async (t) => {
  const service = await startService(t)
  const { decide, fake, marks } = service
  const random = createRandom(seed)

  /** Reads what a new connection sees of a thread: its ledger without gaps, and its history. */
  const look = async (thread_id: string) => {
    const reader = await service.connect()
    const { last_seq, paused, active } = await reader.subscribe(thread_id, 0)
    if (last_seq > 0) await reader.until((frame) => frame.thread_id === thread_id && frame.seq === last_seq)
    const frames = reader.of(thread_id).slice(0, last_seq)
    t.strictSame(
      frames.map(({ seq }) => seq),
      range(1, last_seq),
    )
    const page = await service.call('GET', `/threads/${thread_id}/history`)
    return { reader, frames, page, last_seq, isRunning: active && !paused }
  }
  const newThread = async () => (await service.call('POST', '/threads')).thread_id as string

  await t.test(
    'what waits can be decided, and an approved call that was cut is not made again',
    async (t) => {
      const socket = await service.connect()
      const [waiting, cut] = [await newThread(), await newThread()]
      fake.next({ toolCalls: [punch('call_a', 'waiting')] })
      const first = socket.say({ thread_id: waiting, text: 'go' })
      const pending = await socket.seePause(first)
      fake.next({ toolCalls: [punch('call_a', 'endless'), call('call_b', 'ls', {})] })
      const second = socket.say({ thread_id: cut, text: 'go' })
      await socket.seePause(second)
      await decide(cut, [approve])
      while (!marks().includes('endless')) await socket.settle()
      const seen = socket.of(waiting)
      await service.kill()
      await service.start({ isLast: !isLong })

      const { frames, page } = await look(waiting)
      t.strictSame(frames, seen)
      t.match(page, { turn_active: true, hitl_pending: { pending_id: pending.pending_id } })
      fake.next({ text: 'done' })
      const answer = await decide(waiting, [approve])
      t.match((await answer.rest()).at(-1), { type: 'done', stop_reason: 'end' })
      const interrupted = await look(cut)
      t.match(interrupted.frames.at(-1), { type: 'error', code: 'TURN_INTERRUPTED' })
      t.match(interrupted.page.messages.at(-1), { role: 'tool' })
      t.strictSame(marks().sort(), ['endless', 'waiting'])
      const again = await (await service.connect()).ask({ thread_id: cut, text: 'and now?' })
      t.match(again.end, { type: 'done' }, 'the thread is free')
    },
  )

  await t.test(
    `whenever that is (${CRASHES} times, seed ${seed}), what is approved is done once at the most`,
    { skip: onlyLong },
    async (t) => {
      fake.script(({ body }) => {
        const said = body.messages.at(-1)!
        if (said.role === 'tool') return { text: 'done' }
        const mark = String(said.content)
        if (mark.startsWith('in ')) return { toolCalls: [punch('call_a', mark.slice(3))] }
        if (mark.startsWith('by ')) return { toolCalls: [task('call_t', `in ${mark.slice(3)}`)] }
        return { text: 'Well.', toolCalls: [punchFreely('call_f', `${mark} free`), punch('call_a', mark)] }
      })
      const threads = await Promise.all(range(1, THREADS).map(newThread))
      const outcomes = new Map<string, number>()
      const count = (outcome: string) => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)

      // In each round turns pause, are decided at the moment of a kill, and are checked after it.
      for (const round of range(1, CRASHES)) {
        const socket: ChatSocket = await service.connect()
        const made = threads.map((thread_id, n) => ({ thread_id, mark: `${round} ${n}` }))
        for (const one of made) {
          const text = random() < 0.3 ? `by ${one.mark}` : one.mark
          socket.say({ thread_id: one.thread_id, text })
        }
        const isPausing = random() < 0.3
        if (!isPausing)
          await Promise.all(
            made.map(({ thread_id }) =>
              socket.until((frame) => frame.thread_id === thread_id && frame.type === 'hitl_required'),
            ),
          )
        const answers = made.map(async ({ thread_id }) => {
          if (isPausing) return 0
          await pause(random() * 6)
          return (await decide(thread_id, [approve])).status
        })
        const settled = Promise.allSettled(answers)
        await pause(random() * (isPausing ? 15 : 40))
        await service.kill()
        const statuses = (await settled).map((answer) =>
          answer.status === 'fulfilled' ? answer.value : 'cut',
        )
        await service.start({ isLast: round === CRASHES })

        for (const [n, { thread_id, mark }] of made.entries()) {
          const { reader, last_seq, isRunning } = await look(thread_id)
          // A turn that continues by itself is awaited; a turn that waits is decided now.
          if (isRunning) await reader.until(({ seq, type }) => seq > last_seq && ENDS.includes(type))
          const waits = (await service.call('GET', `/threads/${thread_id}/history`)).hitl_pending !== null
          const ran = () => marks().filter((made) => made === mark).length
          if (waits) {
            t.equal(ran(), 0, 'what is not decided has not run')
            t.not(statuses[n], 200, 'a decision that was answered is durable')
            const answer = await decide(thread_id, [approve])
            t.match((await answer.rest()).at(-1), { type: 'done', stop_reason: 'end' })
            t.equal(ran(), 1)
          }
          const { frames, page } = await look(thread_id)
          const turn_id = frames.at(-1)?.turn_id
          const own = frames.filter((frame) => frame.turn_id === turn_id)
          t.match(page, { turn_active: false, hitl_pending: null })
          const isDone = own.at(-1)?.type === 'done'
          if (own.length > 0)
            t.ok(isDone || own.at(-1)!.code === 'TURN_INTERRUPTED', JSON.stringify(own.at(-1)))
          t.equal(ofType(own, 'hitl_resolved').length <= 1, true)
          t.ok(ran() <= 1, `${mark} ran ${ran()} times`)
          t.ok(marks().filter((made) => made === `${mark} free`).length <= 1)
          count(waits ? 'waited' : isDone ? 'went on' : own.length > 0 ? 'was interrupted' : 'had not begun')
          reader.close()
        }
      }
      t.comment(Object.fromEntries(outcomes))
    },
  )
})
