import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Db, MongoClient } from 'mongodb'
import { jointWriterOf } from '../plugin-api/toolbox/joint-writer.ts'
import type { MessageDocument, ThreadDocument } from '../plugins/conversations/chat/documents.ts'
import { createSearchPages, type SearchPageDocument } from '../plugins/conversations/search/store/pages.ts'
import type { Account } from './account.ts'
import { type Figure, median, quantile, type Row } from './figure.ts'
import { type Library, openLibrary } from './library.ts'
import { readCpuMs, type Service } from './service.ts'
import type { Stage } from './stage.ts'
import { countTurns, openSockets, type Window } from './turns.ts'
import { createNumbers } from './vectors.ts'

/** The conversations of the account that searches, and the messages of each. */
const THREADS = 5000
/** The conversations of an average account, of which the same searches are measured. */
const AVERAGE_THREADS = 250
const MESSAGES = 20
/** The account's messages are copied so many times, for the other accounts. */
const COPIES = 9
const ACCOUNTS = 199
const WARM_UP = 14
const SEARCHES = 280
const ROUNDS = 4
const BATCH = 100
const SECONDS_APART = 600

/** Measures searches in 1,000,000 messages, the size of their index, and turns with and without the plugin. */
export const measureSearch: Figure = async (stage) => {
  const turns = await measureTurnCost(stage)
  const library = await openLibrary()
  const service = await stage.startService(await stage.createHome())
  const account = await stage.createAccount(service)
  const client = await MongoClient.connect((await service.engine()).uri)
  try {
    const db = client.db('svc')
    const searches = await measureSearches({ db, service, account, library })
    return [...searches, ...(await measureSizes(db)), ...turns]
  } finally {
    await client.close()
  }
}

async function measureSearches({
  db,
  service,
  account,
  library,
}: {
  db: Db
  service: Service
  account: Account
  library: Library
}): Promise<Row[]> {
  const { id: user_id } = await account.call<{ id: string }>('GET', '/auth/me')
  const path = `/agents/${account.agentId}/threads`
  const { thread_id } = await account.call<{ thread_id: string }>('POST', path)
  await seed(db, { user_id, thread_id, library })
  await copyToOthers(db)
  /** Moves the conversations that an average account does not have to an account. */
  const giveMost = async (user_id: string) => {
    const ids = { $gte: toThreadId(AVERAGE_THREADS), $lt: toThreadId(THREADS) }
    await db.collection<ThreadDocument>('threads').updateMany({ _id: ids }, { $set: { user_id } })
    await db.collection('search_pages').updateMany({ thread_id: ids }, { $set: { user_id } })
  }
  /** Returns the durations of searches by the kinds of their queries. */
  const searchAll = async (count: number) => {
    const times = new Map<string, number[]>()
    for (let n = 0; n < count; n += 1) {
      const [kind, toQuery] = QUERIES[n % QUERIES.length]!
      const query = new URLSearchParams({ q: toQuery(n, library), limit: '20' })
      const startedAt = performance.now()
      const rows = await account.call<object[]>('GET', `/search?${query}`)
      const ms = performance.now() - startedAt
      if (kind === MISSING && rows.length > 0) throw new Error(`${query} found ${rows.length} rows`)
      times.set(kind, [...(times.get(kind) ?? []), ms])
    }
    return times
  }
  const toRow = (times: number[], threads: number): Row => ({
    measure: `search in ${threads} conversations, p95`,
    value: quantile(times, 0.95),
    unit: 'ms',
    note: `p50 ${median(times).toFixed(1)}`,
  })

  await giveMost('usr_bench')
  await searchAll(WARM_UP)
  const ofAverage = [...(await searchAll(SEARCHES)).values()].flat()
  await giveMost(user_id)
  await searchAll(WARM_UP)
  const pids = [service.pid, (await service.engine()).pid]
  const cpuBefore = await Promise.all(pids.map(readCpuMs))
  const times = await searchAll(SEARCHES)
  const cpuAfter = await Promise.all(pids.map(readCpuMs))
  const cpuMs = cpuAfter.map((ms, index) => (ms - cpuBefore[index]!) / SEARCHES)
  return [
    toRow(ofAverage, AVERAGE_THREADS),
    toRow([...times.values()].flat(), THREADS),
    { measure: 'server, CPU a search', value: cpuMs[0]!, unit: 'ms' },
    { measure: 'engine, CPU a search', value: cpuMs[1]!, unit: 'ms' },
    ...[...times].map(
      ([kind, ms]): Row => ({
        measure: `${kind}, p95`,
        value: quantile(ms, 0.95),
        unit: 'ms',
        note: `p50 ${median(ms).toFixed(1)}`,
      }),
    ),
  ]
}

const MISSING = 'a word that is missing'
const rareWord = (n: number) => `zq${(n * 7919) % THREADS}xw`

const wordsOf = (text: string, least: number) =>
  (text.match(/[a-z]+/gi) ?? []).filter(({ length }) => length >= least)

/** Returns an English sentence with two long words at least. */
function askWords(library: Library): string[] {
  for (;;) {
    const words = wordsOf(library.ask('en'), 6)
    if (words.length > 1) return words
  }
}

/** Returns two English words that follow each other. */
function askPhrase(library: Library): string {
  for (;;) {
    const phrase = / [a-z]{4,} [a-z]{4,} /.exec(library.ask('en'))?.[0]
    if (phrase) return phrase.trim()
  }
}

/** Queries of each kind; the number is that of the search. */
const QUERIES: readonly [string, (n: number, library: Library) => string][] = [
  ['a rare word', (n) => rareWord(n)],
  ['a word', (_, library) => askWords(library)[0]!],
  ['two words', (_, library) => askWords(library).slice(0, 2).join(' ')],
  ['the first letters of a word', (_, library) => askWords(library)[0]!.slice(0, 3)],
  ['a phrase', (_, library) => `"${askPhrase(library)}"`],
  ['Chinese', (_, library) => library.ask('zh').match(/\p{sc=Han}{3,8}/u)?.[0] ?? '可以'],
  [MISSING, (n) => `qxj${n}zzv`],
]

const toThreadId = (n: number) => `thr_bench${n.toString().padStart(21, '0')}`

/** Fills the account with conversations in English and Chinese, as if they had taken place. */
async function seed(
  db: Db,
  { user_id, thread_id, library }: { user_id: string; thread_id: string; library: Library },
): Promise<void> {
  const threads = db.collection<ThreadDocument>('threads')
  const messages = db.collection<MessageDocument>('messages')
  const pages = createSearchPages(db.collection<SearchPageDocument>('search_pages'))
  const { _id, ...thread } = (await threads.findOne({ _id: thread_id }))!
  const next = createNumbers(2)
  const now = Math.floor(Date.now() / 1000)
  for (let first = 0; first < THREADS; first += BATCH) {
    const written: ThreadDocument[] = []
    const said: MessageDocument[] = []
    const writes = []
    for (let n = first; n < first + BATCH; n += 1) {
      const language = n % 3 === 0 ? 'zh' : 'en'
      const scale = language === 'zh' ? 0.4 : 1
      const id = toThreadId(n)
      const beginning = now - (THREADS - n) * SECONDS_APART
      const documents = Array.from({ length: MESSAGES }, (_, index): MessageDocument => {
        const isQuestion = index % 2 === 0
        const length = (isQuestion ? 40 + 260 * next() ** 2 : 200 + 2000 * next() ** 2) * scale
        const text = library.write(language, length)
        return {
          _id: `msg_bench${(n * MESSAGES + index).toString().padStart(21, '0')}`,
          thread_id: id,
          position: 1 + Math.floor(index / 2) * 6 + (isQuestion ? 0 : 1),
          role: isQuestion ? 'user' : 'assistant',
          content: [{ type: 'text', text: index === 3 ? `${text} ${rareWord(n)}` : text }],
          timestamp: (beginning + index * 20) * 1000,
          turn_id: `trn_bench${(n * MESSAGES + index).toString().padStart(21, '0')}`,
          status: 'complete',
          ...(!isQuestion && { stop_reason: 'end', model: 'bench:bench-model' }),
        }
      })
      const title = library.ask(language).slice(0, 40)
      const facts = { title, session_key: id, last_active: beginning, last_seq: MESSAGES * 3 }
      written.push({ ...thread, ...facts, _id: id })
      said.push(...documents)
      const owner = { user_id, agent_id: thread.agent_id }
      writes.push(...pages.toWrites({ thread_id: id, stored: { owner, messages: documents } }))
    }
    await threads.insertMany(written, { ordered: false })
    await messages.insertMany(said, { ordered: false })
    await jointWriterOf(threads).write(writes)
  }
}

/** Copies the conversations within the database, for other accounts. */
async function copyToOthers(db: Db): Promise<void> {
  const id = { $regexMatch: { input: '$thread_id', regex: '^thr_bench' } }
  for (let copy = 1; copy <= COPIES; copy += 1) {
    /** Puts the number of the copy into an id. */
    const rename = (field: string) => ({
      $replaceOne: { input: field, find: '_bench0', replacement: `_bench${copy}` },
    })
    const number = { $toInt: { $substrCP: ['$thread_id', 21, 9] } }
    const owner = { $concat: ['usr_bench', { $toString: { $mod: [{ $add: [number, copy] }, ACCOUNTS] } }] }
    const merge = (into: string) => ({ $merge: { into, whenMatched: 'fail' } })
    const original = { $match: { $expr: id, _id: { $not: /_bench[1-9]/ } } }
    await db
      .collection('messages')
      .aggregate([
        original,
        { $set: { _id: rename('$_id'), thread_id: rename('$thread_id'), turn_id: rename('$turn_id') } },
        merge('messages'),
      ])
      .toArray()
    await db
      .collection('search_pages')
      .aggregate([
        original,
        { $set: { user_id: owner, _id: rename('$_id'), thread_id: rename('$thread_id') } },
        merge('search_pages'),
      ])
      .toArray()
  }
}

/** Compares the index with the messages, as they are stored and before the database compresses them. */
async function measureSizes(db: Db): Promise<Row[]> {
  await db.admin().command({ fsync: 1 })
  const statsOf = async (collection: string) => {
    const { size, storageSize, totalIndexSize, count } = await db.command({ collStats: collection })
    return { raw: size as number, stored: (storageSize + totalIndexSize) as number, count: count as number }
  }
  const messages = await statsOf('messages')
  const pages = await statsOf('search_pages')
  return [
    {
      measure: 'messages',
      value: messages.count,
      unit: 'messages',
      note: `${(messages.stored / 2 ** 20).toFixed(0)} MiB`,
    },
    {
      measure: 'index / messages, stored',
      value: (100 * pages.stored) / messages.stored,
      unit: '%',
      note: 'with the indexes of the database',
    },
    { measure: 'index / messages, data', value: (100 * pages.raw) / messages.raw, unit: '%' },
  ]
}

/** Measures turns of two services that differ in the plugin, in turn. */
async function measureTurnCost(stage: Stage): Promise<Row[]> {
  const start = async (enabled: boolean) => {
    const home = await stage.createHome()
    await writeFile(join(home, 'config.json'), JSON.stringify({ plugins: { search: { enabled } } }))
    const service = await stage.startService(home)
    const sockets = await openSockets((await stage.createAccount(service)).chatUrl)
    const pids = [service.pid, (await service.engine()).pid]
    await countTurns(sockets)
    return { sockets, pids }
  }
  const [off, on] = [await start(false), await start(true)]
  const windows: { off: Window; on: Window }[] = []
  for (let round = 0; round < ROUNDS; round += 1)
    windows.push({ off: await countTurns(off.sockets, off.pids), on: await countTurns(on.sockets, on.pids) })
  const cpuOf = ({ cpuMs }: Window) => cpuMs.reduce((sum, ms) => sum + ms, 0)
  return [
    {
      measure: 'turns, with / without the plugin',
      value: median(windows.map(({ off, on }) => on.rate / off.rate)),
      unit: 'ratio',
      note: `median of ${ROUNDS} pairs of windows`,
    },
    {
      measure: 'CPU of a turn, with / without the plugin',
      value: median(windows.map(({ off, on }) => cpuOf(on) / cpuOf(off))),
      unit: 'ratio',
      note: 'of server and engine',
    },
  ]
}
