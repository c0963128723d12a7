import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import type { Budget } from '../../../plugins/identity/users/types.ts'
import type { ModelAccount } from '../../../plugins/models/providers/types.ts'
import type {
  ServerCounterDocument,
  SpentAmounts,
  UsageCounterDocument,
  UsageDocument,
} from '../../../plugins/models/usage/types.ts'
import t from '../../run/file-test.ts'
import { amount, chooseSeed } from '../../run/tier.ts'
import { startChat, type TestChat } from '../../support/chat.ts'
import { createFrozenClock } from '../../support/clock.ts'
import { createChance } from '../../support/random.ts'
import { spawnService } from '../../support/service-process.ts'

const WINDOWS = ['day', 'week', 'month'] as const
/** Zones with the days on which their clocks change in 2027, at midnight in some of them. */
const CHANGES = [
  ['UTC', '2027-06-30'],
  ['Europe/Berlin', '2027-03-28'],
  ['Europe/Berlin', '2027-10-31'],
  ['America/New_York', '2027-03-14'],
  ['America/New_York', '2027-11-07'],
  ['America/Havana', '2027-03-14'],
  ['America/Havana', '2027-11-07'],
  ['Africa/Cairo', '2027-04-30'],
  ['Asia/Beirut', '2027-03-28'],
  ['Australia/Lord_Howe', '2027-04-04'],
  ['Australia/Lord_Howe', '2027-10-03'],
  ['Pacific/Kiritimati', '2027-02-28'],
] as const

const CASES = amount({ short: 12, long: 400 })
const seed = chooseSeed(7)

const clock = createFrozenClock(Date.parse('2027-01-01T00:00:00Z'))
const chat = await startChat(t, { clock })
const colls = ({ server: { db } }: TestChat = chat) => ({
  counters: db.collection<UsageCounterDocument>('usage_counters'),
  usage: db.collection<UsageDocument>('usage'),
  totals: db.collection<ServerCounterDocument>('server_spending'),
})
const usageOf = ({ server }: TestChat = chat) => server.server.runtime.cradleOf('usage')
const points = chat.server.server.runtime.extensions

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const dollars = (billionths: number) => billionths / 1e9
/** Returns what rows cost within a stored window. */
const costIn = (rows: readonly UsageDocument[], { from, until }: { from: number; until: number }) =>
  sum(rows.map(({ ts, cost_billionths = 0 }) => (ts >= from && ts < until ? cost_billionths : 0)))

/** The local date and time of a moment, as the zone's own people read it. */
const localParts = (seconds: number, timeZone: string) =>
  Object.fromEntries(
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'short',
      day: 'numeric',
      hour: 'numeric',
      hourCycle: 'h23',
    })
      .formatToParts(seconds * 1000)
      .map(({ type, value }) => [type, value]),
  )

let made = 0
const callId = () => `call-${made++}`

/** Makes one call that takes `taken` of what it asks for; returns its error of estimate, or that it was refused. */
async function call(
  account: ModelAccount,
  { prompt, output, taken, token }: { prompt: number; output: number; taken: number; token: number },
) {
  const call_id = callId()
  let granted = output
  try {
    await points['providers.reservations'].ask({
      call_id,
      account,
      purpose: 'turn',
      model: 'shop:m',
      estimate: () => ({ prompt, output, cost: { prompt: prompt * token, token } }),
      limitOutput(tokens) {
        granted = Math.min(granted, tokens)
      },
    })
  } catch (error) {
    return { refused: error as { code: string; details: Record<string, number> } }
  }
  await pause(0)
  const reserved = Math.floor((prompt + granted) * token)
  const cost = Math.round((prompt + granted) * token * taken)
  const tokens = Math.round((prompt + granted) * taken)
  const usage = { input_tokens: tokens, output_tokens: 0, total_tokens: tokens }
  const spent = { ...usage, cost: { amount: dollars(cost), currency: 'USD' } }
  await points['providers.usage'].ask({
    call_id,
    account,
    purpose: 'turn',
    model: 'shop:m',
    usage: spent,
    is_estimated: false,
  })
  return { error: Math.max(0, cost - reserved) }
}

for (let n = 0; n < CASES; n += 1)
  t.test(`Calls keep to a budget, whatever they are estimated (seed ${seed + n})`, async (t) => {
    const { int, chance, pick, list } = createChance(seed + n)
    const [timezone, day] = pick(CHANGES)
    const window = pick(WINDOWS)
    const budget: Budget = { amount: int(1, 500) / 100, window }
    const { id: user_id } = await chat.server.createUser({ username: `p${n}-${Date.now()}` })
    let account: ModelAccount = {
      user_id,
      token_quota: null,
      budget,
      timezone,
      agent_id: '',
      thread_id: null,
    }
    const hasTravelled = chance(0.3)
    const start = Date.parse(`${day}T00:00:00Z`) / 1000 - int(0, 40) * 3600
    clock.advance(start - clock.seconds())
    const serverBudget: Budget | null = chance(0.3) ? { amount: int(1, 500) / 100, window: 'day' } : null
    await usageOf().serverSpending.setBudget(serverBudget)
    const token = pick([1, 20, 2500, 1_000_000, 37.5])
    const spentNow = async () => {
      const { spent } = (await usageOf().usageCounters.listUses([account])).get(user_id)!
      return spent
    }
    for (let round = 0; round < 12; round += 1) {
      const earlierSpent = await spentNow()
      const outcomes = await Promise.all(
        list(1, 8, () =>
          call(account, {
            prompt: int(1, 3000),
            output: pick([1, 300, 4000, 16_384]),
            taken: chance(0.3) ? int(100, 300) / 100 : int(0, 100) / 100,
            token,
          }),
        ),
      )
      const errors = sum(outcomes.map(({ error = 0 }) => error))
      const after = await spentNow()
      const most = Math.max(earlierSpent, Math.round(budget.amount * 1e9)) + errors
      t.ok(after <= most, `${after} of ${budget.amount * 1e9} were spent, ${errors} by wrong estimates`)
      for (const { refused } of outcomes.filter((outcome) => outcome.refused)) {
        t.equal(refused!.code, 'BUDGET_EXCEEDED')
        const { details } = refused!
        t.ok(details.spent! + details.needed! > details.limit!, JSON.stringify(details))
      }
      const rows = await colls().usage.find({ user_id }).toArray()
      const { spent, holds } = (await colls().counters.findOne({ _id: user_id })) ?? { holds: [] }
      t.strictSame(holds, [])
      for (const name of spent ? WINDOWS : []) {
        const stored = spent![name]
        t.equal(stored.amount, costIn(rows, stored), `all of the ${name} is counted, once`)
        const local = localParts(stored.until, timezone)
        if (hasTravelled) continue
        t.notSame(local.day, localParts(stored.until - 1, timezone).day, `a ${name} ends with a day`)
        if (name === 'week') t.equal(local.weekday, 'Mon')
        if (name === 'month') t.equal(local.day, '1')
      }
      if (chance(0.5)) clock.advance(int(1, 9) * 1800)
      if (hasTravelled) account = { ...account, timezone: pick(CHANGES)[0] }
    }
    const first = await colls().usage.findOne({ user_id }, { sort: { ts: 1 } })
    const all = await colls().usage.find({}).toArray()
    const { spent } = (await colls().totals.findOne({ _id: 'server' }))!
    if (first)
      for (const name of WINDOWS) t.equal(spent![name].amount, costIn(all, spent![name]), 'the server has it')
    await usageOf().serverSpending.setBudget(null)
  })

t.test('Nobody gets more windows than there are days by moving between zones', async (t) => {
  const { id: user_id } = await chat.server.createUser({ username: 'traveller' })
  const zones = Array.from({ length: 24 }, (_, n) => `Etc/GMT${n < 12 ? `+${n}` : `-${n - 10}`}`)
  const ends = new Set<number>()
  const HOURS = 5 * 24
  for (let hour = 0; hour < HOURS; hour += 1) {
    clock.advance(3600)
    const account = { user_id, token_quota: null, budget: { amount: 1, window: 'day' as const } }
    const timezone = zones[hour % zones.length]!
    await call(
      { ...account, timezone, agent_id: '', thread_id: null },
      { prompt: 1, output: 1, taken: 1, token: 1 },
    )
    const { spent } = (await colls().counters.findOne({ _id: user_id }))!
    ends.add(spent!.day.until)
  }
  t.ok(ends.size <= HOURS / 24 + 1, `${ends.size} windows in ${HOURS / 24} days`)
})

/** Waits until what accounts and the server have spent is the sum of all rows, after what a crash interrupted. */
const hasAll = (chat: TestChat) =>
  eventually('everything is counted once', async () => {
    await usageOf(chat).usageRecords.recover()
    const [rows, counters, server] = await Promise.all([
      colls(chat).usage.find().toArray(),
      colls(chat).counters.find().toArray(),
      colls(chat).totals.findOne({ _id: 'server' }),
    ])
    const isWhole = (spent: SpentAmounts | undefined, own: readonly UsageDocument[]) =>
      !spent || WINDOWS.every((name) => spent[name].amount === costIn(own, spent[name]))
    return (
      isWhole(server?.spent, rows) &&
      counters.every(({ _id, spent, total = 0 }) => {
        const own = rows.filter(({ user_id }) => user_id === _id)
        return isWhole(spent, own) && total === sum(own.map(({ total_tokens }) => total_tokens))
      })
    )
  })

t.test('A batch that a crash left half written is counted once', async (t) => {
  const { int, list, chance } = createChance(seed)
  const ids: string[] = []
  for (const name of ['crash-a', 'crash-b', 'crash-c'])
    ids.push((await chat.server.createUser({ username: name })).id)
  const spend = (user_id: string) =>
    call(
      { user_id, token_quota: null, budget: null, timezone: null, agent_id: '', thread_id: null },
      { prompt: int(1, 1000), output: 1, taken: 1, token: 1000 },
    )
  await Promise.all(ids.map(spend))
  for (let round = 0; round < amount({ short: 6, long: 60 }); round += 1) {
    const earlierTotals = (await colls().totals.findOne({ _id: 'server' }))!
    const earlier = await colls().usage.distinct('_id')
    await Promise.all(list(1, 3, (index) => spend(ids[index]!)))
    const { spent } = (await colls().totals.findOne({ _id: 'server' }))!
    if (chance(0.7)) await colls().totals.replaceOne({ _id: 'server' }, earlierTotals)
    if (chance(0.5)) await colls().usage.deleteMany({ _id: { $nin: earlier } })
    for (let times = 0; times < 2; times += 1) {
      await Promise.all([usageOf().usageRecords.recover(), usageOf().usageRecords.recover()])
      const counted = (await colls().totals.findOne({ _id: 'server' }))!.spent!
      t.strictSame(counted.month.amount, spent!.month.amount)
    }
    clock.advance(int(1, 60))
  }
  t.ok(await hasAll(chat))
})

t.test('Nothing is lost or charged twice if a server process is killed', async (t) => {
  const { int } = createChance(seed)
  const chat = await startChat(t)
  const { fake, server } = chat
  await server.call('POST', '/admin/providers', {
    name: 'shop',
    kind: 'openai-compatible',
    base_url: fake.url,
    models: [{ id: 'm', price: { input: 3, output: 15 } }],
  })
  await server.call('PUT', '/models/active', { model: 'shop:m' })
  await server.call('PUT', '/admin/budget', { budget: { amount: 1000, window: 'month' } })
  fake.script(() => ({
    text: 'yes',
    delayMs: int(0, 20),
    usage: { prompt_tokens: int(1, 900), completion_tokens: int(1, 90) },
  }))
  const people: { token: string; agent_id: string }[] = []
  for (const username of ['kit', 'lea', 'mo']) {
    const { token } = await server.createUser({ username })
    await server.call('PATCH', `/users/${username}`, { budget: { amount: 100, window: 'day' } })
    people.push({ token, agent_id: (await server.request('GET', '/agents', { token })).body[0].id })
  }
  for (let round = 0; round < amount({ short: 2, long: 20 }); round += 1) {
    const service = await spawnService(t, server.home)
    const post = (path: string, token: string, body: object) =>
      fetch(`${service.url}/api${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const ask = async ({ token, agent_id }: (typeof people)[number]) => {
      const thread = await post(`/agents/${agent_id}/threads`, token, {})
      const { thread_id } = (await thread.json()) as { thread_id: string }
      const turn = await post(`/agents/${agent_id}/threads/${thread_id}/turns`, token, {
        content: [{ type: 'text', text: 'hello' }],
      })
      await turn.arrayBuffer()
    }
    const calls = fake.requests.length
    const askAgain = async (person: (typeof people)[number]) => {
      for (let turn = 0; turn < 5; turn += 1) await ask(person)
    }
    // The requests fail that the server does not live to answer.
    const asking = Array.from({ length: 12 }, (_, n) => askAgain(people[n % 3]!).catch(() => undefined))
    await fake.request(calls + int(15, 40))
    await pause(int(0, 40))
    await service.kill()
    await Promise.all(asking)
    t.ok(await hasAll(chat))
  }
  t.ok((await colls(chat).usage.countDocuments()) > 0)
  t.ok((await colls(chat).totals.findOne({ _id: 'server' }))!.spent!.month.amount > 0)
})
