import { PassThrough } from 'node:stream'
import { createHold, eventually } from '../../../plugin-api/testing/waiting.ts'
import { scheduleCommands } from '../../../plugins/reach/terminal/schedule-commands.ts'
import t, { type Test } from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { startFakeMcp } from '../../support/fake-mcp.ts'
import { readPages, type TestReply } from '../../support/server.ts'

const MINUTE = 60
const HOUR = 3600

const clock = createTestClock()
const MOST = 8
const chat = await startChat(t, { clock, config: { limits: { schedules: MOST } } })
const { agent_id, fake, history, server } = chat

type Row = TestReply['body']
interface Caller {
  token?: string
  agent?: string
}

const cron = (
  method: string,
  path = '',
  body?: object,
  { token, agent = agent_id }: Caller = {},
): Promise<TestReply> => server.request(method, `/agents/${agent}/cron${path}`, { body, token })

let named = 0
/** Creates a schedule that is due each minute, unless told otherwise. */
const create = async (wanted: object = {}, caller?: Caller): Promise<Row> => {
  named += 1
  const body = {
    name: `job ${named}`,
    prompt: `do ${named}.`,
    schedule: { every_seconds: MINUTE },
    ...wanted,
  }
  const { status, body: row } = await cron('POST', '', body, caller)
  if (status !== 201) throw new Error(`the schedule was answered ${status} ${JSON.stringify(row)}`)
  return row
}
const read = async (id: string, caller?: Caller): Promise<Row> =>
  (await cron('GET', `/${id}`, undefined, caller)).body
const runsOf = async (id: string, caller?: Caller): Promise<Row[]> =>
  (await cron('GET', `/${id}/runs`, undefined, caller)).body
const change = (id: string, body: object, caller?: Caller) => cron('PATCH', `/${id}`, body, caller)

/** Sets the clock, and has the scheduler look at it. */
const advance = async (seconds: number) => {
  clock.advance(seconds)
  server.server.runtime.cradleOf('schedules').scheduler.wake()
}

/** Waits until the newest run of a schedule is in a state. */
const seeRun = (id: string, status: string, caller?: Caller): Promise<Row> =>
  eventually(`a run that has ${status}`, async () => {
    const [newest] = await runsOf(id, caller)
    return newest?.status === status && newest
  })

/** Counts the calls of the model with the prompt of a schedule. */
const callsFor = ({ prompt }: Row) =>
  fake.requests.filter(({ body }) => body.messages.at(-1)?.content === prompt).length

const remove = async (t: Test, ...rows: Row[]) => {
  for (const { id } of rows) t.equal((await cron('DELETE', `/${id}`)).status, 204)
}

t.test('A schedule is created, listed, changed and deleted by its account', async (t) => {
  const schedule = { cron: '30 8 * * 1-5', timezone: 'Europe/Berlin' }
  const made = await cron('POST', '', { name: 'Plan', prompt: 'Plan $my day.', schedule })
  t.equal(made.status, 201)
  const { id, next_run_at, created_at, updated_at, ...row } = made.body
  t.match(id, /^job_/)
  t.strictSame(row, {
    name: 'Plan',
    schedule,
    enabled: true,
    thread: 'new',
    model: null,
    deliver: null,
    knowledge_base_ids: [],
    connector_ids: [],
    last_run_at: null,
    last_status: null,
    failures: 0,
    paused_reason: null,
    managed_by: null,
    managed_file: null,
    prompt: 'Plan $my day.',
  })
  t.ok(next_run_at > created_at && created_at === updated_at)
  t.strictSame(await read(id), made.body)
  const { prompt, ...listed } = made.body
  t.strictSame((await cron('GET')).body, [listed], 'a list has no prompts')

  const off = (await change(id, { enabled: false, name: '$name' })).body
  t.match(off, { enabled: false, name: '$name', next_run_at: null, prompt })
  t.equal((await change(id, { enabled: true })).body.next_run_at, next_run_at)
  const hourly = (await change(id, { schedule: { every_seconds: HOUR }, thread: 'same' })).body
  t.ok(Math.abs(hourly.next_run_at - clock.seconds() - HOUR) <= 2)

  const other = await server.createUser({ username: 'other' })
  t.match(await cron('GET', '', undefined, { token: other.token }), {
    body: { error: { code: 'AGENT_NOT_FOUND' } },
  })
  t.match(await change('job_unknown', { name: 'x' }), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
  t.equal((await cron('DELETE', `/${id}`)).status, 204)
  for (const path of [`/${id}`, `/${id}/runs`]) t.equal((await cron('GET', path)).status, 404)
  t.equal((await cron('POST', `/${id}/run-now`)).status, 404)
})

t.test('A rule that is wrong is refused, with the field and the reason', async (t) => {
  const zone = { timezone: 'UTC' }
  const table: [schedule: object, path: string, message: RegExp][] = [
    [{ cron: '61 * * * *', ...zone }, '/schedule/cron', /minute/],
    [{ cron: '* * * * * *', ...zone }, '/schedule/cron', /exactly 5 parts/],
    [{ cron: 'secret words', ...zone }, '/schedule/cron', /^(?!.*secret)/],
    [{ cron: '0 0 30 2 *', ...zone }, '/schedule/cron', /never/],
    [{ cron: '0 9 * * *', timezone: 'Mars/Base' }, '/schedule/timezone', /time zone/],
    [{ at: clock.seconds() - 1 }, '/schedule/at', /future/],
    [{ every_seconds: 59 }, '/schedule/every_seconds', />= 60/],
    [{ every_seconds: 60, at: clock.seconds() + 60 }, '/schedule', /exactly one/],
    [{ cron: '0 9 * * *' }, '/schedule/timezone', /required/],
  ]
  for (const [schedule, path, message] of table) {
    for (const reply of [
      await cron('POST', '', { name: 'x', prompt: 'x', schedule }),
      await cron('POST', '/preview', { schedule }),
    ]) {
      t.equal(reply.status, 422, JSON.stringify(schedule))
      const { issues } = reply.body.error.details
      t.ok(
        issues.some((issue: Row) => issue.path === path && message.test(issue.message)),
        JSON.stringify(issues),
      )
    }
  }
  const base = { name: 'x', prompt: 'x', schedule: { every_seconds: 60 } }
  t.match(await cron('POST', '', { ...base, model: 'nobody:nothing' }), {
    body: { error: { code: 'PROVIDER_NOT_VISIBLE' } },
  })
  const deliver = { channel_id: 'chn_x', conversation_id: 'y' }
  t.match(await cron('POST', '', { ...base, deliver }), {
    status: 422,
    body: { error: { details: { issues: [{ path: '/deliver' }] } } },
  })
  t.equal((await cron('POST', '', { ...base, colour: 'red' })).status, 422)
})

/** Previews a rule and returns the local times in the summer of a country, without the date. */
const preview = async (schedule: object): Promise<number[]> =>
  (await cron('POST', '/preview', { schedule })).body.times
const timesOfDay = async (expression: string) =>
  (await preview({ cron: expression, timezone: 'Europe/Berlin' })).map((seconds) =>
    new Date(seconds * 1000).toISOString().slice(11, 16),
  )

t.test('A range that wraps round means what it says', async (t) => {
  const nextOf = async (expression: string) =>
    (await preview({ cron: expression, timezone: 'UTC' })).map((seconds) => new Date(seconds * 1000))
  const daysOf = async (expression: string) =>
    [...new Set((await nextOf(expression)).map((time) => time.getUTCDay()))].sort().join('')
  for (const range of ['FRI-MON', 'fri-mon', '5-1', 'Fri-1', 'FRI-SAT,7-1', '5-MON'])
    t.equal(await daysOf(`0 9 * * ${range}`), '0156', range)
  for (const [range, days] of [
    ['7-1', '01'],
    ['SAT-SUN', '06'],
    ['6-0', '06'],
    ['5-7', '056'],
    ['MON-FRI', '12345'],
    ['WED-TUE/3', '236'],
  ] as const)
    t.equal(await daysOf(`0 9 * * ${range}`), days, range)
  const hours = async (range: string) =>
    (await nextOf(`0 ${range} * * *`)).map((time) => time.getUTCHours()).sort((a, b) => a - b)
  t.strictSame(await hours('22-2'), [0, 1, 2, 22, 23])
  t.strictSame(await hours('20-2/2,5'), [0, 2, 5, 20, 22])
  t.strictSame(await hours('21-4/4'), await hours('21,1'))
  t.strictSame(await hours('23-0'), await hours('23,0'))
  const minutes = (await nextOf('58-2 9 * * *')).map((time) => time.getUTCMinutes()).sort((a, b) => a - b)
  t.strictSame(minutes, [0, 1, 2, 58, 59])
  const months = (await nextOf('0 0 1 NOV-MAR *')).map((time) => time.getUTCMonth() + 1)
  t.strictSame(
    months.sort((a, b) => a - b),
    [1, 2, 3, 11, 12],
  )
  const dates = (await nextOf('0 0 30-2 1 *')).map((time) => time.getUTCDate())
  t.strictSame(new Set(dates), new Set([30, 31, 1, 2]))
  const schedule = { cron: '0 9 * * FRI-MON', timezone: 'UTC' }
  const { body: stored } = await cron('POST', '', { name: 'weekend', prompt: 'x', schedule })
  t.strictSame(stored.schedule, schedule, 'it is shown as it was written')
  t.ok([0, 1, 5, 6].includes(new Date(stored.next_run_at * 1000).getUTCDay()))
  await cron('DELETE', `/${stored.id}`)
  for (const range of ['8-1', 'FRI-', 'FRI-MON/0', 'FRI-MON-SUN', 'FRIDAY-MON', '-1'])
    t.equal(
      (await cron('POST', '/preview', { schedule: { cron: `0 9 * * ${range}`, timezone: 'UTC' } })).status,
      422,
      range,
    )
})

t.test('A preview shows five times, also across daylight saving', async (t) => {
  const now = clock.seconds()
  const times = await preview({ every_seconds: 90 })
  t.equal(times.length, 5)
  t.ok(times.every((time, n) => Math.abs(time - now - 90 * (n + 1)) <= 2))
  t.strictSame(await preview({ at: now + 100 }), [now + 100])

  const everyDay = await timesOfDay('30 12 * 1 *')
  t.strictSame(everyDay, Array(5).fill('11:30'))
  t.strictSame(
    await timesOfDay('30 2 * 3 SUN#L'),
    Array(5).fill('01:00'),
    'a time that does not exist comes at the first time after the gap',
  )
  t.strictSame(
    await timesOfDay('30 2 * 10 SUN#L'),
    Array(5).fill('00:30'),
    'of a time that exists twice, the first one counts',
  )
  t.strictSame(
    (await timesOfDay('30 2,4 * 10 SUN#L')).slice(0, 4),
    ['00:30', '03:30', '00:30', '03:30'],
    'a list of times is fixed too',
  )
  t.strictSame(
    (await timesOfDay('*/30 2 * 10 SUN#L')).slice(0, 4),
    ['00:00', '00:30', '01:00', '01:30'],
    'steps follow elapsed time',
  )
})

t.test('A due run starts by itself, in a thread with its name, and is listed', async (t) => {
  const row = await create({ name: 'Minutely' })
  await advance(MINUTE)
  const run = await seeRun(row.id, 'succeeded')
  t.match(run, { due_at: row.next_run_at, thread_id: /^thr_/, turn_id: /^trn_/ })
  t.notOk('error' in run)
  const { messages } = await history(run.thread_id)
  t.match(messages, [{ role: 'user', content: [{ text: row.prompt }] }, { role: 'assistant' }])
  t.match((await chat.threads('GET', `/${run.thread_id}`)).body, {
    title: 'Minutely',
    channel_type: 'schedule',
  })
  const after = await eventually('the end of the run', async () => {
    const now = await read(row.id)
    return now.last_status === 'succeeded' && now
  })
  t.equal(after.next_run_at, row.next_run_at + MINUTE)
  t.equal(after.last_run_at, run.started_at)

  await advance(MINUTE)
  const next = await eventually('a second run', async () => {
    const runs = await runsOf(row.id)
    return runs.length === 2 && runs[0].status === 'succeeded' && runs[0]
  })
  t.not(next.thread_id, run.thread_id, 'each run has a thread of its own')
  t.equal(callsFor(row), 2)
  await remove(t, row)
})

t.test(
  'Runs have the knowledge bases and connectors of their schedule, if its account may use them',
  async (t) => {
    const mcp = await startFakeMcp()
    t.teardown(() => mcp.close())
    const post = async (path: string, body: object) => (await server.request('POST', path, { body })).body.id
    const base = await post('/knowledge-bases', { name: 'House' })
    const connector = await post('/connectors', { name: 'desk', kind: 'mcp', config: { url: mcp.url } })
    const chosen = { knowledge_base_ids: [base], connector_ids: [connector] }
    const job = await create({ enabled: false, ...chosen })
    t.match(job, chosen)
    const toolsOf = async (row: Row) => {
      t.equal((await cron('POST', `/${row.id}/run-now`)).status, 202)
      await seeRun(row.id, 'succeeded')
      const names = (fake.requests.at(-1)!.body.tools ?? []).map(({ function: { name } }: Row) => name)
      return names.filter((name: string) => /__|knowledge/.test(name))
    }
    t.strictSame(await toolsOf(job), ['search_knowledge', 'desk__look', 'desk__change'])
    t.match((await change(job.id, { connector_ids: [] })).body, { ...chosen, connector_ids: [] })
    t.strictSame(await toolsOf(job), ['search_knowledge'])

    const missing = (code: string) => ({ status: 404, body: { error: { code } } })
    t.match(await change(job.id, { connector_ids: ['con_none'] }), missing('CONNECTOR_NOT_FOUND'))
    t.match(await change(job.id, { knowledge_base_ids: ['kb_none'] }), missing('KNOWLEDGE_BASE_NOT_FOUND'))
    const { token } = await server.createUser({ username: 'borrower' })
    const { body: agents } = await server.request('GET', '/agents', { token })
    const theirs = { name: 'x', prompt: 'x', schedule: { every_seconds: MINUTE }, connector_ids: [connector] }
    const refused = await cron('POST', '', theirs, { token, agent: agents[0].id })
    t.match(refused, missing('CONNECTOR_NOT_FOUND'))

    await change(job.id, { ...chosen, enabled: true })
    await server.request('DELETE', `/connectors/${connector}`)
    await advance(MINUTE)
    t.match(await seeRun(job.id, 'failed'), { error: { code: 'CONNECTOR_NOT_FOUND' } })
    await server.request('DELETE', `/knowledge-bases/${base}`)
    t.match(await cron('POST', `/${job.id}/run-now`), missing('KNOWLEDGE_BASE_NOT_FOUND'))
    t.match(await read(job.id), { failures: 1 })
    await remove(t, job)
  },
)

t.test('Runs of one thread continue in it, until the thread is deleted', async (t) => {
  const row = await create({ thread: 'same', schedule: { every_seconds: 365 * 24 * HOUR } })
  const run = async () => {
    const { status, body } = await cron('POST', `/${row.id}/run-now`)
    t.equal(status, 202)
    await seeRun(row.id, 'succeeded')
    const [{ due_at, thread_id, turn_id }] = await runsOf(row.id)
    t.strictSame({ due_at, thread_id, turn_id }, { due_at: null, ...body })
    return thread_id
  }
  const first = await run()
  await eventually('the end', async () => (await read(row.id)).last_status === 'succeeded')
  t.equal(await run(), first)
  t.equal((await history(first)).messages.length, 4)
  await eventually('the end', async () => (await read(row.id)).last_status === 'succeeded')
  await chat.threads('DELETE', `/${first}`)
  t.not(await run(), first)
  t.equal((await read(row.id)).next_run_at, row.next_run_at, 'its due time stays')
  await remove(t, row)
})

t.test('One time: it runs once, and then nothing is due', async (t) => {
  const row = await create({ schedule: { at: clock.seconds() + 30 } })
  await advance(30)
  await seeRun(row.id, 'succeeded')
  t.match(await read(row.id), { next_run_at: null, enabled: true })
  await remove(t, row)
})

t.test('While a run has not ended, due times are skipped and no other run can be started', async (t) => {
  const row = await create()
  const { hold, release } = createHold()
  fake.next({ text: 'slow', hold })
  await advance(MINUTE)
  await seeRun(row.id, 'running')
  t.match(await cron('POST', `/${row.id}/run-now`), {
    status: 409,
    body: { error: { code: 'SCHEDULE_RUNNING' } },
  })
  await advance(MINUTE)
  t.match(await seeRun(row.id, 'skipped'), {
    due_at: row.next_run_at + MINUTE,
    thread_id: null,
    turn_id: null,
    error: { code: 'RUN_ACTIVE', message: 'The previous run was still in progress.' },
  })
  t.equal((await read(row.id)).last_status, 'running')
  release()
  await eventually('the end', async () => (await read(row.id)).last_status === 'succeeded')
  t.equal(callsFor(row), 1)
  await remove(t, row)
})

t.test('An approval waits in the thread of the run, which then goes on', async (t) => {
  const row = await create()
  const write = { id: 'call_1', name: 'schedule', arguments: { action: 'cancel', job_id: row.id } }
  const { hold, release } = createHold()
  fake.next({ toolCalls: [write] }, { text: 'Done.', hold })
  await advance(MINUTE)
  const { thread_id } = await seeRun(row.id, 'waiting')
  await eventually('the state', async () => (await read(row.id)).last_status === 'waiting')
  const reader = await chat.decide(thread_id, [{ type: 'reject', message: 'no' }])
  await seeRun(row.id, 'running')
  release()
  await reader.rest()
  await seeRun(row.id, 'succeeded')
  await remove(t, row)
})

t.test('Five due runs that fail in a row disable a schedule; a change enables it again', async (t) => {
  const row = await create()
  for (let failures = 1; failures <= 5; failures += 1) {
    fake.next({ status: 400, error: { message: 'refused' } })
    await advance(MINUTE)
    const now = await eventually(`${failures} failures`, async () => {
      const seen = await read(row.id)
      return seen.failures === failures && seen
    })
    t.equal(now.enabled, failures < 5)
    t.equal(now.paused_reason, failures < 5 ? null : 'TOO_MANY_FAILURES')
  }
  const [run] = await runsOf(row.id)
  t.match(run, { status: 'failed', error: { code: /^[A-Z_]+$/, message: /\S/ } })
  t.equal((await read(row.id)).next_run_at, null)

  fake.next({ status: 400, error: { message: 'refused' } })
  t.equal((await cron('POST', `/${row.id}/run-now`)).status, 202, 'a disabled one can be run')
  await eventually(
    'its failure',
    async () => (await runsOf(row.id)).filter(({ status }) => status === 'failed').length === 6,
  )
  t.equal((await read(row.id)).failures, 5, 'which does not count')
  const enabled = (await change(row.id, { enabled: true })).body
  t.match(enabled, { failures: 0, paused_reason: null, enabled: true })
  t.ok(enabled.next_run_at > clock.seconds())
  await remove(t, row)
})

t.test('A missed time is caught up once within an hour, and otherwise noted', async (t) => {
  const often = await create({ schedule: { every_seconds: 10 * MINUTE } })
  const daily = await create({ schedule: { at: clock.seconds() + 60 } })
  const late = await create({ schedule: { at: clock.seconds() + 45 * MINUTE } })
  await advance(100 * MINUTE)
  t.match(await seeRun(daily.id, 'skipped'), { due_at: daily.next_run_at, error: { code: 'MISSED' } })
  await seeRun(late.id, 'succeeded')
  await seeRun(often.id, 'succeeded')
  const runs = await runsOf(often.id)
  const [caughtUp] = runs.filter(({ status }) => status === 'succeeded')
  t.equal(caughtUp.due_at, often.next_run_at + 90 * MINUTE, 'the newest time runs')
  t.match(
    runs.filter(({ status }) => status === 'skipped'),
    [{ due_at: often.next_run_at, error: { code: 'MISSED' } }],
    'and one note tells of those before it',
  )
  t.strictSame([often, late, daily].map(callsFor), [1, 1, 0])
  t.equal((await read(daily.id)).next_run_at, null)
  await remove(t, often, daily, late)
})

t.test('A clock that is set back repeats nothing', async (t) => {
  const row = await create({ schedule: { every_seconds: 10 * MINUTE } })
  await advance(10 * MINUTE)
  await seeRun(row.id, 'succeeded')
  const { next_run_at } = await eventually('the end', async () => {
    const seen = await read(row.id)
    return seen.last_status === 'succeeded' && seen
  })
  await advance(-HOUR)
  const marker = await create({ schedule: { at: clock.seconds() + 5 } })
  await advance(5)
  await seeRun(marker.id, 'succeeded')
  t.equal((await read(row.id)).next_run_at, next_run_at)
  await advance(HOUR + 10 * MINUTE)
  await eventually('the next run', async () => (await runsOf(row.id)).length === 2)
  await seeRun(row.id, 'succeeded')
  t.equal(callsFor(row), 2)
  await remove(t, row, marker)
})

t.test('Nothing runs for a stopped agent or a disabled account, and the list says so', async (t) => {
  const guest = await server.createUser({ username: 'guest' })
  const { body: agent } = await server.request('POST', '/agents', {
    body: { name: 'shared', is_shared: true },
  })
  const theirs = { token: guest.token, agent: agent.id }
  const own = { agent: agent.id }
  const [mine, guests] = [await create({}, own), await create({}, theirs)]
  t.strictSame(
    (await cron('GET', '', undefined, own)).body.map(({ id }: Row) => id),
    [mine.id],
  )
  t.equal((await cron('GET', `/${mine.id}`, undefined, theirs)).status, 404)
  t.equal((await cron('DELETE', `/${guests.id}`, undefined, own)).status, 404)
  t.match(
    await change(guests.id, { deliver: { channel_id: 'x', conversation_id: 'y' } }, theirs),
    { status: 403 },
    'conversations belong to the owner of the agent',
  )

  await server.request('PATCH', '/users/guest', { body: { enabled: false } })
  await advance(MINUTE)
  await seeRun(mine.id, 'succeeded', own)
  await eventually('the note', async () => {
    const note = await server.db.collection('schedule_runs').findOne({ schedule_id: guests.id })
    return note?.status === 'skipped' && note.error.code === 'ACCOUNT_DISABLED'
  })
  await server.request('PATCH', '/users/guest', { body: { enabled: true } })
  const token = await server.login('guest', guest.password)

  await server.request('POST', `/agents/${agent.id}/stop`)
  await advance(MINUTE)
  for (const [id, caller] of [
    [mine.id, own],
    [guests.id, { ...theirs, token }],
  ] as const)
    await eventually('a run that is skipped for its agent', async () => {
      const [newest] = await runsOf(id, caller)
      return newest?.status === 'skipped' && newest.error.code === 'AGENT_NOT_RUNNING'
    })
  t.match(await cron('POST', `/${mine.id}/run-now`, undefined, own), {
    status: 409,
    body: { error: { code: 'AGENT_NOT_RUNNING' } },
  })

  const left = () =>
    Promise.all(
      ['schedules', 'schedule_runs'].map((name) =>
        server.db.collection(name).countDocuments({ agent_id: agent.id }),
      ),
    )
  t.equal((await server.request('DELETE', '/users/guest')).status, 204)
  t.ok((await left()).every((count) => count > 0))
  t.equal((await server.request('DELETE', `/agents/${agent.id}`)).status, 204)
  t.strictSame(await left(), [0, 0])
  t.equal(await server.db.collection('schedules').countDocuments({ user_id: guest.id }), 0)
})

t.test('An account has a bounded number of schedules, and a schedule a bounded number of runs', async (t) => {
  const { token, id: user_id } = await server.createUser({ username: 'busy' })
  const { body: agents } = await server.request('GET', '/agents', { token })
  const caller = { token, agent: agents[0].id }
  const year = { schedule: { every_seconds: 31_536_000 } }
  const row = await create(year, caller)
  for (let count = 1; count < MOST; count += 1) await create(year, caller)
  t.match(await cron('POST', '', { name: 'x', prompt: 'x', ...year }, caller), {
    status: 409,
    body: { error: { code: 'LIMIT_REACHED', details: { limit: 'schedules', max: MOST } } },
  })
  t.match((await server.request('GET', '/auth/me', { token })).body.limits.schedules, {
    used: MOST,
    max: MOST,
  })

  const run = {
    schedule_id: row.id,
    user_id,
    agent_id: caller.agent,
    due_at: 1,
    ended_at: 1,
    thread_id: null,
    turn_id: null,
    status: 'skipped',
  }
  const old = Array.from({ length: 120 }, (_, n) => ({ ...run, _id: `${row.id}:${n}`, started_at: n }))
  await server.db.collection<{ _id: string }>('schedule_runs').insertMany(old)
  t.equal((await cron('POST', `/${row.id}/run-now`, undefined, caller)).status, 202)
  await seeRun(row.id, 'succeeded', caller)
  const pages = await readPages(server, `/agents/${caller.agent}/cron/${row.id}/runs?limit=60`, { token })
  t.strictSame(
    pages.map(({ body }) => body.length),
    [60, 40],
  )
})

/** Runs a command of `svc schedule` with the account of the administrator. */
async function svc(
  name: string,
  { arg, ...options }: Record<string, string | boolean> = {},
): Promise<{ code: unknown; out: string; err: string }> {
  const command = scheduleCommands.find((one) => one.name === `schedule ${name}`)!
  const written = { out: '', err: '' }
  const open = (stream: keyof typeof written) =>
    Object.assign(new PassThrough(), { isTTY: false }).on('data', (chunk) => {
      written[stream] += chunk
    }) as unknown as NodeJS.WriteStream
  const code = await command.run(
    {
      args: [arg as string | undefined],
      options: { url: server.url, ...options },
      home: server.home,
      env: { SVC_PASSWORD: server.admin.password, NO_COLOR: '1' },
      stdin: Object.assign(new PassThrough(), { isTTY: false }) as unknown as NodeJS.ReadStream,
      stdout: open('out'),
      stderr: open('err'),
    },
    {} as never,
  )
  return { code, ...written }
}

t.test('`svc schedule` adds, lists, runs, pauses and resumes schedules', async (t) => {
  t.match(await svc('list'), { code: 0, out: 'There are no schedules.\n' })
  const added = await svc('add', { arg: 'Water the plants.', cron: '30 8 * * 1-5', timezone: 'Asia/Tokyo' })
  const [id, ...times] = added.out.trim().split('\n')
  t.match(added, { code: 0, err: '' })
  t.equal(times.length, 5)
  t.match(await read(id!), {
    name: 'Water the plants.',
    schedule: { cron: '30 8 * * 1-5', timezone: 'Asia/Tokyo' },
    thread: 'new',
  })
  t.equal((await svc('add', { arg: 'x', name: 'Once', at: '2999-01-01T00:00', sameThread: true })).code, 0)
  t.match(
    (await svc('list')).out,
    /^ID +NAME +TIMES +NEXT +LAST RUN\n.*Once +at 2999-.*\n.*Water.*Asia\/Tokyo/,
  )
  t.equal(JSON.parse((await svc('list', { json: true })).out).length, 2)

  t.match(await svc('run', { arg: 'Water the plants.' }), { code: 0, out: /thread thr_/ })
  await seeRun(id!, 'succeeded')
  t.match(await svc('pause', { arg: id! }), { code: 0, out: /is paused/ })
  t.equal((await read(id!)).enabled, false)
  t.match((await svc('list')).out, /disabled/)
  t.match(await svc('resume', { arg: id! }), { code: 0, out: /runs next at \d{4}/ })
  t.equal((await read(id!)).enabled, true)

  for (const [name, options, err] of [
    ['add', { arg: 'x' }, /one of --cron, --every and --at/],
    ['add', { arg: 'x', every: '60', at: '2999-01-01' }, /one of/],
    ['add', { arg: 'x', every: 'often' }, /not a number of seconds/],
    ['add', { arg: 'x', at: 'noon' }, /not a time/],
    ['add', { arg: 'x', every: '5' }, /every_seconds must be >= 60/],
    ['run', { arg: 'nothing' }, /The schedule "nothing" does not exist/],
    ['list', { agent: 'nobody' }, /You can talk to: assistant/],
    ['list', { url: 'http://127.0.0.1:9' }, /No server responds/],
  ] as const)
    t.match(await svc(name, options as never), { code: 1, err })
  for (const { id } of (await cron('GET')).body) await remove(t, { id })
})

t.test('A run has the quota of its account, and the scopes of the key that made the schedule', async (t) => {
  const year = { schedule: { every_seconds: 31_536_000 } }
  const toolsOf = async (row: Row): Promise<string[]> => {
    t.equal((await cron('POST', `/${row.id}/run-now`)).status, 202)
    await seeRun(row.id, 'succeeded')
    await eventually('the end', async () => (await read(row.id)).last_status === 'succeeded')
    const { body } = fake.requests.findLast(({ body }) => body.messages.at(-1)?.content === row.prompt)!
    return (body as { tools?: { function: { name: string } }[] }).tools!.map((tool) => tool.function.name)
  }
  const made = await server.request('POST', '/auth/api-keys', { body: { name: 'writer', scopes: ['write'] } })
  const row = await create(year, { token: made.body.key })
  const limited = await toolsOf(row)
  t.ok(limited.includes('schedule') && !limited.includes('execute'))
  await change(row.id, { name: 'by a session' })
  t.ok((await toolsOf(row)).includes('execute'), 'a change by a session lifts the limit')
  await remove(t, row)

  const { token } = await server.createUser({ username: 'poor' })
  await server.request('PATCH', '/users/poor', { body: { token_quota: 1 } })
  const { body: agents } = await server.request('GET', '/agents', { token })
  const theirs = { token, agent: agents[0].id }
  const { id } = await create(year, theirs)
  await cron('POST', `/${id}/run-now`, undefined, theirs)
  t.match(await seeRun(id, 'failed', theirs), { error: { code: 'TOKEN_QUOTA_EXCEEDED', message: /\S/ } })
})
