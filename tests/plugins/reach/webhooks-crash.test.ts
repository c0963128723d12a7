import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { amount, isLong } from '../../run/tier.ts'
import { MODEL, PROVIDER } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { createHome, startServer } from '../../support/server.ts'
import { spawnService } from '../../support/service-process.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'
import { startReceiver } from '../../support/webhook-receiver.ts'

const WEBHOOKS = amount({ short: 4, long: 10 })
const TURNS = amount({ short: 30, long: 1000 })
const ALL = WEBHOOKS * TURNS
/** The requests that are sent to the trigger at a time. */
const AT_ONCE = 4
/** The time after which the leases of a dead server are over, in seconds; only the long tier waits for it. */
const LEASE_SECONDS = 21
/** The attempts at one delivery of which some fail: few in the normal tier, so that retries come soon. */
const FAILING = amount({ short: 1, long: 6 })

/** True for 30 of 100 of these attempts. */
const fails = (id: string, attempt: number) =>
  attempt <= FAILING && createHash('sha256').update(`${id} ${attempt}`).digest()[0]! < 0.3 * 256

t.test(
  `${ALL} deliveries arrive, in order and one at a time, though 30 % fail and a server is killed twice`,
  async (t) => {
    const upstream = await createFakeOpenAI()
    t.teardown(() => upstream.close())
    upstream.script(() => ({ text: 'done', delayMs: 20 }))
    const receiver = await startReceiver(t)
    const plugins = {
      webhooks: { allow_hosts: ['127.0.0.1'] },
      triggers: { requests_per_minute: 10_000 },
    }
    const home = createHome(t, { database: { url: await createDatabaseUrl(t) }, plugins })
    const clock = createTestClock()
    const server = await startServer(t, { home, clock, config: { plugins } })
    await server.call('POST', '/admin/providers', { ...PROVIDER, base_url: upstream.url })
    await server.call('PUT', '/models/active', { model: MODEL })
    const [agent] = await server.call('GET', '/agents')
    const prompt = { name: 'Hook', verify: { scheme: 'token' }, prompt: 'Do {{n}}.' }
    const trigger = await server.call('POST', `/agents/${agent.id}/triggers`, prompt)
    const ids = new Map<string, string>()
    for (let n = 0; n < WEBHOOKS; n += 1) {
      const wanted = { url: `${receiver.url}${n}`, events: ['turn.ended'] }
      ids.set(`/${n}`, (await server.call('POST', '/webhooks', wanted)).id)
    }

    const attempts = new Map<string, number>()
    const arrived = new Set<string>()
    const delivered = new Set<string>()
    const open = new Map<string, number>()
    let most = 0
    receiver.answer = ({ path, id, body }, response) => {
      const attempt = (attempts.get(id) ?? 0) + 1
      attempts.set(id, attempt)
      arrived.add(id)
      open.set(path, (open.get(path) ?? 0) + 1)
      most = Math.max(most, open.get(path)!)
      response.on('close', () => open.set(path, open.get(path)! - 1))
      const isRefused = fails(id, attempt)
      if (!isRefused) delivered.add(`${path} ${body.data.turn_id}`)
      setTimeout(() => response.writeHead(isRefused ? 500 : 200).end(), 2)
      return undefined
    }

    let victim = await spawnService(t, home)
    const post = async (n: number) => {
      // A request without an answer is sent again, to the other server.
      for (let attempt = n; ; attempt += 1)
        try {
          const base = [server.url, victim.url][attempt % 2]!
          const headers = {
            authorization: `Bearer ${trigger.secret}`,
            'content-type': 'application/json',
            'idempotency-key': `n${n}`,
          }
          const body = JSON.stringify({ n })
          const { status } = await fetch(new URL(trigger.url, base), { method: 'POST', headers, body })
          if (status === 202) return
          await pause(50)
        } catch {
          await pause(50)
        }
    }
    let next = 0
    const posting = Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (next < TURNS) await post(next++)
      }),
    )
    const killAt = async (part: number) => {
      while (arrived.size < ALL * part) await pause(20)
      await victim.kill()
      if (!isLong) clock.advance(LEASE_SECONDS)
    }
    await killAt(0.2)
    victim = await spawnService(t, home)
    await killAt(0.5)
    await posting

    interface Row {
      _id: string
      status: string
      position: number
      webhook_id: string
      next_at: number | null
    }
    const rows = server.db.collection<Row>('webhook_deliveries')
    const ended = { type: { $in: ['done', 'error'] } }
    // The turns of a dead server are closed by another one, after a time.
    await eventually('the ends of all turns', async () => {
      clock.advance(1)
      return (await server.db.collection('events').countDocuments(ended)) === TURNS
    })
    for (let earlier = -1; delivered.size < ALL; earlier = delivered.size) {
      if (delivered.size === earlier) {
        const next = await rows.find({ status: 'pending' }).sort({ next_at: 1 }).limit(1).next()
        clock.advance(Math.max(5, ((next?.next_at ?? 0) - clock.now()) / 1000))
      }
      await pause(isLong ? 2000 : 200)
    }

    const turn_ids = (await server.db.collection<{ turn_id: string }>('events').find(ended).toArray())
      .map(({ turn_id }) => turn_id)
      .sort()
    const positions = new Map((await rows.find().toArray()).map(({ _id, position }) => [_id, position]))
    for (const [path, webhook_id] of ids) {
      const mine = receiver.requests.filter((request) => request.path === path)
      const heard = [...new Set(mine.map(({ body }) => String(body.data.turn_id)))].sort()
      t.strictSame(heard, turn_ids, 'every turn is delivered, and nothing else')
      const first = [...new Set(mine.map(({ id }) => id))]
      t.equal(first.length, TURNS, 'an event has one id')
      const order = first.map((id) => positions.get(id)!)
      t.strictSame(
        order,
        [...order].sort((a, b) => a - b),
        'first attempts come in order',
      )
      await eventually('no delivery waits', async () => {
        clock.advance(1)
        return (await rows.countDocuments({ webhook_id, status: { $ne: 'delivered' } })) === 0
      })
    }
    t.equal(most, 1, 'one request at a time')
    if (isLong)
      process.stderr.write(`${JSON.stringify({ deliveries: ALL, requests: receiver.requests.length })}\n`)
  },
)
