import { setTimeout as pause } from 'node:timers/promises'
import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../../run/file-test.ts'
import { amount, isLong } from '../../run/tier.ts'
import { chatUrl, connectChat, MODEL, PROVIDER, startChat } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { startDatabaseProxy } from '../../support/database-proxy.ts'
import { createHome, startServer, type TestReply, type TestServer } from '../../support/server.ts'
import { spawnService } from '../../support/service-process.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'

/** The accounts, and the schedules of each. */
const ACCOUNTS = amount({ short: 2, long: 20 })
const EACH = amount({ short: 5, long: 50 })
const ALL = ACCOUNTS * EACH
/** The time until they are due, in seconds: in the long tier, long enough to measure a quiet server. */
const AHEAD = amount({ short: 2, long: 15 })
const FAR = 86_400
const HELLO = 'hello'
/** The pause between two messages of the person who talks meanwhile, in milliseconds. */
const TALK_MS = 100

interface Job {
  token: string
  path: string
  prompt: string
}

/** Starts two servers of one database, of which the second can be killed, and an upstream. */
async function startTwo(t: Test) {
  const upstream = await createFakeOpenAI()
  t.teardown(() => upstream.close())
  const promptOf = ({ body }: (typeof upstream.requests)[number]) => body.messages.at(-1)!.content
  upstream.script((request) => ({ text: 'done', delayMs: promptOf(request) === HELLO ? 0 : 150 }))
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  const clock = createTestClock()
  const server = await startServer(t, { home, clock })
  await server.request('POST', '/admin/providers', { body: { ...PROVIDER, base_url: upstream.url } })
  await server.request('PUT', '/models/active', { body: { model: MODEL } })
  const victim = await spawnService(t, home)
  const countCalls = (isWanted: (prompt: unknown) => boolean) =>
    upstream.requests.filter((request) => isWanted(promptOf(request))).length
  return { clock, server, victim, countCalls }
}

/** Creates the schedules of all accounts, due tomorrow. */
async function createJobs(server: TestServer): Promise<Job[]> {
  const at = Math.floor(Date.now() / 1000) + FAR
  const createOf = async (person: number): Promise<Job[]> => {
    const { token } = await server.createUser({ username: `user-${person}` })
    const { body: agents } = await server.request('GET', '/agents', { token })
    const path = `/agents/${agents[0].id}/cron`
    const jobs: Job[] = []
    for (let n = 0; n < EACH; n += 1) {
      const body = { name: `job ${n}`, prompt: `do ${person} ${n}.`, schedule: { at } }
      const made = await server.call('POST', path, body, token)
      jobs.push({ token, path: `${path}/${made.id}`, prompt: body.prompt })
    }
    return jobs
  }
  return (await Promise.all(Array.from({ length: ACCOUNTS }, (_, person) => createOf(person)))).flat()
}

/** Talks to an agent until it is stopped; returns the 95th percentile of the time to the first token. */
async function startTalking(t: Test, server: TestServer) {
  const { body: agents } = await server.request('GET', '/agents')
  const socket = await connectChat(t, chatUrl(server.url, agents[0].id, server.admin.token))
  let isOver = false
  const talking = (async () => {
    const times: number[] = []
    while (!isOver || times.length === 0) {
      const began = performance.now()
      const sent = socket.say({ text: HELLO })
      const { turn_id } = await socket.until(({ client_message_id }) => client_message_id === sent)
      await socket.until((frame) => frame.turn_id === turn_id && frame.type === 'content')
      times.push(performance.now() - began)
      await socket.seeTurn(sent)
      await pause(TALK_MS)
    }
    return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!
  })()
  return () => {
    isOver = true
    return talking
  }
}

t.test(
  `Each of ${ALL} schedules of one second runs once on two servers, one of which is killed`,
  async (t) => {
    const { clock, server, victim, countCalls } = await startTwo(t)
    const wake = () => server.server.runtime.cradleOf('schedules').scheduler.wake()
    const jobs = await createJobs(server)
    const at = clock.seconds() + AHEAD
    const due = { 'schedule.at': at, next_run_at: at, wake_at: at * 1000 }
    await server.db.collection('schedules').updateMany({}, { $set: due })
    wake()
    // It looks at the database because of a change.
    const { path, token } = jobs[0]!
    const renamed = await fetch(`${victim.url}/api${path}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'renamed' }),
    })
    t.equal(renamed.status, 200)

    const quiet = isLong ? await startTalking(t, server) : undefined
    await eventually('the first run', () => countCalls((prompt) => prompt !== HELLO) > 0)
    const p95 = { quiet: await quiet?.(), busy: 0 }
    const busy = isLong ? await startTalking(t, server) : undefined
    const begun = ALL / amount({ short: 3, long: 10 })
    await eventually('the first runs', () => countCalls((prompt) => prompt !== HELLO) >= begun)
    await victim.kill()
    const startedBeforeKill = countCalls((prompt) => prompt !== HELLO)

    const countEnded = () => server.db.collection('schedule_runs').countDocuments({ ended_at: { $ne: null } })

    const listRuns = async ({ path, token }: Job): Promise<TestReply['body'][]> =>
      (await server.request('GET', `${path}/runs`, { token })).body
    // Asked seldom, so that the test leaves the processor to the servers.
    while (isLong && (await countEnded()) < ALL) await pause(500)
    p95.busy = (await busy?.()) ?? 0
    let late = 0
    const ends: Record<string, number> = {}
    for (const job of jobs) {
      const runs = await eventually(`the end of ${job.prompt}`, async () => {
        // The runs of the dead server are found after a time, for which only the long tier waits.
        if (!isLong) {
          clock.advance(1)
          wake()
        }
        const runs = await listRuns(job)
        return runs.length > 0 && runs.every(({ ended_at }) => ended_at !== null) && runs
      })
      t.equal(runs.length, 1, job.prompt)
      const [{ status, due_at, started_at, thread_id, error }] = runs
      t.equal(due_at, at)
      late = Math.max(late, started_at - due_at)
      const events = server.db.collection<{ _id: string; type: string }>('events')
      const turns = { _id: { $regex: `^${thread_id}:` }, type: 'turn_started' }
      t.equal(await events.countDocuments(turns), 1, 'its turn starts once')
      const calls = countCalls((prompt) => prompt === job.prompt)
      ends[status] = (ends[status] ?? 0) + 1
      if (status === 'succeeded') t.equal(calls, 1)
      else {
        t.strictSame([status, error.code], ['failed', 'TURN_INTERRUPTED'], job.prompt)
        t.ok(calls <= 1)
      }
    }
    if (!isLong) return
    t.ok(late <= 60, `the last one is ${late} s late`)
    process.stderr.write(`${JSON.stringify({ late, ends, startedBeforeKill, first_token_ms: p95 })}\n`)
  },
)

t.test('A run calls no model before the beginning of its turn is stored', async (t) => {
  const proxy = await startDatabaseProxy(t)
  const clock = createTestClock()
  const env = { SVC_DATABASE_URL: proxy.url }
  const { server, fake, agent_id } = await startChat(t, { home: createHome(t), clock, env })
  const path = `/agents/${agent_id}/cron`
  const body = { name: 'job', prompt: 'Do it.', schedule: { at: clock.seconds() + FAR } }
  const { id } = (await server.request('POST', path, { body })).body
  proxy.cutAt('turn_started')
  const started = server.request('POST', `${path}/${id}/run-now`)
  await eventually('a write fails', () => server.logged().includes('the ledger could not be written'))
  t.equal(fake.requests.length, 0)
  proxy.restore()
  await started
  await eventually('the end', async () => {
    clock.advance(10)
    server.server.runtime.cradleOf('schedules').scheduler.wake()
    return (await server.request('GET', `${path}/${id}`)).body.last_status === 'succeeded'
  })
  t.equal(fake.requests.length, 1)
})
