import { isDeepStrictEqual } from 'node:util'
import type { ClientMessageDocument, ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import t, { type Test } from '../../run/file-test.ts'
import { amount, onlyLong } from '../../run/tier.ts'
import { startChat } from '../../support/chat.ts'
import { SEEDED_EVENTS, seedThread } from '../../support/chat-seed.ts'

const chat = await startChat(t)
const { server, history, threads } = chat
const {
  messages,
  retention,
  ledger,
  clientMessages,
  turnLeases,
  threads: allThreads,
} = server.server.runtime.cradleOf('chat')
const { body: admin } = await server.request('GET', '/auth/me')
const owner = { user_id: admin.id as string, agent_id: chat.agent_id }

const SHORT = 50
const LONG = amount({ short: 500, long: 2500 })

interface Cost {
  keys: number
  documents: number
  /** The number of queries that no index served. */
  scans: number
}

/** Reads what the database has examined so far, in all queries of all kinds. */
async function examined(): Promise<Cost> {
  const { metrics } = await server.db.command({ serverStatus: 1 })
  const { scanned, scannedObjects, collectionScans } = metrics.queryExecutor
  return { keys: scanned, documents: scannedObjects, scans: collectionScans.total }
}

const RUNS = amount({ short: 2, long: 4 })
const MOST_ROUNDS = 40

/** Measures an operation and returns the least of several runs, because other work of the server runs beside it. */
async function costOf(operation: () => Promise<unknown>, least?: Cost): Promise<Cost> {
  const costs = least ? [least] : []
  for (let run = 0; run < RUNS; run += 1) {
    const costBefore = await examined()
    await operation()
    const after = await examined()
    costs.push({
      keys: after.keys - costBefore.keys,
      documents: after.documents - costBefore.documents,
      scans: after.scans - costBefore.scans,
    })
  }
  const leastOf = (field: keyof Cost) => Math.min(...costs.map((cost) => cost[field]))
  return { keys: leastOf('keys'), documents: leastOf('documents'), scans: leastOf('scans') }
}

/** Measures an operation in a short thread and in a long one until both costs are the same, if they ever are. */
async function costsOf(
  operation: (place: Place) => Promise<unknown>,
  areSame: (short: Cost, long: Cost) => boolean = isDeepStrictEqual,
): Promise<{ short: Cost; long: Cost }> {
  let [short, long]: (Cost | undefined)[] = []
  for (let round = 0; round < MOST_ROUNDS && !(short && long && areSame(short, long)); round += 1) {
    short = await costOf(() => operation(places.short), short)
    long = await costOf(() => operation(places.long), long)
  }
  return { short: short!, long: long! }
}

/** Checks that every query is served by an index and costs no more in a long thread than in a short one. */
async function costsTheSame(t: Test, most: number, operation: (place: Place) => Promise<unknown>) {
  const { short, long } = await costsOf(operation)
  t.strictSame(long, short)
  t.equal(long.scans, 0)
  t.ok(long.documents > 0 && long.documents <= most, `${long.documents} documents`)
}

interface Place {
  thread_id: string
  last_seq: number
}

const placeOf = async (thread_id: string): Promise<Place> => {
  const { last_seq } = await history(thread_id, '?limit=1')
  return { thread_id, last_seq }
}
const places = {
  short: await placeOf(await seedThread(chat, SHORT)),
  long: await placeOf(await seedThread(chat, LONG)),
}

t.test(
  'A page of history costs the same at the end and in the middle, in a short thread and a long one',
  async (t) => {
    t.equal((await history(places.long.thread_id, '?limit=200')).messages.length, 200)
    await costsTheSame(t, 26 + 10, ({ thread_id }) => history(thread_id))
    await costsTheSame(t, 26 + 10, ({ thread_id, last_seq }) =>
      history(thread_id, `?cursor=${Math.floor(last_seq / 2)}`),
    )
    await costsTheSame(t, 26 + 25 + 10, ({ thread_id }) => history(thread_id, '?offset=25'))
  },
)

t.test("The model's context is read at the same cost in a short thread and a long one", async (t) => {
  await costsTheSame(t, 41, ({ thread_id, last_seq }) =>
    messages.page({ _id: thread_id }, { limit: 40, beforeSeq: last_seq + 1 }),
  )
})

t.test(
  'A fork is made and read at the same cost, however long its source is',
  { skip: onlyLong },
  async (t) => {
    const fork = async ({ thread_id }: Place): Promise<string> =>
      (await threads('POST', `/${thread_id}/fork`, { body: { assistant_turns_from_end: 3 } })).body.thread_id
    const { short, long } = await costsOf(fork, (short, long) => short.documents === long.documents)
    t.strictSame(
      { ...long, keys: 0 },
      { ...short, keys: 0 },
      'but for the counting of its messages, by index',
    )
    t.equal(long.scans, 0)
    t.ok(long.keys < 2 * LONG + 50, `${long.keys} keys`)
    t.ok(long.documents <= 20, `${long.documents} documents`)

    const socket = await chat.connect()
    const forks = new Map<Place, Place>()
    for (const source of [places.short, places.long]) {
      const thread_id = await fork(source)
      await socket.ask({ thread_id, text: 'go on' })
      forks.set(source, await placeOf(thread_id))
    }
    const read = (source: Place, query = '') => history(forks.get(source)!.thread_id, query)
    await costsTheSame(t, 26 + 10, (source) => read(source))
    await costsTheSame(t, 26 + 25 + 10, (source) => read(source, '?offset=25'))
    await costsTheSame(t, 26 + 10, (source) => read(source, `?cursor=${Math.floor(source.last_seq / 2)}`))
  },
)

t.test('The ledger is read from any place at the same cost', async (t) => {
  for (const place of [0, 0.5])
    await costsTheSame(t, 100, ({ thread_id, last_seq }) =>
      ledger.read(thread_id, Math.floor((last_seq * place) / SEEDED_EVENTS) * SEEDED_EVENTS, 100),
    )
  await costsTheSame(t, 6, async ({ thread_id, last_seq }) => {
    const [first] = await ledger.read(thread_id, last_seq - 1, 1)
    await ledger.readTurn(thread_id, first!.turn_id, last_seq - SEEDED_EVENTS + 1)
  })
})

t.test(
  'A page of a trajectory costs the same wherever it is, also of one type or of one turn',
  { skip: onlyLong },
  async (t) => {
    const page = async ({ thread_id }: Place, query: string) => {
      const { status, body } = await threads('GET', `/${thread_id}/trajectory?${query}`)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body.events as { turn_id: string; seq: number }[]
    }
    const middle = ({ last_seq }: Place) => Math.floor(last_seq / 2)
    const turnIds = new Map<Place, string>()
    for (const place of [places.short, places.long])
      turnIds.set(place, (await page(place, `limit=1&after_seq=${middle(place)}`))[0]!.turn_id)
    const queries: [documents: number, query: (place: Place) => string][] = [
      [51 + 10, () => ''],
      [51 + 10, (place) => `after_seq=${middle(place)}`],
      [51 + 10, (place) => `before_seq=${middle(place)}`],
      [10, () => 'type=error'],
      [10, () => 'type=reasoning'],
      [3 + 10, () => 'type=done&limit=2'],
      [2 * 5 + 10, () => 'type=content&limit=1'],
      [10 + 10, (place) => `turn_id=${turnIds.get(place)}`],
      [10 + 10, (place) => `turn_id=${turnIds.get(place)}&type=done`],
      [10, () => 'turn_id=none'],
    ]
    for (const [documents, query] of queries)
      await costsTheSame(t, documents, (place) => page(place, query(place)))
    for (const place of [places.short, places.long]) {
      const turn_id = turnIds.get(place)
      const events = await page(place, `turn_id=${turn_id}`)
      t.ok(events.length > 2 && events.every((event) => event.turn_id === turn_id))
      t.strictSame(await page(place, `turn_id=${turn_id}&after_seq=0`), events)
    }
  },
)

t.test('A whole turn costs the same in a short thread and a long one', async (t) => {
  const socket = await chat.connect()
  const ask = ({ thread_id }: Place) => socket.ask({ thread_id, text: 'hello' })
  await ask(places.short)
  await ask(places.long)
  await costsTheSame(t, 12, ask)
})

t.test(
  'Threads are listed, found, recovered and removed without examining those of others',
  { skip: onlyLong },
  async (t) => {
    const collection = server.db.collection<ThreadDocument>('threads')
    const model = (await collection.findOne({ _id: places.short.thread_id }))!
    const copies = (user_id: string, count: number) =>
      collection.insertMany(
        Array.from({ length: count }, (_, n) => ({
          ...model,
          _id: `thr_${user_id}${n}`,
          session_key: `${user_id}${n}`,
          user_id,
          last_active: n,
          pinned: n % 100 === 0,
        })),
      )
    await copies('somebody', 2000)
    await copies(owner.user_id, 1000)
    await server.db.collection<ClientMessageDocument>('client_messages').insertMany(
      Array.from({ length: 2000 }, (_, n) => ({
        ...owner,
        _id: `trn_${n}`,
        thread_id: `thr_${n}`,
        client_message_id: `id-${n}`,
        first_seq: 1,
        created_at: new Date(),
      })),
    )
    const bounded = async (what: string, most: number, operation: () => Promise<unknown>) => {
      const { documents, keys, scans } = await costOf(operation)
      t.equal(scans, 0, `${what}: an index serves it`)
      t.ok(documents <= most && keys <= most + 10, `${what}: ${documents} documents, ${keys} keys`)
    }
    await bounded('the first page and a row behind it', 51, () =>
      allThreads.list(owner, { limit: 50, offset: 0 }),
    )
    await bounded('the first page over HTTP', 60, () => threads('GET', ''))
    await bounded('a page further down', 151, () => allThreads.list(owner, { limit: 50, offset: 100 }))
    await bounded('by id', 1, () => allThreads.get(owner, places.long.thread_id))
    await bounded('by session key', 1, () =>
      allThreads.getBySession(owner, 'somebody7').catch(() => undefined),
    )
    await bounded('a repeated message', 1, () => clientMessages.findRepeated(owner, 'id-77'))
    await bounded('abandoned turns', 0, () => turnLeases.adopt(() => false))
    await bounded('turns that run', 0, () => turnLeases.countLive())
    await bounded('hidden threads', 0, () => allThreads.listHidden())
    await bounded('forks that were not finished', 0, () => allThreads.hideUnfinished())
    await bounded('threads of an agent that is deleted', 0, () => allThreads.hide({ agent_id: 'none' }))
    await bounded('threads of a user that is deleted', 0, () => allThreads.hide({ user_id: 'none' }))
    await bounded('what is removed of a thread', 0, () =>
      Promise.all([
        retention.release('thr_none'),
        ledger.remove('thr_none'),
        clientMessages.remove('thr_none'),
      ]),
    )
    await bounded('unread replies', 20, () => allThreads.countUnread(owner.user_id, [owner.agent_id]))

    const { documents, scans } = await costOf(() => allThreads.count())
    t.strictSame({ documents, scans }, { documents: 0, scans: 0 }, 'threads are counted by index alone')
  },
)
